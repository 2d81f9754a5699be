import type { Message } from "../model/conversation.ts";
import { TranslogueError } from "../model/error.ts";
import { type Group, type GroupOptions, groupOf, groupsOf, Tally } from "./groups.ts";
import { toolDigest } from "./tool-digest.ts";
import { always, not, type Trigger, tokensExceed } from "./triggers.ts";

/** Makes groups fewer. The list that it was given, where it has nothing to do. */
export type Strategy = (
  groups: readonly Group[],
  options: GroupOptions,
) => readonly Group[] | Promise<readonly Group[]>;

/** When to begin, when to stop, and what stays in any case. */
export interface StrategyOptions {
  readonly trigger: Trigger;
  /** Asked after each step: whether it is enough. Absent = when the trigger does not hold any more. */
  readonly target?: Trigger;
  /** The newest groups (of `slidingWindow` turns) that stay, those of the system aside. */
  readonly minimumPreserved?: number;
}

export interface Compacted {
  /** What the model reads now. */
  readonly messages: readonly Message[];
  /** All groups, with those that are excluded. */
  readonly groups: readonly Group[];
  readonly compacted: boolean;
}

/** A history by a strategy. What stays is the same object; the messages themselves where nothing was done. */
export async function compact(
  messages: readonly Message[],
  strategy: Strategy,
  options: GroupOptions = {},
): Promise<Compacted> {
  const groups = groupsOf(messages, options);
  const after = await strategy(groups, options);
  const compacted = after !== groups;
  return { messages: compacted ? included(after) : messages, groups: after, compacted };
}

/** Messages of the groups that are not excluded. */
export const included = (groups: readonly Group[]): readonly Message[] =>
  groups.flatMap(group => (group.excluded ? [] : group.messages));

/** A strategy's work: the groups that may go, oldest first, and how much is left. */
export interface Work {
  readonly tally: Tally;
  readonly candidates: readonly number[];
  readonly isEnough: () => boolean;
}

/** Undefined where there is nothing to do. `preserved`: how many of the newest stay. */
export function workOf(groups: readonly Group[], options: StrategyOptions, preserved: number): Work | undefined {
  const places = groups.flatMap(({ kind, excluded }, place) => (kind === "system" || excluded ? [] : [place]));
  const tally = new Tally(groups);
  if (places.length <= 1 || !options.trigger(tally)) return undefined;
  const target = options.target ?? not(options.trigger);
  const candidates = places.slice(0, Math.max(0, places.length - Math.max(0, preserved)));
  return { tally, candidates, isEnough: () => target(tally) };
}

/** Leaves out the oldest groups. Absent minimum = 32. */
export const truncation =
  (options: StrategyOptions): Strategy =>
  groups => {
    const work = workOf(groups, options, options.minimumPreserved ?? 32);
    const gone = new Set<number>();
    for (const place of work?.candidates ?? []) {
      const group = groups[place];
      if (!work || !group) break;
      gone.add(place);
      work.tally.exclude(group);
      if (work.isEnough()) break;
    }
    return excluding(groups, gone);
  };

/** Leaves out the oldest turns, each whole. What stands before the first turn stays. Absent minimum = 1 turn. */
export const slidingWindow =
  (options: StrategyOptions): Strategy =>
  groups => {
    const work = workOf(groups, options, 0);
    const turns = new Map<number, number[]>();
    for (const place of work?.candidates ?? []) {
      const turn = groups[place]?.turn;
      if (turn === undefined) continue;
      const held = turns.get(turn) ?? [];
      turns.set(turn, held);
      held.push(place);
    }
    const old = [...turns].slice(0, Math.max(0, turns.size - Math.max(0, options.minimumPreserved ?? 1)));
    const gone = new Set<number>();
    for (const [turn, places] of old) {
      if (!work || turn === 0) continue;
      for (const place of places) {
        const group = groups[place];
        gone.add(place);
        if (group) work.tally.exclude(group);
      }
      if (work.isEnough()) break;
    }
    return excluding(groups, gone);
  };

