import { accumulator, type Event, emit, type JsonObject, type Message, type Usage } from "translogue";
import type { Operations } from "../engine.ts";
import type { RunError } from "../errors.ts";
import type { ModelReport } from "../model.ts";
import type { StateBag } from "../state-bag.ts";
import type { Executed } from "../tools/execute.ts";
import { type BagChange, BagJournal } from "./bag-journal.ts";
import type { Told } from "./losses.ts";
import { openEvents } from "./open-answer.ts";
import type { Verdict } from "./state.ts";

/** What an engine keeps of an operation: plain JSON, and all that the loop learned by it. */
export interface Outcome {
  /** The clock when it ended, as ISO text: what the loop then writes has this time, whenever it is replayed. */
  readonly at?: string;
  /** What was changed meanwhile in the session's state bag, by whomever. */
  readonly state?: BagChange;
  /** The run was stopped meanwhile: who replays it stops there too. */
  readonly stopped?: true;
}

export interface ModelOutcome extends Outcome {
  /** The answer whole: what came of its deltas. */
  readonly answer: readonly Message[];
  /** The clock when each of its messages began. */
  readonly begun: readonly string[];
  readonly error?: RunError;
  readonly report: Omit<ModelReport, "losses" | "issues" | "raw" | "usageSoFar">;
  readonly lost: JsonObject;
  readonly issues: readonly Told[];
  /** Of an answer that was stopped, as far as its host had told: one that had said nothing has no message for it. */
  readonly usage?: Usage;
}

export interface PlanOutcome extends Outcome {
  readonly verdicts: readonly Verdict[];
}

export type ToolOutcome = Executed & Outcome;

/** An answer as it comes, for what is kept of it. */
export class AnswerRecord {
  readonly #folded = accumulator();
  readonly #begun: string[];

  /** `known`: what there is of the answer, where it is gone on with. */
  constructor(known: readonly Message[]) {
    this.#folded.pushAll(openEvents(known));
    this.#begun = known.map(({ createdAt = "" }) => createdAt);
  }

  push(events: readonly Event[], at: string): void {
    for (const event of events) {
      if (event.type === "message-start") this.#begun[event.message] = at;
      if (event.type !== "error") this.#folded.push(event);
    }
  }

  /** Nothing more comes: what its last message has told of tokens, where its events have not. */
  stopped(usage: Usage | undefined): void {
    const message = this.#begun.length - 1;
    if (usage && message >= 0) this.#folded.push({ type: "message-set", message, set: { usage } });
  }

  end(): Pick<ModelOutcome, "answer" | "begun"> {
    return { answer: this.#folded.end(), begun: this.#begun };
  }
}

/** The events of an answer that was kept, in a batch for each of its messages. */
export const keptEvents = ({ answer, begun }: ModelOutcome) =>
  answer.map((message, number) => ({
    events: emit([message]).map(event => ("message" in event ? { ...event, message: number } : event)),
    ...(begun[number] && { at: begun[number] }),
  }));

/** What came of an operation, and whether an earlier execution of the run did it. */
export interface Done<O> {
  readonly outcome: O;
  readonly isKept: boolean;
}

export interface OnceOptions {
  readonly operations: Operations | undefined;
  readonly now: () => string;
  /** Aborted once the run is over. */
  readonly stop: AbortSignal;
  /** The session's. */
  readonly bag: StateBag;
}

/**
 * Does the operations of a run once each: the outcome that is kept, or what the work gives, kept. Without an engine nothing is,
 * and times are those of the loop.
 */
export class Once {
  readonly #operations: Operations | undefined;
  readonly #now: () => string;
  readonly #stop: AbortSignal;
  readonly #bag: BagJournal | undefined;

  constructor({ operations, now, stop, bag }: OnceOptions) {
    this.#operations = operations;
    this.#now = now;
    this.#stop = stop;
    this.#bag = operations && new BagJournal(bag);
  }

  /** Begins it before anything is waited for, so that operations begin in the same order in every execution. */
  async do<O extends Outcome>(
    name: string,
    work: (attempt: number, inside?: Operations) => Promise<O>,
  ): Promise<Done<O>> {
    if (!this.#operations) return { outcome: await work(1), isKept: false };
    let isKept = true;
    const outcome = await this.#operations.operation<O>(name, async ({ number, operations }) => {
      isKept = false;
      const done = await work(number, operations);
      const state = this.#bag?.changed();
      return { ...done, at: this.#now(), ...(state && { state }), ...(this.#stop.aborted && { stopped: true }) };
    });
    if (isKept) this.#bag?.replay(outcome.state);
    return { outcome, isKept };
  }
}
