import {
  accumulate,
  decode,
  emit,
  isJsonObject,
  type Json,
  type JsonObject,
  type Message,
  type Part,
  runAll,
  streamDecoder,
  streamEncoder,
} from "translogue";
import { type ChunkRules, mergeChunks, parsePartialJson } from "translogue/langchain";
import { deepFreeze, difference } from "../../difference.ts";
import { langchainConcat } from "../../langchain-chunks.ts";
import { claims, type Runner } from "../case.ts";
import {
  asChunk,
  casesOf,
  chunkOf,
  clean,
  fieldsOf,
  isNamed,
  listOf,
  memberOf,
  ruled,
  said,
} from "./langchain-specs.ts";

/** Chunks of JavaScript: its rules give what it gives, and ours keep all that the chunks say. */
export const langchainMerge: Runner = {
  name: "langchain merge",
  reads: file => file.folder === "langchain" && file.kind === "merge",
  async *run(file) {
    for (const each of casesOf(file)) {
      const chunks = deepFreeze(listOf(each["chunks"]).map(chunkOf));
      const message = memberOf(each["result"], "message");
      const expected = message === undefined ? undefined : clean(fieldsOf(memberOf(message, "json")));
      yield await claims({ format: "langchain merge", name: each.name }, [
        () => merged(chunks, "js", expected),
        () => keepsAll(chunks),
        () => (chunks.every(isChunkOfAi) ? streamed(chunks) : undefined),
      ]);
    }
  },
};

/** The same chunks in both languages. */
export const langchainBothMerges: Runner = {
  name: "langchain merges of both languages",
  reads: file => isNamed(file, /^merge_cases\.json$/),
  async *run(file) {
    const cases = JSON.parse(file.read()) as { readonly [name: string]: JsonObject }; // as the folder's README says
    for (const [name, each] of Object.entries(cases)) {
      const chunks = deepFreeze(listOf(each["input"]));
      yield await claims({ format: "langchain merge", name }, [
        () => merged(chunks, "python", fine(each["py"])),
        () => merged(chunks, "js", fine(each["js"])),
        () => keepsAll(chunks),
        () => streamed(chunks),
      ]);
    }
  },
};

const fine = (result: Json | undefined): Json | undefined =>
  isJsonObject(result) && "__error__" in result ? undefined : result;

/** `expected`: the fields; undefined where the language throws. */
function merged(chunks: readonly Json[], rules: ChunkRules, expected: Json | undefined): string | undefined {
  let fields: Json;
  try {
    fields = fieldsOf(mergeChunks(chunks, { rules }).message);
  } catch (error) {
    if (expected === undefined) return undefined;
    throw error;
  }
  if (expected === undefined) return `${rules} throws, and ours does not`;
  const reason = difference(clean(fields), expected);
  return reason === undefined ? undefined : `by the rules of ${rules}: ${reason}`;
}

/** Every text, piece of arguments, name and id that a chunk says is in what ours makes of them. */
function keepsAll(chunks: readonly Json[]): string | undefined {
  const { message, issues } = mergeChunks(chunks);
  const text = JSON.stringify(fieldsOf(message));
  for (const [place, chunk] of chunks.entries()) {
    const fields = typeof chunk === "string" ? { content: chunk } : fieldsOf(chunk);
    const isTold = issues.some(({ wirePath }) => wirePath?.[0] === place);
    for (const said of [
      fields["content"],
      fields["tool_call_chunks"],
      fields["tool_calls"],
      fields["artifact"],
    ].flatMap(textsOf)) {
      if (!isTold && !text.includes(JSON.stringify(said).slice(1, -1))) return `lost of chunk ${place}: ${said}`;
    }
  }
  return undefined;
}

/** All strings of a value but the types of its blocks. */
function textsOf(value: Json | undefined): string[] {
  if (typeof value === "string") return [value];
  if (Array.isArray(value)) return value.flatMap(textsOf);
  if (!isJsonObject(value)) return [];
  return Object.entries(value).flatMap(([key, member]) => (key === "type" ? [] : textsOf(member)));
}

