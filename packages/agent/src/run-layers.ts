import { around, type Middleware } from "./middleware.ts";
import type { AgentResponseUpdate } from "./response.ts";
import type { RunClock } from "./run-chain.ts";
import type { RunContext } from "./run-context.ts";
import { recordOf } from "./session.ts";

type Updates = AsyncIterable<AgentResponseUpdate>;
type RunLayer = NonNullable<Middleware["run"]>;
type Step = IteratorResult<AgentResponseUpdate, unknown>;

interface Surroundings {
  readonly context: RunContext;
  /** Of the agent whose run it is, where it has limits. */
  readonly clock?: RunClock;
}

/**
 * A run with what stands around it, the first outermost. Once it is stopped, or its time is up, nobody waits for a layer that
 * holds it back: the run is led to its end without it, and what the layer still gives is ignored.
 */
export function layered(
  layers: readonly RunLayer[],
  run: (context: RunContext) => Updates,
  about: Surroundings,
): Updates {
  if (layers.length === 0) return about.clock?.isLimit ? timed(run(about.context), about.clock) : run(about.context);
  const core = new Core(run);
  return unheld(around<RunContext, Updates>(layers, context => core.open(context))(about.context), core, about);
}

async function* timed(updates: Updates, clock: RunClock): AsyncGenerator<AgentResponseUpdate, void, undefined> {
  try {
    yield* updates;
  } finally {
    clock.end();
  }
}

/** The run itself, as its layers ask for it: it may be asked for again. */
class Core {
  readonly #run: (context: RunContext) => Updates;
  #iterator: AsyncIterator<AgentResponseUpdate> | undefined;
  #isLeft = false;
  /** Its next update is on its way: no layer holds it back. */
  #asked: Promise<unknown> | undefined;
  #last: AgentResponseUpdate | undefined;

  constructor(run: (context: RunContext) => Updates) {
    this.#run = run;
  }

  /** What is asked for too late gives nothing. */
  async *open(context: RunContext): AsyncGenerator<AgentResponseUpdate> {
    if (this.#isLeft) return;
    const iterator = this.#run(context)[Symbol.asyncIterator]();
    this.#iterator = iterator;
    let isOver = false;
    try {
      while (!this.#isLeft) {
        const step = await this.#step(iterator);
        isOver = step.done === true;
        if (this.#isLeft || step.done) return;
        yield step.value;
      }
    } finally {
      if (!isOver && !this.#isLeft) await iterator.return?.();
      if (this.#iterator === iterator) this.#iterator = undefined;
    }
  }

  /** Resolves once no update is on its way. */
  async settled(): Promise<void> {
    while (this.#asked) await this.#asked.catch(() => undefined);
  }

  /** Leads the run to its end; begins it where no layer has. Gives its last update. */
  async end(context: RunContext): Promise<AgentResponseUpdate | undefined> {
    this.#isLeft = true;
    const begun = this.#iterator ?? (this.#last ? undefined : this.#run(context)[Symbol.asyncIterator]());
    if (begun) for (let step = await this.#step(begun); !step.done; ) step = await this.#step(begun);
    return this.#last;
  }

  async #step(iterator: AsyncIterator<AgentResponseUpdate>): Promise<Step> {
    const asked = iterator.next();
    this.#asked = asked;
    try {
      const step = await asked;
      if (!step.done) this.#last = step.value;
      return step;
    } finally {
      if (this.#asked === asked) this.#asked = undefined;
    }
  }
}

async function* unheld(
  updates: Updates,
  core: Core,
  { context, clock }: Surroundings,
): AsyncGenerator<AgentResponseUpdate, void, undefined> {
  const { signal } = context.options;
  const stop = new Stop([clock?.timeUp(), recordOf(context.session).chain?.limits.clock.timeUp()], signal);
  const iterator = updates[Symbol.asyncIterator]();
  let isOver = false;
  let isTold = false;
  try {
    for (;;) {
      const next = iterator.next();
      const step = await Promise.race([next, stop.whenHeld(core)]);
      if (!step) {
        next.catch(() => undefined); // nobody hears it any more
        isOver = true;
        iterator.return?.()?.catch(() => undefined);
        const last = await core.end(context);
        // What the layer held back stays there: it may stand in for what must not be told.
        if (last && !isTold) yield { ...last, events: [], text: "", isFinal: true };
        return;
      }
      isOver = step.done === true;
      if (step.done) return;
      isTold ||= step.value.isFinal;
      yield step.value;
    }
  } finally {
    stop.end();
    clock?.end();
    if (!isOver) await iterator.return?.();
  }
}

/** That a run is stopped, or its time is up. */
class Stop {
  readonly #signal: AbortSignal | undefined;
  #isStopped = false;
  /** Of the update that is waited for now: a long run waits for many. */
  #wake: (() => void) | undefined;
  readonly #tell = (): void => {
    this.#isStopped = true;
    this.#wake?.();
  };

  constructor(times: readonly (Promise<void> | undefined)[], signal: AbortSignal | undefined) {
    this.#signal = signal;
    for (const time of times) time?.then(this.#tell, () => undefined);
    signal?.addEventListener("abort", this.#tell, { once: true });
    if (signal?.aborted) this.#tell();
  }

  /** Resolves where a layer holds the run back after that: the run gives nothing, and the layer neither. */
  async whenHeld(core: Core): Promise<undefined> {
    await new Promise<void>(resolve => {
      this.#wake = resolve;
      if (this.#isStopped) resolve();
    });
    for (let turn = 0; turn < turnsToPass; turn++) {
      await core.settled();
      await new Promise<void>(resolve => setTimeout(resolve));
    }
  }

  end(): void {
    this.#signal?.removeEventListener("abort", this.#tell);
  }
}

/** Turns of the event loop in which a layer can pass on what it has: those that only look on need one. */
const turnsToPass = 3;
