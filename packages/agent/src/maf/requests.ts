import { type ApprovalRequestPart, type Message, type Part, pairResults } from "translogue";
import { isSameCall } from "../loop/asks.ts";
import type { PausedRun, StepCall } from "../loop/state.ts";

/** Equal calls of one id are written down once: the history has the request of each. */
export function oneOfEach(calls: readonly StepCall[]): readonly StepCall[] {
  const written = new Map<string, StepCall[]>();
  return calls.filter(each => {
    const before = written.get(each.call.callId) ?? [];
    if (before.some(({ call }) => isSameCall(call, each.call))) return false;
    written.set(each.call.callId, [...before, each]);
    return true;
  });
}

export const request = ({ requestId = "", call }: StepCall): ApprovalRequestPart => ({
  type: "approval-request",
  requestId,
  callId: call.callId,
  call,
});

export const parked = ({ call }: StepCall): ApprovalRequestPart => ({
  type: "approval-request",
  requestId: `ficc_${call.callId}`,
  callId: call.callId,
  call,
  automatic: true,
});

/**
 * A call that waits stands inside its request, in the place of the call, and one that is held beside it in the bag only:
 * .NET puts both into the history again when they are let through.
 */
export function withRequests(messages: readonly Message[], paused: PausedRun | undefined): readonly Message[] {
  const calls = (paused?.calls ?? []).filter(({ inRequest, status }) => !inRequest && status !== "done");
  if (calls.length === 0) return messages;
  const open = new Map<string, StepCall[]>();
  for (const call of calls) open.set(call.call.callId, [...(open.get(call.call.callId) ?? []), call]);
  const requests = new Set(calls.map(({ call, requestId }) => `${requestId} ${call.callId}`));
  // Calls of earlier steps may have the same ids.
  const answered = new Set<Part>(pairResults(messages).values());
  return messages.map(message => ({
    ...message,
    parts: message.parts.flatMap(part => (answered.has(part) ? [part] : asWaiting(part, { open, requests }))),
  }));
}

interface Waiting {
  /** By the id of the call, in the order of the answer: those whose place has not come yet. */
  readonly open: ReadonlyMap<string, StepCall[]>;
  readonly requests: ReadonlySet<string>;
}

function asWaiting(part: Part, { open, requests }: Waiting): readonly Part[] {
  if (part.type === "approval-request")
    return !part.call && requests.has(`${part.requestId} ${part.callId}`) ? [] : [part];
  const waiting = part.type === "tool-call" ? open.get(part.callId)?.shift() : undefined;
  if (part.type !== "tool-call" || !waiting) return [part];
  const { requestId, status } = waiting;
  if (status === "held") return [];
  return requestId === undefined ? [part] : [{ type: "approval-request", requestId, callId: part.callId, call: part }];
}
