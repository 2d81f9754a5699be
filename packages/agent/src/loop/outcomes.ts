import { accumulator, type Event, emit, type JsonObject, type Message } from "translogue";
import type { RunError } from "../errors.ts";
import type { ModelReport } from "../model.ts";
import type { Executed } from "../tools/execute.ts";
import type { Told } from "./losses.ts";
import type { Verdict } from "./state.ts";

/** What an engine keeps of an operation: plain JSON, and all that the loop learned by it. */
interface Outcome {
  /** The clock when it ended, as ISO text: what the loop then writes has this time, whenever it is replayed. */
  readonly at?: string;
  /** The run was stopped meanwhile: who replays it stops there too. */
  readonly stopped?: true;
}

export interface ModelOutcome extends Outcome {
  /** The answer whole: what came of its deltas. */
  readonly answer: readonly Message[];
  /** The clock when each of its messages began. */
  readonly begun: readonly string[];
  readonly error?: RunError;
  readonly report: Omit<ModelReport, "losses" | "issues" | "raw">;
  readonly lost: JsonObject;
  readonly issues: readonly Told[];
}

export interface PlanOutcome extends Outcome {
  readonly verdicts: readonly Verdict[];
}

export type ToolOutcome = Executed & Outcome;

/** An answer as it comes, for what is kept of it. */
export class AnswerRecord {
  readonly #folded = accumulator();
  readonly #begun: string[] = [];

  push(events: readonly Event[], at: string): void {
    for (const event of events) {
      if (event.type === "message-start") this.#begun[event.message] = at;
      if (event.type !== "error") this.#folded.push(event);
    }
  }

  end(): Pick<ModelOutcome, "answer" | "begun"> {
    return { answer: this.#folded.end(), begun: this.#begun };
  }
}

/** The events of an answer that was kept, in a batch for each of its messages. */
export const keptEvents = ({ answer, begun }: ModelOutcome) =>
  answer.map((message, number) => ({
    events: emit([message]).map(event => ("message" in event ? { ...event, message: number } : event)),
    ...(begun[number] !== undefined && { at: begun[number] }),
  }));
