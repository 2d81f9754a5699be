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
export async function* streamInContext<T>(
  runContext: RunContext,
  stream: () => AsyncIterable<T>,
): AsyncGenerator<T, void, undefined> {
  const iterator = inContext(runContext, () => stream()[Symbol.asyncIterator]());
  let isOver = false;
  try {
    for (;;) {
      const next = await inContext(runContext, () => iterator.next());
      isOver = next.done === true;
      if (next.done) return;
      yield next.value;
    }
  } finally {
    if (!isOver) await inContext(runContext, () => iterator.return?.());
  }
}

/**
 * The stream with what surrounds this call (spans, ids of requests) around each of its steps, wherever it is read: a reader
 * that comes later is not what the run belongs to.
 */
export function asCalled<T>(stream: AsyncGenerator<T, void, undefined>): AsyncGenerator<T, void, undefined> {
  const within = AsyncLocalStorage.snapshot();
  const left = (): Promise<IteratorResult<T, void>> => within(() => stream.return());
  return {
    next: () => within(() => stream.next()),
    return: left,
    throw: error => within(() => stream.throw(error)),
    [Symbol.asyncIterator]() {
      return this;
    },
    [Symbol.asyncDispose]: async () => void (await left()),
  };
}
