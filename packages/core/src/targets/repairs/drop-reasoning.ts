import { sideOf } from "../turns.ts";
import { callsBehind, isItem, unreasoned } from "./calls-behind.ts";
import type { Draft, DraftMessage, Item } from "./draft.ts";
import { turnsOf } from "./draft-turns.ts";
import { withoutItemId, withoutReasoning } from "./drop-seals.ts";
import { faultsOf, faultyItems, isBroken } from "./faults.ts";

/** Reasoning that the target refuses: without a seal, or without what it was made for. */
export function dropReasoning(draft: Draft): void {
  leaveOut(draft, faultyItems(faultsOf(draft, "reasoning-sealed")), "it has no seal");
  // Where a message is to stand between the answers each keeps its own.
  if (draft.policies.turns === "join" || !isBroken(draft, "turns-alternate"))
    leaveOut(
      draft,
      faultyItems(faultsOf(draft, "reasoning-once")),
      "it is of another answer than the rest of its turn",
    );
  const goneOn = goneOnWith(draft);
  const last = faultsOf(draft, "reasoning-not-last").filter(({ message }) => !goneOn.has(message));
  leaveOut(draft, faultyItems(last), "nothing of its turn is behind it");
  const open = faultyItems(faultsOf(draft, "reasoning-followed"));
  leaveOut(draft, open.size === 0 ? open : unfollowed(draft, open), "what it was made for is not there");
}

/** Messages of the assistant that will be one with its next: something will stand behind what ends them. */
function goneOnWith({ messages, rules, policies }: Draft): ReadonlySet<DraftMessage> {
  if (!rules["turns-alternate"] || policies.turns !== "join") return new Set();
  return new Set(messages.filter((_, place) => sideOf(messages[place + 1]?.head ?? { role: "user" }) === "assistant"));
}

function leaveOut(draft: Draft, faulty: ReadonlySet<Item>, why: string): void {
  if (faulty.size === 0) return;
  const alone = callsBehind(draft, faulty);
  draft.mapItems(item => {
    if (faulty.has(item)) return withoutReasoning(item, { draft, repair: "drop-reasoning", why });
    return alone.has(item) ? withoutItemId(item, draft, unreasoned) : item.part;
  });
}

/** What is left out may be all that followed other reasoning. */
function unfollowed(draft: Draft, last: ReadonlySet<Item>): ReadonlySet<Item> {
  const all = new Set(last);
  for (const { messages } of turnsOf(draft)) {
    const items = messages.flatMap(message => message.items);
    let place = items.findLastIndex(item => last.has(item));
    for (let item = items[place]; item && isItem(item); item = items[--place]) all.add(item);
  }
  return all;
}

/** Reasoning that must go back with its calls, where there is none: an empty one. */
export function keepReasoning(draft: Draft): void {
  const { format } = draft.target;
  const { member } = draft.rules["reasoning-kept"] ?? {};
  if (member === undefined) return;
  for (const { message } of faultsOf(draft, "reasoning-kept")) {
    const members = { ...message.head.native?.[format], [member]: "" };
    message.head = { ...message.head, native: { ...message.head.native, [format]: members } };
    draft.changed("keep-reasoning", message.path, "calls go back with reasoning, here with an empty one");
  }
}

/** Thinking cannot be on in a tool loop that did not begin with it: it is off for this request. */
export function stopThinking(draft: Draft): void {
  if (faultsOf(draft, "reasoning-first").length === 0) return;
  const { format } = draft.target;
  const [member = ""] = draft.target.thinking?.path ?? [];
  const { [member]: told, ...members } = draft.native?.[format] ?? {};
  if (draft.settings?.reasoning) {
    const { reasoning: _, ...settings } = draft.settings;
    draft.settings = settings;
    draft.changed(
      "stop-thinking",
      ["settings", "reasoning"],
      "thinking is off for this request: the open tool loop began without it",
    );
  }
  if (told === undefined) return;
  draft.native = { ...draft.native, [format]: members };
  draft.changed(
    "stop-thinking",
    ["native", format, member],
    "thinking is off for this request: the open tool loop began without it",
  );
}

/** The first call of a step without its maker's seal gets the word that stands for one. */
export function sealCalls(draft: Draft): void {
  const { maker, standIn } = draft.rules["calls-sealed"] ?? {};
  if (maker === undefined || !standIn) return;
  const faulty = faultyItems(faultsOf(draft, "calls-sealed"));
  if (faulty.size === 0) return;
  // Of another host than the format's own, which takes only what was made by way of it.
  const route = draft.target.dialect === undefined ? undefined : draft.rules["seals-at-home"]?.route;
  draft.mapItems(item => {
    if (!faulty.has(item)) return item.part;
    draft.changed(
      "seal-calls",
      item.path,
      "the call was made by another model: it gets the word that stands for a signature",
    );
    return {
      ...item.part,
      seal: { maker, values: standIn, ...(route !== undefined && { route }) },
    };
  });
}
