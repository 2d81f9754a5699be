/**
 * Calls whose ids say nothing, in histories: their results are found by order and tool (R8, R9). An encoder that writes such
 * ids as they were read does so by the hint on each part, so that pairing them changes nothing on the wire.
 */

import { hintsOf } from "../codec/remainder.ts";
import type { Message } from "../model/conversation.ts";
import { pairResults } from "../model/pairing.ts";
import type { Part, PartOf, ToolCallPart } from "../model/parts.ts";
import { WaitingCalls } from "./waiting-calls.ts";

type Paired = PartOf<"tool-call" | "tool-result">;
/** A part that is about a call by its id. */
type About = Paired | PartOf<"approval-request" | "approval-response">;

const isAbout = (part: Part): part is About =>
  part.type === "tool-call" ||
  part.type === "tool-result" ||
  part.type === "approval-request" ||
  part.type === "approval-response";

const isMade = ({ callId }: About): boolean => callId?.startsWith("~") === true;

/** Whether a part was read without an id; of its parts a format alone knows. */
type IsUnnamed = (part: Part) => boolean;

/** By the hint `$id`, which says how an id was spelled that is none. */
export const unnamedIn =
  (family: string): IsUnnamed =>
  part =>
    hintsOf(part, family)["$id"] !== undefined;

/**
 * A result without an id answers the first call without one that waits for it: in the nearest turn that has one, of its
 * tool where it names one, and of its side: the assistant tells results of the provider's tools itself.
 */
export function pairUnnamed(messages: readonly Message[], isUnnamed: IsUnnamed): Message[] {
  const isOurs = (part: Part): part is About => isAbout(part) && isMade(part) && isUnnamed(part);
  const isOfCall = ({ type }: Part): boolean => type === "tool-result" || type === "approval-request";
  if (!messages.some(({ parts }) => parts.some(part => isOfCall(part) && isOurs(part)))) return [...messages];
  const waiting = new Waiting();
  return messages.map(message => {
    if (message.role !== "assistant") waiting.endTurn();
    return withParts(message, part => (isOurs(part) ? waiting.paired(part, message.role) : part));
  });
}

/** Calls that wait for their results, those that wait for a question about them, and which call a question is about. */
class Waiting {
  readonly #calls = new WaitingCalls();
  readonly #asked = new WaitingCalls();
  readonly #done = new Set<string>();
  readonly #requests = new Map<string, string>();

  /** Someone else than the assistant speaks. */
  endTurn(): void {
    this.#calls.endTurn();
    this.#asked.endTurn();
  }

  paired(part: About, role: string): About {
    switch (part.type) {
      case "tool-call":
        this.#call(part, part.callId);
        return part;
      case "tool-result":
        return withId(part, this.#answered(part, role) ?? part.callId);
      case "approval-request": {
        const known = this.#about(part);
        if (known === undefined && part.call) this.#call(part.call, part.callId);
        const callId = known ?? part.callId;
        this.#requests.set(part.requestId, callId);
        return withId(part, callId);
      }
      default: {
        const known = this.#requests.get(part.requestId);
        return known === undefined ? part : withId(part, known);
      }
    }
  }

  #call({ name, executedBy }: ToolCallPart, callId: string): void {
    const sides = [sideOf(executedBy === "provider"), anySide];
    this.#calls.ask([`id ${callId}`, ...sides, ...sides.map(side => `${side} ${name}`)], callId);
    this.#asked.ask([anySide, `${anySide} ${name}`], callId);
  }

