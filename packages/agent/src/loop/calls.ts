import type { Event, MessageHead } from "translogue";
import { isRepeated, repeated } from "./repeats.ts";
import { answeredAlready, ledAlready } from "./results.ts";
import type { OpenAnswer, RunState, StepCall, Verdict } from "./state.ts";

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
    const { handsOff, givesResult } = verdicts[index] ?? {};
    if (giving >= 0 && index !== giving && (skips || givesResult)) {
      return { ...planned, status: "ready", result: answeredAlready(planned.call) };
    }
    if (handsOff !== undefined && index !== handOff)
      return { ...planned, status: "ready", result: ledAlready(planned.call) };
    const { verdict, reason, input } = verdicts[index] ?? { verdict: "run" };
    const own = input ? withInput(planned, input) : planned;
    const call: StepCall = {
      ...own,
      ...(handsOff !== undefined && { handsOff }),
      ...(givesResult && { givesResult: true as const }),
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

/** Blank arguments count as none: from here on the history says so in JSON, which every provider takes. */
function withInput(planned: StepCall, input: NonNullable<Verdict["input"]>): StepCall {
  const { inputText: _, ...call } = planned.call;
  return { ...planned, call: { ...call, input } };
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
