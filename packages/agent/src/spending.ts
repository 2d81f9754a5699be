import type { Message, Usage } from "translogue";
import { addUsage } from "./usage.ts";

/** What one model spent. */
export interface ModelUsage {
  /** As the agent calls it. */
  readonly model: string;
  /** As its host calls it, where it says. */
  readonly answeredAs?: string;
  readonly usage: Usage;
}

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
  /** The same by model, for whoever knows their prices. */
  readonly models?: readonly ModelUsage[];
  /** With all that is inside. */
  readonly total?: Usage;
  /** Agents that ran inside of its tools, one entry a run. */
  readonly inner: readonly UsageTree[];
}

/** Both, where any is told. */
export const plusUsage = (left: Usage | undefined, right: Usage | undefined): Usage | undefined =>
  left && right ? addUsage(left, right) : (left ?? right);

/** What the messages of a run say, and what else it spent: on attempts that came to nothing, before a pause. `asked`: the model of messages that name none else. */
export function usageByModel(
  messages: readonly Message[],
  asked: string,
  others: readonly { readonly model: string; readonly answeredAs?: string; readonly usage?: Usage }[] = [],
): { readonly models?: readonly ModelUsage[] } {
  const models = new Map<string, ModelUsage>();
  const add = (model: string, usage: Usage | undefined, answeredAs?: string): void => {
    if (!usage) return;
    const key = JSON.stringify([model, answeredAs]);
    const known = models.get(key)?.usage;
    models.set(key, {
      model,
      ...(answeredAs !== undefined && { answeredAs }),
      usage: known ? addUsage(known, usage) : usage,
    });
  };
  for (const { usage, model } of messages) add(asked, usage, model);
  for (const { usage, model, answeredAs } of others) add(model, usage, answeredAs);
  return models.size === 0 ? {} : { models: [...models.values()] };
}

export function usageTree({ usage, inner, ...run }: Omit<UsageTree, "total">): UsageTree {
  const total = inner.reduce((sum, tree) => plusUsage(sum, tree.total), usage);
  return { ...run, ...(usage && { usage }), ...(total && { total }), inner };
}
