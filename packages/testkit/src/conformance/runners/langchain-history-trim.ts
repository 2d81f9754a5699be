import { encode, type Json, type JsonObject, type Message } from "translogue";
import { type Estimator, type Match, type TrimOptions, trim } from "translogue/history";
import { difference } from "../../difference.ts";
import { type CaseResult, claims } from "../case.ts";
import { aside, differing, given, results, rolesOf, same, typeOf } from "./langchain-history-messages.ts";
import { type About, type Case, fieldsOf, listOf, memberOf, said } from "./langchain-specs.ts";

const wordsOf = (message: Message): string =>
  message.parts
    .flatMap(part => (part.type === "tool-result" ? (part.output ?? []) : [part]))
    .map(part => (part.type === "text" ? part.text : ""))
    .join(" ");

const counters = new Map<string, Estimator>([
  ["perMessage", () => 1],
  ["tenEach", () => 10],
  [
    "words",
    message =>
      wordsOf(message)
        .split(/\s+/)
        .filter(word => word !== "").length,
  ],
  ["chars", message => contentLength(message)],
  ["infinite", () => Number.POSITIVE_INFINITY],
  ["notANumber", () => Number.NaN],
  [
    "throwing",
    () => {
      throw new Error("counter broke");
    },
  ],
]);

/** Of a text its length, of blocks that of their JSON. */
function contentLength(message: Message): number {
  const options = { to: "langchain:js-lc", shape: "message", recipient: "store", carry: false } as const;
  const content = memberOf(fieldsOf(encode({ messages: [message] }, options).value as Json), "content"); // the codec writes JSON
  return typeof content === "string" ? content.length : JSON.stringify(content ?? "").length;
}

const splitters = new Map<string, (text: string) => readonly string[]>([
  ["everyWord", text => text.split(/(?<= )/)],
  ["everyChar", text => [...text]],
  ["empty", () => []],
]);

function trimOptions(each: Case): TrimOptions {
  const { strategy, startOn, endOn, includeSystem, allowPartial, maxTokens } = each["options"] as JsonObject; // as the file says
  const counter = counters.get(String(each["tokenCounter"]));
  const splitter = splitters.get(String(each["textSplitter"]));
  const [start, end] = [rolesOf(startOn), rolesOf(endOn)];
  return {
    ...(typeof maxTokens === "number" && { maxTokens }),
    includeSystem: includeSystem === true,
    allowPartial: allowPartial === true,
    ...(strategy === "first" && { strategy }),
    ...(start && { startOn: start }),
    ...(end && { endOn: end }),
    ...(counter && { tokenCounter: counter }),
    ...(splitter && { textSplitter: splitter }),
  };
}

/** Trimming under LangChain's options. */
export async function trimCase(each: Case, about: About): Promise<CaseResult> {
  const messages = given(each["messages"]);
  const options = trimOptions(each);
  if (each["error"] !== undefined) {
    if (each["tokenCounter"] !== "throwing") return aside(about, "history throws");
    return await claims(about, [
      () => (refusal(() => trim(messages, options)) === "counter broke" ? undefined : "does not throw"),
    ]);
  }
  if (listOf(each["result"]).some(item => memberOf(item, "$undefined") === true)) {
    return await differing(about, "history no room", () =>
      same(trim(messages, options), messages.slice(0, trim(messages, options).length)),
    );
  }
  const theirs = results(each);
  const broken = halves(messages, theirs);
  const ours = (): readonly Message[] => trim(messages, options);
  if (broken.size > 0) {
    return await differing(about, "history pairs", () => {
      const last = theirs.at(-1);
      // Where it may end is told of whole groups: LangChain ends within one.
      const isCutShort = options.endOn !== undefined && last !== undefined && callsOf(last).some(id => broken.has(id));
      if (isCutShort) return unsound(ours(), messages, options);
      return same(ours(), wholeOf(messages, theirs, options));
    });
  }
  const systems = messages.findIndex(message => typeOf(message) !== "system");
  if (options.includeSystem && systems > 1 && same(ours(), theirs) !== undefined) {
    if (isOver(messages.slice(0, systems), options)) {
      return await differing(about, "history systems", () => same(ours(), []));
    }
    const lost = messages.slice(1, systems);
    return await differing(
      about,
      "history systems",
      () => same(ours().slice(0, systems), [...messages.slice(0, 1), ...lost]),
      () => isAtItsEnd(ours().slice(systems), messages.slice(systems), options),
    );
  }
  const cut = theirs[systems > 0 && options.includeSystem ? systems : 0];
  if (options.allowPartial && options.strategy !== "first" && cut && isHead(cut, messages)) {
    return await differing(about, "history wrong end", () => {
      const piece = ours().find(({ id }) => id === cut.id);
      const behind = theirs.slice(theirs.indexOf(cut) + 1);
      const own = ours();
      if (piece && !isTail(piece, messages)) return "no tail of the message";
      return same(own.slice(Math.max(0, own.length - behind.length)), behind);
    });
  }
  if (options.allowPartial && options.strategy !== "first" && isOver(theirs, options)) {
    const tail = theirs.slice(theirs.findIndex(message => isCut(message, messages)) + 1);
    return await differing(about, "history measured backwards", () =>
      isOver(ours(), options) ? "it does not fit" : same(ours().slice(ours().length - tail.length), tail),
    );
  }
  return await claims(about, [() => same(ours(), theirs)]);
}

