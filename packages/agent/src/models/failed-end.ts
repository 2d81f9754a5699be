import type { FinishReason, Message } from "translogue";
import type { AgentErrorCode, RunError } from "../errors.ts";

type Failure = Pick<RunError, "message" | "retryable"> & { readonly code: AgentErrorCode };

/** Ends that are failures, also where the host tells no error beside them: what came may lack anything, its calls too. */
const failures: { readonly [reason in FinishReason]?: Failure } = {
  // Whoever cancelled it does not want another.
  aborted: { code: "model/cut", message: "the model's answer was cancelled at its host", retryable: false },
  error: {
    code: "model/failed",
    message: "the model's answer ended with an error, and its host does not say which",
    retryable: true,
  },
  "malformed-call": {
    code: "model/failed",
    message: "the model called a tool in a form that its host could not read",
    retryable: true,
  },
};

/** How an answer failed that says so by its end alone. */
export function failedEnd(answer: readonly Message[]): RunError | undefined {
  const finish = answer.at(-1)?.finish;
  const failed = finish && failures[finish.reason];
  if (!failed) return undefined;
  return { ...failed, message: failed.message + (finish.raw === undefined ? "" : ` (\`${finish.raw}\`)`) };
}
