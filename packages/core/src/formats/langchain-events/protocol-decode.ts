import { decodeMessage } from "../../blocks/langchain/decode.ts";
import { thawObject } from "../../blocks/langchain/merge-values.ts";
import { textBlocks } from "../../blocks/langchain/stream-live.ts";
import { changes, LiveParts } from "../../blocks/langchain/stream-parts.ts";
import { family } from "../../blocks/langchain/wire.ts";
import type { WaitingCalls } from "../../blocks/waiting-calls.ts";
import type { DecodeContext } from "../../codec/codec.ts";
import { kept } from "../../codec/remainder.ts";
import type { Message } from "../../model/conversation.ts";
import type { Event, MessageHead } from "../../model/events.ts";
import { copyExact } from "../../model/exact-text.ts";
import { isJsonObject, type Json, type JsonObject, type MutableJsonObject, setMember } from "../../model/json.ts";
import { recordsFamily } from "./records.ts";

/** A block while its deltas come. */
interface Block {
  readonly number: number;
  value: MutableJsonObject;
  /** A delta of reasoning had no text, for which LangChain's bridge appends the word `undefined`. */
  isSpoilt: boolean;
  isOver: boolean;
}

export interface ProtocolOptions {
  readonly context: DecodeContext;
  /** What its records say beside it. */
  readonly head: JsonObject;
  /** Calls of the stream's messages that have no id, and wait for a result without one. */
  readonly unanswered: WaitingCalls;
}

/** A message of the protocol while its events come; its blocks are read at its end as those of the message that they make. */
export class ProtocolMessage {
  readonly number: number;
  isOver = false;
  readonly #context: DecodeContext;
  readonly #parts: LiveParts;
  #blocks = new Map<Json, Block>();
  #start: JsonObject;
  readonly #head: JsonObject;
  readonly #unanswered: WaitingCalls;
  #usage: Json | undefined;
  #told: MessageHead;

  constructor(number: number, start: JsonObject, { context, head, unanswered }: ProtocolOptions) {
    this.number = number;
    this.#context = context;
    this.#head = head;
    this.#unanswered = unanswered;
    this.#parts = new LiveParts(number);
    this.#start = start;
    this.#told = this.#begin(start);
  }

  /** The answer starts over (E9). */
  restart(start: JsonObject): void {
    this.#blocks = new Map();
    this.#parts.clear();
    this.#start = start;
    this.#told = this.#begin(start);
  }

