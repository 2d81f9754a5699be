import type { Message } from "translogue";
import { copyOf } from "../copies.ts";
import { failure, messageOf, type RunError } from "../errors.ts";
import { checkedMessages } from "../hooks.ts";
import { answering } from "../loop/resume.ts";
import { servedAfter } from "../loop/served.ts";
import { messagesOf } from "../loop/snapshot.ts";
import { recordOf, type SessionRecord } from "../session.ts";
import type { AgentTool } from "../tools/tool.ts";
import { type ContextProvider, checkedContext } from "./context.ts";
import { type ChatHistoryProvider, type ProviderContext, type RunExchange, SessionHistory } from "./history.ts";
import { Patience, type PatienceOptions } from "./patience.ts";

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

interface Given {
  readonly instructions: string | undefined;
  readonly tools: readonly AgentTool[];
}

/** Before and after one run: history comes in, context is added, and what came of it goes out to both. */
export class AroundRun {
  readonly #providers: Providers;
  #about: ProviderContext;
  readonly #limits: PatienceOptions;
  #patience: Patience;
  readonly #record: SessionRecord;
  #history: readonly Message[] = [];
  #context: readonly Message[] = [];
  #queued: readonly Message[] = [];
  /** Where the provider keeps the session's own conversation, while the run reads another. */
  #served: SessionRecord["served"];
  /** Of the session's messages, those before the run. */
  #known = 0;
  /** Ends with what is there already: nothing is asked, and the exchange began before. */
  #isResumed = false;

  constructor(providers: Providers, about: Omit<ProviderContext, "signal">, limits: PatienceOptions) {
    this.#providers = providers;
    this.#about = about;
    this.#limits = limits;
    this.#patience = new Patience({ sleep: limits.sleep });
    this.#record = recordOf(about.session);
  }

