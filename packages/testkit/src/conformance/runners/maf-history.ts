import { decode, isJsonObject, type Json, type JsonObject, type Message } from "translogue";
import * as history from "translogue/history";
import { writeMaf } from "translogue/maf";
import { deepFreeze, difference } from "../../difference.ts";
import { type CaseResult, claims, type Runner } from "../case.ts";
import type { HistoryRule } from "../rules/history.ts";
import { aside, differing } from "./langchain-history-messages.ts";
import { type About, type Case, casesOf, listOf } from "./langchain-specs.ts";
import { countersOf } from "./maf-counted.ts";
import { type Reduce, reducerOf, strategyOf } from "./maf-strategies.ts";

const objectOf = (value: Json | undefined): JsonObject => (isJsonObject(value) ? value : {});

/** MAF's reducers: ours under their names and numbers. */
export const mafReducers: Runner = {
  name: "maf reducers",
  reads: file => file.folder === "maf" && file.kind === "reducer",
  async *run(file) {
    for (const each of casesOf(file)) yield await reducerCase(each, { format: "maf reducer", name: each.name });
  },
};

/** MAF's compaction: groups, strategies, triggers. */
export const mafCompaction: Runner = {
  name: "maf compaction",
  reads: file => file.folder === "maf" && file.kind === "compaction",
  async *run(file) {
    for (const each of casesOf(file)) yield await compactionCase(each, { format: "maf compaction", name: each.name });
  },
};

// messages

interface Given {
  readonly wires: readonly Json[];
  readonly messages: readonly Message[];
}

/** One message of ours for each of theirs. */
function given(wires: readonly Json[]): Given {
  const messages = wires.map(wire => {
    const { conversation } = decode([wire], { from: "maf", shape: "messages" });
    const [message = { role: "assistant", parts: [] }] = conversation.messages;
    return deepFreeze(message);
  });
  return { wires, messages };
}

/** What is told of messages that a tool made. */
const told = ({ role, parts }: Message): Json => ({
  role,
  text: parts.map(part => (part.type === "text" ? part.text : "")).join(""),
  parts: parts.length,
});

// a model by its script

interface Scripted {
  readonly model: history.Summariser;
  readonly requests: (readonly Message[])[];
}

function scripted(script: Json | undefined): Scripted {
  const answers = [...listOf(script)];
  const requests: (readonly Message[])[] = [];
  const model = (messages: readonly Message[]): string => {
    requests.push(messages);
    const answer = objectOf(answers.shift());
    if (typeof answer["error"] === "string") throw new Error(answer["error"]);
    if (answer["cancelled"] !== undefined) throw new DOMException("cancelled", "AbortError");
    return given(listOf(answer["messages"]))
      .messages.map(message => String(objectOf(told(message))["text"]))
      .filter(text => text !== "")
      .join("\n");
  };
  return { model, requests };
}

/** What the model was asked, without the words of the request itself, which are each one's own. */
function sameRequests(ours: readonly (readonly Message[])[], theirs: Json | undefined): string | undefined {
  const spoken = (messages: readonly Message[]) => messages.filter(({ role }) => role !== "system").map(told);
  const asked = listOf(theirs).map(text => given(JSON.parse(String(text)) as Json[]).messages); // a list of messages
  return difference(ours.map(spoken), asked.map(spoken));
}

// reducers

/** A list as it was before a reducer, and as ours leaves it. */
interface Reduced {
  readonly before: readonly Message[];
  readonly ours: readonly Message[];
}

/** How a list of ours is compared. */
type Form = (reduced: Reduced) => readonly Message[];

const asItIs: Form = ({ ours }) => ours;

/** MAF's summarising reducer puts the first message of the system before all others, and drops the rest, whatever it does. */
const firstSystem: Form = ({ before, ours }) => {
  if (ours !== before) return ours;
  const system = ours.filter(({ role }) => role === "system").slice(0, 1);
  return [...system, ...ours.filter(({ role }) => role !== "system")];
};

async function reducerCase(each: Case, about: About): Promise<CaseResult> {
  const exactly = await reduced(each, about, asItIs);
  if (exactly.outcome.status !== "failed" || each["error"] !== undefined) return exactly;
  const loosely = await reduced(each, about, firstSystem);
  return loosely.outcome.status === "passed" ? aside(about, "history later systems") : exactly;
}

async function reduced(each: Case, about: About, form: Form): Promise<CaseResult> {
  const { model, requests } = scripted(each["script"]);
  const reduce = reducerOf(objectOf(each["reducer"]), model);
  if (each["rounds"] !== undefined) return await roundsCase(each, about, { reduce, requests, form });
  const { messages } = given(listOf(each["messages"]));
  if (each["error"] !== undefined) {
    return await claims(about, [() => refused(() => reduce(messages)), () => sameRequests(requests, each["requests"])]);
  }
  if (isUnanswered(each["script"], each["requests"])) {
    return await differing(about, "history no summary", async () => same(await reduce(messages), messages));
  }
  return await claims(about, [
    async () => sameAs(form({ before: messages, ours: await reduce(messages) }), messages, each),
    () => sameRequests(requests, each["requests"] ?? []),
  ]);
}

