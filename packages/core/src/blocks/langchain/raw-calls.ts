import { kept } from "../../codec/remainder.ts";
import { isJsonObject, type Json, type JsonObject, type MutableJsonObject, setMember } from "../../model/json.ts";
import { inputTextOf } from "../../model/json-text.ts";
import type { Part, ToolCallPart } from "../../model/parts.ts";
import { readInput } from "../../stream/input.ts";
import { callHints, hintsOfCall, isSameValue, withCall, writtenId } from "./call-hints.ts";
import { memberOf } from "./escape.ts";
import { family } from "./wire.ts";

/** `{ id, type, function: { name, arguments } }`, with the arguments as text. `isDict`: its message is of OpenAI's form too. */
export function readOpenAi(entry: JsonObject, made: string, isDict = false): Part {
  const found = memberOf(entry, "function");
  const inner = isJsonObject(found) ? found : {};
  const name = memberOf(inner, "name");
  const id = memberOf(entry, "id");
  const hasId = typeof id === "string" && id !== "";
  const given = memberOf(inner, "arguments");
  const call = { raw: templateOf(entry), entry: isDict ? "dict" : true, ...(!hasId && { id: id ?? false }) };
  return {
    type: "tool-call",
    callId: hasId ? id : made,
    name: typeof name === "string" ? name : "",
    ...(typeof given === "string" ? readInput(given) : given == null ? {} : { input: given }),
    ...kept(family, undefined, hintsOfCall(call)),
  };
}

/** The entry of a raw list, without what its part says: the arguments. */
function templateOf(entry: JsonObject): JsonObject {
  const inner = entry["function"];
  if (!isJsonObject(inner)) return entry;
  const { arguments: given } = inner;
  const emptied = Object.hasOwn(inner, "arguments")
    ? { ...inner, arguments: typeof given === "string" ? "" : null }
    : inner;
  return { ...entry, function: emptied };
}

const rawArguments = (part: ToolCallPart): string => inputTextOf(part) ?? "";

export function writeRaw(part: ToolCallPart, template: JsonObject): JsonObject {
  const entry: MutableJsonObject = {};
  for (const key of Object.keys(template)) {
    const value = template[key] ?? null;
    if (key === "function" && isJsonObject(value)) setMember(entry, key, writeFunction(part, value));
    else setMember(entry, key, key === "id" ? (idOf(part) ?? value) : value);
  }
  const id = Object.hasOwn(entry, "id") ? undefined : idOf(part);
  if (id !== undefined) entry["id"] = id;
  return entry;
}

/** The id that its entry names it by; undefined where that has none. */
function idOf(part: ToolCallPart): string | undefined {
  const id = writtenId(part);
  return typeof id === "string" && id !== "" ? id : undefined;
}

export function writeFunction(part: ToolCallPart, template: JsonObject): JsonObject {
  const inner: MutableJsonObject = {};
  for (const key of Object.keys(template)) {
    const value = template[key] ?? null;
    if (key === "name" && typeof value === "string") inner[key] = part.name;
    else if (key === "arguments") inner[key] = value === null ? (part.input ?? null) : rawArguments(part);
    else setMember(inner, key, value);
  }
  return inner;
}

// raw calls of OpenAI's

/**
 * `additional_kwargs.tool_calls` tells of calls that `tool_calls` tells of already: then it is a spelling of them, and gives
 * the text of their arguments (R7). Calls that no list has are read from it. Undefined = it says something else, and is kept.
 */
export function joinRaw(
  calls: readonly Part[],
  raw: readonly Json[],
  from: { readonly made: (place: number) => string },
): Part[] | undefined {
  const joined = [...calls];
  const isAlone = calls.every(part => part.type !== "tool-call");
  let last = -1;
  for (const [place, entry] of raw.entries()) {
    const inner = isJsonObject(entry) ? entry["function"] : undefined;
    if (!isJsonObject(entry) || !isJsonObject(inner)) return undefined;
    if (isAlone) {
      const part = readOpenAi(entry, from.made(place));
      joined.push(withCall(part, { raw: templateOf(entry), list: false, entry: false }));
      continue;
    }
    const index = joined.findIndex((part, at) => at > last && isSameCall(part, entry, inner));
    const part = joined[index];
    if (part?.type !== "tool-call") return undefined;
    last = index;
    const text = inner["arguments"];
    const read = typeof text === "string" ? readInput(text) : {};
    const spelled = part.inputText === undefined && read.inputText !== undefined && isSameValue(read.input, part.input);
    joined[index] = withCall(spelled ? { ...part, inputText: read.inputText } : part, { raw: templateOf(entry) });
  }
  const again = joined.flatMap(part => {
    const { raw: template } = callHints(part);
    return part.type === "tool-call" && template ? [writeRaw(part, template)] : [];
  });
  return JSON.stringify(again) === JSON.stringify(raw) ? joined : undefined;
}

const isSameCall = (part: Part, entry: JsonObject, inner: JsonObject): boolean =>
  part.type === "tool-call" &&
  (entry["id"] ?? null) === (writtenId(part) ?? null) &&
  (inner["name"] ?? "") === part.name;

/** The form before `tool_calls`: one call, without an id. */
export function readFunctionCall(wire: JsonObject, callId: string): ToolCallPart | undefined {
  const name = memberOf(wire, "name");
  const text = memberOf(wire, "arguments");
  if (typeof name !== "string" || (text !== undefined && typeof text !== "string")) return undefined;
  const { function: template } = templateOf({ function: wire });
  const call = { raw: isJsonObject(template) ? template : {}, function: true, list: false, id: false };
  return {
    type: "tool-call",
    callId,
    name,
    ...(text !== undefined && readInput(text)),
    ...kept(family, undefined, hintsOfCall(call)),
  };
}
