import { messageOf } from "../../codec/by-shape.ts";
import type { DecodeContext } from "../../codec/codec.ts";
import { Reader, rowOf } from "../../codec/reader.ts";
import type { Event, MessageHead } from "../../model/events.ts";
import { equalJson, isJsonObject, type Json, type JsonObject, type MutableJsonObject } from "../../model/json.ts";
import { emit } from "../../stream/emit.ts";
import type { Machine } from "../../stream/machine.ts";
import { readAnswer, readHead } from "./answer.ts";
import { isContent, readError } from "./contents.ts";
import { LiveStep } from "./live-step.ts";
import { readScope } from "./request.ts";
import { type Placed, type ReadMessage, stepPlaces } from "./steps.ts";
import { asObject, type ReadScope } from "./wire.ts";
import { roleOf } from "./write-steps.ts";

/**
 * Stream events → events. Texts and arguments pass on as they come; a step that is over, and at last the whole interaction,
 * is read as any other, and what it says more is sent as the difference (E3). So a stream is its whole by construction.
 */
export const streamDecoder = (context: DecodeContext): Machine<Json, Event> => new EventReader(context);

class EventReader implements Machine<Json, Event> {
  readonly #context: DecodeContext;
  #live: LiveInteraction | undefined;
  /** Number of the next message. */
  #next = 0;
  #count = 0;

  constructor(context: DecodeContext) {
    this.#context = context;
  }

  push(wire: Json): readonly Event[] {
    const path = [this.#count++];
    const type = isJsonObject(wire) ? wire["event_type"] : undefined;
    if (!isJsonObject(wire) || typeof type !== "string") {
      this.#context.issue("not-an-event", path, "expected an object with an `event_type`; left out");
      return [];
    }
    const events: Event[] = [];
    const take = rowOf(takers, type);
    if (type === "interaction.created" || type === "interaction.start")
      this.#begin(asObject(wire["interaction"]), events);
    else if (type === "interaction.completed" || type === "interaction.complete") {
      this.#finish(asObject(wire["interaction"]), events);
    } else if (type === "error") this.#open(events).fail(wire["error"] ?? null, events);
    else if (!take) this.#context.issue("unknown-event", path, `events of type \`${type}\` are not known; left out`);
    else if (!take(this.#open(events), wire, events)) {
      this.#context.issue("unknown-delta", path, "what the event says of its step is not known; left out");
    }
    return events;
  }

  /** An interaction that is continued has an event for each of its parts, of the same id; another one stands by itself. */
  #begin(body: JsonObject, events: Event[]): void {
    const known = this.#live;
    if (known?.isOf(body)) known.update(body);
    else {
      known?.cut(events);
      this.#live = this.#made(body);
      this.#live.announce(events);
    }
  }

  #made(body: JsonObject): LiveInteraction {
    return new LiveInteraction(body, this.#context, () => this.#next++);
  }

  #open(events: Event[]): LiveInteraction {
    if (this.#live) return this.#live;
    const live = this.#made({});
    this.#live = live;
    live.announce(events);
    return live;
  }

  #finish(body: JsonObject, events: Event[]): void {
    this.#open(events).finish(body, events);
    this.#live = undefined;
  }

  end(): readonly Event[] {
    const events: Event[] = [];
    this.#live?.cut(events);
    return events;
  }
}

/** False where the event says something that is not known. */
type Take = (live: LiveInteraction, wire: JsonObject, events: Event[]) => boolean;

const start: Take = (live, wire, events) => live.start(wire, events);
const delta: Take = (live, wire, events) => live.delta(wire, events);
const stop: Take = (live, wire, events) => live.stop(wire, events);
const update: Take = (live, { event_type: _, event_id: __, interaction_id: ___, ...members }) => live.update(members);

/** Steps were once called contents. */
const takers: { readonly [type: string]: Take } = {
  "interaction.status_update": update,
  "interaction.in_progress": update,
  "interaction.requires_action": update,
  "step.start": start,
  "step.delta": delta,
  "step.stop": stop,
  "content.start": start,
  "content.delta": delta,
  "content.stop": stop,
};

interface LiveMessage {
  readonly number: number;
  readonly role: string;
  told: MessageHead;
}

