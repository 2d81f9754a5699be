import { type ReadChunk, readChunk } from "../../blocks/langchain/stream-chunk.ts";
import { LiveMessage } from "../../blocks/langchain/stream-live.ts";
import { WaitingCalls } from "../../blocks/waiting-calls.ts";
import type { DecodeContext } from "../../codec/codec.ts";
import { kept } from "../../codec/remainder.ts";
import type { Event } from "../../model/events.ts";
import { isJsonObject, type Json } from "../../model/json.ts";
import type { Machine } from "../../stream/machine.ts";
import { ProtocolMessage } from "./protocol-decode.ts";
import { type Read, readRecord, recordsFamily } from "./records.ts";

type Live =
  | { readonly of: "protocol"; readonly message: ProtocolMessage }
  | { readonly of: "run"; readonly message: LiveMessage };

interface Begun {
  readonly number: number;
  readonly input: Json | undefined;
  readonly head: { readonly [key: string]: Json };
}

export interface ReadOptions {
  /** The number of the first message. */
  readonly first?: number;
  readonly isWhole?: boolean;
}

/** Records → events. A message is one of the protocol's, the answer of a model's run, or what a tool's run gave back. */
export class RecordReader implements Machine<Json, Event> {
  /** The message that the last record is of; undefined where it is of none. */
  owner: number | undefined;
  readonly #context: DecodeContext;
  readonly #byScope = new Map<string, Live>();
  readonly #live: Live[] = [];
  /** Runs that have begun, and have said nothing yet. */
  readonly #begun = new Map<string, Begun>();
  readonly #unanswered = new WaitingCalls();
  readonly #isWhole: boolean;
  #next: number;
  #count = 0;

  /** `isWhole`: all records are read together, and the messages that were put in by themselves; else an answer keeps them. */
  constructor(context: DecodeContext, { first = 0, isWhole = false }: ReadOptions = {}) {
    this.#context = context;
    this.#next = first;
    this.#isWhole = isWhole;
  }

  push(wire: Json): readonly Event[] {
    const place = this.#count++;
    const read = readRecord(wire);
    const events: Event[] = [];
    this.owner = undefined;
    switch (read.kind) {
      case "protocol":
        this.#protocol(read, events);
        break;
      case "other":
        this.#context.lose("record", ["messages"], nameOf(wire));
        break;
      default:
        this.#run(read, place, events);
    }
    return events;
  }

  #protocol({ scope, event, head }: Extract<Read, { kind: "protocol" }>, events: Event[]): void {
    const known = this.#byScope.get(scope);
    const open = known?.of === "protocol" && !known.message.isOver ? known.message : undefined;
    if (event["event"] === "error") {
      this.owner = open?.number;
      const { message, code } = event;
      const text = typeof message === "string" ? message : "the stream failed";
      events.push({ type: "error", error: { message: text, ...(typeof code === "string" && { code }) } });
      return;
    }
    const isStart = event["event"] === "message-start";
    if (open && isStart) open.restart(event);
    else if (open) open.push(event);
    const message = open ?? this.#startProtocol(scope, isStart ? event : { event: "message-start" }, head);
    if (!open && !isStart) message.push(event);
    this.owner = message.number;
    events.push(...message.drain());
  }

  #startProtocol(
    scope: string,
    event: { readonly [key: string]: Json },
    head: { readonly [key: string]: Json },
  ): ProtocolMessage {
    const message = new ProtocolMessage(this.#next++, event, {
      context: this.#context,
      head,
      unanswered: this.#unanswered,
    });
    this.#keep(scope, { of: "protocol", message });
    return message;
  }

  #run(read: Extract<Read, { kind: "start" | "chunk" | "end" | "tool" }>, place: number, events: Event[]): void {
    const { scope, kind } = read;
    const begun = this.#begun.get(scope);
    const input = "input" in read ? (begun?.input ?? read.input) : undefined;
    const head = this.#isWhole || !isTold(input) ? read.head : { ...read.head, input };
    if (kind === "start") {
      this.owner = this.#next;
      this.#byScope.delete(scope); // a run that begins again: what was there of it was cut
      this.#begun.set(scope, { number: this.#next++, input: read.input, head });
      return;
    }
    const wire = read.message;
    const chunk = wire === undefined ? undefined : readChunk(wire, [place], this.#context);
    const known = this.#byScope.get(scope);
    const open = known?.of === "run" && !known.message.isOver ? known.message : undefined;
    if (!chunk && !open) {
      this.owner = begun?.number;
      if (kind !== "end") this.#context.issue("not-a-chunk", [place], "no message of LangChain's; left out");
      else if (this.owner !== undefined) events.push(...this.#empty(scope, this.owner, head));
      return;
    }
    const message = open ?? this.#startRun(scope, chunk as ReadChunk, head); // one of the two is there
    if (open && chunk) {
      if (kind === "end") open.fill(chunk);
      else open.add(chunk);
    }
    if (kind !== "chunk") message.finish({ isNext: true });
    this.owner = message.number;
    events.push(...message.drain());
  }

  /** A run that gave nothing. */
  #empty(scope: string, number: number, head: { readonly [key: string]: Json }): Event[] {
    this.#begun.delete(scope);
    return [startOf(number, head), { type: "message-end", message: number }];
  }

  #startRun(scope: string, chunk: ReadChunk, head: { readonly [key: string]: Json }): LiveMessage {
    const number = this.#begun.get(scope)?.number ?? this.#next++;
    this.#begun.delete(scope);
    // An id that names both says nothing of the run.
    const { run_id, ...others } = head;
    const { native } = kept(recordsFamily, run_id === chunk.fields["id"] ? others : head);
    const message = new LiveMessage(number, chunk, { context: this.#context, native });
    this.#keep(scope, { of: "run", message });
    return message;
  }

  #keep(scope: string, live: Live): void {
    this.#byScope.set(scope, live);
    this.#live.push(live);
  }

  end(): readonly Event[] {
    const events: Event[] = [];
    for (const live of this.#live) {
      if (live.message.isOver) continue;
      if (live.of === "protocol") live.message.finish();
      else live.message.finish({ isNext: false });
      events.push(...live.message.drain());
    }
    for (const { number, head } of this.#begun.values()) events.push(startOf(number, head)); // cut before it said anything
    return events;
  }
}

const startOf = (number: number, head: { readonly [key: string]: Json }): Event => ({
  type: "message-start",
  message: number,
  head: { role: "assistant", ...kept(recordsFamily, head) },
});

/** An empty batch says that nothing was put in. */
const isTold = (input: Json | undefined): input is Json =>
  input !== undefined && JSON.stringify(input) !== '{"messages":[[]]}';

const nameOf = (wire: Json): string => {
  const event = isJsonObject(wire) ? (wire["event"] ?? wire["method"] ?? wire["type"]) : undefined;
  return typeof event === "string" ? event : "no record that is known";
};
