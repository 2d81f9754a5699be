import type { Path } from "../../model/issue.ts";
import type { Node, Part, PartType } from "../../model/parts.ts";
import { everyChild } from "../../model/walk.ts";
import type { RuleTable, Target } from "../target.ts";
import type { View } from "../turns.ts";
import type { RuleCheck } from "./rule.ts";
import { isOwnCompaction, piecesOf } from "./said.ts";

type Row = RuleTable["cache-marks"];

/** Where a part or a tool ends what is to be cached, in the order in which a prompt is read: tools, system, messages. */
function marksIn(view: View, row: Row, target: Target): readonly Path[] {
  const marks: Path[] = [];
  for (const [place, { cache }] of (view.conversation.tools ?? []).entries())
    if (cache) marks.push(["tools", place, "cache"]);
  for (const { parts } of view.turns) {
    for (const { part, path } of parts) marksOf(part, path, { written: row.parts, row, target, marks });
  }
  return marks;
}

interface Looking {
  /** Types whose marks are written where the part stands. */
  readonly written: readonly PartType[];
  readonly row: Row;
  readonly target: Target;
  readonly marks: Path[];
}

/** What stands in a part counts before the part; a compaction of another's is said as its summary. */
function marksOf(part: Part, path: Path, looking: Looking): void {
  const { row, target, marks } = looking;
  const isOwn = isOwnCompaction(part, target);
  const { pieces, steps } = piecesIn(part) ?? { pieces: [], steps: [] };
  const written = part.type === "compaction" ? looking.written : row.inner;
  if (!isOwn)
    for (const [place, piece] of pieces.entries()) marksOf(piece, [...path, ...steps, place], { ...looking, written });
  if (part.cache && (isOwn || (looking.written.includes(part.type) && isWritten(part)))) marks.push([...path, "cache"]);
}

function piecesIn(part: Part): { readonly pieces: readonly Part[]; readonly steps: Path } | undefined {
  if (part.type === "tool-result") return { pieces: part.output ?? [], steps: ["output"] };
  return part.type === "source" ? { pieces: part.parts ?? [], steps: ["parts"] } : piecesOf(part);
}

/** A source is written with what it says, a change with the tools that it tells. */
function isWritten(part: Part): boolean {
  if (part.type === "source") return part.parts !== undefined;
  return part.type !== "change" || [part.toolsAdded, part.toolsRemoved].some(list => list && list.length > 0);
}

/** Whether no part in this one is marked, at any depth. */
export const isUnmarkedInside = (part: Node): boolean =>
  everyChild(part, child => (child as Part).cache === undefined && isUnmarkedInside(child)); // only parts have one

export const cacheMarks: RuleCheck<"cache-marks"> = (view, row, { asked, report }) => {
  const { most, automatic } = row;
  const marks = marksIn(view, row, asked.target);
  const isAutomatic = view.conversation.native?.[asked.target.format]?.[automatic] !== undefined;
  const found = marks.length + (isAutomatic ? 1 : 0);
  for (const path of marks.slice(0, Math.max(0, found - most)))
    report(path, `is one of ${found} marks, of at most ${most}. Leave out all but the last.`, { most, found });
};
