import type { Json, JsonObject, Message } from "translogue";
import { addMessages, bufferString, countTokens, filter, mergeRuns } from "translogue/history";
import { difference } from "../../difference.ts";
import { type CaseResult, claims, type Runner } from "../case.ts";
import type { HistoryRule } from "../rules/history.ts";
import {
  aside,
  differing,
  failed,
  given,
  results,
  rolesOf,
  same,
  typeOf,
  withoutMade,
} from "./langchain-history-messages.ts";
import { refusal, trimCase } from "./langchain-history-trim.ts";
import { type About, type Case, casesOf, fieldsOf, listOf, memberOf, said } from "./langchain-specs.ts";

/** LangChain's utilities for histories: ours under its options. */
export const langchainHistory: Runner = {
  name: "langchain history",
  reads: file => file.folder === "langchain" && file.kind === "utility",
  async *run(file) {
    for (const each of casesOf(file)) {
      const name = typeof each["function"] === "string" ? each["function"] : "";
      const about = { format: "langchain utility", name: each.name };
      const functionCase = functionCases.get(name);
      yield functionCase ? await functionCase(each, about) : failed(about, `no runner for ${name}`);
    }
  },
};

type FunctionCase = (each: Case, about: About) => Promise<CaseResult> | CaseResult;

const functionCases = new Map<string, FunctionCase>([
  ["trimMessages", trimCase],
  ["filterMessages", filterCase],
  ["mergeMessageRuns", runsCase],
  ["getBufferString", bufferCase],
  ["messagesStateReducer", reducerCase],
  ["messagesDeltaReducer", deltaCase],
  ["countTokensApproximately", countCase],
  ["convertToChunk", (_, about) => aside(about, "history class functions")],
  ["mergeUsageMetadata", (_, about) => aside(about, "history class functions")],
  ["addNotificationMetadata", (_, about) => aside(about, "history class functions")],
  ["collapseToolCallChunks", (_, about) => aside(about, "history chunks of calls")],
]);

// filtering

async function filterCase(each: Case, about: About): Promise<CaseResult> {
  const messages = given(each["messages"]);
  const options = each["options"] as JsonObject; // as the file says
  const texts = (key: string): readonly string[] | undefined =>
    options[key] === undefined ? undefined : listOf(options[key]).map(String);
  const [includeRoles, excludeRoles] = [rolesOf(options["includeTypes"]), rolesOf(options["excludeTypes"])];
  const [includeNames, excludeNames] = [texts("includeNames"), texts("excludeNames")];
  const [includeIds, excludeIds] = [texts("includeIds"), texts("excludeIds")];
  const kept = () =>
    filter(messages, {
      pairs: "apart",
      ...(includeRoles && { includeRoles }),
      ...(excludeRoles && { excludeRoles }),
      ...(includeNames && { includeNames }),
      ...(excludeNames && { excludeNames }),
      ...(includeIds && { includeIds }),
      ...(excludeIds && { excludeIds }),
    });
  return await claims(about, [() => same(kept(), results(each))]);
}

// runs

async function runsCase(each: Case, about: About): Promise<CaseResult> {
  const messages = given(each["messages"]);
  const ours = () => mergeRuns(messages, { separator: "\n" });
  const rule = runsRule(each, messages);
  if (rule) return await differing(about, rule, () => keepsWords(ours(), messages));
  return await claims(about, [
    () => difference(withoutMade(ours().map(gist)), withoutMade(results(each).map(gist))),
    () => keepsWords(ours(), messages),
  ]);
}

/** Texts that stand apart from calls, as LangChain holds them. */
const gist = (message: Message): Json => ({
  id: message.id ?? null,
  type: typeOf(message),
  text: message.parts
    .filter(part => part.type === "text")
    .map(({ text }) => text)
    .join("\n"),
  others: message.parts
    .filter(part => part.type !== "text")
    .map(part => [part.type, JSON.stringify(withoutMade(part as unknown as Json))]), // parts are JSON
});

/** Whether every side says the same, in the same order, but for blanks between texts. */
function keepsWords(merged: readonly Message[], messages: readonly Message[]): string | undefined {
  return difference(saidBySides(merged), saidBySides(messages));
}

