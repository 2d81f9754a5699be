import { isJoined } from "../turns.ts";
import { callsOf } from "./pairs.ts";
import type { RuleCheck } from "./rule.ts";
import { isSaid } from "./said.ts";

export const callsJoined: RuleCheck<"calls-joined"> = (view, _, { asked, report }) => {
  const { messages } = view.conversation;
  for (const turn of view.turns) {
    if (turn.side !== "assistant" || turn.messages.length < 2 || callsOf(turn).length === 0) continue;
    const said = turn.messages.filter(index => messages[index]?.parts.some(isSaid));
    for (const index of said.slice(1)) {
      const message = messages[index];
      if (message && !isJoined(message, asked.target.format))
        report(["messages", index], "goes on with a step that calls tools. Put the step into one message.");
    }
  }
};

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
