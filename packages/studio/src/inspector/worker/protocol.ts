import type { Json, Message, Recipient } from "translogue";
import type { LossGroup } from "../../panel/conversion.ts";
import type { Facts } from "./facts.ts";
import type { IssueGroup, Mended } from "./issues.ts";
import type { Spans } from "./places.ts";
import type { Problem } from "./problem.ts";
import type { Asked, Candidate, Phase, Reading } from "./read.ts";
import type { Row } from "./rows.ts";
import type { StreamRow } from "./stream-player.ts";

/** What the room knows before anything is opened. */
export interface Offer {
  readonly formats: readonly { readonly id: string; readonly title: string; readonly dialects: readonly string[] }[];
  /** What a conversation can be written as: `format` or `format:dialect`. */
  readonly outputs: readonly { readonly ref: string; readonly title: string }[];
  readonly targets: readonly {
    readonly id: string;
    readonly title: string;
    readonly format: string;
    readonly dialect?: string;
  }[];
}

/** What was opened, or what became of it by repairs. */
export interface Opened
  extends Pick<Reading, "text" | "isTidy" | "container" | "format" | "shape" | "values" | "value"> {
  readonly dialect?: string;
  readonly candidates: readonly Candidate[];
  readonly model?: string;
  readonly rows: readonly Row[];
  readonly stream?: readonly StreamRow[];
  /** What the last repair did. */
  readonly changes: readonly Mended[];
  /** How many repairs can be taken back. */
  readonly repairs: number;
}

export interface LitLoss {
  /** The row that lost something. */
  readonly row?: number;
  /** Where it is in the source. */
  readonly source: Spans;
  /** Where it would be in what was written. */
  readonly spans: Spans;
}

export type Written =
  | {
      readonly text: string;
      readonly groups: readonly (LossGroup & { readonly lit: readonly LitLoss[] })[];
      /** Where each row stands in the text. */
      readonly places: readonly Spans[];
    }
  | { readonly problem: string };

export interface TargetChoice {
  readonly target: string;
  readonly model?: string;
}

/** What can be asked of the worker, and what it answers. */
export interface Questions {
  offer: { readonly ask: Record<never, never>; readonly answer: Offer };
  open: { readonly ask: { readonly text: string; readonly asked: Asked }; readonly answer: Opened };
  issues: { readonly ask: Partial<TargetChoice>; readonly answer: readonly IssueGroup[] };
  repair: { readonly ask: TargetChoice & { readonly rule?: string }; readonly answer: Opened };
  undo: { readonly ask: Record<never, never>; readonly answer: Opened };
  write: {
    readonly ask: { readonly ref: string; readonly recipient: Recipient; readonly carry: boolean };
    readonly answer: Written;
  };
  facts: { readonly ask: Record<never, never>; readonly answer: Facts };
  node: { readonly ask: { readonly row: number }; readonly answer: Json };
  after: { readonly ask: { readonly events: number }; readonly answer: readonly Message[] };
}

export type Question = keyof Questions;

/** To the worker. */
export type Call = {
  readonly [Name in Question]: { readonly id: number; readonly name: Name; readonly ask: Questions[Name]["ask"] };
}[Question];

/** From the worker. */
export type Reply =
  | { readonly id: number; readonly phase: Phase }
  /** JSON: a page takes it several times faster than a copy of many small objects. A long text goes beside it as it is. */
  | { readonly id: number; readonly answer: string; readonly text?: string }
  | { readonly id: number; readonly problem: Problem };
