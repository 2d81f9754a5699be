import { type ReadChunk, readChunk } from "../../blocks/langchain/stream-chunk.ts";
import { LiveMessage } from "../../blocks/langchain/stream-live.ts";
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

/** Records → events. A message is one of the protocol's, the answer of a model's run, or what a tool's run gave back. */
export class RecordReader implements Machine<Json, Event> {
  /** The message that the last record is of; undefined where it is of none. */
  owner: number | undefined;
  readonly #context: DecodeContext;
  readonly #byScope = new Map<string, Live>();
  readonly #live: Live[] = [];
  /** Runs that have begun, and have said nothing yet. */
  readonly #begun = new Map<string, number>();
  #next: number;
  #count = 0;

  constructor(context: DecodeContext, first = 0) {
    this.#context = context;
    this.#next = first;
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
    const message = new ProtocolMessage(this.#next++, event, { context: this.#context, head });
    this.#keep(scope, { of: "protocol", message });
    return message;
  }

  #run(read: Extract<Read, { kind: "start" | "chunk" | "end" | "tool" }>, place: number, events: Event[]): void {
    const { scope, head, kind } = read;
    if (kind === "start") {
      this.owner = this.#next;
      this.#byScope.delete(scope); // a run that begins again: what was there of it was cut
      this.#begun.set(scope, this.#next++);
      return;
    }
    const wire = read.message;
    const chunk = wire === undefined ? undefined : readChunk(wire, [place], this.#context);
    const known = this.#byScope.get(scope);
    const open = known?.of === "run" && !known.message.isOver ? known.message : undefined;
    if (!chunk && !open) {
      this.owner = this.#begun.get(scope);
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
    const native = kept(recordsFamily, head);
    return [
      { type: "message-start", message: number, head: { role: "assistant", ...native } },
      { type: "message-end", message: number },
    ];
  }

  #startRun(scope: string, chunk: ReadChunk, head: { readonly [key: string]: Json }): LiveMessage {
    const number = this.#begun.get(scope) ?? this.#next++;
    this.#begun.delete(scope);
    const { native } = kept(recordsFamily, head);
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
    return events;
  }
}

const nameOf = (wire: Json): string => {
  const event = isJsonObject(wire) ? (wire["event"] ?? wire["method"] ?? wire["type"]) : undefined;
  return typeof event === "string" ? event : "no record that is known";
};