const same = (ours: readonly Message[], theirs: readonly Message[]): string | undefined =>
  ours.length === theirs.length && ours.every((message, index) => message === theirs[index])
    ? undefined
    : difference(ours.map(told), theirs.map(told));

/** Whether one of the answers that the model was asked for has no word in it. */
const isUnanswered = (script: Json | undefined, requests: Json | undefined): boolean =>
  listOf(script)
    .slice(0, listOf(requests).length)
    .some(answer => {
      const { error, cancelled, messages } = objectOf(answer);
      const said = given(listOf(messages)).messages.map(message => String(objectOf(told(message))["text"]));
      return error === undefined && cancelled === undefined && said.join("").trim() === "";
    });

async function refused(run: () => unknown): Promise<string | undefined> {
  try {
    await run();
    return "MAF throws, and ours does not";
  } catch {
    return undefined;
  }
}

function sameAs(ours: readonly Message[], messages: readonly Message[], each: Case): string | undefined {
  const places = ours.map(message => messages.indexOf(message));
  const reason = difference(places, each["same"]);
  if (reason !== undefined) return reason;
  const theirs = given(JSON.parse(String(each["out"])) as Json[]).messages; // a list of messages
  return difference(ours.map(told), theirs.map(told));
}

interface Rounds {
  readonly reduce: Reduce;
  readonly requests: Scripted["requests"];
  readonly form: Form;
}

/**
 * A reducer over a list that grows. MAF's may go on with the whole list and marks in its messages, ours with what came out: the same
 * comes of it. Where MAF's goes on with what came out it has forgotten which message was a summary.
 */
async function roundsCase(each: Case, about: About, { reduce, requests, form }: Rounds): Promise<CaseResult> {
  const { keep } = each;
  let list: readonly Message[] = [];
  const round = async ({ add, error, out, requests: asked }: JsonObject): Promise<string | undefined> => {
    list = [...list, ...given(listOf(add)).messages];
    const before = requests.length;
    if (error !== undefined) return (await refused(() => reduce(list))) ?? sameRequests(requests.slice(before), asked);
    const ours = form({ before: list, ours: await reduce(list) });
    list = keep === "output" ? ours.map(withoutMark) : ours;
    const theirs = given(JSON.parse(String(out)) as Json[]).messages; // a list of messages
    return difference(list.map(told), theirs.map(told)) ?? sameRequests(requests.slice(before), asked);
  };
  return await claims(
    about,
    listOf(each["rounds"]).map(one => () => round(objectOf(one))),
  );
}

function withoutMark(message: Message): Message {
  const { synthetic, ...rest } = message;
  return synthetic === undefined ? message : rest;
}

// compaction

const kinds: { readonly [kind in history.GroupKind]: string } = {
  system: "System",
  user: "User",
  assistant: "AssistantText",
  "tool-calls": "ToolCall",
  summary: "Summary",
};

function groupsTold(groups: readonly history.Group[], messages: readonly Message[]): Json {
  return groups.map(({ kind, messages: held, tokens, turn, excluded }) => {
    const at = held.map(message => messages.indexOf(message));
    const isNew = at.includes(-1);
    return {
      kind: kinds[kind],
      ...(isNew ? { text: held.map(told) } : { at }),
      tokenCount: tokens,
      turnIndex: turn ?? null,
      isExcluded: excluded === true,
    };
  });
}

const groupsExpected = (groups: Json | undefined): Json =>
  listOf(groups)
    .map(objectOf)
    .map(({ kind, at, new: made, tokenCount, turnIndex, isExcluded }) => ({
      kind: kind ?? null,
      ...(typeof made === "string" ? { text: given(JSON.parse(made) as Json[]).messages.map(told) } : { at: at ?? [] }), // a list of messages
      tokenCount: tokenCount ?? null,
      turnIndex: turnIndex ?? null,
      isExcluded: isExcluded ?? null,
    }));

async function compactionCase(each: Case, about: About): Promise<CaseResult> {
  const form = each["form"];
  if (form === "update" || form === "provider") return aside(about, "history index objects");
  if (each["messagesText"] !== undefined) return aside(about, "history raw bytes");
  const all = given(listOf(each["messages"]));
  const { messages } = all;
  const options = countersOf(all, each["tokenizer"]);
  if (form === "index") {
    const rule = indexRule(messages);
    const ours = () => groupsTold(history.groupsOf(messages, options), messages);
    const reason = difference(ours(), groupsExpected(each["groups"]));
    if (reason !== undefined && rule) return await differing(about, rule, () => holdTogether(messages, options));
    return await claims(about, [() => reason, () => holdTogether(messages, options)]);
  }
  return await strategyCase(each, about, { messages, options });
}

