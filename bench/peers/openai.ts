import OpenAI from "openai";
import { Stream } from "openai/core/streaming";
import { ChatCompletionStream } from "openai/lib/ChatCompletionStream";
import { lines, responseOf, streamOf } from "../inputs.ts";

/** The stream helper over chunks that are lines of JSON. */
export function helper(chunks: readonly object[]): () => Promise<unknown> {
  const bytes = lines(chunks);
  return async () => await ChatCompletionStream.fromReadableStream(streamOf(bytes)).finalChatCompletion();
}

/** The whole client over a server's bytes, with its stream helper. */
export function client(bytes: readonly Uint8Array[]): () => Promise<unknown> {
  const api = new OpenAI({ apiKey: "k", baseURL: "http://127.0.0.1/v1", fetch: async () => responseOf(bytes) });
  const messages = [{ role: "user" as const, content: "hi" }];
  return async () => await api.chat.completions.stream({ model: "m", messages }).finalChatCompletion();
}

/** Its reader of server-sent events. */
export async function read(bytes: readonly Uint8Array[]): Promise<number> {
  let count = 0;
  for await (const _ of Stream.fromSSEResponse(responseOf(bytes), new AbortController())) count++;
  return count;
}

/** Objects → the bytes of its own stream. */
export async function write(chunks: readonly object[]): Promise<number> {
  const stream = new Stream(async function* () {
    yield* chunks;
  }, new AbortController());
  let size = 0;
  for await (const bytes of stream.toReadableStream() as unknown as AsyncIterable<Uint8Array>) size += bytes.length;
  return size;
}
