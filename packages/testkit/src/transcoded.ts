import {
  accumulate,
  encode,
  type FormatId,
  findFormat,
  isJsonObject,
  type Json,
  type Loss,
  type Message,
  type Part,
  runAll,
  streamDecoder,
  transcode,
} from "translogue";
import { frames } from "translogue/convert";
import { difference } from "./difference.ts";
import { type Generation, generations, readChunks, refusedChunk } from "./generations.ts";
import { langchainConcat } from "./langchain-chunks.ts";
import { oracles } from "./oracles.ts";

type Target = Parameters<typeof transcode>[1];

/** An official client that reads a target's streams, and says how what it makes of chunks differs from the whole messages. */
interface Client {
  readonly target: Target;
  /** What the messages are written as when they are whole. */
  readonly shape: "messages" | "answer";
  read(chunks: readonly Json[], messages: readonly Message[]): Promise<string | undefined>;
}

const clients: readonly Client[] = [
  ...generations.map(
    (generation): Client => ({
      target: `ai-sdk-ui:${generation}`,
      shape: "messages",
      read: (chunks, messages) => readUi(generation, chunks, messages),
    }),
  ),
  { target: "langchain:js-lc", shape: "messages", read: langchainConcat },
  ...Object.entries(oracles).map(
    ([format, read]): Client => ({ target: format as FormatId, shape: "answer", read }), // oracles are by format
  ),
];

/**
 * A stream of one format, transcoded as bytes into the others and read there by the target's own client, is what the
 * whole messages are when they are converted (property 4).
 */
export async function transcodedEverywhere(
  format: FormatId,
  events: readonly Json[],
  messages: readonly Message[],
): Promise<string | undefined> {
  for (const { target, shape, read } of clients) {
    if (findFormat(target).codec.id === format) continue;
    const { chunks, losses, isCut } = transcoded(format, target, events);
    const reason = await read(chunks, messages);
    const whole = encode({ messages }, { to: target, shape, recipient: "client" });
    // What was cut ends in an error that the messages do not have.
    const isExcused = isCut || losses.some(loss => isOfStreams(loss, whole.losses));
    if (reason !== undefined && (!isExcused || isRefusal(reason))) return `transcoded to ${target}: ${reason}`;
    const lost =
      reason === undefined || isCut
        ? undefined
        : lostWords({ target, chunks, messages, losses: [...losses, ...whole.losses] });
    if (lost !== undefined) return `transcoded to ${target}, where no loss names it: ${lost}`;
  }
  return undefined;
}

interface Transcoded {
  readonly target: Target;
  readonly chunks: readonly Json[];
  readonly messages: readonly Message[];
  readonly losses: readonly Loss[];
}

/** What a stream with losses says less than the messages: words and calls of the parts that no loss names. */
function lostWords({ target, chunks, messages, losses }: Transcoded): string | undefined {
  const named = losses.map(({ path }) => path.slice(0, 4).join("."));
  const isNamed = (message: number, part: number): boolean =>
    named.some(path => path === `messages.${message}` || path === `messages.${message}.parts.${part}`);
  const read = accumulate(runAll(streamDecoder(target), chunks)).flatMap((message): readonly Part[] => message.parts);
  const heard = JSON.stringify(read);
  // What one format says around a call or a thought another says in one.
  const spoken = ["text", "reasoning"].map(type =>
    read.map(part => (part.type === type && "text" in part ? part.text : "")).join(""),
  );
  for (const [index, { parts }] of messages.entries())
    for (const [place, part] of parts.entries()) {
      const words = wordsOf(part);
      const isHeard = words.every(
        word => heard.includes(JSON.stringify(word).slice(1, -1)) || spoken.some(all => all.includes(word)),
      );
      if (!isHeard && !isNamed(index, place)) return `${part.type} ${JSON.stringify(words).slice(0, 80)}`;
    }
  return undefined;
}

function wordsOf(part: Part): readonly string[] {
  if (part.type === "text") return [part.text];
  if (part.type === "reasoning") return part.text === undefined ? [] : [part.text];
  if (part.type !== "tool-call") return [];
  const input = isJsonObject(part.input) ? Object.values(part.input) : [];
  return [part.name, ...input.filter(value => typeof value === "string")];
}

/** Where a stream had to give up more than the whole does, it says so, and need not equal it; but it is still a stream. */
const isOfStreams = ({ code }: Loss, ofWhole: readonly Loss[]): boolean =>
  !bookkeeping.test(code) && ofWhole.every(loss => loss.code !== code);

/** Losses of a message's head, which the comparison leaves out. */
const bookkeeping = /^no-envelope$|^message\.|^finish$|^no-finish$|^step-finish$|^usage/;

const isRefusal = (reason: string): boolean => reason.includes("refuses");

function transcoded(
  from: FormatId,
  to: Target,
  events: readonly Json[],
): { readonly chunks: readonly Json[]; readonly losses: readonly Loss[]; readonly isCut: boolean } {
  const [source, target] = [findFormat(from).codec.stream, findFormat(to).codec.stream];
  if (!source || !target) throw new Error(`no streams from ${from} to ${to}`);
  const bytes = Buffer.concat(runAll(frames.encoder(source), events));
  const machine = transcode(from, to);
  const output = runAll(machine, [bytes.subarray(0, 100), bytes.subarray(100)]);
  const isCut = machine.issues.some(({ code }) => code === "stream/cut");
  return { chunks: runAll(frames.decoder(target), output), losses: machine.losses, isCut };
}

async function readUi(
  generation: Generation,
  chunks: readonly Json[],
  messages: readonly Message[],
): Promise<string | undefined> {
  const refused = await refusedChunk(generation, chunks);
  if (refused) return refused;
  const { message, errors } = await readChunks(generation, chunks);
  const failed = messages.some(({ finish }) => finish?.reason === "error" || finish?.reason === "incomplete");
  if (errors.length > 0 && !failed) return `ai ${generation} refuses: ${errors.join("; ")}`;
  const { value } = encode({ messages }, { to: `ai-sdk-ui:${generation}`, shape: "messages", recipient: "client" });
  const whole = Array.isArray(value) ? value[0] : null;
  if (saysNothing(message as Json | undefined) && saysNothing(whole)) return undefined; // a message is JSON
  return difference(said(message as Json), said(whole)); // a message is JSON
}

/** The readers make no message of a stream in which nothing is said, or forget its last step. */
const saysNothing = (message: Json | undefined): boolean =>
  !JSON.stringify(message ?? null).match(/"type":"(?!step-start)/);

/** What a message says; its metadata and the ids of its streamed parts are made by the stream. */
function said(message: Json | undefined): Json {
  if (!isJsonObject(message)) return message ?? null;
  const parts = Array.isArray(message["parts"]) ? message["parts"] : [];
  return JSON.parse(JSON.stringify({ role: message["role"], parts: parts.map(withoutStreamId) })) as Json; // JSON.parse gives JSON
}

const withoutStreamId = (part: Json): Json => {
  if (!isJsonObject(part) || part["type"] !== "reasoning") return part;
  const { id, ...others } = part;
  void id;
  return others;
};
