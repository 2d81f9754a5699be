import { deniedText } from "../../codec/refusals.ts";
import type { PartOf } from "../../model/parts.ts";
import { isSaid } from "../rules/said.ts";
import type { Target } from "../target.ts";
import { isJoined } from "../turns.ts";
import { type Draft, type DraftMessage, type Item, madeMessage } from "./draft.ts";
import { type DraftTurn, isResult } from "./draft-turns.ts";
import { faultsOf, faultyItems } from "./faults.ts";
import { type Call, isInPlace, type Pairs, pairsOf } from "./pairs.ts";
import { fixedTexts } from "./policies.ts";

const name = "answer-calls";

/** Calls whose results do not stand where the target wants them. */
export function answerCalls(draft: Draft): void {
  dropHosted(draft);
  if (!draft.rules["calls-answered"]) return;
  nameDenied(draft);
  const pairs = pairsOf(draft);
  const { turns, calls } = pairs;
  const near = draft.policies.calls === "move" ? calls : answeredNext(pairs);
  const brought = new Set(near.filter(({ answer }) => answer && isResult(answer.item)));
  const gone = new Set<Item>();
  const wanted = new Map<number, Call[]>();
  for (const call of calls) {
    if (isInPlace(call, draft)) continue;
    if (draft.policies.calls === "drop" && !brought.has(call)) {
      dropCall(call, draft, gone);
      continue;
    }
    const list = wanted.get(call.turn);
    if (list) list.push(call);
    else wanted.set(call.turn, [call]);
  }
  const moved = movedMessages(wanted, brought);
  const placed = new Map<DraftMessage, DraftMessage[]>();
  for (const [turn, open] of wanted) placeAnswers({ turns, turn, open, brought, moved, gone, placed }, draft);
  if (placed.size > 0) {
    const whole = new Set(moved.values());
    draft.messages = draft.messages.flatMap(message => {
      const behind = placed.get(message) ?? [];
      return whole.has(message) ? behind : [message, ...behind];
    });
  }
  if (gone.size > 0) draft.mapItems(item => (gone.has(item) ? undefined : item.part));
}

/** A denial of a request that no model reads would be one of nothing: it says itself which call it denies. */
function nameDenied(draft: Draft): void {
  const unnamed = unnamedDenials(draft);
  if (unnamed.size === 0) return;
  draft.mapItems(item => {
    const { part, path } = item;
    const callId = unnamed.get(item);
    if (callId === undefined || part.type !== "approval-response") return part;
    draft.changed(name, path, `the answer denies the call \`${callId}\`, and says so: what asked for it is not sent`);
    return { ...part, callId };
  });
}

/** Denials of requests that no model reads, with the calls that they leave without a result. */
export function unnamedDenials(draft: Draft): ReadonlyMap<Item, string> {
  // Asked for once, where there is such a denial: most histories have none.
  let open: ReadonlySet<string> | undefined;
  const seen = new Set<string>();
  const unnamed = new Map<Item, string>();
  for (const item of draft.messages.flatMap(({ items }) => items)) {
    const { part } = item;
    if (part.type === "approval-request") seen.add(part.requestId);
    if (part.type !== "approval-response" || part.approved || part.callId !== undefined || seen.has(part.requestId))
      continue;
    const callId = draft.askedBy(part.requestId);
    open ??= new Set(pairsOf(draft).calls.flatMap(call => (call.answer ? [] : [call.part.callId])));
    if (callId !== undefined && open.has(callId)) unnamed.set(item, callId);
  }
  return unnamed;
}

/** Nobody but the provider can say what its own tool gave. */
function dropHosted(draft: Draft): void {
  const open = faultyItems(faultsOf(draft, "provider-calls-answered"));
  if (open.size === 0) return;
  draft.mapItems(item => {
    if (!open.has(item)) return item.part;
    draft.changed(name, item.path, "a call that the provider ran is left out: its result is not there");
    return undefined;
  });
}

