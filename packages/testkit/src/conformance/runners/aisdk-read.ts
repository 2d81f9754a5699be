import {
  accumulate,
  decode,
  emit,
  encode,
  isJsonObject,
  type Json,
  runAll,
  sseDecoder,
  streamDecoder,
  streamEncoder,
} from "translogue";
import { difference } from "../../difference.ts";
import { type Generation, generations, readChunks, refusedChunk } from "../../generations.ts";
import { type CaseResult, claims, type FixtureFile, type Runner } from "../case.ts";
import { untag } from "./tags.ts";

const format = "ai-sdk-ui";

interface Case {
  readonly name: string;
  readonly [member: string]: Json;
}
type JsonRecord = { readonly [member: string]: Json };

const casesOf = (file: FixtureFile): Case[] => (JSON.parse(file.read()) as { cases: Case[] }).cases; // as the folder's README says

/** Chunks → message, as each generation's own reader makes it. */
export const aisdkRead: Runner = {
  name: "aisdk read",
  reads: file => file.folder === "aisdk" && file.kind === "read",
  async *run(file) {
    for (const each of casesOf(file)) {
      for (const generation of generations) {
        const out = member(each["out"], generation);
        if (isJsonObject(out)) yield await readCase(each, generation, out);
      }
    }
  },
};

async function readCase(each: Case, generation: Generation, out: JsonRecord): Promise<CaseResult> {
  const about = { format: `${format} read`, name: `${each.name} ${generation}` };
  const { sse } = each;
  if (typeof sse === "string") return await claims(about, [() => sseCase(sse, generation, out)]);
  const chunks = list(each["chunks"]).map(untag);
  if (each["chunk"] !== undefined)
    return await claims(about, [() => acceptCase(untag(each["chunk"] ?? null), generation)]);
  const lead = each["message"] === undefined ? [] : leadTo(untag(each["message"]), generation);
  const begun = untag(each["message"] ?? null);
  if (lead.length > 0 && sameState(lead, generation, begun) !== undefined)
    return await setAside(about, "continues a message", [() => survives([...lead, ...chunks], generation)]);
  const all = [...lead, ...chunks];
  const end = lead.length + faultIn(chunks, out);
  const states = list(out["states"]).map(state => ({
    end: lead.length + Number(member(state, "after")) + 1,
    message: member(state, "message"),
  }));
  const grows = [
    () => survives(all, generation),
    ...states
      .filter(state => state.end <= end)
      .map(state => () => sameState(all.slice(0, state.end), generation, state.message)),
  ];
  if (end < all.length) return await claims(about, [...grows, () => sameBefore(all.slice(0, end), generation)]);
  if (!isJsonObject(out["final"])) return await claims(about, [...grows, () => sameState(all, generation, null)]);
  if (out["valid"] !== true) return await setAside(about, "left invalid", grows);
  const final = untag(out["final"]);
  const same = [...grows, () => sameState(all, generation, final)];
  if (JSON.stringify(chunks).includes('"__proto__"')) return await setAside(about, "unsafe names", same);
  // What a stream tells of an error has no place in a message.
  if (list(out["errors"]).length > 0) return await claims(about, same);
  return await claims(about, [...same, () => rewrittenStream(all, generation, final)]);
}

/** The message that a stream goes on with, as the stream that had made it: its blocks are its own, and it has not ended. */
export function leadTo(message: Json, generation: Generation): readonly Json[] {
  const { conversation } = decode([message], { from: `${format}:${generation}`, shape: "messages" });
  const chunks = runAll(streamEncoder(`${format}:${generation}`, { recipient: "store" }), emit(conversation.messages));
  return chunks
    .filter(chunk => !["finish", "finish-step"].includes(String(member(chunk, "type"))))
    .map(chunk =>
      isJsonObject(chunk) && typeof chunk["id"] === "string" ? { ...chunk, id: `before-${chunk["id"]}` } : chunk,
    );
}

/** Set aside once all that can be said of it holds. */
async function setAside(
  about: { readonly format: string; readonly name: string },
  rule: string,
  list: Parameters<typeof claims>[1],
): Promise<CaseResult> {
  const result = await claims(about, list);
  return result.outcome.status === "failed" ? result : { ...about, outcome: { status: "set-aside", rule } };
}

/** The first chunk that the reader fails on, or that the transport before it would not let through; an error that the stream tells is none. */
function faultIn(chunks: readonly Json[], out: JsonRecord): number {
  const failed = list(out["errors"])
    .map(error => Number(member(error, "after")))
    .filter(index => member(chunks[index], "type") !== "error");
  const refused = list(out["rejectedByWireSchema"]).map(Number);
  return Math.min(chunks.length, ...failed, ...refused);
}

