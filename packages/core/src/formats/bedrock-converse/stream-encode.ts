import { asObject, idsToName, type WriteScope } from "../../blocks/bedrock-converse/node.ts";
import { BlockQueue } from "../../blocks/block-queue.ts";
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

/** Events → stream events, block after block (E6). */
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
  readonly #queue: BlockQueue<SentBlock>;
  #error: StreamError | undefined;

  constructor(context: EncodeContext) {
    this.#context = context;
    this.#queue = new BlockQueue((code, path, detail) => context.lose(code, path, detail));
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
    return [];
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
    const closing = this.#queue.restart(known.number);
    known.head = head;
    known.isEnded = false;
    known.blocks.clear();
    known.latest = -1;
    known.errors.clear();
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
      return this.#queue.advance(known);
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
    return this.#queue.advance(block, true);
  }

  end(): readonly Json[] {
    const last = [...this.#messages.values()].at(-1);
    if (!last) return this.#error ? [this.#failure(this.#error, [])] : [];
    const events: Json[] = [];
    // What waits for a call that is never told whole would not be told at all.
    const isOver = last.isEnded || this.#queue.current?.isOver || (this.#error && this.#queue.hasWaiting);
    if (isOver) events.push(...this.#queue.close());
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