  #begin(start: JsonObject): MessageHead {
    const { id, role = "ai", usage } = start;
    this.#usage = usage;
    const named = typeof role === "string" ? (roles[role] ?? role) : "assistant";
    const head: MessageHead = { role: named, ...(typeof id === "string" && id !== "" && { id }) };
    this.#parts.tell({ type: "message-start", message: this.number, head });
    return head;
  }

  push(event: JsonObject): void {
    const { index = null, content, delta, usage } = event;
    switch (event["event"]) {
      case "content-block-start":
        if (isJsonObject(content)) this.#open(index, content);
        break;
      case "content-block-delta":
        if (isJsonObject(delta)) this.#grow(this.#blocks.get(index) ?? this.#open(index, startOf(delta)), delta);
        break;
      case "content-block-finish":
        if (isJsonObject(content)) this.#close(index, content);
        break;
      case "usage":
        this.#usage = usage;
        break;
      case "message-finish":
        if (usage !== undefined) this.#usage = usage;
        this.finish(event);
        break;
      default:
        break; // `provider`: what the provider itself sent, told again in the protocol's words
    }
  }

  #open(index: Json, content: JsonObject): Block {
    const number =
      typeof index === "number" && index >= 0 && index < 1e6
        ? 1000 + Math.floor(index) * 1000
        : 1000 + this.#blocks.size * 1000;
    const block: Block = { number, value: thawObject(content, this.#context.exact), isSpoilt: false, isOver: false };
    this.#blocks.set(index, block);
    const text = block.value[memberOf(block.value) ?? ""];
    this.#say(block, typeof text === "string" ? text : "");
    return block;
  }

  #grow(block: Block, delta: JsonObject): void {
    const { value } = block;
    switch (delta["type"]) {
      case "text-delta":
        this.#append(block, "text", delta["text"]);
        break;
      case "reasoning-delta":
        if (typeof delta["reasoning"] !== "string") block.isSpoilt = true;
        this.#append(block, "reasoning", delta["reasoning"]);
        break;
      case "tool-call-delta":
        this.#append(block, "args", delta["args"]);
        break;
      case "data-delta":
        this.#append(block, "data" in value ? "data" : "base64", delta["data"]);
        break;
      case "block-delta":
        if (isJsonObject(delta["fields"])) this.#replace(block, delta["fields"]);
        break;
      default:
        break; // what is not known is to be ignored, says the protocol
    }
  }

  #append(block: Block, member: string, text: Json | undefined): void {
    if (typeof text !== "string") return;
    const own = block.value[member];
    block.value[member] = (typeof own === "string" ? own : "") + text;
    if (member === memberOf(block.value)) this.#say(block, text);
  }

  /** Fields as they are now: arguments come as all that there are so far. */
  #replace(block: Block, fields: JsonObject): void {
    const { args: before } = block.value;
    for (const key of Object.keys(fields)) {
      const value = fields[key];
      if (value !== undefined) setMember(block.value, key, value);
    }
    const { args } = fields;
    if (typeof args !== "string") return;
    const known = typeof before === "string" ? before : "";
    this.#say(block, args.startsWith(known) ? args.slice(known.length) : "");
  }

  /** The block as its producer has it in the end. */
  #close(index: Json, content: JsonObject): void {
    const block = this.#blocks.get(index) ?? this.#open(index, content);
    const { reasoning: before, id, name } = block.value;
    const { reasoning } = content;
    const isSpoilt =
      block.isSpoilt &&
      typeof before === "string" &&
      typeof reasoning === "string" &&
      reasoning.replaceAll("undefined", "") === before.replaceAll("undefined", "");
    block.value = { ...content };
    if (this.#context.exact) copyExact(this.#context.exact, content, block.value);
    if (isSpoilt) block.value["reasoning"] = before;
    // Some producers forget at the end what they said at the beginning.
    if (isCall(content) && isBlank(content["id"]) && !isBlank(id)) block.value["id"] = id;
    if (isCall(content) && isBlank(content["name"]) && !isBlank(name)) block.value["name"] = name;
    block.isOver = true;
    this.#parts.close(block.number);
  }

  #say({ number, value }: Block, text: string): void {
    if (this.#told.role !== "assistant") return; // of other messages a part may be several blocks
    const { type, id, name } = value;
    if (type === "tool_call_chunk") {
      if (typeof name !== "string" || name === "") return;
      const callId = typeof id === "string" && id !== "" ? id : `~${this.number}.${number}`;
      this.#parts.say(number, { type: "tool-call", callId, name }, { of: "tool-call", text });
      return;
    }
    const row = typeof type === "string" && Object.hasOwn(textBlocks, type) ? textBlocks[type] : undefined;
    if (row) this.#parts.say(number, { type: row.of, text: "" }, { of: row.of, text });
  }

  /** Undefined: the stream stopped before the message did. */
  finish(event?: JsonObject): void {
    const message = decodeMessage(this.#whole(event ?? {}), {
      context: this.#context,
      path: [],
      index: this.number,
      unanswered: this.#unanswered,
    });
    const { parts, finish, ...read } = withoutKeys(message);
    const hasEnded = event !== undefined;
    const isAllOver = [...this.#blocks.values()].every(({ isOver }) => isOver);
    this.#parts.complete(parts, hasEnded || isAllOver);
    const head: MessageHead = { ...read, ...this.#native(read.native, event), ...(hasEnded && finish && { finish }) };
    const set = changes(this.#told, head);
    if (Object.keys(set).length > 0) this.#parts.tell({ type: "message-set", message: this.number, set });
    if (hasEnded) this.#parts.tell({ type: "message-end", message: this.number });
    this.isOver = hasEnded;
  }

  #native(native: MessageHead["native"], event: JsonObject | undefined): Pick<MessageHead, "native"> {
    const { metadata } = this.#start;
    const { reason } = event ?? {};
    const own = kept(
      recordsFamily,
      { ...this.#head, ...(metadata !== undefined && { metadata }) },
      { ...(reason !== undefined && { $reason: reason }) },
    );
    return native || own.native ? { native: { ...native, ...own.native } } : {};
  }

  /** The message that the blocks make, as Python writes it. */
  #whole(finish: JsonObject): JsonObject {
    const { event: _, role, usage: __, metadata: ___, run_id: ____, ...fields } = this.#start;
    const {
      metadata,
      responseMetadata,
      reason,
      additional_kwargs,
      event: ______,
      usage: _______,
      run_id: ________,
      ...late
    } = finish;
    const response = { ...objectOf(metadata), ...objectOf(responseMetadata) };
    const hasReason = finishMembers.some(member => typeof response[member] === "string");
    const blocks = [...this.#blocks.values()].sort((a, b) => a.number - b.number).map(({ value }) => value);
    const content = blocks.map(({ index: _____, ...block }) => block);
    return {
      ...fields,
      ...late,
      ...(typeof role === "string" && !types.has(role) ? { type: "chat", role } : { type: role ?? "ai" }),
      // Without a block there is no content: what a tool did not give is no empty list.
      content: content.length === 0 ? "" : content,
      ...(role === undefined || role === "ai" ? callsOf(content) : {}),
      additional_kwargs: objectOf(additional_kwargs),
      response_metadata: { ...response, ...(!hasReason && typeof reason === "string" && { finish_reason: reason }) },
      ...(isJsonObject(this.#usage) && { usage_metadata: this.#usage }),
    };
  }

  drain(): Event[] {
    return this.#parts.drain();
  }
}

/** The order of the members is ours: the message was put together here. */
function withoutKeys(message: Message): Message {
  const { [family]: own, ...others } = message.native ?? {};
  const { $keys: _, ...rest }: JsonObject = own ?? {};
  const native = { ...others, ...(Object.keys(rest).length > 0 && { [family]: rest }) };
  const { native: __, ...members } = message;
  return Object.keys(native).length > 0 ? { ...members, native } : members;
}

/** Words of the classes; any other is the role of a chat message. */
const types: ReadonlySet<Json> = new Set(["ai", "human", "system", "tool", "function", "remove"]);

const roles: { readonly [role: string]: string } = { ai: "assistant", human: "user", system: "system" };

const finishMembers = ["finish_reason", "stop_reason", "finishReason", "stopReason", "done_reason"];

const isBlank = (value: Json | undefined): value is undefined | null | "" =>
  value === undefined || value === null || value === "";
const isCall = ({ type }: JsonObject): boolean => type === "tool_call" || type === "invalid_tool_call";

const objectOf = (value: Json | undefined): JsonObject => (isJsonObject(value) ? value : {});

/** The member whose text comes in deltas. */
function memberOf({ type }: JsonObject): string | undefined {
  if (type === "tool_call_chunk") return "args";
  return typeof type === "string" && Object.hasOwn(textBlocks, type) ? textBlocks[type]?.member : undefined;
}

/** A block whose start was missed. */
function startOf({ type }: JsonObject): JsonObject {
  if (type === "reasoning-delta") return { type: "reasoning", reasoning: "" };
  return type === "tool-call-delta" ? { type: "tool_call_chunk", args: "" } : { type: "text", text: "" };
}

/** The lists that a message has beside its blocks. */
function callsOf(content: readonly JsonObject[]): JsonObject {
  const entries = (type: string): readonly JsonObject[] => content.filter(block => block["type"] === type);
  const valid = entries("tool_call").map(({ name = "", args = {}, id = null }) => ({
    name,
    args,
    id,
    type: "tool_call",
  }));
  const invalid = entries("invalid_tool_call").map(({ name = null, args = null, id = null, error = null }) => ({
    type: "invalid_tool_call",
    id,
    name,
    args,
    error,
  }));
  return { tool_calls: valid, invalid_tool_calls: invalid };
}
