/** Calls and the results that answer them, turn by turn. */

import { takenBack } from "../../codec/refusals.ts";
import type { PartOf } from "../../model/parts.ts";
import { isPlaced, type Placed, type Turn, type View } from "../turns.ts";

export type PlacedCall = Placed<PartOf<"tool-call">>;

/** A result, or the answer that denies a call: the provider is told of it by a result in its place (R23). */
export interface Answer {
  readonly callId: string;
  readonly placed: Placed;
}

/** Calls that whoever holds the conversation has to answer. */
export const callsOf = (turn: Turn): PlacedCall[] =>
  turn.parts.filter(each => isPlaced(each, "tool-call")).filter(({ part }) => part.executedBy !== "provider");

function* placedIn({ turns }: View): Generator<Placed> {
  for (const { parts } of turns) yield* parts;
}

/** Answers of each turn of people and tools. */
export function answersByTurn(view: View): readonly (readonly Answer[])[] {
  const callOf = new Map<string, string>();
  // Of a call that has its result, or was denied, in whatever turn: a denial of it tells nothing more (R23).
  const closed = new Set<string>();
  const back = takenBack(placedIn(view), ({ part }) => part);
  return view.turns.map(turn => {
    const answers: Answer[] = [];
    for (const placed of turn.parts) {
      if (isPlaced(placed, "approval-request")) callOf.set(placed.part.requestId, placed.part.callId);
      if (isPlaced(placed, "tool-call") && placed.part.executedBy !== "provider") closed.delete(placed.part.callId);
      const callId = turn.side === "assistant" || back.has(placed) ? undefined : answeredBy(placed, callOf);
      const isResult = placed.part.type === "tool-result";
      if (callId === undefined || (closed.has(callId) && !isResult)) continue;
      closed.add(callId);
      answers.push({ callId, placed });
    }
    // A denial that has its result is not answered twice.
    const told = new Set(answers.filter(({ placed }) => placed.part.type === "tool-result").map(each => each.callId));
    return answers.filter(({ callId, placed }) => placed.part.type === "tool-result" || !told.has(callId));
  });
}

/**
 * Denials in turns of people, of calls of the turn before: an encoder tells each by a result (R23), behind it in a message of a tool's,
 * else in a message before its own.
 */
export function toldDenials(view: View): ReadonlySet<Placed> {
  const told = new Set<Placed>();
  const answers = answersByTurn(view);
  view.turns.forEach(({ side }, place) => {
    const before = view.turns[place - 1];
    const denials =
      side === "user" ? (answers[place] ?? []).filter(({ placed }) => !isPlaced(placed, "tool-result")) : [];
    if (denials.length === 0 || before?.side !== "assistant") return;
    const called = new Set(callsOf(before).map(({ part }) => part.callId));
    for (const { callId, placed } of denials) if (called.has(callId)) told.add(placed);
  });
  return told;
}

function answeredBy(placed: Placed, callOf: ReadonlyMap<string, string>): string | undefined {
  if (isPlaced(placed, "tool-result")) return placed.part.preliminary ? undefined : placed.part.callId;
  if (!isPlaced(placed, "approval-response") || placed.part.approved) return undefined;
  return placed.part.callId ?? callOf.get(placed.part.requestId);
}

/** How often each is in a list. */
export function counts(ids: Iterable<string>): Map<string, number> {
  const counted = new Map<string, number>();
  for (const id of ids) counted.set(id, (counted.get(id) ?? 0) + 1);
  return counted;
}

/** Takes one away; whether there was one. */
export function take(counted: Map<string, number>, id: string): boolean {
  const count = counted.get(id) ?? 0;
  if (count > 0) counted.set(id, count - 1);
  return count > 0;
}
