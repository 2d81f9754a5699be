import { isJsonObject, type Json, type Message, type Settings, type Tool } from "translogue";
import { Agent, type CreateSessionOptions, type RunOptions, type SerializeOptions } from "./agent.ts";
import type { AutoApproval } from "./approval-rules.ts";
import { copyOf } from "./copies.ts";
import { failure } from "./errors.ts";
import { led } from "./hand-off.ts";
import { kindOf, wrongGiven } from "./hooks.ts";
import { readInput } from "./input.ts";
import type { Compaction } from "./loop/compaction.ts";
import type { ModelPrice } from "./loop/limits.ts";
import { pausedOf } from "./loop/restore.ts";
import { runInSession } from "./loop/run.ts";
import type { StepModel } from "./loop/step-model.ts";
import { checkedMiddleware, type Middleware, runLayersOf } from "./middleware.ts";
import type { Model } from "./model.ts";
import { modelRun } from "./model-run.ts";
import type { PromptCache } from "./models/cache-marks.ts";
import { areTools, checkNames, isModel } from "./options.ts";
import { type Limits, readPolicy } from "./policy.ts";
import { checkProviders } from "./providers/around-run.ts";
import type { ContextProvider } from "./providers/context.ts";
import { type ChatHistoryProvider, SessionHistory } from "./providers/history.ts";
import { toolsGiven } from "./providers/tools-given.ts";
import { type AgentResponse, type AgentResponseUpdate, accumulateUpdates } from "./response.ts";
import { askedAgain, optionsAgain } from "./result/ask-again.ts";
import { type ReadFormat, type ResponseFormat, readResponseFormat } from "./result/response-format.ts";
import { RunClock } from "./run-chain.ts";
import type { RunContext } from "./run-context.ts";
import { layered } from "./run-layers.ts";
import { type Definition, formatOf } from "./run-task.ts";
import { AgentSession, deserializeSession, isMafSession, recordOf, serializeSession } from "./session.ts";
import { type Sleep, sleep } from "./time.ts";
import type { ToolErrors, UnknownTools } from "./tools/execute.ts";
import type { AgentTool } from "./tools/tool.ts";
import { type ToolSource, toolset, toolsOf } from "./tools/toolset.ts";

export interface AgentOptions {
  readonly id?: string;
  readonly name?: string;
  readonly description?: string;
  /** Of this definition: a run that waits, or was cut, under one version is not gone on with under another (`agent/changed`). */
  readonly version?: string;
  /** The system text. It is no part of a session. */
  readonly instructions?: string;
  readonly model: Model;
  /** Another model than the run's for some steps: asked before every model call. An answer in the background is fetched of the one that it gives again. */
  readonly modelFor?: StepModel;
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
  /** Marks instructions, tools and history where the provider caches by marks; others cache by themselves. Default false. */
  readonly promptCache?: boolean | PromptCache;
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
  readonly #definition: Definition;

