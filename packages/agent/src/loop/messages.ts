import {
  type Event,
  isJsonObject,
  type JsonObject,
  type Message,
  type MessageHead,
  type ToolResultPart,
} from "translogue";
import type { Finish } from "../response.ts";
import { overLimit } from "./limits.ts";
import type { OpenAnswer, RunState } from "./state.ts";

/** The first message has the run's id, the n-th after it `{run}:{n}`: what R10 makes of a UI message that is split again. */
export const messageId = (run: string, index: number): string => (index === 0 ? run : `${run}:${index}`);

/** The head of a message of the run; the model's own facts stand, ids, author and clock are ours. */
export function answerHead(state: RunState, head: MessageHead, place: { offset: number; now: string }): MessageHead {
  const { run, author, model } = state;
  const metadata = model.metadata ? mergeMetadata(head.metadata, model.metadata) : head.metadata;
  return {
    ...head,
    id: messageId(run, state.made + place.offset),
    run,
    ...(head.role === "assistant" && { author }),
    createdAt: place.now,
    model: head.model ?? model.id,
    provider: head.provider ?? model.provider,
    ...(metadata !== undefined && { metadata }),
  };
}

const mergeMetadata = (own: MessageHead["metadata"], added: JsonObject): JsonObject =>
  isJsonObject(own) ? { ...own, ...added } : added;

/** Of a message that the loop makes itself; `after`: how many it has made since `state`. */
export function loopHead(
  state: RunState,
  role: "assistant" | "tool",
  place: { after: number; now: string },
): MessageHead {
  const { run, made } = state.phase === "start" && state.resumed ? state.resumed : state;
  return { id: messageId(run, made + place.after), role, run, author: state.author, createdAt: place.now };
}

/** Events of the model as events of the run: its numbers, our heads. Ends and errors are told when the call is over. */
export function runEvents(
  state: RunState,
  answer: OpenAnswer,
  batch: { readonly events: readonly Event[]; readonly now: string },
): { readonly events: Event[]; readonly answer: OpenAnswer } {
  const events: Event[] = [];
  let open = answer;
  for (const event of batch.events) {
    if (event.type === "error" || event.type === "message-end") continue;
    open = followed(open, event);
    const message = answer.message + event.message;
    switch (event.type) {
      case "message-start": {
        const head = answerHead(state, event.head, { offset: event.message, now: batch.now });
        events.push({ type: "message-start", message, head });
        break;
      }
      case "message-set": {
        const { id: _, createdAt: __, run: ___, ...set } = event.set;
        events.push({ type: "message-set", message, set });
        break;
      }
      default:
        events.push(message === event.message ? event : { ...event, message });
    }
  }
  return { events, answer: open };
}

type Placed = Exclude<Event, { readonly type: "error" } | { readonly type: "message-end" }>;

/** What has to be known of the answer while it comes. Nothing, for a delta. */
function followed(answer: OpenAnswer, event: Placed): OpenAnswer {
  switch (event.type) {
    case "message-start":
      // The same number again: it starts over (E9).
      return {
        ...answer,
        count: Math.max(answer.count, event.message + 1),
        lastPart: -1,
        callsAt: answer.callsAt.filter(({ message }) => message !== event.message),
      };
    case "part-start":
    case "part":
      return {
        ...answer,
        lastPart: event.message === answer.count - 1 ? Math.max(answer.lastPart, event.part) : answer.lastPart,
        callsAt: event.value.type === "tool-call" ? withPlace(answer.callsAt, event) : answer.callsAt,
      };
    default:
      return answer;
  }
}

type Place = OpenAnswer["callsAt"][number];

/** In the order of messages and parts, each place once. */
function withPlace(places: readonly Place[], { message, part }: Place): readonly Place[] {
  const others = places.filter(place => place.message !== message || place.part !== part);
  const before = others.filter(place => place.message < message || (place.message === message && place.part < part));
  return [...before, { message, part }, ...others.slice(before.length)];
}

export const endEvents = (answer: OpenAnswer): Event[] =>
  Array.from({ length: answer.count }, (_, offset) => ({ type: "message-end", message: answer.message + offset }));

export const finishEvent = (answer: OpenAnswer, finish: Finish, more: Partial<MessageHead> = {}): Event => ({
  type: "message-set",
  message: answer.message + answer.count - 1,
  set: { finish, ...more },
});

/** Nothing in it at all. */
export const isBare = (answer: readonly Message[]): boolean =>
  answer.every(({ parts }) => parts.every(({ type }) => type === "error"));

/** Nothing in it was meant for anybody: no text, no call. Thoughts alone are refused in a history as nothing at all is. */
export const isSilent = (answer: readonly Message[]): boolean =>
  answer.every(({ parts }) =>
    parts.every(
      part => part.type === "error" || part.type === "reasoning" || (part.type === "text" && part.text.trim() === ""),
    ),
  );

/** Whether the model is asked once more for an answer that is silent. */
export const asksAgain = (state: RunState, answer: readonly Message[]): boolean => {
  const { policy, asked, limit, stopping } = state;
  const mayAsk = !asked && !stopping && limit === undefined && overLimit(state) === undefined;
  return policy.emptyAnswer === "retry" && mayAsk && isSilent(answer);
};

/** The end of an answer that no model reads again. */
export const silenced = (answer: OpenAnswer, finish: Finish): Event[] => [
  ...Array.from({ length: answer.count - 1 }, (_, offset) => ({
    type: "message-set" as const,
    message: answer.message + offset,
    set: { audience: "user" as const },
  })),
  finishEvent(answer, finish, { audience: "user" }),
];

/**
 * The results and the answer before them say that they were stopped: readers of a stream take what is said last, or what
 * the last answer says, for how the run ended.
 */
export const markedStep = (results: number, finish: Finish): Event[] =>
  [results - 1, results]
    .filter(message => message >= 0)
    .map(message => ({ type: "message-set", message, set: { finish } }));

/** A tool message with results that nobody ran for. */
export function closingEvents(state: RunState, results: readonly ToolResultPart[], now: string): Event[] {
  const { next: message } = state;
  return [
    { type: "message-start", message, head: loopHead(state, "tool", { after: 0, now }) },
    ...results.map((value, part): Event => ({ type: "part", message, part, value })),
    { type: "message-end", message },
  ];
}
