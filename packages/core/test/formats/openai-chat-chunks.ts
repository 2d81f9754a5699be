import { ChatCompletionStream } from "openai/lib/ChatCompletionStream";
import {
  accumulate,
  type Event,
  emit,
  isJsonObject,
  type Json,
  type JsonObject,
  type Message,
  runAll,
  streamDecoder,
  streamEncoder,
} from "translogue";
import { format } from "./openai-chat-values.ts";

/** Short forms of chunks, and the official SDK that must agree with what we make of them. */
export const head = { id: "chatcmpl-1", object: "chat.completion.chunk", created: 1_764_500_000, model: "m" };
export const chunk = (delta: JsonObject, finish: string | null = null, more: JsonObject = {}): JsonObject => ({
  ...head,
  choices: [{ index: 0, delta, finish_reason: finish }],
  ...more,
});
export const first = chunk({ role: "assistant" });
export const calls = (...deltas: readonly JsonObject[]): JsonObject => chunk({ tool_calls: [...deltas] });
export const fn = (name: string, args: Json): JsonObject => ({ function: { name, arguments: args } });
export const args = (piece: Json): JsonObject => ({ function: { arguments: piece } });
export const stop = (reason = "stop"): JsonObject => chunk({}, reason);

export const events = (chunks: readonly Json[]): Event[] => runAll(streamDecoder(format), chunks);
export const read = (chunks: readonly Json[]): Message[] => accumulate(events(chunks));
export const write = (message: Message): Json[] => runAll(streamEncoder(format), emit([message]));

/** What the official SDK's helper makes of chunks: its final completion, or why it has none. */
export async function sdk(chunks: readonly Json[]): Promise<JsonObject | string> {
  const lines = chunks.map(each => `${JSON.stringify(each)}\n`).join("");
  const stream = ChatCompletionStream.fromReadableStream(new Blob([lines]).stream());
  stream.on("error", () => undefined);
  try {
    return JSON.parse(JSON.stringify(await stream.finalChatCompletion()));
  } catch (error) {
    return String(error);
  }
}

/** Members that the SDK's types declare and that it does not fill in by itself. */
export function declared(completion: JsonObject): unknown {
  const pick = (value: unknown, members: readonly string[]): JsonObject =>
    Object.fromEntries(
      Object.entries(isJsonObject(value) ? value : {}).filter(
        ([key, member]) => members.includes(key) && member !== null,
      ),
    );
  const message = ["role", "content", "refusal", "tool_calls", "function_call", "annotations", "audio"];
  return {
    ...pick(completion, ["id", "object", "created", "model", "system_fingerprint", "service_tier", "usage"]),
    choices: (completion["choices"] as JsonObject[]).map(choice => ({
      ...pick(choice, ["index", "finish_reason", "logprobs"]),
      message: pick(choice["message"], message),
    })),
  }; // a completion has choices
}
