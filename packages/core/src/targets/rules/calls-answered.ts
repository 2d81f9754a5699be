import { answersByTurn, callsOf, counts, take } from "./pairs.ts";
import type { RuleCheck } from "./rule.ts";

/** Calls that an error text names, each time: more would be long for nobody. */
const mostNamed = 50;

export const callsAnswered: RuleCheck<"calls-answered"> = (view, { within }, { report }) => {
  const answers = answersByTurn(view);
  // From the end: how many answers of each id come later.
  const later = new Map<string, number>();
  const open: (() => void)[] = [];
  for (let place = view.turns.length - 1; place >= 0; place--) {
    const turn = view.turns[place];
    if (!turn) continue;
    for (const { callId } of answers[place] ?? []) later.set(callId, (later.get(callId) ?? 0) + 1);
    if (turn.side !== "assistant") continue;
    const near = within === "next-turn" ? counts((answers[place + 1] ?? []).map(({ callId }) => callId)) : later;
    // Of the calls of one id in a turn the last ones are left open: the first are answered first (R9).
    const missing = callsOf(turn).filter(({ part: { callId } }) => !take(near, callId));
    const ids = missing
      .slice(0, mostNamed)
      .map(({ part }) => part.callId)
      .join(", ");
    for (const { part, path } of missing.reverse()) {
      const where = within === "next-turn" ? "in the turn right behind it" : "behind it";
      const { callId, name } = part;
      open.push(() =>
        report(
          [...path, "callId"],
          `is \`${callId}\`, a call of \`${name}\` that has no result ${where}. Put its result there, answer it with an error, or leave the call out.`,
          { id: callId, ids, tool: name },
        ),
      );
    }
  }
  for (const tell of open.reverse()) tell();
};