/** An interaction while its events come. */
class LiveInteraction {
  readonly #context: DecodeContext;
  readonly #scope: ReadScope;
  readonly #nextMessage: () => number;
  #body: JsonObject;
  #messages: LiveMessage[] = [];
  /** Steps by their numbers among all, and the number of each of the wire's indexes. */
  readonly #steps = new Map<number, LiveStep>();
  readonly #ordinals = new Map<number, number>();
  readonly #places = new Map<number, LiveMessage>();
  #latest = -1;
  #highest = -1;
  #hasFailed = false;

  constructor(body: JsonObject, context: DecodeContext, nextMessage: () => number) {
    this.#body = body;
    this.#context = context;
    this.#nextMessage = nextMessage;
    this.#scope = readScope(context, this.#head().responseId);
  }

  #head(): ReturnType<typeof readHead> {
    return readHead(new Reader(this.#body));
  }

  isOf({ id }: JsonObject): boolean {
    return id === this.#body["id"];
  }

  announce(events: Event[]): void {
    this.#message("assistant", events);
    const { steps } = this.#body;
    if (!Array.isArray(steps)) return;
    for (const [index, step] of (steps as readonly Json[]).entries()) {
      // a list of JSON
      this.start({ index, step }, events);
      this.stop({ index }, events);
    }
  }

  #message(role: string, events: Event[], number = this.#nextMessage()): LiveMessage {
    const message = { number, role, told: { role, ...this.#head() } };
    this.#messages.push(message);
    events.push({ type: "message-start", message: number, head: message.told });
    return message;
  }

  /** The message that a step is of: neighbours of one side are one message. */
  #messageOf(step: JsonObject, events: Event[]): LiveMessage {
    const role = roleOf(step);
    const last = this.#messages.at(-1);
    const isEmpty = this.#steps.size === 0;
    if (last?.role === role && (role !== "user" || isEmpty)) return last;
    if (!last || !isEmpty) return this.#message(role, events);
    this.#messages = [];
    return this.#message(role, events, last.number);
  }

  start(wire: JsonObject, events: Event[]): boolean {
    const { index } = wire;
    const step = asStep(asObject(wire["step"] ?? wire["content"]));
    const isIndex = typeof index === "number" && Number.isSafeInteger(index) && index >= 0;
    const ordinal = isIndex && !this.#steps.has(index) ? index : this.#highest + 1;
    const message = this.#messageOf(step, events);
    const before = this.#steps.get(ordinal - 1);
    const isNeighbour = before !== undefined && this.#places.get(ordinal - 1) === message;
    this.#places.set(ordinal, message);
    if (isIndex) this.#ordinals.set(index, ordinal);
    this.#latest = ordinal;
    this.#highest = Math.max(this.#highest, ordinal);
    const place = {
      ordinal,
      message: message.number,
      scope: this.#scope,
      exact: this.#context.exact,
      before: isNeighbour ? before.last : undefined,
      isUsers: message.role === "user",
    };
    this.#steps.set(ordinal, new LiveStep(step, place, events));
    return true;
  }

  #stepOf({ index }: JsonObject): LiveStep | undefined {
    if (typeof index !== "number") return this.#steps.get(this.#latest);
    return this.#steps.get(this.#ordinals.get(index) ?? -1);
  }

  delta(wire: JsonObject, events: Event[]): boolean {
    const { total_usage: usage } = asObject(wire["metadata"]);
    if (isJsonObject(usage)) this.update({ usage });
    const said = asObject(wire["delta"]);
    if (this.#stepOf(wire)?.isOpen !== true) {
      // Nobody announced it, as where a stream goes on in the middle.
      const { index } = wire;
      this.start({ ...(index !== undefined && { index }), step: { type: stepTypeOf(said) } }, events);
    }
    return this.#stepOf(wire)?.delta(said, events) === true;
  }

  stop(wire: JsonObject, events: Event[]): boolean {
    const { usage } = wire;
    if (isJsonObject(usage)) this.update({ usage });
    this.#stepOf(wire)?.stop(events);
    // The counts of one step have no place in an answer.
    return wire["step_usage"] === undefined;
  }

