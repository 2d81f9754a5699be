import { type Issue, isError, type Loss, type TranslogueError } from "translogue";
import type { Change } from "translogue/targets";
import { type Place, unreadable } from "../failure.ts";

/** Something that a run says beside its result. */
export type Remark = { readonly loss: Loss } | { readonly issue: Issue } | { readonly change: Change };

/** One line of JSON: what programs read, and people too. */
export const remarkLine = (remark: Remark, place: Place): string => `${JSON.stringify({ ...remark, ...place })}\n`;

export const remarksOf = (report: {
  readonly issues?: readonly Issue[];
  readonly losses?: readonly Loss[];
}): Remark[] => [...(report.issues ?? []).map(issue => ({ issue })), ...(report.losses ?? []).map(loss => ({ loss }))];

/** Says of an input why it was left out. */
export const skipped = ({ code, message }: TranslogueError): Remark => ({
  issue: { code, severity: "error", path: [], message: `left out: ${message}` },
});

/** Runs the work on one value: what the value itself makes impossible becomes `input/unreadable` with its place. */
export function atPlace<T>(place: Place, run: () => T): T {
  try {
    return run();
  } catch (error) {
    if (!isError(error) || !isOfValue(error.code)) throw error;
    throw unreadable(error.message, place, error);
  }
}

/** What a format does not have or does not write is the caller's mistake, not the value's. */
const callersMistakes: ReadonlySet<string> = new Set([
  "input/unreadable",
  "encode/no-such-shape",
  "encode/read-only-dialect",
]);

const isOfValue = (code: string): boolean => /^(?:decode|encode|input|json)\//.test(code) && !callersMistakes.has(code);
