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
import { ProtocolWriter } from "./protocol-encode.ts";
import { recordsFamily } from "./records.ts";
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
  const reader = new RecordReader({ ...context, lose: () => undefined });
  const events: Event[] = [];
  const owners = records.map(record => {
    events.push(...reader.push(record));
    return reader.owner;
  });
  events.push(...reader.end());
  const numbers = [...new Set(events.flatMap(event => (event.type === "message-start" ? [event.message] : [])))];
  const kept = new Map(numbers.map(number => [number, { number, at: [] as number[], records: [] as Json[] }])); // empty lists have no type of their own
  const placed: { readonly at: number; readonly message: Message }[] = [];
  for (const [place, record] of records.entries()) {
    const own = owners[place] === undefined ? undefined : kept.get(owners[place]);
    if (own) {
      own.at.push(place);
      own.records.push(record);
    } else placed.push({ at: place, message: apart(record, place) });
  }
  for (const [index, message] of accumulate(events).entries()) {
    const own = kept.get(numbers[index] ?? -1);
    placed.push({ at: own?.at[0] ?? records.length, message: own ? withKept(message, own) : message });
  }
  placed.sort((a, b) => a.at - b.at);
  return { messages: placed.map(({ message }) => message) };
}

const apart = (record: Json, place: number): Message => ({
  role: "control",
  parts: [{ type: "opaque", family: recordsFamily, value: record }],
  native: { [recordsFamily]: { $at: place } },
});

function withKept(message: Message, { number, at, records }: Kept): Message {
  const own = { ...message.native?.[recordsFamily], $records: { number, at, records } };
  return { ...message, native: { ...message.native, [recordsFamily]: own } };
}

/** All records, each where it was; what is new stands behind the message before it. */
export function encode(conversation: Conversation, context: EncodeContext): Json {
  const placed: { readonly at: number; readonly record: Json }[] = [];
  let last = -1;
  let cut: number | undefined;
  for (const [index, message] of conversation.messages.entries()) {
    const kept = keptOf(message);
    const written = kept ?? writeAnew(message, index, context).map(record => ({ at: last, record }));
    // A message of the protocol that begins before another has ended takes its place.
    if (cut !== undefined && written.length > 0)
      for (const number of [cut, index]) context.lose("cut", ["messages", number]);
    if (written.length > 0) cut = !kept && isCut(message) && context.dialect === "protocol" ? index : undefined;
    for (const each of written) {
      placed.push(each);
      last = Math.max(last, each.at);
    }
  }
  return placed.sort((a, b) => a.at - b.at).map(({ record }) => record);
}

/** The records as they were, if they still read as the message. */
function keptOf(message: Message): readonly { readonly at: number; readonly record: Json }[] | undefined {
  const hints = hintsOf(message, recordsFamily);
  const [only] = message.parts;
  if (message.role === "control" && only?.type === "opaque" && only.family === recordsFamily) {
    const { $at: at } = hints;
    return typeof at === "number" ? [{ at, record: only.value }] : undefined;
  }
  const { $records: kept } = hints;
  if (!isJsonObject(kept) || !Array.isArray(kept["at"]) || !Array.isArray(kept["records"])) return undefined;
  const { number, at, records } = kept as unknown as Kept; // as just tested, and written above
  const context: DecodeContext = { ...silent, shape: "stream", dialect: "protocol" };
  const [read, ...others] = accumulate(
    runAll(new RecordReader(context, typeof number === "number" ? number : 0), records),
  );
  if (!read || others.length > 0 || !equalJson(comparable(read), comparable(message))) return undefined;
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
  return mapNodes({ messages: [withoutHint(message)] }, node => ({ ...node, exact: undefined }));
}

function withoutHint(message: Message): Message {
  const { [recordsFamily]: own, ...others } = message.native ?? {};
  const { $records: _, ...rest }: JsonObject = own ?? {};
  const native = Object.keys(rest).length > 0 ? { ...others, [recordsFamily]: rest } : others;
  const { native: __, ...members } = message;
  return Object.keys(native).length > 0 ? { ...members, native } : members;
}

const isCut = ({ role, finish }: Message): boolean => role === "assistant" && finish?.reason === "incomplete";

function writeAnew(message: Message, index: number, context: EncodeContext): Json[] {
  const [only] = message.parts;
  if (message.role === "control" && only?.type === "opaque" && only.family === recordsFamily) return [only.value];
  const named: EncodeContext = {
    ...context,
    lose: (code, [root = "messages", , ...rest], detail) => context.lose(code, [root, index, ...rest], detail),
  };
  const machine = context.dialect === "protocol" ? new ProtocolWriter(named) : new RecordWriter(named);
  return runAll(machine, emit([message]));
}