  constructor(options: AgentOptions) {
    super();
    checkAgentOptions(options);
    checkProviders({ context: options.context ?? [], history: options.history });
    this.#options = options;
    toolset(options.tools instanceof Function ? [] : (options.tools ?? []), [], options.additionalTools);
    checkedMiddleware(options.middleware ?? []);
    const { responseFormat, newId, clock } = options;
    this.#definition = {
      agent: this,
      options,
      policy: readPolicy(options),
      format: responseFormat === undefined ? undefined : readResponseFormat(responseFormat),
      newId: () => checkedId(newId?.()),
      now: () => checkedTime(clock?.()),
    };
  }

  override get name(): string | undefined {
    return this.#options.name;
  }

  override get description(): string | undefined {
    return this.#options.description;
  }

  override get isDurable(): boolean {
    return true;
  }

  get model(): Model {
    return this.#options.model;
  }

  /** Those that do not change. */
  get tools(): readonly AgentTool[] {
    const { tools = [] } = this.#options;
    return tools instanceof Function ? [] : tools;
  }

  /** All that it runs now: those that change too, and those that no model is told of. */
  async currentTools(): Promise<readonly AgentTool[]> {
    const { tools = [], additionalTools = [] } = this.#options;
    return [...(await toolsOf(tools)), ...additionalTools];
  }

  /** With those that context providers give for a run. Throws `context/failed`. */
  async toolsAround({ session, messages, options }: RunContext): Promise<readonly AgentTool[]> {
    const { context = [], instructions, limits, sleep: own = sleep } = this.#options;
    const tools = await this.currentTools();
    const about = {
      ...{ agent: this, session, messages, additionalProperties: options.additionalProperties ?? {}, tools },
      ...(instructions !== undefined && { instructions }),
    };
    const patience = { signal: options.signal, timeoutMs: limits?.timeoutMs, sleep: own };
    return [...tools, ...(await toolsGiven(context, about, patience))];
  }

  protected override get idCore(): string | undefined {
    return this.#options.id;
  }

  protected override get responseFormatCore(): ReadFormat | undefined {
    return this.#definition.format;
  }

  protected override async runCore(
    messages: readonly Message[],
    session: AgentSession,
    options: RunOptions,
  ): Promise<AgentResponse> {
    const context: RunContext = { agent: this, session, messages, options };
    const isPlain = this.#layers.length === 0 && !this.#options.resultRetries && !this.#mayHandOff(options);
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
    return runLayersOf(this.#options.middleware ?? []);
  }

  #mayHandOff({ tools: ofRun = [] }: RunOptions): boolean {
    const { tools = [], additionalTools = [], context = [] } = this.#options;
    if (tools instanceof Function || context.length > 0) return true;
    return [...tools, ...additionalTools, ...ofRun].some(({ handsOff }) => handsOff);
  }

  #updates(context: RunContext, over?: (response: AgentResponse) => void): AsyncIterable<AgentResponseUpdate> {
    const run = async function* (own: AsyncGenerator<AgentResponseUpdate, AgentResponse, undefined>) {
      const response = yield* own;
      over?.(response);
    };
    const { limits, sleep: own = sleep } = this.#options;
    const clock = new RunClock(limits?.timeoutMs, own);
    const ledRun = ({ session, messages, options }: RunContext): AsyncIterable<AgentResponseUpdate> => {
      const { provider } = options.model ?? this.#options.model;
      const lead = { agent: this, provider, policy: this.#definition.policy, clock };
      return led({ ...lead, context: { ...context, session, messages, options } }, added => {
        const runOf = (messages: readonly Message[], options: RunOptions) =>
          run(
            runInSession(
              session,
              modelRun(this.#definition, { messages, session, options, polls: over !== undefined, added }),
            ),
          );
        const { resultRetries: times = 0 } = this.#options;
        const format = formatOf(this.#definition, options);
        if (times === 0 || !format) return runOf(messages, options);
        return this.#retried({ session, messages, options }, { format, times, runOf });
      });
    };
    return layered(this.#layers, ledRun, { context, clock, sleep: own, newId: this.#definition.newId });
  }

  /** A run that was cut between two tries goes on with the next. */
  #retried(
    { session, messages, options }: Pick<RunContext, "session" | "messages" | "options">,
    { runOf, ...asking }: Retrying,
  ): AsyncIterable<AgentResponseUpdate> {
    const record = recordOf(session);
    const cut = messages.length === 0 ? record.between?.again : undefined;
    const tried = ({ said, time }: NonNullable<typeof cut>) => runOf([said], optionsAgain(options, time));
    const again = (said: Message, time: number) => {
      const { chain } = record;
      if (chain?.reached) record.between = { ...chain.reached, again: { said, time } };
      if (chain) chain.goesOn = true;
      return tried({ said, time });
    };
    return askedAgain(cut ? tried(cut) : runOf(messages, options), { ...asking, begun: cut?.time ?? 0, again });
  }

  protected override createSessionCore({ id, messages: given, conversationId }: CreateSessionOptions): AgentSession {
    const messages = readInput(given);
    const session = new AgentSession({ id: id ?? this.#definition.newId(), messages });
    const record = recordOf(session);
    record.paused = pausedOf(record.messages, this.#definition.newId);
    if (conversationId?.trim()) record.served = { id: conversationId, known: messages.length };
    return session;
  }

  protected override async serializeSessionCore(
    session: AgentSession,
    { as, report }: SerializeOptions,
  ): Promise<Json> {
    if (as === undefined) return serializeSession(session);
    const { writeMafSession } = await import("./maf/session.ts");
    const { value, text, losses } = writeMafSession(session, this.#mafOptions);
    const written = as === "maf" ? { text: copyOf(value), losses } : text();
    report?.(written.losses);
    return written.text;
  }

  protected override async deserializeSessionCore(json: Json): Promise<AgentSession> {
    if (!isMafSession(json)) return deserializeSession(json);
    const { readMafSession } = await import("./maf/session.ts");
    return readMafSession(json, { newId: this.#definition.newId, ...this.#mafOptions });
  }

  get #mafOptions() {
    const { history, id, name } = this.#options;
    const historyKey = history instanceof SessionHistory ? history.options.key : undefined;
    return { ...(historyKey !== undefined && { historyKey }), rulesOf: id ?? name };
  }
}

interface Retrying {
  readonly format: ReadFormat;
  readonly times: number;
  readonly runOf: (messages: readonly Message[], options: RunOptions) => AsyncIterable<AgentResponseUpdate>;
}

const agentOptionNames: { readonly [name in keyof AgentOptions]-?: true } = {
  ...{ id: true, name: true, description: true, version: true, instructions: true, model: true, modelFor: true },
  ...{ tools: true, additionalTools: true, hostedTools: true, unknownTools: true, emptyAnswer: true },
  ...{ toolErrors: true, middleware: true, settings: true, promptCache: true, responseFormat: true },
  ...{ resultRetries: true, limits: true, compaction: true, prices: true, approvals: true, toolExecution: true },
  ...{ allowBackgroundResponses: true, history: true, context: true, clock: true, newId: true, sleep: true },
};

function checkAgentOptions(options: AgentOptions): void {
  if (!isJsonObject(options)) {
    throw failure("agent/invalid", `an agent's options are ${kindOf(options)}: give an object with a \`model\``);
  }
  checkNames<AgentOptions>("an agent's options", options, agentOptionNames);
  const { model, tools, additionalTools }: Partial<AgentOptions> = options;
  if (!isModel(model)) throw failure("agent/invalid", "`model` is no model: give an object with `stream`");
  for (const [name, list] of Object.entries({ tools, additionalTools })) {
    if (list === undefined || list instanceof Function || areTools(list)) continue;
    throw failure("agent/invalid", `\`${name}\` is no list of tools: give those that \`defineTool\` made`);
  }
}

function checkedId(given: unknown): string {
  const id = given ?? globalThis.crypto.randomUUID();
  if (typeof id === "string" && id !== "") return id;
  throw wrongGiven(given, { by: "`newId`", give: "a text that is not empty" });
}

function checkedTime(given: unknown): Date {
  const time = given ?? new Date();
  if (time instanceof Date && !Number.isNaN(time.getTime())) return time;
  throw wrongGiven(given, { by: "`clock`", give: "a valid Date" });
}
