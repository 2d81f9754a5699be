import type { Event, Usage } from "translogue";
import type { RunPolicy, RunState } from "./loop/state.ts";
import type { AgentResponseUpdate } from "./response.ts";
import { plusUsage } from "./spending.ts";
import type { Sleep } from "./time.ts";
import type { AgentTool } from "./tools/tool.ts";

type Updates = AsyncIterable<AgentResponseUpdate>;

/** What the limits of a run count, and the agent that led it. */
type Reached = Pick<RunState, "step" | "errors" | "spent" | "repeats" | "author">;

interface ChainLimits {
  /** Id of the agent that was asked to run. */
  readonly agent: string;
  readonly policy: RunPolicy;
  readonly timeoutMs: number | undefined;
  readonly sleep: Sleep;
}

/**
 * What runs share that follow one another as one: those of agents that hand the session on, and those that ask once more
 * for a result. The limits of the agent that was asked to run hold for all of them together.
 */
export class RunChain {
  readonly limits: ChainLimits;
  /** Where the last of them stood at its end: the next counts on. */
  before: Reached | undefined;
  /** Another agent runs now: its run is one of these. */
  isHanded = false;
  /** Of those that are over. */
  usage: Usage | undefined;
  /** Tools that only a run has, by the id of its agent. */
  readonly tools = new Map<string, readonly AgentTool[]>();
  readonly #over = new AbortController();
  #time: Promise<void> | undefined;

  constructor(limits: ChainLimits) {
    this.limits = limits;
  }

  /** Counts from when it is first asked for. Resolves once the time of all is over; rejects where they end before. */
  timeUp(): Promise<void> | undefined {
    const { timeoutMs, sleep } = this.limits;
    if (timeoutMs !== undefined) this.#time ??= sleep(timeoutMs, this.#over.signal);
    return this.#time;
  }

  end(): void {
    this.#time?.catch(() => undefined);
    this.#over.abort();
  }
}

/**
 * Runs one after another as one: their messages are numbered on, their usage adds up, and only the last says how it ended.
 * `next` is asked with the last update of each.
 */
export async function* joined(
  first: Updates,
  next: (ended: AgentResponseUpdate) => Updates | undefined | Promise<Updates | undefined>,
): AsyncGenerator<AgentResponseUpdate, void, undefined> {
  let before = 0;
  let usage: AgentResponseUpdate["usage"];
  for (let run: Updates | undefined = first; run; ) {
    let messages = before;
    let ended: AgentResponseUpdate | undefined;
    for await (const update of run) {
      const events = before === 0 ? update.events : update.events.map(event => behind(event, before));
      for (const event of events) if ("message" in event) messages = Math.max(messages, event.message + 1);
      if (update.isFinal) ended = { ...update, events };
      else yield before === 0 ? update : { ...update, events };
    }
    if (!ended) return;
    usage = plusUsage(usage, ended.usage);
    run = await next(ended);
    if (run) yield withoutEnd(ended);
    else yield { ...ended, ...(usage && { usage }) };
    before = messages;
  }
}

const behind = (event: Event, messages: number): Event =>
  "message" in event ? { ...event, message: event.message + messages } : event;

function withoutEnd(update: AgentResponseUpdate): AgentResponseUpdate {
  const { finish: _, usage: __, usageTree: ___, error: ____, metadata: _____, ...told } = update;
  return { ...told, isFinal: false };
}
