import type { Json, Message, Settings, Tool } from "translogue";
import { Agent, type CreateSessionOptions, type RunOptions, type SerializeOptions } from "./agent.ts";
import { type AutoApproval, withRule, withStanding } from "./approval-rules.ts";
import { failure } from "./errors.ts";
import { led } from "./hand-off.ts";
import { beginRun } from "./loop/begin.ts";
import type { Compaction } from "./loop/compaction.ts";
import { type Continued, continueRun } from "./loop/continue.ts";
import type { RunTask } from "./loop/drive.ts";
import { openedOnce, settledOnce } from "./loop/durable.ts";
import type { ModelPrice } from "./loop/limits.ts";
import { pausedOf } from "./loop/restore.ts";
import { type OverRun, runInSession } from "./loop/run.ts";
import type { RunPolicy } from "./loop/state.ts";
import { around, checkedMiddleware, type Middleware } from "./middleware.ts";
import type { Model } from "./model.ts";
import { areTools, isModel } from "./options.ts";
import { type Limits, readPolicy } from "./policy.ts";
import { AroundRun, checkProviders, type Prepared } from "./providers/around-run.ts";
import type { ContextProvider } from "./providers/context.ts";
import { type ChatHistoryProvider, SessionHistory } from "./providers/history.ts";
import { type AgentResponse, type AgentResponseUpdate, type Author, accumulateUpdates } from "./response.ts";
import { askedAgain } from "./result/ask-again.ts";
import { type ReadFormat, type ResponseFormat, readResponseFormat } from "./result/response-format.ts";
import type { RunContext } from "./run-context.ts";
import {
  AgentSession,
  deserializeSession,
  isMafSession,
  recordOf,
  type SessionRecord,
  serializeSession,
} from "./session.ts";
import { type Sleep, sleep } from "./time.ts";
import { type ContinuationToken, decodeToken } from "./token.ts";
import type { ToolErrors, UnknownTools } from "./tools/execute.ts";
import type { AgentTool } from "./tools/tool.ts";
import { type ToolSource, toolsByName, toolset } from "./tools/toolset.ts";

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
  /** What every answer is to be; a run may ask for something else. */
  readonly responseFormat?: ResponseFormat;
  /** How often a model whose answer is not what was asked for is asked again. Default 0. */
  readonly resultRetries?: number;
  readonly limits?: Limits;
  /** How a history that is too long for its model is read. Default: not at all, and the host refuses it. */
  readonly compaction?: Compaction;
  /** Money for a million tokens, by the models' ids. Nothing is charged by them: `limits.maxCost` counts with them. */
  readonly prices?: { readonly [model: string]: ModelPrice };
  /** Calls beside one that needs approval or is the application's: `run` at once (default), or `hold` them until it is answered. */
  readonly approvals?: {
    readonly mixed?: "run" | "hold";
    /** Calls that need approval and go through without asking anybody: where one of these says so. */
    readonly auto?: readonly AutoApproval[];
  };
  /** The calls of one answer. Default `parallel`. */
  readonly toolExecution?: "parallel" | "serial";
  /** Models may go on in the background, for every run that has a session and does not say otherwise. */
  readonly allowBackgroundResponses?: boolean;
  /** Where the history is kept. Default: in the session, all of it. */
  readonly history?: ChatHistoryProvider | SessionHistory;
  /** Asked before every run, in order, for what to add to it, and told afterwards what came of it. */
  readonly context?: readonly ContextProvider[];
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
  readonly #format: ReadFormat | undefined;

  constructor(options: AgentOptions) {
    super();
    checkAgentOptions(options);
    checkProviders({ context: options.context ?? [], history: options.history });
    this.#options = options;
    toolset(options.tools instanceof Function ? [] : (options.tools ?? []), [], options.additionalTools);
    checkedMiddleware(options.middleware ?? []);
    this.#policy = readPolicy(options);
    this.#format = options.responseFormat === undefined ? undefined : readResponseFormat(options.responseFormat);
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

  protected override get responseFormatCore(): ReadFormat | undefined {
    return this.#format;
  }

  protected override async runCore(
    messages: readonly Message[],
    session: AgentSession,
    options: RunOptions,
  ): Promise<AgentResponse> {
    const context: RunContext = { agent: this, session, messages, options };
    const isPlain =
      this.#layers.length === 0 &&
      !this.#options.resultRetries &&
      ![...this.tools, ...(options.tools ?? [])].some(tool => tool.handsOff);
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
      led({
        agent: this,
        context: { ...context, session, messages, options },
        tools: [...(options.tools ?? []), ...this.tools],
        own: () => {
          const first = run(this.#run(messages, session, options));
          const { resultRetries: times = 0 } = this.#options;
          const format = this.#formatOf(options);
          if (times === 0 || !format) return first;
          return askedAgain(first, { format, times, again: said => run(this.#run([said], session, options)) });
        },
      }),
    )(context);
  }

  #run(messages: readonly Message[], session: AgentSession, options: RunOptions) {
    const { context = [], history } = this.#options;
    const providers = { history, override: options.history, context };
    checkProviders({ context, history: options.history });
    const around = new AroundRun(providers, {
      agent: this,
      session,
      messages,
      additionalProperties: options.additionalProperties ?? {},
      ...(options.signal && { signal: options.signal }),
    });
    return runInSession(session, {
      begin: async record => {
        const continued = await this.#continued(messages, { session, record, options });
        if (continued?.isOver) return this.#over(continued);
        const before = record.messages;
        const prepared = await around.prepare(this.#given(options));
        const given = withStanding(prepared.messages, record.paused);
        const isSeen = continued?.isSeen ?? false;
        const beginning = this.#task(given.messages, { session, record, options, prepared, isSeen });
        const task = await openedOnce(beginning, record, record.messages !== before);
        record.approvalRules = given.rules.reduce(withRule, record.approvalRules ?? []);
        if (record.approvalRules.length === 0) record.approvalRules = undefined;
        around.begun();
        return task;
      },
      settle: error => {
        const hasProviders = (options.history ?? history) !== undefined || context.length > 0;
        const settle = () => around.settle(error);
        return settledOnce(settle, recordOf(session), hasProviders ? options.operations : undefined);
      },
    });
  }

  /** The run that a token names, made the session's open one. */
  async #continued(
    given: readonly Message[],
    { session, record, options }: Omit<Beginning, "prepared" | "isSeen">,
  ): Promise<Continued | undefined> {
    const { continuationToken: token } = options;
    if (token === undefined) return undefined;
    const model = options.model ?? this.#options.model;
    const read = typeof token === "string" ? await readToken(token) : token;
    return continueRun(read, { session, record, given }, { ...this.#setup(), model });
  }

  #setup() {
    const author: Author = { id: this.id, ...(this.name !== undefined && { name: this.name }), kind: "agent" };
    return { newId: () => this.#newId(), now: this.#now().toISOString(), policy: this.#policy, author };
  }

  #over({ messages, run }: Extract<Continued, { readonly isOver: true }>): OverRun {
    const finish = messages.findLast(message => message.finish)?.finish;
    return { over: { messages, agentId: this.id, responseId: run, ...(finish && { finish }) } };
  }

  /** What a run has before its context is asked for. Throws `tool/duplicate-name`. */
  #given({ instructions, tools = [] }: RunOptions) {
    toolsByName(tools);
    return {
      instructions: [this.#options.instructions, instructions].filter(text => text?.trim()).join("\n") || undefined,
      tools: [...tools, ...this.tools.filter(({ name }) => !tools.some(tool => tool.name === name))],
    };
  }

  protected override createSessionCore({ id, messages = [], conversationId }: CreateSessionOptions): AgentSession {
    const session = new AgentSession({ id: id ?? this.#newId(), messages });
    const record = recordOf(session);
    record.paused = pausedOf(messages, () => this.#newId());
    if (conversationId?.trim()) record.served = { id: conversationId, known: messages.length };
    return session;
  }

  protected override async serializeSessionCore(session: AgentSession, { as }: SerializeOptions): Promise<Json> {
    if (as === undefined) return serializeSession(session);
    const { writeMafSession } = await import("./maf/session.ts");
    const { value, text } = writeMafSession(session, this.#historyKey);
    return as === "maf" ? value : text();
  }

  protected override async deserializeSessionCore(json: Json): Promise<AgentSession> {
    if (!isMafSession(json)) return deserializeSession(json);
    const { readMafSession } = await import("./maf/session.ts");
    return readMafSession(json, { newId: () => this.#newId(), ...this.#historyKey });
  }

  get #historyKey(): { readonly historyKey?: string } {
    const { history } = this.#options;
    const key = history instanceof SessionHistory ? history.options.key : undefined;
    return key === undefined ? {} : { historyKey: key };
  }

  #task(messages: readonly Message[], { session, record, options, prepared, isSeen }: Beginning): RunTask {
    const { settings, additionalTools, unknownTools = "answer", toolErrors = "message" } = this.#options;
    const { middleware = [], tools: own = [], hostedTools = [] } = this.#options;
    const model = options.model ?? this.#options.model;
    const { toolChoice } = options;
    const format = this.#formatOf(options);
    const resultTools = format?.tool ? [format.tool] : [];
    serveAt(record, options.conversationId);
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
      tools: async () =>
        toolset(
          own instanceof Function ? await own() : own,
          [...(options.tools ?? []), ...prepared.tools, ...resultTools],
          additionalTools,
        ),
      hostedTools,
      unknownTools,
      toolErrors,
      middleware,
      instructions: prepared.instructions,
      background: options.allowBackgroundResponses ?? this.#options.allowBackgroundResponses ?? false,
      isSeen,
      autoApprovals: this.#options.approvals?.auto ?? [],
      settings: {
        ...settings,
        ...asked(this.#format),
        ...options.settings,
        ...asked(options.responseFormat === undefined ? undefined : format),
        ...(toolChoice !== undefined && { toolChoice }),
      },
      additionalProperties: options.additionalProperties ?? {},
      signal: options.signal,
      stopSignal: options.stopSignal,
      now: () => this.#now(),
      sleep: this.#options.sleep ?? sleep,
      view: options.view,
      timeoutMs: this.#options.limits?.timeoutMs,
      compaction: this.#options.compaction,
      operations: options.operations,
      ...start,
    };
  }

  #formatOf({ responseFormat }: RunOptions): ReadFormat | undefined {
    return responseFormat === undefined ? this.#format : readResponseFormat(responseFormat);
  }

  #newId(): string {
    return this.#options.newId?.() ?? globalThis.crypto.randomUUID();
  }

  #now(): Date {
    return this.#options.clock?.() ?? new Date();
  }
}

const asked = (format: ReadFormat | undefined): Settings =>
  format && !format.tool ? { responseFormat: format.asked } : {};

interface Beginning {
  readonly session: AgentSession;
  readonly record: SessionRecord;
  readonly options: RunOptions;
  readonly prepared: Prepared;
  readonly isSeen: boolean;
}

async function readToken(text: string): Promise<ContinuationToken> {
  const { decodeMafToken, isMafToken } = await import("./maf/token.ts");
  return isMafToken(text) ? decodeMafToken(text) : decodeToken(text);
}

/** Throws `options/invalid` where the session is kept in another conversation. */
function serveAt(record: SessionRecord, conversationId: string | undefined): void {
  if (!conversationId?.trim()) return;
  const { served, messages } = record;
  if (served && served.id !== conversationId) {
    const message = `the session is kept in the conversation \`${served.id}\`, and the run names \`${conversationId}\``;
    throw failure("options/invalid", message, { data: { option: "conversationId" } });
  }
  record.served ??= { id: conversationId, known: messages.length };
}

function checkAgentOptions({ model, tools, additionalTools }: Partial<AgentOptions>): void {
  if (!isModel(model)) throw failure("agent/invalid", "`model` is no model: give an object with `stream`");
  for (const [name, list] of Object.entries({ tools, additionalTools })) {
    if (list === undefined || list instanceof Function || areTools(list)) continue;
    throw failure("agent/invalid", `\`${name}\` is no list of tools: give those that \`defineTool\` made`);
  }
}
