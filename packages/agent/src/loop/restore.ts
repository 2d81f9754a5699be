import type { ApprovalRequestPart, ApprovalResponsePart, Message, Part, ToolCallPart } from "translogue";
import { isOpenCall } from "../tools/tool.ts";
import { decidedCall } from "./resume.ts";
import type { PausedRun, StepCall } from "./state.ts";

/**
 * What a history waits for: calls whose approval was asked and that have no result. Whoever makes a session of a history
 * answers for it, so an answer that stands in it counts. A call that was asked about twice is one: its first request is the one to answer.
 */
export function pausedOf(messages: readonly Message[], newId: () => string): PausedRun | undefined {
  const asked = openRequests(messages);
  if (asked.length === 0) return undefined;
  const parts = messages.flatMap(message => message.parts);
  const calls = asked.map(({ request, call, inRequest }, index): StepCall => {
    const { requestId, reason } = request;
    const waiting: StepCall = {
      index,
      call,
      status: "waiting",
      attempt: 0,
      requestId,
      ...(reason !== undefined && { reason }),
      ...(inRequest && { inRequest }),
    };
    const response = parts.findLast(part => isAnswerTo(part, request));
    return response ? decidedCall(waiting, response) : waiting;
  });
  return { run: newId(), made: 0, step: 0, errors: 0, calls };
}

interface Asked {
  readonly request: ApprovalRequestPart;
  readonly call: ToolCallPart;
  /** The history has the call nowhere else. */
  readonly inRequest?: true;
}

function openRequests(messages: readonly Message[]): readonly Asked[] {
  const open = new Map<string, Asked>();
  const calls = new Map<string, ToolCallPart>();
  for (const part of messages.flatMap(message => message.parts)) {
    if (part.type === "tool-call") calls.set(part.callId, part);
    else if (part.type === "tool-result" && !part.preliminary) open.delete(part.callId);
    else if (part.type === "approval-request") {
      const own = calls.get(part.callId);
      const call = own ?? part.call;
      if (call && isOpenCall(call) && !open.has(part.callId))
        open.set(part.callId, { request: part, call, ...(!own && { inRequest: true }) });
    }
  }
  return [...open.values()];
}

const isAnswerTo = (part: Part, { requestId, callId }: ApprovalRequestPart): part is ApprovalResponsePart =>
  part.type === "approval-response" && part.requestId === requestId && (part.callId ?? callId) === callId;
