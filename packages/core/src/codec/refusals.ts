import type { Message } from "../model/conversation.ts";
import type { Path } from "../model/issue.ts";
import type { ApprovalResponsePart, ToolResultPart } from "../model/parts.ts";
import { expand } from "./provenance.ts";

/** An answer that denies a call which nothing answers yet. */
interface Refusal {
  readonly callId: string;
  readonly path: Path;
  readonly response: ApprovalResponsePart;
}

/**
 * A model that is shown a call must be told that it was refused (R23): the answer gets a result beside it. Calls that the
 * provider runs are its own affair, and calls held inside a request are not shown. `report` gets the path of each answer.
 */
export function withRefusals(messages: readonly Message[], report: (path: Path) => void): readonly Message[] {
  const refusals = refusalsIn(messages);
  if (refusals.size === 0) return messages;
  for (const { path } of refusals.values()) report(path);
  return expand(messages, message => answered(message, refusals));
}

/** By response: an id may name several calls of a long history, of which the last one counts. */
function refusalsIn(messages: readonly Message[]): ReadonlyMap<ApprovalResponsePart, Refusal> {
  const calls = new Set<string>();
  const asked = new Map<string, string>();
  const refused = new Map<string, Refusal>();
  const found = new Map<ApprovalResponsePart, Refusal>();
  const close = (callId: string): void => {
    const refusal = refused.get(callId);
    if (refusal) found.delete(refusal.response);
    refused.delete(callId);
    calls.delete(callId);
  };
  const refuse = (response: ApprovalResponsePart, path: Path): void => {
    const callId = response.callId ?? asked.get(response.requestId);
    if (callId === undefined || !calls.has(callId) || refused.has(callId)) return;
    const refusal = { callId, path, response };
    refused.set(callId, refusal);
    found.set(response, refusal);
  };
  messages.forEach(({ parts }, message) => {
    parts.forEach((part, place) => {
      if (part.type === "tool-call") {
        refused.delete(part.callId);
        if (part.executedBy === "provider") calls.delete(part.callId);
        else calls.add(part.callId);
      } else if (part.type === "approval-request") asked.set(part.requestId, part.callId);
      else if (part.type === "tool-result") close(part.callId);
      else if (part.type === "approval-response" && !part.approved) refuse(part, ["messages", message, "parts", place]);
    });
  });
  return found;
}

/** Results are in a tool message (R20): the answer's own, or one behind the call and before what else a person says. */
function answered(message: Message, refusals: ReadonlyMap<ApprovalResponsePart, Refusal>): readonly Message[] {
  const made = message.parts.flatMap(part => {
    const refusal = part.type === "approval-response" ? refusals.get(part) : undefined;
    return refusal ? [resultOf(refusal)] : [];
  });
  if (made.length === 0) return [message];
  if (message.role !== "tool") {
    const results: Message = { role: "tool", parts: made };
    return message.role === "assistant" ? [message, results] : [results, message];
  }
  const parts = expand(message.parts, part => {
    const refusal = part.type === "approval-response" ? refusals.get(part) : undefined;
    return refusal ? [part, resultOf(refusal)] : [part];
  });
  return [{ ...message, parts }];
}

const resultOf = ({ callId, response: { reason } }: Refusal): ToolResultPart => ({
  type: "tool-result",
  callId,
  ...(reason !== undefined && { output: [{ type: "text", text: reason }] }),
  outcome: "denied",
});
