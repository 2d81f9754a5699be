import { decode, isJsonObject, type Json, type JsonObject, type Message } from "translogue";
import * as history from "translogue/history";
import { deepFreeze, difference } from "../../difference.ts";
import { type CaseResult, claims, type Runner } from "../case.ts";
import type { HistoryRule } from "../rules/history.ts";
import { aside, differing } from "./langchain-history-messages.ts";
import { type About, type Case, casesOf, listOf } from "./langchain-specs.ts";
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

/** A mark in the additional members, in any case of letters. */
function isMarked(wire: Json): boolean {
  const { additionalProperties, role } = objectOf(wire);
  const marks = Object.entries(objectOf(additionalProperties));
  return role !== "user" && marks.some(([key, value]) => key.toLowerCase() === "_is_summary" && value === true);
}

/** Bytes as MAF counts them: the texts of what it knows. */
function bytesOf(wire: Json): number {
  const text = listOf(objectOf(wire)["contents"]).map(textOf).join("");
  return new TextEncoder().encode(text).length;
}

function textOf(item: Json): string {
  const content = objectOf(item);
  const values = (...names: readonly string[]): string => names.map(name => valueText(content[name])).join("");
  switch (content["$type"]) {
    case "text":
      return values("text");
    case "reasoning":
      return values("text", "protectedData");
    case "functionCall":
      return `${values("callId", "name")}${Object.entries(objectOf(content["arguments"]))
        .map(([key, value]) => `${key}${valueText(value as Json)}`) // a member of JSON
        .join("")}`;
    case "functionResult":
      return values("callId", "result");
    case "error":
      return values("message", "errorCode", "details");
    case "hostedFile":
      return values("fileId", "mediaType", "name");
    default:
      return "";
  }
}

function valueText(value: Json | undefined): string {
  if (value === null || value === undefined) return "";
  if (typeof value === "boolean") return value ? "True" : "False";
  return typeof value === "string" ? value : JSON.stringify(value);
}

function countersOf({ wires, messages }: Given, tokenizer: Json | undefined): history.GroupOptions {
  const quarters = new Map(messages.map((message, index) => [message, bytesOf(wires[index] ?? null) / 4]));
  const words = (message: Message): number =>
    String(objectOf(told(message))["text"])
      .split(/\s+/)
      .filter(word => word !== "").length;
  const bytes = (message: Message): number =>
    quarters.get(message) ?? new TextEncoder().encode(String(objectOf(told(message))["text"])).length / 4;
  const marked = new Set(messages.filter((_, index) => isMarked(wires[index] ?? null)));
  const isSummary = (message: Message): boolean => message.synthetic === "summary" || marked.has(message);
  return { isSummary, tokenCounter: tokenizer === "words" ? words : bytes };
}

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

async function reducerCase(each: Case, about: About): Promise<CaseResult> {
  const { model, requests } = scripted(each["script"]);
  const reduce = reducerOf(objectOf(each["reducer"]), model);
  if (each["rounds"] !== undefined) return await roundsCase(each, about, { reduce, requests });
  const { messages } = given(listOf(each["messages"]));
  if (each["error"] !== undefined) {
    return await claims(about, [() => refused(() => reduce(messages)), () => sameRequests(requests, each["requests"])]);
  }
  if (hasNoAnswer(each["script"]) && requests.length === 0 && listOf(each["requests"]).length > 0) {
    return await differing(about, "history no summary", async () => same(await reduce(messages), messages));
  }
  return await claims(about, [
    async () => sameAs(await reduce(messages), messages, each),
    () => sameRequests(requests, each["requests"] ?? []),
  ]);
}

const same = (ours: readonly Message[], theirs: readonly Message[]): string | undefined =>
  ours.length === theirs.length && ours.every((message, index) => message === theirs[index])
    ? undefined
    : difference(ours.map(told), theirs.map(told));

const hasNoAnswer = (script: Json | undefined): boolean =>
  listOf(script).some(answer => isJsonObject(answer) && Object.keys(answer).length === 0);

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

/** A reducer over a list that grows. MAF's may go on with marks in its messages, ours with what came out: the same comes of it. */
async function roundsCase(
  each: Case,
  about: About,
  { reduce, requests }: { readonly reduce: Reduce; readonly requests: Scripted["requests"] },
): Promise<CaseResult> {
  let list: readonly Message[] = [];
  const round = async ({ add, error, out, requests: asked }: JsonObject): Promise<string | undefined> => {
    list = [...list, ...given(listOf(add)).messages];
    const before = requests.length;
    if (error !== undefined) return (await refused(() => reduce(list))) ?? sameRequests(requests.slice(before), asked);
    list = await reduce(list);
    const theirs = given(JSON.parse(String(out)) as Json[]).messages; // a list of messages
    return difference(list.map(told), theirs.map(told)) ?? sameRequests(requests.slice(before), asked);
  };
  return await claims(
    about,
    listOf(each["rounds"]).map(one => () => round(objectOf(one))),
  );
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
  if (hasNoAnswer(each["script"])) return "history no summary";
  if (JSON.stringify(each["strategy"]).includes('"Summarizing"')) return "history reducers' summaries";
  const results = messages.flatMap(({ parts }) =>
    parts.flatMap(part => (part.type === "tool-result" ? (part.output ?? []) : [])),
  );
  const isBoolean = results.some(part => part.type === "data" && typeof part.data === "boolean");
  return isBoolean ? "history words of .NET" : undefined;
}

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
  const inWords = (told: Json): Json =>
    JSON.parse(JSON.stringify(told).replaceAll(/\b(True|False)\b/g, word => word.toLowerCase())) as Json; // JSON again
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
