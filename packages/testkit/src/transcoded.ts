import { encode, encodeSse, isJsonObject, type Json, type Message, runAll, sseDecoder, transcode } from "translogue";
import { difference } from "./difference.ts";
import { generations, readChunks, refusedChunk } from "./generations.ts";
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
    const chunks = transcoded(format, `ai-sdk-ui:${generation}`, lines);
    const refused = await refusedChunk(generation, chunks);
    if (refused) return `transcoded: ${refused}`;
    const { message, errors } = await readChunks(generation, chunks);
    const failed = messages.some(({ finish }) => finish?.reason === "error" || finish?.reason === "incomplete");
    if (errors.length > 0 && !failed) return `transcoded and read by ai ${generation}: ${errors.join("; ")}`;
    const { value } = encode({ messages }, { to: `ai-sdk-ui:${generation}`, shape: "messages", recipient: "client" });
    const reason = difference(said(message as Json), said(Array.isArray(value) ? value[0] : null)); // a message is JSON
    if (reason !== undefined) return `transcoded and read by ai ${generation}: ${reason}`;
  }
  if (format === "openai-chat") return undefined;
  return await oracles["openai-chat"]?.(transcoded(format, "openai-chat", lines), messages);
}

function transcoded(from: StreamFormat, to: Parameters<typeof transcode>[1], lines: readonly string[]): Json[] {
  const bytes = new TextEncoder().encode(lines.map(data => encodeSse({ data })).join(""));
  const output = runAll(transcode(from, to), [bytes.subarray(0, 100), bytes.subarray(100)]);
  return runAll(sseDecoder(), output).flatMap(({ data }) => (data === "[DONE]" ? [] : [JSON.parse(data) as Json])); // what we wrote
}

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
