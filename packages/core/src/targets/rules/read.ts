import type { Path } from "../../model/issue.ts";
import type { Citation, Part } from "../../model/parts.ts";
import { walkInside } from "../../model/walk.ts";
import type { View } from "../turns.ts";

/** Visits every part that a model reads, and every part and citation in it: not what of a result is for people. */
export function eachRead({ turns }: View, visit: (node: Part | Citation, path: Path) => void): void {
  for (const { parts } of turns) {
    for (const { part, path } of parts) {
      visit(part, path);
      walkInside(part, path, {
        part: (inner, at) => (at.includes("display") ? "skip" : visit(inner, at)),
        citation: visit,
      });
    }
  }
}
