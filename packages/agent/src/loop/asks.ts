import { type Event, equalJson, type Json, type Part, type PartOf, type ToolCallPart } from "translogue";
import type { RunState, StepCall } from "./state.ts";

/** What a person is asked for, other than whether a call may run. */
export type InputRequest = Pick<PartOf<"input-request">, "kind" | "message" | "schema" | "url" | "expiresAt">;

/** A call inside of a tool (of an agent that is one) that somebody has to see to before the tool has a result. */
export interface Ask {
  /** Of an approval or an input; absent where the application runs the call and gives its result. */
  readonly requestId?: string;
  /** As the tool itself calls the request. */
  readonly own?: string;
  readonly call: ToolCallPart;
  readonly reason?: string;
  /** Whose standing rules an approval makes: its agent's. */
  readonly rulesOf?: string;
  /** What the call needs to know; absent where it is to be approved, or run elsewhere. */
  readonly input?: InputRequest;
}

/** A tool that waits: what it asks, and what it needs to go on, as plain JSON. */
export interface Suspension {
  readonly asks: readonly Ask[];
  readonly state: Json;
}

/** What a suspended tool is run again with. */
export interface Resumed {
  readonly state: Json;
  /** Parts that answer what it asked: approval and input responses by its own request ids, tool results. */
  readonly answers: readonly Part[];
}

/** The requests of what it asks get names of their own here: two agents may have made the same. */
export const prefixed = (asks: readonly Ask[], run: string, place: string): readonly Ask[] =>
  asks.map(ask => {
    const { requestId: own } = ask;
    if (own === undefined) return ask;
    return { ...ask, own, requestId: `${run}:${ask.input ? "input" : "approval"}-${place}/${own}` };
  });

/** Whether a request is about a call inside of a tool, by the name that it got here: only that tool can go on with it. */
export const isInsideTool = (requestId: string): boolean => /:(approval|input)-\d+\.\d+\//.test(requestId);

/** What calls ask that nobody has answered yet. */
export const openAsks = ({ status, suspended, answers = [] }: StepCall): readonly Ask[] =>
  status === "waiting" && suspended ? suspended.asks.filter(ask => !answers.some(part => isAnswerTo(part, ask))) : [];

const isAnswerTo = (part: Part, { requestId, call, input }: Ask): boolean =>
  requestId === undefined
    ? part.type === "tool-result" && part.callId === call.callId
    : part.type === (input ? "input-response" : "approval-response") && part.requestId === requestId;

/** The call with what was answered of what it asks, which is taken out of what is `left`: it goes on once all is. */
export function withAnswers(call: StepCall, left: Part[]): StepCall {
  const given = openAsks(call).flatMap(ask => {
    const at = left.findIndex(part => isAnswerTo(part, ask));
    return at === -1 ? [] : left.splice(at, 1);
  });
  const after: StepCall = { ...call, answers: [...(call.answers ?? []), ...given] };
  return openAsks(after).length > 0 ? after : { ...after, status: "ready" };
}

/** As the tool knows them. */
export function resumedOf({ suspended, answers = [] }: StepCall): Resumed | undefined {
  if (!suspended) return undefined;
  const own = answers.map(part => {
    if (part.type !== "approval-response" && part.type !== "input-response") return part;
    const ask = suspended.asks.find(({ requestId }) => requestId === part.requestId);
    return { ...part, requestId: ask?.own ?? part.requestId };
  });
  return { state: suspended.state, answers: own };
}

/** Requests about calls that stand nowhere else in this conversation, each with its call, and about those that ask for input: behind the results of their step. */
export const askEvents = (calls: readonly StepCall[], message: number): Event[] =>
  calls
    .flatMap(call => openAsks(call).flatMap(ask => requestOf(ask, call)))
    .map((value, place) => ({ type: "part", message, part: calls.length + place, value }));

function requestOf({ requestId, call, reason, input }: Ask, { call: outer }: StepCall): readonly Part[] {
  if (requestId === undefined) return [];
  if (input) return [{ type: "input-request", requestId, ...input, callId: outer.callId }];
  return [{ type: "approval-request", requestId, callId: call.callId, call, ...(reason !== undefined && { reason }) }];
}

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
