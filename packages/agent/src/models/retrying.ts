import type { Event } from "translogue";
import { type RunError, thrownError } from "../errors.ts";
import type { Model, ModelRequest } from "../model.ts";
import { type Sleep, sleep } from "../time.ts";
import { backoff } from "./http.ts";

export interface RetryOptions {
  /** Tries after the first, while nothing of an answer has come. Default 2. */
  readonly retries?: number;
  readonly sleep?: Sleep;
  /** 0 to 1: spreads the tries of many clients. */
  readonly random?: () => number;
}

/**
 * The model, asked again where it failed in a way that may pass (`retryable`) before any output: after the time that its
 * host asks for (up to a minute), or after twice as long each time. What only says that an answer begins is held back.
 */
export function retrying(model: Model, options: RetryOptions = {}): Model {
  return { ...model, stream: request => tried(model, request, options) };
}

async function* tried(
  model: Model,
  request: ModelRequest,
  { retries = 2, sleep: wait = sleep, random = Math.random }: RetryOptions,
): AsyncGenerator<readonly Event[], void, undefined> {
  for (let tries = 0; ; tries++) {
    const { failed, held, rest } = await opened(model, request);
    const ms = failed?.retryable && tries < retries ? backoff(tries, failed.details?.retryAfterMs, random) : undefined;
    if (ms === undefined) {
      if (held.length > 0) yield held;
      yield* rest;
      return;
    }
    await wait(ms, request.signal);
  }
}

export interface Opened {
  /** What came before any output; with `failed`, all there is. */
  readonly held: readonly Event[];
  readonly rest: AsyncIterable<readonly Event[]>;
  /** How the call failed, where it did so before any output. */
  readonly failed?: RunError;
}

/** A model's answer up to its first output. A failure before it is given back, also where it is thrown. */
export async function opened(model: Model, request: ModelRequest): Promise<Opened> {
  const held: Event[] = [];
  const batches = model.stream(request)[Symbol.asyncIterator]();
  try {
    for (let next = await batches.next(); !next.done; next = await batches.next()) {
      held.push(...next.value);
      const first = held.find(event => event.type === "error" || isOutput(event));
      if (first?.type === "error") {
        await batches.return?.();
        return { held, rest: nothing(), failed: first.error };
      }
      if (first) return { held, rest: remaining(batches) };
    }
    return { held, rest: nothing() };
  } catch (thrown) {
    request.signal?.throwIfAborted();
    const failed = thrownError(thrown);
    return { held: [...held, { type: "error", error: failed }], rest: nothing(), failed };
  }
}

/** Whatever a reader would have to be told to forget, should another answer take its place. */
const isOutput = (event: Event): boolean =>
  event.type !== "message-start" && event.type !== "message-set" && event.type !== "error";

async function* nothing(): AsyncGenerator<readonly Event[], void, undefined> {}

async function* remaining(batches: AsyncIterator<readonly Event[]>): AsyncGenerator<readonly Event[], void, undefined> {
  let isOver = false;
  try {
    for (;;) {
      const next = await batches.next();
      isOver = next.done === true;
      if (next.done) return;
      yield next.value;
    }
  } finally {
    if (!isOver) await batches.return?.();
  }
}
