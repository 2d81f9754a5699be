import type { DecodeContext } from "../../codec/codec.ts";
import { kept } from "../../codec/remainder.ts";
import type { Event, MessageHead } from "../../model/events.ts";
import type { Issue } from "../../model/issue.ts";
import { isJsonObject, type Json, type JsonObject } from "../../model/json.ts";
import type { Part } from "../../model/parts.ts";
import { WaitingCalls } from "../waiting-calls.ts";
import { readContent } from "./content.ts";
import { decodeMessage } from "./decode.ts";
import { type ChunkWatch, LosslessMerge } from "./merge-lossless.ts";
import { type ReadChunk, wholeOf } from "./stream-chunk.ts";
import { changes, LiveParts } from "./stream-parts.ts";
import { family } from "./wire.ts";

/** Where the kinds of parts stand in a message: what comes later in it has a higher number (E4). */
const bands = { reasoning: 0, content: 1_000 } as const;
/** Between two blocks there is room for the parts of one. */
const room = 1_000;

/** The blocks whose text comes in pieces: the part that it is, and the member that holds it. */
export const textBlocks: { readonly [type: string]: { readonly of: TextType; readonly member: string } } = {
  text: { of: "text", member: "text" },
  text_delta: { of: "text", member: "text" },
  output_text: { of: "text", member: "text" },
  reasoning: { of: "reasoning", member: "reasoning" },
  thinking: { of: "reasoning", member: "thinking" },
  refusal: { of: "refusal", member: "refusal" },
};
type TextType = "text" | "reasoning" | "refusal";

/**
 * A message whose chunks come. Texts and arguments pass on at once; at its end the chunks are read as the one message that
 * they are together, and what it says more is sent as the difference (E3).
 */
export class LiveMessage {
  readonly number: number;
  readonly ids = new Set<Json>();
  isOver = false;
  #first: ReadChunk;
  #merge: LosslessMerge;
  readonly #context: DecodeContext;
  readonly #issues: Issue[] = [];
  readonly #parts: LiveParts;
  #told: MessageHead | undefined;
  #isLast = false;
  #hasSaidEnd = false;
  readonly #places = new Map<number, number>();
  /** Of calls without a name so far: behind what the content had when they began. */
  readonly #begun = new Map<number, number>();
  readonly #kinds = new Map<number, TextType | "other">();
  readonly #extra: { readonly native?: NonNullable<MessageHead["native"]> };

  constructor(number: number, first: ReadChunk, { context, native }: LiveOptions) {
    this.number = number;
    this.#parts = new LiveParts(number);
    this.#first = first;
    this.#context = context;
    this.#extra = native ? { native } : {};
    this.#merge = this.#start(first);
    this.#merge.begin();
    this.#take(first);
  }

  /** Another chunk of it. A message that comes whole after its chunks says it all again. */
  add(chunk: ReadChunk): void {
    this.isOver = false;
    if (chunk.isWhole) {
      this.#first = chunk;
      this.#merge = new LosslessMerge(chunk, this.#issues, { exact: this.#context.exact }).begin();
    } else this.#merge.add(chunk);
    this.#take(chunk);
  }

  /** The whole, told beside the chunks: what they did not say is taken of it. */
  fill({ fields }: ReadChunk): void {
    this.#merge.fill(fields);
    if (typeof fields["id"] === "string" && fields["id"] !== "") this.ids.add(fields["id"]);
  }

