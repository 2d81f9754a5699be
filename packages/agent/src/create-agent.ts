import type { Json, Message, Settings, Tool } from "translogue";
import { Agent, type CreateSessionOptions, type RunInput, type RunOptions } from "./agent.ts";
import { failure } from "./errors.ts";
import { readInput } from "./input.ts";
import { beginRun } from "./loop/begin.ts";
import type { RunTask } from "./loop/drive.ts";
import { pausedOf } from "./loop/restore.ts";
import { runInSession } from "./loop/run.ts";
import type { RunPolicy } from "./loop/state.ts";
import { around, type Middleware } from "./middleware.ts";
import type { Model } from "./model.ts";
import { areTools, checkRunOptions, isModel } from "./options.ts";
import { type AgentResponse, type AgentResponseUpdate, accumulateUpdates } from "./response.ts";
import type { RunContext } from "./run-context.ts";
import { AgentSession, busy, deserializeSession, recordOf, type SessionRecord, serializeSession } from "./session.ts";
import { type Sleep, sleep } from "./time.ts";
import type { ToolErrors, UnknownTools } from "./tools/execute.ts";
import type { AgentTool } from "./tools/tool.ts";
import { type ToolSource, toolsByName, toolset } from "./tools/toolset.ts";

export interface Limits {
  /** Model calls in one run, its pauses included. Default 40. */
  readonly maxSteps?: number;
  /** Steps in a row in which a tool may fail. Default 3: the fourth ends the run. */
  readonly maxConsecutiveErrors?: number;
  /** How often in a row the same call, by its tool and arguments, may give the same result: 2 or more. Default: no limit. */
  readonly maxRepeats?: number;
  /** At `maxRepeats`: the model is told (default), or the run ends. */
  readonly atMaxRepeats?: "answer" | "stop";
  /** At `maxSteps` the model is asked once more, without tools. Default false. */
  readonly finalAnswer?: boolean;
}

export interface AgentOptions {
  readonly id?: string;
  readonly name?: string;
  readonly description?: string;
  /** The system text. It is no part of a session. */
  readonly instructions?: string;
  readonly model: Model;
  /** A function where they change: it is asked before every model call and every tool call. */
  readonly tools?: readonly AgentTool[] | ToolSource;
  /** Run where the model calls them by name, though it is not told of them. */
  readonly additionalTools?: readonly AgentTool[];
  /** Tools that the provider runs, offered as they are: `kind` and `native` say what they are to it. */
  readonly hostedTools?: readonly Tool[];
  /**
   * A call of a tool that nobody knows: the model is told (default); the run stops before any call of the answer, for
   * whoever holds the conversation to see to it; or the run fails with `tool/unknown`.
   */
  readonly unknownTools?: UnknownTools;
  /** An answer without text and calls, or of thoughts alone: take it (default), or ask once more without it. */
  readonly emptyAnswer?: "accept" | "retry";
  /** What the model reads of a tool that throws. Default `message`. */
  readonly toolErrors?: ToolErrors;
  /** Around runs, model calls and tool calls; the first is the outermost. */
  readonly middleware?: readonly Middleware[];
  readonly settings?: Settings;
  readonly limits?: Limits;
  /** Calls beside one that needs approval or is the application's: `run` at once (default), or `hold` them until it is answered. */
  readonly approvals?: { readonly mixed?: "run" | "hold" };
  /** The calls of one answer. Default `parallel`. */
  readonly toolExecution?: "parallel" | "serial";
  readonly clock?: () => Date;
  readonly newId?: () => string;
  /** What counts the time of tools that have a `timeoutMs`. */
  readonly sleep?: Sleep;
}

/** An agent that a model drives. Throws `agent/invalid`, `tool/duplicate-name`. */
export const createAgent = (options: AgentOptions): ModelAgent => new ModelAgent(options);

export class ModelAgent extends Agent {
  readonly #options: AgentOptions;
  readonly #policy: RunPolicy;

  constructor(options: AgentOptions) {
    super();
    checkAgentOptions(options);
    this.#options = options;
    toolset(options.tools instanceof Function ? [] : (options.tools ?? []), [], options.additionalTools);
    this.#policy = readPolicy(options);
  }

  override get name(): string | undefined {
    return this.#options.name;
  }

  override get description(): string | undefined {
    return this.#options.description;
  }

  get model(): Model {
    return this.#options.model;
  }

  /** Those that do not change. */
  get tools(): readonly AgentTool[] {
    const { tools = [] } = this.#options;
    return tools instanceof Function ? [] : tools;
  }

  protected override get idCore(): string | undefined {
    return this.#options.id;
  }

  /**
   * Takes input into a session as an open run, and does nothing of it yet: `run()` without input begins it, here or where
   * the session, stored, was loaded. Throws what `run` throws before it starts.
   */
  async openRun(input: RunInput, options: RunOptions & { readonly session: AgentSession }): Promise<void> {
    checkRunOptions(options);
    const { session } = options;
    const record = recordOf(session);
    if (record.isRunning) throw busy(session);
    const { from } = this.#task(readInput(input), { session, record, options });
    record.snapshot = () => from;
  }

