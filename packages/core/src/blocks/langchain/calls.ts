import { Reader } from "../../codec/reader.ts";
import { hintsOf, kept, present, remainderOf } from "../../codec/remainder.ts";
import type { Path } from "../../model/issue.ts";
import { isJsonObject, type Json, type JsonObject, type MutableJsonObject, setMember } from "../../model/json.ts";
import { inputTextOf } from "../../model/json-text.ts";
import type { Part, PartOf, ToolCallPart } from "../../model/parts.ts";
import { readInput, repeatsKeys } from "../../stream/input.ts";
import {
  callHints,
  hintsOfCall,
  isBlock,
  isSameValue,
  isToldRaw,
  usualError,
  withCall,
  writtenId,
} from "./call-hints.ts";
import { memberOf } from "./escape.ts";
import { isSameOrder } from "./metadata.ts";
import { readOpenAi, writeFunction, writeRaw } from "./raw-calls.ts";
import { family, type Language } from "./wire.ts";

type List = "tool_calls" | "invalid_tool_calls";

const usualKeys = {
  python: {
    tool_calls: ["name", "args", "id", "type"],
    invalid_tool_calls: ["type", "id", "name", "args", "error"],
  },
  js: {
    tool_calls: ["name", "args", "id", "type"],
    invalid_tool_calls: ["name", "args", "id", "error", "type"],
  },
} as const satisfies { readonly [language in Language]: { readonly [list in List]: readonly string[] } };

const types = { tool_calls: "tool_call", invalid_tool_calls: "invalid_tool_call" } as const;
const usualErrors: { readonly [language in Language]: Json } = { python: null, js: usualError };

export interface EntryFrom {
  readonly list: List;
  readonly language: Language;
  readonly path: Path;
  /** Its id where the wire has none (R8). */
  readonly made: string;
  /** Whether its message is of OpenAI's form. */
  readonly isDict?: boolean;
  issue(code: string, wirePath: Path, message: string): void;
}

/** An entry of `tool_calls` or `invalid_tool_calls`; one in OpenAI's form is read as what it means. */
export function readEntry(wire: Json, from: EntryFrom): Part {
  const reader = isJsonObject(wire) ? new Reader(wire) : undefined;
  if (reader && isJsonObject(reader.peek("function"))) return readOpenAi(reader.value, from.made, from.isDict);
  const name = reader?.string("name") ?? (reader?.literal("name", null) ? "" : undefined);
  if (!reader || name === undefined) {
    from.issue("not-a-tool-call", from.path, "expected an object with the name of a tool; kept as it is");
    return { type: "opaque", family, value: wire, ...kept(family, undefined, { $call: { list: from.list } }) };
  }
  const { list, language } = from;
  const id = reader.peek("id");
  const hasId = typeof id === "string" && id !== "";
  const isUsualId = hasId && !id.startsWith("~");
  if (hasId || id === null || id === "" || id === undefined) reader.take("id");
  reader.literal("type", types[list]);
  const { input, hints } = list === "tool_calls" ? readArgs(reader) : readInvalid(reader);
  const keys = Object.keys(reader.value);
  const call: JsonObject = {
    ...hints,
    ...(!isUsualId && { id: id ?? (Object.hasOwn(reader.value, "id") ? null : false) }),
    ...(memberOf(reader.value, "name") === null && { name: null }),
    ...(!isSameOrder(keys, usualKeys[language][list]) && { keys: { [language]: keys } }),
    ...(from.isDict && { dict: true }),
  };
  return {
    type: "tool-call",
    callId: hasId ? id : from.made,
    name,
    ...input,
    ...kept(family, reader.rest(), hintsOfCall(call)),
  };
}

/** `args`; a block of Anthropic's in the list has its `input`. */
function readArgs(reader: Reader): ArgsRead {
  const isAnthropic = reader.peek("args") === undefined && reader.peek("type") === "tool_use";
  const input = reader.json(isAnthropic ? "input" : "args");
  return { input: input === undefined ? {} : { input }, hints: isAnthropic ? { args: "input" } : {} };
}

interface ArgsRead {
  readonly input: Pick<ToolCallPart, "input" | "inputText">;
  readonly hints: JsonObject;
}

/** Arguments that were found malformed are text, or nothing. */
function readInvalid(reader: Reader): ArgsRead {
  const args = reader.json("args");
  const error = reader.json("error");
  const input = typeof args === "string" ? readInput(args) : args == null ? {} : { input: args };
  return {
    input,
    hints: { list: "invalid_tool_calls", invalid: args ?? null, ...(error !== undefined && { error }) },
  };
}

