import type { Message } from "../model/conversation.ts";
import { demandMessages } from "../model/given.ts";
import { callback, count, demandOptions, flag, type OptionRules, oneOf } from "../model/options.ts";
import { leadingSystems, type Match, match, matcher } from "./match.ts";
import { piecesOf } from "./pieces.ts";
import { sameList } from "./same-list.ts";
import { type Span, spansOf } from "./spans.ts";
import { type Estimator, estimate } from "./tokens.ts";

/** What a history may be. Without any limit it stays as it is. */
export interface TrimOptions {
  /** Sum over all messages that stay. */
  readonly maxTokens?: number;
  /** Messages that stay, those of the system among them. */
  readonly maxMessages?: number;
  /** Turns that stay; one begins with what the user says after somebody else spoke. */
  readonly maxTurns?: number;
  /** Tokens of one message. Absent = `estimate`. */
  readonly tokenCounter?: Estimator;
  /** Which end stays. Absent = "last". */
  readonly strategy?: "last" | "first";
  /** The first message that stays, the system's leading ones aside, is one of these. */
  readonly startOn?: Match;
  /** The last message that stays is one of these. */
  readonly endOn?: Match;
  /** The system's leading messages stay, or nothing does. Absent = true. */
  readonly includeSystem?: boolean;
  /** Of the first message that does not fit as much stays as fits: whole parts, else pieces of its first text. */
  readonly allowPartial?: boolean;
  /** Pieces of a text, in order. Absent = its lines. */
  readonly textSplitter?: (text: string) => readonly string[];
}

const rules: OptionRules<TrimOptions> = {
  ...{ maxTokens: count, maxMessages: count, maxTurns: count, tokenCounter: callback },
  ...{ strategy: oneOf("last", "first"), startOn: match, endOn: match },
  ...{ includeSystem: flag, allowPartial: flag, textSplitter: callback },
};

/**
 * The newest (or oldest) messages that fit, in their order and as they are; the list itself where all do. A call never stays
 * without the results that it has, nor they without it. One pass over counts; what lies beyond what fits is not counted.
 */
export function trim(messages: readonly Message[], options: TrimOptions = {}): readonly Message[] {
  demandMessages(messages);
  demandOptions(options, rules, "history/bad-option");
  const kept = options.strategy === "first" ? oldest(messages, options) : newest(messages, options);
  return sameList(messages, kept);
}

function newest(messages: readonly Message[], options: TrimOptions): readonly Message[] {
  const all = spansOf(messages);
  const end = endOf(messages, all, options.endOn);
  const isEndWithin = end === 0 && options.endOn !== undefined && messages.some(matcher(options.endOn));
  const leading = (options.includeSystem ?? true) ? leadingSystems(messages) : 0;
  const systems = isEndWithin ? leading : Math.min(leading, end);
  const spans = all.filter(span => span.start >= systems && span.end <= end);
  const head = messages.slice(0, systems);
  const budget = new Budget(options);
  if (!head.every(message => budget.take([message]))) return [];
  const from = options.maxTurns === undefined ? 0 : turnBefore(messages.slice(0, end), options.maxTurns);
  let place = spans.length;
  let piece: Message | undefined;
  for (; place > 0; place--) {
    const span = spans[place - 1];
    if (!span || span.start < from) break;
    const whole = messages.slice(span.start, span.end);
    if (budget.take(whole)) continue;
    piece = budget.piece(whole);
    break;
  }
  const isStart = options.startOn === undefined ? () => true : matcher(options.startOn);
  const tail = messages.slice(spans[place]?.start ?? end, end);
  if (piece && isStart(piece)) return [...head, piece, ...tail];
  const first = spans.slice(place).find(({ start }) => messages.slice(start, start + 1).every(isStart));
  return [...head, ...messages.slice(first?.start ?? end, end)];
}

function oldest(messages: readonly Message[], options: TrimOptions): readonly Message[] {
  const spans = spansOf(messages);
  const budget = new Budget(options);
  const to = options.maxTurns === undefined ? messages.length : turnBehind(messages, options.maxTurns);
  let end = 0;
  let piece: Message | undefined;
  for (const span of spans) {
    if (span.end > to) break;
    const whole = messages.slice(span.start, span.end);
    if (!budget.take(whole)) {
      piece = budget.piece(whole);
      break;
    }
    end = span.end;
  }
  const isEnd = options.endOn === undefined ? () => true : matcher(options.endOn);
  const kept =
    piece && isEnd(piece)
      ? [...messages.slice(0, end), piece]
      : messages.slice(
          0,
          endOf(
            messages,
            spans.filter(span => span.end <= end),
            options.endOn,
            end,
          ),
        );
  if (options.startOn === undefined) return kept;
  const isStart = matcher(options.startOn);
  const systems = (options.includeSystem ?? true) ? leadingSystems(kept) : 0;
  const first = spans.find(({ start }) => start >= systems && kept.slice(start, start + 1).some(isStart));
  return [...kept.slice(0, systems), ...kept.slice(first?.start ?? kept.length)];
}

/** The last place between spans that has a message behind it that `endOn` means; 0 where there is none. */
function endOf(
  messages: readonly Message[],
  spans: readonly Span[],
  endOn: Match | undefined,
  otherwise = messages.length,
): number {
  if (endOn === undefined) return otherwise;
  const isEnd = matcher(endOn);
  return spans.findLast(({ end }) => messages.slice(end - 1, end).some(isEnd))?.end ?? 0;
}

/** Where turns begin: at what the user says after somebody else spoke. */
export const turnsOf = (messages: readonly Message[]): readonly number[] =>
  messages.flatMap(({ role }, index) => {
    const before = messages[index - 1];
    return role === "user" && before?.role !== "user" ? [index] : [];
  });

/** Where the last `count` turns begin; 0 where there are no more. */
function turnBefore(messages: readonly Message[], count: number): number {
  const turns = turnsOf(messages);
  if (count <= 0) return messages.length;
  return turns.length > count ? (turns[turns.length - count] ?? 0) : 0;
}

/** Where the first `count` turns end. */
function turnBehind(messages: readonly Message[], count: number): number {
  if (count <= 0) return leadingSystems(messages);
  return turnsOf(messages)[count] ?? messages.length;
}

/** What is left of the limits. */
class Budget {
  private tokens: number;
  private messages: number;
  private readonly options: TrimOptions;

  constructor(options: TrimOptions) {
    this.options = options;
    this.tokens = options.maxTokens ?? Number.POSITIVE_INFINITY;
    this.messages = options.maxMessages ?? Number.POSITIVE_INFINITY;
  }

  /** Takes all of them, or none: then nothing is taken any more. */
  take(messages: readonly Message[]): boolean {
    if (messages.length > this.messages) return false;
    let tokens = 0;
    if (this.options.maxTokens !== undefined) {
      const count = this.options.tokenCounter ?? estimate;
      for (const message of messages) {
        tokens += count(message);
        // A count that is no number fits nowhere.
        if (!(tokens <= this.tokens)) return false;
      }
    }
    this.tokens -= tokens;
    this.messages -= messages.length;
    return true;
  }

  /** The largest piece of a message that still fits; never of several that hold together. */
  piece(messages: readonly Message[]): Message | undefined {
    const [message, ...others] = messages;
    const { allowPartial, strategy = "last", textSplitter, tokenCounter = estimate } = this.options;
    if (!allowPartial || !message || others.length > 0 || this.messages < 1) return undefined;
    const left = this.tokens;
    return piecesOf(message, { strategy, textSplitter, fits: piece => tokenCounter(piece) <= left });
  }
}
