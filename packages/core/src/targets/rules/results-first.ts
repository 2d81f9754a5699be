import { isJoined } from "../turns.ts";
import { toldDenials } from "./pairs.ts";
import type { RuleCheck } from "./rule.ts";
import { isSaid } from "./said.ts";

export const resultsFirst: RuleCheck<"results-first"> = (view, { among }, { asked, report }) => {
  const denials = toldDenials(view);
  for (const { side, parts } of view.turns) {
    if (side !== "user") continue;
    let other: number | undefined;
    // The message of the wire, which may have been read as several.
    let whole = -1;
    let last = -1;
    for (const placed of parts) {
      const { part, path, message } = placed;
      const read = message === last ? undefined : view.conversation.messages[message];
      if (read && !isJoined(read, asked.target.format)) whole = message;
      last = message;
      if (part.type === "tool-result" && other !== undefined && (among === undefined || other !== whole)) {
        report(path, "is a result behind other content of its turn. Move it to the front of the turn.", {
          id: part.callId,
        });
      }
      if (denials.has(placed) && other !== undefined && other !== whole) {
        report(
          path,
          "denies a call behind other content of its turn, and a result tells of it. Put a result to the front of the turn.",
        );
      }
      if (part.type !== "tool-result" && isSaid(part)) other ??= whole;
    }
  }
};
