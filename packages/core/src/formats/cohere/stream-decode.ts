import type { DecodeContext } from "../../codec/codec.ts";
import type { Event } from "../../model/events.ts";
import { isJsonObject, type Json, type JsonObject } from "../../model/json.ts";
import type { Machine } from "../../stream/machine.ts";
import { readError } from "./error.ts";
import { LiveAnswer } from "./live-answer.ts";

/**
 * Stream events → events. Texts and arguments pass on as they come; beside them the answer is put together as the API would
 * have sent it whole, is read at its end as any answer, and what it says more is sent as the difference (E3). So a stream is
 * its whole by construction.
 */
export const streamDecoder = (context: DecodeContext): Machine<Json, Event> => new EventReader(context);

class EventReader implements Machine<Json, Event> {
  readonly #context: DecodeContext;
  #live: LiveAnswer | undefined;
  /** Number of the next message. */
  #next = 0;
  #count = 0;

  constructor(context: DecodeContext) {
    this.#context = context;
  }

  push(wire: Json): readonly Event[] {
    const events: Event[] = [];
    const path = [this.#count++];
    const type = isJsonObject(wire) ? wire["type"] : undefined;
    if (!isJsonObject(wire) || (typeof type !== "string" && typeof wire["message"] !== "string")) {
      this.#context.issue("not-an-event", path, "expected an object with a `type`; left out");
    } else if (type === "message-start") this.#begin(wire, events);
    else if (type === "message-end") {
      this.#open(events).end(wire, events);
      this.#live = undefined;
    } else if (typeof type !== "string" || type === "error") this.#fail(wire, events);
    else if (!this.#open(events).take(type, wire, events)) {
      this.#context.issue("unknown-event", path, `events of type \`${type}\` are not known here; kept as they are`);
      this.#open(events).keep(wire, events);
    }
    return events;
  }

  /** Another answer in the middle of one takes its place (E9); the same one again says nothing new. */
  #begin(wire: JsonObject, events: Event[]): void {
    const known = this.#live;
    if (known?.isSame(wire)) return;
    this.#live = new LiveAnswer(known?.message ?? this.#next++, this.#context);
    this.#live.begin(wire, events);
  }

  #open(events: Event[]): LiveAnswer {
    if (!this.#live) this.#begin({ type: "message-start" }, events);
    this.#live ??= new LiveAnswer(this.#next++, this.#context);
    return this.#live;
  }

  /** A body of an error, in the middle of a stream. */
  #fail(wire: JsonObject, events: Event[]): void {
    this.#open(events).fail(wire);
    events.push({ type: "error", error: { message: readError(wire).message } });
  }

  end(): readonly Event[] {
    const events: Event[] = [];
    this.#live?.cut(events);
    return events;
  }
}
