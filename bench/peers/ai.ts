import {
  convertToModelMessages,
  JsonToSseTransformStream,
  parsePartialJson,
  readUIMessageStream,
  type UIMessage,
  validateUIMessages,
} from "ai";
import { streamOf } from "../inputs.ts";

export async function readUi(chunks: readonly object[], message?: object): Promise<unknown> {
  let last: unknown;
  const stream = streamOf(chunks) as never; // chunks that it wrote itself
  for await (const each of readUIMessageStream({ stream, ...(message && { message: message as UIMessage }) }))
    last = each;
  return last;
}

export const uiText = (deltas: readonly string[]): object[] => [
  { type: "start", messageId: "m" },
  { type: "text-start", id: "0" },
  ...deltas.map(delta => ({ type: "text-delta", id: "0", delta })),
  { type: "text-end", id: "0" },
  { type: "finish" },
];

export const uiCall = (deltas: readonly string[]): object[] => [
  { type: "start", messageId: "m" },
  { type: "tool-input-start", toolCallId: "c", toolName: "write" },
  ...deltas.map(inputTextDelta => ({ type: "tool-input-delta", toolCallId: "c", inputTextDelta })),
  { type: "finish" },
];

export const toModel = (messages: readonly object[]): Promise<unknown> =>
  convertToModelMessages(messages as UIMessage[]);
export const validate = (messages: readonly object[]): Promise<unknown> => validateUIMessages({ messages });

export async function parsePartial(deltas: readonly string[]): Promise<unknown> {
  let text = "";
  let last: unknown;
  for (const delta of deltas) {
    text += delta;
    last = (await parsePartialJson(text)).value;
  }
  return last;
}

export async function write(chunks: readonly object[]): Promise<number> {
  const utf8 = new TextEncoder();
  let size = 0;
  const stream = streamOf(chunks).pipeThrough(new JsonToSseTransformStream());
  for await (const text of stream as unknown as AsyncIterable<string>) size += utf8.encode(text).length;
  return size;
}
