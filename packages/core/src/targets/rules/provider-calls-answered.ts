import { isPlaced } from "../turns.ts";
import type { RuleCheck } from "./rule.ts";
import { currentTurn } from "./seals.ts";

export const providerCallsAnswered: RuleCheck<"provider-calls-answered"> = (view, _, { report }) => {
  const answered = new Set<string>();
  const callers = new Set<string>();
  for (const { parts } of view.turns) {
    for (const { part } of parts) {
      if (part.type === "tool-result") answered.add(part.callId);
      if (part.type === "tool-call" && part.caller !== undefined) callers.add(part.caller);
    }
  }
  // An answer that is gone on with, or waits for results of its other calls, is in flight.
  for (const { side, parts } of view.turns.slice(0, currentTurn(view))) {
    if (side !== "assistant") continue;
    for (const placed of parts) {
      if (!isPlaced(placed, "tool-call") || placed.part.executedBy !== "provider") continue;
      const { callId, name } = placed.part;
      // A program that called tools goes on once it has their results.
      if (answered.has(callId) || callers.has(callId)) continue;
      report(
        [...placed.path, "callId"],
        `is \`${callId}\`, a call of \`${name}\` that the provider ran and whose result is not there. Send the result as it came, or leave the call out.`,
        { id: callId, tool: name },
      );
    }
  }
};
