import type { Json, Message, Settings } from "translogue";
import { Agent, type CreateSessionOptions, type RunOptions } from "./agent.ts";
import { failure } from "./errors.ts";
import { beginRun } from "./loop/begin.ts";
import type { RunTask } from "./loop/drive.ts";
import { runInSession } from "./loop/run.ts";
import type { RunPolicy } from "./loop/state.ts";
import type { Model } from "./model.ts";
import { areTools, isModel } from "./options.ts";
import type { AgentResponse, AgentResponseUpdate } from "./response.ts";
import { AgentSession, deserializeSession, type SessionRecord, serializeSession } from "./session.ts";
import { type Sleep, sleep } from "./time.ts";
import { type AgentTool, mergeTools, toolsByName } from "./tools/tool.ts";

export interface Limits {
  /** Model calls in one run, its pauses included. Default 40. */
  readonly maxSteps?: number;
  /** Steps in a row in which a tool may fail. Default 3: the fourth ends the run. */
  readonly maxConsecutiveErrors?: number;
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
  readonly tools?: readonly AgentTool[];
  readonly settings?: Settings;
  readonly limits?: Limits;
  /** Calls beside one that needs approval: `run` at once (default), or `hold` them until it is answered. */
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
  readonly #tools: ReadonlyMap<string, AgentTool>;
  readonly #policy: RunPolicy;

  constructor(options: AgentOptions) {
    super();
    checkAgentOptions(options);
    this.#options = options;
    this.#tools = toolsByName(options.tools ?? []);
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

  get tools(): readonly AgentTool[] {
    return [...this.#tools.values()];
  }

  protected override get idCore(): string | undefined {
    return this.#options.id;
  }

  protected override async runCore(
    messages: readonly Message[],
    session: AgentSession,
    options: RunOptions,
  ): Promise<AgentResponse> {
    const run = runInSession(session, record => this.#task(messages, { session, record, options }));
    for (let next = await run.next(); ; next = await run.next()) if (next.done) return next.value;
  }

  protected override runCoreStreaming(
    messages: readonly Message[],
    session: AgentSession,
    options: RunOptions,
  ): AsyncIterable<AgentResponseUpdate> {
    return runInSession(session, record => this.#task(messages, { session, record, options }));
  }

  protected override createSessionCore({ id, messages = [] }: CreateSessionOptions): AgentSession {
    return new AgentSession({ id: id ?? this.#newId(), messages });
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
    const { instructions, settings } = this.#options;
    const model = options.model ?? this.#options.model;
    const tools = mergeTools(this.#tools, options.tools);
    const { toolChoice } = options;
    const start = beginRun(messages, record, {
      newId: () => this.#newId(),
      now: this.#now().toISOString(),
      policy: this.#policy,
      author: { id: this.id, ...(this.name !== undefined && { name: this.name }), kind: "agent" },
      model,
    });
    return {
      agent: this,
      session,
      model,
      tools,
      instructions: [instructions, options.instructions].filter(text => text?.trim()).join("\n") || undefined,
      settings: { ...settings, ...options.settings, ...(toolChoice !== undefined && { toolChoice }) },
      additionalProperties: options.additionalProperties ?? {},
      signal: options.signal,
      now: () => this.#now(),
      sleep: this.#options.sleep ?? sleep,
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

function checkAgentOptions({ model, tools }: Partial<AgentOptions>): void {
  if (!isModel(model)) throw failure("agent/invalid", "`model` is no model: give an object with `stream`");
  if (tools !== undefined && !areTools(tools)) {
    throw failure("agent/invalid", "`tools` is no list of tools: give those that `defineTool` made");
  }
}

function readPolicy({ limits = {}, approvals = {}, toolExecution = "parallel" }: AgentOptions): RunPolicy {
  const { maxSteps = 40, maxConsecutiveErrors = 3, finalAnswer = false } = limits;
  if (!Number.isInteger(maxSteps) || maxSteps < 1) {
    throw failure("agent/invalid", `\`limits.maxSteps\` is ${maxSteps}: give a whole number from 1 on`);
  }
  if (!Number.isInteger(maxConsecutiveErrors) || maxConsecutiveErrors < 0) {
    throw failure(
      "agent/invalid",
      `\`limits.maxConsecutiveErrors\` is ${maxConsecutiveErrors}: give a whole number from 0 on`,
    );
  }
  return { maxSteps, maxConsecutiveErrors, finalAnswer, toolExecution, mixed: approvals.mixed ?? "run" };
}
