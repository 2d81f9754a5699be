import type { Message } from "../model/conversation.ts";
import { demandMessages } from "../model/given.ts";
import type { Part } from "../model/parts.ts";
import { isSystem } from "./match.ts";
import { spansOf } from "./spans.ts";
import { type Estimator, estimate } from "./tokens.ts";

export type GroupKind = "system" | "user" | "assistant" | "tool-calls" | "summary";

/** Messages that stay or go together. */
export interface Group {
  readonly kind: GroupKind;
  readonly messages: readonly Message[];
  /** Number of the user's turn that it is of: 0 = before the first; absent = of none (the system's, and summaries of several). */
  readonly turn?: number;
  /** Whole tokens. */
  readonly tokens: number;
  /** Left out of what the model reads. */
  readonly excluded?: true;
}

export interface GroupOptions {
  /** Tokens of one message; a group's are their sum, rounded down. Absent = `estimate`. */
  readonly tokenCounter?: Estimator;
  /** Messages that stand for others. Absent = those whose `synthetic` is "summary", and compactions. */
  readonly isSummary?: (message: Message) => boolean;
}

/**
 * The messages in groups: each of its own, but calls with their results, with messages of tools behind them and with
 * reasoning around them. Linear.
 */
export function groupsOf(messages: readonly Message[], options: GroupOptions = {}): readonly Group[] {
  demandMessages(messages);
  const isSummary = options.isSummary ?? standsForOthers;
  const ends = new Map(spansOf(messages).map(({ start, end }) => [start, end]));
  const groups: Group[] = [];
  let turn = 0;
  let start = 0;
  while (start < messages.length) {
    const first = messages[start];
    if (!first) break;
    const end = endOfGroup(messages, start, ends);
    const kind = end === undefined ? kindOf(first, isSummary) : "tool-calls";
    if (kind === "user" || (kind === "tool-calls" && first.role === "user")) turn++;
    const list = messages.slice(start, end ?? start + 1);
    groups.push(groupOf(kind, list, { ...(kind !== "system" && { turn }), ...options }));
    for (const { role } of list.slice(1)) if (role === "user") turn++;
    start += list.length;
  }
  return groups;
}

export function groupOf(
  kind: GroupKind,
  messages: readonly Message[],
  { turn, tokenCounter = estimate }: { readonly turn?: number } & GroupOptions = {},
): Group {
  const tokens = messages.reduce((sum, message) => sum + tokenCounter(message), 0);
  return { kind, messages, ...(turn !== undefined && { turn }), tokens: Math.floor(tokens) };
}

const standsForOthers = ({ synthetic, parts }: Message): boolean =>
  synthetic === "summary" || parts.some(({ type }) => type === "compaction");

function kindOf(message: Message, isSummary: (message: Message) => boolean): GroupKind {
  if (isSystem(message)) return "system";
  if (message.role === "user") return "user";
  return isSummary(message) ? "summary" : "assistant";
}

/** Where a group of calls that begins here ends; undefined where none does. */
function endOfGroup(
  messages: readonly Message[],
  start: number,
  ends: ReadonlyMap<number, number>,
): number | undefined {
  let place = start;
  while (isAside(messages[place])) place++;
  const caller = messages[place];
  let end = ends.get(place) ?? place + 1;
  const holds = end > place + 1 || (caller?.role === "assistant" && caller.parts.some(isFunctionCall));
  if (!caller || !holds) return undefined;
  while (messages[end]?.role === "tool" || isAside(messages[end])) end++;
  // What was taken may itself be held together with something behind it.
  for (let inside = place + 1; inside < end; inside++) end = Math.max(end, ends.get(inside) ?? end);
  return end;
}

/** A call that whoever holds the conversation runs. */
export const isFunctionCall = (part: Part): boolean => part.type === "tool-call" && part.kind === undefined;

/** Says nothing to anybody: thoughts alone, or nothing at all. */
const isAside = (message: Message | undefined): boolean =>
  message?.role === "assistant" && message.parts.every(({ type }) => type === "reasoning");

/** The sums that triggers ask for, over what is not excluded. */
export interface Totals {
  readonly tokens: number;
  readonly messages: number;
  /** Groups, the system's among them. */
  readonly groups: number;
  /** The user's turns; what stands before the first is none. */
  readonly turns: number;
  /** Groups of calls. */
  readonly toolCalls: number;
}

/** Totals that follow as groups are excluded and added, each in constant time. */
export class Tally implements Totals {
  tokens = 0;
  messages = 0;
  groups = 0;
  toolCalls = 0;
  private readonly held = new Map<number, number>();

  constructor(groups: readonly Group[]) {
    for (const group of groups) if (!group.excluded) this.add(group);
  }

  get turns(): number {
    return this.held.size - (this.held.has(0) ? 1 : 0);
  }

  add(group: Group): void {
    this.count(group, 1);
  }

  exclude(group: Group): void {
    this.count(group, -1);
  }

  private count({ kind, messages, tokens, turn }: Group, times: 1 | -1): void {
    this.tokens += times * tokens;
    this.messages += times * messages.length;
    this.groups += times;
    if (kind === "tool-calls") this.toolCalls += times;
    if (turn === undefined) return;
    const left = (this.held.get(turn) ?? 0) + times;
    if (left > 0) this.held.set(turn, left);
    else this.held.delete(turn);
  }
}
