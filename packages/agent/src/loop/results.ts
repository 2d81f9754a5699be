import type { Part, ToolCallPart, ToolResultPart } from "translogue";

/** A result in words, for a call that gave none of its own. */
export const wordsResult = (call: ToolCallPart, outcome: NonNullable<ToolResultPart["outcome"]>, words: string) =>
  toolResult(call, { outcome, output: [{ type: "text", text: words }] });

export const toolResult = (
  call: ToolCallPart,
  members: Partial<Omit<ToolResultPart, "type" | "callId" | "name">> & { readonly output?: readonly Part[] },
): ToolResultPart => ({ type: "tool-result", callId: call.callId, name: call.name, ...members });

export const interrupted = (call: ToolCallPart): ToolResultPart =>
  wordsResult(call, "interrupted", "The call was interrupted before it finished; it has no result.");

export const filtered = (call: ToolCallPart): ToolResultPart =>
  wordsResult(call, "interrupted", "The call was not run: the answer was stopped, or refused, while it was given.");

export const cutShort = (call: ToolCallPart): ToolResultPart =>
  wordsResult(
    call,
    "error",
    "Error: The call was not run: the answer was cut at its limit of tokens. Call again, with less in one answer.",
  );

export const withoutTools = (call: ToolCallPart): ToolResultPart =>
  wordsResult(call, "error", "Error: No tool may be called any more; answer with what is known.");

/** As the Microsoft Agent Framework words it (reference of 1.28). */
export const denied = (call: ToolCallPart, reason: string | undefined): ToolResultPart => {
  const words = "Tool call invocation was rejected by the approver and must not be retried.";
  return wordsResult(call, "denied", reason?.trim() ? `${words} ${reason}` : words);
};

export const unanswered = (call: ToolCallPart): ToolResultPart =>
  denied(call, "No approval response was provided for this approval required tool call.");

export const untold = (call: ToolCallPart): ToolResultPart =>
  wordsResult(call, "interrupted", "The call was not finished: nobody answered what it asked.");

export const skipped = (call: ToolCallPart): ToolResultPart =>
  wordsResult(call, "interrupted", "The call was not run: the run ended before it.");

export const notRun = (call: ToolCallPart): ToolResultPart =>
  wordsResult(call, "interrupted", "No result was provided for this tool call.");

/** Neutral: the next agent reads it, and may itself want to hand over to that one. */
export const ledAlready = (call: ToolCallPart): ToolResultPart =>
  wordsResult(call, "interrupted", "The call was not run: another one of this answer handed the conversation over.");

export const answeredAlready = (call: ToolCallPart): ToolResultPart =>
  wordsResult(call, "interrupted", "The call was not run: the answer was given beside it.");
