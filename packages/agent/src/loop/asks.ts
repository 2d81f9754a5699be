import { type Event, equalJson, type Json, type Part, type ToolCallPart } from "translogue";
import type { RunState, StepCall } from "./state.ts";

/** A call inside of a tool (of an agent that is one) that somebody has to see to before the tool has a result. */
export interface Ask {
  /** Of an approval; absent where the application runs the call and gives its result. */
  readonly requestId?: string;
  /** As the tool itself calls the request. */
  readonly own?: string;
  readonly call: ToolCallPart;
  readonly reason?: string;
}

/** A tool that waits: what it asks, and what it needs to go on, as plain JSON. */
export interface Suspension {
  readonly asks: readonly Ask[];
  readonly state: Json;
}

/** What a suspended tool is run again with. */
export interface Resumed {
  readonly state: Json;
  /** Parts that answer what it asked: approval responses by its own request ids, tool results. */
  readonly answers: readonly Part[];
}

/** The requests of what it asks get names of their own here: two agents may have made the same. */
export const prefixed = (asks: readonly Ask[], prefix: string): readonly Ask[] =>
  asks.map(ask => {
    const { requestId: own } = ask;
    return own === undefined ? ask : { ...ask, own, requestId: `${prefix}/${own}` };
  });

/** What calls ask that nobody has answered yet. */
export const openAsks = ({ status, suspended, answers = [] }: StepCall): readonly Ask[] =>
  status === "waiting" && suspended ? suspended.asks.filter(ask => !answers.some(part => isAnswerTo(part, ask))) : [];

export const isAnswerTo = (part: Part, { requestId, call }: Ask): boolean =>
  requestId === undefined
    ? part.type === "tool-result" && part.callId === call.callId
    : part.type === "approval-response" && part.requestId === requestId;

/** The call with what was answered of what it asks: it goes on once all is. */
export function withAnswers(call: StepCall, parts: readonly Part[]): StepCall {
  const given = parts.filter(part => openAsks(call).some(ask => isAnswerTo(part, ask)));
  const after: StepCall = { ...call, answers: [...(call.answers ?? []), ...given] };
  return openAsks(after).length > 0 ? after : { ...after, status: "ready" };
}

/** As the tool knows them. */
export function resumedOf({ suspended, answers = [] }: StepCall): Resumed | undefined {
  if (!suspended) return undefined;
  const own = answers.map(part => {
    if (part.type !== "approval-response") return part;
    const ask = suspended.asks.find(({ requestId }) => requestId === part.requestId);
    return { ...part, requestId: ask?.own ?? part.requestId };
  });
  return { state: suspended.state, answers: own };
}

/** Requests about calls that stand nowhere else in this conversation, each with its call: behind the results of its step. */
export const askEvents = (calls: readonly StepCall[], message: number): Event[] =>
  calls
    .flatMap(openAsks)
    .flatMap(({ requestId, call, reason }) =>
      requestId === undefined
        ? []
        : [
            {
              type: "approval-request" as const,
              requestId,
              callId: call.callId,
              call,
              ...(reason !== undefined && { reason }),
            },
          ],
    )
    .map((value, place) => ({ type: "part", message, part: calls.length + place, value }));

export const isSameCall = (given: ToolCallPart, asked: ToolCallPart): boolean =>
  given.callId === asked.callId &&
  given.name === asked.name &&
  (equalJson(given.input, asked.input) || (given.input === undefined && given.inputText === asked.inputText));

/** The calls that run now, with what their tools need to go on from here: they are asked when the state is stored. */
export function withKept(state: RunState, keepers: ReadonlyMap<number, () => Json>): RunState {
  if (keepers.size === 0) return state;
  const calls = state.calls.map((call): StepCall => {
    const keeper = call.status === "running" ? keepers.get(call.index) : undefined;
    if (!keeper) return call;
    return {
      ...call,
      answers: [],
      get suspended() {
        return { asks: [], state: keeper() };
      },
    };
  });
  return { ...state, calls };
}
