import { takenBack } from "../../codec/refusals.ts";
import { Pairing } from "../../model/pairing.ts";
import type { PartOf } from "../../model/parts.ts";
import type { Draft, DraftMessage, Item } from "./draft.ts";
import { type DraftTurn, turnsOf } from "./draft-turns.ts";

/** A result, or the answer that denies a call: an encoder tells the provider of it by a result (R23). */
export interface Answer {
  readonly callId: string;
  readonly item: Item;
  readonly message: DraftMessage;
  readonly turn: number;
  /** Number of the item in the conversation. */
  readonly order: number;
  call?: Call | undefined;
}

/** A call that whoever holds the conversation has to answer. */
export interface Call {
  readonly part: PartOf<"tool-call">;
  readonly item: Item;
  readonly message: DraftMessage;
  readonly turn: number;
  readonly order: number;
  answer?: Answer | undefined;
}

/** All calls and answers, each with the other where there is one. */
export interface Pairs {
  readonly turns: readonly DraftTurn[];
  readonly calls: readonly Call[];
  readonly answers: readonly Answer[];
}

/**
 * Who answers whom: what stands where the target wants it first (`next-turn`), then results behind their calls as anywhere (R9),
 * then denials likewise, which a result makes needless wherever it stands, then results before their calls.
 */
export function pairsOf(draft: Draft): Pairs {
  const turns = turnsOf(draft);
  const { calls, answers } = found(turns);
  for (const some of [answers.filter(isResultOf), answers.filter(answer => !isResultOf(answer))]) {
    if (draft.rules["calls-answered"]?.within !== "before-answer") pairNeighbours(calls, some);
    pairLater(
      calls,
      some.filter(answer => !isSpoken(answer)),
    );
    pairLater(calls, some);
  }
  pairEarlier(calls, answers);
  return { turns, calls, answers: answers.filter(isOurs) };
}

/** Whether the answer stands where the target wants it. */
export function isInPlace({ turn, answer }: Call, draft: Draft): boolean {
  if (answer === undefined || isSpoken(answer)) return false;
  if (draft.rules["calls-answered"]?.within === "before-answer") return answer.turn > turn;
  return answer.turn === turn + 1;
}

function found(turns: readonly DraftTurn[]): { calls: Call[]; answers: Answer[] } {
  const calls: Call[] = [];
  const answers: Answer[] = [];
  const asked = new Map<string, string>();
  const hosted = new Set<string>();
  const back = takenBack(itemsIn(turns), ({ part }) => part);
  let order = 0;
  const look = (item: Item, message: DraftMessage, turn: number): void => {
    const { part } = item;
    const isSpokenFor = message.head.role === "assistant" && "callId" in part && hosted.has(part.callId ?? "");
    if (part.type === "tool-call") {
      if (part.executedBy === "provider") hosted.add(part.callId);
      else if (message.head.role === "assistant") calls.push({ part, item, message, turn, order });
    } else if (part.type === "approval-request") asked.set(part.requestId, part.callId);
    const callId = isSpokenFor || back.has(item) ? undefined : answeredBy(item, asked);
    if (callId !== undefined) answers.push({ callId, item, message, turn, order });
    order++;
  };
  turns.forEach(({ messages }, turn) => {
    for (const message of messages) for (const item of message.items) look(item, message, turn);
  });
  return { calls, answers };
}

function* itemsIn(turns: readonly DraftTurn[]): Generator<Item> {
  for (const { messages } of turns) for (const { items } of messages) yield* items;
}

function answeredBy({ part }: Item, asked: ReadonlyMap<string, string>): string | undefined {
  if (part.type === "tool-result") return part.preliminary ? undefined : part.callId;
  if (part.type !== "approval-response" || part.approved) return undefined;
  return part.callId ?? asked.get(part.requestId);
}

const isSpoken = ({ message }: Answer): boolean => message.head.role === "assistant";

function pair(call: Call, answer: Answer): void {
  call.answer = answer;
  answer.call = call;
}

/** In a turn the first call of an id is answered first. */
function pairNeighbours(calls: readonly Call[], answers: readonly Answer[]): void {
  const open = new Map<string, Call[]>();
  const key = (turn: number, id: string): string => `${turn} ${id}`;
  for (const call of calls) {
    if (call.answer) continue;
    const name = key(call.turn, call.part.callId);
    const list = open.get(name);
    if (list) list.push(call);
    else open.set(name, [call]);
  }
  for (const list of open.values()) list.reverse();
  for (const answer of answers) {
    if (isSpoken(answer)) continue;
    const call = open.get(key(answer.turn - 1, answer.callId))?.pop();
    if (call) pair(call, answer);
  }
}

const isResultOf = ({ item }: Answer): boolean => item.part.type === "tool-result";

function pairLater(calls: readonly Call[], answers: readonly Answer[]): void {
  const pairing = new Pairing<Call>();
  let next = 0;
  for (const answer of answers) {
    for (let call = calls[next]; call && call.order < answer.order; call = calls[++next]) {
      if (!call.answer) pairing.call(call.part.callId, call.turn, call);
    }
    if (answer.call) continue;
    const call = pairing.answer(answer.callId);
    if (call) pair(call, answer);
  }
}

function pairEarlier(calls: readonly Call[], answers: readonly Answer[]): void {
  const early = new Map<string, Answer[]>();
  for (const answer of answers) {
    if (answer.call || !isResultOf(answer)) continue;
    const list = early.get(answer.callId);
    if (list) list.push(answer);
    else early.set(answer.callId, [answer]);
  }
  for (const list of early.values()) list.reverse();
  for (const call of calls) {
    const answer = call.answer ? undefined : early.get(call.part.callId)?.pop();
    if (answer) pair(call, answer);
  }
}

/** What the provider ran itself is no answer of ours, though nothing else calls it (R20); nor is a denial that answers nothing. */
const isOurs = (answer: Answer): boolean => answer.call !== undefined || (isResultOf(answer) && !isSpoken(answer));
