import { type Event, isJsonObject, type ToolCallPart } from "translogue";
import type { Agent } from "./agent.ts";
import { failure } from "./errors.ts";
import type { Model, ModelRequest } from "./model.ts";
import type { AgentResponseUpdate } from "./response.ts";
import type { RunContext } from "./run-context.ts";
import type { AgentSession } from "./session.ts";
import type { AgentTool, ToolContext, ToolReturn } from "./tools/tool.ts";

/** Goes on with what was given, or with something else in its place. */
type Next<Context, Given> = (context?: Context) => Given;

/** A model call on its way. */
export interface ModelCallContext {
  readonly agent: Agent;
  readonly session: AgentSession;
  /** Id of the run. */
  readonly run: string;
  /** 1 for the run's first model call. */
  readonly step: number;
  readonly model: Model;
  readonly request: ModelRequest;
}

/** A tool call on its way, with valid arguments. */
export interface ToolCallContext {
  readonly tool: AgentTool;
  readonly call: ToolCallPart;
  readonly input: unknown;
  /** What the tool gets beside its input. */
  readonly context: ToolContext;
}

/**
 * Stands around runs, model calls and tool calls; of several the first is the outermost. Each may go on with a changed
 * context, more than once or not at all, change what comes back, and throw: a run's and a model's error ends the run, a
 * tool's is what the model reads.
 */
export interface Middleware {
  /** Around whole runs, streamed or not. */
  readonly run?: (
    context: RunContext,
    next: Next<RunContext, AsyncIterable<AgentResponseUpdate>>,
  ) => AsyncIterable<AgentResponseUpdate>;
  /** Around every model call. */
  readonly model?: (
    context: ModelCallContext,
    next: Next<ModelCallContext, AsyncIterable<readonly Event[]>>,
  ) => AsyncIterable<readonly Event[]>;
  /** Around every tool call that reaches its tool. */
  readonly tool?: (
    context: ToolCallContext,
    next: Next<ToolCallContext, Promise<ToolReturn>>,
  ) => ToolReturn | Promise<ToolReturn>;
}

type Around<Context, Given> = (context: Context, next: Next<Context, Given>) => Given;

/** Throws `agent/invalid` for what stands around nothing. */
export function checkedMiddleware(middleware: readonly Middleware[]): readonly Middleware[] {
  for (const [place, each] of middleware.entries()) {
    const given: unknown = each;
    const layers = isJsonObject(given) ? [given["run"], given["model"], given["tool"]] : [];
    if (layers.some(layer => typeof layer === "function")) continue;
    throw failure(
      "agent/invalid",
      `\`middleware[${place}]\` has none of \`run\`, \`model\` and \`tool\`: give a function`,
    );
  }
  return middleware;
}

/** Those of one kind around the innermost, the first outermost. */
export function around<Context, Given>(
  layers: readonly (Around<Context, Given> | undefined)[],
  innermost: (context: Context) => Given,
): (context: Context) => Given {
  return layers.reduceRight<(context: Context) => Given>(
    (inner, layer) => (layer ? context => layer(context, (changed = context) => inner(changed)) : inner),
    innermost,
  );
}
