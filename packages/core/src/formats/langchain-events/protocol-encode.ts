import { encode } from "../../blocks/langchain/encode.ts";
import {
  type ChunkEncoder,
  chunkEncoder,
  inNumbers,
  lateIn,
  reportMoved,
} from "../../blocks/langchain/stream-encode.ts";
import { textBlocks } from "../../blocks/langchain/stream-live.ts";
import { family } from "../../blocks/langchain/wire.ts";
import { tellSpelling } from "../../blocks/spelling.ts";
import type { EncodeContext } from "../../codec/codec.ts";
import { hintsOf } from "../../codec/remainder.ts";
import type { Message } from "../../model/conversation.ts";
import type { Event, MessageHead } from "../../model/events.ts";
import { isJsonObject, type Json, type JsonObject, type MutableJsonObject } from "../../model/json.ts";
import type { Part } from "../../model/parts.ts";
import { accumulator } from "../../stream/accumulate.ts";
import type { Machine } from "../../stream/machine.ts";
import { recordsFamily } from "./records.ts";

/** Events → the protocol's. Texts and arguments pass on as they come; what a block is in the end its finish says. */
export class ProtocolWriter implements Machine<Event, Json> {
  readonly #context: EncodeContext;
  readonly #messages = new Map<number, Writing>();

  constructor(context: EncodeContext) {
    this.#context = context;
  }

  push(event: Event): readonly Json[] {
    if (event.type === "error") {
      const { message, code } = event.error;
      return [{ event: "error", message, ...(code !== undefined && { code }) }];
    }
    if (event.type === "message-start" && !this.#messages.has(event.message)) {
      this.#follow(event.message);
      this.#messages.set(event.message, new Writing(event.message, event.head, this.#context));
    }
    return this.#messages.get(event.message)?.take(event) ?? [];
  }

  /** A message that begins before another has ended takes its place. */
  #follow(number: number): void {
    for (const [before, writing] of this.#messages) {
      if (!writing.isCut) continue;
      for (const message of [before, number]) this.#context.lose("cut", ["messages", message]);
      writing.isCut = false;
    }
  }

  end(): readonly Json[] {
    return [...this.#messages.values()].flatMap(writing => writing.end());
  }
}

type MessageEvent = Exclude<Event, { readonly type: "error" }>;

interface Block {
  readonly index: number;
  /** The place among the content's blocks, or the calls' pieces. */
  readonly place: number;
  readonly isCall: boolean;
  readonly id: Json;
  readonly name: Json;
}

class Writing {
  readonly #context: EncodeContext;
  readonly #chunks: ChunkEncoder;
  readonly #whole = accumulator();
  readonly #blocks = new Map<string, Block>();
  readonly #number: number;
  readonly #name: string | undefined;
  readonly #parts = new Set<number>();
  readonly #told = new Set<Block>();
  #hasStarted = false;
  #isOver = false;
  isCut = false;

  constructor(number: number, { author }: MessageHead, context: EncodeContext) {
    this.#number = number;
    this.#name = author?.name;
    this.#context = context;
    // What a stream of chunks gives up the protocol need not: a finish has the whole block.
    this.#chunks = chunkEncoder({ ...context, dialect: "python", lose: () => undefined }, { areCallsInside: true });
  }

  take(event: MessageEvent): readonly Json[] {
    const plain = withoutBeside(event);
    this.#whole.push(plain);
    if (event.type === "part-start" || event.type === "part") this.#parts.add(event.part);
    if (this.#isOver && event.type !== "message-end") this.#context.lose("late", lateIn(event));
    if (this.#isOver) return [];
    const events: Json[] = [];
    for (const chunk of this.#chunks.push(plain)) this.#convert(chunk, events);
    if (event.type === "message-end") this.#finish(events);
    return events;
  }

  #convert(chunk: Json, events: Json[]): void {
    const fields = isJsonObject(chunk) ? chunk : {};
    if (fields["type"] !== "AIMessageChunk") return; // a message that comes whole is written at its end
    this.#start(fields, events);
    const { content, tool_call_chunks: calls } = fields;
    if (typeof content === "string" && content !== "")
      this.#text({ type: "text" }, { member: "text", text: content, place: 0 }, events);
    for (const block of Array.isArray(content) ? (content as readonly Json[]) : [])
      if (isJsonObject(block)) this.#block(block, events); // a list of JSON
    for (const call of Array.isArray(calls) ? (calls as readonly Json[]) : [])
      if (isJsonObject(call)) this.#call(call, events); // a list of JSON
  }

  #start(fields: JsonObject, events: Json[]): void {
    if (this.#hasStarted) return;
    this.#hasStarted = true;
    const { id } = fields;
    const name = this.#name;
    events.push({
      event: "message-start",
      role: "ai",
      ...(typeof id === "string" && { id }),
      ...(name !== undefined && { name }),
    });
  }

  #block(block: JsonObject, events: Json[]): void {
    const { index, type } = block;
    const row = typeof type === "string" && Object.hasOwn(textBlocks, type) ? textBlocks[type] : undefined;
    const text = row && block[row.member];
    if (typeof index !== "number") return;
    const { index: __, ...start } = block;
    if (!row || typeof text !== "string") {
      if (this.#known(block, index)) return;
      this.#open(
        `content ${index}`,
        { place: index, isCall: isCall(block), id: block["id"] ?? null, name: block["name"] ?? null },
        type === "tool_call" ? { ...start, type: "tool_call_chunk", args: "" } : start, // its arguments come in pieces
        events,
      );
      return;
    }
    delete (start as MutableJsonObject)[row.member]; // made just now
    this.#text(start, { member: row.member, text, place: index }, events);
  }

  #text(
    start: JsonObject,
    { member, text, place }: { readonly member: string; readonly text: string; readonly place: number },
    events: Json[],
  ): void {
    const key = `content ${place}`;
    const { index } =
      this.#blocks.get(key) ??
      this.#open(key, { place, isCall: false, id: null, name: null }, { ...start, [member]: "" }, events);
    const delta = member === "text" ? { type: "text-delta", text } : { type: "reasoning-delta", reasoning: text };
    if (text !== "") events.push({ event: "content-block-delta", index, delta });
  }

