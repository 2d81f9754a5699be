import { contentLosses } from "../../blocks/langchain/content.ts";
import { decode } from "../../blocks/langchain/decode.ts";
import { encode } from "../../blocks/langchain/encode.ts";
import { memberOf } from "../../blocks/langchain/escape.ts";
import { holdsOf } from "../../blocks/langchain/holds.ts";
import { messageLosses } from "../../blocks/langchain/losses.ts";
import { chunkStream, streamLosses } from "../../blocks/langchain/stream.ts";
import { text } from "../../blocks/langchain/text.ts";
import { dialects, family } from "../../blocks/langchain/wire.ts";
import { defineCodec } from "../../codec/codec.ts";
import { isJsonObject, type Json, type JsonObject } from "../../model/json.ts";
import { sniff } from "./sniff.ts";

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
  oneAnswer: true,
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