function dropCall({ part, item, answer }: Call, draft: Draft, gone: Set<Item>): void {
  gone.add(item);
  draft.changed(
    name,
    item.path,
    `the call \`${part.callId}\` of \`${part.name}\` is left out: it has no result in its place`,
  );
  if (answer?.item.part.type !== "tool-result") return;
  gone.add(answer.item);
  draft.changed(name, answer.item.path, `the result of \`${part.callId}\` is left out with its call`);
}

/** Calls with their results right behind them, though each in a message that is a turn by itself: no policy is asked about these. */
function answeredNext({ turns, calls }: Pairs): readonly Call[] {
  const asked = new Map<number, number>();
  turns.forEach(({ side, messages }, turn) => {
    const before = turns[turn - 1]?.side === "assistant" ? turn - 1 : asked.get(turn - 1);
    const isOfResults = side === "user" && messages.every(({ items }) => items.every(isResult));
    if (before !== undefined && isOfResults) asked.set(turn, before);
  });
  return calls.filter(({ turn, answer }) => answer !== undefined && asked.get(answer.turn) === turn);
}

/** Messages of which all that is in them goes to one turn: they move as they are. */
function movedMessages(
  wanted: ReadonlyMap<number, readonly Call[]>,
  brought: ReadonlySet<Call>,
): ReadonlyMap<Item, DraftMessage> {
  const counts = new Map<DraftMessage, { turn: number; items: Item[] }>();
  const moved = new Map<Item, DraftMessage>();
  for (const [turn, calls] of wanted) {
    for (const call of calls) {
      const { answer } = call;
      if (!answer || !brought.has(call)) continue;
      const count = counts.get(answer.message);
      if (!count) counts.set(answer.message, { turn, items: [answer.item] });
      else if (count.turn === turn) count.items.push(answer.item);
    }
  }
  for (const [message, { items }] of counts) {
    if (message.head.role !== "tool" || items.length !== message.items.length) continue;
    for (const item of items) moved.set(item, message);
  }
  return moved;
}

interface Placing {
  readonly turns: readonly DraftTurn[];
  readonly turn: number;
  readonly open: readonly Call[];
  /** Those whose results come behind them. */
  readonly brought: ReadonlySet<Call>;
  readonly moved: ReadonlyMap<Item, DraftMessage>;
  readonly gone: Set<Item>;
  /** New neighbours of a message, behind it. */
  readonly placed: Map<DraftMessage, DraftMessage[]>;
}

function placeAnswers({ turns, turn, open, brought, moved, gone, placed }: Placing, draft: Draft): void {
  const last = callerIn(turns[turn]?.messages ?? [], draft);
  const next = turns[turn + 1];
  const [first] = open;
  if (!last || !first) return;
  const host = next && hostOf(next, draft);
  const items: Item[] = [];
  const whole = new Set<DraftMessage>();
  for (const call of open) {
    const item = answerFor(call, brought.has(call), draft);
    const message = host ? undefined : moved.get(item);
    if (message) whole.add(message);
    // A copy: the item that stood elsewhere goes from there.
    else items.push({ ...item });
    if (message || !call.answer || !isResult(call.answer.item)) continue;
    gone.add(call.answer.item);
    if (brought.has(call)) continue;
    const what = `the result of \`${call.part.callId}\` is left out`;
    draft.changed(name, call.answer.item.path, `${what}: it does not stand behind its call`);
  }
  if (host) {
    const at = host.items.findLastIndex(isResult) + 1;
    host.items = [...host.items.slice(0, at), ...items, ...host.items.slice(at)];
    draft.changed(name, host.path, "the message takes in results of its step");
    return;
  }
  const anchor = (isAlone(draft.target) ? undefined : lastOfRun(next, moved)) ?? last;
  const results = items.length > 0 ? [madeMessage({ role: "tool" }, items, first.item.path)] : [];
  placed.set(anchor, [...(placed.get(anchor) ?? []), ...whole, ...results]);
}

