import type { Message } from "translogue";
import { failure, messageOf, type RunError } from "../errors.ts";
import { messagesOf } from "../loop/snapshot.ts";
import { recordOf, type SessionRecord } from "../session.ts";
import type { AgentTool } from "../tools/tool.ts";
import type { ContextProvider } from "./context.ts";
import { type ChatHistoryProvider, type ProviderContext, type RunExchange, SessionHistory } from "./history.ts";

export interface Providers {
  readonly history: ChatHistoryProvider | SessionHistory | undefined;
  /** In place of the history for this run: what the session has itself stays out of it. */
  readonly override?: ChatHistoryProvider | SessionHistory | undefined;
  readonly context: readonly ContextProvider[];
}

/** What a run is given besides its input. */
export interface Prepared {
  /** The input, what was queued, what providers added. */
  readonly messages: readonly Message[];
  readonly instructions: string | undefined;
  readonly tools: readonly AgentTool[];
}

/** Before and after one run: history comes in, context is added, and what came of it goes out to both. */
export class AroundRun {
  readonly #providers: Providers;
  readonly #about: ProviderContext;
  readonly #record: SessionRecord;
  #history: readonly Message[] = [];
  #context: readonly Message[] = [];
  #queued: readonly Message[] = [];
  /** Of the session's messages, those before the run. */
  #known = 0;
  /** Ends with what is there already: nothing is asked, and the exchange began before. */
  #isResumed = false;

  constructor(providers: Providers, about: ProviderContext) {
    this.#providers = providers;
    this.#about = about;
    this.#record = recordOf(about.session);
  }

