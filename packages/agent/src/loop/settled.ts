import type { Finish } from "../response.ts";
import { isWaiting } from "./answer.ts";
import type { RunState } from "./state.ts";

/** What comes once all calls of a step have run that can: the run waits or ends, or the model is asked. */
export type Settled =
  | { readonly finish: Finish }
  | { readonly stopAt: NonNullable<RunState["limit"]> }
  /** `last`: once more, without tools. */
  | { readonly ask: "again" | "last" };

export function settled({ calls, policy, errors, step, limit, stopping }: RunState): Settled {
  if (calls.some(isWaiting)) return { finish: { reason: "tool-calls" } };
  if (calls.some(({ terminates }) => terminates)) return { finish: { reason: "stop", raw: "terminated" } };
  if (limit === "max-repeats") return { stopAt: limit };
  if (stopping) return { finish: { reason: "pause", raw: "stopped" } };
  if (errors > policy.maxConsecutiveErrors) return { stopAt: "max-consecutive-errors" };
  if (step < policy.maxSteps) return { ask: "again" };
  return policy.finalAnswer ? { ask: "last" } : { stopAt: "max-steps" };
}
