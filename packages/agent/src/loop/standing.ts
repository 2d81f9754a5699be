import type { Event, Message } from "translogue";
import type { ModelReport } from "../model.ts";
import { plusUsage, type UsageTree, usageByModel, usageTree } from "../spending.ts";
import { sumUsage } from "../usage.ts";
import type { Earlier, RunState, StepInput } from "./state.ts";
import { step } from "./step.ts";

/** A run as far as it tells what was spent. */
export interface Standing {
  readonly agentId: string;
  readonly state: RunState;
  readonly messages: readonly Message[];
  readonly report: Pick<ModelReport, "fallbacks">;
}

/** Where a run would stand, stopped now, with what is known of what is under way. */
export function stoppedBy(run: Standing, soFar: Omit<Extract<StepInput, { type: "abort" }>, "type">): Standing {
  const { state, events } = step(run.state, { type: "abort", ...soFar }, "");
  return { state, report: run.report, agentId: run.agentId, messages: withUsage(run.messages, events) };
}

/** The messages with what events say of their tokens. */
function withUsage(messages: readonly Message[], events: readonly Event[]): readonly Message[] {
  const told = [...messages];
  for (const event of events) {
    const message = event.type === "message-set" ? told[event.message] : undefined;
    if (message && event.type === "message-set" && event.set.usage)
      told[event.message] = { ...message, usage: event.set.usage };
  }
  return told;
}

/** By the model calls of the run itself, over all its pauses. */
export function ownSpending({ messages, report, state }: Standing): Pick<Earlier, "usage" | "models"> {
  const { fallbacks = [] } = report;
  const { usage: before, models = [] } = state.earlier ?? {};
  const usage = fallbacks.map(({ usage }) => usage).reduce(plusUsage, plusUsage(before, sumUsage(messages)));
  return { ...(usage && { usage }), ...usageByModel(messages, state.model.id, [...models, ...fallbacks]) };
}

/** Of the run, over all its pauses, and of those that it is one with. */
export function accountOf(standing: Standing): UsageTree {
  const { run, inner = [], before = [], author } = standing.state;
  const who = { agentId: standing.agentId, ...(author.name !== undefined && { name: author.name }) };
  return usageTree({ ...who, run, ...ownSpending(standing), inner, before });
}