  #start(first: ReadChunk): LosslessMerge {
    const { id, name } = first.fields;
    const role = roles[first.kind] ?? "user";
    this.#told = {
      role: first.kind === "chat" && typeof first.fields["role"] === "string" ? first.fields["role"] : role,
      ...(typeof id === "string" && id !== "" && { id }),
      ...(first.kind === "ai" && typeof name === "string" && { author: { name } }),
      ...this.#extra,
    };
    this.#parts.tell({ type: "message-start", message: this.number, head: this.#told });
    const { exact } = this.#context;
    if (first.kind !== "ai" || first.isWhole) return new LosslessMerge(first, this.#issues, { exact });
    const watch: ChunkWatch = {
      text: (text, place) => this.#parts.say(placeOf(place), { type: "text", text: "" }, { of: "text", text }),
      block: (item, place) => this.#block(item, place),
      call: (item, place) => this.#call(item, place),
    };
    return new LosslessMerge(first, this.#issues, { watch, exact });
  }

  #take({ fields, kind }: ReadChunk): void {
    if (typeof fields["id"] === "string" && fields["id"] !== "") this.ids.add(fields["id"]);
    if (fields["chunk_position"] === "last") this.#isLast = true;
    const { additional_kwargs: beside } = fields;
    const reasoning = isJsonObject(beside) ? beside["reasoning_content"] : undefined;
    if (kind === "ai" && typeof reasoning === "string" && reasoning !== "") {
      const start: Part = { type: "reasoning", text: "", ...kept(family, undefined, { $kwarg: "reasoning_content" }) };
      this.#parts.say(bands.reasoning, start, { of: "reasoning", text: reasoning });
    }
  }

  #block(item: Json, place: number): void {
    if (typeof item === "string") {
      this.#parts.say(placeOf(place), { type: "text", text: "" }, { of: "text", text: item });
      return;
    }
    const type = isJsonObject(item) ? item["type"] : undefined;
    const row = typeof type === "string" && Object.hasOwn(textBlocks, type) ? textBlocks[type] : undefined;
    const text = row && isJsonObject(item) ? item[row.member] : undefined;
    if (!row || typeof text !== "string" || text === "") return;
    const of = this.#kinds.get(place) ?? this.#kindOf(place);
    this.#kinds.set(place, of);
    if (of !== "other") this.#parts.say(placeOf(place), { type: of, text: "" }, { of, text });
  }

  /** What the block will be read as: its type alone does not tell everywhere. */
  #kindOf(place: number): TextType | "other" {
    const { content } = this.#merge;
    const block: Json = Array.isArray(content) ? (content[place] as Json) : content; // the place is in it
    const [part, ...others] = readContent([block], { language: this.#first.form.language, role: "ai" }, silent);
    const isText = part?.type === "text" || part?.type === "reasoning" || part?.type === "refusal";
    return isText && others.length === 0 ? part.type : "other";
  }

  /** A call begins when its name is known; what came before of its arguments goes first. */
  #call(item: Json, place: number): void {
    const chunk = this.#merge.callChunks[place];
    if (!isJsonObject(chunk) || !isJsonObject(item)) return;
    const { name } = chunk;
    const number = this.#callNumber(chunk, place);
    const isNew = !this.#parts.has(number);
    if (typeof name === "string" && name !== "")
      this.#argue({ chunk, number, place }, isNew ? chunk["args"] : item["args"]);
  }

  #argue(
    { chunk, number, place }: { readonly chunk: JsonObject; readonly number: number; readonly place: number },
    text: Json | undefined,
  ): void {
    const { id, name } = chunk;
    const callId = typeof id === "string" && id !== "" ? id : `~${this.number}.${100_000 + place}`;
    this.#parts.say(
      number,
      { type: "tool-call", callId, name: typeof name === "string" ? name : "" },
      { of: "tool-call", text: typeof text === "string" ? text : "" },
    );
  }

  /** Calls that got no name are told at the end: what LangChain reads of a beginning of arguments is less than their text. */
  #argueUnnamed(): void {
    for (const [place, chunk] of this.#merge.callChunks.entries()) {
      if (!isJsonObject(chunk) || chunk["isCustomTool"] === true) continue;
      const { name, args } = chunk;
      if ((name != null && name !== "") || typeof args !== "string" || args === "") continue;
      const number = this.#callNumber(chunk, place);
      if (!this.#parts.has(number)) this.#argue({ chunk, number, place }, args);
    }
  }

  /** Where its block is; without one, behind what the content had when it began: then its block may still follow. */
  #callNumber(chunk: JsonObject, place: number): number {
    const known = this.#places.get(place);
    if (known !== undefined) return known;
    const block = this.#blockOf(chunk["id"]);
    const number = block === undefined ? this.#begunAt(place) : placeOf(block);
    if (typeof chunk["name"] === "string" && chunk["name"] !== "") this.#places.set(place, number);
    return number;
  }

  #begunAt(place: number): number {
    const known = this.#begun.get(place);
    if (known !== undefined) return known;
    const { content } = this.#merge;
    const length = Array.isArray(content) ? content.length : content === "" ? 0 : 1;
    const number = placeOf(length) - room / 2 + offsetOf(place);
    this.#begun.set(place, number);
    return number;
  }

  /** The place of the block of the content that tells of the same call: it comes with the call's first piece. */
  #blockOf(id: Json | undefined): number | undefined {
    const { content } = this.#merge;
    if (!Array.isArray(content) || typeof id !== "string" || id === "") return undefined;
    const from = Math.max(0, content.length - 8);
    const place = content
      .slice(from)
      .findIndex(
        (block: Json) => isJsonObject(block) && (block["id"] === id || block["call_id"] === id) && isTool(block),
      );
    return place < 0 ? undefined : from + place;
  }

  /** What is new since it was asked. */
  drain(): Event[] {
    return this.#parts.drain();
  }

  /** Says the rest. `isNext`: another message has begun, so this one is whole. */
  finish({ isNext }: { readonly isNext: boolean }): void {
    if (this.#first.kind === "ai" && !this.#first.isWhole) this.#argueUnnamed();
    const message = decodeMessage(this.#first.isWhole ? this.#first.wire : wholeOf(this.#first, this.#merge.fields()), {
      context: this.#context,
      path: [],
      index: this.number,
      unanswered: new WaitingCalls(),
    });
    for (const { code, message: said, wirePath } of this.#issues.splice(0))
      this.#context.issue(code, wirePath ?? [], said);
    const { parts, ...read } = message;
    const native = mergedNative(read.native, this.#extra.native);
    const head: MessageHead = { ...read, ...(native && { native }) };
    const reason = head.finish?.reason;
    const isWhole = this.#isLast || isNext || this.#first.isWhole || this.#first.kind !== "ai";
    const hasEnded = isWhole || (reason !== undefined && reason !== "incomplete");
    this.#parts.complete(parts, hasEnded);
    const { finish: _, ...others } = head;
    const set = changes(this.#told, hasEnded ? head : others);
    if (Object.keys(set).length > 0) this.#parts.tell({ type: "message-set", message: this.number, set });
    this.#told = { ...head, ...set };
    if (hasEnded && !this.#hasSaidEnd) this.#parts.tell({ type: "message-end", message: this.number });
    this.#hasSaidEnd ||= hasEnded;
    this.isOver = hasEnded;
  }
}

export interface LiveOptions {
  readonly context: DecodeContext;
  /** What is said of the message beside it. */
  readonly native?: NonNullable<MessageHead["native"]> | undefined;
}

const roles: { readonly [kind: string]: string } = {
  ai: "assistant",
  human: "user",
  system: "system",
  tool: "tool",
  function: "tool",
};

const silent = { issue: () => undefined };

/** Of the calls of one message each has its own, below 400. */
const offsetOf = (place: number): number => (place < 400 ? place : 400 - 1 / (place - 398));

const placeOf = (place: number): number => bands.content + place * room;

const isTool = ({ type }: JsonObject): boolean => typeof type === "string" && /tool|function_call/.test(type);

function mergedNative(left: MessageHead["native"], right: MessageHead["native"]): MessageHead["native"] {
  if (!left || !right) return left ?? right;
  const merged: { [family: string]: JsonObject } = { ...left };
  for (const key of Object.keys(right)) merged[key] = { ...left[key], ...right[key] };
  return merged;
}
