import type { RuleCheck } from "./rule.ts";
import { isSaid } from "./said.ts";

export const resultsFirst: RuleCheck<"results-first"> = (view, _, { report }) => {
  for (const { side, parts } of view.turns) {
    if (side !== "user") continue;
    let isOther = false;
    for (const { part, path } of parts) {
      if (part.type === "tool-result" && isOther) {
        report(path, "is a result behind other content of its turn. Move it to the front of the turn.", {
          id: part.callId,
        });
      }
      isOther ||= part.type !== "tool-result" && isSaid(part);
    }
  }
};
