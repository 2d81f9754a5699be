import { type Event, isJsonObject, type ToolCallPart } from "translogue";
import type { Agent } from "./agent.ts";
import { failure } from "./errors.ts";
import { checkedItems, kindOf, streamed } from "./hooks.ts";
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

type RunLayer = NonNullable<Middleware["run"]>;
type ModelLayer = NonNullable<Middleware["model"]>;
type ToolLayer = NonNullable<Middleware["tool"]>;

/** The layers around runs. Each throws `agent/invalid` for what it gives that is no run. */
export const runLayersOf = (middleware: readonly Pick<Middleware, "run">[]): readonly RunLayer[] =>
  middleware.flatMap(({ run }, place) => {
    const by = `\`middleware[${place}].run\``;
    return run
      ? [checkedLayer<RunContext, AgentResponseUpdate>(run, { by, give: updates }, item => checkedUpdate(item, by))]
      : [];
  });

/** Those around model calls. */
const modelLayersOf = (middleware: readonly Middleware[]): readonly (ModelLayer | undefined)[] =>
  middleware.map(({ model }, place) => {
    const by = `\`middleware[${place}].model\``;
    return model && checkedLayer<ModelCallContext, readonly Event[]>(model, { by, give: batches });
  });

/** Those around tool calls: what a tool gave is not lost because its layer forgot to give it on. */
const toolLayersOf = (
  middleware: readonly Middleware[],
): readonly (((...given: Parameters<ToolLayer>) => Promise<ToolReturn>) | undefined)[] =>
  middleware.map(
    ({ tool }, place) =>
      tool &&
      (async (context, next) => {
        let isGiven = false;
        const returned = await tool(context, async changed => {
          const inner = await next(changed);
          isGiven ||= inner !== undefined;
          return inner;
        });
        if (returned !== undefined || !isGiven) return returned;
        const by = `\`middleware[${place}].tool\``;
        throw failure(
          "agent/invalid",
          `${by} gave nothing, and the tool gave a result: return what \`next()\` gives, or null`,
        );
      }),
  );

/** A model call with what stands around it. */
export const aroundModel = (
  middleware: readonly Middleware[],
  innermost: (context: ModelCallContext) => AsyncIterable<readonly Event[]>,
): ((context: ModelCallContext) => AsyncIterable<readonly Event[]>) => around(modelLayersOf(middleware), innermost);

/** A tool call with what stands around it. */
export const aroundTool = (
  middleware: readonly Middleware[],
  call: ToolCallContext,
  execute: (input: unknown) => Promise<ToolReturn>,
): Promise<ToolReturn> =>
  around<ToolCallContext, Promise<ToolReturn>>(toolLayersOf(middleware), ({ input }) => execute(input))(call);

const updates = "back what `next()` gives, or write `async *run` and yield its updates";
const batches = "back what `next()` gives, or write `async *model` and yield its lists of events";

/** What a layer only gives on was looked at further in. */
function checkedLayer<Context, Item>(
  layer: (context: Context, next: Next<Context, AsyncIterable<Item>>) => unknown,
  wanted: { readonly by: string; readonly give: string },
  check?: (item: unknown) => Item,
): (context: Context, next: Next<Context, AsyncIterable<Item>>) => AsyncIterable<Item> {
  return (context, next) => {
    const inner = new Set<unknown>();
    const given = layer(context, changed => {
      const items = next(changed);
      inner.add(items);
      return items;
    });
    const items = streamed<Item>(given, wanted);
    return check && !inner.has(items) ? checkedItems(items, check) : items;
  };
}

function checkedUpdate(item: unknown, by: string): AgentResponseUpdate {
  if (isJsonObject(item) && Array.isArray(item["events"])) return item as unknown as AgentResponseUpdate; // as far as code relies on it
  throw failure(
    "agent/invalid",
    `${by} yielded ${kindOf(item)} in place of an update: yield those of \`next()\`, changed or not`,
  );
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
