import type { ContinuationToken, ModelRequest } from "@translogue/agent";
import { encodeMafToken } from "@translogue/agent/maf";
import { decode, isJsonObject, type Json, type JsonObject } from "translogue";
import { difference } from "../../difference.ts";
import type { MafSessionRule } from "../rules/maf-session.ts";
import { alike, mafOf, objects } from "./maf-loop-compared.ts";
import { sessionForms } from "./maf-session-normal.ts";

/** Whether models were let go on in the background, and where they were asked to. */
export function comparedBackground(
  requests: readonly ModelRequest[],
  theirs: readonly JsonObject[],
  rules: Set<string>,
): string | undefined {
  for (const [index, { background = false, continuation = null }] of requests.entries()) {
    const { options } = theirs[index] ?? {};
    const said: unknown = typeof options === "string" ? JSON.parse(options) : {};
    const { allowBackgroundResponses: allowed = false, continuationToken = null } = isJsonObject(said) ? said : {};
    if (background && allowed === false) rules.add("maf lost background" satisfies MafSessionRule);
    else if (background !== allowed) return `request ${index}: background is ${background}`;
    const why = difference(continuation, continuationToken);
    if (why !== undefined) return `request ${index}: continuation ${why}`;
  }
  return undefined;
}

/** The tokens of a run, in the original's form: where the service goes on, what was asked, and the answer so far. */
export function comparedTokens(
  ours: readonly (ContinuationToken | undefined)[],
  { tokens, token, error }: JsonObject,
  rules: Set<string>,
): string | undefined {
  const list = Array.isArray(tokens) ? tokens : [token ?? null];
  const theirs = list.filter(text => typeof text === "string").map(text => JSON.parse(String(text)) as JsonObject); // texts of objects
  const own = ours.flatMap(each => (each ? [JSON.parse(atob(encodeMafToken(each))) as JsonObject] : [])); // made here
  if (theirs.length === 0)
    return own.length === 0 || error !== undefined ? undefined : "a token where the original gives none";
  const places = (all: readonly JsonObject[]) => all.map(({ innerToken = null }) => innerToken);
  // How updates are grouped is nobody's: one that brings only usage is none of ours.
  const seen = places(own);
  const same = theirs.filter(({ innerToken = null }) => seen.includes(innerToken));
  const why = difference(seen, places(same)) ?? difference(seen.at(-1), places(theirs).at(-1));
  if (why !== undefined) return `tokens ${why}`;
  if (!Array.isArray(tokens)) return undefined;
  for (const [index, wanted] of same.entries()) {
    const unlike = comparedToken(own[index] ?? {}, wanted, rules);
    if (unlike !== undefined) return `token ${index}: ${unlike}`;
  }
  return undefined;
}

function comparedToken(ours: JsonObject, theirs: JsonObject, rules: Set<string>): string | undefined {
  const [own, wanted] = [inputOf(ours), inputOf(theirs)];
  if (own.length > wanted.length) rules.add("maf context in tokens" satisfies MafSessionRule);
  const likeness = { rules, forms: sessionForms };
  return (
    alike({ ours: { messages: own.slice(0, wanted.length) }, theirs: { messages: [...wanted] } }, likeness) ??
    alike({ ours: { messages: answerOf(ours) }, theirs: { messages: answerOf(theirs) } }, likeness)
  );
}

const read = (text: Json | undefined): Json => (typeof text === "string" ? (JSON.parse(text) as Json) : []); // a text of JSON

const inputOf = ({ inputMessages }: JsonObject): readonly JsonObject[] => objects(read(inputMessages));

function answerOf({ responseUpdates }: JsonObject): Json {
  const { messages } = decode(read(responseUpdates), { from: "maf", shape: "stream" }).conversation;
  return mafOf(messages.map(({ usage: _, ...message }) => message));
}
