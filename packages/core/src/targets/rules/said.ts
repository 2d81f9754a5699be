import type { Part } from "../../model/parts.ts";

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

/** Whether a provider gets to read something of the part. */
export function isSaid(part: Part): boolean {
  // What holds nothing is left out wherever it goes.
  if (part.type === "reasoning") return part.seal !== undefined || (part.text ?? "") !== "";
  if (part.type === "compaction") return part.seal !== undefined || (part.summary?.length ?? 0) > 0;
  return !unsent.has(part.type);
}
