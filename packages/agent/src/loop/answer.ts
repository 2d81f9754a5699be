import type { Message, ToolCallPart } from "translogue";
import type { RunError } from "../errors.ts";
import { isOpenCall } from "../tools/tool.ts";
import { isBare } from "./messages.ts";
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

/** The open calls of an answer, with their places in the stream. */
export function callsOf(messages: readonly Message[], answer: OpenAnswer): StepCall[] {
  const all = messages.flatMap(({ parts }) => parts.filter(part => part.type === "tool-call"));
  const open = new Set(openCalls(messages));
  const placed = all.map((call, ordinal) => ({ call, at: answer.callsAt[ordinal] }));
  return placed
    .filter(({ call }) => open.has(call))
    .map(({ call, at }, index) => ({
      index,
      call,
      status: "planned",
      attempt: 0,
      ...(at && { at: { message: answer.message + at.message, part: at.part } }),
    }));
}

/** A stream that ended without saying so was cut, however cleanly its connection closed. */
export function missingEnd(answer: readonly Message[]): RunError | undefined {
  if (answer.length === 0) {
    return { code: "model/no-output", message: "the model's answer ended before it began", retryable: true };
  }
  const finish = answer.at(-1)?.finish;
  if (finish && finish.reason !== "incomplete") {
    if (finish.reason !== "tool-calls" || !isBare(answer)) return undefined;
    return { code: "model/no-output", message: "the model says that it calls a tool, and calls none", retryable: true };
  }
  return { code: "model/cut", message: "the model's answer was cut: it ended without a finish", retryable: true };
}
