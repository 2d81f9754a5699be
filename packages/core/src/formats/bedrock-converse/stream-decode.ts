import { asObject } from "../../blocks/bedrock-converse/node.ts";
import type { DecodeContext } from "../../codec/codec.ts";
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
import { readBody } from "./answer.ts";
import { isException, readException } from "./error.ts";
import { LiveBlock } from "./live-block.ts";
import { plainEvent } from "./sdk.ts";
import { readScope } from "./wire.ts";

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

  push(given: Json): readonly Event[] {
    const path = [this.#count++];
    const wire = plainEvent(given);
    const names = isJsonObject(wire) ? Object.keys(wire).filter(name => isJsonObject(wire[name])) : [];
    if (names.length === 0) {
      this.#context.issue("not-an-event", path, "expected an object with the payload of an event; left out");
      return [];
    }
    const events: Event[] = [];
    for (const name of names) {
      if (!this.#take(name, withoutPadding(asObject(asObject(wire)[name])), events)) {
        this.#context.issue("unknown-event", [...path, name], `\`${name}\` is not known here; kept as it is`);
      }
    }
    return events;
  }

  #take(name: string, payload: JsonObject, events: Event[]): boolean {
    if (isException(name)) {
      events.push({ type: "error", error: readException(name, payload) });
      return true;
    }
    switch (name) {
      case "messageStart":
        this.#begin(payload, events);
        return true;
      case "contentBlockStart":
        this.#open(events).start(payload, events);
        return true;
      case "contentBlockDelta":
        return this.#open(events).delta(payload, events);
      case "contentBlockStop":
        return this.#open(events).stop(payload, events);
      case "messageStop":
        this.#open(events).finish(payload, events);
        this.#leave(events);
        return true;
      case "metadata":
        this.#open(events).tell(payload);
        this.#leave(events);
        return true;
      default:
        this.#open(events).keep(name, payload);
        return false;
    }
  }

  #begin(payload: JsonObject, events: Event[]): void {
    const known = this.#live;
    if (known?.isStopped) this.#leave(events, true);
    // An answer that is announced in the middle of one takes its place (E9).
    const number = this.#live?.number ?? this.#next++;
    this.#live = new LiveMessage(number, payload, this.#context);
    this.#live.announce(events);
  }

  /** Some streams do not announce their answer. */
  #open(events: Event[]): LiveMessage {
    if (!this.#live) this.#begin({}, events);
    this.#live ??= new LiveMessage(this.#next++, {}, this.#context);
    return this.#live;
  }

  /** Metadata follows the stop, and in some streams it is before it. */
  #leave(events: Event[], isLast = false): void {
    if (!this.#live?.isStopped || !(isLast || this.#live.isTold)) return;
    this.#live.close(events);
    this.#live = undefined;
  }

  end(): readonly Event[] {
    const events: Event[] = [];
    if (this.#live?.isStopped) this.#leave(events, true);
    else this.#live?.cut(events);
    return events;
  }
}

/** What hides the sizes of events says nothing. */
function withoutPadding({ p: _, ...payload }: JsonObject): JsonObject {
  return payload;
}

/** Members that events have for themselves. */
const own: ReadonlySet<string> = new Set(["output", "usage", "stopReason"]);

/** A message while its events come. */
class LiveMessage {
  readonly number: number;
  isStopped = false;
  isTold = false;
  readonly #context: DecodeContext;
  readonly #body: MutableJsonObject = {};
  readonly #head: MessageHead;
  #told: Partial<MessageHead>;
  readonly #blocks = new Map<number, LiveBlock>();
  /** The part of each block: another one unless an index comes twice. */
  #parts = 0;
  #latest = 0;

  constructor(number: number, { role, ...others }: JsonObject, context: DecodeContext) {
    this.number = number;
    this.#context = context;
    this.#head = { role: typeof role === "string" ? role : "assistant" };
    this.#told = this.#head;
    this.tell(others);
    this.isTold = false;
  }

  announce(events: Event[]): void {
    events.push({ type: "message-start", message: this.number, head: this.#head });
  }

  #indexOf({ contentBlockIndex: index }: JsonObject): number {
    return typeof index === "number" ? index : this.#latest;
  }

  start(wire: JsonObject, events: Event[]): void {
    const index = typeof wire["contentBlockIndex"] === "number" ? wire["contentBlockIndex"] : this.#parts;
    this.#blocks.get(index)?.stop(events);
    const part = Math.max(this.#parts, Number.isSafeInteger(index) && index >= 0 ? index : 0);
    this.#parts = part + 1;
    const live = new LiveBlock(wire["start"] ?? {}, {
      at: { message: this.number, part },
      made: `${this.number}.${part}`,
      scope: readScope(this.#context),
      exact: this.#context.exact,
    });
    this.#blocks.set(index, live);
    this.#latest = index;
    live.start(events);
  }

  delta(wire: JsonObject, events: Event[]): boolean {
    const index = this.#indexOf(wire);
    if (this.#blocks.get(index)?.isOpen !== true) this.start({ contentBlockIndex: index }, events);
    return this.#blocks.get(index)?.delta(asObject(wire["delta"]), events) === true;
  }

  stop(wire: JsonObject, events: Event[]): boolean {
    const live = this.#blocks.get(this.#indexOf(wire));
    live?.stop(events);
    return live !== undefined;
  }

  finish(payload: JsonObject, events: Event[]): void {
    for (const [name, value] of Object.entries(payload)) setMember(this.#body, name, value);
    for (const block of this.#blocks.values()) block.stop(events);
    this.isStopped = true;
    const { finish } = readBody(this.#body);
    if (finish) this.#set({ finish }, events);
  }

  tell(payload: JsonObject): void {
    this.isTold = true;
    for (const [name, value] of Object.entries(payload)) setMember(this.#body, name, value);
  }

  /** What an unknown event says is kept with what else the body says. */
  keep(name: string, payload: JsonObject): void {
    if (!own.has(name)) setMember(this.#body, name, payload);
  }

  close(events: Event[]): void {
    for (const block of this.#blocks.values()) block.stop(events);
    this.#set(readBody(this.#body), events);
    events.push({ type: "message-end", message: this.number });
  }

  /** The stream breaks off: how it ended is not known, whatever was said of it. */
  cut(events: Event[]): void {
    const { usage } = readBody(this.#body);
    if (usage) this.#set({ usage }, events);
  }

  #set(members: Partial<MessageHead>, events: Event[]): void {
    const set: Partial<MessageHead> = {};
    for (const key of Object.keys(members) as (keyof MessageHead)[]) {
      if (!equalJson(this.#told[key], members[key])) Object.assign(set, { [key]: members[key] });
    }
    this.#told = { ...this.#told, ...members };
    if (Object.keys(set).length > 0) events.push({ type: "message-set", message: this.number, set });
  }
}
