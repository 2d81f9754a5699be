import Anthropic from "@anthropic-ai/sdk";
import { Stream } from "@anthropic-ai/sdk/core/streaming";
import { MessageStream } from "@anthropic-ai/sdk/lib/MessageStream";
import { lines, responseOf, streamOf } from "../inputs.ts";

/** The stream helper over events that are lines of JSON. `listens`: somebody wants the arguments as they come. */
export function helper(events: readonly object[], listens = false): () => Promise<unknown> {
  const bytes = lines(events);
  return async () => {
    const stream = MessageStream.fromReadableStream(streamOf(bytes));
    if (listens) stream.on("inputJson", () => {});
    return await stream.finalMessage();
  };
}

/** The whole client over a server's bytes, with its stream helper. */
export function client(bytes: readonly Uint8Array[]): () => Promise<unknown> {
  const api = new Anthropic({ apiKey: "k", baseURL: "http://127.0.0.1", fetch: async () => responseOf(bytes) });
  const body = { model: "m", max_tokens: 9, messages: [{ role: "user" as const, content: "hi" }] };
  return async () => await api.messages.stream(body).finalMessage();
}

/** Its reader of server-sent events. */
export async function read(bytes: readonly Uint8Array[]): Promise<number> {
  let count = 0;
  for await (const _ of Stream.fromSSEResponse(responseOf(bytes), new AbortController())) count++;
  return count;
}
