import * as messages from "@langchain/core/messages";
import { encode, isJsonObject, type Json, type JsonObject, type Message } from "translogue";
import { difference } from "./difference.ts";

interface RealMessage {
  concat?(other: unknown): RealMessage;
  toJSON(): unknown;
  readonly id?: string;
}
type RealClass = new (fields: object) => RealMessage;

/** The real message of a serialised one. */
export function realMessage(wire: Json): RealMessage {
  const id = isJsonObject(wire) ? wire["id"] : undefined;
  const kwargs = isJsonObject(wire) ? wire["kwargs"] : undefined;
  const name = Array.isArray(id) ? (id.at(-1) as string) : ""; // classes are named
  const classes = messages as unknown as { readonly [name: string]: RealClass }; // the module's classes, by name
  const Class = classes[name];
  if (!Class || !isJsonObject(kwargs))
    throw new Error(`no message of LangChain's: ${JSON.stringify(wire).slice(0, 200)}`);
  return new Class(structuredClone(kwargs));
}

/** Chunks as JavaScript adds them up: a message for each run of one class; what is no chunk stands for itself. */
export function concatenated(wires: readonly Json[]): JsonObject[] {
  const sums: RealMessage[] = [];
  for (const wire of wires) {
    const next = realMessage(wire);
    const last = sums.at(-1);
    const continues =
      last?.concat && last.constructor === next.constructor && (last.id ?? next.id) === (next.id ?? last.id);
    if (last && continues) sums[sums.length - 1] = last.concat?.(next) ?? next;
    else sums.push(next);
  }
  return sums.map(sum => fieldsOf(JSON.parse(JSON.stringify(sum)) as Json)); // JSON.parse gives JSON
}

/** Chunks that we wrote, added up by the real package, are the messages written whole. */
export async function langchainConcat(
  wires: readonly Json[],
  expected: readonly Message[],
): Promise<string | undefined> {
  const { value } = encode(
    { messages: expected },
    { to: "langchain:js-lc", shape: "messages", recipient: "client", carry: false },
  );
  const whole = (Array.isArray(value) ? (value as Json[]) : []).map(fieldsOf);
  return difference(plain(concatenated(wires).map(comparable)), plain(whole.map(comparable)));
}

const plain = (value: Json): Json =>
  JSON.parse(JSON.stringify(value), (key, member: Json) => (key === "__proto__" ? undefined : member)) as Json; // JSON.parse gives JSON

const fieldsOf = (wire: Json): JsonObject => (isJsonObject(wire) && isJsonObject(wire["kwargs"]) ? wire["kwargs"] : {});

/**
 * What both forms say. `concat` drops the name, texts without words and keys that reach a prototype, adds empty details to
 * usage, and keeps the addresses of blocks.
 */
function comparable(fields: JsonObject): JsonObject {
  const { name: _, content = "", usage_metadata: usage, additional_kwargs, response_metadata, id } = fields;
  return {
    additional_kwargs: additional_kwargs ?? {},
    response_metadata: response_metadata ?? {},
    id: id ?? null,
    calls: callsOf(fields),
    content: (Array.isArray(content) ? content : [{ type: "text", text: content }])
      .map(plainBlock)
      .filter(saysSomething),
    usage_metadata: isJsonObject(usage) ? countsOf(usage) : null,
  };
}

const saysSomething = (block: Json): boolean =>
  !isJsonObject(block) || block["type"] !== "text" || block["text"] !== "";

/**
 * Calls with what their arguments are as JSON, or their text: `concat` reads a beginning of JSON as if it were whole. Those
 * that can be read stand before the others, as in a whole message's lists.
 */
function callsOf({ tool_call_chunks: chunks, tool_calls: valid, invalid_tool_calls: invalid }: JsonObject): Json {
  const lists = Array.isArray(chunks) && chunks.length > 0 ? [chunks] : [valid, invalid];
  const entries = lists.flatMap(list => (Array.isArray(list) ? (list as Json[]) : []));
  const calls = entries
    .filter(isJsonObject)
    .map(({ name, id, args }) => ({ name: name ?? "", id: id ?? null, args: argsOf(args ?? null) }));
  return [true, false].flatMap(isRead => calls.filter(({ args }) => isJsonObject(args) === isRead));
}

function argsOf(args: Json): Json {
  if (typeof args !== "string") return args ?? {};
  if (args.trim() === "") return {};
  try {
    return JSON.parse(args) as Json; // JSON.parse gives JSON
  } catch {
    return args;
  }
}

function plainBlock(block: Json): Json {
  if (typeof block === "string") return { type: "text", text: block };
  if (!isJsonObject(block)) return block;
  const { index: _, source_type: source, ...others } = block;
  // A text before a file of the first version becomes one of its blocks.
  return source === undefined || block["type"] === "text" ? others : { ...others, source_type: source };
}

/** The counts that `concat` knows; none where it made zeros of nothing. */
function countsOf({ input_tokens, output_tokens, total_tokens, ...details }: JsonObject): Json {
  const known = Object.entries(details).flatMap(([key, value]): [string, JsonObject][] =>
    /details$/.test(key) && isJsonObject(value) ? [[key, ofKnown(value)]] : [],
  );
  const told = known.filter(([, value]) => Object.keys(value).length > 0);
  const isNothing = !input_tokens && !output_tokens && !total_tokens && told.length === 0;
  return isNothing
    ? null
    : { input_tokens: input_tokens ?? 0, output_tokens: output_tokens ?? 0, ...Object.fromEntries(told) };
}

const ofKnown = (details: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(details).filter(([key]) => knownDetails.has(key)));

/** `mergeUsageMetadata` of @langchain/core 1.4 copies these, and no other. */
const knownDetails: ReadonlySet<string> = new Set([
  "audio",
  "cache_creation",
  "cache_read",
  "document",
  "image",
  "reasoning",
  "text",
  "video",
]);
