import {
  accumulate,
  decode,
  type Event,
  encode,
  isJsonObject,
  type Json,
  type JsonObject,
  type Message,
  runAll,
  streamDecoder,
  streamEncoder,
} from "translogue";
import { deepFreeze, difference } from "../../difference.ts";
import type { Generation } from "../../generations.ts";
import { type CaseResult, claims } from "../case.ts";
import { canonical, liveErrors, withoutUsage } from "./aisdk-loop-streams.ts";
import { modelAgain, promptVersions } from "./aisdk-model.ts";
import type { ModelRule } from "./aisdk-model-allowances.ts";
import { leadTo, sameState } from "./aisdk-read.ts";
import { untag } from "./tags.ts";

interface Case {
  readonly name: string;
  readonly [member: string]: Json;
}

/** What a real run sent, got and streamed becomes our messages and events, and is written back. */
export async function* loopCase(each: Case): AsyncIterable<CaseResult> {
  const generation = `v${String(each["version"])}` as Generation; // as the folder's README says
  const out = isJsonObject(each["out"]) ? each["out"] : {};
  const about = { format: "ai-sdk loop", name: each.name };
  const model = [each["messages"], out["responseMessages"], out["allResponseMessages"], out["modelMessages"]];
  const script = list(each["script"]).filter(isJsonObject);
  yield await claims({ ...about, format: "ai-sdk-model loop" }, [
    ...model.filter(isModelList).map(messages => () => modelAgain(liveErrors(untag(messages)), generation)),
    ...list(out["calls"]).map(call => () => again(untag(call), { generation, shape: "request" })),
    ...script
      .map(({ result }) => result)
      .filter(isJsonObject)
      .map(result => () => again(untag(result), { generation, shape: "answer" })),
    ...script.map(
      ({ parts }) =>
        () =>
          answerStream(list(parts), generation),
    ),
  ]);
  const stream = list(out["fullStream"]).map(part => liveErrors(untag(part)));
  if (stream.length > 0) {
    const rules = new Set<LoopRule>();
    const streamed = { ...about, format: "ai-sdk-model loop stream" };
    yield await claims(streamed, [
      () => sameStream(stream, generation),
      () => sameUsage(stream, out, generation),
      () => sameMessages(stream, { each, out, generation, rules }),
    ]);
    for (const rule of rules) yield { ...streamed, outcome: { status: "set-aside", rule } };
  }
  yield* uiStream(each, out, generation);
}

const isModelList = (value: Json | undefined): value is readonly Json[] =>
  Array.isArray(value) && value.every(message => isJsonObject(message) && message["content"] !== undefined);

interface Place {
  readonly generation: Generation;
  readonly shape: "request" | "answer";
}

/** A call or an answer comes back from us as it was. */
function again(value: Json, { generation, shape }: Place): string | undefined {
  const to = `ai-sdk-prompt:${promptVersions[generation]}` as const;
  const { conversation } = decode(deepFreeze(value), { from: to, shape });
  const written = encode(conversation, { to, shape, recipient: "store", carry: false });
  const reason = difference(written.value, value) ?? written.losses[0]?.code;
  return reason === undefined ? undefined : `${shape} of ${to}: ${reason}`;
}

/** The parts of a model's stream, written again, are the same but for borders between deltas. */
function answerStream(parts: readonly Json[], generation: Generation): string | undefined {
  const given = parts.map(part => liveErrors(untag(part))).filter(part => type(part) !== "$error");
  if (given.length === 0) return undefined;
  const to = `ai-sdk-prompt:${promptVersions[generation]}` as const;
  const events = runAll(streamDecoder(to), given);
  const written = runAll(streamEncoder(to, { recipient: "store" }), events);
  const reason = difference(canonical(written), canonical(given));
  return reason === undefined ? undefined : `stream of ${to}: ${reason}`;
}

const eventsOf = (stream: readonly Json[], generation: Generation): readonly Event[] =>
  runAll(streamDecoder(`ai-sdk-model:${generation}`), stream);

function sameStream(stream: readonly Json[], generation: Generation): string | undefined {
  const encoder = streamEncoder(`ai-sdk-model:${generation}`, { recipient: "store" });
  const events = eventsOf(stream, generation);
  // A run that broke off before its first step says nothing.
  if (events.length === 0 && stream.every(part => type(part) === "start")) return undefined;
  const written = runAll(encoder, events);
  // Of a stream that broke off between two steps nothing says that there was to be another.
  const isCut = type(stream.at(-1) ?? null) === "finish-step";
  const own = isCut && type(written.at(-1) ?? null) === "finish" ? written.slice(0, -1) : written;
  const reason = difference(canonical(own), canonical(stream));
  return reason === undefined ? undefined : `fullStream of ${generation} written again: ${reason}`;
}

