import { type Event, emit, type Message } from "translogue";
import type { OpenAnswer } from "./state.ts";

/** The events of an answer that is not over. */
export const openEvents = (answer: readonly Message[]): readonly Event[] =>
  answer.flatMap((message, number) =>
    emit([message]).flatMap(event => {
      if (event.type === "message-end" || !("message" in event)) return [];
      return [{ ...event, message: number }];
    }),
  );

/**
 * Events of an answer that goes on after what is known of it, as events of the whole answer: its first message goes on with
 * the last one known, and its first text with the last text there.
 */
export function continuing(known: readonly Message[]): (events: readonly Event[]) => readonly Event[] {
  const last = known.at(-1);
  if (!last) return events => events;
  const firstMessage = known.length - 1;
  let opening: Opening | undefined;
  const placed = (event: Event): readonly Event[] => {
    if (event.type === "error") return [event];
    const message = event.message + firstMessage;
    if (event.message > 0) return [{ ...event, message }];
    if (event.type === "message-start") return [];
    if (!("part" in event)) return [{ ...event, message }];
    if (!opening && (event.type === "part" || event.type === "part-start")) opening = openingOf(last, event.value.type);
    const { offset = last.parts.length, goesOn = false } = opening ?? {};
    const part = event.part + offset;
    if (event.part > 0 || !goesOn) return [{ ...event, message, part }];
    return goneOn({ ...event, message, part });
  };
  return events => events.flatMap(placed);
}

interface Opening {
  /** Of the numbers of its parts. */
  readonly offset: number;
  readonly goesOn: boolean;
}

function openingOf({ parts }: Message, type: string): Opening {
  const last = parts.at(-1);
  const goesOn = last?.type === type && (type === "text" || type === "reasoning") && last.seal === undefined;
  return { offset: goesOn ? parts.length - 1 : parts.length, goesOn };
}

type OfPart = Extract<Event, { readonly part: number }>;

/** A text that begins is more of the one before it. */
function goneOn(event: OfPart): readonly Event[] {
  if (event.type !== "part" && event.type !== "part-start") return [event];
  const { value, message, part } = event;
  const text = value.type === "text" || value.type === "reasoning" ? (value.text ?? "") : "";
  return text === ""
    ? []
    : [{ type: "part-delta", of: value.type === "text" ? "text" : "reasoning", message, part, text }];
}

/** The answer with where it goes on now, as its model says: null for nowhere, undefined for where it was. */
export function movedOn(
  answer: OpenAnswer,
  { continuation, provider }: { readonly continuation?: string | null; readonly provider?: string },
): OpenAnswer {
  if (continuation === undefined || continuation === (answer.continuation ?? null)) return answer;
  const { continuation: _, provider: __, ...rest } = answer;
  return continuation === null ? rest : { ...rest, continuation, ...(provider !== undefined && { provider }) };
}