function saidBySides(messages: readonly Message[]): Json {
  const sides: { role: string; said: string }[] = [];
  for (const { role, parts } of messages) {
    const words = parts.map(
      part =>
        part.type === "text" ? part.text.replaceAll(/\s/g, "") : JSON.stringify(withoutMade(part as unknown as Json)), // parts are JSON
    );
    const last = sides.at(-1);
    if (last?.role === role) last.said += words.join("");
    else if (words.join("") !== "") sides.push({ role, said: words.join("") });
  }
  return sides.map(side => ({ ...side }));
}

function runsRule(each: Case, messages: readonly Message[]): HistoryRule | undefined {
  const pairs = messages.slice(1).map((message, index): [Message, Message] => [messages[index] as Message, message]); // the one before it
  const together = pairs.filter(([first, second]) => typeOf(first) === typeOf(second) && typeOf(second) !== "tool");
  const specs = listOf(each["messages"]).map(spec => memberOf(listOf(memberOf(spec, "args"))[0], "content"));
  if (
    together.some(
      ([first, second]) => first.role !== second.role || first.role === "control" || typeOf(first) === "function",
    )
  )
    return "history other sides";
  if (pairs.some(([first, second]) => first.role === second.role && typeOf(first) !== typeOf(second)))
    return "history other sides";
  if (messages.some(({ role, parts }) => role !== "tool" && parts.some(({ type }) => type === "tool-result")))
    return "history other sides";
  if (together.some(([first, second]) => first.author?.name !== second.author?.name)) return "history other sides";
  if (each["error"] !== undefined) return "history throws";
  if (together.length > 0 && hasTwice(messages)) return "history calls merged";
  const isEmpty = (content: Json | undefined): boolean =>
    content === "" || content === undefined || listOf(content).some(block => memberOf(block, "text") === "");
  if (together.length > 0 && specs.some(isEmpty)) return "history empty texts";
  if (together.length > 0 && specs.some(Array.isArray) && specs.some(content => typeof content === "string"))
    return "history blocks apart";
  return undefined;
}

/** A call of one id in two messages, or one that cannot be read. */
function hasTwice(messages: readonly Message[]): boolean {
  const calls = messages.flatMap(({ parts }) => parts.flatMap(part => (part.type === "tool-call" ? [part] : [])));
  return (
    new Set(calls.map(({ callId }) => callId)).size < calls.length || calls.some(({ input }) => input === undefined)
  );
}

// one text

async function bufferCase(each: Case, about: About): Promise<CaseResult> {
  const specs = listOf(each["messages"]);
  if (each["error"] !== undefined) return aside(about, "history throws");
  const messages = given(each["messages"]);
  const [human, ai] = listOf(each["args"]);
  const prefixes = {
    ...(typeof human === "string" && { user: human }),
    ...(typeof ai === "string" && { assistant: ai }),
  };
  const ours = bufferString(messages, { prefixes });
  const reason = difference(ours, each["result"]);
  const bare = String(each["result"]).replace(/,"extras":\{[^{}]*\}/g, "");
  if (reason !== undefined && ours === bare) return aside(about, "history extras");
  const words = () => {
    const lost = messages.flatMap(spokenIn).find(text => !ours.includes(text));
    return lost === undefined ? undefined : `lost: ${lost}`;
  };
  const text = JSON.stringify(specs);
  const hasBlocks = /"type": ?"(?!text"|tool_call"|image|audio|video|file)[\w-]+"|"source_type": ?"text"/.test(text);
  if (reason !== undefined && hasBlocks) return await differing(about, "history other blocks", words);
  if (reason !== undefined && (/invalid_tool_calls|function_call|"refusal":/.test(text) || specs.some(hasOwnCalls))) {
    return await differing(about, "history hidden calls", words);
  }
  if (reason !== undefined && specs.some(spec => memberOf(spec, "class") === "ChatMessage"))
    return await differing(about, "history throws", words);
  return await claims(about, [() => reason]);
}

/** What one text of a history has to hold: its texts, and the names of calls with what they are given. */
const spokenIn = ({ parts }: Message): readonly string[] =>
  parts.flatMap(part => {
    if (part.type === "text") return [part.text];
    if (part.type === "tool-result")
      return (part.output ?? []).flatMap(item => (item.type === "text" ? [item.text] : []));
    return part.type === "tool-call" ? [part.name, ...textsIn(part.input)] : [];
  });