export interface ToolResultOptions extends StrategyOptions {
  /** What stands for a group of calls; "" = its names alone are gone too. Absent = the tools' names with their results. */
  readonly format?: (messages: readonly Message[]) => string;
}

/** Puts the oldest groups of calls into words. Absent minimum = 16. */
export const toolResults =
  (options: ToolResultOptions): Strategy =>
  (groups, given) => {
    const work = workOf(groups, options, options.minimumPreserved ?? 16);
    const digests = new Map<number, Group>();
    for (const place of work?.candidates ?? []) {
      const group = groups[place];
      if (!work || group?.kind !== "tool-calls") continue;
      const digest = summaryGroup((options.format ?? toolDigest)(group.messages), given, group.turn);
      digests.set(place, digest);
      work.tally.exclude(group);
      work.tally.add(digest);
      if (work.isEnough()) break;
    }
    if (digests.size === 0) return groups;
    return groups.flatMap((group, place): readonly Group[] => {
      const digest = digests.get(place);
      return digest ? [{ ...group, excluded: true }, digest] : [group];
    });
  };

/** One after another. */
export const pipeline =
  (...strategies: readonly Strategy[]): Strategy =>
  async (groups, options) => {
    let left = groups;
    for (const strategy of strategies) left = await strategy(left, options);
    return left;
  };

export interface ContextWindowOptions {
  /** Tokens that the model holds. */
  readonly maxContextWindowTokens: number;
  /** Of them those that the answer may need. */
  readonly maxOutputTokens: number;
  /** Share of what is left for the history from which on calls are put into words. Absent = 0.5. */
  readonly toolEvictionThreshold?: number;
  /** Share from which on the oldest groups are left out. Absent = 0.8. */
  readonly truncationThreshold?: number;
}

/** What a model's window needs: first old calls go, then the oldest groups. Throws `history/bad-option`. */
export function contextWindow(options: ContextWindowOptions): Strategy {
  const { maxContextWindowTokens: window, maxOutputTokens: output } = options;
  const { toolEvictionThreshold: eviction = 0.5, truncationThreshold: truncate = 0.8 } = options;
  demand(window > 0, "maxContextWindowTokens", "more than 0");
  demand(output >= 0 && output < window, "maxOutputTokens", "at least 0 and less than maxContextWindowTokens");
  demand(eviction > 0 && eviction <= 1, "toolEvictionThreshold", "more than 0 and at most 1");
  demand(truncate > 0 && truncate <= 1, "truncationThreshold", "more than 0 and at most 1");
  demand(truncate >= eviction, "truncationThreshold", "at least toolEvictionThreshold");
  const share = (part: number): Trigger => tokensExceed(Math.floor((window - output) * part));
  return pipeline(
    toolResults({ trigger: share(eviction), minimumPreserved: 2 }),
    truncation({ trigger: share(truncate), minimumPreserved: 2 }),
  );
}

/** A function over messages as a strategy; what it gives counts only where it is shorter. */
export const reducing =
  (
    reduce: (messages: readonly Message[]) => readonly Message[] | Promise<readonly Message[]>,
    trigger: Trigger = always,
  ): Strategy =>
  async (groups, options) => {
    if (!workOf(groups, { trigger }, 0)) return groups;
    const before = included(groups);
    const after = await reduce(before);
    return after.length < before.length ? groupsOf(after, options) : groups;
  };

export function demand(holds: boolean, option: string, wanted: string): void {
  if (holds) return;
  throw new TranslogueError("history/bad-option", `Option ${option} must be ${wanted}.`, { data: { option } });
}

/** A group of one message that stands for others. */
export function summaryGroup(text: string, options: GroupOptions, turn?: number): Group {
  const message: Message = { role: "assistant", parts: [{ type: "text", text }], synthetic: "summary" };
  return groupOf("summary", [message], { ...options, ...(turn !== undefined && { turn }) });
}

export const excluding = (groups: readonly Group[], gone: ReadonlySet<number>): readonly Group[] =>
  gone.size === 0 ? groups : groups.map((group, place) => (gone.has(place) ? { ...group, excluded: true } : group));
