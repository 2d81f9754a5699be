import { asObject, idsToName, type WriteScope } from "../../blocks/bedrock-converse/node.ts";
import type { EncodeContext } from "../../codec/codec.ts";
import { hintsOf } from "../../codec/remainder.ts";
import type { Event, MessageHead, StreamError } from "../../model/events.ts";
import type { Path } from "../../model/issue.ts";
import type { Json } from "../../model/json.ts";
import type { PartOf, ToolCallPart } from "../../model/parts.ts";
import type { Machine } from "../../stream/machine.ts";
import { mergeMembers } from "../../stream/merge.ts";
import { stopOf, usageOf } from "./answer.ts";
import { writeException } from "./error.ts";
import { SentBlock } from "./sent-block.ts";
import { baseScope, family } from "./wire.ts";

/**
 * Events → stream events. Blocks follow one another here: another part closes an idle text or reasoning block, and one
 * that goes on begins a new block; only what comes beside a call whose arguments are half told waits for it (E6).
 */
export const streamEncoder = (context: EncodeContext): Machine<Event, Json> => new EventWriter(context);

type PartEvent = Event & { readonly type: "part-start" | "part" };

/** A message of the assistant, and what is out of it. */
interface Sent {
  readonly number: number;
  head: MessageHead;
  isEnded: boolean;
  readonly blocks: Map<number, SentBlock>;
  /** The number of its latest part. */
  latest: number;
  /** Errors in it, which are no blocks. */
  readonly errors: Map<number, PartOf<"error">>;
}

class EventWriter implements Machine<Event, Json> {
  readonly #context: EncodeContext;
  readonly #scope: WriteScope;
  readonly #messages = new Map<number, Sent>();
  readonly #calls = new Map<string, ToolCallPart>();
  readonly #named = new Set<string>();
  /** The block that is open, and those that wait for it. */
  #current: SentBlock | undefined;
  #waiting = new Set<SentBlock>();
  /** The highest number, by message, of the parts that have a block. */
  readonly #entered = new Map<number, number>();
  /** Number of the next block. */
  #index = 0;
  #error: StreamError | undefined;

  constructor(context: EncodeContext) {
    this.#context = context;
    this.#scope = { ...baseScope(context), callOf: result => this.#calls.get(result.callId), named: this.#named };
  }

  push(event: Event): readonly Json[] {
    if (event.type === "error") {
      this.#error = event.error;
      return [];
    }
    if (event.type === "message-start") return this.#start(event.message, event.head);
    const sent = this.#messages.get(event.message);
    if (!sent) return [];
    switch (event.type) {
      case "message-set":
        sent.head = mergeMembers(sent.head, event.set);
        return [];
      case "message-end":
        sent.isEnded = true;
        return this.#endMessage(sent);
      case "part-start":
      case "part":
        return this.#part(sent, event);
      default:
        return this.#partEvent(sent.blocks.get(event.part), event);
    }
  }

