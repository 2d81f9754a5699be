import { answersByTurn, callsOf, counts, isContinued, take } from "./pairs.ts";
import type { RuleCheck } from "./rule.ts";

export const resultsCalled: RuleCheck<"results-called"> = (view, { among }, { asked, report }) => {
  if (isContinued(view, asked.target.continues, asked.target.format)) return;
  const answers = answersByTurn(view);
  let open = new Map<string, number>();
  const known = new Set<string>();
  view.turns.forEach((turn, place) => {
    if (turn.side === "assistant") {
      const calls = callsOf(turn).map(({ part }) => part.callId);
      if (among === "turn-before") open = counts(calls);
      for (const id of calls) known.add(id);
      return;
    }
    const told = new Set<string>();
    for (const { callId, placed } of answers[place] ?? []) {
      // A second result of a call is another rule's.
      const isKnown = among === "turn-before" ? take(open, callId) || told.has(callId) : known.has(callId);
      told.add(callId);
      if (isKnown || placed.part.type !== "tool-result") continue;
      const where = among === "turn-before" ? "in the assistant's turn before it" : "before it";
      report(
        [...placed.path, "callId"],
        `is \`${callId}\`, which no call has ${where}. Move it behind its call, or leave it out.`,
        { id: callId },
      );
    }
    if (among === "turn-before") open = new Map();
  });
};