  #open(key: string, block: Omit<Block, "index">, content: JsonObject, events: Json[]): Block {
    const opened: Block = { ...block, index: this.#blocks.size };
    this.#blocks.set(key, opened);
    events.push({ event: "content-block-start", index: opened.index, content });
    return opened;
  }

  #call({ index: place, id = null, name = null, args }: JsonObject, events: Json[]): void {
    if (typeof place !== "number") return;
    const key = `call ${place}`;
    const known = this.#blocks.get(key) ?? this.#ofCall(id);
    if (!known && typeof name !== "string") return;
    const start = { type: "tool_call_chunk", id, name, args: "" };
    const { index } = known ?? this.#open(key, { place, isCall: true, id, name }, start, events);
    if (typeof args !== "string" || args === "") return;
    events.push({ event: "content-block-delta", index, delta: { type: "tool-call-delta", args } });
  }

  end(): readonly Json[] {
    if (this.#isOver) return [];
    const events: Json[] = [];
    for (const chunk of this.#chunks.end()) this.#convert(chunk, events);
    return events;
  }

  #finish(events: Json[]): void {
    this.#isOver = true;
    const [whole] = this.#whole.messages;
    if (!whole) return;
    const { message, numbers } = this.#chunks.ordered(whole, { number: this.#number, parts: this.#parts });
    const context = inNumbers(this.#context, this.#number, numbers);
    reportMoved(numbers, context);
    const isCut = message.finish?.reason === "incomplete";
    this.isCut = isCut;
    if (!isCut) reportOpen(message, context);
    for (const [place, wire] of wiresOf(message, context).entries()) {
      if (place > 0) this.#restart();
      this.#finishWire(wire, { events, isCut, message, context });
    }
  }

  #restart(): void {
    this.#hasStarted = false;
    this.#blocks.clear();
  }

  #finishWire(wire: Json, { events, isCut, message, context }: Finishing): void {
    const members: JsonObject = isJsonObject(wire) ? wire : { type: "unknown", value: wire };
    const {
      type = null,
      content = "",
      tool_calls,
      invalid_tool_calls,
      additional_kwargs,
      response_metadata,
      ...others
    } = members;
    const { usage_metadata: usage, ...rest } = others;
    const { id: _, name: __, ...unsaid } = rest;
    // A chat message has a role of its own.
    if (!this.#hasStarted) events.push({ event: "message-start", role: type, ...present(rest) });
    const calls = [...listOf(tool_calls), ...listOf(invalid_tool_calls)].filter(isJsonObject);
    const text: readonly Json[] = content === "" ? [] : [{ type: "text", text: content }];
    const blocks = typeof content === "string" ? text : listOf(content);
    if (resultTypes.has(type) && content !== "" && blocks.length === 0) reportEmpty(message, context);
    const inside = new Set(blocks.map(block => (isCall(block) ? (block["id"] ?? null) : undefined)));
    const isOpen = isCut ? openIn(message, blocks) : (): boolean => false;
    for (const [place, block] of blocks.entries())
      this.#finishBlock(block, { place, isOpen: isOpen(block, place) }, events);
    for (const call of calls) {
      if (!inside.has(call["id"] ?? null)) this.#finishBlock(call, { place: -1, isOpen: isOpen(call, -1) }, events);
    }
    if (isCut) return;
    const { $reason: told } = hintsOf(message, recordsFamily);
    const reason = typeof told === "string" ? told : message.finish && (reasons[message.finish.reason] ?? "stop");
    events.push({
      event: "message-finish",
      ...(reason !== undefined && { reason }),
      ...(isJsonObject(usage) && { usage }),
      ...(!isEmpty(response_metadata) && { responseMetadata: response_metadata ?? null }),
      ...(!isEmpty(additional_kwargs) && { additional_kwargs: additional_kwargs ?? null }),
      ...(this.#hasStarted && present(unsaid)),
    });
  }

  /** A block by its place in the content; of calls without one, by their id. */
  #finishBlock(
    block: Json,
    { place, isOpen }: { readonly place: number; readonly isOpen: boolean },
    events: Json[],
  ): void {
    const whole: JsonObject = isJsonObject(block) ? block : { type: "text", text: block };
    const known = this.#known(whole, place);
    const opened =
      known ??
      this.#open(`whole ${place} ${this.#blocks.size}`, { place, isCall: false, id: null, name: null }, whole, events);
    this.#told.add(opened);
    if (!isOpen) events.push({ event: "content-block-finish", index: opened.index, content: whole });
  }

  #known(block: JsonObject, place: number): Block | undefined {
    const known = isCall(block)
      ? (this.#ofCall(block["id"] ?? null) ?? this.#withoutId(block["name"] ?? null))
      : undefined;
    return known ?? this.#blocks.get(`content ${place}`);
  }

  #ofCall(id: Json): Block | undefined {
    return id === null ? undefined : [...this.#blocks.values()].find(block => block.isCall && block.id === id);
  }

  /** The next call of the name that got no id while it came. */
  #withoutId(name: Json): Block | undefined {
    const found = [...this.#blocks.values()].find(
      block => block.isCall && block.id === null && block.name === name && !this.#told.has(block),
    );
    return found;
  }
}

