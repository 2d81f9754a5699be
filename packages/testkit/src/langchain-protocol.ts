import type { ChatModelStreamEvent } from "@langchain/core/language_models/event";
import { ChatModelStream } from "@langchain/core/language_models/stream";
import { isJsonObject, type Json, type Message, type Part, type PartOf } from "translogue";
import { difference } from "./difference.ts";

/** What LangChain's own reader of the protocol makes of events: the texts, the calls and the usage are those of the message. */
export async function protocolOutput(events: readonly Json[], message: Message): Promise<string | undefined> {
  const stream = new ChatModelStream(eventsOf(structuredClone(events)));
  const output = await stream.output;
  const { content, tool_calls: calls, id } = output;
  const blocks = typeof content === "string" ? [{ type: "text", text: content }] : content;
  const texts = blocks.flatMap(block =>
    isJsonObject(block) && block["type"] === "text" ? [block["text"] as Json] : [],
  ); // a text has one
  const open = new Set(message.parts.flatMap(part => (isUnfinished(part) ? [part.callId] : [])));
  const isOpen = (id: Json | undefined): boolean => typeof id === "string" && open.has(id);
  const reason =
    difference(
      texts,
      message.parts.flatMap(part => (part.type === "text" ? [part.text] : [])),
    ) ??
    difference(
      (calls ?? []).flatMap(call => (isOpen(call.id) ? [] : [[call.id ?? null, call.name, call.args as Json]])),
      callsOf(message).filter(([id]) => !isOpen(id)),
    ); // arguments are JSON
  return reason ?? difference(id ?? null, message.id ?? null);
}

async function* eventsOf(events: readonly Json[]): AsyncGenerator<ChatModelStreamEvent> {
  for (const event of events) yield event as unknown as ChatModelStreamEvent; // ours, which is to be found out
}

/** Of a call that was not finished, or was given nothing, LangChain makes one without arguments, or none. */
const isUnfinished = (part: Part): part is PartOf<"tool-call"> =>
  part.type === "tool-call" && (part.partial === true || (part.input === undefined && part.inputText === undefined));

const callsOf = ({ parts }: Message): readonly [id: Json, ...Json[]][] =>
  parts.flatMap((part): [id: Json, ...Json[]][] =>
    part.type === "tool-call" && part.executedBy === undefined && isJsonObject(part.input ?? {})
      ? part.inputText === undefined || part.input !== undefined
        ? [[part.callId.startsWith("~") ? null : part.callId, part.name, part.input ?? {}]]
        : []
      : [],
  );
