/** Seals that adapters put into `additional_kwargs`: OpenAI's reasoning as one item, Google's signatures by the ids of calls. */

import type { Reader } from "../../codec/reader.ts";
import { hintsOf } from "../../codec/remainder.ts";
import { equalJson, isJsonObject, type Json, type JsonObject } from "../../model/json.ts";
import type { Part, ToolCallPart } from "../../model/parts.ts";
import { callHints, isBlock, withCall, writtenId } from "./call-hints.ts";
import { readContent, writeContent } from "./content.ts";
import { memberOf } from "./escape.ts";
import { family, type Language } from "./wire.ts";

const reasoningMember = "reasoning";
const signaturesMember = "__gemini_function_call_thought_signatures__";

/** The item of OpenAI's reasoning, as it would stand in the content; nothing where it is none, or is there already. */
export function readReasoningItem(kwargs: Reader, content: readonly Part[], language: Language): readonly Part[] {
  const item = kwargs.peek(reasoningMember);
  if (!isJsonObject(item) || item["type"] !== "reasoning" || content.some(({ type }) => type === "reasoning"))
    return [];
  const about = { language, role: "ai", modelProvider: "openai" };
  const parts = readContent([item], about, { issue: () => undefined });
  if (parts.length === 0 || parts.some(({ type }) => type !== "reasoning")) return [];
  kwargs.take(reasoningMember);
  return parts.map(part => ({
    ...part,
    native: { ...part.native, [family]: { ...hintsOf(part, family), $kwarg: reasoningMember } },
  }));
}

/** Whether a part came from the item, and may go back there. */
export const isOfItem = (part: Part): boolean =>
  part.type === "reasoning" && hintsOf(part, family)["$kwarg"] === reasoningMember;

/** The item of the parts that came from it; undefined where it does not say all of them. */
function writeReasoningItem(parts: readonly Part[], language: Language): JsonObject | undefined {
  let isHeld = parts.length > 0;
  const about = { language, role: "ai", modelProvider: "openai", outputVersion: "v1", isList: true, pathOf: () => [] };
  const lose = (): void => {
    isHeld = false;
  };
  const written = isHeld ? writeContent(parts, about, { lose }) : [];
  const [item, ...others] = Array.isArray(written) ? (written as readonly Json[]) : []; // a list of JSON
  const isItem = isJsonObject(item) && item["type"] === "reasoning" && Array.isArray(item["summary"]);
  return isHeld && isItem && others.length === 0 ? item : undefined;
}

/** The calls with their signatures; as they were where the signatures are not just theirs. */
export function readSignatures(kwargs: Reader, parts: readonly Part[]): readonly Part[] {
  const wire = kwargs.peek(signaturesMember);
  if (!isJsonObject(wire) || Object.keys(wire).length === 0) return parts;
  const signed = parts.map((part): Part => {
    const given = part.type === "tool-call" && !part.seal ? memberOf(wire, part.callId) : undefined;
    if (typeof given !== "string") return part;
    return { ...withCall(part, { signed: true }), seal: { maker: "google", values: { thoughtSignature: given } } };
  });
  const taken = signed.filter(isSignedBeside).length;
  if (taken !== Object.keys(wire).length || !equalJson(splitSignatures(signed).signatures, wire)) return parts;
  kwargs.take(signaturesMember);
  return signed;
}

/** Whether the seal of the call is a signature that stood beside it (R1), or may: there the adapter for Google looks. */
const isSignedBeside = (part: Part): part is ToolCallPart =>
  part.type === "tool-call" &&
  (callHints(part).signed === true || (!isBlock(part) && writtenId(part) === part.callId)) &&
  equalJson(part.seal as Json | undefined, {
    maker: "google",
    values: { thoughtSignature: part.seal?.values["thoughtSignature"] ?? "" },
  }); // a seal is JSON

/** Whether nothing of the seal is in the content. */
export const isSealedBeside = (part: Part): boolean => isOfItem(part) || isSignedBeside(part);

function splitSignatures(parts: readonly Part[]): {
  readonly parts: readonly Part[];
  readonly signatures: JsonObject | undefined;
} {
  const signatures = new Map<string, string>();
  const bare = parts.map((part): Part => {
    if (!isSignedBeside(part) || signatures.has(part.callId)) return part;
    const { seal, ...others } = part;
    signatures.set(part.callId, seal?.values["thoughtSignature"] ?? "");
    return others;
  });
  return { parts: bare, signatures: signatures.size > 0 ? Object.fromEntries(signatures) : undefined };
}

/** Parts of an answer, without what goes to `additional_kwargs` as it was there. */
export function splitSeals<L extends { readonly part: Part }>(
  located: readonly L[],
  language: Language,
): { readonly rest: readonly L[]; readonly beside: { readonly [member: string]: JsonObject | undefined } } {
  const { parts, signatures } = splitSignatures(located.map(({ part }) => part));
  const [leading] = parts;
  const start = leading && hintsOf(leading, family)["$kwarg"] === "reasoning_content" ? 1 : 0;
  let end = start;
  for (let part = parts[end]; part && isOfItem(part); part = parts[++end]) {}
  const item = writeReasoningItem(parts.slice(start, end), language);
  const rest = located
    .map((each, index) => (parts[index] === each.part ? each : { ...each, part: parts[index] ?? each.part }))
    .filter((_, index) => !item || index < start || index >= end);
  return { rest, beside: { [reasoningMember]: item, [signaturesMember]: signatures } };
}
