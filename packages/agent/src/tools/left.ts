import type { SpendingLimits } from "../loop/limits.ts";

/** The member of a tool's context, for agents that are tools alone, that tells what the run around may still spend. */
export const leftToSpend = Symbol("left to spend");

export const leftIn = (context: object): SpendingLimits | undefined =>
  leftToSpend in context && context[leftToSpend] instanceof Function ? context[leftToSpend]() : undefined;
