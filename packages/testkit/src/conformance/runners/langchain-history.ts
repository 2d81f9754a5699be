import { encode, type Json, type JsonObject, type Message } from "translogue";
import {
  addMessages,
  bufferString,
  countTokens,
  type Estimator,
  filter,
  type Match,
  mergeRuns,
  type TrimOptions,
  trim,
} from "translogue/history";
import { difference } from "../../difference.ts";
import { type CaseResult, claims, type Runner } from "../case.ts";
import type { HistoryRule } from "../rules/history.ts";
import { aside, differing, failed, given, results, rolesOf, same, typeOf } from "./langchain-history-messages.ts";
import { type About, type Case, casesOf, fieldsOf, listOf, memberOf, said } from "./langchain-specs.ts";

/** LangChain's utilities for histories: ours under its options. */
export const langchainHistory: Runner = {
  name: "langchain history",
  reads: file => file.folder === "langchain" && file.kind === "utility",
  async *run(file) {
    for (const each of casesOf(file)) {
      const name = typeof each["function"] === "string" ? each["function"] : "";
      const about = { format: "langchain utility", name: each.name };
      const functionCase = functionCases.get(name);
      yield functionCase ? await functionCase(each, about) : failed(about, `no runner for ${name}`);
    }
  },
};

type FunctionCase = (each: Case, about: About) => Promise<CaseResult> | CaseResult;

const functionCases = new Map<string, FunctionCase>([
  ["trimMessages", trimCase],
  ["filterMessages", filterCase],
  ["mergeMessageRuns", runsCase],
  ["getBufferString", bufferCase],
  ["messagesStateReducer", reducerCase],
  ["messagesDeltaReducer", deltaCase],
  ["countTokensApproximately", countCase],
  ["convertToChunk", (_, about) => aside(about, "history class functions")],
  ["mergeUsageMetadata", (_, about) => aside(about, "history class functions")],
  ["addNotificationMetadata", (_, about) => aside(about, "history class functions")],
  ["collapseToolCallChunks", (_, about) => aside(about, "history chunks of calls")],
]);

// trimming

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

async function trimCase(each: Case, about: About): Promise<CaseResult> {
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
    return await differing(about, "history pairs", () => same(ours(), wholeOf(messages, theirs, options)));
  }
  const systems = messages.findIndex(message => typeOf(message) !== "system");
  if (options.includeSystem && systems > 1 && same(ours(), theirs) !== undefined) {
    const lost = messages.slice(1, systems);
    return await differing(about, "history systems", () =>
      same(ours().slice(0, systems), [...messages.slice(0, 1), ...lost]),
    );
  }
  const cut = theirs[systems > 0 && options.includeSystem ? systems : 0];
  if (options.allowPartial && options.strategy !== "first" && cut && isHead(cut, messages)) {
    return await differing(about, "history wrong end", () => {
      const piece = ours().find(({ id }) => id === cut.id);
      return !piece || isTail(piece, messages) ? undefined : "no tail of the message";
    });
  }
  return await claims(about, [() => same(ours(), theirs)]);
}

const partsFrom = (piece: Message, messages: readonly Message[]): readonly [Json, readonly Json[]] => {
  const whole = messages.find(({ id }) => id === piece.id);
  return [memberOf(said(piece), "parts") ?? [], listOf(memberOf(said(whole), "parts"))];
};

/** Some of the message's first parts, in whatever order, and not all. */
function isHead(piece: Message, messages: readonly Message[]): boolean {
  const [parts, whole] = partsFrom(piece, messages);
  const { length } = piece.parts;
  const sorted = (list: readonly Json[]): Json => list.map(part => JSON.stringify(part)).sort();
  return length < whole.length && difference(sorted(listOf(parts)), sorted(whole.slice(0, length))) === undefined;
}

function isTail(piece: Message, messages: readonly Message[]): boolean {
  const [parts, whole] = partsFrom(piece, messages);
  return difference(parts, whole.slice(whole.length - piece.parts.length)) === undefined;
}