// writing

export interface Lists {
  readonly tool_calls: readonly Json[];
  readonly invalid_tool_calls: readonly Json[];
  readonly raw: readonly Json[];
  readonly function_call: Json | undefined;
}

export type LoseCall = (
  code: "no-arguments" | "input-text" | "custom-input" | "tool-kind" | "call-order",
  path: Path,
  detail?: string,
) => void;

/** A call, or what stands in place of one, and whether it has a block in the content, which keeps its place. */
export interface ListedCall {
  readonly part: PartOf<"tool-call" | "opaque">;
  readonly path: Path;
  readonly isInside: boolean;
}

/** What the lists of a message say of its calls, in their order. */
export function writeLists(calls: readonly ListedCall[], language: Language, lose: LoseCall): Lists {
  const lists = { tool_calls: [] as Json[], invalid_tool_calls: [] as Json[], raw: [] as Json[] };
  let functionCall: Json | undefined;
  let isAfterInvalid = false;
  for (const { part, path, isInside } of calls) {
    const hints = callHints(part);
    if (part.type === "opaque") {
      const list = hints["list"] === "invalid_tool_calls" ? "invalid_tool_calls" : "tool_calls";
      lists[list].push(part.value);
      continue;
    }
    const list = listOf(part, language);
    const isRawEntry = hints.entry === true && isJsonObject(hints.raw);
    if (list === "tool_calls" && isRawEntry) lists.tool_calls.push(writeRaw(part, hints.raw));
    else if (list) {
      if (list === "tool_calls" && isAfterInvalid && !isInside) lose("call-order", path);
      if (list === "invalid_tool_calls" && !isInside) isAfterInvalid = true;
      lists[list].push(writeEntry(part, list, { language, path, lose }));
    }
    if (!isJsonObject(hints.raw) || isRawEntry || isPlainDict(part)) continue;
    if (hints.function === true && functionCall === undefined) functionCall = writeFunction(part, hints.raw);
    else lists.raw.push(writeRaw(part, hints.raw));
  }
  return { ...lists, function_call: functionCall };
}

/** Of a message in OpenAI's form, which says nothing of the call that LangChain's own entry has no place for. */
const isPlainDict = (part: ToolCallPart): boolean => callHints(part).entry === "dict" && !isToldRaw(part);

/** Where the arguments are an object a call is valid; what does not parse, or is none, is the matter of the other list. */
function listOf(part: ToolCallPart, language: Language): List | undefined {
  const { list, invalid, entry } = callHints(part);
  if (list === false) return undefined;
  const { input, inputText } = part;
  const text = inputText ?? (input === undefined ? null : input);
  if (list === "invalid_tool_calls" && isSameInput(invalid ?? null, part, text)) return "invalid_tool_calls";
  // As OpenAI has them calls keep the text of their arguments, whatever it is.
  if (entry === true) return "tool_calls";
  if (input === undefined && inputText !== undefined) return "invalid_tool_calls";
  if (input === undefined || isJsonObject(input) || isCustomText(part)) return "tool_calls";
  return language === "js" ? "tool_calls" : "invalid_tool_calls";
}

const isCustomText = ({ kind, input }: ToolCallPart): boolean => kind === "custom" && typeof input === "string";

function isSameInput(invalid: Json, part: ToolCallPart, text: Json): boolean {
  if (invalid === null || invalid === "") return text === null;
  return typeof invalid === "string" ? inputTextOf(part) === invalid : true;
}

interface EntryTo {
  readonly language: Language;
  readonly path: Path;
  readonly lose: LoseCall;
}

