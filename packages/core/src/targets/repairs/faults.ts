import type { Path } from "../../model/issue.ts";
import type { Part } from "../../model/parts.ts";
import { checks } from "../rules/index.ts";
import type { RuleName } from "../target.ts";
import type { Draft, DraftMessage, Item } from "./draft.ts";

/** A place that breaks a rule. Repairs ask the rule itself, so that they and the check never differ. */
export interface Fault {
  readonly message: DraftMessage;
  readonly item: Item | undefined;
  /** From the item, or else from the message. */
  readonly inner: Path;
}

/** Where the conversation at work breaks a rule of its target. Places outside of messages are not told. */
export function faultsOf<Name extends RuleName>(draft: Draft, name: Name): readonly Fault[] {
  const faults: Fault[] = [];
  const row = draft.rules[name];
  if (!row) return faults;
  checks[name](draft.view(), row, {
    asked: { target: draft.target, model: draft.model },
    report: ([list, place, ...rest]) => {
      const message = list === "messages" && typeof place === "number" ? draft.messages[place] : undefined;
      if (!message) return;
      const [member, index, ...inner] = rest;
      const item = member === "parts" && typeof index === "number" ? message.items[index] : undefined;
      faults.push({ message, item, inner: item ? inner : rest });
    },
  });
  return faults;
}

/** Whether the conversation at work breaks a rule anywhere. */
export function isBroken<Name extends RuleName>(draft: Draft, name: Name): boolean {
  let found = false;
  const row = draft.rules[name];
  const report = (): void => {
    found = true;
  };
  if (row) checks[name](draft.view(), row, { asked: { target: draft.target, model: draft.model }, report });
  return found;
}

/** The items that break a rule. */
export const faultyItems = (faults: readonly Fault[]): ReadonlySet<Item> =>
  new Set(faults.flatMap(({ item }) => (item ? [item] : [])));

/** The part without members that are optional in it. */
export function without<P extends Part>(part: P, ...members: readonly string[]): P {
  const left: Record<string, unknown> = { ...part };
  for (const member of members) delete left[member];
  return left as unknown as P; // only optional members are named
}
