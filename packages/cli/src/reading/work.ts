import type { Conversation, Event, ExactText, Issue, Loss, Shape } from "translogue";
import type { CheckOrder } from "../check/check-work.ts";
import type { Conversion } from "../convert/writer.ts";
import type { Place } from "../failure.ts";
import type { Format } from "../input/format.ts";
import type { InspectOrder } from "../inspect/inspect-work.ts";
import type { RepairOrder } from "../repair/repair-work.ts";
import type { ConversationFacts } from "../stats/facts.ts";
import type { Remark } from "./remark.ts";

/** What a command does with each conversation that is read. Plain data: a thread gets the same. */
export type WorkOrder =
  | { readonly verb: "convert"; readonly conversion: Conversion }
  | ({ readonly verb: "check" } & CheckOrder)
  | ({ readonly verb: "repair" } & RepairOrder)
  | ({ readonly verb: "inspect" } & InspectOrder)
  | { readonly verb: "stats" };

/** One conversation as it was read. */
export interface Read {
  readonly conversation: Conversation;
  readonly format: Format;
  readonly shape: Shape;
  readonly issues: readonly Issue[];
  readonly losses: readonly Loss[];
  readonly place: Place;
  /** The value's text as it stands; absent for what a stream made. */
  readonly text?: string;
  /** Spelling that the conversation's own nodes do not keep. */
  readonly exact?: ExactText;
  /** How far a JSON text of several lines is indented; 0 = on one line. */
  readonly indent: number;
}

/** What a run counts, of one conversation. Plain data. */
export type Note =
  | {
      readonly of: "check";
      readonly target: string;
      readonly errors: number;
      readonly warnings: number;
      readonly infos: number;
      /** How many of them a repair mends. */
      readonly mended: number;
    }
  | { readonly of: "repair"; readonly changes: number; readonly unmended: number }
  | { readonly of: "stats"; readonly facts: ConversationFacts };

export interface Done {
  /** Whole lines for the output. */
  readonly text: string;
  /** For people, beside the output. */
  readonly remarks: readonly Remark[];
  readonly note?: Note;
}

/** The output of one stream, made while it is read. */
export interface EventOutput {
  push(events: readonly Event[]): string;
  /** What is wrong with the stream, where that is not said while it is read. */
  end(report: Reported): Done;
  readonly issues: readonly Issue[];
  readonly losses: readonly Loss[];
}

export interface Reported {
  readonly issues: readonly Issue[];
  readonly losses: readonly Loss[];
}

export interface Work {
  conversation(read: Read): Done;
  /** Where streams are not first read to their end: what makes the output of one. `exact` grows with what is read. */
  events?(from: Format, exact: ExactText): EventOutput;
}

/** Loads what does the work: no command waits for another's. Throws as the order's own reader does. */
export async function loadWork(order: WorkOrder): Promise<Work> {
  switch (order.verb) {
    case "convert":
      return new (await import("../convert/convert-work.ts")).ConvertWork(order.conversion);
    case "check":
      return new (await import("../check/check-work.ts")).CheckWork(order);
    case "repair":
      return new (await import("../repair/repair-work.ts")).RepairWork(order);
    case "inspect":
      return new (await import("../inspect/inspect-work.ts")).InspectWork(order);
    case "stats":
      return (await import("../stats/facts.ts")).statsWork;
  }
}
