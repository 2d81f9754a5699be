import type { Path } from "../../model/issue.ts";
import type { Part } from "../../model/parts.ts";
import type { Target } from "../target.ts";
import type { Placed } from "../turns.ts";

/** Parts that no provider is sent (R23, and what is for programs and people). */
const unsent: ReadonlySet<Part["type"]> = new Set([
  "approval-request",
  "approval-response",
  "input-request",
  "input-response",
  "data",
  "error",
  "change",
]);

interface Pieces {
  readonly pieces: readonly Part[];
  /** From the part to the list of them. */
  readonly steps: Path;
}

/** What a part is made of: a compaction of its summary, a document of its blocks. */
export function piecesOf(part: Part): Pieces | undefined {
  if (part.type === "compaction") return { pieces: part.summary ?? [], steps: ["summary"] };
  const isMade = part.type === "file" && "parts" in part.source;
  return isMade ? { pieces: part.source.parts, steps: ["source", "parts"] } : undefined;
}

/**
 * A part as it is said, and where it stands: a summary is said where its compaction stands. @param blocks a document is said as its
 * blocks too
 */
export function saidIn(part: Part, path: Path, blocks = false): readonly Pick<Placed, "part" | "path">[] {
  const made = part.type === "compaction" || blocks ? piecesOf(part) : undefined;
  if (!made) return [{ part, path }];
  return made.pieces.flatMap((piece, index) => saidIn(piece, [...path, ...made.steps, index], blocks));
}

/** Whether the part is a compaction that its maker takes back as it is; those of others are said as their summaries. */
export const isOwnCompaction = ({ type, seal, native }: Part, { compactions }: Pick<Target, "compactions">): boolean =>
  type === "compaction" &&
  compactions !== undefined &&
  (seal !== undefined || native?.[compactions]?.["$type"] === "compaction");

/** Whether a provider gets to read something of the part, though it may be an empty text. */
export function isSaid(part: Part): boolean {
  // What holds nothing is left out wherever it goes.
  if (part.type === "reasoning") return part.seal !== undefined || (part.text ?? "") !== "";
  if (part.type === "compaction") return part.seal !== undefined || (part.summary?.some(isSaid) ?? false);
  if (part.type === "file") return piecesOf(part)?.pieces.length !== 0;
  return !unsent.has(part.type);
}

/** Whether there is something in it to read. A seal alone is something that its maker reads. */
export function isContent(part: Part): boolean {
  if (part.type === "text" || part.type === "refusal") return part.text !== "" || part.seal !== undefined;
  if (part.type === "compaction") return part.seal !== undefined || (part.summary?.some(isContent) ?? false);
  // What a document holds is said in whatever form.
  if (part.type === "file") return piecesOf(part)?.pieces.some(piece => isContent(piece) || isWritten(piece)) ?? true;
  return isSaid(part);
}

/** Whether a document says the part, which stands nowhere else. */
const isWritten = (part: Part): boolean => (part.type === "error" ? part.message !== "" : unsent.has(part.type));
