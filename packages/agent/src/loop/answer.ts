import type { FinishReason, Message, ToolCallPart } from "translogue";
import type { RunError } from "../errors.ts";
import { failedEnd } from "../models/failed-end.ts";
import { isOpenCall } from "../tools/tool.ts";
import { isBare } from "./messages.ts";
import { cutShort } from "./results.ts";
import type { OpenAnswer, StepCall } from "./state.ts";

export const isWaiting = ({ status }: StepCall): boolean =>
  status === "waiting" || status === "client" || status === "held";

/** Calls that the agent has to see to: not the provider's, and without a result in the answer itself. */
export function openCalls(messages: readonly Message[]): ToolCallPart[] {
  const answered = new Set<string>();
  for (const part of messages.flatMap(({ parts }) => parts)) if (part.type === "tool-result") answered.add(part.callId);
  return messages.flatMap(({ parts }) =>
    parts.filter(part => part.type === "tool-call").filter(call => isOpenCall(call) && !answered.has(call.callId)),
  );
}

/** Calls whose approval the model itself asks for: they stand inside its requests. */
function requestedCalls(messages: readonly Message[], open: readonly ToolCallPart[]): Omit<StepCall, "index">[] {
  const own = new Set(open.map(({ callId }) => callId));
  return messages.flatMap(({ parts }) =>
    parts.flatMap(part => {
      if (part.type !== "approval-request" || !part.call || !isOpenCall(part.call) || own.has(part.callId)) return [];
      const { call, requestId, reason } = part;
      const why = reason !== undefined ? { reason } : {};
      return [{ call, status: "planned" as const, attempt: 0, requestId, ...why, inRequest: true as const }];
    }),
  );
}

/** The open calls of an answer, with their places in the stream, and those that it asks about. */
export function callsOf(messages: readonly Message[], answer: OpenAnswer): StepCall[] {
  const all = messages.flatMap(({ parts }) => parts.filter(part => part.type === "tool-call"));
  const open = openCalls(messages);
  const placed = all.map((call, ordinal) => ({ call, at: answer.callsAt[ordinal] }));
  const own = placed
    .filter(({ call }) => open.includes(call))
    .map(({ call, at }) => ({
      call,
      status: "planned" as const,
      attempt: 0,
      ...(at && { at: { message: answer.message + at.message, part: at.part } }),
    }));
  return [...own, ...requestedCalls(messages, open)].map((call, index) => ({ index, ...call }));
}

/** Whose calls nobody may run: all of an answer that was stopped for what it says. */
export const isFiltered = (answer: readonly Message[]): boolean => endsBy(answer, ["content-filter", "refusal"]);

/** The provider stopped on its way, and goes on once it is sent what it said (Anthropic's `pause_turn`). */
export const isPaused = (answer: readonly Message[]): boolean =>
  endsBy(answer, ["pause"]) && answer.at(-1)?.finish?.raw === undefined;

/** Calls of an answer that ran out of tokens may lack anything, though they read as whole: none is run, as in the AI SDK (ai 7.0.70, 2026-08-21). */
export const whole = (calls: readonly StepCall[], answer: readonly Message[]): readonly StepCall[] =>
  endsBy(answer, ["length", "context"])
    ? calls.map(call => (call.inRequest ? call : { ...call, result: cutShort(call.call), failed: true as const }))
    : calls;

const endsBy = (answer: readonly Message[], reasons: readonly FinishReason[]): boolean => {
  const reason = answer.at(-1)?.finish?.reason;
  return reason !== undefined && reasons.includes(reason);
};

/** A stream that ended without saying so was cut, however cleanly its connection closed; and one that says that it failed has. */
export function missingEnd(answer: readonly Message[]): RunError | undefined {
  if (answer.length === 0) {
    return { code: "model/no-output", message: "the model's answer ended before it began", retryable: true };
  }
  const finish = answer.at(-1)?.finish;
  const failed = failedEnd(answer);
  if (failed) return failed;
  if (finish && finish.reason !== "incomplete") {
    if (finish.reason !== "tool-calls" || !isBare(answer)) return undefined;
    return { code: "model/no-output", message: "the model says that it calls a tool, and calls none", retryable: true };
  }
  return { code: "model/cut", message: "the model's answer was cut: it ended without a finish", retryable: true };
}
