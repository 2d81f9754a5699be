import { around, type Middleware } from "./middleware.ts";
import type { AgentResponseUpdate } from "./response.ts";
import type { RunClock } from "./run-chain.ts";
import type { RunContext } from "./run-context.ts";
import { recordOf } from "./session.ts";
import type { Sleep } from "./time.ts";

type Updates = AsyncIterable<AgentResponseUpdate>;
type RunLayer = NonNullable<Middleware["run"]>;
type Step = IteratorResult<AgentResponseUpdate, unknown>;

interface Surroundings {
  readonly context: RunContext;
  /** Of the agent whose run it is, where it has limits. */
  readonly clock?: RunClock;
  readonly sleep: Sleep;
  /** Of a run that ends before a layer has begun it. */
  readonly newId: () => string;
}

/**
 * Milliseconds for which a layer may do nothing once the run is stopped, or its time is up: it neither gives an update nor
 * asks for one, while the run itself is not waited for. After that it holds the run back.
 */
const graceMs = 1000;

/**
 * A run with what stands around it, the first outermost. Once it is stopped, or its time is up, nobody waits for a layer that
 * holds it back: the run is led to its end without it, and what the layer still gives is ignored. Where no layer has begun
 * the run nobody does: what it was given may be what a layer would have changed.
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
  #times = 0;
  /** Its next update is on its way: no layer holds it back. */
  #asked: Promise<unknown> | undefined;
  #last: AgentResponseUpdate | undefined;

  constructor(run: (context: RunContext) => Updates) {
    this.#run = run;
  }

  /** How often an update was asked for. */
  get times(): number {
    return this.#times;
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

  /** Leads the run to its end, where a layer has begun it. Gives its last update. */
  async end(): Promise<AgentResponseUpdate | undefined> {
    this.#isLeft = true;
    const begun = this.#iterator;
    if (begun) for (let step = await this.#step(begun); !step.done; ) step = await this.#step(begun);
    return this.#last;
  }

  async #step(iterator: AsyncIterator<AgentResponseUpdate>): Promise<Step> {
    this.#times += 1;
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
  about: Surroundings,
): AsyncGenerator<AgentResponseUpdate, void, undefined> {
  const { clock } = about;
  const stop = stopOf(about);
  const iterator = updates[Symbol.asyncIterator]();
  let isOver = false;
  let told: AgentResponseUpdate | undefined;
  try {
    for (;;) {
      const next = iterator.next();
      const passed = new AbortController();
      const step = await Promise.race([next, stop.whenHeld(core, passed.signal)]).finally(() => passed.abort());
      if (!step) {
        next.catch(() => undefined); // nobody hears it any more
        isOver = true;
        iterator.return?.()?.catch(() => undefined);
        const last = await core.end();
        // What the layer held back stays there: it may stand in for what must not be told.
        if (!told?.isFinal) yield { ...stopped(about, told), ...last, events: [], text: "", isFinal: true };
        return;
      }
      isOver = step.done === true;
      if (step.done) return;
      told = step.value;
      yield step.value;
    }
  } finally {
    stop.end();
    clock?.end();
    if (!isOver) await iterator.return?.();
  }
}

/** How a run ends that never began, or that its layer left. */
function stopped(
  { context: { agent, options }, newId }: Surroundings,
  told: AgentResponseUpdate | undefined,
): Pick<AgentResponseUpdate, "agentId" | "responseId" | "finish" | "metadata"> {
  const { agentId = agent.id, responseId = newId() } = told ?? {};
  if (options.signal?.aborted) return { agentId, responseId, finish: { reason: "aborted" } };
  const limit = "max-time";
  return { agentId, responseId, finish: { reason: "other", raw: limit }, metadata: { limit } };
}

const stopOf = ({ context: { session, options }, clock, sleep }: Surroundings): Stop =>
  new Stop([clock?.timeUp(), recordOf(session).chain?.limits.clock.timeUp()], options.signal, sleep);

/** That a run is stopped, or its time is up. */
class Stop {
  readonly #signal: AbortSignal | undefined;
  readonly #sleep: Sleep;
  #isStopped = false;
  /** Of the update that is waited for now: a long run waits for many. */
  #wake: (() => void) | undefined;
  readonly #tell = (): void => {
    this.#isStopped = true;
    this.#wake?.();
  };

  constructor(times: readonly (Promise<void> | undefined)[], signal: AbortSignal | undefined, sleep: Sleep) {
    this.#signal = signal;
    this.#sleep = sleep;
    for (const time of times) time?.then(this.#tell, () => undefined);
    signal?.addEventListener("abort", this.#tell, { once: true });
    if (signal?.aborted) this.#tell();
  }

  /** Resolves where a layer holds the run back after that; `passed`: it has given an update. */
  async whenHeld(core: Core, passed: AbortSignal): Promise<undefined> {
    await new Promise<void>(resolve => {
      this.#wake = resolve;
      if (this.#isStopped) resolve();
    });
    for (let times = -1; times !== core.times; ) {
      await core.settled();
      times = core.times;
      await this.#sleep(graceMs, passed);
    }
  }

  end(): void {
    this.#signal?.removeEventListener("abort", this.#tell);
  }
}
