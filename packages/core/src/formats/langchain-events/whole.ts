import { withNamedCalls } from "../../blocks/langchain/made-ids.ts";
import type { DecodeContext, EncodeContext } from "../../codec/codec.ts";
import { hintsOf } from "../../codec/remainder.ts";
import type { Conversation, Message } from "../../model/conversation.ts";
import { TranslogueError } from "../../model/error.ts";
import type { Event } from "../../model/events.ts";
import { equalJson, isJsonObject, type Json, type JsonObject } from "../../model/json.ts";
import { mapNodes } from "../../model/walk.ts";
import { accumulate } from "../../stream/accumulate.ts";
import { emit } from "../../stream/emit.ts";
import { runAll } from "../../stream/machine.ts";
import { RecordReader } from "./decode.ts";
import { asInput, isInput, readInput, Told } from "./input.ts";
import { ProtocolWriter } from "./protocol-encode.ts";
import { readRecord, recordsFamily } from "./records.ts";
import { RecordWriter } from "./records-encode.ts";

/** How the records of a message were, and the places that they had among all: a spelling that counts while it reads as the message (R1). */
interface Kept {
  readonly number: number;
  readonly at: readonly number[];
  readonly records: readonly Json[];
}

/** A list of records. What is of no message stands as an opaque part in its place (R4). */
export function decode(value: unknown, context: DecodeContext): Conversation {
  if (!Array.isArray(value)) {
    const message = isJsonObject(value)
      ? "one record of a stream is no list of them: put the records of the stream into an array, or push each into a `streamDecoder`"
      : "records of LangChain's streams are an array of them; this is none";
    throw new TranslogueError("decode/not-this-format", message, { data: { format: recordsFamily } });
  }
  const records = value as readonly Json[]; // what is decoded is JSON
  const { answers, apart } = read(records, context);
  const told = new Told();
  const placed: { readonly at: number; readonly message: Message }[] = apart;
  for (const { message, kept } of answers) {
    const at = kept.at[0] ?? records.length;
    for (const input of told.news(inputOf(kept.records, context))) {
      placed.push({ at, message: asInput(input) });
      told.add(input);
    }
    placed.push({ at, message: withKept(message, kept) });
    told.add(message);
  }
  placed.sort((a, b) => a.at - b.at);
  return { messages: placed.map(({ message }) => message) };
}

interface Answer {
  readonly message: Message;
  readonly kept: Kept;
}

/** The messages that the records tell of, in their order, and what is of none. */
function read(
  records: readonly Json[],
  context: DecodeContext,
): { readonly answers: readonly Answer[]; readonly apart: { readonly at: number; readonly message: Message }[] } {
  const reader = new RecordReader({ ...context, lose: () => undefined }, { isWhole: true });
  const events: Event[] = [];
  const owners = records.map(record => {
    events.push(...reader.push(record));
    return reader.owner;
  });
  events.push(...reader.end());
  const numbers = [...new Set(events.flatMap(event => (event.type === "message-start" ? [event.message] : [])))];
  const kept = new Map(numbers.map(number => [number, { number, at: [] as number[], records: [] as Json[] }])); // empty lists have no type of their own
  const apart: { readonly at: number; readonly message: Message }[] = [];
  for (const [at, record] of records.entries()) {
    const own = owners[at] === undefined ? undefined : kept.get(owners[at]);
    if (own) {
      own.at.push(at);
      own.records.push(record);
    } else apart.push({ at, message: control(record, at) });
  }
  const messages = accumulate(events);
  return {
    apart,
    answers: [...kept.values()].map((own, index) => ({ message: messages[index] as Message, kept: own })), // one for each start
  };
}

const control = (record: Json, place: number): Message => ({
  role: "control",
  parts: [{ type: "opaque", family: recordsFamily, value: record }],
  native: { [recordsFamily]: { $at: place } },
});

/** The messages that were put in, as the first record that tells them has them. */
function inputOf(records: readonly Json[], context: DecodeContext): readonly Message[] {
  for (const record of records) {
    const read = readRecord(record);
    const messages = "input" in read ? readInput(read.input, context) : [];
    if (messages.length > 0) return messages;
  }
  return [];
}

function withKept(message: Message, { number, at, records }: Kept): Message {
  const own = { ...message.native?.[recordsFamily], $records: { number, at, records } };
  return { ...message, native: { ...message.native, [recordsFamily]: own } };
}

interface Placed {
  readonly at: number;
  readonly record: Json;
}

/** A message, and where it stands in the conversation. */
interface Located {
  readonly index: number;
  readonly message: Message;
}

