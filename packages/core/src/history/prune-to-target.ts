import type { Message } from "../model/conversation.ts";
import { demandMessages } from "../model/given.ts";
import { callback, count, demandOptions, type OptionRules } from "../model/options.ts";
import type { Part } from "../model/parts.ts";
import { isSystem } from "./match.ts";
import { spansOf } from "./spans.ts";
import { type Estimator, estimate } from "./tokens.ts";

export interface PruneToTargetOptions {
  /** Tokens that the history may have. Absent = 80,000. */
  readonly targetTokens?: number;
  /** Newest messages that are not touched. Absent = 3. */
  readonly preserveRecentMessages?: number;
  readonly tokenCounter?: Estimator;
}

const rules: OptionRules<PruneToTargetOptions> = {
  targetTokens: count,
  preserveRecentMessages: count,
  tokenCounter: callback,
};

export type PruneStep = "old-images" | "older-images" | "tool-results" | "long-texts" | "oldest-messages";

export interface PrunedToTarget {
  readonly messages: readonly Message[];
  readonly tokensBefore: number;
  readonly tokensAfter: number;
  /** What was done, in this order. */
  readonly steps: readonly PruneStep[];
}

/**
 * Makes a history fit by what costs it least: by how much it is over and how much of it are pictures, old pictures go, long
 * results and texts are cut, and at last the oldest messages are dropped, calls with their results. Each step is taken only while there
 * are too many tokens. Messages of the system, sealed parts and the newest messages are never touched, so that there may be too many still.
 */
export function pruneToTarget(messages: readonly Message[], options: PruneToTargetOptions = {}): PrunedToTarget {
  demandMessages(messages);
  demandOptions(options, rules, "history/bad-option");
  const { targetTokens = 80_000, preserveRecentMessages = 3, tokenCounter = estimate } = options;
  const recent = Math.max(0, messages.length - Math.max(0, preserveRecentMessages));
  const tokensBefore = totalOf(messages, tokenCounter);
  let old: readonly Message[] = messages.slice(0, recent);
  const kept = messages.slice(recent);
  const limit = targetTokens - totalOf(kept, tokenCounter);
  let tokens = totalOf(old, tokenCounter);
  const steps: PruneStep[] = [];
  for (const step of planOf({ tokensBefore, targetTokens, images: imageTokens(messages, tokenCounter) })) {
    if (tokens <= limit) break;
    const after = step === "oldest-messages" ? newestOf(messages, old, { limit, tokenCounter }) : edits[step](old);
    const left = totalOf(after, tokenCounter);
    if (left >= tokens) continue;
    old = after;
    tokens = left;
    steps.push(step);
  }
  if (steps.length === 0) return { messages, tokensBefore, tokensAfter: tokensBefore, steps };
  return { messages: [...old, ...kept], tokensBefore, tokensAfter: tokens + totalOf(kept, tokenCounter), steps };
}

const totalOf = (messages: readonly Message[], count: Estimator): number =>
  messages.reduce((sum, message) => sum + count(message), 0);

interface Size {
  readonly tokensBefore: number;
  readonly targetTokens: number;
  readonly images: number;
}

function planOf({ tokensBefore, targetTokens, images }: Size): readonly PruneStep[] {
  const over = (tokensBefore - targetTokens) / tokensBefore;
  const share = images / tokensBefore;
  if (!(over > 0)) return [];
  if (share > 0.6 && over > 0.3) return ["old-images", "tool-results", "oldest-messages"];
  if (share > 0.3 && over > 0.2) return ["old-images", "tool-results", "long-texts", "oldest-messages"];
  if (over > 0.5) return ["old-images", "oldest-messages"];
  if (over > 0.1) return ["older-images", "long-texts", "tool-results", "old-images", "oldest-messages"];
  return ["tool-results", "long-texts", "older-images", "oldest-messages"];
}

const isImage = (part: Part): boolean =>
  part.type === "file" && part.mediaType?.startsWith("image/") === true && part.seal === undefined;

function imageTokens(messages: readonly Message[], count: Estimator): number {
  const images = messages.flatMap(({ parts }) => parts.flatMap(imagesIn));
  return images.length === 0 ? 0 : count({ role: "user", parts: images });
}

const imagesIn = (part: Part): readonly Part[] =>
  isImage(part) ? [part] : part.type === "tool-result" ? (part.output ?? []).filter(isImage) : [];

const placeholder = (part: Part): Part => ({
  type: "text",
  text: `[${part.type === "file" ? (part.name ?? part.mediaType ?? "image") : "image"} removed]`,
});

/** Each part of a message that is not the system's, and of its results, by a function; the message itself where nothing changes. */
const eachPart =
  (edit: (part: Part) => Part, inResults: (part: Part) => Part = edit) =>
  (message: Message): Message => {
    if (isSystem(message)) return message;
    const parts = message.parts.map(part => {
      if (part.type !== "tool-result" || !part.output) return edit(part);
      const output = part.output.map(inResults);
      return output.every((item, index) => item === part.output?.[index]) ? part : { ...part, output };
    });
    return parts.every((part, index) => part === message.parts[index]) ? message : { ...message, parts };
  };

const cutAt =
  (most: number, left: number, mark: string) =>
  (part: Part): Part => {
    if (part.type === "data" && part.name === undefined) {
      const text = JSON.stringify(part.data);
      return text.length > most ? { type: "text", text: `${headOf(text, left)}${mark}` } : part;
    }
    if (part.type !== "text" || part.text.length <= most || part.seal !== undefined) return part;
    return { type: "text", text: `${headOf(part.text, left)}${mark}` };
  };

/** Never with half a character at its end, which no host takes. */
const headOf = (text: string, length: number): string => text.slice(0, length).replace(/[\ud800-\udbff]$/, "");

const same = (part: Part): Part => part;
const withoutImage = (part: Part): Part => (isImage(part) ? placeholder(part) : part);

const withoutImages = eachPart(withoutImage);

const edits: {
  readonly [step in Exclude<PruneStep, "oldest-messages">]: (messages: readonly Message[]) => readonly Message[];
} = {
  "old-images": messages => messages.map(withoutImages),
  "older-images": withoutOlderImages,
  "tool-results": messages => messages.map(eachPart(same, cutAt(1000, 500, "...[truncated]"))),
  "long-texts": messages =>
    messages.map(eachPart(cutAt(2000, 1000, "...[message truncated for token optimization]"), same)),
};

/** The newest message with pictures keeps them. */
function withoutOlderImages(messages: readonly Message[]): readonly Message[] {
  const last = messages.findLastIndex(({ parts }) => parts.some(part => imagesIn(part).length > 0));
  return messages.map((message, index) => (index === last ? message : withoutImages(message)));
}

/** The oldest spans go; one that reaches into the newest messages stays whole. */
function newestOf(
  all: readonly Message[],
  old: readonly Message[],
  { limit, tokenCounter }: { readonly limit: number; readonly tokenCounter: Estimator },
): readonly Message[] {
  let tokens = totalOf(old, tokenCounter);
  const gone = new Set<number>();
  for (const { start, end } of spansOf(all)) {
    if (tokens <= limit || end > old.length) break;
    const span = old.slice(start, end);
    if (span.some(isSystem)) continue;
    tokens -= totalOf(span, tokenCounter);
    for (let index = start; index < end; index++) gone.add(index);
  }
  return old.filter((_, index) => !gone.has(index));
}
