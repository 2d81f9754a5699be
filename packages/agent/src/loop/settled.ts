import type { Finish } from "../response.ts";
import { isWaiting } from "./answer.ts";
import type { RunState } from "./state.ts";

/** What comes once all calls of a step have run that can: the run waits or ends, or the model is asked. */
export type Settled =
  | { readonly finish: Finish }
  | { readonly stopAt: NonNullable<RunState["limit"]> }
  /** `last`: once more, without tools, because of the limit. */
  | { readonly ask: "again" }
  | { readonly ask: "last"; readonly limit: NonNullable<RunState["limit"]> };

/** `reached`: a limit of what the run may spend. */
export function settled(
  { calls, policy, errors, step, limit, stopping }: RunState,
  reached: RunState["limit"],
): Settled {
  if (calls.some(isWaiting)) return { finish: { reason: "tool-calls" } };
  if (calls.some(({ terminates }) => terminates)) return { finish: { reason: "stop", raw: "terminated" } };
  if (calls.some(({ handsOff }) => handsOff !== undefined)) return { finish: handedOff };
  if (calls.some(({ givesResult, failed }) => givesResult && !failed)) return { finish: { reason: "stop" } };
  if (limit === "max-repeats") return { stopAt: limit };
  if (stopping) return { finish: { reason: "pause", raw: "stopped" } };
  if (errors > policy.maxConsecutiveErrors) return { stopAt: "max-consecutive-errors" };
  const over = limit ?? reached ?? (step < policy.maxSteps ? undefined : "max-steps");
  if (over === undefined) return { ask: "again" };
  return policy.finalAnswer ? { ask: "last", limit: over } : { stopAt: over };
}

/** Whoever drives the run goes on with the agent that leads now. */
export const handedOff: Finish = { reason: "stop", raw: "handoff" };
