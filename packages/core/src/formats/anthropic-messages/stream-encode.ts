import { idsToName, type WriteScope } from "../../blocks/anthropic/node.ts";
import type { EncodeContext } from "../../codec/codec.ts";
import type { Event, MessageHead } from "../../model/events.ts";
import type { Path } from "../../model/issue.ts";
import type { Json, JsonObject } from "../../model/json.ts";
import type { PartOf, ToolCallPart } from "../../model/parts.ts";
import type { Machine } from "../../stream/machine.ts";
import { mergeMembers } from "../../stream/merge.ts";
import { envelopeOf } from "./answer.ts";
import { writeError } from "./error.ts";
import { SentBlock } from "./sent-block.ts";
import { baseScope } from "./wire.ts";

/**
 * Events → stream events. Blocks follow one another here: another part closes an idle text or thinking block, and one that
 * goes on begins a new block; only what comes beside a call whose arguments are half told waits for it (E6).
 */
export const streamEncoder = (context: EncodeContext): Machine<Event, Json> => new EventWriter(context);

type PartEvent = Event & { readonly type: "part-start" | "part" };

/** A message of the assistant, and what is out of it. */
interface Sent {
  readonly number: number;
  head: MessageHead;
  /** What its beginning said of it. */
  begun: MessageHead;
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
  #error: PartOf<"error"> | undefined;

  constructor(context: EncodeContext) {
    this.#context = context;
    this.#scope = { ...baseScope(context), callOf: result => this.#calls.get(result.callId), named: this.#named };
  }

  push(event: Event): readonly Json[] {
    if (event.type === "error") {
      const { message, code } = event.error;
      this.#error = { type: "error", message, ...(code !== undefined && { code }) };
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
        return this.#advance(block);
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
    this.#messages.set(number, {
      number,
      head,
      begun: head,
      isEnded: false,
      blocks: new Map(),
      latest: -1,
      errors: new Map(),
    });
    return isFirst ? [this.#announced(head)] : [];
  }

  /** An answer with an id of its own begins anew, as it did where it was read; of any other what is out stays (E9). */
  #again(known: Sent, head: MessageHead): Json[] {
    const { responseId } = known.head;
    const isOther = responseId !== undefined && head.responseId !== undefined && head.responseId !== responseId;
    const closing = isOther ? [] : this.#leave(true);
    [known.head, known.begun] = [head, isOther ? head : known.begun];
    known.blocks.clear();
    known.latest = -1;
    this.#entered.delete(known.number);
    known.errors.clear();
    this.#waiting.clear();
    this.#current = undefined;
    if (!isOther) {
      this.#context.lose("already-sent", ["messages", known.number]);
      return closing;
    }
    this.#index = 0;
    return [this.#announced(head)];
  }

  /** The answer as far as it is known at the beginning. */
  #announced(head: MessageHead): Json {
    const { finish: _, usage: __, ...begun } = head;
    const context = { ...this.#context, lose: () => undefined };
    return { type: "message_start", message: envelopeOf({ ...begun, parts: [] }, { content: [], path: [], context }) };
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
    if (block.isOver) events.push(...this.#leave(true));
    return this.#current?.holdsOthers ? events : [...events, ...this.#release()];
  }

  /** Whether there is something of it to send that no block of its has said. */
  #wants(block: SentBlock, isNew: boolean): boolean {
    if (!block.isStreamed) return block.isOver;
    if (block.isCall && isNew) return true;
    // A text that does not begin yet would leave an empty block behind.
    return block.hasUnsent || (block.isOver && (!block.hasStarted || block.isUnsigned));
  }

  #enter(block: SentBlock): Json[] {
    const { message, number } = block;
    if (number < (this.#entered.get(message) ?? number)) this.#context.lose("order", ["messages", message, "parts"]);
    this.#entered.set(message, Math.max(number, this.#entered.get(message) ?? number));
    if (!block.isStreamed) {
      const events = block.whole(this.#index);
      this.#index += events.filter(isStop).length;
      return events;
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
    if (last.isEnded || (this.#error && this.#waiting.size > 0)) events.push(...this.#leave(true), ...this.#release());
    this.#report();
    const own = this.#ownError(last);
    const error = this.#error ?? own;
    const head = error ? { ...last.head, finish: undefined } : last.head;
    if (last.isEnded || last.head.usage) events.push(this.#ending(last, head as MessageHead)); // finish is left out
    if (error) events.push(this.#failure(error, ["messages", last.number]));
    else if (last.isEnded) events.push({ type: "message_stop" });
    return events;
  }

  #failure(error: PartOf<"error">, path: Path): Json {
    return { type: "error", error: writeError(error, path, this.#context) };
  }

  /** The error that the last message ends with, if it failed. */
  #ownError(last: Sent): PartOf<"error"> | undefined {
    const latest = Math.max(-1, ...last.errors.keys());
    const isLast = latest > last.latest && last.head.finish?.reason === "error";
    const own = isLast && !this.#error ? last.errors.get(latest) : undefined;
    for (const { number, errors } of this.#messages.values()) {
      for (const [part, error] of errors)
        if (error !== own) this.#context.lose("error-place", ["messages", number, "parts", part]);
    }
    return own;
  }

  /** What the answer says beside its content; counts are its sum. */
  #ending(last: Sent, head: MessageHead): Json {
    const path = ["messages", last.number];
    const whole = envelopeOf({ ...head, parts: [] }, { content: [], path, context: this.#context });
    const { id: _, type: __, role: ___, model: ____, content: _____, usage = {}, ...members } = whole;
    const delta: Record<string, Json> = {};
    const beside: Record<string, Json> = {};
    for (const [key, value] of Object.entries(members)) (eventMembers.has(key) ? beside : delta)[key] = value;
    return { type: "message_delta", delta, ...beside, usage } satisfies JsonObject;
  }

  /** Members that were told of blocks after these were out. */
  #report(): void {
    for (const { number, head, begun, blocks } of this.#messages.values()) {
      for (const member of ["responseId", "model"] as const) {
        if (head[member] !== begun[member]) this.#context.lose("already-sent", ["messages", number, member]);
      }
      for (const [part, block] of blocks)
        if (block.isDone && block.isLate) this.#context.lose("already-sent", ["messages", number, "parts", part]);
    }
  }
}

const isStop = (event: Json): boolean => (event as JsonObject)["type"] === "content_block_stop"; // events are objects

/** These stand beside the delta. */
const eventMembers: ReadonlySet<string> = new Set(["context_management", "input_transformations"]);
