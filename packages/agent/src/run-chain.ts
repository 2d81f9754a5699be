import { AsyncLocalStorage } from "node:async_hooks";
import { type Event, isError } from "translogue";
import { thrownError } from "./errors.ts";
import type { Between, RunPolicy } from "./loop/state.ts";
import type { AgentResponseUpdate } from "./response.ts";
import { streamIn } from "./run-context.ts";
import type { Sleep } from "./time.ts";
import type { AgentTool } from "./tools/tool.ts";

type Updates = AsyncIterable<AgentResponseUpdate>;

interface ChainLimits {
  /** Id of the agent that was asked to run, and who runs its model. */
  readonly agent: string;
  readonly provider: string;
  readonly policy: RunPolicy;
  readonly clock: RunClock;
}

/** Counts the time of a run from when it is first asked for, until it is ended. */
export class RunClock {
  readonly #timeoutMs: number | undefined;
  readonly #sleep: Sleep;
  readonly #over = new AbortController();
  #time: Promise<void> | undefined;

  constructor(timeoutMs: number | undefined, sleep: Sleep) {
    this.#timeoutMs = timeoutMs;
    this.#sleep = sleep;
  }

  get isLimit(): boolean {
    return this.#timeoutMs !== undefined;
  }

  /** Resolves once the time is over; rejects where it is ended before. */
  timeUp(): Promise<void> | undefined {
    if (this.#timeoutMs !== undefined) this.#time ??= this.#sleep(this.#timeoutMs, this.#over.signal);
    return this.#time;
  }

  end(): void {
    this.#time?.catch(() => undefined);
    this.#over.abort();
  }
}

/** The run of a chain that the calling code belongs to. */
const runs = new AsyncLocalStorage<object>();

/**
 * What runs share that follow one another as one: those of agents that hand the session on, and those that ask once more
 * for a result. The limits of the agent that was asked to run hold for all of them together.
 */
export class RunChain {
  readonly limits: ChainLimits;
  /** Its next run counts on from where the session stands between two. */
  goesOn: boolean;
  /** Where the last run stood at its end. */
  reached: Between | undefined;
  /** Tools that only a run has, by the id of its agent. */
  readonly tools = new Map<string, readonly AgentTool[]>();
  /** Of the agent that runs now, where the session was handed to it. */
  #handed: object | undefined;

  constructor(limits: ChainLimits, goesOn: boolean) {
    this.limits = limits;
    this.goesOn = goesOn;
  }

  /** Makes way for the run of an agent that is handed the session: what `run` begins, and nothing else, is one of these. */
  handed(run: () => Updates): Updates {
    const mark = {};
    this.#handed = mark;
    return streamIn(runs, mark, run);
  }

  /** Whether the calling code runs for the agent that was handed the session last. */
  get isHandedHere(): boolean {
    return this.#handed !== undefined && runs.getStore() === this.#handed;
  }

  end(): void {
    this.#handed = undefined;
  }
}

/**
 * Runs one after another as one: their messages are numbered on, and only the last says how it ended. `next` is asked with
 * the last update of each, and gives it as it is to be told.
 */
export async function* joined(
  first: Updates,
  next: (ended: AgentResponseUpdate, isRefused: boolean) => Joint | Promise<Joint>,
): AsyncGenerator<AgentResponseUpdate, void, undefined> {
  let before = 0;
  let last: AgentResponseUpdate | undefined;
  for (let run: Updates | undefined = first; run; ) {
    let messages = before;
    let ended: AgentResponseUpdate | undefined;
    const updates = last ? begunAfter(last, run) : run;
    for await (const update of updates) {
      const events = before === 0 ? update.events : update.events.map(event => behind(event, before));
      for (const event of events) if ("message" in event) messages = Math.max(messages, event.message + 1);
      if (update.isFinal) ended = { ...update, events };
      else yield before === 0 ? update : { ...update, events };
    }
    if (!ended) return;
    const joint: Joint = await next(ended, refused.has(updates));
    last = joint.ended;
    run = joint.run;
    yield run ? withoutEnd(joint.ended) : joint.ended;
    before = messages;
  }
}

/** Runs that were refused before they began. */
const refused = new WeakSet<Updates>();

/** What its providers fail with before a run begins is thrown; where it follows another, the whole has begun, and fails with it. */
function begunAfter(last: AgentResponseUpdate, run: Updates): Updates {
  const updates = updatesOf();
  return updates;

  async function* updatesOf(): AsyncGenerator<AgentResponseUpdate, void, undefined> {
    try {
      yield* run;
    } catch (error) {
      if (!isError(error) || (error.code !== "context/failed" && error.code !== "history/failed")) throw error;
      refused.add(updates);
      yield { ...last, events: [], text: "", finish: { reason: "error" }, error: thrownError(error), isFinal: true };
    }
  }
}

/** The end of a run, and the one that follows it. */
export interface Joint {
  readonly ended: AgentResponseUpdate;
  readonly run?: Updates | undefined;
}

const behind = (event: Event, messages: number): Event =>
  "message" in event ? { ...event, message: event.message + messages } : event;

function withoutEnd(update: AgentResponseUpdate): AgentResponseUpdate {
  const { finish: _, usage: __, usageTree: ___, error: ____, metadata: _____, ...told } = update;
  return { ...told, isFinal: false };
}
