import type { Conversation, Tool } from "../../model/conversation.ts";
import type { Path } from "../../model/issue.ts";
import { isJsonObject, type Json, type JsonObject } from "../../model/json.ts";
import type { Node, Part, PartType } from "../../model/parts.ts";
import { everyChild } from "../../model/walk.ts";
import type { RuleTable, Target } from "../target.ts";
import type { View } from "../turns.ts";
import type { RuleCheck } from "./rule.ts";
import { isOwnCompaction, isSaid, piecesOf } from "./said.ts";

type Row = RuleTable["cache-marks"];

interface Mark {
  readonly path: Path;
  /** Undefined = it does not say. */
  readonly ttl: Json | undefined;
  /** Why the wire has no such mark. */
  readonly fault?: string;
  /** The piece that has a mark and no place for one. */
  readonly block?: string;
}

/** Where a part or a tool ends what is to be cached, in the order in which a prompt is read: tools, system, messages, the request itself. */
function marksIn(view: View, row: Row, target: Target): readonly Mark[] {
  const marks: Mark[] = [];
  for (const [place, tool] of (view.conversation.tools ?? []).entries()) {
    const path = ["tools", place];
    const mark = tool.cache ? { path: [...path, "cache"], ttl: tool.cache.ttl } : keptMark(tool, path, row);
    if (mark) marks.push(mark);
  }
  for (const { parts } of view.turns) {
    for (const { part, path } of parts) marksOf(part, path, { written: row.parts, row, target, marks });
  }
  const automatic = view.conversation.native?.[target.format]?.[row.automatic];
  if (isJsonObject(automatic)) marks.push(wireMark(automatic, ["native", target.format, row.automatic], row));
  return marks;
}

interface Looking {
  /** Types whose marks are written where the part stands. */
  readonly written: readonly PartType[];
  readonly row: Row;
  readonly target: Target;
  readonly marks: Mark[];
}

/** What stands in a part counts before the part; a compaction of another's is said as its summary. */
function marksOf(part: Part, path: Path, looking: Looking): void {
  const { row, target, marks } = looking;
  const isOwn = isOwnCompaction(part, target);
  const { pieces, steps } = piecesIn(part) ?? { pieces: [], steps: [] };
  const written = part.type === "compaction" ? looking.written : row.inner;
  if (!isOwn)
    for (const [place, piece] of pieces.entries()) marksOf(piece, [...path, ...steps, place], { ...looking, written });
  const hasPlace = isOwn || (looking.written.includes(part.type) && isWritten(part));
  if (part.cache && hasPlace) marks.push({ path: [...path, "cache"], ttl: part.cache.ttl });
  else if (isOwn || isSaid(part) || hasPlace) {
    const mark = keptMark(part, path, row);
    const misplaced = `stands on ${part.type}, where there is no place for one. Leave it out.`;
    const isPlaced = hasPlace || part.type === "opaque";
    if (mark) marks.push(isPlaced ? mark : { ...mark, fault: misplaced, block: blockOf(part) });
  }
}

const blockOf = ({ type }: Part): string => (type === "reasoning" ? "thinking" : type);

/** A mark that a codec kept as it is: a member of its own, or of a block that nobody knows. */
function keptMark(node: Part | Tool, path: Path, { mark: { family, member, type }, ...row }: Row): Mark | undefined {
  const isOpaque = "type" in node && node.type === "opaque";
  const holder = isOpaque ? (node.family === family ? node.value : undefined) : node.native?.[family];
  const value = isJsonObject(holder) ? holder[member] : undefined;
  const steps = isOpaque ? ["value"] : ["native", family];
  return isJsonObject(value)
    ? wireMark(value, [...path, ...steps, member], { ...row, mark: { family, member, type } })
    : undefined;
}

function wireMark(mark: JsonObject, path: Path, { mark: { type } }: Row): Mark {
  const fault =
    mark["type"] === type ? undefined : `is of no type that there is. Make it \`${type}\`, or leave it out.`;
  return { path, ttl: mark["ttl"], ...(fault !== undefined && { fault }) };
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
const isUnmarkedInside = (part: Node, row: Pick<Row, "mark">): boolean =>
  everyChild(part, child => !isMarked(child as Part, row) && isUnmarkedInside(child, row)); // only parts have a mark

const isMarked = (part: Part, row: Pick<Row, "mark">): boolean => part.cache !== undefined || hasKeptMark(part, row);

/** Whether a codec may have kept a mark of the node's. */
const hasKeptMark = (node: Part | Tool, { mark: { family, member } }: Pick<Row, "mark">): boolean =>
  node.native?.[family]?.[member] !== undefined || ("type" in node && node.type === "opaque" && node.family === family);

export const cacheMarks: RuleCheck<"cache-marks"> = (view, row, { asked, report }) => {
  const { most, ttls } = row;
  const all = marksIn(view, row, asked.target);
  for (const { path, fault, block } of all)
    if (fault !== undefined) report(path, fault, block === undefined ? {} : { block });
  const marks = all.filter(({ fault }) => fault === undefined);
  const spare = Math.max(0, marks.length - most);
  for (const { path } of marks.slice(0, spare))
    report(path, `is one of ${marks.length} marks, of at most ${most}. Leave out all but the last.`, {
      most,
      found: marks.length,
    });
  const { length } = ttls;
  let shortest = 0;
  for (const { path, ttl } of marks.slice(spare)) {
    const told = ttl ?? ttls[length - 1];
    const known = typeof told === "string" ? ttls.indexOf(told) : -1;
    const place = known === -1 ? length - 1 : known;
    if (known === -1)
      report([...path, "ttl"], `is none of ${ttls.map(each => `\`${each}\``).join(", ")}. Say one of them, or none.`);
    else if (place < shortest) {
      const [later = "", earlier = ""] = [ttls[place], ttls[shortest]];
      const text = `is \`${later}\` behind a mark of \`${earlier}\`, and the longer ones stand first. Say no more than that.`;
      report([...path, "ttl"], text, { later, earlier });
    }
    shortest = Math.max(shortest, place);
  }
};

/** Whether the marks of a conversation are to be looked at for what no part of it tells alone. @param count how many its parts and tools have */
export function areSuspect({ tools = [], native }: Conversation, count: number, row: Row, { format }: Target): boolean {
  const isTold = tools.some(tool => tool.cache?.ttl !== undefined || hasKeptMark(tool, row));
  return isTold || count > row.most || native?.[format]?.[row.automatic] !== undefined;
}

/** Whether a part, or one in it, has a mark that may be refused, or that is not counted as the part's. */
export const isSuspect = (part: Part, row: Row): boolean =>
  part.cache?.ttl !== undefined || hasKeptMark(part, row) || !isUnmarkedInside(part, row);