  /** Null and "" say nothing new. */
  update(members: JsonObject): boolean {
    const body: MutableJsonObject = { ...this.#body };
    for (const [name, value] of Object.entries(members)) {
      const isNothing = value === null || value === "";
      if (!(isNothing && Object.hasOwn(body, name))) body[name] = value;
    }
    this.#body = body;
    return true;
  }

  fail(error: Json, events: Event[]): void {
    if (this.#hasFailed) return;
    this.#hasFailed = true;
    for (const step of this.#steps.values()) step.cut(events);
    this.#told(events);
    const { message, code } = readError(error, "string");
    events.push({ type: "error", error: { message, ...(code !== undefined && { code }) } });
  }

  /** The stream breaks off: how it ended is not known, whatever was said of it. */
  cut(events: Event[]): void {
    if (this.#hasFailed) return;
    for (const step of this.#steps.values()) step.cut(events);
    this.#told(events);
  }

  #told(events: Event[]): void {
    const last = this.#messages.at(-1);
    const whole = readAnswer({ ...this.#body, steps: [] }, this.#silent()).at(-1);
    const usage = whole?.head.usage;
    if (last && usage) events.push({ type: "message-set", message: last.number, set: { usage } });
  }

  #silent(): DecodeContext {
    return { ...this.#context, issue: () => undefined, lose: () => undefined };
  }

  finish(body: JsonObject, events: Event[]): void {
    this.update(body);
    if (this.#hasFailed) {
      this.#told(events);
      return;
    }
    for (const step of this.#steps.values()) step.stop(events);
    const ordinals = [...this.#steps.keys()].sort((a, b) => a - b);
    const given = this.#body["steps"];
    const steps =
      Array.isArray(given) && given.length > 0
        ? given
        : ordinals.map(ordinal => this.#steps.get(ordinal)?.wire ?? null);
    const member = steps.length > 0 || given !== undefined ? { steps } : {};
    const whole = readAnswer({ ...this.#body, ...member }, this.#context);
    const messages = whole.map(message => ({ ...message, parts: message.parts.map(part => moved(part, ordinals)) }));
    const isSame =
      messages.length === this.#messages.length &&
      messages.every(({ head, parts }, index) => head.role === this.#messages[index]?.role && this.#has(parts, index));
    if (isSame) for (const [index, message] of messages.entries()) this.#complete(message, index, events);
    else this.#again(messages, events);
  }

  /** Whether the parts of a message are in the one that was told so. */
  #has(parts: readonly Placed[], index: number): boolean {
    const told = this.#messages[index];
    return parts.every(({ place }) => {
      const own = this.#places.get(Math.floor(place / stepPlaces));
      return own === undefined || own === told;
    });
  }

  #complete({ head, parts }: ReadMessage, index: number, events: Event[]): void {
    const told = this.#messages[index];
    if (!told) return;
    for (const placed of parts) {
      const step = this.#steps.get(Math.floor(placed.place / stepPlaces));
      if (step) step.complete(placed, events);
      else events.push({ type: "part", value: placed.part, message: told.number, part: placed.place });
    }
    const set: Partial<MessageHead> = {};
    for (const key of Object.keys(head) as (keyof MessageHead)[]) {
      // keys of it
      if (!equalJson(told.told[key], head[key])) Object.assign(set, { [key]: head[key] });
    }
    if (Object.keys(set).length > 0) events.push({ type: "message-set", message: told.number, set });
    events.push({ type: "message-end", message: told.number });
  }

  /** The whole has other messages than its steps seemed to have: they start over (E9). */
  #again(messages: readonly ReadMessage[], events: Event[]): void {
    const numbers = messages.map((_, index) => this.#messages[index]?.number ?? this.#nextMessage());
    for (const event of emit(messages.map(messageOf))) {
      if (event.type === "error") continue;
      events.push({ ...event, message: numbers[event.message] ?? event.message });
    }
  }
}

/** Steps of the whole stand in a list without gaps. */
const moved = ({ place, part }: Placed, ordinals: readonly number[]): Placed => {
  const index = Math.floor(place / stepPlaces);
  const ordinal = ordinals[index] ?? index;
  return { place: place + (ordinal - index) * stepPlaces, part };
};

/** Contents once stood where steps do. */
function asStep(wire: JsonObject): JsonObject {
  if (!isContent(wire)) return wire;
  const isEmpty = wire["type"] === "text" && (wire["text"] === undefined || wire["text"] === "");
  return { type: "model_output", ...(!isEmpty && { content: [wire] }) };
}

/** The step that a delta is of, where none was announced. */
function stepTypeOf({ type }: JsonObject): string {
  if (type === "thought_summary" || type === "thought_signature") return "thought";
  if (type === "arguments_delta") return "function_call";
  const isStep = typeof type === "string" && /_(?:call|result)$/.test(type);
  return isStep ? type : "model_output";
}