/** A stream of the chunks is read as the message that they are together, and written so that LangChain adds it up again. */
async function streamed(chunks: readonly Json[]): Promise<string | undefined> {
  // JavaScript has no word for the last chunk, and cases need not tell a reason to stop.
  const messages = accumulate(
    runAll(streamDecoder("langchain"), [...chunks, asChunk({ content: "", chunk_position: "last" })]),
  );
  const [message, ...others] = messages;
  if (!message || others.length > 0) return undefined; // ids of two messages
  const whole = wholeOf(chunks);
  const reason = difference(said(message), said(whole));
  const told = reason && (difference(apart(message), apart(whole)) ?? beginsElsewhere(message, chunks));
  if (told !== undefined) return `the stream reads as something else than the whole: ${told}`;
  return await addedUp(messages);
}

/** The whole has its calls in lists behind the content, those that parse first; in a stream a call stands where it began. */
function apart(message: Message | undefined): Json {
  const parts = listOf(memberOf(said(message), "parts"));
  const isCall = (part: Json): boolean => Array.isArray(part) && part[0] === "tool-call";
  const calls = parts.filter(isCall).map(call => JSON.stringify(call));
  return { role: message?.role ?? null, calls: calls.sort(), others: parts.filter(part => !isCall(part)) };
}

const isCallPart = ({ type }: { readonly type: string }): boolean => type === "tool-call";
const kindsOf = (message: Message | undefined): Json =>
  (message?.parts ?? []).map(part => (isCallPart(part) ? "call" : "other"));

/** Calls and other parts in the order in which the chunks begin them; within a chunk the content is before the calls. */
export function begunKinds(chunks: readonly Json[]): Json {
  const kinds: Json[] = [];
  for (const count of chunks.keys()) {
    const parts = wholeOf(chunks.slice(0, count + 1))?.parts ?? [];
    const calls = parts.filter(isCallPart).length - kinds.filter(kind => kind === "call").length;
    const others = parts.length - kinds.length - calls;
    kinds.push(...Array<Json>(Math.max(0, others)).fill("other"), ...Array<Json>(Math.max(0, calls)).fill("call"));
  }
  return kinds;
}

/**
 * What stands beside the content, or in the lists alone, has a place of its own, whenever it came. And a call among the blocks
 * of a chunk may stand before its texts: then only how many of each have begun is known.
 */
function beginsElsewhere(message: Message, chunks: readonly Json[]): string | undefined {
  const inContent = chunks.some(chunk =>
    wholeOf([asChunk({ content: fieldsOf(chunk)["content"] ?? "" })])?.parts.some(isCallPart),
  );
  const listed = listedIds(chunks);
  const isPlaced = (part: Part): boolean =>
    !isBeside(part) &&
    !(part.type === "tool-call" && (listed.has(part.callId) || (isMade(part.callId) && listed.has(`~${part.name}`))));
  const parts = message.parts.filter(isPlaced);
  const exact = difference(kindsOf(message), begunKinds(chunks));
  if (exact === undefined || (!inContent && parts.length === message.parts.length)) return exact;
  for (const count of chunks.keys()) {
    const begun = (wholeOf(chunks.slice(0, count + 1))?.parts ?? []).filter(isPlaced);
    const reason = difference(counted(parts.slice(0, begun.length)), counted(begun));
    if (reason !== undefined) return `after chunk ${count}: ${reason}`;
  }
  return undefined;
}

const isBeside = ({ native }: Part): boolean => {
  const { $kwarg, $call } = native?.["langchain"] ?? {};
  return $kwarg !== undefined || memberOf($call, "function") === true;
};

