import type { Message, Part } from "translogue";
import { compact, countTokens, type Estimator, estimate, pruneToTarget, type Strategy } from "translogue/history";
import type { RunError } from "../errors.ts";
import type { Readable } from "./readable.ts";

/** How a history that is too long for its model is read shorter. The session keeps all of it. */
export interface Compaction {
  /** Tokens of history that a model call may have, or those by the models' ids. Absent: only what a host refuses is compacted. */
  readonly maxTokens?: number | { readonly [model: string]: number };
  /** One of `translogue/history`. Default: long results are cut, then the oldest messages left out, calls with their results. */
  readonly strategy?: Strategy;
  /** Tokens of one message. Default: an estimate. */
  readonly tokenCounter?: Estimator;
}

/** What a host said of the history that it refused. */
export interface Refused {
  /** The tokens that it takes, where it names them. */
  readonly tokens?: number;
}

/** The window is the smaller of the numbers in its words: the other is what was sent. */
export function refusedBy({ message }: RunError): Refused {
  const numbers = [...message.matchAll(/\d[\d,]{2,}/g)].map(([text]) => Number(text.replaceAll(",", "")));
  return numbers.length === 0 ? {} : { tokens: Math.min(...numbers) };
}

/** Instructions, tools and the answer need some of a window; an unknown one is taken for a quarter of what was refused. */
const share = { named: 0.8, unknown: 0.25 };

interface Reading {
  readonly compaction: Compaction | undefined;
  readonly model: string;
  readonly refused: Refused | undefined;
}

/** What the model reads, shorter where it has to be. Messages that are made new have no source. */
export async function fitting(
  read: readonly Readable[],
  { compaction, model, refused }: Reading,
): Promise<readonly { readonly message: Message; readonly source?: Message }[]> {
  if (!compaction) return read;
  const { maxTokens, tokenCounter = estimate, strategy } = compaction;
  const messages = read.map(({ message }) => message);
  const total = countTokens(messages, tokenCounter);
  const budget = typeof maxTokens === "number" ? maxTokens : maxTokens?.[model];
  const window = refused && (refused.tokens ? refused.tokens * share.named : total * share.unknown);
  const target = Math.floor(Math.min(budget ?? Number.POSITIVE_INFINITY, window ?? Number.POSITIVE_INFINITY));
  if (total <= target) return read;
  const after = strategy
    ? (await compact(messages, strategy, { tokenCounter })).messages
    : shortened(messages, target, tokenCounter);
  const sources = new Map(read.map(({ message, source }) => [message, source]));
  return after.map(message => {
    const source = sources.get(message);
    return source ? { message, source } : { message };
  });
}

function shortened(messages: readonly Message[], target: number, count: Estimator): readonly Message[] {
  const cut = messages.map(withShortResults);
  const { messages: pruned } = pruneToTarget(cut, {
    targetTokens: target,
    tokenCounter: count,
    preserveRecentMessages: 3,
  });
  return pruned;
}

const longest = 2000;

function withShortResults(message: Message): Message {
  if (!message.parts.some(part => part.type === "tool-result" && part.output?.some(isLong))) return message;
  const parts = message.parts.map(
    (part): Part =>
      part.type === "tool-result" && part.output ? { ...part, output: part.output.map(shortText) } : part,
  );
  return { ...message, parts };
}

const textIn = (part: Part): string | undefined =>
  part.type === "text" ? part.text : part.type === "data" ? JSON.stringify(part.data) : undefined;

const isLong = (part: Part): boolean => (textIn(part)?.length ?? 0) > longest;

/** Its beginning and its end, and how much is missing. */
function shortText(part: Part): Part {
  const text = textIn(part);
  if (text === undefined || text.length <= longest) return part;
  const half = longest / 4;
  const missing = text.length - 2 * half;
  return { type: "text", text: `${text.slice(0, half)}\n[${missing} characters left out]\n${text.slice(-half)}` };
}
