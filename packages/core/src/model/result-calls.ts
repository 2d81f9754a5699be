import type { Message } from "./conversation.ts";
import { pairResults } from "./pairing.ts";
import type { ToolCallPart, ToolResultPart } from "./parts.ts";

/**
 * Which call each result is about: the one that it answers (R9). A second result of a call answers none, but is of its kind, and so is
 * one that stands before its call.
 */
export function callsOfResults(messages: readonly Message[]): (result: ToolResultPart) => ToolCallPart | undefined {
  const about = new Map(pairResults(messages));
  const answered = new Map<string, ToolCallPart>();
  const calls = new Map<string, ToolCallPart>();
  for (const { parts } of messages) {
    for (const part of parts) {
      if (part.type === "tool-call") calls.set(part.callId, part);
      if (part.type !== "tool-result") continue;
      const call = about.get(part) ?? answered.get(part.callId);
      if (!call) continue;
      about.set(part, call);
      answered.set(part.callId, call);
    }
  }
  return result => about.get(result) ?? calls.get(result.callId);
}
