/** Results of calls that were refused: MAF tells a model of a refusal by a result that does not say so. */

import type { Message } from "../../model/conversation.ts";
import type { Part, ToolResultPart } from "../../model/parts.ts";

/** Which results follow the refusal of their call, part by part in the order of the messages. */
export class Refusals {
  readonly #asked = new Map<string, string>();
  readonly #refused = new Set<string>();

  /** Whether the part is such a result, and says something or was known to deny it. */
  take(part: Part): boolean {
    if (part.type === "approval-request") {
      this.#asked.set(part.requestId, part.callId);
      this.#refused.delete(part.callId);
    } else if (part.type === "approval-response") {
      const callId = part.callId ?? this.#asked.get(part.requestId);
      if (callId === undefined) return false;
      if (part.approved) this.#refused.delete(callId);
      else this.#refused.add(callId);
    } else if (part.type === "tool-result") {
      return this.#refused.delete(part.callId) && (part.outcome === "denied" || saysSomething(part));
    }
    return false;
  }
}

/** The results that follow the refusal of their call. */
export function refusedResults(messages: readonly Message[]): ReadonlySet<ToolResultPart> {
  const refusals = new Refusals();
  const found = new Set<ToolResultPart>();
  for (const part of messages.flatMap(({ parts }) => parts)) {
    if (refusals.take(part) && part.type === "tool-result") found.add(part);
  }
  return found;
}

const saysSomething = ({ output = [] }: ToolResultPart): boolean => output.some(part => !isNothing(part));

const isNothing = (part: Part): boolean => part.type === "data" && part.data === null;

/** The messages as they were read, with the results of refused calls as denials. */
export function withDenials(messages: readonly Message[]): readonly Message[] {
  const refused = refusedResults(messages);
  if (refused.size === 0) return messages;
  return messages.map(message => {
    if (!message.parts.some(part => part.type === "tool-result" && refused.has(part))) return message;
    const parts = message.parts.map(part =>
      part.type === "tool-result" && refused.has(part) ? { ...part, outcome: "denied" as const } : part,
    );
    return { ...message, parts };
  });
}
