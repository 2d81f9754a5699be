import type { ApprovalRequestPart, Message, ToolCallPart } from "translogue";
import { isOpenCall } from "../tools/tool.ts";
import { isWaiting } from "./answer.ts";
import { isInsideTool, isSameCall } from "./asks.ts";
import { decidedCall, inTurn, isAnswerTo } from "./resume.ts";
import type { PausedRun, StepCall } from "./state.ts";

/**
 * What a history waits for: calls whose approval was asked and that have no result. Whoever makes a session of a history
 * answers for it, so an answer that stands in it counts. A call that was asked about twice is one: its first request is the one to answer.
 * Of calls of one id each waits for those before it.
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
  return { run: newId(), ...(agent !== undefined && { agent }), made: 0, step: 0, errors: 0, calls: inTurn(calls) };
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
  const open = new Map<string, number>();
  const count = (callId: string, by: number) => open.set(callId, Math.max(0, (open.get(callId) ?? 0) + by));
  for (const part of messages.flatMap(({ parts }) => parts)) {
    if (part.type === "tool-call") count(part.callId, 1);
    else if (part.type === "tool-result" && !part.preliminary) count(part.callId, -1);
  }
  const inside = own.calls.filter(call => isWaiting(call) && call.suspended);
  if (!inside.every(({ call }) => open.get(call.callId))) return found;
  const left = [...(found?.calls ?? [])];
  for (const call of inside) withoutLike(call, left);
  const places = new Map<StepCall, StepCall>();
  for (const call of own.calls) {
    if (!isWaiting(call) || call.suspended) continue;
    const there = withoutLike(call, left) ?? equalAsked(call, places, messages);
    if (!there) return found;
    places.set(call, there);
  }
  if (left.length > 0) return found;
  return { ...own, calls: own.calls.map(call => ({ ...call, ...places.get(call), index: call.index })) };
}

/** A history counts requests about equal calls of one id as one, and the carried run knows that they are several: where nobody has answered this one. */
function equalAsked(
  own: StepCall,
  places: ReadonlyMap<StepCall, StepCall>,
  messages: readonly Message[],
): StepCall | undefined {
  const { requestId, status } = own;
  if (requestId === undefined || status !== "waiting") return undefined;
  const isEqual = (each: StepCall) => each.status === "waiting" && isSameCall(each.call, own.call);
  const equal = [...places.values()].find(isEqual);
  const parts = equal ? messages.flatMap(message => message.parts) : [];
  const isAsked = parts.some(part => part.type === "approval-request" && part.requestId === requestId);
  if (!equal || !isAsked || parts.some(part => isAnswerTo(part, requestId))) return undefined;
  return { ...equal, requestId };
}

/** Takes the call out of what is left in another shape, where one that is held has no request: of several that are alike, the same. */
function withoutLike(own: StepCall, left: StepCall[]): StepCall | undefined {
  const alike = left.filter(each => keyOf(each) === keyOf(own));
  const found = alike.length === 1 ? alike[0] : alike.find(({ call }) => isSameCall(call, own.call));
  if (found) left.splice(left.indexOf(found), 1);
  return found;
}

const keyOf = ({ call, requestId, status }: StepCall): string =>
  JSON.stringify([call.callId, status === "held" ? undefined : requestId]);

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
  const asked = new Set<OpenCall>();
  const open = new OpenCalls();
  for (const [at, { parts, author }] of messages.entries())
    for (const part of parts) {
      if (part.type === "tool-call") open.called(part, at);
      else if (part.type === "tool-result" && !part.preliminary) {
        for (const call of open.answered(part.callId)) asked.delete(call);
      } else if (part.type === "approval-request" && !isInsideTool(part.requestId)) {
        const call = open.askedBy(part, at);
        if (!call || !isOpenCall(call.call)) continue;
        if (author?.kind === "agent" && author.id !== undefined) call.agent = author.id;
        asked.add(call);
      }
    }
  return [...asked].flatMap(({ request, call, inRequest, agent }) =>
    request ? [{ request, call, ...(inRequest && { inRequest }), ...(agent !== undefined && { agent }) }] : [],
  );
}

/** A call without its result. */
interface OpenCall {
  readonly call: ToolCallPart;
  /** Number of the message that told it last. */
  at: number;
  request?: ApprovalRequestPart;
  readonly inRequest?: true;
  /** A message tells it outside of its request too. */
  isTold?: true;
  agent?: string;
}

/** By their ids, which calls of several steps may share, and calls of one answer. */
class OpenCalls {
  readonly #byId = new Map<string, OpenCall[]>();

  called(call: ToolCallPart, at: number): void {
    const open = this.#of(call.callId);
    const inside = likest(
      open.filter(({ inRequest, isTold }) => inRequest && !isTold),
      call,
    );
    if (inside) Object.assign(inside, { at, isTold: true });
    else open.push({ call, at });
  }

  /** Those that are over with a result: the first of the nearest message (R9), and what was said before that. */
  answered(callId: string): readonly OpenCall[] {
    const open = this.#of(callId);
    const answered = nearest(open);
    if (!answered) return [];
    const isOver = (each: OpenCall): boolean => each === answered || (each.at < answered.at && !each.inRequest);
    const over = open.filter(isOver);
    this.#byId.set(
      callId,
      open.filter(each => !isOver(each)),
    );
    return over;
  }

  /** The call that a request is about: undefined where it was asked about before. */
  askedBy(request: ApprovalRequestPart, at: number): OpenCall | undefined {
    const { callId, requestId, call } = request;
    const open = this.#of(callId);
    if (open.some(each => each.request?.requestId === requestId)) return undefined;
    const left = open.filter(each => !each.request);
    const own = call ? likest(left, call) : nearest(left);
    if (own) return Object.assign(own, { request });
    if (!call || open.some(each => isSameCall(each.call, call))) return undefined;
    const inside: OpenCall = { call, at, request, inRequest: true };
    open.push(inside);
    return inside;
  }

  #of(callId: string): OpenCall[] {
    const open = this.#byId.get(callId) ?? [];
    this.#byId.set(callId, open);
    return open;
  }
}

/** The first of the last message that has one. */
function nearest(calls: readonly OpenCall[]): OpenCall | undefined {
  let found: OpenCall | undefined;
  for (const each of calls) if (!found || each.at > found.at) found = each;
  return found;
}

/** Hosts may spell arguments anew. */
const likest = (calls: readonly OpenCall[], call: ToolCallPart): OpenCall | undefined =>
  nearest(calls.filter(each => isSameCall(each.call, call))) ??
  nearest(calls.filter(each => each.call.name === call.name));
