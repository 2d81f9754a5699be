import { encode, encodeSse, isJsonObject, type Json, type Message, runAll, sseDecoder, transcode } from "translogue";
import { difference } from "./difference.ts";
import { generations, readChunks, refusedChunk } from "./generations.ts";
import { langchainConcat } from "./langchain-chunks.ts";
import { oracles } from "./oracles.ts";

type StreamFormat = "ai-sdk-ui" | "huajuan" | "openai-chat";

/**
 * A stream of one format, transcoded as bytes into the others and read there by the target's own client, is what the
 * whole messages are when they are converted (property 4).
 */
export async function transcodedEverywhere(
  format: StreamFormat,
  lines: readonly string[],
  messages: readonly Message[],
): Promise<string | undefined> {
  for (const generation of generations) {
    if (format === "ai-sdk-ui") break;
    const { chunks, isLossless } = transcoded(format, `ai-sdk-ui:${generation}`, lines);
    const refused = await refusedChunk(generation, chunks);
    if (refused) return `transcoded: ${refused}`;
    const { message, errors } = await readChunks(generation, chunks);
    const failed = messages.some(({ finish }) => finish?.reason === "error" || finish?.reason === "incomplete");
    if (errors.length > 0 && !failed) return `transcoded and read by ai ${generation}: ${errors.join("; ")}`;
    const { value } = encode({ messages }, { to: `ai-sdk-ui:${generation}`, shape: "messages", recipient: "client" });
    const whole = Array.isArray(value) ? value[0] : null;
    if (!isLossless || (message === undefined && saysNothing(whole))) continue;
    const reason = difference(said(message as Json), said(whole)); // a message is JSON
    if (reason !== undefined) return `transcoded and read by ai ${generation}: ${reason}`;
  }
  const added = transcoded(format, "langchain:js-lc", lines);
  const unlike = await langchainConcat(added.chunks, messages);
  if (added.isLossless && unlike !== undefined) return `transcoded and added up by LangChain: ${unlike}`;
  if (format === "openai-chat") return undefined;
  const { chunks, isLossless } = transcoded(format, "openai-chat", lines);
  const reason = await oracles["openai-chat"]?.(chunks, messages);
  return isLossless ? reason : undefined;
}

/** The readers make no message of a stream in which nothing is said. */
const saysNothing = (message: Json | undefined): boolean =>
  !JSON.stringify(message ?? null).match(/"type":"(?!step-start)/);

function transcoded(
  from: StreamFormat,
  to: Parameters<typeof transcode>[1],
  lines: readonly string[],
): { readonly chunks: Json[]; readonly isLossless: boolean } {
  const bytes = new TextEncoder().encode(lines.map(data => encodeSse({ data })).join(""));
  const machine = transcode(from, to);
  const output = runAll(machine, [bytes.subarray(0, 100), bytes.subarray(100)]);
  const chunks = runAll(sseDecoder(), output).flatMap(({ data }) =>
    data === "[DONE]" ? [] : [JSON.parse(data) as Json],
  ); // what we wrote
  // Where a stream had to give something up, it says so, and need not equal the whole.
  return { chunks, isLossless: machine.losses.every(({ code }) => bookkeeping.test(code)) };
}

/** Losses of a message's head, which the comparison leaves out. */
const bookkeeping = /^no-envelope$|^message\.|^finish$|^no-finish$|^step-finish$|^usage/;

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
