import {
  accumulate,
  decode,
  emit,
  encode,
  type FormatRef,
  isJsonObject,
  type Json,
  type JsonObject,
  type Message,
  runAll,
  streamDecoder,
  streamEncoder,
} from "translogue";
import { mergeChunks } from "translogue/langchain";
import { deepFreeze, difference } from "../../difference.ts";
import { protocolOutput } from "../../langchain-protocol.ts";
import { type CaseResult, claims, type Runner } from "../case.ts";
import { type Case, casesOf, clean, fieldsOf, isNamed, listOf, memberOf, ruled, said } from "./langchain-specs.ts";

/** What JavaScript's streams tell: read as the messages that LangChain makes of them, and written back as they were. */
export const langchainStreamEvents: Runner = {
  name: "langchain stream events",
  reads: file => file.folder === "langchain" && file.kind === "stream-events",
  async *run(file) {
    for (const each of casesOf(file)) yield* recordsCase(each);
  },
};

/** The protocol's events of Python. */
export const langchainPythonEvents: Runner = {
  name: "langchain stream events of Python",
  reads: file => isNamed(file, /^py_stream_events_.*\.json$/),
  async *run(file) {
    const records = clean(JSON.parse(file.read()) as Json); // JSON.parse gives JSON
    const about = { format: "langchain stream events", name: file.path };
    yield await claims(about, recordClaims(listOf(records)));
  },
};

async function* recordsCase(each: Case): AsyncGenerator<CaseResult> {
  const about = { format: "langchain stream events", name: each.name };
  const records = listOf(clean(each["records"] ?? []));
  const isPairs =
    records.length > 0 &&
    records.every(
      record => Array.isArray(record) && record.length === 2 && fieldsOf(record[0] as Json)["content"] !== undefined,
    ); // a list of JSON
  if (isPairs) {
    yield await claims(about, [() => pairs(records)]);
  } else if (each["run"] === "react-agent-stream") yield ruled(about, "states of a graph");
  else {
    yield await claims(about, [
      ...recordClaims(records),
      () => (each["error"] === undefined ? output(each, records) : undefined),
    ]);
    if (isOfSeveral(records)) yield ruled(about, "several answers for one");
    if (isSpoilt(each, records)) yield ruled(about, "spoilt by the bridge");
    if (hasCutCalls(each)) yield ruled(about, "arguments that were cut");
    if (isIndexShared(each)) yield ruled(about, "glued by merging");
  }
}

const recordClaims = (records: readonly Json[]): (() => string | undefined | Promise<string | undefined>)[] => [
  () => writtenBack(records),
  () =>
    difference(answersOf(records).map(said), accumulate(runAll(streamDecoder("langchain-events"), records)).map(said)),
  ...(["protocol", "v2-js", "v2-python"] as const).map(dialect => () => rewritten(records, dialect)),
  () => readByLangChain(records),
  () => inputs(records),
];

const messagesOf = (records: readonly Json[]): readonly Message[] =>
  decode(records, { from: "langchain-events", shape: "stream" }).conversation.messages;
const answersOf = (records: readonly Json[]): readonly Message[] =>
  messagesOf(records).filter(message => message.role !== "control" && !isInput(message));
const isInput = ({ native }: Message): boolean => native?.["langchain-events"]?.["$input"] === true;

function writtenBack(records: readonly Json[]): string | undefined {
  const { conversation, dialect } = decode(deepFreeze(records), { from: "langchain-events", shape: "stream" });
  const { value, losses } = encode(conversation, {
    to: "langchain-events",
    shape: "stream",
    dialect,
    recipient: "store",
    carry: false,
  });
  const reason = difference(value, records);
  if (reason !== undefined) return `written back: ${reason}`;
  return losses.length > 0 ? `losses on the way back: ${losses.map(({ code }) => code).join(", ")}` : undefined;
}

/** Without the records that were kept, it is written anew in each dialect, and says the same. */
function rewritten(records: readonly Json[], dialect: string): string | undefined {
  const messages = answersOf(records);
  const ref = `langchain-events:${dialect}` as FormatRef;
  const encoder = streamEncoder(ref, { recipient: "store" });
  const again = accumulate(runAll(streamDecoder(ref), runAll(encoder, emit(messages))));
  if (encoder.losses.length > 0) return undefined; // it says what it gave up
  const reason = difference(again.map(said), messages.map(said));
  return reason === undefined ? undefined : `written as ${dialect}: ${reason}`;
}

