import type { Path } from "../../model/issue.ts";
import { Pairing } from "../../model/pairing.ts";
import type { PartOf } from "../../model/parts.ts";
import { mayStoreCalls } from "../stored.ts";
import { isPlaced, type View } from "../turns.ts";
import { answersByTurn, callsOf, counts, type PlacedCall, take } from "./pairs.ts";
import type { RuleCheck } from "./rule.ts";

export const resultsCalled: RuleCheck<"results-called"> = (view, { among }, { asked, report }) => {
  const { conversation } = view;
  if (mayStoreCalls(conversation, () => conversation.messages, asked.target)) return;
  for (const { callId, path } of spokenByUs(view)) {
    report(
      [...path, "callId"],
      `is \`${callId}\`, of no call that the provider ran, in an answer of the assistant's. Move the result behind its call, or leave it out.`,
      {
        id: callId,
      },
    );
  }
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

/** What a codec wrote of a result's type stays with it, so that it may be of another than its call. */
export const resultsOfKind: RuleCheck<"results-of-kind"> = (view, { hint, functions }, { asked, report }) => {
  const pairing = new Pairing<PlacedCall["part"]>();
  for (const turn of view.turns) {
    if (turn.side === "assistant") {
      for (const { part, message } of callsOf(turn)) pairing.call(part.callId, message, part);
      continue;
    }
    for (const placed of turn.parts) {
      if (!isPlaced(placed, "tool-result")) continue;
      const { callId, kind, native, preliminary } = placed.part;
      // A second result is of the call that has one.
      const call = (preliminary ? pairing.next(callId) : pairing.answer(callId)) ?? pairing.last(callId);
      if (!call) continue;
      const { kind: called } = call;
      const isFunctions = native?.[asked.target.format]?.[hint] === functions;
      if (called === "custom" ? !isFunctions : called !== undefined || kind !== "custom") continue;
      report(placed.path, `is the result of a ${called ?? "function"} call, and is not told as one. Tell it as one.`, {
        id: callId,
      });
    }
  }
};

/** Results in the assistant's own turns of calls that the provider did not run. */
function spokenByUs(view: View): readonly { readonly callId: string; readonly path: Path }[] {
  const hosted = new Set<string>();
  const spoken: { callId: string; path: Path }[] = [];
  for (const { side, parts } of view.turns) {
    if (side !== "assistant") continue;
    for (const placed of parts) {
      if (isPlaced(placed, "tool-call") && placed.part.executedBy === "provider") hosted.add(placed.part.callId);
      else if (isPlaced(placed, "tool-result") && isOurs(placed.part))
        spoken.push({ callId: placed.part.callId, path: placed.path });
    }
  }
  return spoken.filter(({ callId }) => !hosted.has(callId));
}

/** What the provider ran it has sealed, or it is of a kind that only a provider has; its call may be in an earlier answer. */
const isOurs = ({ seal, kind }: PartOf<"tool-result">): boolean =>
  seal === undefined && (kind === undefined || kind === "custom");

/** Results that a later one replaces are for people; a provider is told the last. */
export const resultsFinal: RuleCheck<"results-final"> = (view, _, { report }) => {
  for (const { parts } of view.turns) {
    for (const placed of parts) {
      if (!isPlaced(placed, "tool-result") || !placed.part.preliminary) continue;
      const { callId } = placed.part;
      report(placed.path, `is a preliminary result of \`${callId}\`, which its last one replaces. Leave it out.`, {
        id: callId,
      });
    }
  }
};
