import type { DecodeContext } from "../../codec/codec.ts";
import { Reader } from "../../codec/reader.ts";
import type { Event, MessageHead } from "../../model/events.ts";
import {
  equalJson,
  isJsonObject,
  type Json,
  type JsonObject,
  type MutableJsonObject,
  setMember,
} from "../../model/json.ts";
import type { Machine } from "../../stream/machine.ts";
import { readBody, readHead } from "./answer.ts";
import { readError } from "./error.ts";
import { blockOf, LiveBlock } from "./live-block.ts";
import { asObject, readScope } from "./wire.ts";

/**
 * Stream events → events. Texts and arguments pass on as they come; a block that is over, and at last the whole body, is
 * read as any other, and what it says more is sent as the difference (E3). So a stream is its whole by construction.
 */
export const streamDecoder = (context: DecodeContext): Machine<Json, Event> => new EventReader(context);

class EventReader implements Machine<Json, Event> {
  readonly #context: DecodeContext;
  #live: LiveMessage | undefined;
  /** Number of the next message. */
  #next = 0;
  #count = 0;

  constructor(context: DecodeContext) {
    this.#context = context;
  }

  push(wire: Json): readonly Event[] {
    const path = [this.#count++];
    const type = isJsonObject(wire) ? wire["type"] : undefined;
    if (!isJsonObject(wire) || typeof type !== "string") {
      this.#context.issue("not-an-event", path, "expected an object with a `type`; left out");
      return [];
    }
    const events: Event[] = [];
    if (!this.#take(type, wire, events)) {
      this.#context.issue("unknown-event", path, `events of type \`${type}\` are not known here; left out`);
    }
    return events;
  }

  #take(type: string, wire: JsonObject, events: Event[]): boolean {
    switch (type) {
      case "ping":
        return true;
      case "message_start":
        this.#begin(asObject(wire["message"]), events);
        return true;
      case "message_delta":
        this.#open(events).update(wire);
        return true;
      case "message_stop":
        this.#open(events).finish(events);
        this.#live = undefined;
        return true;
      case "content_block_start":
        this.#open(events).start(wire, events);
        return true;
      case "content_block_delta":
        return this.#open(events).delta(wire, events);
      case "content_block_stop":
        return this.#open(events).stop(wire, events);
      case "error": {
        const { message, code } = readError(wire["error"] ?? wire);
        events.push({ type: "error", error: { message, ...(code !== undefined && { code }) } });
        return true;
      }
      default:
        return false;
    }
  }

  #begin(body: JsonObject, events: Event[]): void {
    const known = this.#live;
    // Some hosts announce an answer twice; another one in the middle of it takes its place (E9).
    if (known?.isSame(body)) return;
    const number = known?.number ?? this.#next++;
    this.#live = new LiveMessage(number, body, this.#context);
    this.#live.announce(events);
  }

  #open(events: Event[]): LiveMessage {
    if (!this.#live) this.#begin({}, events);
    this.#live ??= new LiveMessage(this.#next++, {}, this.#context);
    return this.#live;
  }

  end(): readonly Event[] {
    const events: Event[] = [];
    this.#live?.cut(events);
    return events;
  }
}

/** These say how the answer ended, null included; of all else null says nothing new. */
const endings: ReadonlySet<string> = new Set(["stop_reason", "stop_sequence", "stop_details"]);

/** A message while its events come. */
class LiveMessage {
  readonly number: number;
  readonly #context: DecodeContext;
  #body: JsonObject;
  readonly #told: MessageHead;
  readonly #blocks = new Map<number, LiveBlock>();
  /** The part of each block: another one unless an index comes twice. */
  #parts = 0;
  #latest = 0;

  constructor(number: number, body: JsonObject, context: DecodeContext) {
    this.number = number;
    this.#context = context;
    this.#body = body;
    this.#told = readHead(new Reader(body));
  }

  isSame(body: JsonObject): boolean {
    const { id } = body;
    return id !== undefined && id === this.#body["id"] && this.#blocks.size === 0;
  }

  announce(events: Event[]): void {
    events.push({ type: "message-start", message: this.number, head: this.#told });
    const { content } = this.#body;
    for (const block of Array.isArray(content) ? (content as readonly Json[]) : []) {
      // a list of JSON
      const index = this.#parts;
      this.start({ index, content_block: block }, events);
      this.stop({ index }, events);
    }
  }

  #indexOf({ index }: JsonObject): number {
    return typeof index === "number" ? index : this.#latest;
  }

  start(wire: JsonObject, events: Event[]): void {
    const { index } = wire;
    const block = asObject(wire["content_block"]);
    const place = typeof index === "number" ? index : this.#parts;
    this.#blocks.get(place)?.stop(events);
    const part = Math.max(this.#parts, Number.isSafeInteger(place) && place >= 0 ? place : 0);
    this.#parts = part + 1;
    const live = new LiveBlock(block, {
      at: { message: this.number, part },
      made: `${this.#told.responseId ?? this.number}.${part}`,
      scope: readScope(this.#context),
      exact: this.#context.exact,
    });
    this.#blocks.set(place, live);
    this.#latest = place;
    const { model } = asObject(block["to"]);
    if (block["type"] === "fallback" && typeof model === "string") this.#body = { ...this.#body, model };
    live.start(events);
  }

  delta(wire: JsonObject, events: Event[]): boolean {
    const delta = asObject(wire["delta"]);
    const index = this.#indexOf(wire);
    const block = this.#blocks.has(index) ? undefined : blockOf(delta);
    if (block) this.start({ index, content_block: block }, events);
    const live = this.#blocks.get(index);
    return live?.isOpen === true && live.delta(delta, events);
  }

  stop(wire: JsonObject, events: Event[]): boolean {
    const live = this.#blocks.get(this.#indexOf(wire));
    live?.stop(events);
    return live !== undefined;
  }

  update({ type: _, delta, usage, ...others }: JsonObject): void {
    const body: MutableJsonObject = { ...this.#body };
    for (const [key, value] of Object.entries({ ...asObject(delta), ...others })) {
      if (value !== null || endings.has(key) || body[key] === undefined) body[key] = value;
    }
    if (isJsonObject(usage)) body["usage"] = addCounts(asObject(body["usage"]), usage);
    this.#body = body;
  }

  finish(events: Event[]): void {
    for (const block of this.#blocks.values()) block.stop(events);
    const head = readBody(this.#body);
    const set: Partial<MessageHead> = {};
    for (const key of Object.keys(head) as (keyof MessageHead)[]) {
      if (!equalJson(this.#told[key], head[key])) Object.assign(set, { [key]: head[key] });
    }
    if (Object.keys(set).length > 0) events.push({ type: "message-set", message: this.number, set });
    events.push({ type: "message-end", message: this.number });
  }

  /** The stream breaks off: how it ended is not known, whatever was said of it. */
  cut(events: Event[]): void {
    const { usage } = readBody(this.#body);
    if (usage) events.push({ type: "message-set", message: this.number, set: { usage } });
  }
}

/** Counts are sums so far; null says nothing (cumulative, as the SDK takes it), and 0 behind a sum that there is none to add. */
function addCounts(known: JsonObject, said: JsonObject): JsonObject {
  const counts: MutableJsonObject = { ...known };
  for (const key of Object.keys(said)) {
    const [before, value = null] = [known[key], said[key]];
    if (isJsonObject(before) && isJsonObject(value)) setMember(counts, key, addCounts(before, value));
    else if ((value !== null && value !== 0) || before === undefined || before === null) setMember(counts, key, value);
  }
  return counts;
}
