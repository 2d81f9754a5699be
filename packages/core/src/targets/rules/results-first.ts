import type { RuleCheck } from "./rule.ts";
import { isSaid } from "./said.ts";

export const resultsFirst: RuleCheck<"results-first"> = (view, { among }, { report }) => {
  for (const { side, parts } of view.turns) {
    if (side !== "user") continue;
    let other: number | undefined;
    for (const { part, path, message } of parts) {
      if (part.type === "tool-result" && other !== undefined && (among === undefined || other !== message)) {
        report(path, "is a result behind other content of its turn. Move it to the front of the turn.", {
          id: part.callId,
        });
      }
      if (part.type !== "tool-result" && isSaid(part)) other ??= message;
    }
  }
};