/** All records, each where it was; what is new stands behind the message before it. */
export function encode(given: Conversation, context: EncodeContext): Json {
  const conversation = withNamedCalls(given);
  const placed: Placed[] = [];
  let last = -1;
  let cut: number | undefined;
  let waiting: Located[] = [];
  const told = new Told();
  const write = (located: readonly Located[], isCut: boolean, kept?: readonly Placed[]): void => {
    const written = kept ?? writeAnew(located, context).map(record => ({ at: last, record }));
    if (written.length === 0) return;
    const { index } = located.at(-1) as Located; // there is one, of which this was written
    // A message of the protocol that begins before another has ended takes its place.
    if (cut !== undefined) for (const number of [cut, index]) context.lose("cut", ["messages", number]);
    cut = isCut && !kept && context.dialect === "protocol" ? index : undefined;
    for (const each of written) {
      placed.push(each);
      last = Math.max(last, each.at);
    }
  };
  const isProtocol = context.dialect === "protocol";
  for (const [index, message] of conversation.messages.entries()) {
    const located = { index, message };
    if (isPut(message) && (!isProtocol || isInput(message))) {
      waiting.push(located);
      continue;
    }
    const isAnswer = message.role === "assistant";
    const kept = keptOf(located, { waiting: isAnswer ? waiting : [], told });
    if (isAnswer && !isProtocol) write([...waiting, located], isCut(message), kept);
    else {
      if (isAnswer && !kept) for (const each of waiting) write([each], false);
      write([located], isCut(message), kept);
    }
    for (const each of isAnswer ? [...waiting, located] : [located]) told.add(each.message);
    if (isAnswer) waiting = [];
  }
  for (const each of isProtocol ? waiting : []) write([each], false);
  if (!isProtocol) for (const { index } of waiting) context.lose("input", ["messages", index]);
  return placed.sort((a, b) => a.at - b.at).map(({ record }) => record);
}

/** Whether the message is put into a run, and comes of none. */
const isPut = (message: Message): boolean =>
  isInput(message) ||
  (message.role !== "assistant" &&
    message.role !== "tool" &&
    !isRecord(message) &&
    hintsOf(message, recordsFamily)["$records"] === undefined);

/** A record of no message. */
const isRecord = ({ role, parts: [only] }: Message): boolean =>
  role === "control" && only?.type === "opaque" && only.family === recordsFamily;

/** The records as they were, if they still read as the message, and as what was put in before it. */
function keptOf(
  { message }: Located,
  { waiting, told }: { readonly waiting: readonly Located[]; readonly told: Told },
): readonly Placed[] | undefined {
  const hints = hintsOf(message, recordsFamily);
  const [only] = message.parts;
  if (isRecord(message) && only?.type === "opaque") {
    const { $at: at } = hints;
    return typeof at === "number" ? [{ at, record: only.value }] : undefined;
  }
  const { $records: kept } = hints;
  if (!isJsonObject(kept) || !Array.isArray(kept["at"]) || !Array.isArray(kept["records"])) return undefined;
  const { number, at, records } = kept as unknown as Kept; // as just tested, and written above
  const context: DecodeContext = { ...silent, shape: "stream", dialect: "protocol" };
  const first = typeof number === "number" ? number : 0;
  const [read, ...others] = accumulate(runAll(new RecordReader(context, { first, isWhole: true }), records));
  if (!read || others.length > 0 || !equalJson(comparable(read), comparable(message))) return undefined;
  const news = told.news(inputOf(records, context));
  const isSame = (was: Message, index: number): boolean => {
    const is = waiting[index]?.message;
    return is !== undefined && equalJson(comparable(was), comparable(is));
  };
  if (news.length !== waiting.length || !news.every(isSame)) return undefined;
  return records.map((record, index) => ({ at: at[index] ?? 0, record }));
}

const silent: Omit<DecodeContext, "shape" | "dialect"> = {
  issue: () => undefined,
  lose: () => undefined,
  carried: () => undefined,
  newId: undefined,
};

/** Spellings of numbers are the records' own. */
function comparable(message: Message): Conversation {
  return mapNodes({ messages: [withoutHints(message)] }, node => ({ ...node, exact: undefined }));
}

function withoutHints(message: Message): Message {
  const { [recordsFamily]: own, ...others } = message.native ?? {};
  const { $records: _, $input: __, ...rest }: JsonObject = own ?? {};
  const native = Object.keys(rest).length > 0 ? { ...others, [recordsFamily]: rest } : others;
  const { native: ___, ...members } = message;
  return Object.keys(native).length > 0 ? { ...members, native } : members;
}

const isCut = ({ role, finish }: Message): boolean => role === "assistant" && finish?.reason === "incomplete";

function writeAnew(located: readonly Located[], context: EncodeContext): Json[] {
  const [only] = located;
  const [record] = only?.message.parts ?? [];
  if (only && isRecord(only.message) && record?.type === "opaque") return [record.value];
  const named: EncodeContext = {
    ...context,
    lose: (code, [root = "messages", place, ...rest], detail) => {
      const { index } = located[typeof place === "number" ? place : 0] ?? { index: 0 };
      context.lose(code, [root, index, ...rest], detail);
    },
  };
  const machine = context.dialect === "protocol" ? new ProtocolWriter(named) : new RecordWriter(named);
  return runAll(machine, emit(located.map(({ message }) => withoutHints(message))));
}
