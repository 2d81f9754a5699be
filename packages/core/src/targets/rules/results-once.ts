import { answersByTurn, callsOf, counts, take } from "./pairs.ts";
import type { RuleCheck } from "./rule.ts";

export const resultsOnce: RuleCheck<"results-once"> = (view, _, { report }) => {
  const answers = answersByTurn(view);
  const open = new Map<string, number>();
  const known = new Set<string>();
  view.turns.forEach((turn, place) => {
    if (turn.side === "assistant") {
      for (const [id, count] of counts(callsOf(turn).map(({ part }) => part.callId))) {
        known.add(id);
        open.set(id, (open.get(id) ?? 0) + count);
      }
    }
    for (const { callId, placed } of answers[place] ?? []) {
      if (take(open, callId) || !known.has(callId)) continue;
      report(
        [...placed.path, "callId"],
        `is \`${callId}\`, a call that has its result already. Keep one of them, or mark the earlier as preliminary.`,
        { id: callId },
      );
    }
  });
};
