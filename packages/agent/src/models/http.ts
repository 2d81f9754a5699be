import { isError, type TranslogueError } from "translogue";
import { failure, messageOf } from "../errors.ts";
import { type SetTimer, setTimer, sleepBy } from "../time.ts";
import { bodyOf, rejoined } from "./pieces.ts";

/** How the one fetch of this package behaves; all of it can be replaced, so that tests need neither network nor time. */
export interface HttpOptions {
  readonly fetch?: typeof globalThis.fetch;
  /** Tries after the first, as long as no byte of an answer came. Default 2. */
  readonly retries?: number;
  /** Milliseconds to the first byte of an answer. Default 300,000: local models read long prompts slowly. */
  readonly firstByteMs?: number;
  /** Milliseconds between two pieces of an answer. Default 300,000. */
  readonly idleMs?: number;
  readonly setTimer?: SetTimer;
  readonly now?: () => number;
  /** 0 to 1: spreads the tries of many clients. */
  readonly random?: () => number;
}

export interface HttpCall {
  readonly url: string;
  /** Who is called, for messages. */
  readonly name: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Absent: nothing is sent. */
  readonly body?: string;
  /** Default: `POST` with a body, else `GET`. */
  readonly method?: "POST";
  readonly signal?: AbortSignal;
  /** What a refusal means, by its body. Default: by its status alone. */
  readonly judge?: (refusal: Refusal) => Judgement;
}

export interface Refusal {
  readonly status: number;
  readonly headers: Headers;
  /** The beginning of its body: all of it, where that is JSON. */
  readonly text: string;
}

export interface Judgement {
  readonly mayPass: boolean;
  /** Milliseconds to wait before the next try, where it says. */
  readonly wait?: number | undefined;
}

export interface HttpAnswer {
  readonly status: number;
  readonly headers: Headers;
  /** Which try it was, from 0 on. */
  readonly tries: number;
  /** May be read once. Throws `model/timeout`, `model/cut`, and the signal's reason. Leaving the loop closes the connection. */
  readonly pieces: AsyncIterable<Uint8Array>;
}

const defaultRetries = 2;
const firstBackoffMs = 500;
const longestWaitMs = 60_000;
/** 409: what another request holds is free later, as the official clients of OpenAI and Anthropic take it. */
const retried = new Set([408, 409, 425, 429]);

/** Whether the same call may succeed later. */
export const isRetryable = (status: number): boolean => retried.has(status) || status >= 500;

/**
 * Asks, and tries again after network errors, 408, 409, 425, 429 and 5xx (unless `judge` knows better) as long as no byte of an answer has come, waiting as
 * the answer says (`Retry-After`, up to a minute) or twice as long each time. Throws `model/unreachable`, `model/timeout`,
 * and the signal's reason; any status is an answer. `begun`: tries that were made before.
 */
export async function answerTo(call: HttpCall, options: HttpOptions = {}, begun = 0): Promise<HttpAnswer> {
  const { retries = defaultRetries } = options;
  for (let tries = begun; ; tries++) {
    const { answer, error, close } = await attempt(call, options);
    const isLast = tries >= retries;
    if (error && (isLast || !error.retryable)) throw error;
    if (answer && (isLast || answer.status < 300)) return { ...answer, tries };
    const { pieces, judgement } = answer ? await judged(answer, call) : {};
    const ms = judgement?.mayPass === false ? undefined : waitBefore(tries, judgement?.wait, options);
    if (answer && pieces && ms === undefined) return { ...answer, pieces, tries };
    close();
    await waiting(ms ?? 0, call, options);
  }
}

const waiting = (ms: number, { signal }: HttpCall, options: HttpOptions): Promise<void> =>
  sleepBy(options.setTimer ?? setTimer)(ms, signal);

