import type { Json, Message } from "translogue";
import { Agent, type CreateSessionOptions, type RunOptions, type SerializeOptions } from "./agent.ts";
import { currentTools, toolsAround } from "./hand-off.ts";
import { checkedMiddleware, type Middleware, runLayersOf } from "./middleware.ts";
import { type AgentResponse, type AgentResponseUpdate, accumulateUpdates } from "./response.ts";
import type { RunContext } from "./run-context.ts";
import { layered } from "./run-layers.ts";
import type { AgentSession } from "./session.ts";
import { sleep } from "./time.ts";
import type { AgentTool } from "./tools/tool.ts";

/** An agent around another: everything goes through to it, and a subclass overrides what is to be otherwise. */
export class DelegatingAgent extends Agent {
  protected readonly inner: Agent;

  constructor(inner: Agent) {
    super();
    this.inner = inner;
  }

  override get name(): string | undefined {
    return this.inner.name;
  }

  override get description(): string | undefined {
    return this.inner.description;
  }

  override get isDurable(): boolean {
    return this.inner.isDurable;
  }

  /** Those of the agent inside: whoever it hands a session to is found by them. */
  async currentTools(): Promise<readonly AgentTool[]> {
    return currentTools(this.inner);
  }

  /** With those that its context providers give for a run. */
  async toolsAround(context: RunContext): Promise<readonly AgentTool[]> {
    return toolsAround(this.inner, context);
  }

  protected override get idCore(): string | undefined {
    return this.inner.id;
  }

  protected override runCore(
    messages: readonly Message[],
    session: AgentSession,
    options: RunOptions,
  ): Promise<AgentResponse> {
    return this.inner.run(messages, { ...options, session });
  }

  protected override runCoreStreaming(
    messages: readonly Message[],
    session: AgentSession,
    options: RunOptions,
  ): AsyncIterable<AgentResponseUpdate> {
    return this.inner.runStreaming(messages, { ...options, session });
  }

  protected override createSessionCore(options: CreateSessionOptions): Promise<AgentSession> {
    return this.inner.createSession(options);
  }

  protected override serializeSessionCore(session: AgentSession, options?: SerializeOptions): Promise<Json> {
    return this.inner.serializeSession(session, options);
  }

  protected override deserializeSessionCore(json: Json): Promise<AgentSession> {
    return this.inner.deserializeSession(json);
  }
}

type RunLayer = NonNullable<Middleware["run"]>;

class SurroundedAgent extends DelegatingAgent {
  readonly #layers: readonly RunLayer[];

  constructor(inner: Agent, layers: readonly RunLayer[]) {
    super(inner);
    this.#layers = layers;
  }

  protected override async runCore(
    messages: readonly Message[],
    session: AgentSession,
    options: RunOptions,
  ): Promise<AgentResponse> {
    const updates: AgentResponseUpdate[] = [];
    for await (const update of this.runCoreStreaming(messages, session, options)) updates.push(update);
    return accumulateUpdates(updates);
  }

  protected override runCoreStreaming(
    messages: readonly Message[],
    session: AgentSession,
    options: RunOptions,
  ): AsyncIterable<AgentResponseUpdate> {
    const run = ({ messages, session, options }: RunContext) =>
      this.inner.runStreaming(messages, { ...options, session });
    const newId = () => globalThis.crypto.randomUUID();
    return layered(this.#layers, run, { context: { agent: this, session, messages, options }, sleep, newId });
  }
}

/** Any agent with middleware around its runs, the first outermost. Throws `agent/invalid`. */
export const surrounded = (agent: Agent, middleware: readonly Pick<Middleware, "run">[]): Agent =>
  new SurroundedAgent(agent, runLayersOf(checkedMiddleware(middleware)));