const textsIn = (value: Json | undefined): readonly string[] => {
  if (typeof value === "string") return [JSON.stringify(value).slice(1, -1)];
  return typeof value === "object" && value !== null
    ? Object.values(value).flatMap(inner => textsIn(inner as Json))
    : []; // JSON inside JSON
};

/** Calls among the blocks that the message's list does not have. */
function hasOwnCalls(spec: Json): boolean {
  const fields = fieldsOf({ kwargs: listOf(memberOf(spec, "args"))[0] ?? null });
  const ids = new Set(listOf(fields["tool_calls"]).map(call => memberOf(call, "id")));
  return listOf(fields["content"]).some(
    block => memberOf(block, "type") === "tool_call" && !ids.has(memberOf(block, "id")),
  );
}

// reducers

async function reducerCase(each: Case, about: About): Promise<CaseResult> {
  const [left, right] = [each["left"], each["right"]];
  const refused = typeof each["error"] === "string" ? each["error"] : undefined;
  const all = [left, right].flatMap((side): readonly (Json | undefined)[] =>
    Array.isArray(side) ? (side as readonly Json[]) : [side],
  ); // a list of JSON
  if (all.some(item => !isSpec(item))) return aside(about, "history coercion");
  const messages = given(left);
  const ours = () => addMessages(messages, given(right));
  if (refused !== undefined) {
    return await claims(about, [
      () => (refusal(ours) === undefined ? "LangChain refuses it, and ours does not" : undefined),
    ]);
  }
  const theirs = results(each);
  if ([...messages, ...theirs].some(({ role }) => role === "control")) {
    // In the place of a removal that it kept LangChain puts the message that comes with its id.
    const inAnyOrder = (list: readonly Message[]): readonly Json[] =>
      list.flatMap(message => (message.role === "control" ? [] : [JSON.stringify(withoutMade(said(message)))])).sort();
    return await differing(about, "history removals left", () => difference(inAnyOrder(ours()), inAnyOrder(theirs)));
  }
  const hasNumbers = [left, right].some(side => /"id": ?\d/.test(JSON.stringify(side)));
  const isMade =
    hasNumbers || [...messages, ...given(right)].some(({ id, role }) => id === undefined && role !== "control");
  if (isMade) {
    const withoutIds = (list: readonly Message[]) => list.map(message => withoutMade(said(message)));
    return await differing(about, "history made ids", () => {
      // An id that is a number is the text of it here: of two messages of one id the last stands in the place of the first.
      const wanted = new Map(theirs.map((message, index): [Json, Message] => [message.id ?? index, message]));
      return difference(withoutIds(ours()), withoutIds(hasNumbers ? [...wanted.values()] : theirs));
    });
  }
  return await claims(about, [() => same(ours(), theirs)]);
}

const isSpec = (item: Json | undefined): boolean => memberOf(item, "class") !== undefined;

async function deltaCase(each: Case, about: About): Promise<CaseResult> {
  const writes = listOf(each["writes"]);
  const written = [...writes, ...listOf(each["state"])].flatMap((write): readonly Json[] =>
    Array.isArray(write) ? (write as readonly Json[]) : [write],
  ); // a list of JSON
  if (written.some(item => !isSpec(item))) return aside(about, "history coercion");
  const batch = () => {
    const updates = writes.flatMap(write => given(write as Json)); // an item of JSON
    return addMessages(given(each["state"]), updates, { mode: "delta" });
  };
  const steps = () =>
    writes.reduce<readonly Message[]>(
      (messages, write) => addMessages(messages, given(write as Json), { mode: "delta" }), // an item of JSON
      given(each["state"]),
    );
  if (/"id": ?(\d|"")/.test(JSON.stringify([each["state"], writes]))) {
    return await differing(about, "history made ids", () => difference(batch().map(said), steps().map(said)));
  }
  return await claims(about, [() => same(batch(), results(each)), () => same(steps(), results(each))]);
}

/** Not the same number, but a number of the same size. */
async function countCase(each: Case, about: About): Promise<CaseResult> {
  const messages = given(each["messages"]);
  const theirs = Number(each["result"]);
  return await differing(about, "history counts", () => {
    const ours = countTokens(messages);
    const pieces = messages.reduce((sum, { parts }) => sum + 1 + parts.length, 0);
    const isNear = messages.length === 0 ? ours === theirs : ours > 0 && ours < 2000 * pieces;
    return isNear ? undefined : `${ours} tokens, where LangChain counts ${theirs}`;
  });
}