/** What we write of the protocol, read by LangChain's own reader. */
async function readByLangChain(records: readonly Json[]): Promise<string | undefined> {
  const answers = answersOf(records).filter(
    ({ role, finish }) => role === "assistant" && finish?.reason !== "incomplete",
  );
  for (const message of answers) {
    const encoder = streamEncoder("langchain-events:protocol", { recipient: "client" });
    const reason = await protocolOutput(runAll(encoder, emit([message])), message);
    if (reason !== undefined && encoder.losses.length === 0) return `read by LangChain: ${reason}`;
  }
  return undefined;
}

/** What was put into the runs of models stands before what came of them, once, and is told again where it is written anew. */
function inputs(records: readonly Json[]): string | undefined {
  const given = records.flatMap(record => {
    const input = memberOf(memberOf(record, "data"), "input");
    const isModel = /^on_(chat_model|llm)_start$/.test(String(memberOf(record, "event")));
    const list = listOf(memberOf(input, "messages") ?? input);
    return isModel ? listOf(Array.isArray(list[0]) ? (list[0] as Json) : list) : []; // a list of JSON
  });
  if (!given.every(isJsonObject)) return undefined;
  const isFirst = (wire: Json, place: number): boolean =>
    given.findIndex(other => difference(other, wire) === undefined) === place;
  const put = given.filter((wire, place) => isFirst(wire, place) && !isAnswer(wire));
  const messages = messagesOf(records);
  const { value } = encode(
    { messages: messages.filter(message => isInput(message) && !isOfModel(message)) },
    { to: "langchain:js-lc", shape: "messages", recipient: "store", carry: false },
  );
  const reason = difference(value, put);
  if (reason !== undefined) return `input: ${reason}`;
  const kept = messages.filter(({ role }) => role !== "control");
  const to = "langchain-events:v2-js" as const;
  const again = encode({ messages: kept.map(withoutRecords) }, { to, shape: "stream", recipient: "store" });
  const read = decode(again.value, { from: to, shape: "stream" }).conversation.messages;
  return again.losses.length > 0 ? undefined : difference(read.map(said), kept.map(said));
}

const isOfModel = ({ role }: Message): boolean => role === "assistant" || role === "tool";
const isAnswer = (wire: Json): boolean => /^(AI|Tool)Message/.test(String(listOf(memberOf(wire, "id")).at(-1)));

const withoutRecords = ({ native: _, ...message }: Message): Message => message;

/** Whether a model's stream has begun several answers, as they or the provider's own events say. */
function isOfSeveral(records: readonly Json[]): boolean {
  const ids = (member: string, name: string, idOf: (record: Json) => Json | undefined): ReadonlySet<Json | undefined> =>
    new Set(records.flatMap(record => (memberOf(record, member) === name ? [idOf(record)] : [])));
  const started = ids("event", "message-start", record => memberOf(record, "id"));
  const created = ids("name", "response.created", record => memberOf(memberOf(record, "payload"), "id"));
  return Math.max(started.size, created.size) > 1;
}

/** The text and the calls that LangChain has in the end: of several answers in one stream it makes one. */
function output(each: Case, records: readonly Json[]): string | undefined {
  const answers = answersOf(records).filter(({ role }) => role === "assistant");
  if (isOfSeveral(records)) return heldIn(each, answers);
  const last = answers.at(-1);
  const end = records.findLast(record => memberOf(record, "event") === "on_chat_model_end");
  const theirs = fieldsOf(memberOf(each["output"], "json") ?? memberOf(memberOf(end, "data"), "output"));
  if (Object.keys(theirs).length === 0) return undefined;
  const wire = encode(
    { messages: last ? [last] : [] },
    { to: "langchain:js-lc", shape: "messages", recipient: "store" },
  ).value;
  const ours = fieldsOf(listOf(wire as Json)[0]); // the codec writes JSON
  if (!isSpoilt(each, records)) {
    const text = difference(textOf(ours), textOf(theirs));
    if (text !== undefined) return `text ${text}`;
  }
  if (hasCutCalls(each) || isIndexShared(each)) return undefined;
  return difference(callsOf(ours, theirs), callsOf(withNameless(theirs)));
}

