import { isJsonObject, type Json, type JsonObject, type Loss, type Message, type Settings } from "translogue";
import { type AgentModelOptions, agentModel } from "./agent-model.ts";
import type { Operations } from "./engine.ts";
import { failure } from "./errors.ts";
import { streamed, wrongGiven } from "./hooks.ts";
import { type InputMessages, readInput } from "./input.ts";
import type { Model } from "./model.ts";
import { checkedSession, checkRunOptions, checkSessionOptions } from "./options.ts";
import type { ChatHistoryProvider, SessionHistory } from "./providers/history.ts";
import type { AgentResponse, AgentResponseUpdate } from "./response.ts";
import { type ReadFormat, type ResponseFormat, readResponseFormat } from "./result/response-format.ts";
import { typedBy } from "./result/typed-result.ts";
import { asCalled, currentRunContext, inContext, type RunContext, streamInContext } from "./run-context.ts";
import type { AgentSession } from "./session.ts";
import type { ContinuationToken } from "./token.ts";
import { type AgentToolOptions, agentTool } from "./tools/agent-tool.ts";
import { type HandOffOptions, handOffTool } from "./tools/hand-off.ts";
import type { AgentTool } from "./tools/tool.ts";

/** A text from the user, a message, several, lighter's classes, or nothing: to go on with what there is. */
export type RunInput = string | InputMessages | undefined;

export interface RunOptions<T = unknown> {
  /** Default: a new one, for this run only. */
  readonly session?: AgentSession;
  /** Stops the run: it ends with the finish `aborted`, and what came of it stays in the session. */
  readonly signal?: AbortSignal;
  /** Ends the run once the step under way is over: its tools have their results, and the model is not asked again. */
  readonly stopSignal?: AbortSignal;
  /** In place of the agent's. */
  readonly model?: Model;
  /** After the agent's, on a line of their own. */
  readonly instructions?: string;
  /** Beside the agent's; one of the same name is taken instead. */
  readonly tools?: readonly AgentTool[];
  /** For the first model call; later ones choose freely where this one forces. */
  readonly toolChoice?: NonNullable<Settings["toolChoice"]>;
  /** Over the agent's, member by member. */
  readonly settings?: Omit<Settings, "toolChoice">;
  /** What the answer is to be: `response.result` is then the value. In place of the agent's. */
  readonly responseFormat?: ResponseFormat<T>;
  /** In place of the agent's, for this run. */
  readonly history?: ChatHistoryProvider | SessionHistory;
  /** Where the provider keeps the conversation of this session from here on; no other than the session's own. */
  readonly conversationId?: string;
  /** Goes on with a run that was cut, or works on in the background; there is no input then. */
  readonly continuationToken?: ContinuationToken | string;
  /** The model may go on in the background: the run ends with a \`continuationToken\` by which it is asked again. It needs a session. */
  readonly allowBackgroundResponses?: boolean;
  /** What the model reads of the session's messages, which stay as they are. Default: all of them. */
  readonly view?: (messages: readonly Message[]) => readonly Message[];
  /** For the tools, which find it in their context. */
  readonly additionalProperties?: JsonObject;
  /** Given by an engine to the body of a durable run: what the run does is kept by it. */
  readonly operations?: Operations;
}

export interface CreateSessionOptions {
  /** Default: a new one. */
  readonly id?: string;
  /** The history to begin with. What it waits for can be answered; an answer that stands in it counts. */
  readonly messages?: readonly Message[];
  /** Where the provider keeps a conversation that this session goes on with: `messages` are those that it knows. */
  readonly conversationId?: string;
  readonly signal?: AbortSignal;
}

export interface SerializeOptions {
  readonly signal?: AbortSignal;
  /**
   * The Microsoft Agent Framework's shape in place of ours, for .NET to go on with: what it has no place for is carried along.
   * `maf-text` is the same as text, in which every number is spelled as it was read. Sessions of both shapes are read.
   */
  readonly as?: "maf" | "maf-text";
  /** Told what that shape has no place for, such as a question that waits; paths lead into the session. `carried`: we read it again. */
  readonly report?: (losses: readonly Loss[]) => void;
}

/**
 * Whatever can be run in a session: `createAgent` makes the one that a model drives; a subclass is served, streamed and
 * used as a tool like any other. Before a run has started, what is wrong with the call throws; afterwards it is in the
 * response.
 */
export abstract class Agent {
  #id: string | undefined;

  /** The context of the run that the calling code is part of; undefined outside of one, also after it has ended. */
  static get currentRunContext(): RunContext | undefined {
    return currentRunContext();
  }

  /** Its own, or one that this instance got when it was first asked for. */
  get id(): string {
    this.#id ??= this.idCore ?? globalThis.crypto.randomUUID();
    return this.#id;
  }