  async prepare(given: {
    readonly instructions: string | undefined;
    readonly tools: readonly AgentTool[];
  }): Promise<Prepared> {
    const { messages } = this.#about;
    const record = this.#record;
    this.#isResumed = record.snapshot !== undefined && messages.length === 0;
    this.#history = record.messages;
    this.#known = record.messages.length;
    if (this.#isResumed) return { messages, instructions: given.instructions, tools: [] };
    await this.#load();
    const answersOnly = record.paused !== undefined && messages.every(isAnswer);
    let { instructions } = given;
    const tools = [...given.tools];
    const added: AgentTool[] = [];
    for (const provider of this.#providers.context) {
      const about = { ...this.#about, history: this.#history, context: this.#context, tools };
      const more = await begins("context/failed", () =>
        provider.before?.({ ...about, ...(instructions !== undefined && { instructions }) }),
      );
      if (more?.instructions?.trim()) instructions = joined(instructions, more.instructions);
      const fresh = (more?.tools ?? []).filter(({ name }) => !tools.some(tool => tool.name === name));
      tools.push(...fresh);
      added.push(...fresh);
      // Nothing may stand between a call that waits and its result.
      if (!answersOnly) this.#context = [...this.#context, ...(more?.messages ?? []).map(contextual)];
    }
    this.#queued = answersOnly ? [] : (record.injected ?? []);
    return { messages: [...messages, ...this.#queued, ...this.#context], instructions, tools: added };
  }

  /** The run has taken what was queued for it; what came since stays in the queue. */
  begun(): void {
    const { injected } = this.#record;
    if (injected) this.#record.injected = injected.slice(this.#queued.length);
  }

  async #load(): Promise<void> {
    const { history, override } = this.#providers;
    const record = this.#record;
    if (override && !(override instanceof SessionHistory)) {
      record.hidden = [...record.messages.entries()];
      record.messages = await begins("history/failed", () => override.load(this.#about));
    } else if (override instanceof SessionHistory) await this.#readSession(override);
    else if (history instanceof SessionHistory) await this.#readSession(history);
    else if (history) {
      const loaded = await begins("history/failed", () => history.load(this.#about));
      // A cut run that is given up is closed by the run that comes now; its messages are in the session.
      record.messages = [...loaded, ...record.messages.slice(record.stored ?? 0)];
      record.stored = loaded.length;
    }
    this.#history = record.messages;
    this.#known = record.messages.length;
  }

  async #readSession({ options }: SessionHistory): Promise<void> {
    const record = this.#record;
    const { initial, reduce, reduceAt = "load", provide } = options;
    if (initial && !record.hasRun && record.messages.length === 0) record.messages = initial;
    if (reduce && reduceAt === "load") record.messages = await reduce(record.messages);
    if (!provide) return;
    const shown = new Set(await provide(record.messages));
    record.hidden = [...record.messages.entries()].filter(([, message]) => !shown.has(message));
    record.messages = record.messages.filter(message => shown.has(message));
  }

  /** Once the session has all that came of the run. Gives the first thing that went wrong; nothing is lost by it. */
  async settle(runError: RunError | undefined): Promise<RunError | undefined> {
    this.#record.hasRun = true;
    const exchange = this.#exchange(runError);
    const faults: RunError[] = [];
    const tried = async (code: "history/failed" | "context/failed", work: () => unknown): Promise<void> => {
      try {
        await work();
      } catch (cause) {
        faults.push({ code, message: messageOf(cause) || "it failed" });
      }
    };
    await tried("history/failed", () => this.#store(exchange));
    for (const provider of this.#providers.context)
      await tried("context/failed", () => provider.after?.(this.#about, exchange));
    return faults[0];
  }

  #exchange(error: RunError | undefined): RunExchange {
    const { messages, snapshot } = this.#record;
    const all = snapshot ? [...messages, ...messagesOf(snapshot())] : messages;
    const news = all.slice(this.#known);
    const isOwn = (message: Message) => message.run !== undefined && message.role !== "user";
    return {
      history: this.#history,
      input: news.filter(message => !isOwn(message) && message.synthetic !== "context"),
      context: news.filter(message => message.synthetic === "context"),
      response: news.filter(isOwn),
      ...(error && { error }),
    };
  }

  async #store(exchange: RunExchange): Promise<void> {
    const { override, history = override } = this.#providers;
    const record = this.#record;
    // A run that is cut, and goes on later, is stored when it is over.
    if (!history || record.snapshot) return;
    if (override && !(override instanceof SessionHistory)) {
      await this.#storeAside(override, exchange);
      return;
    }
    if (history instanceof SessionHistory) {
      const { keep, reduce, reduceAt } = history.options;
      if (keep) record.messages = [...record.messages.slice(0, this.#known), ...keep(exchange)];
      record.messages = withHidden(record.messages, record.hidden);
      record.hidden = undefined;
      if (reduce && reduceAt === "store") record.messages = await reduce(record.messages);
      return;
    }
    const { stored = 0 } = record;
    await history.store(this.#about, record.messages.slice(stored), exchange);
    record.stored = record.messages.length;
  }

  /** Of the run the session keeps only what its store did not take. */
  async #storeAside(override: ChatHistoryProvider, exchange: RunExchange): Promise<void> {
    const record = this.#record;
    const own = (record.hidden ?? []).map(([, message]) => message);
    const news = record.messages.slice(this.#known);
    record.messages = [...own, ...news];
    record.hidden = undefined;
    await override.store(this.#about, news, exchange);
    record.messages = own;
  }
}

/** What fails before a run begins is thrown by its call. */
async function begins<T>(code: "history/failed" | "context/failed", work: () => T | Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    throw failure(code, messageOf(cause) || "it failed", { cause });
  }
}

const contextual = (message: Message): Message => ({ ...message, synthetic: message.synthetic ?? "context" });

const joined = (first: string | undefined, second: string): string => (first?.trim() ? `${first}\n${second}` : second);

const isAnswer = ({ parts }: Message): boolean =>
  parts.length > 0 && parts.every(({ type }) => type === "approval-response" || type === "tool-result");

/** What was hidden from the run, in its old place. */
function withHidden(messages: readonly Message[], hidden: SessionRecord["hidden"] = []): readonly Message[] {
  const all = [...messages];
  for (const [index, message] of hidden) all.splice(index, 0, message);
  return all;
}

/** Throws `agent/invalid` for providers that would write over each other's state. */
export function checkProviders({ context, history }: Providers): void {
  const key = history instanceof SessionHistory ? history.options.key : undefined;
  const owners = new Map<string, string>(key === undefined ? [] : [[key, "the history"]]);
  for (const { name, stateKeys = [name] } of context) {
    for (const key of stateKeys) {
      const owner = owners.get(key);
      if (owner !== undefined)
        throw failure("agent/invalid", `\`${owner}\` and \`${name}\` both keep state under \`${key}\``);
      owners.set(key, name);
    }
  }
}
