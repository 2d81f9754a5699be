import { Reader } from "../../codec/reader.ts";
import { kept } from "../../codec/remainder.ts";
import { isJsonObject, type Json, type JsonObject } from "../../model/json.ts";
import type { FilePart, Part, ToolCallPart } from "../../model/parts.ts";
import { readReasoningItem, readSignatures } from "./beside-seals.ts";
import { callHints, isBlock, withCall, writtenId } from "./call-hints.ts";
import { mergeEntry, readEntry } from "./calls.ts";
import { collapseJs } from "./chunk-calls.ts";
import { keyOrder } from "./content-order.ts";
import { type Read, type Reading, readContentOf } from "./decode.ts";
import { joinRaw, readFunctionCall } from "./raw-calls.ts";
import { family } from "./wire.ts";

/**
 * An answer: its content, what adapters put beside it, and its calls. A call that has a block stands where its block does,
 * the others follow everything else.
 */
export function readAssistant(reading: Reading): Read {
  const { reader, form } = reading;
  const name = reader.string("name");
  const beside = form.container === "dict" ? reader : reading.kwargs;
  const reasoning = readText(beside, "reasoning_content");
  const content = readContentOf(reading);
  const isDict = form.container === "dict";
  const item = isDict ? [] : readReasoningItem(reading.kwargs, content.parts, form.language);
  const refusal = readText(beside, "refusal");
  const speech = readSpeech(beside);
  const calls = readCalls(reading, content.parts);
  const functionCall = readLegacy(beside, reading, calls.content.length + calls.parts.length);
  const said = [
    ...(reasoning === undefined ? [] : [placedBeside({ type: "reasoning", text: reasoning }, "reasoning_content")]),
    ...item,
    ...calls.content,
    ...(refusal === undefined ? [] : [placedBeside({ type: "refusal", text: refusal }, "refusal")]),
    ...(speech ? [speech] : []),
    ...calls.parts,
    ...(functionCall ? [functionCall] : []),
  ];
  const parts = isDict ? said : readSignatures(reading.kwargs, said);
  askAll(parts, reading);
  return {
    head: { role: "assistant", ...(name !== undefined && { author: { name } }) },
    parts,
    hints: { ...content.hints, ...calls.hints },
  };
}

/** A part that stands in `additional_kwargs`, under this name. */
const placedBeside = (part: Part, member: string): Part => ({
  ...part,
  ...kept(family, undefined, { $kwarg: member }),
});

function readText(reader: Reader, member: string): string | undefined {
  const text = reader.peek(member);
  if (typeof text !== "string" || text === "") return undefined;
  reader.take(member);
  return text;
}

/** OpenAI's spoken answer. */
function readSpeech(reader: Reader): Part | undefined {
  const wire = reader.peek("audio");
  const inner = isJsonObject(wire) ? new Reader(wire) : undefined;
  const id = inner?.string("id");
  const data = inner?.string("data");
  if (!inner || id === undefined || id === "") return undefined;
  reader.take("audio");
  const text = inner.string("transcript");
  const rest = inner.rest();
  const order = keyOrder(wire as JsonObject, {
    id,
    ...(data !== undefined && { data }),
    ...(text !== undefined && { transcript: text }),
    ...rest,
  });
  const file: FilePart = {
    type: "file",
    mediaType: "audio/*",
    ...(data === undefined ? { source: { id, provider: "openai" } } : { id, source: { data } }),
    ...(text !== undefined && { text }),
  };
  const hints = { $kwarg: "audio", ...(order && { $order: order }), ...(rest && { $$audio: rest }) };
  return { ...file, ...kept(family, undefined, hints) };
}

interface Calls {
  readonly content: readonly Part[];
  /** Those that no block has. */
  readonly parts: readonly Part[];
  readonly hints: JsonObject;
}

function readCalls(reading: Reading, content: readonly Part[]): Calls {
  const { kwargs } = reading;
  const valid = readList(reading, "tool_calls", content.length);
  const entries = [...valid, ...readList(reading, "invalid_tool_calls", content.length + valid.length)];
  const { merged, parts, order } = mergeAll(content, entries.length > 0 ? entries : readChunks(reading, content));
  const raw = kwargs.peek("tool_calls");
  if (!Array.isArray(raw) || raw.length === 0) return { content: merged, parts, hints: order };
  const all = [...merged, ...parts];
  const made = (place: number): string => `~${reading.scope.index}.${content.length + parts.length + place}`;
  const joined = joinRaw(all, raw, { made });
  if (!joined) return { content: merged, parts, hints: order };
  kwargs.take("tool_calls");
  return { content: joined.slice(0, merged.length), parts: joined.slice(merged.length), hints: order };
}

