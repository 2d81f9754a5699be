/** What formats share whose answer is one message of the wire, whole and streamed. */

import type { Conversation, Message } from "../model/conversation.ts";
import type { At, Event } from "../model/events.ts";
import type { Path } from "../model/issue.ts";
import { accumulator } from "../stream/accumulate.ts";
import { StreamPlaces } from "../stream/places.ts";
import type { EncodeContext, LossTable } from "./codec.ts";
import { hintsOf } from "./remainder.ts";

/** Messages that one answer is written from, by their places. */
export interface OneAnswer {
  readonly messages: readonly Message[];
  readonly indexes: readonly number[];
}

export const oneAnswerLosses = {
  "messages-joined": { kind: "merged", note: "an answer is one message" },
  "not-the-answer": { kind: "dropped", note: "an answer holds what the assistant said last" },
  "message-id": { kind: "dropped", note: "a message of an answer has no id and no parent" },
  head: { kind: "dropped", note: "an answer says this once for all of its messages" },
} as const satisfies LossTable;

/** The messages of the assistant since someone else spoke; of siblings the last one (R16). */
export function lastAnswer(messages: readonly Message[]): OneAnswer {
  const last = messages.findLastIndex(({ role }) => role === "assistant");
  const newest = messages[last];
  if (!newest) return { messages: [], indexes: [] };
  const indexes: number[] = [last];
  for (let index = last - 1; index >= 0; index--) {
    const message = messages[index];
    if (message?.role === "assistant" && !isSibling(message, newest)) indexes.push(index);
    else if (message?.role !== "tool") break;
  }
  indexes.reverse();
  return { messages: indexes.map(index => messages[index] ?? newest), indexes };
}

const isSibling = ({ parent }: Message, other: Message): boolean => parent !== undefined && parent === other.parent;

/** Whether an answer was an error's body, and still is nothing else. `family`: whose hints say so. */
export function wasErrorBody({ messages }: Conversation, family: string): boolean {
  const last = lastAnswer(messages).messages.at(-1);
  const [only] = last?.parts ?? [];
  const isBody = last !== undefined && hintsOf(last, family)["$error"] === "body";
  return isBody && last.parts.length === 1 && only?.type === "error";
}

/** Reports what of a conversation is no part of its answer, and what the answer cannot say of each message. */
export function reportAnswer(all: readonly Message[], { messages, indexes }: OneAnswer, context: EncodeContext): void {
  const written = new Set(indexes);
  for (const index of all.keys()) if (!written.has(index)) context.lose("not-the-answer", ["messages", index]);
  const last = messages.at(-1);
  for (const [place, message] of messages.entries()) {
    const path: Path = ["messages", indexes[place] ?? 0];
    if (messages.length > 1) context.lose("messages-joined", path);
    for (const member of ["id", "parent"] as const) {
      if (message[member] !== undefined) context.lose("message-id", [...path, member]);
    }
    if (message === last) continue;
    for (const member of ["responseId", "model", "createdAt"] as const) {
      if (message[member] !== last?.[member]) context.lose("head", [...path, member]);
    }
    for (const member of ["usage", "finish"] as const) if (message[member]) context.lose("head", [...path, member]);
  }
}

/** A stream that is written as one answer: its messages so far, by the numbers that its events have. */
export class StreamedAnswer {
  readonly #whole = accumulator();
  readonly #places = new StreamPlaces();

  push(event: Event): void {
    this.#whole.push(event);
    if (event.type === "message-start") this.#places.start(event.message);
    else this.#places.take(event);
  }

  /** The stream is over. */
  end(): readonly Message[] {
    return this.#whole.end();
  }

  /** Numbers of a place among the messages; undefined for what no event started. */
  numbersOf(message: number, part: number): At | undefined {
    return this.#places.numbersOf(message, part);
  }

  /** Reports losses in the stream's own numbers. */
  naming(context: EncodeContext): EncodeContext {
    return { ...context, lose: (code, path, detail) => context.lose(code, this.#places.named(path), detail) };
  }
}
