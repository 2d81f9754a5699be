import type { EncodeContext } from "../../codec/codec.ts";
import { hintsOf } from "../../codec/remainder.ts";
import type { Message } from "../../model/conversation.ts";
import type { Event, MessageHead } from "../../model/events.ts";
import type { Path } from "../../model/issue.ts";
import { isJsonObject, type Json } from "../../model/json.ts";
import type { Part, PartOf } from "../../model/parts.ts";
import { accumulator } from "../../stream/accumulate.ts";
import type { Machine } from "../../stream/machine.ts";
import { tellSpelling } from "../spelling.ts";
import { callHints } from "./call-hints.ts";
import { encode } from "./encode.ts";
import { InputTexts } from "./spelling.ts";
import { type ChunkOptions, SentMessage } from "./stream-sent.ts";
import { family, formOf } from "./wire.ts";

/**
 * Events → chunks. An answer's texts and arguments pass on as they come; at its end it is written whole, as it would be
 * without a stream, and what it says beyond the chunks that are out follows: so whoever adds them up has just that message.
 * Other messages, and OpenAI's form, which has no chunks, are written whole.
 */
export const chunkEncoder = (context: EncodeContext, options: ChunkOptions = {}): ChunkEncoder =>
  new ChunkWriter(context, options);

export interface ChunkEncoder extends Machine<Event, Json> {
  /** A message whose parts had these numbers, in the order in which the chunks have its parts. */
  ordered(message: Message, told: { readonly number: number; readonly parts: ReadonlySet<number> }): Ordered;
}

interface Ordered {
  readonly message: Message;
  /** The stream's numbers of its parts. */
  readonly numbers: readonly number[];
}

class ChunkWriter implements ChunkEncoder {
  readonly #context: EncodeContext;
  readonly #open = new Map<number, OpenWriting>();

  readonly #options: ChunkOptions;

  constructor(context: EncodeContext, options: ChunkOptions) {
    this.#context = context;
    this.#options = options;
  }

  push(event: Event): readonly Json[] {
    if (event.type === "error") return this.#fail(event);
    if (event.type === "message-start" && !this.#open.has(event.message)) {
      if (event.head.role === "assistant") this.#follow(event.message, event.head.id);
      this.#open.set(
        event.message,
        new OpenWriting(event.message, event.head, { context: this.#context, ...this.#options }),
      );
    }
    const open = this.#open.get(event.message);
    return open ? open.take(event) : [];
  }

  /** Of an answer that was cut nothing tells the end: one that follows makes it whole, or is taken for its continuation. */
  #follow(number: number, id: string | undefined): void {
    for (const [before, open] of this.#open) {
      if (!open.isCut) continue;
      this.#context.lose("cut", ["messages", before]);
      if (id === undefined || !open.hasId) this.#context.lose("cut", ["messages", number]);
      open.isCut = false;
    }
  }

  /** The last message says it, as the whole would. */
  #fail(event: Event): readonly Json[] {
    const last = [...this.#open.values()].findLast(({ isWritten }) => !isWritten) ?? [...this.#open.values()].at(-1);
    return last ? last.fail(event) : [];
  }

  end(): readonly Json[] {
    return [...this.#open.values()].flatMap(open => open.end());
  }

  ordered(
    message: Message,
    { number, parts }: { readonly number: number; readonly parts: ReadonlySet<number> },
  ): Ordered {
    const numbers = inTurn(parts);
    return this.#open.get(number)?.ordered(message, numbers) ?? { message, numbers };
  }
}

/** A message while its events come. */
class OpenWriting {
  isWritten = false;
  /** Written to its end, which it has not reached. */
  isCut = false;
  hasId: boolean;
  readonly #number: number;
  readonly #context: EncodeContext;
  readonly #whole = accumulator();
  readonly #sent: SentMessage | undefined;
  readonly #parts = new Set<number>();
  #pair: Json | undefined;
  #hasEnded = false;
  #hasFailed = false;

