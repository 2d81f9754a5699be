import {
  accumulator,
  type Event,
  type FormatRef,
  isError,
  isJsonObject,
  type Json,
  type Message,
  type StreamError,
} from "translogue";
import { failureFields, type Log } from "../log.ts";
import type { Claim, Outcome } from "../store/store.ts";
import { Backlog } from "./backlog.ts";
import { Feed } from "./feed.ts";
import { ownEvents, ownMessages } from "./own-messages.ts";
import { publicError, withPublicErrors } from "./public-error.ts";
import { stamper } from "./stamp.ts";

/** What the agent tells at once. */
export interface Told {
  readonly events: readonly Event[];
  /** With the last: facts of the run, among them the headers of the model's host. */
  readonly metadata?: Json;
  /** With the last of a run that failed: what is known of it beside its code and words. */
  readonly error?: { readonly details?: { readonly retryAfterMs?: number } };
}

export interface RunSetup {
  readonly id: string;
  /** What its first message follows; null = nothing. */
  readonly parent: string | null;
  /** The answer that it goes on with, where a client has begun one. */
  readonly answer?: string;
  /** What there is of that answer: who takes the stream up again has to hear it too. */
  readonly earlier?: readonly Message[];
  readonly model?: string;
  /** The session it writes to; without one nothing is kept, and a run without a reader stops. */
  readonly claim?: Claim;
  readonly correlationId: string;
  /** What the agent tells, until it is done. */
  readonly updates: AsyncIterable<Told>;
  /** Stops the agent. */
  readonly abort: AbortController;
  /** What the session is to keep, asked once the source ended. Without it: the messages that were streamed. */
  readonly kept?: (streamed: readonly Message[]) => Promise<Kept>;
  readonly newId: () => string;
  readonly log: Log;
  readonly keepAliveMs: number;
}

/** What a session keeps of a run. */
export interface Kept {
  /** What came after the history that the run began with, in order: what was given to it, and what it said. */
  readonly messages: readonly Message[];
  /** What the agent keeps beside messages. */
  readonly state: Json;
}

export interface RunResult {
  readonly outcome: Outcome;
  readonly messages: readonly Message[];
  /** Why it failed, where it did, in words for clients. */
  readonly error?: StreamError;
  /** When the model's host wants to be asked again. */
  readonly retryAfter?: string;
}

type Ending = Omit<RunResult, "messages">;

/** One run of the agent: written down as it goes, and read by any number of clients that come and go. */
export class LiveRun {
  readonly id: string;
  /** Resolves, never rejects, once the run has ended and its end is durable. */
  readonly done: Promise<RunResult>;
  readonly #setup: RunSetup;
  readonly #stamp: (event: Event) => Event;
  readonly #accumulated = accumulator();
  readonly #backlog = new Backlog();
  readonly #feeds = new Map<string, Feed>();
  readonly #results = new Set<string>();
  #readers = 0;
  #hasEnded = false;
  #hasFailed = false;
  #error: StreamError | undefined;
  /** The error as it was, for the log. */
  #failure: StreamError | undefined;
  #retryAfter: string | undefined;
  #isStopped = false;
  readonly #own: (event: Event) => readonly Event[];
  #orphaned = Promise.withResolvers<void>();
  readonly #keepAlive: NodeJS.Timeout;

  constructor(setup: RunSetup) {
    this.id = setup.id;
    this.#setup = setup;
    const { parent, answer, newId } = setup;
    this.#stamp = stamper({ parent, newId, ...(answer !== undefined && { answer }) });
    this.#own = ownEvents(answer);
    this.#keepAlive = setInterval(() => this.#keepAlives(), setup.keepAliveMs).unref();
    this.done = this.#run();
  }

  /** Whether no client follows it. */
  get isOrphan(): boolean {
    return this.#readers === 0;
  }

  /** Resolves when its last reader left, or it ended. */
  get orphaned(): Promise<void> {
    return this.isOrphan || this.#hasEnded ? Promise.resolve() : this.#orphaned.promise;
  }

