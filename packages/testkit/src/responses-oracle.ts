import type OpenAI from "openai";
import { ResponseStream } from "openai/lib/responses/ResponseStream";
import { encode, isJsonObject, type Json, type JsonObject, type Message } from "translogue";
import { difference } from "./difference.ts";
import { lastAnswer } from "./last-answer.ts";

/**
 * Compares the messages accumulated from the events of a Responses stream with the answer that the stream holds itself, and
 * with what the official SDK makes of the events. Its refusal counts only where the stream did not fail for us.
 */
export async function responsesOracle(
  wireEvents: readonly Json[],
  messages: readonly Message[],
): Promise<string | undefined> {
  const answer = lastAnswer(messages);
  const { value } = encode(
    { messages: answer },
    { to: "openai-responses", shape: "answer", recipient: "store", carry: false },
  );
  const held = heldBy(wireEvents);
  const own = held && difference(plain(value), plain(held));
  if (own !== undefined) return `the answer that the stream holds: ${own}`;
  const expected = await sdkResponse(wireEvents);
  if (typeof expected !== "string") return difference(plain(value), plain(expected as unknown as Json)); // a response is JSON
  const failed = messages.some(({ finish }) => finish?.reason === "error" || finish?.reason === "incomplete");
  // The SDK refuses hosts whose ids change from event to event, and streams of several answers; both hold their whole.
  return failed || held ? undefined : `the SDK refuses the stream (${expected}), and ours takes it for a success`;
}

/** What the official SDK accumulates, or why it does not. */
export async function sdkResponse(wireEvents: readonly Json[]): Promise<OpenAI.Responses.Response | string> {
  const lines = wireEvents.map(event => `${JSON.stringify(event)}\n`).join("");
  const stream = ResponseStream.fromReadableStream(new Blob([lines]).stream());
  stream.on("error", () => undefined);
  try {
    return await stream.finalResponse();
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** The last event's answer, where it repeats its output. */
function heldBy(wireEvents: readonly Json[]): JsonObject | undefined {
  const last = wireEvents.findLast(
    event => isJsonObject(event) && /^response\.(?:completed|incomplete|failed)$/.test(String(event["type"])),
  );
  const response = isJsonObject(last) ? last["response"] : undefined;
  if (!isJsonObject(response)) return undefined;
  const { output } = response;
  return Array.isArray(output) && output.length > 0 ? response : undefined;
}

/** What the SDK adds to what its types declare of the wire. */
const added: ReadonlySet<string> = new Set(["output_text", "parsed", "parsed_arguments", "output_parsed"]);

/** Null, empty and absent are one: the SDK fills in what a host leaves out. */
function plain(value: unknown): Json {
  if (Array.isArray(value)) return value.map(plain);
  if (!isJsonObject(value)) return (value ?? null) as Json; // JSON all through
  const members = Object.entries(value).flatMap(([key, member]) => {
    const isNothing = member === null || (Array.isArray(member) && member.length === 0);
    return added.has(key) || isNothing ? [] : [[key, plain(member)] as const];
  });
  return Object.fromEntries(members);
}
