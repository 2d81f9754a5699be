import { createAgent, type EnvironmentModels, type ModelAgent } from "@translogue/agent";
import { demoAgent, demoTools } from "@translogue/agent/demo";

interface AgentChoice {
  readonly instructions?: string | undefined;
  /** Milliseconds between two pieces of the demo's answers. */
  readonly paceMs: number;
}

/** The agent that the command serves and talks to: a real model has the demo's tools too. */
export function agentOf(models: EnvironmentModels, { instructions, paceMs }: AgentChoice): ModelAgent {
  if (models.isDemo) return demoAgent({ paceMs });
  return createAgent({
    id: "assistant",
    name: "Assistant",
    model: models.resolve(),
    tools: demoTools,
    ...(instructions !== undefined && { instructions }),
  });
}