  /** Stops it; what it has said so far is kept. */
  stop(): void {
    this.#setup.abort.abort();
  }

  /** The run as a stream of a format, from its start. */
  follow(format: FormatRef): ReadableStream<Uint8Array> {
    return this.#feed(format, []).read(this.attend());
  }

  /** The answer that the run is about as a stream, from the answer's start: a client that takes it up again begins anew. */
  followAnew(format: FormatRef): ReadableStream<Uint8Array> {
    return this.#feed(format, this.#setup.earlier ?? []).read(this.attend());
  }

  /** Follows it without reading: a client that waits for the whole answer. Gives what ends it. */
  attend(): () => void {
    this.#readers++;
    let isHere = true;
    return () => {
      if (isHere) this.#left();
      isHere = false;
    };
  }

  #left(): void {
    this.#readers--;
    if (this.#readers > 0) return;
    this.#orphaned.resolve();
    this.#orphaned = Promise.withResolvers<void>();
    if (!this.#setup.claim && !this.#hasEnded) this.stop();
  }

  #feed(format: FormatRef, earlier: readonly Message[]): Feed {
    const name = `${format} after ${earlier.length}`;
    const known = this.#feeds.get(name);
    if (known) return known;
    const feed = new Feed(format, { answer: this.#setup.answer, earlier });
    this.#feeds.set(name, feed);
    feed.push(this.#backlog.events);
    if (this.#hasEnded) feed.end({ isStopped: this.#isStopped });
    return feed;
  }

  #keepAlives(): void {
    for (const feed of this.#feeds.values()) feed.keepAlive();
  }

  async #run(): Promise<RunResult> {
    const { claim, correlationId, id, log, model } = this.#setup;
    const about = { correlationId, run: id, ...(claim && { session: claim.key.id }) };
    log({ level: "info", event: "run-start", ...about, ...(model !== undefined && { model }) });
    const ending = await this.#drive();
    const messages = this.#accumulated.end();
    const result: RunResult = { ...ending, messages };
    await this.#conclude(result);
    const failure = this.#failure && { code: this.#failure.code ?? "unknown", message: this.#failure.message };
    const losses = [...this.#feeds.values()].reduce((sum, feed) => sum + feed.losses.length, 0);
    const facts = { outcome: result.outcome, messages: messages.length, losses, ...failure };
    log({ level: failure ? "error" : "info", event: "run-end", ...about, ...facts });
    return { ...result, messages: ownMessages(messages, this.#setup.answer) };
  }

  async #drive(): Promise<Ending> {
    const { claim, id, parent, model, updates, abort } = this.#setup;
    const { signal } = abort;
    try {
      await claim?.append([{ kind: "run", run: id, parent, ...(model !== undefined && { model }) }], "now");
      for await (const told of updates) {
        this.#retryAfter = retryAfterOf(told) ?? this.#retryAfter;
        await this.#take(told.events);
      }
    } catch (error) {
      if (!signal.aborted) this.#fail(error);
    }
    if (this.#error) {
      const retryAfter = this.#retryAfter;
      return { outcome: "failed", error: this.#error, ...(retryAfter !== undefined && { retryAfter }) };
    }
    return { outcome: signal.aborted ? "stopped" : "finished" };
  }

  /** Whatever must not be lost is on disk before anyone hears of it; text is told at once, and written with the next group. */
  async #take(events: readonly Event[]): Promise<void> {
    const { claim, id } = this.#setup;
    const stamped = events.map(event => this.#stamp(this.#told(event)));
    if (claim && stamped.length > 0) {
      const entry = { kind: "events", run: id, events: stamped } as const;
      let isDurable = false;
      for (const event of stamped) if (this.#isDurable(event)) isDurable = true;
      const isWritten = claim.append([entry], isDurable ? "now" : "soon");
      if (isDurable) await isWritten;
      else isWritten.catch(error => this.#fail(error));
    }
    this.#publish(stamped);
  }

  #told(event: Event): Event {
    if ((event.type === "part" || event.type === "part-start") && event.value.type === "error") {
      return { ...event, value: { ...event.value, ...publicError(event.value) } };
    }
    if (event.type !== "error") return event;
    this.#failure = event.error;
    return { ...event, error: publicError(event.error) };
  }

  #isDurable(event: Event): boolean {
    switch (event.type) {
      case "message-end":
      case "error":
        return true;
      case "part":
        return event.value.type !== "text" && event.value.type !== "reasoning";
      case "part-start":
        if (event.value.type === "tool-result") this.#results.add(`${event.message}.${event.part}`);
        return false;
      case "part-end":
        return this.#results.has(`${event.message}.${event.part}`);
      default:
        return false;
    }
  }

  #publish(events: readonly Event[]): void {
    const own: Event[] = [];
    for (const event of events) {
      if (event.type === "error") this.#error = event.error;
      own.push(...this.#own(event));
      this.#accumulated.push(event);
    }
    for (const event of own) this.#backlog.push(event);
    this.#tell(feed => feed.push(own));
    this.#keepAlive.refresh();
  }

  /** A format that fails ends its own readers, and nobody else's. */
  #tell(say: (feed: Feed) => void): void {
    for (const feed of this.#feeds.values()) {
      try {
        say(feed);
      } catch (error) {
        this.#log(error);
        feed.fail();
      }
    }
  }

  /** Something of ours broke: the agent is stopped, and clients are told. */
  #fail(error: unknown): void {
    if (this.#hasFailed) return;
    this.#hasFailed = true;
    this.#log(error);
    this.#setup.abort.abort();
    const told = asStreamError(error, this.#setup.correlationId);
    this.#failure = { ...told, ...(error instanceof Error && { message: error.message }) };
    this.#publish([{ type: "error", error: told }]);
  }

  #log(error: unknown): void {
    const { correlationId, id, log } = this.#setup;
    log({ level: "error", event: "failure", correlationId, run: id, ...failureFields(error) });
  }

  async #conclude({ outcome, messages }: RunResult): Promise<void> {
    const { claim, id, parent, kept } = this.#setup;
    try {
      const whole = { messages, ...(await kept?.(messages)) };
      const head = whole.messages.at(-1)?.id ?? parent;
      const safe = { ...whole, messages: withPublicErrors(whole.messages) };
      const end = { kind: "end", run: id, outcome, ...safe, head } as const;
      await claim?.append([end], "now");
    } catch (error) {
      this.#fail(error);
      // Whoever takes the session next closes the run. Should even this fail, the lease runs out.
      await claim?.release().catch(() => undefined);
    }
    this.#hasEnded = true;
    this.#isStopped = outcome === "stopped";
    clearInterval(this.#keepAlive);
    this.#orphaned.resolve();
    this.#tell(feed => feed.end({ isStopped: this.#isStopped }));
  }
}

/** What a client is told of a failure: our own words where the error is ours, else only where to look. */
function asStreamError(error: unknown, correlationId: string): StreamError {
  if (isError(error)) return publicError({ message: error.message, code: error.code, retryable: error.retryable });
  return { message: `the run failed; the server's log has the cause under \`${correlationId}\``, code: "run/failed" };
}

/** https://www.rfc-editor.org/rfc/rfc9110#field.retry-after: seconds or a date, and nothing else. */
function retryAfterOf({ metadata, error }: Told): string | undefined {
  const wait = error?.details?.retryAfterMs;
  if (wait !== undefined) return String(Math.ceil(wait / 1000));
  const headers = isJsonObject(metadata) ? metadata["headers"] : undefined;
  const said = isJsonObject(headers) ? headers["retry-after"] : undefined;
  return typeof said === "string" && /^(?:\d{1,9}|[A-Z][a-z]{2}, [\w :]{5,30})$/.test(said) ? said : undefined;
}
