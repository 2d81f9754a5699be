import type { Path } from "../../model/issue.ts";
import type { JsonObject } from "../../model/json.ts";
import type { Node, Part } from "../../model/parts.ts";
import { makerOf } from "../rules/names.ts";
import { isOwnCompaction } from "../rules/said.ts";
import { type Draft, type DraftMessage, type Item, madeMessage } from "./draft.ts";
import { faultsOf, faultyItems, piecesAt, withoutPieces } from "./faults.ts";
import { spokenBy } from "./place-system.ts";

/** Roles that the target does not know become the nearest that it does: by what they are, else by what the message holds. */
export function fitRoles(draft: Draft): void {
  fitFunctions(draft);
  const allowed = draft.rules.roles?.allowed ?? [];
  const faults = faultsOf(draft, "roles");
  for (const { message, item } of faults) {
    if (item) continue;
    const role = nearestRole(message, allowed);
    if (role === message.head.role) continue;
    draft.changed(
      "fit-roles",
      [...message.path, "role"],
      `\`${message.head.role}\` is no role here: it becomes \`${role}\``,
    );
    message.head = spokenBy(role, message.head);
  }
  splitMessages(draft, faultyItems(faultsOf(draft, "roles").filter(({ inner }) => inner.length === 0)));
  dropPieces(draft);
}

/** A summary is said by one side, once: what is of several turns cannot stand in it. */
function dropPieces(draft: Draft): void {
  const pieces = piecesAt(
    faultsOf(draft, "roles").flatMap(({ item, inner }) => (item?.part.type === "compaction" ? [{ item, inner }] : [])),
  );
  if (pieces.size === 0) return;
  const tell = ({ type }: Part, path: Path): void =>
    draft.changed("fit-roles", path, `a ${type} is left out of the summary: it has no place there`);
  draft.mapItems(item => (pieces.has(item) ? withoutPieces(item, { pieces, tell }) : item.part));
}

/** Calls and results in a message that cannot have them go into one of their own, behind it. */
function splitMessages(draft: Draft, misplaced: ReadonlySet<Item>): void {
  if (misplaced.size === 0) return;
  const { target } = draft;
  const compacted = draft.messages.findLastIndex(({ items }) =>
    items.some(({ part }) => isOwnCompaction(part, target)),
  );
  draft.messages = draft.messages.flatMap((message, index) => {
    const items = message.items.filter(item => misplaced.has(item));
    if (items.length === 0) return [message];
    // Before its own compaction a provider reads system text alone.
    if (index < compacted) {
      for (const { path, part } of items)
        draft.changed(
          "fit-roles",
          path,
          `a ${part.type} is left out: nothing but system text is read before a compaction`,
        );
      message.items = message.items.filter(item => !misplaced.has(item));
      return message.items.length === 0 ? [] : [message];
    }
    const behind = (["assistant", "tool"] as const).flatMap(role => {
      const own = items.filter(({ part }) => makerOf(part, message.head.role) === role);
      for (const { path, part } of own)
        draft.changed(
          "fit-roles",
          path,
          `a ${part.type} is no part of a message of role \`${message.head.role}\`: it is in one of role \`${role}\``,
        );
      return own.length === 0 ? [] : [madeMessage({ role }, own, message.path)];
    });
    message.items = message.items.filter(item => !misplaced.has(item));
    return message.items.length === 0 ? behind : [message, ...behind];
  });
}

/** `function_call` and `function` are calls and results of tools by their former names. */
function fitFunctions(draft: Draft): void {
  const faults = faultsOf(draft, "legacy-functions");
  for (const { message, item } of faults) {
    if (item) continue;
    draft.changed("fit-roles", [...message.path, "role"], "`function` becomes a result of a tool");
    message.head = unspelled(message.head, "$role");
    message.items = message.items.map(each => ({ ...each, part: unspelled(each.part, "$id") }));
  }
  const calls = faultyItems(faults);
  if (calls.size === 0) return;
  draft.mapItems(item => {
    if (!calls.has(item)) return item.part;
    draft.changed("fit-roles", item.path, "`function_call` becomes a call of a tool");
    // A function was called without an id; a tool is called by one.
    return unspelled(unspelled(item.part, "$place"), "$id");
  });
}

/** The node without a hint of how it was spelled, whichever family gave it. */
function unspelled<T extends Node>(node: T, hint: string): T {
  if (!Object.values(node.native ?? {}).some(members => Object.hasOwn(members, hint))) return node;
  const families: { [family: string]: JsonObject } = {};
  for (const [family, members] of Object.entries(node.native ?? {})) {
    const { [hint]: _, ...others } = members;
    if (Object.keys(others).length > 0) families[family] = others;
  }
  const { native: _, ...rest } = node;
  const left = Object.keys(families).length > 0 ? { ...rest, native: families } : rest;
  return left as T; // `native` is optional wherever it is
}

function nearestRole({ head, items }: DraftMessage, allowed: readonly string[]): string {
  const holds = (type: string): boolean => items.some(({ part }) => part.type === type);
  const isAssistant = holds("tool-call") || holds("reasoning") || holds("refusal");
  const others: Readonly<Record<string, string>> = { developer: "system", system: "developer" };
  const wishes = [
    ...(Object.hasOwn(others, head.role) ? [others[head.role] ?? "user"] : []),
    ...(isAssistant ? ["assistant"] : []),
    ...(items.length > 0 && items.every(({ part }) => part.type === "tool-result") ? ["tool"] : []),
  ];
  return wishes.find(wish => allowed.includes(wish)) ?? "user";
}

/** Names of messages where the target has no place for them. */
export function dropNames(draft: Draft): void {
  for (const { message } of faultsOf(draft, "message-name")) {
    const { author, ...head } = message.head;
    const { name, ...others } = author ?? {};
    draft.changed(
      "drop-names",
      [...message.path, "author", "name"],
      `the name \`${name}\` is left out: there is no place for it`,
    );
    message.head = Object.keys(others).length > 0 ? { ...head, author: others } : head;
  }
}