/** Of calls that stand in a list of a chunk, and in no fragment: their ids, or their names. */
function listedIds(chunks: readonly Json[]): ReadonlySet<Json> {
  const ids = (member: string): readonly Json[] =>
    chunks.flatMap(chunk =>
      listOf(fieldsOf(chunk)[member]).map(
        call => memberOf(call, "id") || `~${String(memberOf(call, "name") ?? "")}`, // no id is no word for one
      ),
    );
  const told = new Set(ids("tool_call_chunks"));
  return new Set([...ids("tool_calls"), ...ids("invalid_tool_calls")].filter(id => !told.has(id)));
}

const isMade = (id: string): boolean => id.startsWith("~");

const counted = (parts: Message["parts"]): Json => ({
  calls: parts.filter(isCallPart).length,
  others: parts.filter(part => !isCallPart(part)).length,
});

const wholeOf = (chunks: readonly Json[]): Message | undefined =>
  decode(asMessage(mergeChunks(chunks).message), { from: "langchain", shape: "message" }).conversation.messages[0];

async function addedUp(messages: readonly Message[]): Promise<string | undefined> {
  const encoder = streamEncoder("langchain:js-lc", { recipient: "client" });
  const wires = runAll(encoder, emit(messages));
  if (encoder.losses.length > 0) return undefined; // it says what it gave up
  const reason = await langchainConcat(wires, messages);
  return reason === undefined ? undefined : `written again and added up by LangChain: ${reason}`;
}

function asMessage(chunk: JsonObject): JsonObject {
  const { tool_call_chunks: _, chunk_position: __, content = "", ...fields } = fieldsOf(chunk);
  const blocks = Array.isArray(content) ? content.map(withoutIndex) : content;
  return {
    lc: 1,
    type: "constructor",
    id: ["langchain_core", "messages", "AIMessage"],
    kwargs: { ...fields, content: blocks },
  };
}

function withoutIndex(block: Json): Json {
  if (!isJsonObject(block) || block["index"] === null || block["index"] === undefined) return block;
  const { index: _, ...others } = block;
  return others;
}

/** Beginnings of JSON, as each language reads them. */
export const langchainPartialJson: Runner = {
  name: "langchain partial JSON",
  reads: file => isNamed(file, /^partial_json\.json$/),
  async *run(file) {
    for (const each of JSON.parse(file.read()) as JsonObject[]) {
      const { input, py_parse: python, js_parse: js } = each;
      if (typeof input !== "string") continue;
      yield await claims({ format: "langchain partial JSON", name: JSON.stringify(input) }, [
        () => difference(parsePartialJson(input, "python") ?? null, parsedOf(python)),
        () => difference(parsePartialJson(input, "js") ?? null, clean(parsedOf(js))),
        () => lossless(input, parsedOf(python), clean(parsedOf(js))),
      ]);
    }
  },
};

const parsedOf = (result: Json | undefined): Json =>
  Array.isArray(result) && result[0] === "ok" ? ((result[1] as Json | undefined) ?? null) : null; // a pair of JSON

/** Where both languages read the same, so does ours. */
function lossless(input: string, python: Json, js: Json): string | undefined {
  return difference(python, js) === undefined ? difference(parsePartialJson(input) ?? null, python) : undefined;
}

const isChunkOfAi = (chunk: Json): boolean => JSON.stringify(memberOf(chunk, "id") ?? null).includes("AIMessageChunk");

// answers of providers' adapters

/** The chunks that LangChain's adapters make of recorded answers. */
export const langchainAnswers: Runner = {
  name: "langchain answers",
  reads: file => file.folder === "langchain" && file.kind === "response",
  async *run(file) {
    for (const each of casesOf(file)) {
      const about = { format: "langchain answer", name: each.name };
      const chunks = listOf(clean(memberOf(each["stream"], "chunks") ?? [])).map(asChunk);
      const whole = fieldsOf(memberOf(memberOf(each["stream"], "merged"), "json"));
      if (chunks.length === 0) yield ruled(about, "no chunks");
      else {
        yield await claims(about, [
          () => merged(chunks, "js", clean(whole)),
          () => keepsAll(chunks),
          () => streamed(chunks),
        ]);
      }
    }
  },
};
