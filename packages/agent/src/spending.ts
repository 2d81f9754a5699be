import type { Message, Usage } from "translogue";
import { addUsage, hasTokens, withoutUsage } from "./usage.ts";

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
  /** With all that is inside, and what was before. */
  readonly total?: Usage;
  /** Agents that ran inside of its tools, one entry a run. */
  readonly inner: readonly UsageTree[];
  /** Runs before it that it is one with: of agents that handed the session on, and its own whose result is asked for again. */
  readonly before?: readonly UsageTree[];
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

export function usageTree({ usage, inner, before = [], ...run }: Omit<UsageTree, "total">): UsageTree {
  const total = [...inner, ...before].reduce((sum, tree) => plusUsage(sum, tree.total), usage);
  return { ...run, ...(usage && { usage }), ...(total && { total }), inner, ...(before.length > 0 && { before }) };
}

/** The account of a run that goes on after these: each stands beside it, none inside of another. */
export const accountAfter = ({ before = [], ...tree }: UsageTree, earlier: readonly UsageTree[] = []): UsageTree =>
  usageTree({ ...tree, before: [...earlier, ...before] });

/** The runs of an account, the last at the end; none is inside of another. */
export function runsIn({ before = [], ...tree }: UsageTree): readonly UsageTree[] {
  return [...before, usageTree(tree)];
}

/** Whether two accounts are of runs that are one: of a run and the same one before, as far as it had come. */
export const isSameRun = (now: UsageTree, then: UsageTree): boolean => runsIn(now).some(({ run }) => run === then.run);

/** What is new in the account of a run since it was told before. */
export function spentSince(now: UsageTree, then: UsageTree): UsageTree {
  const known = runsIn(then);
  const runs = runsIn(now).map(tree => {
    const told = known.find(({ run }) => run === tree.run);
    return told ? without(tree, told) : tree;
  });
  const before = runs.slice(0, -1).filter(({ total }) => total);
  return usageTree({ ...(runs.at(-1) ?? now), before });
}

function without({ usage, models = [], inner, ...run }: UsageTree, told: UsageTree): UsageTree {
  const more = newUsage(usage, told.usage);
  const byModel = models.flatMap(({ usage, ...model }) => {
    const same = told.models?.find(each => each.model === model.model && each.answeredAs === model.answeredAs);
    const rest = newUsage(usage, same?.usage);
    return rest ? [{ ...model, usage: rest }] : [];
  });
  const inside = inner.map(tree => {
    const known = told.inner.find(each => each.callId === tree.callId && isSameRun(tree, each));
    return known ? spentSince(tree, known) : tree;
  });
  return usageTree({
    ...run,
    ...(more && { usage: more }),
    ...(byModel.length > 0 && { models: byModel }),
    inner: inside.filter(({ total }) => total),
  });
}

function newUsage(now: Usage | undefined, then: Usage | undefined): Usage | undefined {
  if (!now || !then) return now;
  const rest = withoutUsage(now, then);
  return hasTokens(rest) ? rest : undefined;
}