/** What a refusal means, and its body from the start. */
async function judged({ status, headers, pieces }: Omit<HttpAnswer, "tries">, { judge }: HttpCall) {
  const rest = pieces[Symbol.asyncIterator]();
  const { bytes, text } = await bodyOf(rest);
  const judgement = judge ? judge({ status, headers, text }) : { mayPass: isRetryable(status) };
  return { pieces: rejoined(bytes, rest), judgement };
}

/** Whether an answer that turned out to be a failure is to be asked for again; waits before it says so. */
export async function again(
  { tries }: HttpAnswer,
  wait: number | undefined,
  { call, options }: { readonly call: HttpCall; readonly options: HttpOptions },
): Promise<boolean> {
  const ms = tries < (options.retries ?? defaultRetries) ? waitBefore(tries, wait, options) : undefined;
  if (ms === undefined) return false;
  await waiting(ms, call, options);
  return true;
}

interface Outcome {
  readonly answer?: Omit<HttpAnswer, "tries">;
  readonly error?: TranslogueError;
  readonly close: () => void;
}

/** One try, to the first byte of the body: until then it is as if nothing had come. */
async function attempt(call: HttpCall, options: HttpOptions): Promise<Outcome> {
  call.signal?.throwIfAborted();
  const line = new Line(call, options);
  const close = (): void => line.close();
  try {
    const { status, headers } = await line.open();
    const first = await line.read();
    return { answer: { status, headers, pieces: line.pieces(first) }, close };
  } catch (cause) {
    line.close();
    call.signal?.throwIfAborted();
    if (isError(cause)) return { error: cause, close };
    const why = `cannot reach ${call.name} at ${placeOf(call.url)}: ${reasonOf(cause)}`;
    return { error: failure("model/unreachable", why, { cause, retryable: true }), close };
  }
}

type Piece = Uint8Array | undefined;

/**
 * A connection that ends when its signal or its clock says so, whether or not `fetch` listens to signals: what is being
 * read is cancelled, and the reason is thrown in its place.
 */
class Line {
  readonly #call: HttpCall;
  readonly #options: HttpOptions;
  readonly #connection = new AbortController();
  readonly #onAbort = (): void => this.#fail(this.#call.signal?.reason);
  #reader: ReadableStreamDefaultReader<Uint8Array> | undefined;
  #stopTimer: (() => void) | undefined;
  #failure: { readonly reason: unknown } | undefined;
  #failOpening: ((reason: unknown) => void) | undefined;

  constructor(call: HttpCall, options: HttpOptions) {
    this.#call = call;
    this.#options = options;
    call.signal?.addEventListener("abort", this.#onAbort, { once: true });
  }

  async open(): Promise<{ readonly status: number; readonly headers: Headers }> {
    const { fetch = globalThis.fetch, firstByteMs = 300_000 } = this.#options;
    const { url, headers, body, method = body === undefined ? "GET" : "POST" } = this.#call;
    const sent = { method, ...(body !== undefined && { body }) };
    const failed = new Promise<never>((_, reject) => {
      this.#failOpening = reject;
    });
    failed.catch(() => undefined);
    this.#limit(firstByteMs);
    const { signal } = this.#connection;
    const response = await Promise.race([fetch(url, { ...sent, headers, signal }), failed]);
    this.#reader = response.body?.getReader();
    return { status: response.status, headers: response.headers };
  }

  /** The next piece; undefined at the end. */
  async read(): Promise<Piece> {
    try {
      const next = await this.#reader?.read();
      if (this.#failure) throw this.#failure.reason;
      return next?.done ? undefined : next?.value;
    } catch (error) {
      throw this.#failure ? this.#failure.reason : error;
    } finally {
      this.#stopTimer?.();
    }
  }

  async *pieces(first: Piece): AsyncGenerator<Uint8Array, void, undefined> {
    const { idleMs = 300_000 } = this.#options;
    try {
      for (let piece = first; piece; piece = await this.read()) {
        yield piece;
        this.#limit(idleMs);
      }
    } catch (cause) {
      this.#call.signal?.throwIfAborted();
      if (isError(cause)) throw cause;
      const why = `the connection to ${this.#call.name} broke in mid-answer: ${reasonOf(cause)}`;
      throw failure("model/cut", why, { cause, retryable: true });
    } finally {
      this.close();
    }
  }

  close(): void {
    this.#stopTimer?.();
    this.#call.signal?.removeEventListener("abort", this.#onAbort);
    this.#connection.abort();
  }

  #limit(ms: number): void {
    const { setTimer: set = setTimer } = this.#options;
    const late = `${this.#call.name} sent nothing for ${ms} ms`;
    const fail = (): void => this.#fail(failure("model/timeout", late, { retryable: true }));
    this.#stopTimer?.();
    this.#stopTimer = set(fail, ms);
  }

  #fail(reason: unknown): void {
    this.#failure ??= { reason };
    this.#failOpening?.(reason);
    this.#reader?.cancel(reason).catch(() => undefined);
    this.#connection.abort();
  }
}

