import { contentLosses } from "../../blocks/langchain/content.ts";
import { messageLosses } from "../../blocks/langchain/losses.ts";
import { streamLosses } from "../../blocks/langchain/stream.ts";
import { defineCodec, type Sniff } from "../../codec/codec.ts";
import { isJsonObject, type Json } from "../../model/json.ts";
import { RecordReader } from "./decode.ts";
import { holdsOf } from "./holds.ts";
import { ProtocolWriter } from "./protocol-encode.ts";
import { readRecord, recordsFamily } from "./records.ts";
import { RecordWriter } from "./records-encode.ts";
import { decode, encode } from "./whole.ts";

/** What LangChain's streams tell: the events of @langchain/protocol, and the records of `streamEvents`, version 2, of both languages. */
export const langchainEvents = defineCodec<Json>({
  id: recordsFamily,
  title: "LangChain stream events",
  spec: "https://docs.langchain.com/oss/python/langchain/streaming",
  shapes: ["stream", "log"],
  dialects: ["protocol", "v2-js", "v2-python"],
  losses: {
    ...contentLosses,
    ...messageLosses,
    ...streamLosses,
    input: { kind: "dropped", note: "what is put in is told by the run that follows, and here none does" },
    record: {
      kind: "dropped",
      note: "a record that is of no message is kept only where the records are read as a whole",
    },
    "empty-output": { kind: "approximated", note: "a result without blocks is one without an output" },
    "error-record": { kind: "dropped", note: "a run that fails has no record of it" },
  },
  holds: ({ recipient }) => holdsOf(recipient),
  oneAnswer: true,
  sniff,
  decode,
  encode,
  stream: {
    framing: "sse",
    decoder: context => new RecordReader(context),
    encoder: context => (context.dialect === "protocol" ? new ProtocolWriter(context) : new RecordWriter(context)),
  },
});

function sniff(value: unknown): readonly Sniff[] {
  const records: readonly unknown[] = Array.isArray(value) ? value.slice(0, 50) : [value];
  const read = records.map(record => [record, readRecord(record as Json)] as const); // what is sniffed is JSON
  const known = read.filter(([, { kind }]) => kind !== "other");
  const [first] = known;
  const isRun = read.some(
    ([record]) => isJsonObject(record) && typeof record["event"] === "string" && "run_id" in record && "data" in record,
  );
  if (!first && !isRun) return [];
  const dialect =
    first?.[1].kind === "protocol"
      ? "protocol"
      : read.some(([record]) => isJsonObject(record) && "parent_ids" in record)
        ? "v2-python"
        : "v2-js";
  return [
    { shape: "stream", dialect, confidence: known.length === read.length ? 1 : 0.9, keys: ["event", "run_id", "data"] },
  ];
}
