import { contentLosses } from "../../blocks/langchain-content.ts";
import { defineCodec } from "../../codec/codec.ts";
import { isJsonObject, type Json, type JsonObject } from "../../model/json.ts";
import { decode } from "./decode.ts";
import { encode } from "./encode.ts";
import { memberOf } from "./escape.ts";
import { holdsOf } from "./holds.ts";
import { messageLosses } from "./losses.ts";
import { sniff } from "./sniff.ts";
import { chunkStream, streamLosses } from "./stream.ts";
import { text } from "./text.ts";
import { dialects, family } from "./wire.ts";

/**
 * LangChain's messages: Python's and JavaScript's, plain, stored and serialised, and OpenAI's dicts as LangChain reads and
 * writes them. `log`: the state of a graph that has them.
 */
export const langchain = defineCodec<Json>({
  id: family,
  title: "LangChain",
  spec: "https://docs.langchain.com/oss/python/langchain/messages",
  shapes: ["messages", "message", "log"],
  dialects: Object.keys(dialects) as [keyof typeof dialects, ...(keyof typeof dialects)[]], // the table has rows
  losses: { ...contentLosses, ...messageLosses, ...streamLosses },
  holds: holdsOf,
  slot: { write: writeCarry },
  sniff,
  decode,
  encode: (conversation, context) => encode(conversation, context),
  stream: chunkStream,
  text,
});

/** Beside what adapters put there: LangChain keeps it, and sends it to no provider. */
function writeCarry(message: object, carry: Json): void {
  const wire = message as { [key: string]: Json }; // the encoder has just made it
  const holder = wire["lc"] === 1 ? wire["kwargs"] : (wire["data"] ?? wire);
  if (!isJsonObject(holder)) return;
  const kwargs = memberOf(holder, "additional_kwargs");
  Object.assign(holder as JsonObject, {
    additional_kwargs: { ...(isJsonObject(kwargs) && kwargs), translogue: carry },
  });
}