/** The result that is to stand behind the call. */
function answerFor(call: Call, isBrought: boolean, draft: Draft): Item {
  const { answer, item, part } = call;
  if (isBrought && answer) {
    draft.changed(name, answer.item.path, `the result of \`${part.callId}\` is brought behind its call`);
    return answer.item;
  }
  const what = `the call \`${part.callId}\` of \`${part.name}\` has no result in its place`;
  draft.changed(name, item.path, `${what}: it gets one that says so`);
  return { part: answerOf(call), path: item.path };
}

/** A message of the next turn that has results, where a message of a tool before or behind it would be a turn by itself. */
function hostOf({ side, messages }: DraftTurn, { target }: Draft): DraftMessage | undefined {
  const [first] = messages;
  if (side === "assistant" || !first?.items.some(isResult)) return undefined;
  return isAlone(target) || first.head.role !== "tool" ? first : undefined;
}

/** Whether a message of a tool is a turn by itself. */
const isAlone = ({ turns, counts }: Target): boolean => turns === "messages" && counts !== "results";

/** The last message of a turn that calls: what the turn says behind it was said without the results. */
function callerIn(messages: readonly DraftMessage[], { target }: Draft): DraftMessage | undefined {
  const caller = messages.findLastIndex(({ items }) => items.some(({ part }) => part.type === "tool-call"));
  const isOne = messages.slice(caller + 1).some(({ head }) => isJoined({ ...head, parts: [] }, target.format));
  return isOne ? messages.at(-1) : messages[caller];
}

/** The last message of a turn that has results: of calls that share an id the first is answered first. */
function lastOfRun(next: DraftTurn | undefined, moved: ReadonlyMap<Item, DraftMessage>): DraftMessage | undefined {
  let last: DraftMessage | undefined;
  // In an answer stand results of what the provider ran.
  for (const message of next && next.side !== "assistant" ? next.messages : []) {
    if (message.head.role !== "tool" && !message.items.some(isResult)) continue;
    const [item] = message.items;
    if (!item || !moved.has(item)) last = message;
  }
  return last;
}

function answerOf({ part, answer }: Call): PartOf<"tool-result"> {
  const { callId, name: tool, kind } = part;
  const denial = answer?.item.part.type === "approval-response" ? answer.item.part : undefined;
  const text = denial ? (denial.reason ?? deniedText) : fixedTexts.interrupted;
  return {
    type: "tool-result",
    callId,
    name: tool,
    ...(kind !== undefined && { kind }),
    output: [{ type: "text", text }],
    outcome: denial ? "denied" : "error",
  };
}

/** Denials alone in their messages: they are no content there. */
export function bareDenials(draft: Draft): ReadonlySet<Item> {
  const { roles = [], bare = [] } = draft.rules["message-not-empty"] ?? {};
  const full = [...roles, ...bare];
  const isBare = ({ head, items }: DraftMessage): boolean =>
    full.includes(head.role) && !items.some(({ part }) => isSaid(part));
  return new Set(draft.messages.filter(isBare).flatMap(({ items }) => items));
}

/** Where the result that a provider is told of a denial by would not stand well by itself, it is put into the message, before what else is said. */
export function tellDenials(draft: Draft, denials: ReadonlySet<Item>): void {
  if (denials.size === 0) return;
  for (const call of pairsOf(draft).calls) {
    const { answer } = call;
    if (!answer || isResult(answer.item) || !denials.has(answer.item)) continue;
    const { items } = answer.message;
    const other = items.findIndex(item => !isResult(item) && isSaid(item.part));
    const at = other === -1 ? items.length : other;
    const result: Item = { part: answerOf(call), path: answer.item.path };
    answer.message.items = [...items.slice(0, at), result, ...items.slice(at)];
    draft.changed(
      name,
      answer.item.path,
      `the call \`${call.part.callId}\` was refused: it gets a result that says so`,
    );
  }
}