/** The tokens of all steps are those that the SDK counted. */
function sameUsage(stream: readonly Json[], { totalUsage }: JsonObject, generation: Generation): string | undefined {
  if (!isJsonObject(totalUsage) || type(stream.at(-1) ?? null) !== "finish") return undefined;
  const written = runAll(streamEncoder(`ai-sdk-model:${generation}`), eventsOf(stream, generation));
  const last = written.at(-1);
  const counted = isJsonObject(last) ? last["totalUsage"] : undefined;
  const reason = counted === undefined ? undefined : difference(counted, withoutUsage(untag(totalUsage)));
  return reason === undefined ? undefined : `totalUsage: ${reason}`;
}

/** The messages of the stream are the response's, but for what only one of the two tells. */
function sameMessages(stream: readonly Json[], { each, out, generation, rules }: StreamPlace): string | undefined {
  const response = out["allResponseMessages"] ?? out["responseMessages"];
  if (!isModelList(response)) return undefined;
  const to = `ai-sdk-model:${generation}` as const;
  const { conversation } = decode(untag(response), { from: to, shape: "messages" });
  let ours = said(accumulate(eventsOf(stream, generation)));
  let theirs = said(conversation.messages);
  for (const [rule, change] of messageRules(each, { stream, steps: list(theirs).length, denied: denialsIn(theirs) })) {
    if (difference(ours, theirs) === undefined) return undefined;
    const changed = [change(ours), change(theirs)] as const;
    if (difference(changed[0], ours) !== undefined || difference(changed[1], theirs) !== undefined) rules.add(rule);
    [ours, theirs] = changed;
  }
  const reason = difference(ours, theirs);
  return reason === undefined ? undefined : `messages of the stream: ${reason}`;
}

interface StreamPlace {
  readonly each: Case;
  readonly out: JsonObject;
  readonly generation: Generation;
  readonly rules: Set<LoopRule>;
}

type LoopRule = ModelRule | "a tool's own words" | "sdk empty values";

/** Roles, and of the parts what both forms say; results of a step have no order in a stream. */
function said(messages: readonly Message[]): Json {
  const told = messages.map(({ role, parts }) => {
    const list = parts.flatMap(part => toldOf(part as unknown as JsonObject)); // parts are JSON
    return { role, parts: role === "tool" ? list.toSorted((a, b) => compare(keyOf(a), keyOf(b))) : list };
  });
  return told.filter(({ parts }) => parts.length > 0);
}

const keyOf = (part: JsonObject): string => `${String(part["type"])} ${String(part["callId"] ?? part["requestId"])}`;
const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

function toldOf(part: JsonObject): JsonObject[] {
  const { native: _, inputText: __, citations: ___, title: ____, partial: _____, ...members } = part;
  if (untold.has(part["type"])) return [];
  if (part["type"] === "approval-response") return [without(members, "callId")];
  const isEmpty = part["type"] === "tool-result" && part["output"] === undefined && part["outcome"] === undefined;
  return [isEmpty ? { ...members, output: [{ type: "data", data: null }] } : members];
}

const untold: ReadonlySet<Json | undefined> = new Set(["source", "error"]);

interface RulePlace {
  readonly stream: readonly Json[];
  /** Messages of the response. */
  readonly steps: number;
  /** Calls that the response has as denied. */
  readonly denied: ReadonlySet<Json | undefined>;
}

function* messageRules(
  each: Case,
  { stream, steps, denied }: RulePlace,
): Iterable<readonly [LoopRule, (messages: Json) => Json]> {
  const hasWords = list(each["tools"]).some(tool => isJsonObject(tool) && tool["toModelOutput"] !== undefined);
  if (hasWords) yield ["a tool's own words", eachResult(part => without(without(part, "output"), "outcome"))];
  yield ["sdk empty values", messages => withoutTexts(messages, ({ text }) => text === "")];
  const thrown = errorsOf(stream);
  yield ["errors in words", eachResult(part => (part["outcome"] === "error" ? inWords(part, thrown) : part))];
  const withoutReason = (part: JsonObject) => (denied.has(part["callId"]) ? without(part, "output") : undefined);
  yield ["denied calls", eachResult(part => (isDenial(part) ? withoutReason(part) : part))];
  yield ["unread arguments", eachCall];
  const called = new Set(
    stream.filter(isJsonObject).map(part => (part["type"] === "tool-call" ? part["toolCallId"] : undefined)),
  );
  const begun = stream
    .filter(isJsonObject)
    .filter(part => part["type"] === "tool-input-start" && !called.has(part["id"]));
  if (begun.length > 0)
    yield ["unfinished calls", messages => withoutCalls(messages, new Set(begun.map(({ id }) => id)))];
  if (stream.some(part => type(part) === "abort")) yield ["cut steps", messages => list(messages).slice(0, steps)];
  if (isJsonObject(each["options"]) && JSON.stringify(each["options"]).includes("etries")) yield ["retried", eachText];
}

/** A denied result that says nothing but why. */
function isDenial({ outcome, output }: JsonObject): boolean {
  const [reason, ...others] = list(output);
  return outcome === "denied" && others.length === 0 && (reason === undefined || type(reason) === "text");
}

const denialsIn = (messages: Json): ReadonlySet<Json | undefined> => {
  const parts = list(messages).flatMap(message => (isJsonObject(message) ? list(message["parts"]) : []));
  return new Set(parts.filter(isJsonObject).flatMap(part => (isDenial(part) ? part["callId"] : [])));
};

