import { hintsOf } from "../../codec/remainder.ts";
import type { Message } from "../../model/conversation.ts";
import type { Path } from "../../model/issue.ts";
import { isJsonObject, type Json, type JsonObject } from "../../model/json.ts";
import { inputTextOf } from "../../model/json-text.ts";
import type { Part, PartOf, ToolCallPart } from "../../model/parts.ts";
import { isSealedBeside, splitSeals } from "./beside-seals.ts";
import { callHints, isBlock } from "./call-hints.ts";
import { asBlock, type ListedCall, type Lists, writeLists } from "./calls.ts";
import { ordered } from "./content-order.ts";
import { reportForeign } from "./content-places.ts";
import { providerOfSeals } from "./content-seals.ts";
import { contentOf, type Fields, type Located, type Writing } from "./encode.ts";
import { writeRaw } from "./raw-calls.ts";
import { dumpsText } from "./text.ts";
import { classOf, family, hintedClass } from "./wire.ts";

/** Where the parts of an answer go: one part may go to the content and to a list of calls. */
interface Sorted {
  readonly content: readonly Located[];
  readonly calls: readonly ListedCall[];
  readonly beside: { readonly [member: string]: Json | undefined };
}

/** An answer. Calls have a block in the content where they had one, or where their place or members need it. */
export function writeAssistant(
  parts: readonly Located[],
  message: Message,
  { writing }: { readonly path: Path; readonly writing: Writing },
): Fields {
  const { form } = writing;
  const hints = hintsOf(message, family);
  const row = hintedClass(message) ?? classOf("AIMessage");
  const isDict = form.container === "dict";
  const { rest, beside: seals } = isDict ? { rest: parts, beside: {} } : splitSeals(parts, form.language);
  const { content, calls, beside } = sortParts(rest, writing);
  const lists = writeLists(calls, form.language, (code, path, detail) => {
    if (!isDict) writing.lose(code, path, detail); // a dict has one list, which reports for itself
  });
  return {
    content: contentOf(content, { row, message, writing }),
    own: isDict ? { tool_calls: dictCalls(calls, writing) } : listFields(lists, hints),
    beside: {
      ...beside,
      ...seals,
      ...(!isDict && lists.raw.length > 0 && { tool_calls: lists.raw }),
      function_call: lists.function_call,
    },
  };
}

function sortParts(parts: readonly Located[], { lose }: Writing): Sorted {
  const content: Located[] = [];
  const calls: ListedCall[] = [];
  const beside: { [member: string]: Json } = {};
  const lastSaid = parts.findLastIndex(({ part }) => isSaid(part));
  for (const [index, located] of parts.entries()) {
    const { part, path } = located;
    const member = besideOf(part, { isFirst: index === 0, isLast: index > lastSaid, taken: beside });
    if (member !== undefined) {
      beside[member] = besideValue(part);
      reportForeign(part, family, { path, lose });
    } else if (part.type === "tool-call" && !part.executedBy) {
      const isInside = isBlock(part) || index < lastSaid || needsBlock(part);
      if (isInside) content.push({ part: asBlock(part), path });
      else reportForeign(part, family, { path, lose });
      const isOpen = part.partial === true && !isBlock(part) && isInside;
      if (isOpen && part.input !== undefined) lose("open-call", [...path, "partial"]);
      const isListed = !isInside || isBlock(part) || !part.partial;
      if (isListed) calls.push({ part, path, isInside });
    } else if (part.type === "opaque" && callHints(part).list !== undefined)
      calls.push({ part, path, isInside: false });
    else content.push(located);
  }
  return { content, calls, beside };
}

/** What stands in the content, and keeps the calls before it there. */
const isSaid = (part: Part): boolean => {
  if (hintsOf(part, family)["$kwarg"] !== undefined) return false;
  if (part.type === "opaque") return callHints(part).list === undefined;
  return part.type !== "tool-call" || part.executedBy !== undefined || isBlock(part) || needsBlock(part);
};

/** Members that no list of calls has a place for. */
const needsBlock = (part: ToolCallPart): boolean =>
  callHints(part).list !== false &&
  (part.seal !== undefined ||
    part.cache !== undefined ||
    part.partial === true ||
    part.server !== undefined ||
    part.caller !== undefined);

/** LangChain's adapters look for seals under the name of a provider. In a stream the first seals are out before the last. */
export function withProvider(
  message: Message,
  parts: readonly Located[],
  { path, writing }: { readonly path: Path; readonly writing: Writing },
): Message {
  if (message.provider !== undefined || writing.isStreamed || writing.form.container === "dict") return message;
  const inside = parts.map(({ part }) => part).filter(part => !isSealedBeside(part));
  const provider = providerOfSeals(inside, writing.form.language);
  if (provider === undefined) return message;
  writing.lose("provider", [...path, "provider"], provider);
  return { ...message, provider };
}

