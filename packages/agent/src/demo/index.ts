/** An agent that needs no key, to see every path with. */
import { createAgent, type ModelAgent } from "../create-agent.ts";
import type { AgentTool } from "../tools/tool.ts";
import { type DemoModelOptions, demoModel } from "./model.ts";
import { createDemoTools } from "./tools.ts";

export { type DemoModelOptions, demoModel } from "./model.ts";
export { createDemoTools, type DemoToolOptions } from "./tools.ts";

export const demoTools: readonly AgentTool[] = createDemoTools();

export interface DemoAgentOptions extends DemoModelOptions {
  readonly id?: string;
  readonly clock?: () => Date;
  readonly newId?: () => string;
}

/** The demo model with its tools. */
export function demoAgent({ id = "demo", clock, newId, ...options }: DemoAgentOptions = {}): ModelAgent {
  const { paceMs, sleep } = options;
  return createAgent({
    id,
    name: "Demo",
    description: "Answers by rules, without a key: streams, calls tools, asks for approval.",
    model: demoModel(undefined, options),
    tools: createDemoTools({
      ...(clock && { clock }),
      ...(paceMs !== undefined && { paceMs: paceMs * 20 }),
      ...(sleep && { sleep }),
    }),
    ...(clock && { clock }),
    ...(newId && { newId }),
  });
}