const eachResult =
  (change: (part: JsonObject) => JsonObject | undefined) =>
  (messages: Json): Json =>
    list(messages)
      .filter(isJsonObject)
      .map(message => ({
        ...message,
        parts: list(message["parts"])
          .filter(isJsonObject)
          .flatMap(part => (part["type"] === "tool-result" ? (change(part) ?? []) : part)),
      }))
      .filter(({ parts }) => parts.length > 0);

/** Calls whose arguments are no JSON. */
const eachCall = (messages: Json): Json =>
  list(messages)
    .filter(isJsonObject)
    .map(message => ({
      ...message,
      parts: list(message["parts"])
        .filter(isJsonObject)
        .map(part => (part["type"] === "tool-call" && !isMeant(part["input"]) ? without(part, "input") : part)),
    }));

const withoutCalls = (messages: Json, ids: ReadonlySet<Json | undefined>): Json =>
  list(messages)
    .filter(isJsonObject)
    .map(message => ({
      ...message,
      parts: list(message["parts"])
        .filter(isJsonObject)
        .filter(part => part["type"] !== "tool-call" || !ids.has(part["callId"])),
    }))
    .filter(({ parts }) => parts.length > 0);

const isMeant = (input: Json | undefined): boolean => isJsonObject(input) && Object.keys(input).length > 0;

/** The last text of each message. */
const eachText = (messages: Json): Json =>
  withoutTexts(messages, (part, parts) => part !== parts.findLast(({ type }) => type === "text"));

/** Messages without such texts; one that has nothing else is left out. */
const withoutTexts = (messages: Json, isOut: (part: JsonObject, parts: readonly JsonObject[]) => boolean): Json =>
  list(messages)
    .filter(isJsonObject)
    .map(message => {
      const parts = list(message["parts"]).filter(isJsonObject);
      return { ...message, parts: parts.filter(part => part["type"] !== "text" || !isOut(part, parts)) };
    })
    .filter(({ parts }) => parts.length > 0);

/** The errors that a stream tells of its tools, by call. */
function errorsOf(stream: readonly Json[]): ReadonlyMap<Json | undefined, Json> {
  const failed = stream.filter(isJsonObject).filter(part => part["type"] === "tool-error");
  return new Map(failed.map(part => [part["toolCallId"], part["error"] ?? null]));
}

function inWords(part: JsonObject, thrown: ReadonlyMap<Json | undefined, Json>): JsonObject {
  const error = thrown.get(part["callId"]);
  const words = list(part["output"]).map(item => {
    const { text, data } = isJsonObject(item) ? item : {};
    const said = text ?? data ?? null;
    if (error !== undefined && wordsFor(error).includes(said)) return "its error";
    return typeof said === "string" ? said.replace(/^\w+: /, "") : JSON.stringify(said);
  });
  return { ...part, output: words };
}

/** What the SDK says of an error, and what ours does. */
function wordsFor(error: Json): readonly Json[] {
  if (error === null) return ["unknown error", null];
  if (!isJsonObject(error)) return [error];
  const { name, message } = error;
  if (name !== undefined && message !== undefined)
    return [message, `${String(name)}: ${String(message)}`, ...(message === "" ? [name] : [])];
  return [message ?? error, JSON.stringify(error)];
}

function without(object: JsonObject, member: string): JsonObject {
  const { [member]: _, ...others } = object;
  return others;
}

async function* uiStream(each: Case, out: JsonObject, generation: Generation): AsyncIterable<CaseResult> {
  const chunks = list(out["uiChunks"]).map(untag);
  const final = out["finalUIMessage"];
  if (chunks.length === 0 || !isJsonObject(final) || list(out["readErrors"]).length > 0) return;
  const about = { format: "ai-sdk-ui loop", name: each.name };
  const last = list(each["uiMessages"]).at(-1);
  if (isJsonObject(last) && last["role"] === "assistant") {
    const lead = leadTo(untag(last), generation);
    if (sameState(lead, generation, untag(last)) !== undefined)
      yield { ...about, outcome: { status: "set-aside", rule: "continues a message" } };
    else yield await claims(about, [() => sameState([...lead, ...chunks], generation, final)]);
    return;
  }
  yield await claims(about, [
    () => {
      const from = `ai-sdk-ui:${generation}` as const;
      const messages = accumulate(runAll(streamDecoder(from), chunks));
      const { value } = encode({ messages }, { to: from, shape: "messages", recipient: "store", carry: false });
      return difference(list(value as Json).at(-1) ?? null, withoutUndefined(untag(final))); // the codec writes JSON
    },
  ]);
}

const type = (part: Json): Json | undefined => (isJsonObject(part) ? part["type"] : undefined);
const list = (value: Json | undefined): readonly Json[] => (Array.isArray(value) ? value : []);
const withoutUndefined = (value: Json): Json => JSON.parse(JSON.stringify(value)) as Json; // JSON.parse gives JSON