interface Place {
  readonly isFirst: boolean;
  readonly isLast: boolean;
  readonly taken: { readonly [member: string]: Json };
}

/** The member of `additional_kwargs` that the part came from, where its place is still the member's. */
function besideOf(part: Part, { isFirst, isLast, taken }: Place): string | undefined {
  const { $kwarg: member } = hintsOf(part, family);
  if (typeof member !== "string" || Object.hasOwn(taken, member) || part.seal || part.cache || part.partial)
    return undefined;
  if (part.type === "reasoning" && member === "reasoning_content") return isFirst && part.text ? member : undefined;
  if (part.type === "refusal" && member === "refusal") return isLast && part.text !== "" ? member : undefined;
  return part.type === "file" && member === "audio" && isLast && audioId(part) !== undefined ? member : undefined;
}

const audioId = (part: PartOf<"file">): string | undefined => ("id" in part.source ? part.source.id : part.id);

function besideValue(part: Part): Json {
  if (part.type !== "file") return part.type === "reasoning" || part.type === "refusal" ? (part.text ?? "") : null;
  const { $$audio: rest, $order: order = null } = hintsOf(part, family);
  const audio = {
    id: audioId(part) ?? "",
    ...("data" in part.source && { data: part.source.data }),
    ...(part.text !== undefined && { transcript: part.text }),
    ...(isJsonObject(rest) && rest),
  };
  return ordered(audio, order);
}

/** The lists, in the order that they had; nothing where there are no calls: then they are what each language has them. */
function listFields(lists: Lists, { $order: order }: JsonObject): { readonly [member: string]: Json | undefined } {
  const { tool_calls: calls, invalid_tool_calls: invalid } = lists;
  return {
    tool_calls: calls.length > 0 ? reordered(calls, order) : undefined,
    invalid_tool_calls: invalid.length > 0 ? invalid : undefined,
  };
}

function reordered(calls: readonly Json[], order: Json | undefined): readonly Json[] {
  if (!Array.isArray(order) || order.length !== calls.length || new Set(order).size !== calls.length) return calls;
  const sorted = order.map((place: Json) => (typeof place === "number" ? calls[place] : undefined));
  return sorted.every(call => call !== undefined) ? sorted : calls;
}

/** What only an entry of LangChain's own lists says of a call: why it is invalid, members that are no fields. */
function unsaidOf(part: Part): readonly string[] {
  const { $$call: said } = hintsOf(part, family);
  return isJsonObject(said) ? ["error", "invalid", "rest"].filter(member => Object.hasOwn(said, member)) : [];
}

/** Calls as OpenAI has them: an id, and the arguments as text. */
function dictCalls(
  calls: readonly Located<PartOf<"tool-call" | "opaque">>[],
  { form, context, lose }: Writing,
): Json | undefined {
  const entries = calls.flatMap(({ part, path }): Json[] => {
    if (part.type === "opaque") return [part.value];
    const { raw, list, dict, function: isFunction } = callHints(part);
    if (isFunction === true || (isBlock(part) && list === false)) return [];
    if (isJsonObject(raw)) return [writeRaw(part, raw)];
    // To a provider calls go as OpenAI has them, however they were read.
    if (
      dict === true &&
      list === undefined &&
      context.recipient !== "provider" &&
      isJsonObject(part.input) &&
      part.kind === undefined
    ) {
      return writeLists([{ part, path, isInside: false }], form.language, lose).tool_calls.slice();
    }
    for (const member of unsaidOf(part)) lose("call-native", [...path, "native", family], member);
    const isText = part.kind === "custom" && typeof part.input === "string";
    if (part.kind !== undefined) lose(isText ? "custom-input" : "tool-kind", [...path, "kind"], part.kind);
    const text = isText ? JSON.stringify({ input: part.input }) : inputTextOf(part);
    if (text === undefined) lose("no-arguments", [...path, "input"]);
    const { input: _, ...bare } = part;
    const inputText = part.inputText ?? dumpsText(text ?? "{}");
    return [writeRaw({ ...bare, inputText }, usualEntry(part))];
  });
  return entries.length > 0 ? entries : undefined;
}

/** `convert_to_openai_messages` writes the members in this order. */
const usualEntry = (part: ToolCallPart): JsonObject => ({
  type: "function",
  id: part.callId,
  function: { name: part.name, arguments: "" },
});
