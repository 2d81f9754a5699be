import { encode } from "../../blocks/langchain/encode.ts";
import {
  type ChunkEncoder,
  chunkEncoder,
  inNumbers,
  lateIn,
  reportIndexes,
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
  /** Messages that were cut, since the last one began. */
  readonly #cut = new Set<number>();

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
    const writing = this.#messages.get(event.message);
    const events = writing?.take(event) ?? [];
    if (writing?.isCut) this.#cut.add(event.message);
    if (writing) writing.isCut = false;
    return events;
  }

  /** A message that begins before another has ended takes its place. */
  #follow(number: number): void {
    for (const before of this.#cut)
      for (const message of [before, number]) this.#context.lose("cut", ["messages", message]);
    this.#cut.clear();
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
  /** Pieces of the call have come. */
  isMet: boolean;
  /** The whole is told. */
  isTold: boolean;
}

class Writing {
  readonly #context: EncodeContext;
  readonly #chunks: ChunkEncoder;
  readonly #whole = accumulator();
  readonly #blocks = new Map<string, Block>();
  readonly #number: number;
  readonly #name: string | undefined;
  readonly #parts = new Set<number>();
  /** Calls by their ids, or without one by their names: several may have the same. */
  readonly #calls = new Map<string, SameCalls>();
  /** Blocks of the content that pieces of calls go on with, by the places of these. */
  readonly #pieces = new Map<number, Block>();
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

  #open(key: string, block: Omit<Block, "index" | "isMet" | "isTold">, content: JsonObject, events: Json[]): Block {
    const opened: Block = { ...block, index: this.#blocks.size, isMet: false, isTold: false };
    this.#blocks.set(key, opened);
    if (opened.isCall) this.#keepCall(opened);
    events.push({ event: "content-block-start", index: opened.index, content });
    return opened;
  }

  #keepCall(block: Block): void {
    const key = keyOf(block.id, block.name);
    const known = this.#calls.get(key);
    if (known) known.add(block);
    else this.#calls.set(key, new SameCalls(block));
  }

  #call({ index: place, id = null, name = null, args }: JsonObject, events: Json[]): void {
    if (typeof place !== "number") return;
    const known = this.#pieces.get(place) ?? (id === null ? undefined : this.#calls.get(keyOf(id, name))?.unmet());
    if (!known && typeof name !== "string") return;
    const start = { type: "tool_call_chunk", id, name, args: "" };
    const block = known ?? this.#open(`call ${place}`, { place, isCall: true, id, name }, start, events);
    this.#pieces.set(place, block);
    block.isMet = true;
    const { index } = block;
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
    reportIndexes(message, context);
    for (const [place, wire] of wiresOf(message, context).entries()) {
      if (place > 0) this.#restart();
      this.#finishWire(wire, { events, isCut, message, context });
    }
  }

  #restart(): void {
    this.#hasStarted = false;
    for (const known of [this.#blocks, this.#calls, this.#pieces]) known.clear();
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
    const inside = counts(blocks.filter(isCall).map(call => call["id"] ?? null));
    const isOpen = isCut ? openIn(message, blocks) : (): boolean => false;
    for (const [place, block] of blocks.entries())
      this.#finishBlock(block, { place, isOpen: isOpen(block, place) }, events);
    for (const call of calls) {
      if (!take(inside, call["id"] ?? null)) this.#finishBlock(call, { place: -1, isOpen: isOpen(call, -1) }, events);
    }
    if (isCut) return;
    // What is out, and of which the whole says nothing, stays for whoever reads it.
    if ([...this.#blocks.values()].some(({ isTold }) => !isTold))
      context.lose("already-sent", ["messages", 0, "parts"]);
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
    opened.isTold = true;
    if (!isOpen) events.push({ event: "content-block-finish", index: opened.index, content: whole });
  }

  #known({ type, id = null, name = null }: JsonObject, place: number): Block | undefined {
    const call = callTypes.has(type)
      ? (this.#calls.get(keyOf(id, name))?.untold() ?? this.#calls.get(keyOf(null, name))?.untold())
      : undefined;
    const known = call ?? this.#blocks.get(`content ${place}`);
    return known?.isTold ? undefined : known;
  }
}

/** Calls of one id, or without one of one name, in their order. */
class SameCalls {
  readonly #blocks: Block[];
  #untold = 0;
  #unmet = 0;

  constructor(block: Block) {
    this.#blocks = [block];
  }

  add(block: Block): void {
    this.#blocks.push(block);
  }

  /** The next whose whole is not told. */
  untold(): Block | undefined {
    while (this.#blocks[this.#untold]?.isTold) this.#untold++;
    return this.#blocks[this.#untold];
  }

  /** The next of which no piece has come. */
  unmet(): Block | undefined {
    while (this.#blocks[this.#unmet]?.isMet) this.#unmet++;
    return this.#blocks[this.#unmet];
  }
}

const keyOf = (id: Json, name: Json): string => (id === null ? `name ${String(name)}` : `id ${String(id)}`);

/** How often each is in a list: several calls may have one id. */
function counts(ids: readonly Json[]): Map<Json, number> {
  const counted = new Map<Json, number>();
  for (const id of ids) counted.set(id, (counted.get(id) ?? 0) + 1);
  return counted;
}

/** Takes one away; whether there was one. */
function take(counted: Map<Json, number>, id: Json): boolean {
  const count = counted.get(id) ?? 0;
  if (count > 0) counted.set(id, count - 1);
  return count > 0;
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
