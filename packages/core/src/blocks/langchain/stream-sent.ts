import type { EncodeContext } from "../../codec/codec.ts";
import { hintsOf } from "../../codec/remainder.ts";
import type { Event, MessageHead } from "../../model/events.ts";
import {
  equalJson,
  isJsonObject,
  type Json,
  type JsonObject,
  type MutableJsonObject,
  setMember,
} from "../../model/json.ts";
import type { Part, PartOf } from "../../model/parts.ts";
import type { OpenPart } from "../../stream/open-part.ts";
import { isOfItem, isSealedBeside } from "./beside-seals.ts";
import { asBlock } from "./calls.ts";
import { isOfChunk } from "./chunk-calls.ts";
import { langchainContent } from "./content.ts";
import { providerOfSeals } from "./content-seals.ts";
import { encode } from "./encode.ts";
import type { InputTexts } from "./spelling.ts";
import { SentCalls } from "./stream-calls.ts";
import { textBlocks } from "./stream-live.ts";
import {
  answerChunk,
  inOrderOf,
  isEmptyText,
  isPlainCall,
  isText,
  listOf,
  membersOf,
  type OpenText,
} from "./stream-pieces.ts";
import { WaitingParts } from "./waiting-parts.ts";
import { type Form, family, formOf } from "./wire.ts";

type PartEvent = Exclude<Event, { readonly type: "error" | "message-start" | "message-set" | "message-end" }>;

export interface ChunkOptions {
  /** Calls have their places among the blocks: what stands before a call is sent before it. */
  readonly areCallsInside?: boolean;
}

/** What there is to say beyond what is out: whether it is all, and the texts of the arguments that the whole has as objects. */
interface Rest {
  readonly isWhole: boolean;
  readonly texts: InputTexts;
  readonly context: EncodeContext;
}

/** What of an answer is out, as chunks. */
export class SentMessage {
  readonly #context: EncodeContext;
  readonly #form: Form;
  readonly #head: MessageHead;
  readonly #areCallsInside: boolean;
  /** The blocks of the content that are out; text that was sent as such is the first. */
  readonly #blocks: MutableJsonObject[] = [];
  #isString = false;
  readonly #texts = new Map<number, OpenText>();
  #holdsCalls = false;
  #lastText: number | undefined;
  /** Parts to come that share a block with the last one. */
  #groupLeft = 0;
  readonly #calls = new SentCalls();
  readonly #beside: MutableJsonObject = {};
  /** The numbers of the parts that have a place in what is out, in the order of their places. */
  readonly #placed = new Set<number>();
  /** Parts that are not sent as they come: they go out before the next text, to stand in their place. */
  readonly #waiting = new WaitingParts();
  #id: string | undefined;
  #isFirst = true;
  /** Under whose name the first seal went out; none is another, where seals are out. */
  #provider: string | undefined;
  #isSealed = false;

  constructor(head: MessageHead, context: EncodeContext, { areCallsInside = false }: ChunkOptions) {
    this.#areCallsInside = areCallsInside;
    this.#head = head;
    this.#context = context;
    this.#form = formOf(context.dialect);
    this.#id = head.id;
  }

  take(event: Event): readonly Json[] {
    switch (event.type) {
      case "message-start":
        return this.#isFirst ? [this.#chunk({})] : [];
      case "message-set":
        this.#id ??= event.set.id;
        return [];
      case "message-end":
      case "error":
        return [];
      default:
        return this.#takePart(event);
    }
  }