  constructor(
    number: number,
    head: MessageHead,
    { context, ...options }: ChunkOptions & { readonly context: EncodeContext },
  ) {
    this.#number = number;
    this.#context = context;
    this.hasId = head.id !== undefined;
    const isStreamed = head.role === "assistant" && formOf(context.dialect).container !== "dict";
    this.#sent = isStreamed ? new SentMessage(head, context, options) : undefined;
  }

  take(event: Exclude<Event, { readonly type: "error" }>): readonly Json[] {
    this.#whole.push(event);
    if (event.type === "message-start") {
      this.#pair = hintsOf(event.head, family)["$langgraph"];
      // What is out stays; the new attempt follows it (E9).
      if (this.#parts.size > 0) this.#context.lose("already-sent", ["messages", this.#number]);
    }
    if (event.type === "part-start" || event.type === "part") this.#parts.add(event.part);
    if (this.isWritten) {
      if (event.type !== "message-end") this.#context.lose("late", lateIn(event));
      return [];
    }
    if (event.type === "message-end") {
      this.#hasEnded = true;
      return this.#hasFailed ? [] : this.#write();
    }
    return this.#paired(this.#sent?.take(event) ?? []);
  }

  fail(event: Event): readonly Json[] {
    this.#whole.push(event);
    this.#hasFailed = true;
    return [];
  }

  end(): readonly Json[] {
    this.#whole.end();
    return this.#hasEnded && this.isWritten ? [] : this.#write();
  }

  /** What stands before a part that was out when it came follows it. */
  ordered(message: Message, numbers: readonly number[]): Ordered {
    const order = this.#sent?.inOrder(numbers) ?? numbers;
    if (message.parts.length < numbers.length || order.every((number, place) => number === numbers[place]))
      return { message, numbers };
    const byNumber = new Map(numbers.map((number, place) => [number, message.parts[place]]));
    const parts = [...order.flatMap(number => byNumber.get(number) ?? []), ...message.parts.slice(numbers.length)];
    return { message: { ...message, parts }, numbers: order };
  }

  #write(): readonly Json[] {
    this.isWritten = true;
    const [whole] = this.#whole.messages;
    if (!whole) return [];
    const { message, numbers } = this.ordered(whole, inTurn(this.#parts));
    const isWhole = this.#hasEnded && message.finish?.reason !== "incomplete";
    this.isCut = message.role === "assistant" && !isWhole && !this.#hasFailed;
    this.hasId = message.id !== undefined;
    const context = inNumbers(this.#context, this.#number, numbers);
    reportMoved(numbers, context);
    const cut = this.#sent ? asTold(message, isWhole) : message;
    const wires = this.#encode(this.#named(this.#hasFailed ? this.#asFailed(cut) : cut, context), context);
    const [wire] = wires;
    reportOpen(message, isWhole || this.#hasFailed || !this.#sent, context);
    if (!this.#sent || wires.length !== 1 || wire === undefined) return this.#paired(wires);
    reportIndexes(message, context);
    if (isWhole) this.#reportEmptyCalls(message, { numbers, context });
    return this.#paired(this.#sent.rest(wire, { isWhole, texts: new InputTexts(message), context }));
  }

  /** Chunks say that an answer failed, by its reason to end. */
  #asFailed(message: Message): Message {
    this.#context.lose("stream-error", ["messages", this.#number]);
    return { ...message, finish: { reason: "error" }, parts: message.parts.filter(({ type }) => type !== "error") };
  }

  /** With the provider that the seals are out for. */
  #named(message: Message, context: EncodeContext): Message {
    const provider = this.#sent?.sealer.provider;
    if (provider === undefined || message.provider !== undefined) return message;
    context.lose("provider", ["messages", 0, "provider"], provider);
    return { ...message, provider };
  }

  /** Of a call that stayed open the whole has a block, and the pieces that are out are read as a call without arguments. */
  #reportEmptyCalls(
    { parts }: Message,
    { numbers, context }: { readonly numbers: readonly number[]; readonly context: EncodeContext },
  ): void {
    for (const [place, part] of parts.entries()) {
      const isEmpty = isOwnCall(part) && part.partial && part.input === undefined && part.inputText === undefined;
      if (isEmpty && this.#sent?.hasCall(numbers[place] ?? -1)) {
        context.lose("no-arguments", ["messages", 0, "parts", place, "input"]);
      }
    }
  }

  #encode(message: Message, numbered: EncodeContext): readonly Json[] {
    const context: EncodeContext = { ...numbered, shape: "messages", wrote: () => undefined };
    const isOpen = this.#sent?.sealer.isOpen ?? true;
    tellSpelling(message, context);
    const written = encode({ messages: [message] }, context, !isOpen);
    return Array.isArray(written) ? written : [written];
  }

  /** As LangGraph sends them, where the message was read from it. */
  #paired(wires: readonly Json[]): readonly Json[] {
    const pair = this.#pair;
    return pair === undefined ? wires : wires.map(wire => [wire, pair]);
  }
}

/** Where an event changes its message. */
export const lateIn = (event: Exclude<Event, { readonly type: "error" }>): Path =>
  "part" in event ? ["messages", event.message, "parts", event.part] : ["messages", event.message];

/** Losses of a message that was written alone, in the numbers of its stream; `numbers`: those of its parts, in their order. */
export function inNumbers(context: EncodeContext, message: number, numbers: readonly number[]): EncodeContext {
  const named = ([root = "messages", , member, part, ...rest]: Path): Path => {
    const number = member === "parts" && typeof part === "number" ? (numbers[part] ?? part) : part;
    return [root, message, ...[member, number].filter(step => step !== undefined), ...rest];
  };
  return { ...context, lose: (code, path, detail) => context.lose(code, named(path), detail) };
}

/** The order of parts in their message. */
export const inTurn = (parts: ReadonlySet<number>): readonly number[] => [...parts].sort((a, b) => a - b);

/** Parts that stand behind others which came first, though they belong before them. */
export function reportMoved(numbers: readonly number[], context: EncodeContext): void {
  let last = Number.NEGATIVE_INFINITY;
  for (const [place, number] of numbers.entries()) {
    if (number < last) context.lose("already-sent", ["messages", 0, "parts", place]);
    last = Math.max(last, number);
  }
}

/**
 * Without what a stream that stops says by stopping: that it was cut, and that calls are open. What stands beside the content
 * is out there, whether it is open or not.
 */
function asTold(whole: Message, isWhole: boolean): Message {
  const { finish, ...cut } = whole;
  const parts = whole.parts.map((part): Part => {
    const isTold = (!isWhole && isOwnCall(part)) || hintsOf(part, family)["$kwarg"] !== undefined;
    if (!isTold || !part.partial) return part;
    const { partial: _, ...told } = part;
    return told as Part; // every part may be whole
  });
  return { ...cut, ...(isWhole && finish && { finish }), parts };
}

const isOwnCall = (part: Part): part is PartOf<"tool-call"> =>
  part.type === "tool-call" && part.executedBy === undefined && callHints(part).list !== false;

/** Of blocks that are kept as they are, whoever reads the stream takes the index for the place in it. */
export function reportIndexes({ parts }: Message, { lose }: EncodeContext): void {
  for (const [place, part] of parts.entries()) {
    const index = part.type === "opaque" && isJsonObject(part.value) ? part.value["index"] : undefined;
    if (typeof index === "number" || typeof index === "string")
      lose("block-index", ["messages", 0, "parts", place, "value"]);
  }
}

/** Parts that the chunks leave as open, or as whole, as the message's end says. */
export function reportOpen(message: Message, isWhole: boolean, context: EncodeContext): void {
  for (const [place, part] of message.parts.entries()) {
    const isStreamed =
      part.type === "text" ||
      part.type === "refusal" ||
      (part.type === "reasoning" && part.text !== undefined) ||
      (isOwnCall(part) && !isWhole);
    if (isStreamed && (part.partial === true) === isWhole)
      context.lose("open", ["messages", 0, "parts", place, "partial"]);
  }
}
