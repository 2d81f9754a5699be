import type { Event, Json, MessageHead } from "translogue";
import { isWaiting } from "./answer.ts";
import { isRepeated, repeated } from "./repeats.ts";
import { answeredAlready, ledAlready } from "./results.ts";
import type { GivenResult, OpenAnswer, RunState, StepCall, Verdict } from "./state.ts";

/** The planned calls of an answer, with what becomes of each. */
export function judged(
  { calls, policy, run, step, repeats }: RunState,
  verdicts: readonly Verdict[],
): readonly StepCall[] {
  const isOther = calls.map(({ inRequest }, index) => inRequest || (verdicts[index]?.verdict ?? "run") !== "run");
  const stops = verdicts.some(({ verdict }, index) => verdict === "stop" && !calls[index]?.inRequest);
  const holds = stops || (policy.mixed === "hold" && isOther.includes(true));
  const giving = verdicts.findIndex(({ givesResult }) => givesResult !== undefined);
  const skips = verdicts[giving]?.givesResult === "skip";
  const handOff = verdicts.findIndex(({ handsOff }) => handsOff !== undefined);
  return calls.map((planned, index): StepCall => {
    if (planned.inRequest) return { ...planned, status: "waiting" };
    if (planned.result) return { ...planned, status: "ready" };
    const { handsOff, givesResult, cleared } = verdicts[index] ?? {};
    if (giving >= 0 && index !== giving && (skips || givesResult)) {
      return { ...planned, status: "ready", result: answeredAlready(planned.call) };
    }
    if (handsOff !== undefined && index !== handOff)
      return { ...planned, status: "ready", result: ledAlready(planned.call) };
    const { verdict, reason, input } = verdicts[index] ?? { verdict: "run" };
    const own = input === undefined ? planned : withInput(planned, input);
    const call: StepCall = {
      ...own,
      ...(handsOff !== undefined && { handsOff }),
      ...(givesResult && { givesResult: true as const }),
      ...(cleared && { cleared }),
    };
    if (verdict === "client" || verdict === "stop") return { ...call, status: "client" };
    if (policy.repeats && isRepeated(repeats, call.call, policy.repeats)) {
      return { ...call, status: "ready", result: repeated(call.call, policy.repeats), repeated: true };
    }
    if (verdict !== "ask") return { ...call, status: holds ? "held" : "ready" };
    const requestId = `${run}:approval-${step}.${index}`;
    return { ...call, status: "waiting", requestId, ...(reason !== undefined && { reason }) };
  });
}

/** Blank arguments count as none, and what is text alone as what it says: the history has them as JSON, which every provider takes. */
function withInput(planned: StepCall, input: Json): StepCall {
  const { inputText = "", ...call } = planned.call;
  return { ...planned, call: { ...call, input, ...(inputText.trim() !== "" && { inputText }) } };
}

/** Calls that say something else than they did, in their places. */
export const rewrites = (before: readonly StepCall[], after: readonly StepCall[]): Event[] =>
  after.flatMap(({ call, at }, index) =>
    at && call !== before[index]?.call ? [{ type: "part" as const, ...at, value: call }] : [],
  );

/** A request stands behind the answer whose call it is about; the call is a part of its own (R22). */
export function requestEvents(answer: OpenAnswer, calls: readonly StepCall[]): Event[] {
  const message = answer.message + answer.count - 1;
  const asked = calls.filter(({ requestId, inRequest }) => requestId !== undefined && !inRequest);
  return asked.map(({ call: { callId }, requestId = "", reason }, place) => ({
    type: "part",
    message,
    part: answer.lastPart + 1 + place,
    value: { type: "approval-request", requestId, callId, ...(reason !== undefined && { reason }) },
  }));
}

/** Those that stood only inside their requests become parts of their own, in a message before their results. */
export const isRebuilt = ({ status, inRequest }: StepCall): boolean => status === "ready" && inRequest === true;

export const rebuiltCalls = (calls: readonly StepCall[], head: MessageHead, message: number): Event[] => [
  { type: "message-start", message, head },
  ...calls.filter(isRebuilt).map(({ call }, part): Event => ({ type: "part", message, part, value: call })),
  { type: "message-end", message },
];

/** Whether what is left of the answer's calls need not begin: a tool ended the run, or the limit of errors is passed. */
export function isOver({ calls, errors, policy }: RunState, index: number): boolean {
  const call = calls.find(each => each.index === index);
  const isLast = errors >= policy.maxConsecutiveErrors && policy.toolExecution === "serial";
  return call?.terminates === true || (call?.failed === true && isLast);
}

/** A call with its result. One that was not run, or failed, makes nobody lead. */
export function givenCall({ handsOff, ...call }: StepCall, { result, failed, terminates }: GivenResult): StepCall {
  const isOk = (result.outcome ?? "ok") === "ok";
  return {
    ...call,
    status: "done",
    ...(isOk && handsOff !== undefined && { handsOff }),
    ...(failed && { failed }),
    ...(terminates && { terminates }),
  };
}

/** The agent that leads from here on: none while a call of the answer waits, since its answers are for whoever asked. */
export const nextLeader = (calls: readonly StepCall[]): string | undefined =>
  calls.some(isWaiting) ? undefined : calls.find(({ status, handsOff }) => status === "done" && handsOff)?.handsOff;

/** It leads behind all results of the step. */
export function handOffEvents(calls: readonly StepCall[], message: number): Event[] {
  const agent = nextLeader(calls);
  if (agent === undefined) return [];
  return [{ type: "part", message, part: 2 * calls.length, value: { type: "change", agent } }];
}
