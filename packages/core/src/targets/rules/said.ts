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
export const isSaid = (part: Part): boolean => !unsent.has(part.type);