/** What is left stands at the end that is kept: with all that follows it, or, of the first messages, all before it. */
function isAtItsEnd(
  ours: readonly Message[],
  messages: readonly Message[],
  { strategy, endOn }: TrimOptions,
): string | undefined {
  const whole = ours.filter(message => !isCut(message, messages));
  if (strategy === "first") return same(whole, messages.slice(0, whole.length));
  return endOn === undefined ? same(whole, messages.slice(messages.length - whole.length)) : undefined;
}

const isOver = (messages: readonly Message[], { maxTokens = Number.POSITIVE_INFINITY, tokenCounter }: TrimOptions) =>
  messages.reduce((sum, message) => sum + (tokenCounter?.(message) ?? 0), 0) > maxTokens;

/** A part of the history that fits, with no half, and with the ends that were asked for. */
function unsound(ours: readonly Message[], messages: readonly Message[], options: TrimOptions): string | undefined {
  if (isOver(ours, options)) return "it does not fit";
  if (halves(messages, ours).size > 0) return "a call is left without its result";
  const last = ours.at(-1);
  const isEnd = last === undefined || options.endOn === undefined || isOf(options.endOn, last);
  return isEnd || ours.every(({ role }) => role === "system") ? undefined : "it ends otherwise";
}

const partsFrom = (piece: Message, messages: readonly Message[]): readonly [Json, readonly Json[]] => {
  const whole = messages.find(({ id }) => id === piece.id);
  return [contentOf(piece), listOf(contentOf(whole))];
};

/** Of a tool's message what it gave. */
function contentOf(message: Message | undefined): Json {
  const parts = listOf(memberOf(said(message), "parts"));
  const [only, ...others] = parts;
  return others.length === 0 && memberOf(only, "type") === "tool-result" ? (memberOf(only, "output") ?? []) : parts;
}

/** Some of the message's first parts, in whatever order, and not all. */
function isHead(piece: Message, messages: readonly Message[]): boolean {
  const [parts, whole] = partsFrom(piece, messages);
  const { length } = listOf(parts);
  const sorted = (list: readonly Json[]): Json => list.map(part => JSON.stringify(part)).sort();
  return length < whole.length && difference(sorted(listOf(parts)), sorted(whole.slice(0, length))) === undefined;
}

function isTail(piece: Message, messages: readonly Message[]): boolean {
  const [parts, whole] = partsFrom(piece, messages);
  return difference(parts, whole.slice(whole.length - listOf(parts).length)) === undefined;
}

const isCut = (message: Message, messages: readonly Message[]): boolean => {
  const whole = messages.find(({ id }) => id !== undefined && id === message.id);
  return whole !== undefined && difference(said(message), said(whole)) !== undefined;
};

export function refusal(run: () => unknown): string | undefined {
  try {
    run();
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** What is left of the result without halves, and from the first message to the last that it may start and end on. */
function wholeOf(messages: readonly Message[], theirs: readonly Message[], options: TrimOptions): readonly Message[] {
  const broken = halves(messages, theirs);
  const whole = theirs.filter(message => !callsOf(message).some(id => broken.has(id)));
  const { startOn, endOn, strategy, includeSystem } = options;
  const isSystem = (message: Message | undefined): boolean => includeSystem === true && message?.role === "system";
  const head = isSystem(whole[0]) ? 1 : 0;
  const start = whole.findIndex((message, place) => place >= head && isOf(startOn, message));
  const from = strategy === "first" || startOn === undefined ? head : start < 0 ? whole.length : start;
  const to = endOn === undefined ? whole.length : whole.findLastIndex(message => isOf(endOn, message)) + 1;
  const kept = [...whole.slice(0, head), ...whole.slice(from, Math.max(from, to))];
  return kept.length < theirs.length ? wholeOf(messages, kept, options) : kept;
}

const isOf = (match: Match | undefined, message: Message): boolean => typeof match === "function" && match(message);

/** Made ids are of one message: they hold nothing together. */
const callsOf = ({ parts }: Message): readonly string[] =>
  parts.flatMap(part =>
    (part.type === "tool-call" || part.type === "tool-result") && !part.callId.startsWith("~") ? [part.callId] : [],
  );

/** Ids of calls of which the result has not all that the input has: a result, a call, or what was said beside it. */
function halves(messages: readonly Message[], kept: readonly Message[]): ReadonlySet<string> {
  const count = (list: readonly Message[]): Map<string, number> => {
    const counts = new Map<string, number>();
    for (const id of list.flatMap(callsOf)) counts.set(id, (counts.get(id) ?? 0) + 1);
    return counts;
  };
  const [all, some] = [count(messages), count(kept)];
  const broken = [...some].flatMap(([id, times]) => (times < (all.get(id) ?? 0) ? [id] : []));
  const cut = kept.filter(message => isCut(message, messages)).flatMap(callsOf);
  const ids = new Set([...broken, ...cut.filter(id => (all.get(id) ?? 0) > 1)]);
  // Calls of one step go together.
  for (const message of messages) {
    const calls = callsOf(message);
    if (calls.some(id => ids.has(id))) for (const id of calls) ids.add(id);
  }
  return ids;
}