  protected override async runCore(
    messages: readonly Message[],
    session: AgentSession,
    options: RunOptions,
  ): Promise<AgentResponse> {
    const context: RunContext = { agent: this, session, messages, options };
    const isPlain = this.#layers.length === 0;
    const updates: AgentResponseUpdate[] = [];
    let own: AgentResponse | undefined;
    for await (const update of this.#updates(context, response => (own = response))) if (!isPlain) updates.push(update);
    // What stands around the run may have changed what came of it.
    return own && isPlain ? own : accumulateUpdates(updates, own?.raw);
  }

  protected override runCoreStreaming(
    messages: readonly Message[],
    session: AgentSession,
    options: RunOptions,
  ): AsyncIterable<AgentResponseUpdate> {
    return this.#updates({ agent: this, session, messages, options });
  }

  get #layers(): readonly NonNullable<Middleware["run"]>[] {
    return this.#options.middleware?.flatMap(({ run }) => (run ? [run] : [])) ?? [];
  }

  #updates(context: RunContext, over?: (response: AgentResponse) => void): AsyncIterable<AgentResponseUpdate> {
    const run = async function* (own: AsyncGenerator<AgentResponseUpdate, AgentResponse, undefined>) {
      const response = yield* own;
      over?.(response);
    };
    return around<RunContext, AsyncIterable<AgentResponseUpdate>>(this.#layers, ({ session, messages, options }) =>
      run(runInSession(session, record => this.#task(messages, { session, record, options }))),
    )(context);
  }

  protected override createSessionCore({ id, messages = [], conversationId }: CreateSessionOptions): AgentSession {
    const session = new AgentSession({ id: id ?? this.#newId(), messages });
    const record = recordOf(session);
    record.paused = pausedOf(messages, () => this.#newId());
    if (conversationId?.trim()) record.served = { id: conversationId, known: messages.length };
    return session;
  }

  protected override serializeSessionCore(session: AgentSession): Json {
    return serializeSession(session);
  }

  protected override deserializeSessionCore(json: Json): AgentSession {
    return deserializeSession(json);
  }

  #task(
    messages: readonly Message[],
    { session, record, options }: { session: AgentSession; record: SessionRecord; options: RunOptions },
  ): RunTask {
    const { instructions, settings, additionalTools, unknownTools = "answer", toolErrors = "message" } = this.#options;
    const { middleware = [], tools: own = [], hostedTools = [] } = this.#options;
    const model = options.model ?? this.#options.model;
    toolsByName(options.tools ?? []); // what is wrong with them throws before the run begins
    const { toolChoice } = options;
    const start = beginRun(messages, record, {
      newId: () => this.#newId(),
      now: this.#now().toISOString(),
      policy: this.#policy,
      author: { id: this.id, ...(this.name !== undefined && { name: this.name }), kind: "agent" },
      model,
      served: record.served,
    });
    return {
      agent: this,
      session,
      model,
      tools: async () => toolset(own instanceof Function ? await own() : own, options.tools, additionalTools),
      hostedTools,
      unknownTools,
      toolErrors,
      middleware,
      instructions: [instructions, options.instructions].filter(text => text?.trim()).join("\n") || undefined,
      settings: { ...settings, ...options.settings, ...(toolChoice !== undefined && { toolChoice }) },
      additionalProperties: options.additionalProperties ?? {},
      signal: options.signal,
      stopSignal: options.stopSignal,
      now: () => this.#now(),
      sleep: this.#options.sleep ?? sleep,
      operations: options.operations,
      ...start,
    };
  }

  #newId(): string {
    return this.#options.newId?.() ?? globalThis.crypto.randomUUID();
  }

  #now(): Date {
    return this.#options.clock?.() ?? new Date();
  }
}

function checkAgentOptions({ model, tools, additionalTools }: Partial<AgentOptions>): void {
  if (!isModel(model)) throw failure("agent/invalid", "`model` is no model: give an object with `stream`");
  for (const [name, list] of Object.entries({ tools, additionalTools })) {
    if (list === undefined || list instanceof Function || areTools(list)) continue;
    throw failure("agent/invalid", `\`${name}\` is no list of tools: give those that \`defineTool\` made`);
  }
}

function readPolicy({ limits = {}, approvals = {}, toolExecution = "parallel", emptyAnswer }: AgentOptions): RunPolicy {
  const { maxSteps = 40, maxConsecutiveErrors = 3, maxRepeats, atMaxRepeats = "answer", finalAnswer = false } = limits;
  checkLimit("maxSteps", maxSteps, 1);
  checkLimit("maxConsecutiveErrors", maxConsecutiveErrors, 0);
  if (maxRepeats !== undefined) checkLimit("maxRepeats", maxRepeats, 2);
  return {
    maxSteps,
    maxConsecutiveErrors,
    ...(maxRepeats !== undefined && { repeats: { max: maxRepeats, action: atMaxRepeats } }),
    ...(emptyAnswer && { emptyAnswer }),
    finalAnswer,
    toolExecution,
    mixed: approvals.mixed ?? "run",
  };
}

function checkLimit(name: keyof Limits, value: number, least: number): void {
  if (Number.isInteger(value) && value >= least) return;
  throw failure("agent/invalid", `\`limits.${name}\` is ${value}: give a whole number from ${least} on`);
}
