import { callsOf } from "./pairs.ts";
import type { RuleCheck } from "./rule.ts";
import { isSaid } from "./said.ts";

export const callsTogether: RuleCheck<"calls-together"> = (view, _, { report }) => {
  for (const turn of view.turns) {
    if (turn.side !== "assistant") continue;
    const calls = new Set(callsOf(turn).map(({ part }) => part));
    let first: string | undefined;
    let isApart = false;
    for (const { part, path } of turn.parts) {
      if (part.type !== "tool-call" || !calls.has(part)) {
        isApart ||= first !== undefined && isSaid(part);
        continue;
      }
      if (isApart && first !== undefined) {
        report(
          path,
          `is a call that other content of the assistant keeps apart from call \`${first}\`. Put the calls of a step side by side, behind what is said.`,
          { id: first },
        );
        isApart = false;
      }
      first ??= part.callId;
    }
  }
};
