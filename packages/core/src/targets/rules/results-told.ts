import type { Part, ToolResultPart } from "../../model/parts.ts";
import type { RuleTable } from "../target.ts";
import type { RuleCheck } from "./rule.ts";

/** What a result of the application's lacks: words of how it failed, or anything at all. */
export function untoldOf(
  { kind, outcome, output = [] }: ToolResultPart,
  { failed, blocks }: RuleTable["results-told"],
): "words" | "block" | undefined {
  if (kind !== undefined) return undefined;
  if (failed && outcome !== undefined && !output.some(isWord)) return "words";
  return blocks && output.length === 0 ? "block" : undefined;
}

function isWord(part: Part): boolean {
  if (part.type === "text" || part.type === "refusal") return /\S/.test(part.text);
  return part.type === "error" ? /\S/.test(part.message) : true;
}

export const resultsTold: RuleCheck<"results-told"> = (view, asked, { report }) => {
  for (const { parts } of view.turns) {
    for (const { part, path } of parts) {
      if (part.type !== "tool-result") continue;
      const lack = untoldOf(part, asked);
      if (lack === "words") report(path, "is a result that failed and says nothing. Say in words that it did.");
      if (lack === "block") report(path, "is a result without a block. Give it one, be it an empty text.");
    }
  }
};
