import type { Usage } from "translogue";
import { addUsage } from "./usage.ts";

/** What a run spent, by agent. */
export interface UsageTree {
  readonly agentId: string;
  readonly name?: string;
  /** Id of the run. */
  readonly run: string;
  /** The call of the outer agent that it ran for. */
  readonly callId?: string;
  /** Its own model calls; absent where none told. */
  readonly usage?: Usage;
  /** With all that is inside. */
  readonly total?: Usage;
  /** Agents that ran inside of its tools, one entry a run. */
  readonly inner: readonly UsageTree[];
}

/** Both, where any is told. */
export const plusUsage = (left: Usage | undefined, right: Usage | undefined): Usage | undefined =>
  left && right ? addUsage(left, right) : (left ?? right);

export function usageTree({ usage, inner, ...run }: Omit<UsageTree, "total">): UsageTree {
  const total = inner.reduce((sum, tree) => plusUsage(sum, tree.total), usage);
  return { ...run, ...(usage && { usage }), ...(total && { total }), inner };
}