/** Every message is in one group, in order, and no call is apart from its results. */
function holdTogether(messages: readonly Message[], options: history.GroupOptions): string | undefined {
  const groups = history.groupsOf(messages, options);
  const reason = same(
    groups.flatMap(group => group.messages),
    messages,
  );
  if (reason !== undefined) return reason;
  const ends = new Set<number>();
  let count = 0;
  for (const group of groups) {
    count += group.messages.length;
    ends.add(count);
  }
  const cut = history.spansOf(messages).find(({ start, end }) => [...ends].some(place => place > start && place < end));
  return cut === undefined ? undefined : "a call is apart from its results";
}

/** Something but a function's call and its results holds messages together, or somebody speaks between these. */
const holdsMore = (messages: readonly Message[]): boolean =>
  history.spansOf(messages).some(({ start, end }) => {
    const [first, ...others] = messages.slice(start, end);
    const isCall = first?.parts.some(part => part.type === "tool-call" && part.kind === undefined) === true;
    return others.length > 0 && first?.role === "assistant" && (!isCall || others.some(({ role }) => role !== "tool"));
  });

function indexRule(messages: readonly Message[]): HistoryRule | undefined {
  if (messages.some(({ role }) => role === "developer")) return "history developers";
  if (holdsMore(messages)) return "history held together";
  const isCaller = ({ role, parts }: Message) => role !== "assistant" && parts.some(({ type }) => type === "tool-call");
  return messages.some(isCaller) ? "history callers" : undefined;
}

async function strategyCase(
  each: Case,
  about: About,
  { messages, options }: { readonly messages: readonly Message[]; readonly options: history.GroupOptions },
): Promise<CaseResult> {
  const { model, requests } = scripted(each["script"]);
  const settings = objectOf(each["strategy"]);
  const run = () => history.compact(messages, strategyOf(settings, model), options);
  if (each["error"] !== undefined) {
    return await claims(about, [() => refused(run), () => sameRequests(requests, each["requests"] ?? [])]);
  }
  const result = await claims(about, [
    async () => {
      const { groups, compacted } = await run();
      if (compacted !== each["compacted"]) return `compacted: ${compacted}, expected ${String(each["compacted"])}`;
      return difference(groupsTold(groups, messages), groupsExpected(each["groups"]));
    },
    () => sameRequests(requests, each["requests"] ?? []),
  ]);
  if (result.outcome.status !== "failed") return result;
  const rule = strategyRule(each, messages);
  return rule ? await strategyDiffering(each, about, { rule, messages, options }) : result;
}

function strategyRule(each: Case, messages: readonly Message[]): HistoryRule | undefined {
  if (isUnanswered(each["script"], each["requests"])) return "history no summary";
  if (JSON.stringify(each["strategy"]).includes('"Summarizing"')) return "history reducers' summaries";
  const results = messages.flatMap(({ parts }) =>
    parts.flatMap(part => (part.type === "tool-result" ? (part.output ?? []) : [])),
  );
  const isSpelled = results.some(
    part =>
      part.type === "data" && (typeof part.data === "boolean" || JSON.stringify(part.data) !== dotnetText(part.data)),
  );
  return isSpelled ? "history words of .NET" : undefined;
}

const dotnetText = (value: Json): string => writeMaf({ value }, { type: "object" });

/** All but the one difference that the rule is about. */
async function strategyDiffering(
  each: Case,
  about: About,
  { rule, messages, options }: { rule: HistoryRule; messages: readonly Message[]; options: history.GroupOptions },
): Promise<CaseResult> {
  const { model } = scripted(each["script"]);
  const { groups } = await history.compact(messages, strategyOf(objectOf(each["strategy"]), model), options);
  const ours = groupsTold(groups, messages);
  const theirs = groupsExpected(each["groups"]);
  const inWords = (told: Json): Json => listOf(told).map(group => plainWords(objectOf(group)));
  const asAnswers = (told: Json): Json =>
    listOf(told).map(group => ("text" in objectOf(group) ? { ...objectOf(group), kind: kinds.assistant } : group));
  return await differing(
    about,
    rule,
    () => holdTogether(messages, options),
    () =>
      rule === "history no summary"
        ? same(
            groups.flatMap(group => group.messages),
            messages,
          )
        : rule === "history words of .NET"
          ? difference(inWords(ours), inWords(theirs))
          : difference(asAnswers(ours), asAnswers(theirs)),
  );
}

/** What MAF made of results, in JSON's words; an escape of .NET's is more bytes than what it stands for. */
function plainWords({ tokenCount, ...group }: JsonObject): Json {
  const unescaped = (text: string) =>
    text.replaceAll(/\\u([\dA-F]{4})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  const text = JSON.stringify(
    listOf(group["text"]).map(told => ({ ...objectOf(told), text: unescaped(String(objectOf(told)["text"])) })),
  );
  const plain = text.replaceAll(/\b(True|False)\b/g, word => word.toLowerCase());
  const isEscaped = /[\u0080-\uffff]/.test(text);
  return { ...group, ...(!isEscaped && { tokenCount: tokenCount ?? null }), text: JSON.parse(plain) as Json }; // JSON again
}