function writeEntry(part: ToolCallPart, list: List, { language, path, lose }: EntryTo): JsonObject {
  const hints = callHints(part);
  const { keys: spelled } = hints;
  const given = spelled && memberOf(spelled as JsonObject, language); // an object of lists, or a hint that is not ours
  const keys: readonly string[] = Array.isArray(given)
    ? given.filter(key => typeof key === "string")
    : usualKeys[language][list];
  const isToldByArgs = part.kind === "custom" && list === "tool_calls";
  if (part.kind !== undefined && !isToldByArgs) lose("tool-kind", [...path, "kind"], part.kind);
  const rest: JsonObject = { ...remainderOfCall(part), ...(isJsonObject(hints.rest) && hints.rest) };
  const args = list === "tool_calls" ? argsOf(part, keys, { path, lose, language }) : invalidArgsOf(part);
  const fields: { readonly [member: string]: Json | undefined } = {
    name: hints["name"] === null && part.name === "" ? null : part.name,
    [hints["args"] === "input" ? "input" : "args"]: args,
    id: writtenId(part),
    type: Object.hasOwn(rest, "type") ? undefined : types[list],
    ...(list === "invalid_tool_calls" && {
      error: Object.hasOwn(hints, "error") ? (hints.error ?? null) : usualErrors[language],
    }),
  };
  const entry: MutableJsonObject = {};
  for (const key of keys) {
    const field = Object.hasOwn(fields, key) ? fields[key] : undefined;
    const value = field === undefined ? memberOf(rest, key) : field;
    if (value !== undefined) setMember(entry, key, value);
    else if (key === "id") setMember(entry, key, null);
  }
  if (fields["id"] !== undefined && !keys.includes("id")) setMember(entry, "id", fields["id"]);
  for (const key of Object.keys(rest)) if (!Object.hasOwn(entry, key)) setMember(entry, key, rest[key] ?? null);
  return entry;
}

/** Members of a part that is a block of the content are the block's. */
const remainderOfCall = (part: ToolCallPart): JsonObject => (isBlock(part) ? {} : remainderOf(part, family));

function argsOf(part: ToolCallPart, keys: readonly string[], { path, lose }: EntryTo): Json | undefined {
  const { input, inputText, kind } = part;
  // Beside the arguments their text may stand, as OpenAI sent it.
  if (input !== undefined && inputText !== undefined && (!isJsonObject(callHints(part).raw) || isPlainDict(part))) {
    if (repeatsKeys(inputText, input)) lose("input-text", [...path, "inputText"]);
  }
  if (kind === "custom" && (typeof input === "string" || input === undefined)) {
    lose("custom-input", [...path, "kind"]);
    return { input: input ?? "" };
  }
  if (kind === "custom") lose("tool-kind", [...path, "kind"], kind);
  if (input !== undefined) return input;
  if (!keys.includes("args") && !keys.includes("input")) return undefined;
  lose("no-arguments", [...path, "input"]);
  return {};
}

function invalidArgsOf(part: ToolCallPart): Json {
  const { invalid } = callHints(part);
  const text = inputTextOf(part);
  if (text === undefined) return invalid === "" ? "" : null;
  return typeof invalid === "object" && invalid !== null ? invalid : text;
}

// calls that the content has, too

/** The call of a block, with what its entry in a list says: the entry's arguments are the parsed ones. */
export function mergeEntry(block: ToolCallPart, entry: ToolCallPart): ToolCallPart {
  const { $call: _, $$call: __, ...others } = hintsOf(entry, family);
  const rest = remainderOf({ native: { [family]: others } }, family);
  const call: JsonObject = {
    ...callHints(entry),
    ...(Object.keys(rest).length > 0 && { rest }),
  };
  const isSame =
    isSameValue(block.input, entry.input) && (entry.inputText === undefined || block.inputText === entry.inputText);
  const { input, inputText, ...bare } = block;
  const had = present({ input, inputText });
  const beside = JSON.stringify(entry.input) ?? null;
  const part: ToolCallPart = isSame
    ? block
    : {
        ...bare,
        ...present({ input: entry.input }),
        ...(entry.inputText !== undefined && { inputText: entry.inputText }),
      };
  const isUnnamed = block.callId.startsWith("~") && !entry.callId.startsWith("~");
  const all = {
    ...call,
    ...(!isSame && { block: { ...had, beside } }),
    ...(isUnnamed && { own: { callId: block.callId, beside: entry.callId } }),
  };
  const named = isUnnamed ? { ...part, callId: entry.callId } : part;
  return Object.keys(all).length > 0 ? withCall(named, all) : named;
}

/** The call as its block had it. */
export function asBlock(call: ToolCallPart): ToolCallPart {
  const { block, own } = callHints(call);
  const isUnnamed = own !== undefined && own["beside"] === call.callId;
  const part = isUnnamed ? { ...call, callId: String(own["callId"]) } : call;
  if (!isJsonObject(block) || block["beside"] !== (JSON.stringify(part.input) ?? null)) return part;
  const { input: _, inputText: __, ...bare } = part;
  const { input, inputText } = block;
  return { ...bare, ...present({ input }), ...(typeof inputText === "string" && { inputText }) };
}