  /** What the store did not take after an earlier run comes first: nothing newer is said on top of it. */
  async storeLeft(once: (work: () => Promise<void>) => Promise<void>): Promise<void> {
    const { history } = this.#providers;
    const record = this.#record;
    const { stored = 0, hasRun } = record;
    const left = record.messages.slice(stored);
    if (!hasRun || left.length === 0 || !history || history instanceof SessionHistory) return;
    const exchange = { history: record.messages.slice(0, stored), ...sorted(left) };
    await this.#patiently(async () => {
      const store = async () => history.store(this.#about, left, exchange);
      const written = await this.#begins("history/failed", () => once(store));
      if (written) record.stored = record.messages.length;
    });
  }

  /** Where the run is stopped, or its time is up, with what there is by then. */
  prepare(given: Given): Promise<Prepared> {
    return this.#patiently(() => this.#prepared(given));
  }

  async #patiently<T>(work: () => Promise<T>): Promise<T> {
    const { agent, chain } = { ...this.#about, chain: this.#record.chain };
    const isOwn = chain?.limits.agent === agent.id;
    this.#waitAnew({ ...this.#limits, ...(isOwn && { timeoutMs: undefined }), time: chain?.limits.clock.timeUp() });
    try {
      return await work();
    } finally {
      this.#patience.end();
    }
  }

  /** The time of a run was up before it began. */
  get isLate(): boolean {
    return this.#patience.isOver && !this.#limits.signal?.aborted;
  }

  #waitAnew(limits: PatienceOptions): void {
    this.#patience = new Patience(limits);
    const { signal } = this.#patience;
    const { signal: _, ...about } = this.#about;
    this.#about = { ...about, ...(signal && { signal }) };
  }

  async #prepared(given: Given): Promise<Prepared> {
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
      if (this.#patience.isOver) break;
      const about = { ...this.#about, history: this.#history, context: this.#context, tools };
      const asked = await this.#begins("context/failed", async () =>
        checkedContext(
          provider,
          await provider.before?.({ ...about, ...(instructions !== undefined && { instructions }) }),
        ),
      );
      const more = asked?.value;
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

  /** What fails before a run begins is thrown by its call; who is not waited for has nothing to add. */
  async #begins<T>(code: "history/failed" | "context/failed", work: () => T | Promise<T>) {
    try {
      return await this.#patience.for(work);
    } catch (cause) {
      throw failure(code, messageOf(cause) || "it failed", { cause });
    }
  }

  async #load(): Promise<void> {
    const { history, override } = this.#providers;
    const record = this.#record;
    if (override && !(override instanceof SessionHistory)) {
      record.hidden = [...record.messages.entries()];
      this.#served = record.served;
      record.served = undefined;
      record.messages = [];
      const loaded = await this.#begins("history/failed", () => loadedBy(override, this.#about));
      record.messages = loaded?.value ?? [];
    } else if (override instanceof SessionHistory) await this.#readSession(override);
    else if (history instanceof SessionHistory) await this.#readSession(history);
    else if (history) {
      const loaded = await this.#begins("history/failed", () => loadedBy(history, this.#about));
      if (loaded) {
        // A cut run that is given up is closed by the run that comes now; its messages are in the session.
        this.#replace([...loaded.value, ...record.messages.slice(record.stored ?? 0)]);
        record.stored = loaded.value.length;
      }
    }
    this.#history = record.messages;
    this.#known = record.messages.length;
  }

  async #readSession({ options }: SessionHistory): Promise<void> {
    const record = this.#record;
    const { initial, reduce, reduceAt = "load", provide } = options;
    if (initial && !record.hasRun && record.messages.length === 0) record.messages = initial;
    const change = (name: "reduce" | "provide", by: NonNullable<typeof reduce>) =>
      this.#begins("history/failed", async () => changed(name, await by(record.messages)));
    const reduced = reduce && reduceAt === "load" && (await change("reduce", reduce));
    if (reduced) this.#replace(reduced.value);
    const provided = provide && (await change("provide", provide));
    if (!provided) return;
    const shown = new Set(provided.value);
    record.hidden = [...record.messages.entries()].filter(([, message]) => !shown.has(message));
    this.#replace(record.messages.filter(message => shown.has(message)));
  }

  #replace(messages: readonly Message[]): void {
    const record = this.#record;
    record.served = servedAfter(record.served, record.messages, messages);
    record.messages = messages;
  }

  /** Once the session has all that came of the run. Gives the first thing that went wrong; nothing is lost by it. */
  async settle(runError: RunError | undefined): Promise<RunError | undefined> {
    this.#record.hasRun = true;
    const { signal, ...limits } = this.#limits;
    // Whatever ended the run, they are told of it; a stop that comes now ends the waiting.
    this.#waitAnew({ ...limits, signal: signal?.aborted ? undefined : signal });
    try {
      return await this.#settled(runError);
    } finally {
      this.#patience.end();
    }
  }

  async #settled(runError: RunError | undefined): Promise<RunError | undefined> {
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
      await tried("context/failed", () => this.#waited(() => provider.after?.(this.#about, exchange)));
    return faults[0];
  }

  async #waited<T>(work: () => T | Promise<T>): Promise<T> {
    const done = await this.#patience.for(work);
    if (done) return done.value;
    throw new Error("it had not ended when the run was stopped, or its time was up");
  }

  #exchange(error: RunError | undefined): RunExchange {
    const { messages, snapshot } = this.#record;
    const all = snapshot ? [...messages, ...messagesOf(snapshot())] : messages;
    return { history: this.#history, ...sorted(all.slice(this.#known)), ...(error && { error }) };
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
      if (keep) this.#replace([...record.messages.slice(0, this.#known), ...changed("keep", keep(exchange))]);
      this.#replace(withHidden(record.messages, record.hidden));
      record.hidden = undefined;
      if (reduce && reduceAt === "store") {
        const reduced = await this.#waited(() => reduce(record.messages));
        this.#replace(changed("reduce", reduced));
      }
      return;
    }
    const { stored = 0 } = record;
    await this.#waited(() => history.store(this.#about, record.messages.slice(stored), exchange));
    record.stored = record.messages.length;
  }

  /** Of the run the session keeps only what its store did not take. */
  async #storeAside(override: ChatHistoryProvider, exchange: RunExchange): Promise<void> {
    const record = this.#record;
    const own = (record.hidden ?? []).map(([, message]) => message);
    const news = record.messages.slice(this.#known);
    record.messages = [...own, ...news];
    record.hidden = undefined;
    record.served = this.#served;
    await this.#waited(() => override.store(this.#about, news, exchange));
    record.messages = own;
  }
}

const loadedBy = async (history: ChatHistoryProvider, about: ProviderContext): Promise<readonly Message[]> =>
  checkedMessages(await history.load(about), "`load` of the history", { code: "history/failed" });

const changed = (name: "reduce" | "provide" | "keep", given: unknown): readonly Message[] =>
  checkedMessages(given, `\`${name}\` of the session's history`, { code: "history/failed" });

/** What a run added, by whose it is. */
const sorted = (messages: readonly Message[]): Omit<RunExchange, "history" | "error"> => ({
  input: messages.filter(message => !isOwn(message) && message.synthetic !== "context"),
  context: messages.filter(message => message.synthetic === "context"),
  response: messages.filter(isOwn),
});

const isOwn = ({ run, role }: Message): boolean => run !== undefined && role !== "user";

const contextual = (message: Message): Message => ({ ...copyOf(message), synthetic: message.synthetic ?? "context" });

const joined = (first: string | undefined, second: string): string => (first?.trim() ? `${first}\n${second}` : second);

const isAnswer = ({ parts }: Message): boolean => parts.length > 0 && parts.every(({ type }) => answering.has(type));

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