/** Milliseconds; undefined where the answer asks for more than anyone waits for. */
const waitBefore = (tries: number, wait: number | undefined, { random = Math.random }: HttpOptions) =>
  backoff(tries, wait, random);

/** Milliseconds before the next try: what was asked for, or twice as long each time; undefined for more than anyone waits. */
export function backoff(tries: number, asked: number | undefined, random: () => number): number | undefined {
  // Who asks for no time at all says nothing of how long it takes.
  if (asked) return asked <= longestWaitMs ? asked : undefined;
  return Math.round(Math.min(firstBackoffMs * 2 ** tries, longestWaitMs) * (0.75 + random() / 4));
}

/** Throws `agent/invalid`: nobody notices a time that is none before a host is late. */
export function checkHttp({ retries, firstByteMs, idleMs }: HttpOptions): void {
  checkRetries(retries);
  for (const [name, ms] of Object.entries({ firstByteMs, idleMs })) {
    if (ms !== undefined && !(ms > 0)) throw failure("agent/invalid", `\`${name}\` is ${ms}: give a number above 0`);
  }
}

export function checkRetries(retries: number | undefined): void {
  if (retries === undefined || retries === Number.POSITIVE_INFINITY) return;
  if (!(Number.isInteger(retries) && retries >= 0))
    throw failure("agent/invalid", `\`retries\` is ${retries}: give a whole number from 0 on`);
}

/** https://www.rfc-editor.org/rfc/rfc9110#field.retry-after: seconds or a date; OpenAI says milliseconds beside it. */
export function retryAfter(headers: Headers, now: number): number | undefined {
  const exact = numberIn(headers.get("retry-after-ms"));
  if (exact !== undefined) return told(exact);
  const said = headers.get("retry-after");
  const seconds = numberIn(said);
  if (seconds !== undefined) return told(seconds * 1000);
  // Dates of HTTP begin with a weekday, and have a time; JavaScript reads `-5` as one too. A date that is over says nothing.
  const date = said && /^\s*(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)\D.*\d:\d\d/i.test(said) ? Date.parse(said) : Number.NaN;
  return date > now ? date - now : undefined;
}

/** A number that JSON has, too. */
const told = (ms: number): number => Math.min(ms, Number.MAX_SAFE_INTEGER);

const numberIn = (text: string | null): number | undefined =>
  text !== null && /^\s*\d+(?:\.\d+)?\s*$/.test(text) ? Number(text) : undefined;

/** Without user, password and query, which may be secrets. */
function placeOf(url: string): string {
  const { origin, pathname } = new URL(url);
  return `${origin}${pathname}`;
}

/** The system's word for it, where there is one: `fetch failed` says nothing. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return messageOf(error);
  const { cause } = error;
  if (!(cause instanceof Error)) return error.message;
  const code = "code" in cause && typeof cause.code === "string" ? cause.code : undefined;
  return code ?? (cause.message || error.message);
}