  /** Undefined where nothing waits for it; a preliminary result leaves its call waiting. */
  #answered({ callId, name, preliminary }: PartOf<"tool-result">, role: string): string | undefined {
    const tool = name === undefined || name === "" ? "" : ` ${name}`;
    const key = [`id ${callId}`, `${sideOf(role === "assistant")}${tool}`, `${anySide}${tool}`].find(
      each => this.#calls.next(each) !== undefined,
    );
    if (key === undefined) return undefined;
    if (preliminary) return this.#calls.next(key);
    const answered = this.#calls.take(key);
    if (answered !== undefined) this.#done.add(answered);
    return answered;
  }

  /** The call that a question is about: the first without a result that none was asked about, in the nearest turn that has one. */
  #about({ call }: PartOf<"approval-request">): string | undefined {
    const key = call ? `${anySide} ${call.name}` : anySide;
    let about = this.#asked.take(key);
    while (about !== undefined && this.#done.has(about)) about = this.#asked.take(key);
    return about;
  }
}

const anySide = "any";
const sideOf = (isProvider: boolean): string => (isProvider ? "provider" : "caller");

/** Empty ids are made of their part's place, once; the hint `$id` says that they were empty. */
export function withMadeIds(messages: readonly Message[], family: string): Message[] {
  const all = messages.flatMap(({ parts }) => parts.filter(isAbout));
  if (!all.some(({ callId }) => callId === "")) return [...messages];
  const freeId = freeIds(new Set(all.map(({ callId }) => callId)));
  const made = messages.map((message, index) =>
    withParts(message, (part, place) => {
      if (!isAbout(part) || part.callId !== "") return part;
      const told = { ...part.native, [family]: { ...part.native?.[family], $id: "" } };
      return withId({ ...part, native: told }, freeId(`~${message.responseId ?? message.id ?? index}.${place}`));
    }),
  );
  return pairUnnamed(made, unnamedIn(family));
}

/** An id that is made like one that was there before it gets a tail, the next for its name: each is tried once. */
function freeIds(taken: Set<string | undefined>): (wanted: string) => string {
  const tails = new Map<string, number>();
  return wanted => {
    let tail = tails.get(wanted) ?? 0;
    let id = tail === 0 ? wanted : `${wanted}.${tail}`;
    while (taken.has(id)) id = `${wanted}.${++tail}`;
    tails.set(wanted, tail + 1);
    taken.add(id);
    return id;
  };
}

/** Ids that were empty are so again, unless they are needed to find the call of a result. */
export function withEmptyIds(messages: readonly Message[], family: string): readonly Message[] {
  const isEmptied = (part: About): boolean => isMade(part) && hintsOf(part, family)["$id"] === "";
  if (!messages.some(({ parts }) => parts.some(part => isAbout(part) && isEmptied(part)))) return messages;
  const named = new Set(
    messages.flatMap(({ parts }) => parts.flatMap(part => (isAbout(part) && !isEmptied(part) ? [part.callId] : []))),
  );
  const emptied = messages.map(message =>
    withParts(message, part => (isAbout(part) && isEmptied(part) && !named.has(part.callId) ? withId(part, "") : part)),
  );
  // A reader finds pairs by order: where the history was cut since, it would find others.
  return pairsOf(withMadeIds(emptied, family)) === pairsOf(messages) ? emptied : messages;
}

/** Which result answers which call, and which call a question is about, by their numbers among all parts. */
function pairsOf(messages: readonly Message[]): string {
  const parts = messages.flatMap(message => message.parts);
  const numbers = new Map<Part, number>(parts.map((part, number) => [part, number]));
  const called = new Map<string, number>();
  const asked = parts.flatMap((part, number) => {
    if (part.type === "tool-call") called.set(part.callId, number);
    return part.type === "approval-request" ? [`${number} ${called.get(part.callId)}`] : [];
  });
  const answered = [...pairResults(messages)].map(pair => pair.map(part => numbers.get(part)).join(" "));
  return [...asked, ...answered].join();
}

function withId<P extends About>(part: P, callId: string): P {
  if (part.callId === callId) return part;
  const held = part.type === "approval-request" || part.type === "approval-response" ? part.call : undefined;
  return { ...part, callId, ...(held && { call: { ...held, callId } }) };
}

function withParts(message: Message, change: (part: Part, place: number) => Part): Message {
  const parts = message.parts.map(change);
  return parts.some((part, place) => part !== message.parts[place]) ? { ...message, parts } : message;
}
