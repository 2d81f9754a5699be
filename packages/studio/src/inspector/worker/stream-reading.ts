import {
  accumulator,
  type Conversation,
  type Event,
  type FormatRef,
  type Issue,
  type Loss,
  streamDecoder,
} from "translogue";
import type { Piece } from "./container.ts";
import type { Outline } from "./nodes.ts";
import type { Spans } from "./places.ts";

/** The events of a stream, what each brought, and what they make together. */
export interface StreamReading {
  readonly pieces: readonly Piece[];
  /** What the nth piece brought; what only the end told comes with one more. */
  readonly events: readonly (readonly Event[])[];
  readonly conversation: Conversation;
  readonly issues: readonly Issue[];
  readonly losses: readonly Loss[];
}

/** Reads the events of a stream of a format. */
export function readStream(pieces: readonly Piece[], ref: FormatRef): StreamReading {
  const decoder = streamDecoder(ref);
  const made = accumulator();
  const events: (readonly Event[])[] = [];
  const issues: Issue[] = [];
  const take = (some: readonly Event[]): void => {
    events.push(some);
    made.pushAll(some);
  };
  pieces.forEach(({ value, problem, isEnd }, index) => {
    if (problem) {
      const { message, line, column } = problem;
      const place = column === undefined ? `line ${line}` : `line ${line}, column ${column}`;
      issues.push({
        code: "stream/not-json",
        severity: "error",
        path: [],
        wirePath: [index],
        message: `${message} (${place})`,
      });
    }
    take(value === undefined || isEnd ? [] : decoder.push(value));
  });
  take(decoder.end());
  const messages = made.end();
  return { pieces, events, conversation: { messages }, issues: [...issues, ...decoder.issues], losses: decoder.losses };
}

/** Where the nodes of what a stream made come from: the events that told of them. */
export function placesInStream({ pieces, events }: StreamReading, outline: readonly Outline[]): readonly Spans[] {
  const order: number[] = [];
  const told = new Map<number, Map<number, number[]>>();
  events.forEach((some, piece) => {
    for (const event of some) {
      if (event.type === "error") continue;
      const { message } = event;
      let parts = told.get(message);
      if (!parts) {
        order.push(message);
        parts = new Map();
        told.set(message, parts);
      }
      const part = "part" in event ? event.part : -1;
      const places = parts.get(part);
      if (!places) parts.set(part, [piece]);
      else if (places.at(-1) !== piece) places.push(piece);
    }
  });
  return outline.map(({ kind, path }) => {
    const parts = told.get(order[Number(path[1])] ?? -1);
    if (!parts) return [];
    if (kind === "message")
      return spansOf(
        [...new Set([...parts.values()].flat())].sort((a, b) => a - b),
        pieces,
      );
    const numbers = [...parts.keys()].filter(number => number >= 0).sort((a, b) => a - b);
    return spansOf(parts.get(numbers[Number(path[3])] ?? -1) ?? [], pieces);
  });
}

function spansOf(numbers: readonly number[], pieces: readonly Piece[]): Spans {
  const spans: number[] = [];
  let last = -2;
  for (const number of numbers) {
    const piece = pieces[number];
    if (!piece) continue;
    if (number === last + 1) spans[spans.length - 1] = piece.to;
    else spans.push(piece.from, piece.to);
    last = number;
  }
  return spans;
}