/** In a message that has ended every block is whole. */
function reportOpen({ parts }: Message, { lose }: EncodeContext): void {
  for (const [place, part] of parts.entries()) {
    if (part.partial && part.type !== "tool-call") lose("open", ["messages", 0, "parts", place, "partial"]);
  }
}

/** No blocks are no output. */
function reportEmpty({ parts }: Message, { lose }: EncodeContext): void {
  for (const [place, part] of parts.entries()) {
    if (part.type !== "tool-result" || part.output?.length !== 0) continue;
    lose("empty-output", ["messages", 0, "parts", place, "output"]);
  }
}

function wiresOf(message: Message, numbered: EncodeContext): readonly Json[] {
  const context: EncodeContext = { ...numbered, dialect: "python", shape: "messages", wrote: () => undefined };
  const parts = message.parts.map(part => (part.type === "tool-call" ? part : withoutPartial(part)));
  tellSpelling({ ...message, parts }, context);
  return encode({ messages: [{ ...message, parts }] }, context) as readonly Json[]; // a list of messages
}

function withoutPartial(part: Part): Part {
  const { partial: _, ...whole } = part;
  return whole as Part; // every part may be whole
}

/** Which blocks of a message that was cut are of parts that were still being written. */
function openIn({ parts }: Message, blocks: readonly Json[]): (block: Json, place: number) => boolean {
  const isOwnCall = (part: Part): boolean => part.type === "tool-call" && part.executedBy === undefined;
  const said = parts.filter(part => !isOwnCall(part));
  const places = blocks.flatMap((block, place) => (isCall(block) ? [] : [place]));
  const open = new Set(places.filter((_, index) => places.length === said.length && said[index]?.partial));
  const calls = new Set(
    parts.flatMap(part => (part.type === "tool-call" && part.partial ? [part.callId as Json] : [])),
  );
  return (block, place) => (isCall(block) ? calls.has(block["id"] ?? null) : open.has(place));
}

interface Finishing {
  readonly events: Json[];
  readonly isCut: boolean;
  readonly message: Message;
  readonly context: EncodeContext;
}

const isCall = (block: Json): block is JsonObject => isJsonObject(block) && callTypes.has(block["type"]);
const callTypes: ReadonlySet<Json | undefined> = new Set(["tool_call", "invalid_tool_call", "tool_call_chunk"]);

const resultTypes: ReadonlySet<Json> = new Set(["tool", "function"]);

/** The word that the protocol has for a reason; for others it has none. */
const reasons: { readonly [reason: string]: string } = {
  stop: "stop",
  "stop-sequence": "stop",
  length: "length",
  context: "length",
  "tool-calls": "tool_use",
  "content-filter": "content_filter",
  refusal: "content_filter",
};

const listOf = (value: Json | undefined): readonly Json[] => (Array.isArray(value) ? value : []);

const isEmpty = (value: Json | undefined): boolean =>
  value === undefined || value === null || (isJsonObject(value) && Object.keys(value).length === 0);

/** Without what is null: the protocol leaves it out. */
function present(members: JsonObject): JsonObject {
  const object: MutableJsonObject = {};
  for (const key of Object.keys(members)) {
    const value = members[key];
    if (value !== undefined && value !== null) object[key] = value;
  }
  return object;
}

/** All parts are blocks here: none stands beside the content. */
function withoutBeside(event: MessageEvent): MessageEvent {
  if (event.type !== "part-start" && event.type !== "part") return event;
  const { [family]: own, ...others } = event.value.native ?? {};
  if (own?.["$kwarg"] === undefined) return event;
  const { $kwarg: _, ...hints } = own;
  const value: Part = { ...event.value, native: { ...others, [family]: hints } };
  return { ...event, value };
}