  get name(): string | undefined {
    return undefined;
  }

  get description(): string | undefined {
    return undefined;
  }

  /** Whether its runs do what they do by the `operations` that they are given, each name once; of others a run is one operation. */
  get isDurable(): boolean {
    return false;
  }

  /** For subclasses that have an id of their own. */
  protected get idCore(): string | undefined {
    return undefined;
  }

  /** For subclasses whose answers have a format of their own. */
  protected get responseFormatCore(): ReadFormat | undefined {
    return undefined;
  }

  /** Throws `input/…`, `options/invalid`, `session/invalid`, `approval/…` and `session/busy`; a run that fails says so in its `finish`. */
  async run<T = unknown>(input?: RunInput, options: RunOptions<T> = {}): Promise<AgentResponse<T>> {
    const runContext = await this.#context(input, options);
    const { responseFormat } = options;
    const format = responseFormat === undefined ? this.responseFormatCore : readResponseFormat(responseFormat);
    const response = await inContext(runContext, () =>
      this.runCore(runContext.messages, runContext.session, runContext.options),
    );
    if (!isJsonObject(response) || !Array.isArray((response as Partial<AgentResponse>).messages))
      throw wrongGiven(response, {
        by: this.#member("runCore"),
        give: "an `AgentResponse`, as `agentResponse` makes it",
      });
    return (format ? await typedBy(response, format) : response) as AgentResponse<T>; // what the format says
  }

  /** The same as it happens. Leaving the loop before the last update stops the run, as its signal does. */
  runStreaming(input?: RunInput, options: RunOptions = {}): AsyncGenerator<AgentResponseUpdate, void, undefined> {
    return asCalled(this.#streaming(input, options));
  }

  async *#streaming(input: RunInput, options: RunOptions): AsyncGenerator<AgentResponseUpdate, void, undefined> {
    const runContext = await this.#context(input, options);
    const wanted = {
      by: this.#member("runCoreStreaming"),
      give: "an async iterable of updates: write it as `async *`",
    };
    yield* streamInContext(runContext, () =>
      streamed<AgentResponseUpdate>(this.runCoreStreaming(runContext.messages, runContext.session, options), wanted),
    );
  }

  #member(name: string): string {
    return `\`${name}\` of the agent \`${this.name ?? this.id}\``;
  }

  /** This agent as a tool of another. Throws `tool/invalid`. */
  asTool(options: AgentToolOptions = {}): AgentTool {
    return agentTool(this, options);
  }

  /** A tool that makes this agent lead the session of another. Throws `tool/invalid`. */
  asHandOff(options: HandOffOptions = {}): AgentTool {
    return handOffTool(this, options);
  }

  /** This agent as the model of another, or of whatever takes one. Throws `agent/invalid`. */
  asModel(options: AgentModelOptions = {}): Model {
    return agentModel(this, options);
  }

  /** Throws `options/invalid`. */
  async createSession(options: CreateSessionOptions = {}): Promise<AgentSession> {
    checkSessionOptions(options);
    options.signal?.throwIfAborted();
    return this.createSessionCore(options);
  }

  /** The session as JSON, at any moment of a run too; a run that is under way goes on from there. Throws `session/invalid`. */
  async serializeSession(session: AgentSession, options: SerializeOptions = {}): Promise<Json> {
    options.signal?.throwIfAborted();
    return this.serializeSessionCore(checkedSession(session), options);
  }

  /** Ours, or the Microsoft Agent Framework's, as JSON or text. Throws `session/invalid`, `session/unknown-version`. */
  async deserializeSession(json: Json, options: SerializeOptions = {}): Promise<AgentSession> {
    options.signal?.throwIfAborted();
    return this.deserializeSessionCore(json);
  }

  async #context(input: RunInput, options: RunOptions): Promise<RunContext> {
    checkRunOptions(options);
    const messages = readInput(input);
    if (options.allowBackgroundResponses && !options.session)
      throw failure("options/invalid", "a run in the background needs a session: it is asked again by it");
    const session = options.session ?? (await this.createSession());
    return { agent: this, session, messages, options };
  }

  protected abstract runCore(
    messages: readonly Message[],
    session: AgentSession,
    options: RunOptions,
  ): Promise<AgentResponse>;

  protected abstract runCoreStreaming(
    messages: readonly Message[],
    session: AgentSession,
    options: RunOptions,
  ): AsyncIterable<AgentResponseUpdate>;

  protected abstract createSessionCore(options: CreateSessionOptions): Promise<AgentSession> | AgentSession;

  protected abstract serializeSessionCore(session: AgentSession, options: SerializeOptions): Promise<Json> | Json;

  protected abstract deserializeSessionCore(json: Json): Promise<AgentSession> | AgentSession;
}
