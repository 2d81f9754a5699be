import type { ApprovalRequestPart, Message, ToolCallPart } from "translogue";
import { isOpenCall } from "../tools/tool.ts";
import { isWaiting } from "./answer.ts";
import { isInsideTool } from "./asks.ts";
import { decidedCall, isAnswerTo } from "./resume.ts";
import type { PausedRun, StepCall } from "./state.ts";

/**
 * What a history waits for: calls whose approval was asked and that have no result. Whoever makes a session of a history
 * answers for it, so an answer that stands in it counts. A call that was asked about twice is one: its first request is the one to answer.
 * What waits inside of a tool is not asked again: a history has nothing of what the tool needs to go on.
 */
export function pausedOf(messages: readonly Message[], newId: () => string): PausedRun | undefined {
  const asked = askedIn(messages);
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
    const response = parts.findLast(
      part => isAnswerTo(part, requestId) && (part.callId ?? call.callId) === call.callId,
    );
    return response?.type === "approval-response" ? decidedCall(waiting, response) : waiting;
  });
  const agent = asked[0]?.agent;
  return { run: newId(), ...(agent !== undefined && { agent }), made: 0, step: 0, errors: 0, calls };
}

/**
 * The run that waits, as it was carried with a session in another shape: it holds where what is `found` there waits for the
 * same calls. What waits inside of tools only the carried run knows: it holds as long as the tool's call has no result.
 */
export function carriedRun(
  found: PausedRun | undefined,
  own: PausedRun,
  messages: readonly Message[],
): PausedRun | undefined {
  const open = new Set<string>();
  for (const part of messages.flatMap(({ parts }) => parts)) {
    if (part.type === "tool-call") open.add(part.callId);
    else if (part.type === "tool-result" && !part.preliminary) open.delete(part.callId);
  }
  const inside = own.calls.filter(call => isWaiting(call) && call.suspended);
  if (!inside.every(({ call }) => open.has(call.callId))) return found;
  const outside = own.calls.filter(call => isWaiting(call) && !call.suspended);
  const known = new Map(found?.calls.map(call => [keyOf(call), call]));
  for (const call of inside) known.delete(keyOf(call));
  if (outside.length !== known.size || !outside.every(call => known.has(keyOf(call)))) return found;
  return { ...own, calls: own.calls.map(call => ({ ...call, ...known.get(keyOf(call)), index: call.index })) };
}

const keyOf = ({ call, requestId }: StepCall): string => JSON.stringify([call.callId, requestId]);

interface Asked {
  readonly request: ApprovalRequestPart;
  readonly call: ToolCallPart;
  /** The history has the call nowhere else. */
  readonly inRequest?: true;
  /** Id of the agent that asked. */
  readonly agent?: string;
}

/** What the messages ask about, and nobody has answered. */
function askedIn(messages: readonly Message[]): readonly Asked[] {
  const open = new Map<string, Asked>();
  const calls = new Map<string, ToolCallPart>();
  for (const { parts, author } of messages)
    for (const part of parts) {
      if (part.type === "tool-call") calls.set(part.callId, part);
      else if (part.type === "tool-result" && !part.preliminary) {
        open.delete(part.callId);
        // A call of a later step may have its id.
        calls.delete(part.callId);
      } else if (part.type === "approval-request" && !isInsideTool(part.requestId)) {
        const own = calls.get(part.callId);
        const call = own ?? part.call;
        const agent = author?.kind === "agent" ? author.id : undefined;
        const more = { ...(!own && { inRequest: true as const }), ...(agent !== undefined && { agent }) };
        if (call && isOpenCall(call) && !open.has(part.callId)) open.set(part.callId, { request: part, call, ...more });
      }
    }
  return [...open.values()];
}
