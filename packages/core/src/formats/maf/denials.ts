/** Results of calls that were refused: MAF tells a model of a refusal by a result that does not say so. */

import type { Message } from "../../model/conversation.ts";
import type { Part, ToolResultPart } from "../../model/parts.ts";

/** The results that follow the refusal of their call, and say something or were known to deny it. */
export function refusedResults(messages: readonly Message[]): ReadonlySet<ToolResultPart> {
  const asked = new Map<string, string>();
  const refused = new Set<string>();
  const found = new Set<ToolResultPart>();
  for (const part of messages.flatMap(({ parts }) => parts)) {
    if (part.type === "approval-request") {
      asked.set(part.requestId, part.callId);
      refused.delete(part.callId);
    } else if (part.type === "approval-response") {
      const callId = part.callId ?? asked.get(part.requestId);
      if (callId === undefined) continue;
      if (part.approved) refused.delete(callId);
      else refused.add(callId);
    } else if (part.type === "tool-result") {
      if (refused.delete(part.callId) && (part.outcome === "denied" || saysSomething(part))) found.add(part);
    }
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
