import type { Conversation, Message, Tool } from "../model/conversation.ts";
import { demandMessage, demandMessages } from "../model/given.ts";
import { inputTextOf } from "../model/json-text.ts";
import type { Part } from "../model/parts.ts";
import { fileTokens, type MediaRule, mediaRules } from "./media-tokens.ts";
import { estimateText } from "./text-tokens.ts";

/** Tokens of one message. Ours count a message object once: it is never changed. */
export type Estimator = (message: Message) => number;

export interface EstimatorOptions {
  /** Tokens of a text, exactly: a tokeniser of the application's. Absent = `estimateText`. */
  readonly text?: (text: string) => number;
  /** How pictures and files count. Absent = `mediaRules.area`, which counts most for a picture of unknown size. */
  readonly media?: MediaRule;
  /** What the wire's frame around a message counts. Absent = 4. */
  readonly perMessage?: number;
  /** What the frame around a call or result counts. Absent = 8. */
  readonly perCall?: number;
}

/**
 * Counts messages, each once: by identity, in a WeakMap. A tokeniser that is given gets no run of more than 2,000 characters
 * without a space at once, for which most take time by its square; that may count one token more a piece.
 */
export function estimator(options: EstimatorOptions = {}): Estimator {
  const counts = new WeakMap<Message, number>();
  const counting: Counting = {
    text: options.text ? inPieces(options.text) : estimateText,
    media: options.media ?? mediaRules.area,
    perCall: options.perCall ?? 8,
  };
  const perMessage = options.perMessage ?? 4;
  return message => {
    const known = counts.get(message);
    if (known !== undefined) return known;
    demandMessage(message, "message");
    const name = message.author?.name;
    const tokens = perMessage + partsTokens(message.parts, counting) + (name === undefined ? 0 : counting.text(name));
    counts.set(message, tokens);
    return tokens;
  };
}

/** The estimator without options. */
export const estimate: Estimator = /* @__PURE__ */ estimator();

/** Tokens of messages, or of a conversation with the tools that it offers: what is there, not what a model reads of it (`context`). */
export function countTokens(counted: Conversation | readonly Message[], count: Estimator = estimate): number {
  const given: unknown = counted; // whatever it is
  const isConversation = typeof given === "object" && given !== null && "messages" in counted;
  const messages = isConversation ? counted.messages : counted;
  demandMessages(messages);
  const tools = isConversation ? (counted.tools ?? []) : [];
  let tokens = 0;
  for (const message of messages) tokens += count(message);
  for (const tool of tools) tokens += toolTokens(tool);
  return tokens;
}

const toolTokens = ({ name, description = "", input }: Tool): number =>
  8 + estimateText(`${name} ${description}`) + (input === undefined ? 0 : estimateText(JSON.stringify(input)));

interface Counting {
  readonly text: (text: string) => number;
  readonly media: MediaRule;
  readonly perCall: number;
}

function partsTokens(parts: readonly Part[] | undefined, counting: Counting): number {
  let tokens = 0;
  for (const part of parts ?? []) tokens += partTokens(part, counting);
  return tokens;
}

function partTokens(part: Part, counting: Counting): number {
  const { text, media, perCall } = counting;
  switch (part.type) {
    case "text":
    case "refusal":
      return text(part.text);
    case "reasoning":
      return part.text === undefined ? 0 : text(part.text);
    case "tool-call":
      return perCall + text(part.name) + text(inputTextOf(part) ?? "");
    case "tool-result":
      return perCall + partsTokens(part.output, counting);
    case "file":
      if ("text" in part.source) return text(part.source.text);
      return "parts" in part.source ? partsTokens(part.source.parts, counting) : fileTokens(part, media);
    case "source":
      return text(`${part.title ?? ""} ${part.url ?? ""}`) + partsTokens(part.parts, counting);
    case "data":
      return part.name === undefined ? text(JSON.stringify(part.data)) : 0;
    case "error":
      return text(part.message);
    case "compaction":
      return partsTokens(part.summary, counting);
    case "opaque":
      return text(JSON.stringify(part.value));
    default:
      return 0;
  }
}

const runLength = 2000;
const runs = /\S{1,2000}|\s+/gu;

function inPieces(count: (text: string) => number): (text: string) => number {
  return text => {
    if (text.length <= runLength) return count(text);
    let tokens = 0;
    let short = "";
    for (const [piece] of text.matchAll(runs)) {
      if (piece.length < runLength) short += piece;
      else {
        tokens += (short === "" ? 0 : count(short)) + count(piece);
        short = "";
      }
    }
    return tokens + (short === "" ? 0 : count(short));
  };
}