  #partEvent(block: SentBlock | undefined, event: Event): Json[] {
    if (!block) return [];
    switch (event.type) {
      case "part-delta":
        block.delta(event.text);
        return this.#advance(block);
      case "citation":
        block.cite(event.citation);
        return this.#advance(block);
      case "part-set":
        block.set(event.set);
        return [];
      case "part-end":
        block.end();
        return this.#advance(block);
      default:
        return [];
    }
  }

  #start(number: number, head: MessageHead): Json[] {
    const known = this.#messages.get(number);
    if (known) return this.#again(known, head);
    if (head.role !== "assistant") {
      this.#context.lose("not-the-answer", ["messages", number]);
      return [];
    }
    for (const each of this.#messages.size > 0 ? [...this.#messages.keys(), number] : []) {
      this.#context.lose("messages-joined", ["messages", each]);
    }
    const isFirst = this.#messages.size === 0;
    this.#messages.set(number, { number, head, isEnded: false, blocks: new Map(), latest: -1, errors: new Map() });
    return isFirst ? [{ messageStart: { role: "assistant" } }] : [];
  }

  /** What is out stays, and the new attempt follows it (E9): answers have no ids that would tell one from another. */
  #again(known: Sent, head: MessageHead): Json[] {
    const closing = this.#leave(true);
    known.head = head;
    known.isEnded = false;
    known.blocks.clear();
    known.latest = -1;
    this.#entered.delete(known.number);
    known.errors.clear();
    this.#waiting.clear();
    this.#context.lose("already-sent", ["messages", known.number]);
    return closing;
  }

  #part(sent: Sent, { value, part: number, type }: PartEvent): Json[] {
    if (value.type === "error") {
      sent.errors.set(number, value);
      return [];
    }
    const known = sent.blocks.get(number);
    if (known?.hasStarted || known?.isDone) {
      // Told again as a whole: what is out stays.
      this.#context.lose("already-sent", ["messages", sent.number, "parts", number]);
      known.end();
      return this.#advance(known);
    }
    if (value.type === "tool-call") this.#calls.set(value.callId, value);
    for (const id of idsToName([{ parts: [value] }])) this.#named.add(id);
    sent.latest = Math.max(number, sent.latest);
    const block = new SentBlock({ message: sent.number, part: number }, value, {
      isOpen: type === "part-start",
      scope: this.#scope,
      lose: (code, path, detail) => this.#context.lose(code, path, detail),
    });
    sent.blocks.set(number, block);
    return this.#advance(block, true);
  }

  /** Sends what is new of a block, once no other holds it up. */
  #advance(block: SentBlock, isNew = false): Json[] {
    const isCurrent = this.#current === block;
    if (block.isDone || (!isCurrent && !this.#wants(block, isNew))) return [];
    if (!isCurrent && this.#current?.holdsOthers) {
      this.#waiting.add(block);
      return [];
    }
    const events: Json[] = [];
    if (!isCurrent) events.push(...this.#leave(false), ...this.#enter(block));
    if (this.#current !== block) return [...events, ...this.#release()];
    events.push(...block.flush(this.#index));
    if (block.isOver && !block.isLasting) events.push(...this.#leave(true));
    return this.#current?.holdsOthers ? events : [...events, ...this.#release()];
  }

  /** Whether there is something of it to send that no block of its has said. */
  #wants(block: SentBlock, isNew: boolean): boolean {
    if (!block.isStreamed) return block.isOver;
    if (block.isCall && isNew) return true;
    // A text that does not begin yet would leave an empty block behind.
    return block.hasUnsent || (block.isOver && !block.hasStarted);
  }

  #enter(block: SentBlock): Json[] {
    const { message, number } = block;
    if (number < (this.#entered.get(message) ?? number)) this.#context.lose("order", ["messages", message, "parts"]);
    this.#entered.set(message, Math.max(number, this.#entered.get(message) ?? number));
    if (!block.isStreamed) {
      const written = block.whole(this.#index).filter(({ length }) => length > 0);
      this.#index += written.length;
      return written.flat();
    }
    const events = block.begin(this.#index);
    if (events) this.#current = block;
    else block.isDone = true;
    return events ?? [];
  }

  /** The open block ends; `isLast`: so does its part. */
  #leave(isLast: boolean): Json[] {
    const block = this.#current;
    if (!block) return [];
    this.#current = undefined;
    return block.close(this.#index++, isLast || block.isOver);
  }

  /** What waited goes on, until another call holds the rest up. */
  #release(): Json[] {
    const events: Json[] = [];
    for (const block of this.#waiting) {
      if (this.#current?.holdsOthers) break;
      this.#waiting.delete(block);
      events.push(...this.#advance(block, true));
    }
    return events;
  }

  #endMessage(sent: Sent): Json[] {
    const events: Json[] = [];
    for (const block of sent.blocks.values()) {
      if (block.isOver || block.isDone) continue;
      this.#context.lose("open", ["messages", sent.number, "parts", block.number]);
      block.end();
      events.push(...this.#advance(block));
    }
    return events;
  }

  end(): readonly Json[] {
    const last = [...this.#messages.values()].at(-1);
    if (!last) return this.#error ? [this.#failure(this.#error, [])] : [];
    const events: Json[] = [];
    // What waits for a call that is never told whole would not be told at all.
    const isOver = last.isEnded || this.#current?.isOver || (this.#error && this.#waiting.size > 0);
    if (isOver) events.push(...this.#leave(true), ...this.#release());
    for (const { blocks } of this.#messages.values()) for (const block of blocks.values()) block.report();
    const error = this.#error ?? this.#ownError(last);
    // A cut answer has no end here either: readers know it by that.
    const isCut = last.head.finish?.reason === "incomplete" && last.head.finish.raw === undefined;
    const isWhole = last.isEnded && !error && !isCut;
    const path = ["messages", last.number];
    const { stop, metadata } = this.#ending(last.head, path, isWhole);
    if (isWhole) events.push({ messageStop: stop });
    if (Object.keys(asObject(metadata)).length > 0) events.push({ metadata });
    if (error) events.push(this.#failure(error, path));
    return events;
  }

  #failure(error: StreamError, path: Path): Json {
    return writeException(error, () => this.#context.lose("error-type", path, error.code));
  }

  /** The error that the last message ends with, if it failed. */
  #ownError(last: Sent): PartOf<"error"> | undefined {
    const latest = Math.max(-1, ...last.errors.keys());
    const isLast = latest > last.latest && last.head.finish?.reason === "error";
    const own = isLast ? last.errors.get(latest) : undefined;
    for (const { number, errors } of this.#messages.values()) {
      for (const [part, error] of errors)
        if (error !== own) this.#context.lose("error-place", ["messages", number, "parts", part]);
    }
    return own;
  }

  /** What the answer says beside its content. */
  #ending(head: MessageHead, path: Path, isWhole: boolean): { readonly stop: Json; readonly metadata: Json } {
    const context = this.#context;
    const { additionalModelResponseFields, ...others } = asObject(hintsOf(head, family)["answer"]);
    const stopReason = isWhole ? stopOf(head, { path, context, isWanted: true }) : undefined;
    const usage = usageOf(head, { path, context, isWanted: false });
    return {
      stop: {
        ...(stopReason !== undefined && { stopReason }),
        ...(additionalModelResponseFields !== undefined && { additionalModelResponseFields }),
      },
      metadata: { ...(usage && { usage }), ...others },
    };
  }
}
