import { isJsonObject, type Message, type Part, type Tool } from "translogue";
import {
  compact,
  countTokens,
  type Estimator,
  estimate,
  estimateText,
  type Group,
  pruneToTarget,
  type Strategy,
} from "translogue/history";
import { headOf, tailOf } from "../cut-text.ts";
import { failure, type RunError } from "../errors.ts";
import { checkedMessages, wrongGiven } from "../hooks.ts";
import { windowIn } from "./overflow.ts";
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

export function refusedBy(error: RunError): Refused {
  const tokens = windowIn(error);
  return tokens === undefined ? {} : { tokens };
}

/** Instructions, tools and the answer need some of a window; an unknown one is taken for a quarter of what was refused. */
const share = { named: 0.8, unknown: 0.25 };

interface Reading {
  readonly compaction: Compaction | undefined;
  readonly model: string;
  readonly refused: Refused | undefined;
  /** What stands before the history in every call. */
  readonly fixed: { readonly system: readonly Message[]; readonly tools: readonly Tool[] };
}

/**
 * What the model reads, shorter where it has to be. Messages that are made new have no source. Throws `model/context-overflow`
 * where no shorter history would help.
 */
export async function fitting(
  read: readonly Readable[],
  { compaction, model, refused, fixed }: Reading,
): Promise<readonly { readonly message: Message; readonly source?: Message }[]> {
  if (!compaction) return read;
  const { maxTokens, strategy } = compaction;
  const tokenCounter = remembering(compaction.tokenCounter ?? estimate);
  const messages = read.map(({ message }) => message);
  const total = countTokens(messages, tokenCounter);
  const budget = typeof maxTokens === "number" ? maxTokens : maxTokens?.[model];
  if (refused) checkFixed(fixed, { refused, total, tokenCounter });
  const window = refused && windowFor(refused, total);
  const target = Math.floor(Math.min(budget ?? Number.POSITIVE_INFINITY, window ?? Number.POSITIVE_INFINITY));
  if (total <= target) return read;
  const after = strategy
    ? (await compact(messages, checkedStrategy(strategy), { tokenCounter })).messages
    : shortened(messages, target, tokenCounter);
  const sources = new Map(read.map(({ message, source }) => [message, source]));
  return after.map(message => {
    const source = sources.get(message);
    return source ? { message, source } : { message };
  });
}

/** Throws `agent/invalid` for what could not be used once a history is too long. */
export function checkCompaction(compaction: unknown): void {
  if (!isJsonObject(compaction)) throw wrongGiven(compaction, { by: "`compaction`", verb: "is", give: "an object" });
  for (const name of ["strategy", "tokenCounter"]) {
    const given: unknown = compaction[name];
    if (given !== undefined && typeof given !== "function")
      throw wrongGiven(given, {
        by: `\`compaction.${name}\``,
        verb: "is",
        give: "a function, as those of `translogue/history`",
      });
  }
}

const checkedStrategy =
  (strategy: Strategy): Strategy =>
  async (groups, options) => {
    const given: unknown = await strategy(groups, options);
    const by = "`compaction.strategy`";
    if (!Array.isArray(given))
      throw wrongGiven(given, { by, give: "a list of groups, those that it was given or fewer" });
    for (const group of given)
      checkedMessages((group as Partial<Group> | null)?.messages, `${by}, as \`messages\` of a group,`);
    return given as readonly Group[]; // as far as code relies on it
  };

/** By what counts them: every step counts a history of which little is new. */
const known = new WeakMap<Estimator, WeakMap<Message, number>>();

function remembering(count: Estimator): Estimator {
  const counts = known.get(count) ?? new WeakMap<Message, number>();
  known.set(count, counts);
  return message => {
    const before = counts.get(message);
    if (before !== undefined) return before;
    const tokens: unknown = count(message);
    if (typeof tokens !== "number" || !(tokens >= 0))
      throw wrongGiven(tokens, { by: "`compaction.tokenCounter`", give: "a number from 0 on" });
    counts.set(message, tokens);
    return tokens;
  };
}

/** Where the host names no window, a history that is so small a share of what it refused is not what was too long. */
const smallShare = 0.1;

function checkFixed(
  { system, tools }: Reading["fixed"],
  {
    refused,
    total,
    tokenCounter,
  }: { readonly refused: Refused; readonly total: number; readonly tokenCounter: Estimator },
): void {
  const ofTools = tools.length === 0 ? 0 : estimateText(JSON.stringify(tools));
  const size = countTokens(system, tokenCounter) + ofTools;
  const { tokens } = refused;
  if (tokens === undefined ? total >= smallShare * (total + size) : size < tokens) return;
  const window = tokens === undefined ? "more than the model takes" : `and the model takes ${tokens}`;
  const what = `the instructions and tools are about ${size} tokens by themselves, ${window}`;
  throw failure("model/context-overflow", `${what}: no shorter history helps, shorten them`, {
    data: { size, tokens },
  });
}

/** A window that the history fits into by our count is none that we can count with. */
const windowFor = ({ tokens = Number.POSITIVE_INFINITY }: Refused, total: number): number =>
  tokens < total ? tokens * share.named : total * share.unknown;

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
  const [start, end] = [headOf(text, half), tailOf(text, half)];
  const missing = text.length - start.length - end.length;
  return { type: "text", text: `${start}\n[${missing} characters left out]\n${end}` };
}
