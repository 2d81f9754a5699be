import { BetaMessageStream } from "@anthropic-ai/sdk/lib/BetaMessageStream";
import type { BetaMessage } from "@anthropic-ai/sdk/resources/beta/messages";
import { encode, isJsonObject, type Json, type JsonObject, type Message } from "translogue";
import { difference } from "./difference.ts";
import { lastAnswer } from "./last-answer.ts";

/** Compares the messages accumulated from the events of a Messages stream with what the official SDK makes of the events. */
export async function anthropicOracle(
  wireEvents: readonly Json[],
  messages: readonly Message[],
): Promise<string | undefined> {
  const answer = lastAnswer(messages);
  const { value } = encode(
    { messages: answer },
    { to: "anthropic-messages", shape: "answer", recipient: "store", carry: false },
  );
  const expected = await sdkMessage(ofLastMessage(wireEvents));
  const unread = new Set(
    answer.slice(0, 1).flatMap(({ parts }) => parts.flatMap((part, index) => (isUnreadCall(part) ? [index] : []))),
  );
  if (typeof expected !== "string") {
    return difference(withoutInputs(plain(value), unread), withoutInputs(plain(expected), unread));
  }
  const failed = messages.some(({ finish }) => finish?.reason === "error" || finish?.reason === "incomplete");
  return failed || unread.size > 0
    ? undefined
    : `the SDK refuses the stream (${expected}), and ours takes it for a success`;
}

/** The SDK refuses arguments that are no JSON, or makes what it can of them; ours keeps them as text. */
const isUnreadCall = (part: Message["parts"][number]): boolean => part.type === "tool-call" && part.input === undefined;

function withoutInputs(message: Json, places: ReadonlySet<number>): Json {
  if (places.size === 0 || !isJsonObject(message) || !Array.isArray(message["content"])) return message;
  const content = message["content"].map((block: Json, index) =>
    places.has(index) && isJsonObject(block) ? { ...block, input: {} } : block,
  );
  return { ...message, content };
}

/** What the official SDK accumulates, or why it does not. */
export async function sdkMessage(wireEvents: readonly Json[]): Promise<BetaMessage | string> {
  const lines = wireEvents.map(event => `${JSON.stringify(event)}\n`).join("");
  const stream = BetaMessageStream.fromReadableStream(new Blob([lines]).stream());
  stream.on("error", () => undefined);
  try {
    return await stream.finalMessage();
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** The SDK refuses a message that another begins in the middle of; the last one is the answer. */
function ofLastMessage(wireEvents: readonly Json[]): readonly Json[] {
  const start = wireEvents.findLastIndex(event => isJsonObject(event) && event["type"] === "message_start");
  return start < 0 ? wireEvents : wireEvents.slice(start);
}

/** Counts that the SDK takes from the end of a stream; it leaves others there as they were at its beginning. */
const counted: readonly string[] = [
  "input_tokens",
  "output_tokens",
  "cache_creation_input_tokens",
  "cache_read_input_tokens",
  "server_tool_use",
  "iterations",
  "fallback_credit",
  "output_tokens_details",
];

/** Null, empty and absent are one: the SDK leaves out what an event does not repeat. */
function plain(value: unknown, member = ""): Json {
  if (Array.isArray(value)) return value.map(item => plain(item));
  if (!isJsonObject(value)) return (value ?? null) as Json; // JSON all through
  const members = Object.entries(value as JsonObject).flatMap(([key, inner]) => {
    const isNothing =
      inner === undefined || inner === null || inner === "" || (Array.isArray(inner) && inner.length === 0);
    const isSkipped = member === "usage" && !counted.includes(key);
    return isNothing || isSkipped ? [] : [[key, plain(inner, key)] as const];
  });
  return Object.fromEntries(members);
}
