import type { Message } from "../model/conversation.ts";
import { demandMessages } from "../model/given.ts";
import { pairResults } from "../model/pairing.ts";
import type { Part } from "../model/parts.ts";
import { demand, type Strategy, type StrategyOptions, summaryGroup, workOf } from "./compaction.ts";
import type { Group } from "./groups.ts";
import { isFunctionCall } from "./groups.ts";
import { sameList } from "./same-list.ts";

/** A model: asked with messages of which one tells what to do, it answers in words. */
export type Summariser = (messages: readonly Message[]) => string | Promise<string>;

/** What a summariser is asked, where nothing else is said. */
export const summaryPrompt = `Summarise the conversation for whoever goes on with it. Keep facts, decisions, preferences of the user, open questions, and what tools found out. If a summary of an earlier part is given, what it says belongs to yours. Leave out greetings and repetition; add nothing of your own. Answer with the summary alone, in the language of the conversation.`;

const request = (text: string): Message => ({ role: "system", parts: [{ type: "text", text }] });

export interface SummariseOptions {
  readonly model: Summariser;
  /** Newest messages that stay as they are. */
  readonly targetCount: number;
  /** How many more there may be before anything is done. Absent = 0. */
  readonly threshold?: number;
  /** Absent = `summaryPrompt`. */
  readonly prompt?: string;
}

/**
 * The messages with the older ones as one summary, behind the first of the system; the messages themselves where there are few
 * enough, or where the model answers nothing. The cut moves back over calls, results and approvals, and to the beginning of a turn
 * where one is within the threshold. The model is not asked about these; an earlier summary that stands first goes into the new one,
 * and counts as none of the messages. What the model throws is thrown. Throws `history/bad-option`.
 */
export async function summarise(messages: readonly Message[], options: SummariseOptions): Promise<readonly Message[]> {
  demandMessages(messages);
  const { model, targetCount, threshold = 0, prompt = summaryPrompt } = options;
  demand(targetCount > 0, "targetCount", "more than 0");
  demand(threshold >= 0, "threshold", "at least 0");
  const system = messages.find(({ role }) => role === "system");
  const all = messages.filter(({ role }) => role !== "system");
  const earlier = all.slice(0, 1).filter(({ synthetic }) => synthetic === "summary");
  const others = all.slice(earlier.length);
  if (others.length <= targetCount + threshold) return messages;
  const hasCalls = toolMessages(others);
  const isTooled = (message: Message): boolean => hasCalls(message) || message.parts.some(isApproval);
  const cut = cutOf(others, { targetCount, threshold, isTooled });
  if (cut === 0) return messages;
  const old = [...earlier, ...others.slice(0, cut).filter(message => !isTooled(message))];
  const summary = await model([...old, request(prompt)]);
  if (summary.trim() === "") return messages;
  const summed: Message = { role: "assistant", parts: [{ type: "text", text: summary }], synthetic: "summary" };
  return [...(system ? [system] : []), summed, ...others.slice(cut)];
}

const isApproval = ({ type }: Part): boolean => type === "approval-request" || type === "approval-response";

interface Cut {
  readonly targetCount: number;
  readonly threshold: number;
  readonly isTooled: (message: Message) => boolean;
}

/** Index of the first message that stays. */
function cutOf(messages: readonly Message[], { targetCount, threshold, isTooled }: Cut): number {
  const earliest = messages.length - targetCount - threshold;
  let cut = messages.length - targetCount;
  const isHeld = (index: number): boolean => messages.slice(index, index + 1).some(isTooled);
  while (cut > 0 && isHeld(cut - 1)) cut--;
  for (let index = cut; index >= Math.max(0, earliest); index--) if (messages[index]?.role === "user") return index;
  return cut;
}

/** Messages with functions' calls or results; calls of servers and held back ones are no such. */
export function toolMessages(messages: readonly Message[]): (message: Message) => boolean {
  const calls = pairResults(messages);
  return ({ parts }) =>
    parts.some(part => {
      if (part.type !== "tool-result") return isFunctionCall(part);
      const call = calls.get(part);
      return part.kind === undefined && (call === undefined || isFunctionCall(call));
    });
}

/**
 * The first message of the system and the newest `targetCount` others, without messages that call functions or answer them.
 * Throws `history/bad-option`.
 */
export function keepNewest(messages: readonly Message[], targetCount: number): readonly Message[] {
  demandMessages(messages);
  demand(targetCount > 0, "targetCount", "more than 0");
  const isTooled = toolMessages(messages);
  const system = messages.find(({ role }) => role === "system");
  const others = messages.filter(message => message.role !== "system" && !isTooled(message));
  return sameList(messages, [...(system ? [system] : []), ...others.slice(-targetCount)]);
}

export interface SummarizationOptions extends StrategyOptions {
  readonly model: Summariser;
  /** Absent = `summaryPrompt`. */
  readonly prompt?: string;
  /** Before the summary. Absent = "[Summary]\n". */
  readonly heading?: string;
}

/**
 * Puts the oldest groups into a summary. Absent minimum = 8. Where the model fails or answers nothing all stays; being
 * aborted is thrown on.
 */
export const summarization =
  (options: SummarizationOptions): Strategy =>
  async (groups, given) => {
    const work = workOf(groups, options, options.minimumPreserved ?? 8);
    const gone: number[] = [];
    for (const place of work?.candidates ?? []) {
      const group = groups[place];
      if (!work || !group) break;
      gone.push(place);
      work.tally.exclude(group);
      if (work.isEnough()) break;
    }
    const [first] = gone;
    if (first === undefined) return groups;
    const old = gone.flatMap(place => groups[place]?.messages ?? []);
    const summary = await answered(options.model, [request(options.prompt ?? summaryPrompt), ...old]);
    if (summary === undefined) return groups;
    const isGone = new Set(gone);
    const summed = summaryGroup(`${options.heading ?? "[Summary]\n"}${summary}`, given);
    return groups.flatMap((group, place): readonly Group[] => {
      const kept: Group = isGone.has(place) ? { ...group, excluded: true } : group;
      return place === first ? [summed, kept] : [kept];
    });
  };

async function answered(model: Summariser, messages: readonly Message[]): Promise<string | undefined> {
  try {
    const summary = await model(messages);
    return summary.trim() === "" ? undefined : summary;
  } catch (error) {
    if (error instanceof Error && error.name === "AbortError") throw error;
    return undefined;
  }
}
