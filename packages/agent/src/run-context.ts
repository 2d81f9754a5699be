import { AsyncLocalStorage } from "node:async_hooks";
import type { Message } from "translogue";
import type { Agent, RunOptions } from "./agent.ts";
import type { AgentSession } from "./session.ts";

/** What is being run, for code that a run calls: tools, approval rules, models. */
export interface RunContext {
  readonly agent: Agent;
  readonly session: AgentSession;
  /** The messages that the run was given. */
  readonly messages: readonly Message[];
  readonly options: RunOptions;
}

const storage = new AsyncLocalStorage<RunContext>();

export const currentRunContext = (): RunContext | undefined => storage.getStore();

export const inContext = <R>(runContext: RunContext, work: () => R): R => storage.run(runContext, work);

/**
 * Each step of the stream runs in the context, and nothing of the reader's between two steps does. Leaving the reader's
 * loop leaves the stream.
 */
export const streamInContext = <T>(
  runContext: RunContext,
  stream: () => AsyncIterable<T>,
): AsyncGenerator<T, void, undefined> => streamIn(storage, runContext, stream);

/** The same of any storage. */
export async function* streamIn<Store, T>(
  surroundings: AsyncLocalStorage<Store>,
  store: Store,
  stream: () => AsyncIterable<T>,
): AsyncGenerator<T, void, undefined> {
  const iterator = surroundings.run(store, () => stream()[Symbol.asyncIterator]());
  let isOver = false;
  try {
    for (;;) {
      const next = await surroundings.run(store, () => iterator.next());
      isOver = next.done === true;
      if (next.done) return;
      yield next.value;
    }
  } finally {
    if (!isOver) await surroundings.run(store, () => iterator.return?.());
  }
}

/**
 * The stream with what surrounds this call (spans, ids of requests) around each of its steps, wherever it is read: a reader
 * that comes later is not what the run belongs to.
 */
export function asCalled<T>(stream: AsyncGenerator<T, void, undefined>): AsyncGenerator<T, void, undefined> {
  const there = AsyncLocalStorage.snapshot();
  const left = (): Promise<IteratorResult<T, void>> => there(() => stream.return());
  return {
    next: () => there(() => stream.next()),
    return: left,
    throw: error => there(() => stream.throw(error)),
    [Symbol.asyncIterator]() {
      return this;
    },
    [Symbol.asyncDispose]: async () => void (await left()),
  };
}
