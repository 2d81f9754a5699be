import type { Part } from "../../model/parts.ts";
import { isPacked } from "../rules/names.ts";
import type { Spelling } from "../target.ts";
import type { Draft, Item } from "./draft.ts";
import { faultsOf, isBroken } from "./faults.ts";
import { pairsOf } from "./pairs.ts";
import { fitter, Speller } from "./spelling.ts";

const plain: Spelling = { characters: "a-zA-Z0-9_-", most: 64 };
const name = "fit-call-ids";

/** Ids that the target does not take, or takes once only: one table for calls, results and what else names them. */
export function fitCallIds(draft: Draft): void {
  const spelling = draft.rules["call-ids"];
  const fits = fitter(spelling ?? {});
  const again = new Set(faultsOf(draft, "call-ids-unique").flatMap(({ item }) => item ?? []));
  const ids = namedIds(draft);
  // Encoders spell made ids as their format does (R8).
  const isFine = (id: string): boolean => id.startsWith("~") || fits(id);
  if (again.size === 0 && faultsOf(draft, "call-ids").length === 0 && !isBroken(draft, "ids-unpacked")) return;
  const speller = new Speller(spelling ?? plain, ids.filter(isFine));
  const { calls } = pairsOf(draft);
  const callOf = new Map(calls.flatMap(call => (call.answer ? [[call.answer.item, call.item] as const] : [])));
  const isOurs = new Set(calls.map(({ item }) => item));
  const spelled = new Map<Item, string>();
  const uses = new Map<string, number>();
  for (const { item, part } of calls) {
    const use = uses.get(part.callId) ?? 0;
    uses.set(part.callId, use + 1);
    if (again.has(item)) spelled.set(item, speller.spell(part.callId, use));
    else spelled.set(item, isFine(part.callId) ? part.callId : speller.spell(part.callId));
  }
  const current = new Map<string, string>();
  const hosted = new Set<string>();
  draft.mapItems((item, message) => {
    const id = callIdOf(item.part);
    if (id === undefined) return item.part;
    if (item.part.type === "tool-call" && item.part.executedBy === "provider") hosted.add(id);
    const isSpokenFor = hosted.has(id) && message.head.role === "assistant" && !isOurs.has(item);
    if (isSpokenFor && !isPacked(id)) return item.part;
    const own = spelled.get(item) ?? spelled.get(callOf.get(item) ?? item);
    if (isOurs.has(item) && own !== undefined) current.set(id, own);
    const isHosted = message.head.role === "assistant" && !isOurs.has(item) && !current.has(id);
    const other = isFine(id) || (isHosted && !isPacked(id)) ? id : speller.spell(id);
    const now = own ?? (isSpokenFor ? other : (current.get(id) ?? other));
    if (now === id) return item.part;
    draft.changed(name, [...item.path, "callId"], `the id \`${id}\` becomes \`${now}\``, { was: id, now });
    return renamed(item.part, now);
  });
}

function namedIds({ messages }: Draft): string[] {
  const ids = new Set<string>();
  for (const { items } of messages) {
    for (const { part } of items) {
      const id = callIdOf(part);
      if (id !== undefined) ids.add(id);
    }
  }
  return [...ids];
}

const callIdOf = (part: Part): string | undefined =>
  part.type === "tool-call" ||
  part.type === "tool-result" ||
  part.type === "approval-request" ||
  part.type === "approval-response"
    ? part.callId
    : undefined;

function renamed(part: Part, callId: string): Part {
  if ((part.type === "approval-request" || part.type === "approval-response") && part.call) {
    return { ...part, callId, call: { ...part.call, callId } };
  }
  return { ...part, callId } as Part; // a part that has one
}