/** Fragments of calls that no list tells of: what they make so far. */
function readChunks({ reader, scope, form }: Reading, content: readonly Part[]): Part[] {
  const chunks = reader.peek("tool_call_chunks");
  if (!Array.isArray(chunks) || chunks.length === 0 || content.some(({ type }) => type === "tool-call")) return [];
  const derived = collapseJs(chunks);
  const entries = (["tool_calls", "invalid_tool_calls"] as const).flatMap(list =>
    derived[list].map(entry => ({ entry, list })),
  );
  return entries.map(({ entry, list }, index) => {
    const from = {
      list,
      language: form.language,
      path: [...scope.path, "tool_call_chunks"],
      made: `~${scope.index}.${content.length + index}`,
      issue: () => {},
    };
    return withCall(readEntry(entry, from), { list: false });
  });
}

function readList({ reader, form, scope }: Reading, list: "tool_calls" | "invalid_tool_calls", from: number): Part[] {
  const wire = reader.peek(list);
  if (!Array.isArray(wire)) {
    if (wire !== undefined && wire !== null) {
      scope.context.issue(`unknown-${list}`, [...scope.path, list], "expected a list; kept as it is");
    }
    return [];
  }
  reader.take(list);
  return wire.map((entry: Json, index) =>
    readEntry(entry, {
      list,
      language: form.language,
      path: [...scope.path, list, index],
      made: `~${scope.index}.${from + index}`,
      isDict: form.container === "dict" && list === "tool_calls",
      issue: (code, path, message) => scope.context.issue(code, path, message),
    }),
  );
}

/** Each entry goes to the block of its call, the n-th to the n-th of an id and name; a block that no entry tells of says so. */
function mergeAll(
  content: readonly Part[],
  entries: readonly Part[],
): {
  readonly merged: readonly Part[];
  readonly parts: readonly Part[];
  readonly order: JsonObject;
} {
  const isCall = (part: Part): part is ToolCallPart => part.type === "tool-call" && part.executedBy !== "provider";
  if (!content.some(isCall)) return { merged: content, parts: entries, order: {} };
  const blocks = new Map<string, number[]>();
  content.forEach((part, place) => {
    if (!isCall(part)) return;
    const key = keyOf(part);
    const places = blocks.get(key);
    if (places) places.push(place);
    else blocks.set(key, [place]);
  });
  const merged = [...content];
  const unnamed = new Map<string, number[]>();
  content.forEach((part, place) => {
    if (!isCall(part) || writtenIdOf(part) !== null) return;
    const key = sameCallKey(part);
    const places = unnamed.get(key);
    if (places) places.push(place);
    else unnamed.set(key, [place]);
  });
  const told = new Map<number, number>();
  const takeUnnamed = (entry: Part): number | undefined => {
    const places = entry.type === "tool-call" ? unnamed.get(sameCallKey(entry)) : undefined;
    let place = places?.shift();
    while (place !== undefined && told.has(place)) place = places?.shift();
    return place;
  };
  const parts: Part[] = [];
  const places: number[] = [];
  entries.forEach((entry, position) => {
    const place = entry.type === "tool-call" ? (blocks.get(keyOf(entry))?.shift() ?? takeUnnamed(entry)) : undefined;
    const block = place === undefined ? undefined : merged[place];
    if (place === undefined || !block || !isCall(block) || entry.type !== "tool-call") {
      places.push(content.length + parts.length);
      parts.push(entry);
      return;
    }
    merged[place] = mergeEntry(block, entry);
    told.set(place, position);
    places.push(place);
  });
  merged.forEach((part, place) => {
    if (isCall(part) && !told.has(place)) merged[place] = withCall(part, { list: false });
  });
  // Calls that do not parse have a list of their own, after the others.
  const listed = places.filter((_, position) => callHints(entries[position] as Part).list !== "invalid_tool_calls"); // places are those of the entries
  const sorted = [...listed].sort((a, b) => a - b);
  const isSorted = listed.every((place, index) => place === sorted[index]);
  return { merged, parts, order: isSorted ? {} : { $order: listed.map(place => sorted.indexOf(place)) } };
}

/** Google's blocks of calls have no ids, which LangChain makes: the entry of the same tool and arguments is the block's. */
const sameCallKey = ({ name, input }: ToolCallPart): string => JSON.stringify([name, input ?? null]);

const keyOf = (part: ToolCallPart): string => JSON.stringify([writtenIdOf(part), part.name]);

/** Blocks and entries of calls without an id are the same call. */
const writtenIdOf = (part: ToolCallPart): Json =>
  part.callId.startsWith("~") ? ((isBlock(part) ? undefined : writtenId(part)) ?? null) : part.callId;

function readLegacy(reader: Reader, { scope }: Reading, place: number): ToolCallPart | undefined {
  const wire = reader.peek("function_call");
  const part = isJsonObject(wire) ? readFunctionCall(wire, `~${scope.index}.${place}`) : undefined;
  if (!part) return undefined;
  reader.take("function_call");
  return part;
}

/** Calls that have no id wait for the results that have none. */
function askAll(parts: readonly Part[], { scope }: Reading): void {
  for (const part of parts) {
    if (part.type !== "tool-call" || !part.callId.startsWith("~") || part.executedBy) continue;
    scope.unanswered.ask([callHints(part).function === true ? `function ${part.name}` : "tool"], part.callId);
  }
}
