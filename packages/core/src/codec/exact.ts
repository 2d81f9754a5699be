import type { Conversation } from "../model/conversation.ts";
import type { Issue, Path } from "../model/issue.ts";
import { type ExactText, exactPointers } from "../model/json-text.ts";
import type { Node } from "../model/parts.ts";
import { mapNodes, walk } from "../model/walk.ts";

/** Nodes keep the spelling of what they hold (R6); a number that was rounded, and whose spelling has no node, is an issue. */
export function withExact(
  conversation: Conversation,
  read: { readonly exact: ExactText; readonly value: unknown; readonly issues: Issue[] },
): Conversation {
  const { exact } = read;
  if (exact.members.size === 0 && exact.numbers.size === 0) return conversation;
  const kept = spellNodes(conversation, exact);
  reportRounded(kept, read);
  return kept;
}

/** The conversation, whose nodes have the spelling of what they hold. */
export const spellNodes = (conversation: Conversation, exact: ExactText): Conversation =>
  mapNodes(conversation, <T extends Node>(node: T, path: Path): T => {
    const pointers = exactPointers(nodeAt(conversation, path), exact); // not `node`: it is another once one inside is
    const own = pointers && "inputText" in node ? withoutInput(pointers) : pointers;
    return own ? { ...node, exact: { ...own, ...node.exact } } : node;
  });

const nodeAt = (conversation: Conversation, path: Path): Node =>
  path.reduce<unknown>(
    (node, step) => (node as { readonly [step: string | number]: unknown })[step],
    conversation,
  ) as Node; // it is the path of one

/** Arguments that have their own text need no other spelling (R7). */
function withoutInput(pointers: { readonly [pointer: string]: string }): typeof pointers | undefined {
  const others = Object.entries(pointers).filter(([pointer]) => !/^\/input(?:\/|$)/.test(pointer));
  return others.length > 0 ? Object.fromEntries(others) : undefined;
}

/** Fields are JavaScript's numbers: 1.0 is 1 there and nothing is lost, but 2^64 is another number. */
function reportRounded(
  conversation: Conversation,
  { exact, value, issues }: { readonly exact: ExactText; readonly value: unknown; readonly issues: Issue[] },
): void {
  const rounded = [...exact.numbers].flatMap(([holder, texts]) =>
    [...texts].filter(([, text]) => !isSameNumber(text)).map(([key, text]) => ({ holder, key, text })),
  );
  if (rounded.length === 0) return;
  const spelled = spellings(conversation);
  const paths = new Map<object, Path>();
  for (const { holder, key, text } of rounded) {
    if (spelled.has(text)) continue;
    if (paths.size === 0) findPaths(value, paths);
    const message = `${text} is more than a number can hold here; it is read as ${String(Number(text))}`;
    issues.push({
      code: "rounded-number",
      severity: "warning",
      path: [],
      wirePath: [...(paths.get(holder) ?? []), key],
      message,
    });
  }
}

/** All numbers that nodes spell, by themselves or in a longer text. */
function spellings(conversation: Conversation): ReadonlySet<string> {
  const texts: string[] = [];
  const note = ({ exact, ...node }: Node & { readonly inputText?: string }): void => {
    texts.push(...Object.values(exact ?? {}), node.inputText ?? "");
  };
  note(conversation);
  walk(conversation, { message: note, part: note, citation: note, tool: note });
  return new Set(texts.flatMap(text => text.match(/-?\d[\d.eE+-]*/g) ?? []));
}

function findPaths(value: unknown, paths: Map<object, Path>): void {
  const pending: { value: unknown; path: Path }[] = [{ value, path: [] }];
  for (let next = pending.pop(); next; next = pending.pop()) {
    const { value: holder, path } = next;
    if (typeof holder !== "object" || holder === null) continue;
    paths.set(holder, path);
    const isList = Array.isArray(holder);
    for (const [key, member] of Object.entries(holder)) {
      pending.push({ value: member, path: [...path, isList ? Number(key) : key] });
    }
  }
}

/** Whether JavaScript's number is the number that the text says. */
function isSameNumber(text: string): boolean {
  return decimal(text) === decimal(String(Number(text)));
}

/** A number as its digits without zeros around them, and the power of ten of the last. */
function decimal(text: string): string {
  const [, sign = "", whole = "", fraction = "", power = "0"] =
    /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(text) ?? [];
  const digits = `${whole}${fraction}`.replace(/^0+/, "");
  const short = digits.replace(/0+$/, "");
  if (short === "") return "0";
  return `${sign}${short}e${Number(power) - fraction.length + (digits.length - short.length)}`;
}
