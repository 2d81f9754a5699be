import type { Json, ToolResultPart } from "translogue";
import { onTestFinished } from "vitest";
import {
  type Agent,
  type AgentResponse,
  type AgentResponseUpdate,
  accumulateUpdates,
  createAgent,
} from "../../src/index.ts";
import { connectMcp, type McpClients, type McpOptions, type McpServerOptions } from "../../src/mcp/index.ts";
import { type ScriptedModel, scripted, type Turn } from "../scripted-model.ts";

/** Joined until the test is over. */
export async function joined(
  servers: { readonly [name: string]: McpServerOptions },
  options: McpOptions = {},
): Promise<McpClients> {
  const clients = await connectMcp(servers, options);
  onTestFinished(() => clients.close());
  return clients;
}

export interface Ran {
  readonly results: readonly ToolResultPart[];
  /** Preliminary ones. */
  readonly shown: readonly ToolResultPart[];
  readonly response: AgentResponse;
  readonly model: ScriptedModel;
  /** Names of the tools offered at each model call. */
  readonly offered: readonly (readonly string[])[];
}

/** Runs an agent by a script over the servers' tools. */
export async function ran(
  mcp: McpClients,
  turns: readonly Turn[],
  options: {
    readonly signal?: AbortSignal;
    readonly agent?: (model: ScriptedModel) => Agent;
    /** Done as the model is asked for the nth time. */
    readonly onModel?: readonly (() => void)[];
    readonly onShown?: (result: ToolResultPart) => void;
  } = {},
): Promise<Ran> {
  const { signal, agent, onShown, onModel = [] } = options;
  const model = scripted((_, call) => {
    onModel[call]?.();
    return turns[call] ?? {};
  });
  const running = agent?.(model) ?? createAgent({ model, tools: mcp.tools });
  const updates: AgentResponseUpdate[] = [];
  const shown: ToolResultPart[] = [];
  for await (const update of running.runStreaming("go", signal ? { signal } : {})) {
    updates.push(update);
    for (const event of update.events) {
      if (event.type !== "part" || event.value.type !== "tool-result" || !event.value.preliminary) continue;
      shown.push(event.value);
      onShown?.(event.value);
    }
  }
  const response = accumulateUpdates(updates);
  const results = response.messages.flatMap(({ parts }) => parts.filter(part => part.type === "tool-result"));
  const offered = model.requests.map(({ conversation }) => (conversation.tools ?? []).map(({ name }) => name));
  return { results, shown, response, model, offered };
}

export const calls = (...list: readonly (readonly [tool: string, input?: Json])[]): Turn => ({
  calls: list.map(([tool, input = {}], index) => [`c${index}-${tool}`, tool, input]),
});

/** What a model reads of a result that is text. */
export const wordsOf = (result: ToolResultPart | undefined): string =>
  (result?.output ?? []).map(part => (part.type === "text" ? part.text : part.type)).join("\n");
