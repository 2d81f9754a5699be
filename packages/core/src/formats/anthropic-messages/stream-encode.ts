import { idsToName, type WriteScope } from "../../blocks/anthropic/node.ts";
import { BlockQueue } from "../../blocks/block-queue.ts";
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

/** Events → stream events, block after block (E6). */
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
  readonly #queue: BlockQueue<SentBlock>;
  #error: PartOf<"error"> | undefined;

  constructor(context: EncodeContext) {
    this.#context = context;
    this.#queue = new BlockQueue((code, path, detail) => context.lose(code, path, detail));
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
        return this.#queue.endAll(sent.blocks.values());
      case "part-start":
      case "part":
        return this.#part(sent, event);
      default:
        return this.#partEvent(sent.blocks.get(event.part), event);
    }
  }

  #partEvent(block: SentBlock | undefined, event: Event): Json[] {
    if (event.type !== "part-set") return this.#queue.take(block, event);
    block?.set(event.set);
    return block ? this.#queue.advance(block) : [];
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
    const closing = isOther ? [] : this.#queue.restart(known.number);
    [known.head, known.begun] = [head, isOther ? head : known.begun];
    known.blocks.clear();
    known.latest = -1;
    known.errors.clear();
    if (!isOther) {
      this.#context.lose("already-sent", ["messages", known.number]);
      return closing;
    }
    this.#queue.reset();
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
      return this.#queue.advance(known);
    }
    if (value.type === "tool-call") this.#calls.set(value.callId, value);
    for (const id of idsToName([{ parts: [value] }])) this.#named.add(id);
    sent.latest = Math.max(number, sent.latest);
    const block = new SentBlock({ message: sent.number, part: number }, value, {
      isOpen: type === "part-start",
      scope: this.#scope,
    });
    sent.blocks.set(number, block);
    return this.#queue.advance(block, true);
  }

  end(): readonly Json[] {
    const last = [...this.#messages.values()].at(-1);
    if (!last) return this.#error ? [this.#failure(this.#error, [])] : [];
    const events: Json[] = [];
    // What waits for a call that is never told whole would not be told at all.
    if (last.isEnded || (this.#error && this.#queue.hasWaiting)) events.push(...this.#queue.close());
    this.#report();
    const own = this.#ownError(last);
    const error = this.#error ?? own;
    const isTold = last.isEnded || last.head.usage !== undefined;
    const head = error || !isTold ? { ...last.head, finish: undefined } : last.head;
    // Made of a cut answer too: what its beginning had to make up is told by it.
    const ending = this.#ending(last, head as MessageHead); // finish is left out
    if (isTold) events.push(ending);
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

/** These stand beside the delta. */
const eventMembers: ReadonlySet<string> = new Set(["context_management", "input_transformations"]);
