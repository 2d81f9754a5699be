import { handleUniversalStreamRequest, parseOpenAIStream, translateBetweenProviders } from "llm-bridge";
import { streamOf } from "../inputs.ts";

export async function read(bytes: readonly Uint8Array[]): Promise<number> {
  let count = 0;
  for await (const _ of parseOpenAIStream(streamOf(bytes))) count++;
  return count;
}

export const transcoded = (source: ReadableStream): ReadableStream<Uint8Array> =>
  handleUniversalStreamRequest(source, "openai", "anthropic");

export async function transcode(bytes: readonly Uint8Array[]): Promise<number> {
  let size = 0;
  for await (const each of transcoded(streamOf(bytes)) as unknown as AsyncIterable<Uint8Array>) size += each.length;
  return size;
}

export const translate = (messages: readonly object[]): unknown =>
  translateBetweenProviders("openai", "anthropic", { model: "m", messages } as never); // its own type of the body
