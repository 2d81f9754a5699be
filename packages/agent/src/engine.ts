import type { Json, TranslogueError } from "translogue";
import { failure } from "./errors.ts";

/**
 * Runs things to their end, however often its processes die: a *run* has a durable id, a stored input and a body; what the
 * body does by `operation` is done once. After a crash the body starts again from the stored input and finds the outcomes
 * of what had ended. The id is the caller's: starting it again is the same run.
 */
export interface Engine {
  /** Resolves once the input is durable; the body begins at once, here or, where this engine has no body, at one that recovers. */
  start(run: string, input: Json): Promise<void>;
  /** What the body gave. Throws `engine/unknown-run`; `engine/failed` where the body threw. Waits for a run that goes on elsewhere. */
  result(run: string): Promise<Json>;
  /** Goes on with the unfinished runs of executors that are dead, and from then on watches for more. Gives those it took over. */
  recover(): Promise<readonly string[]>;
  /** Leaves its runs unfinished, at once, for whoever recovers next. */
  close(): Promise<void>;
}

/** What a run does, from its stored input. It may be begun many times: whatever has an effect outside belongs into an operation. */
export type RunBody = (input: Json, operations: Operations) => Promise<Json>;

/** Given to the body of a run by its engine. */
export interface Operations {
  readonly run: string;
  /**
   * The outcome that is kept, or the one that `work` gives: plain JSON, kept before this resolves. Names are unique within a
   * run, and in every execution operations begin in the same order. What `work` throws is not kept. Throws `engine/lost`
   * once another process has the run, or this engine is closed: the body gives up then.
   */
  operation<Outcome>(name: string, work: (attempt: Attempt) => Promise<Outcome>): Promise<Outcome>;
  /** The result of another run, once it has ended. */
  result(run: string): Promise<Json>;
  /**
   * Takes a run for this one to go on from, before and after a crash: no other gets it, unless this one fails. Throws
   * `engine/continued` where another has it.
   */
  continueFrom(run: string): Promise<void>;
}

export interface Attempt {
  /** 1, or more where the operation began before and was cut. */
  readonly number: number;
  /** Aborted once the outcome would be kept no more. */
  readonly signal: AbortSignal;
  /** For what the work does in its turn: outcomes are kept under its name for the attempts after it. They begin in any order. */
  readonly operations: Operations;
}

/** Why a run cannot go on from another. */
export const continued = (run: string, by: string): TranslogueError =>
  failure(
    "engine/continued",
    `the run \`${by}\` went on from the run \`${run}\`: read its result, or start a run after that one`,
    { data: { run, by } },
  );

/** The operations of a part of a run: names are unique within a run, and its parts have the same. */
export const within = (operations: Operations, part: string): Operations => ({
  run: operations.run,
  operation: (name, work) => operations.operation(`${part}/${name}`, work),
  result: run => operations.result(run),
  continueFrom: run => operations.continueFrom(run),
});