/** JavaScript takes a call without an id for one that cannot be read, whatever its arguments say. */
function withNameless(theirs: JsonObject): JsonObject {
  const { tool_calls: calls, invalid_tool_calls: invalid } = theirs;
  const nameless = listOf(invalid).flatMap(call => {
    const args = memberOf(call, "args");
    const isRead = typeof args === "string" && isWhole(args) && (memberOf(call, "id") ?? "") === "";
    return isRead && isJsonObject(call) ? [{ ...call, args: JSON.parse(args || "{}") as Json }] : []; // JSON is Json
  });
  return { ...theirs, tool_calls: [...listOf(calls), ...nameless] };
}

/** Every text of its one answer is a text of ours. */
function heldIn(each: Case, answers: readonly Message[]): string | undefined {
  const text = JSON.stringify(answers.flatMap(({ parts }) => parts));
  const lost = listOf(fieldsOf(memberOf(each["output"], "json"))["content"]).find(block => {
    const words = memberOf(block, "text");
    return typeof words === "string" && !text.includes(JSON.stringify(words).slice(1, -1));
  });
  return lost === undefined ? undefined : `lost of several answers: ${JSON.stringify(lost)}`;
}

/** A beginning of JSON is an argument to LangChain; ours keeps the text, in a call that does not parse. */
const hasCutCalls = (each: Case): boolean =>
  listOf(each["scripts"]).some(script =>
    mergedArgs(listOf(script).filter(chunk => isJsonObject(chunk) && "content" in chunk)).some(args => !isWhole(args)),
  );

/** Of two calls with one index LangChain gives the arguments of the second to the first. */
const isIndexShared = (each: Case): boolean =>
  listOf(each["scripts"]).some(script => {
    const ids = new Map<Json | undefined, Json>();
    return listOf(script)
      .flatMap(chunk => listOf(memberOf(chunk, "tool_call_chunks")))
      .some(piece => {
        const [index, id] = [memberOf(piece, "index"), memberOf(piece, "id") ?? ""];
        const known = ids.get(index) ?? "";
        if (id !== "") ids.set(index, id);
        return id !== "" && known !== "" && known !== id;
      });
  });

const mergedArgs = (chunks: readonly Json[]): string[] =>
  chunks.length === 0
    ? []
    : listOf(fieldsOf(mergeChunks(chunks).message)["tool_call_chunks"]).map(chunk => {
        const args = memberOf(chunk, "args");
        return typeof args === "string" ? args : "";
      });

function isWhole(text: string): boolean {
  try {
    return text === "" || isJsonObject(JSON.parse(text));
  } catch {
    return false;
  }
}

const textOf = ({ content = "" }: JsonObject): Json =>
  typeof content === "string"
    ? content
    : listOf(content)
        .map(
          block => (memberOf(block, "type") === "text" ? memberOf(block, "text") : memberOf(block, "reasoning")) ?? "",
        )
        .join("");

/** An id that LangChain has lost (it is empty) is no id to compare. */
function callsOf({ tool_calls: calls }: JsonObject, like?: JsonObject): Json {
  const lost = listOf(like?.["tool_calls"]).map(call => memberOf(call, "id") === "");
  return listOf(calls).map((call, place) => [
    lost[place] ? "" : (memberOf(call, "id") ?? null),
    memberOf(call, "name") ?? null,
    memberOf(call, "args") ?? null,
  ]);
}

/** LangChain's bridge mixes two blocks of one index, and writes `undefined` where a piece has no text. */
const isSpoilt = (each: Case, records: readonly Json[]): boolean =>
  JSON.stringify(each["output"] ?? null).includes("undefined") ||
  records.some(
    record =>
      memberOf(memberOf(record, "content"), "type") === "text" &&
      memberOf(memberOf(record, "content"), "args") !== undefined,
  );

/** LangGraph's pairs: the messages of the stream, each with what is said of it. */
function pairs(records: readonly Json[]): string | undefined {
  const messages = accumulate(runAll(streamDecoder("langchain"), records));
  const ids = new Set(records.map(record => fieldsOf(listOf(record)[0])["id"] ?? null));
  if (messages.length < ids.size) return `${messages.length} messages of ${ids.size} ids`;
  const encoder = streamEncoder("langchain:js-lc", { recipient: "store" });
  const again = accumulate(runAll(streamDecoder("langchain"), runAll(encoder, emit(messages))));
  if (encoder.losses.some(({ code }) => code === "block-index")) return undefined; // it says what it gave up
  return difference(again.map(said), messages.map(said));
}