function refusal(run: () => unknown): string | undefined {
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

const callsOf = ({ parts }: Message): readonly string[] =>
  parts.flatMap(part => (part.type === "tool-call" || part.type === "tool-result" ? [part.callId] : []));

/** Ids of calls of which the result has not all that the input has. */
function halves(messages: readonly Message[], kept: readonly Message[]): ReadonlySet<string> {
  const count = (list: readonly Message[]): Map<string, number> => {
    const counts = new Map<string, number>();
    for (const id of list.flatMap(callsOf)) counts.set(id, (counts.get(id) ?? 0) + 1);
    return counts;
  };
  const [all, some] = [count(messages), count(kept)];
  const broken = [...some].flatMap(([id, times]) => (times < (all.get(id) ?? 0) ? [id] : []));
  const ids = new Set(broken);
  // Calls of one step go together.
  for (const message of messages) {
    const calls = callsOf(message);
    if (calls.some(id => ids.has(id))) for (const id of calls) ids.add(id);
  }
  return ids;
}

// filtering

async function filterCase(each: Case, about: About): Promise<CaseResult> {
  const messages = given(each["messages"]);
  const options = each["options"] as JsonObject; // as the file says
  const texts = (key: string): readonly string[] | undefined =>
    options[key] === undefined ? undefined : listOf(options[key]).map(String);
  const [includeRoles, excludeRoles] = [rolesOf(options["includeTypes"]), rolesOf(options["excludeTypes"])];
  const [includeNames, excludeNames] = [texts("includeNames"), texts("excludeNames")];
  const [includeIds, excludeIds] = [texts("includeIds"), texts("excludeIds")];
  const kept = () =>
    filter(messages, {
      pairs: "apart",
      ...(includeRoles && { includeRoles }),
      ...(excludeRoles && { excludeRoles }),
      ...(includeNames && { includeNames }),
      ...(excludeNames && { excludeNames }),
      ...(includeIds && { includeIds }),
      ...(excludeIds && { excludeIds }),
    });
  return await claims(about, [() => same(kept(), results(each))]);
}

// runs

async function runsCase(each: Case, about: About): Promise<CaseResult> {
  const messages = given(each["messages"]);
  const ours = () => mergeRuns(messages, { separator: "\n" });
  const rule = runsRule(each, messages);
  if (rule) return await differing(about, rule, () => keepsWords(ours(), messages));
  return await claims(about, [
    () => difference(ours().map(gist), results(each).map(gist)),
    () => keepsWords(ours(), messages),
  ]);
}

/** Texts that stand apart from calls, as LangChain holds them. */
const gist = (message: Message): Json => ({
  id: message.id ?? null,
  type: typeOf(message),
  text: message.parts
    .filter(part => part.type === "text")
    .map(({ text }) => text)
    .join("\n"),
  others: message.parts.filter(part => part.type !== "text").map(part => [part.type, JSON.stringify(part)]),
});

function keepsWords(merged: readonly Message[], messages: readonly Message[]): string | undefined {
  const parts = (list: readonly Message[]) => list.flatMap(message => message.parts);
  const text = JSON.stringify(parts(merged));
  const lost = parts(messages).find(part =>
    part.type === "text"
      ? !text.includes(JSON.stringify(part.text).slice(1, -1))
      : !text.includes(JSON.stringify(part)),
  );
  return lost === undefined ? undefined : `lost: ${JSON.stringify(lost)}`;
}

function runsRule(each: Case, messages: readonly Message[]): HistoryRule | undefined {
  const pairs = messages.slice(1).map((message, index): [Message, Message] => [messages[index] as Message, message]); // the one before it
  const together = pairs.filter(([first, second]) => typeOf(first) === typeOf(second) && typeOf(second) !== "tool");
  const specs = listOf(each["messages"]).map(spec => memberOf(listOf(memberOf(spec, "args"))[0], "content"));
  if (
    together.some(
      ([first, second]) => first.role !== second.role || first.role === "control" || typeOf(first) === "function",
    )
  )
    return "history other sides";
  if (together.some(([first, second]) => first.author?.name !== second.author?.name)) return "history other sides";
  if (each["error"] !== undefined) return "history throws";
  if (together.length > 0 && hasTwice(messages)) return "history calls merged";
  if (together.length > 0 && specs.some(content => content === "" || content === undefined))
    return "history empty texts";
  if (together.length > 0 && specs.some(Array.isArray) && specs.some(content => typeof content === "string"))
    return "history blocks apart";
  return undefined;
}

/** A call of one id in two messages, or one that cannot be read. */
function hasTwice(messages: readonly Message[]): boolean {
  const calls = messages.flatMap(({ parts }) => parts.flatMap(part => (part.type === "tool-call" ? [part] : [])));
  return (
    new Set(calls.map(({ callId }) => callId)).size < calls.length || calls.some(({ input }) => input === undefined)
  );
}

// one text

async function bufferCase(each: Case, about: About): Promise<CaseResult> {
  const specs = listOf(each["messages"]);
  if (each["error"] !== undefined) return aside(about, "history throws");
  const messages = given(each["messages"]);
  const [human, ai] = listOf(each["args"]);
  const prefixes = {
    ...(typeof human === "string" && { user: human }),
    ...(typeof ai === "string" && { assistant: ai }),
  };
  const ours = bufferString(messages, { prefixes });
  const reason = difference(ours, each["result"]);
  const words = () => {
    const lost = messages.map(wordsOf).find(text => !text.split(" ").every(word => ours.includes(word)));
    return lost === undefined ? undefined : `lost: ${lost}`;
  };
  const text = JSON.stringify(specs);
  const hasBlocks = /"type": ?"(?!text"|tool_call"|image|audio|video|file)[\w-]+"/.test(text);
  if (reason !== undefined && hasBlocks) return await differing(about, "history other blocks", words);
  if (reason !== undefined && /invalid_tool_calls|function_call/.test(text)) {
    return await differing(about, "history hidden calls", words);
  }
  if (reason !== undefined && specs.some(spec => memberOf(spec, "class") === "ChatMessage"))
    return aside(about, "history throws");
  return await claims(about, [() => reason]);
}

// reducers

async function reducerCase(each: Case, about: About): Promise<CaseResult> {
  const [left, right] = [each["left"], each["right"]];
  const refused = typeof each["error"] === "string" ? each["error"] : undefined;
  const updates = Array.isArray(right) ? right : [right];
  if (updates.some(item => !isSpec(item as Json | undefined))) return aside(about, "history coercion"); // an item of JSON
  const messages = given(left);
  const ours = () => addMessages(messages, given(right));
  if (refused !== undefined) {
    return await claims(about, [
      () => (refusal(ours) === undefined ? "LangChain refuses it, and ours does not" : undefined),
    ]);
  }
  const theirs = results(each);
  if (listOf(each["result"]).some(item => memberOf(item, "class") === "RemoveMessage")) {
    const messagesOnly = theirs.filter(({ role }) => role !== "control");
    return await differing(about, "history removals left", () => same(ours(), messagesOnly));
  }
  const hasNumbers = [left, right].some(side => /"id": ?\d/.test(JSON.stringify(side)));
  const isMade =
    hasNumbers || [...messages, ...given(right)].some(({ id, role }) => id === undefined && role !== "control");
  if (isMade) {
    const withoutIds = (list: readonly Message[]) => list.map(message => said(message));
    return await differing(about, "history made ids", () => {
      if (!hasNumbers) return difference(withoutIds(ours()), withoutIds(theirs));
      return ours().length > 0 ? undefined : "nothing is left";
    });
  }
  return await claims(about, [() => same(ours(), theirs)]);
}

const isSpec = (item: Json | undefined): boolean => memberOf(item, "class") !== undefined;

async function deltaCase(each: Case, about: About): Promise<CaseResult> {
  const writes = listOf(each["writes"]);
  const written = writes.flatMap(write => (Array.isArray(write) ? write : [write]));
  if (written.some(item => !isSpec(item as Json))) return aside(about, "history coercion"); // an item of JSON
  const batch = () => {
    const updates = writes.flatMap(write => given(write as Json)); // an item of JSON
    return addMessages(given(each["state"]), updates, { mode: "delta" });
  };
  const steps = () =>
    writes.reduce<readonly Message[]>(
      (messages, write) => addMessages(messages, given(write as Json), { mode: "delta" }), // an item of JSON
      given(each["state"]),
    );
  return await claims(about, [() => same(batch(), results(each)), () => same(steps(), results(each))]);
}

/** Not the same number, but a number of the same size. */
async function countCase(each: Case, about: About): Promise<CaseResult> {
  const messages = given(each["messages"]);
  const theirs = Number(each["result"]);
  return await differing(about, "history counts", () => {
    const ours = countTokens(messages);
    const isNear = messages.length === 0 ? ours === theirs : ours > 0 && ours < 2000 * messages.length;
    return isNear ? undefined : `${ours} tokens, where LangChain counts ${theirs}`;
  });
}