const reading = (chunks: readonly Json[], generation: Generation): ReturnType<typeof accumulate> =>
  accumulate(runAll(streamDecoder(`${format}:${generation}`), chunks));

const survives = (chunks: readonly Json[], generation: Generation): string | undefined =>
  reading(chunks, generation).length >= 0 ? undefined : "";

/** What ours has after these chunks. `null`: nothing that the SDK would tell. */
export function sameState(
  chunks: readonly Json[],
  generation: Generation,
  state: Json | undefined,
): string | undefined {
  const ours = lastOf(written(reading(chunks, generation), generation));
  if (state === null) return difference(list(member(ours, "parts")), []);
  return difference(ours, withoutUndefined(untag(state ?? null)));
}

/** Before a fault it is what the generation's own reader has. */
async function sameBefore(chunks: readonly Json[], generation: Generation): Promise<string | undefined> {
  const { message, errors } = await readChunks(generation, chunks);
  if (errors.length > 0) return `ai ${generation} fails before the fault: ${errors.join("; ")}`;
  return sameState(chunks, generation, message === undefined ? null : (message as Json)); // a message is JSON
}

/** Our messages, as this generation's UI messages. */
export function written(messages: ReturnType<typeof accumulate>, generation: Generation): Json {
  const { value } = encode(
    { messages },
    { to: `${format}:${generation}`, shape: "messages", recipient: "store", carry: false },
  );
  return value as Json; // the codec writes JSON
}

/** A reader that meets another message id begins anew, and has only the last message at the end. */
const lastOf = (messages: Json): Json => (Array.isArray(messages) ? (messages.at(-1) ?? null) : messages);

/** What we write for a generation passes its transport and reads as the same message. */
async function rewrittenStream(
  chunks: readonly Json[],
  generation: Generation,
  final: Json,
): Promise<string | undefined> {
  const events = runAll(streamDecoder(`${format}:${generation}`), chunks);
  const again = runAll(streamEncoder(`${format}:${generation}`, { recipient: "store" }), events);
  const refused = await refusedChunk(generation, again);
  if (refused) return refused;
  const { message, errors } = await readChunks(generation, again);
  if (errors.length > 0) return `ai ${generation} reading what we wrote: ${errors.join("; ")}`;
  if (message === undefined)
    return `ai ${generation} makes no message of what we wrote: ${JSON.stringify(again).slice(0, 300)}`;
  const reason = difference(withoutUndefined(message as Json), withoutUndefined(final)); // a message is JSON
  return reason === undefined ? undefined : `written again and read by ai ${generation}: ${reason}`;
}

/** Frames of a body, whole and byte by byte; as far as the SDK reads, it reads the same. */
function sseCase(text: string, generation: Generation, out: JsonRecord): string | undefined {
  const bytes = new TextEncoder().encode(text);
  // The SDK lets go of an event without the blank line that ends it.
  const read = (pieces: readonly Uint8Array[]) => runAll(sseDecoder({ flushLast: false }), pieces);
  const whole = read([bytes]);
  const single = read(Array.from(bytes, byte => Uint8Array.of(byte)));
  const chunks = whole
    .map(({ data }) => data)
    .filter(data => data !== "[DONE]")
    .map(jsonOf);
  const decoder = streamDecoder(`${format}:${generation}`);
  for (const chunk of chunks) if (chunk !== undefined) decoder.push(chunk);
  const expected = list(out["chunks"]).map(untag);
  const until = out["error"] === undefined ? chunks.length : expected.length;
  return difference(single, whole) ?? difference(chunks.slice(0, until), expected);
}

function jsonOf(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json; // JSON.parse gives JSON
  } catch {
    return undefined;
  }
}

/** A chunk alone: read without harm, and nothing that we write of it is refused by the generation. */
export async function acceptCase(chunk: Json, generation: Generation): Promise<string | undefined> {
  const events = runAll(streamDecoder(`${format}:${generation}`), [chunk]);
  return await refusedChunk(generation, runAll(streamEncoder(`${format}:${generation}`), events));
}

const member = (value: Json | undefined, key: string): Json | undefined =>
  isJsonObject(value) ? value[key] : undefined;
const list = (value: Json | undefined): readonly Json[] => (Array.isArray(value) ? value : []);
const withoutUndefined = (value: Json): Json => JSON.parse(JSON.stringify(value)) as Json; // JSON.parse gives JSON
