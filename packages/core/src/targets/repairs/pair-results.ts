import { mayStoreCalls } from "../stored.ts";
import { unnamedDenials } from "./answer-calls.ts";
import type { Draft, Item } from "./draft.ts";
import { faultsOf, faultyItems, without } from "./faults.ts";
import { type Answer, type Pairs, pairsOf } from "./pairs.ts";

/** Results without a call, before their call, or of a call that has its result, and answers to nothing: a provider refuses each. */
export function pairResults(draft: Draft): void {
  const { rules } = draft;
  dropUnasked(draft);
  fitKinds(draft);
  if (rules["results-called"] || rules["results-once"]) dropUnpaired(draft);
  dropAnswers(draft);
}

function dropUnpaired(draft: Draft): void {
  const { rules, policies } = draft;
  const pairs = pairsOf(draft);
  const gone = new Set<Item>();
  const drop = (answer: Answer, why: string): void => {
    gone.add(answer.item);
    draft.changed("pair-results", answer.item.path, `the result of \`${answer.callId}\` is left out: ${why}`);
  };
  const known = firstTurns(pairs);
  const isAsked =
    rules["results-called"] !== undefined && !mayStoreCalls(draft, () => draft.conversation().messages, draft.target);
  for (const answer of pairs.answers) {
    if (answer.item.part.type !== "tool-result") continue;
    const { call } = answer;
    if (call && call.order > answer.order && policies.results === "drop") {
      call.answer = undefined;
      drop(answer, "it stands before its call");
    } else if (!call && known.has(answer.callId)) {
      if (isSecondUnfit(answer, { known, pairs, draft, isAsked })) drop(answer, "the call has its result");
    } else if (!call && isAsked) drop(answer, "nothing calls it");
  }
  if (gone.size > 0) draft.mapItems(item => (gone.has(item) ? undefined : item.part));
}

/** Of results that came bit by bit the last one counts; in an answer stand only those that the provider gave its own calls. */
function dropUnasked(draft: Draft): void {
  const faulty = faultyItems([...faultsOf(draft, "results-final"), ...faultsOf(draft, "results-called")]);
  if (faulty.size === 0) return;
  // Those that answer a call are brought behind it.
  const paired = new Set(pairsOf(draft).answers.map(({ item }) => item));
  draft.mapItems((item, { head }) => {
    const { part, path } = item;
    const isSpoken = head.role === "assistant" && !paired.has(item);
    if (!faulty.has(item) || part.type !== "tool-result" || !(part.preliminary || isSpoken)) return part;
    const why = part.preliminary ? "it is preliminary" : "nothing calls it";
    draft.changed("pair-results", path, `the result of \`${part.callId}\` is left out: ${why}`);
    return undefined;
  });
}

/** Answers of which the provider does not know what it was asked; those that are yet to say which call they deny stay. */
function dropAnswers(draft: Draft): void {
  const faulty = faultyItems(faultsOf(draft, "approvals-asked"));
  if (faulty.size === 0) return;
  const unnamed = unnamedDenials(draft);
  draft.mapItems(item => {
    const { part, path } = item;
    if (part.type !== "approval-response" || !faulty.has(item) || unnamed.has(item)) return part;
    draft.changed("pair-results", path, `the answer to the request \`${part.requestId}\` is left out: nothing asks it`);
    return undefined;
  });
}

/** A result is told as one of its call's kind. */
function fitKinds(draft: Draft): void {
  const faulty = faultyItems(faultsOf(draft, "results-of-kind"));
  if (faulty.size === 0) return;
  const { format } = draft.target;
  const { hint = "" } = draft.rules["results-of-kind"] ?? {};
  draft.mapItems(item => {
    const { part, path } = item;
    if (part.type !== "tool-result" || !faulty.has(item)) return part;
    draft.changed("pair-results", path, `the result of \`${part.callId}\` is told as one of its call's kind`);
    const { [hint]: _, ...members } = part.native?.[format] ?? {};
    return { ...without(part, "kind"), native: { ...part.native, [format]: members } };
  });
}

/** In which turn an id is called first. */
function firstTurns({ calls }: Pairs): ReadonlyMap<string, number> {
  const turns = new Map<string, number>();
  for (const { part, turn } of calls) if (!turns.has(part.callId)) turns.set(part.callId, turn);
  return turns;
}

interface Known {
  readonly known: ReadonlyMap<string, number>;
  readonly pairs: Pairs;
  readonly draft: Draft;
  /** Whether a call must be among what is sent. */
  readonly isAsked: boolean;
}

/** A second result is refused as one, or as one that no call before it has. */
function isSecondUnfit({ callId, turn }: Answer, { known, pairs, draft, isAsked }: Known): boolean {
  const { rules } = draft;
  if (rules["results-once"]) return true;
  if (!isAsked) return false;
  if (rules["results-called"]?.among === "anywhere") return (known.get(callId) ?? turn) >= turn;
  const before = pairs.turns[turn - 1];
  return !before?.messages.some(({ items }) =>
    items.some(({ part }) => part.type === "tool-call" && part.callId === callId),
  );
}
