import { type Accumulator, accumulator, type Json, type Message } from "translogue";
import type { StreamReading } from "./stream-reading.ts";

/** One event of a stream, as it is listed. */
export interface StreamRow {
  readonly from: number;
  readonly to: number;
  /** What the event calls itself. */
  readonly name: string;
  /** The words that it brought. */
  readonly text: string;
  /** Milliseconds since the recording began. */
  readonly time?: number;
  readonly isBroken?: true;
}

const nameMembers = ["type", "event", "kind", "object", "eventType"];

/** The events of a stream, each in one line. */
export const streamRows = ({ pieces, events }: StreamReading): readonly StreamRow[] =>
  pieces.map(({ from, to, value, isEnd, problem, time }, index) => {
    let text = "";
    for (const event of events[index] ?? []) if (event.type === "part-delta") text += event.text;
    return {
      ...{ from, to, name: isEnd ? "[DONE]" : nameOf(value), text: text.slice(0, 80).toWellFormed() },
      ...(time !== undefined && { time }),
      ...(problem && { isBroken: true as const }),
    };
  });

function nameOf(value: Json | undefined): string {
  if (value === undefined || value === null) return "—";
  if (typeof value !== "object") return String(value).slice(0, 40);
  const members = Object.entries(value);
  for (const wanted of nameMembers) {
    const name = members.find(([key]) => key === wanted)?.[1];
    if (typeof name === "string") return name.slice(0, 60);
  }
  return Array.isArray(value) ? String(value[0]).slice(0, 40) : (members[0]?.[0] ?? "{}");
}

/** The messages of a stream as they were after any of its events. Going on costs what is new; going back begins anew. */
export class StreamPlayer {
  readonly #stream: StreamReading;
  #made: Accumulator = accumulator();
  #at = 0;

  constructor(stream: StreamReading) {
    this.#stream = stream;
  }

  /** After the first `count` events; after all of them the stream is over. */
  after(count: number): readonly Message[] {
    const { pieces, events } = this.#stream;
    if (count < this.#at) {
      this.#made = accumulator();
      this.#at = 0;
    }
    for (; this.#at < count; this.#at++) this.#made.pushAll(events[this.#at] ?? []);
    if (count < pieces.length) return this.#made.messages;
    // The end is another accumulator's, so that this one can still be gone back from.
    return this.#stream.conversation.messages;
  }
}
