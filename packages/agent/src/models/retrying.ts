import { accumulate, type Event } from "translogue";
import { type RunError, thrownError } from "../errors.ts";
import { checkedBatch } from "../hooks.ts";
import { type Model, type ModelRequest, streamOf } from "../model.ts";
import { type Sleep, sleep } from "../time.ts";
import { failedEnd } from "./failed-end.ts";
import { backoff, checkRetries } from "./http.ts";
import { isOutput, tellTried } from "./output.ts";

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
 * Throws `agent/invalid`.
 */
export function retrying(model: Model, options: RetryOptions = {}): Model {
  checkRetries(options.retries);
  return {
    ...model,
    // Which a spread leaves behind where the model is of a class.
    ...(model.reads && { reads: compaction => model.reads?.(compaction) ?? true }),
    ...(model.cancel && { cancel: async (...given) => model.cancel?.(...given) }),
    stream: request => tried(model, request, options),
  };
}

async function* tried(
  model: Model,
  request: ModelRequest,
  { retries = 2, sleep: wait = sleep, random = Math.random }: RetryOptions,
): AsyncGenerator<readonly Event[], void, undefined> {
  for (let tries = 0; ; tries++) {
    const { failed, events } = await opened(model, request);
    const ms = failed?.retryable && tries < retries ? backoff(tries, failed.details?.retryAfterMs, random) : undefined;
    if (ms === undefined) {
      yield* events;
      return;
    }
    if (failed) tellTried(request, await eventsOf(events), { model, error: failed });
    await wait(ms, request.signal);
  }
}

/** All of an answer that is over. */
export async function eventsOf(batches: AsyncIterable<readonly Event[]>): Promise<readonly Event[]> {
  const events: Event[] = [];
  for await (const batch of batches) events.push(...batch);
  return events;
}

export interface Opened {
  /** All of the answer. Whoever begins to read it closes it by leaving. */
  readonly events: AsyncIterable<readonly Event[]>;
  /** How the call failed, where it did so before any output: the answer is over then. */
  readonly failed?: RunError;
}

/** A model's answer, once its first output is there. A failure before it is given back, also where it is thrown. */
export async function opened(model: Model, request: ModelRequest): Promise<Opened> {
  const held: Event[] = [];
  try {
    const batches = streamOf(model, request)[Symbol.asyncIterator]();
    for (let next = await batches.next(); !next.done; next = await batches.next()) {
      held.push(...checkedBatch(next.value));
      const first = held.find(event => event.type === "error" || isOutput(event));
      if (first?.type === "error") {
        await batches.return?.();
        return { events: told(held), failed: first.error };
      }
      if (first) return { events: told(held, batches) };
    }
    const failed = failedEnd(accumulate(held));
    return { events: told(held), ...(failed && { failed }) };
  } catch (thrown) {
    request.signal?.throwIfAborted();
    const failed = thrownError(thrown);
    return { events: told([...held, { type: "error", error: failed }]), failed };
  }
}

async function* told(
  held: readonly Event[],
  rest?: AsyncIterator<readonly Event[]>,
): AsyncGenerator<readonly Event[], void, undefined> {
  let isOver = rest === undefined;
  try {
    if (held.length > 0) yield held;
    while (rest && !isOver) {
      const next = await rest.next();
      isOver = next.done === true;
      if (!next.done) yield next.value;
    }
  } finally {
    if (!isOver) await rest?.return?.();
  }
}