  /** The provider that what is out was written for, where only the seals tell it; `isOpen`: none is out yet. */
  get sealer(): { readonly provider: string | undefined; readonly isOpen: boolean } {
    return { provider: this.#provider, isOpen: !this.#isSealed };
  }

  /** Whether pieces of the call of this number are out. */
  hasCall(number: number): boolean {
    return this.#calls.has(number);
  }

  /** The numbers of parts in the order in which a reader gets them: what is not out yet follows what is. */
  inOrder(numbers: readonly number[]): readonly number[] {
    return [...this.#placed, ...numbers.filter(number => !this.#placed.has(number))];
  }

  #takePart(event: PartEvent): readonly Json[] {
    if (event.type === "part-start" || event.type === "part") return this.#start(event);
    if (event.type !== "part-delta") {
      this.#waiting.follow(event);
      return [];
    }
    const text = this.#texts.get(event.part);
    if (text) {
      this.#placed.add(event.part);
      return [this.#chunk(this.#piece(text, event.text))];
    }
    this.#waiting.follow(event);
    const piece = this.#calls.argue(event.part, event.text);
    return piece === undefined ? [] : [this.#chunk({ tool_call_chunks: [piece] })];
  }

  #start({ part: number, value, type }: Extract<PartEvent, { type: "part-start" | "part" }>): readonly Json[] {
    if (this.#texts.has(number) || this.#calls.has(number)) return []; // replaced: the whole will tell
    const isOfGroup = this.#isOfGroup(value);
    if (type === "part-start" && !isOfItem(value) && !isOfGroup) {
      if (isPlainCall(value) && !this.#holdsCalls && this.#waiting.isReady) {
        const settled = this.#areCallsInside ? this.#settle() : [];
        return [...settled, ...this.#flushSaid(), this.#startCall(number, value)];
      }
      const flushed = isText(value) ? [...this.#settle(), ...this.#flush()] : [];
      const text = isText(value) ? this.#openText(value) : undefined;
      if (text) {
        if (text.to !== "content") this.#placed.add(number);
        this.#lastText = number;
        this.#texts.set(number, text);
        return flushed;
      }
      this.#wait(number, value, true);
      return flushed;
    }
    // Parts of one item go out together, with what follows them.
    this.#wait(number, value, type === "part-start");
    return [];
  }

  /** Whether the part shares a block with those around it. */
  #isOfGroup(part: Part): boolean {
    const { $parts: count } = hintsOf(part, langchainContent);
    if (typeof count === "number") this.#groupLeft = count > 1 ? count : 0;
    const isInside = this.#groupLeft > 0 && part.type === "reasoning";
    this.#groupLeft = isInside ? this.#groupLeft - 1 : 0;
    return isInside;
  }

  #wait(number: number, value: Part, isOpen: boolean): void {
    // Calls stay in their order: behind one that waits they all do.
    if (value.type === "tool-call" && value.executedBy === undefined) this.#holdsCalls = true;
    this.#waiting.add(number, value, isOpen);
  }

  // texts

  #openText(part: PartOf<"text" | "reasoning" | "refusal">): OpenText | undefined {
    const isAlone = this.#blocks.length === 0 && !this.#isString;
    const { $kwarg: beside } = hintsOf(part, family);
    if (part.type === "reasoning" && beside === "reasoning_content" && isAlone && this.#calls.size === 0) {
      return { to: { beside }, member: beside, start: undefined };
    }
    if (part.type === "refusal" && beside === "refusal") return undefined; // its place is told by what follows it
    const [block, more] = this.#blocksOf([{ ...part, text: "" }]);
    if (more !== undefined || !isJsonObject(block)) return undefined;
    const type = block["type"];
    const row = typeof type === "string" && Object.hasOwn(textBlocks, type) ? textBlocks[type] : undefined;
    if (!row || row.of !== part.type) return undefined;
    if (isAlone && part.type === "text" && Object.keys(block).length === 2) {
      return { to: "content", member: "text", start: block };
    }
    if (this.#isString && this.#blocks.length === 0) this.#blocks.push({ type: "text", text: "" });
    return { to: { place: this.#reserve() }, member: row.member, start: block };
  }

  /** A text that got none before the next part begins is sent empty, so that it keeps its place. */
  #settle(): Json[] {
    const number = this.#lastText;
    const open = number === undefined ? undefined : this.#texts.get(number);
    if (number === undefined || open?.start === undefined || (open.to === "content" && this.#isString)) return [];
    const place = typeof open.to === "object" && "place" in open.to ? open.to.place : this.#reserve();
    this.#placed.add(number);
    const settled: OpenText = { ...open, to: { place }, start: open.member === "text" ? open.start : undefined };
    this.#texts.set(number, settled);
    // Reasoning without a text may turn out hidden (E2).
    const { [open.member]: _, ...hidden } = open.start;
    if (open.member !== "text") return [this.#chunk({ content: this.#fill(place, hidden) })];
    return [this.#chunk(this.#piece(settled, ""))];
  }

  #fill(place: number, block: JsonObject): Json[] {
    this.#blocks[place] = { ...block };
    return [{ ...block, index: place }];
  }

  /** A place in the list, taken at the part's start and filled with its first text. */
  #reserve(): number {
    this.#blocks.push({});
    return this.#blocks.length - 1;
  }

  #piece(open: OpenText, text: string): JsonObject {
    const { to, member, start } = open;
    if (to === "content") {
      this.#isString = true;
      const block = this.#blocks[0] ?? { type: "text", text: "" };
      this.#blocks[0] = block;
      block["text"] = `${block["text"] as string}${text}`; // its own
      return { content: text };
    }
    if ("beside" in to) {
      this.#beside[to.beside] = `${(this.#beside[to.beside] as string | undefined) ?? ""}${text}`; // its own
      return { additional_kwargs: { [to.beside]: text } };
    }
    const block = this.#blocks[to.place] ?? {};
    open.start = undefined;
    if (start) Object.assign(block, start);
    block[member] = `${(block[member] as string | undefined) ?? ""}${text}`; // its own
    const type = block["type"] ?? null;
    return { content: [{ ...(start ?? { type }), [member]: text, index: to.place }] };
  }

  // calls

  #startCall(number: number, part: PartOf<"tool-call">): Json {
    if (this.#areCallsInside) this.#placed.add(number);
    // Where text follows, the call is a block of the content before it.
    this.#waiting.add(number, part, true);
    return this.#chunk({ tool_call_chunks: [this.#calls.start(number, part)] });
  }

  /** Sends what waits and stands in the content: the call that comes now stands behind it. */
  #flushSaid(): Json[] {
    const said = this.#waiting.takeSaid();
    return said.length === 0 ? [] : [...this.#settle(), ...this.#send(said)];
  }

  /** Sends the parts that wait, in their order: a text that comes now stands behind them. */
  #flush(): Json[] {
    return this.#send(this.#waiting.takeAll());
  }

  #send(waiting: readonly OpenPart[]): Json[] {
    for (const { number } of waiting) this.#placed.add(number);
    const parts = waiting.map(part => part.read(true));
    const blocks =
      parts.length === 0 ? [] : this.#blocksOf(parts.map(part => (part.type === "tool-call" ? asBlock(part) : part)));
    return blocks.length === 0 ? [] : [this.#chunk({ content: this.#append(blocks) })];
  }

  /** As they are in the content of a message that goes on after them. */
  #blocksOf(parts: readonly Part[]): readonly Json[] {
    const after: Part = { type: "text", text: "…" };
    const context: EncodeContext = {
      ...this.#context,
      shape: "messages",
      wrote: () => undefined,
      lose: () => undefined,
    };
    this.#seal(parts);
    const provider = this.#head.provider ?? this.#provider;
    const messages = [{ ...this.#head, ...(provider !== undefined && { provider }), parts: [...parts, after] }];
    const [wire] = encode({ messages }, context, true) as readonly Json[]; // a list of messages
    const content = membersOf(wire)["content"];
    return Array.isArray(content) ? content.slice(0, -1) : [];
  }

  #seal(parts: readonly Part[]): void {
    const sealed = parts.filter(part => part.seal !== undefined && !isSealedBeside(part));
    if (sealed.length === 0 || this.#head.provider !== undefined) return;
    if (!this.#isSealed || this.#provider === undefined) this.#provider = providerOfSeals(sealed, this.#form.language);
    this.#isSealed = true;
  }

  #append(blocks: readonly Json[]): Json[] {
    if (this.#isString && this.#blocks.length === 0) this.#blocks.push({ type: "text", text: "" });
    return blocks.map(block => {
      const place = this.#reserve();
      this.#blocks[place] = isJsonObject(block) ? { ...block } : { type: "text", text: block };
      if (!isJsonObject(block)) return block;
      return { ...block, index: place };
    });
  }

  // the rest

  /** What the whole says beyond what is out. */
  rest(whole: Json, { isWhole, texts, context }: Rest): readonly Json[] {
    const members = membersOf(whole);
    const { content = "", tool_calls, invalid_tool_calls, tool_call_chunks, additional_kwargs, ...others } = members;
    const { type: _, ...fields }: MutableJsonObject = { ...others };
    fields["content"] = this.#restOfContent(content, context);
    const entries = inOrderOf(content, [...listOf(tool_calls), ...listOf(invalid_tool_calls)]);
    const calls = this.#calls.rest(entries, { texts, context });
    if (calls.length > 0) fields["tool_call_chunks"] = calls;
    // What a message kept of its own stream is told by the pieces of its calls.
    const isTold = (piece: Json): boolean => entries.some(call => isJsonObject(call) && isOfChunk(call, piece));
    if (!listOf(tool_call_chunks).every(isTold)) context.lose("call-member", ["messages", 0], "tool_call_chunks");
    const beside = this.#restBeside(isJsonObject(additional_kwargs) ? additional_kwargs : {}, context);
    if (Object.keys(beside).length > 0) fields["additional_kwargs"] = beside;
    // JavaScript ignores it; without it a message that follows, and has no id, would be more of this one.
    if (isWhole) fields["chunk_position"] = "last";
    return [this.#chunk(fields)];
  }

  #restOfContent(content: Json, context: EncodeContext): Json {
    const sent = this.#blocks;
    if (typeof content === "string") {
      if (sent.length === 0) return content;
      const isSent = sent.length === 1 && this.#isString && sent[0]?.["text"] === content;
      if (!isSent) context.lose("already-sent", ["messages", 0, "parts"]);
      return isSent ? "" : content;
    }
    if (!Array.isArray(content)) return content;
    const rest: Json[] = [];
    for (const [place, block] of content.entries()) {
      const known = sent[place];
      if (place > 0 && this.#form.language === "js" && isEmptyText(block)) {
        context.lose("empty-block", ["messages", 0, "parts"]);
      }
      if (known === undefined)
        rest.push(...this.#append([block as Json])); // an item of JSON
      else rest.push(...this.#restOfBlock(known, block as Json, { place, context })); // an item of JSON
    }
    return rest.length > 0 ? rest : sent.length > 0 || content.length > 0 ? "" : content;
  }

  #restOfBlock(
    sent: JsonObject,
    whole: Json,
    { place, context }: { readonly place: number; readonly context: EncodeContext },
  ): readonly Json[] {
    const block: JsonObject = isJsonObject(whole) ? whole : { type: "text", text: whole };
    if (Object.keys(sent).length === 0) return isJsonObject(whole) ? [{ ...whole, index: place }] : [whole];
    const added: MutableJsonObject = {};
    for (const key of Object.keys(block)) {
      if (key === "index" || equalJson(sent[key], block[key])) continue;
      if (sent[key] !== undefined) context.lose("already-sent", ["messages", 0, "parts"], key);
      else setMember(added, key, block[key] ?? null);
    }
    if (Object.keys(added).length === 0) return [];
    const type = block["type"] ?? null;
    if (place > 0 || !this.#isString) return [{ type, ...added, index: place }];
    // The content was a text, to which nothing can be added.
    context.lose("late", ["messages", 0, "parts", 0], Object.keys(added).join(", "));
    return [{ type, text: "", ...added }];
  }

  #restBeside(whole: JsonObject, context: EncodeContext): JsonObject {
    const rest: MutableJsonObject = {};
    for (const key of Object.keys(whole)) {
      if (!Object.hasOwn(this.#beside, key)) setMember(rest, key, whole[key] ?? null);
      else if (this.#beside[key] !== whole[key]) context.lose("already-sent", ["messages", 0, "parts"], key);
    }
    for (const key of Object.keys(this.#beside)) {
      if (!Object.hasOwn(whole, key)) context.lose("already-sent", ["messages", 0, "parts"], key);
    }
    return rest;
  }

  #chunk(fields: JsonObject): Json {
    this.#isFirst = false;
    return answerChunk({ ...(this.#id !== undefined && { id: this.#id }), ...fields }, this.#form, this.#context.exact);
  }
}
