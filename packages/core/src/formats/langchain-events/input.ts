/** What was put into a model's run, as its records tell it: the whole history each time, of which most was told before. */

import { decode } from "../../blocks/langchain/decode.ts";
import type { DecodeContext } from "../../codec/codec.ts";
import { hintsOf, kept } from "../../codec/remainder.ts";
import type { Message } from "../../model/conversation.ts";
import { isJsonObject, type Json } from "../../model/json.ts";
import type { Part } from "../../model/parts.ts";
import { isMessage, recordsFamily } from "./records.ts";

/** The messages of an input; none where it has others, or is none of a model's. */
export function readInput(input: Json | undefined, context: DecodeContext): readonly Message[] {
  const list = listOf(input);
  if (list.length === 0 || !list.every(isMessage)) return [];
  return decode(list, { ...context, shape: "messages", dialect: "js-lc" }).messages;
}

/** A model is given its messages, a graph's model a batch of one list. */
function listOf(input: Json | undefined): readonly Json[] {
  const messages = isJsonObject(input) ? input["messages"] : input;
  const list: readonly Json[] = Array.isArray(messages) ? messages : [];
  const [first, ...others] = list;
  return Array.isArray(first) && others.length === 0 ? (first as readonly Json[]) : list; // a list of JSON
}

/** Marks a message that is of a run's input. */
export function asInput(message: Message): Message {
  const { native } = kept(recordsFamily, undefined, { $input: true });
  return { ...message, native: { ...message.native, ...native } };
}

export const isInput = (message: Message): boolean => hintsOf(message, recordsFamily)["$input"] === true;

/** The messages that are told so far, by their id or by what they say. */
export class Told {
  readonly #ids = new Set<string>();
  readonly #counts = new Map<string, number>();

  add(message: Message): void {
    if (message.id !== undefined) this.#ids.add(message.id);
    const key = keyOf(message);
    this.#counts.set(key, (this.#counts.get(key) ?? 0) + 1);
  }

  /** The messages of a history that are not told yet. Without an answer that is told it goes on from nothing before it. */
  news(history: readonly Message[]): readonly Message[] {
    const isKnown = ({ id }: Message): boolean => id !== undefined && this.#ids.has(id);
    const isAnswer = (message: Message): boolean =>
      message.role === "assistant" && (isKnown(message) || this.#counts.has(keyOf(message)));
    if (!history.some(isAnswer)) return history.filter(message => !isKnown(message));
    const seen = new Map<string, number>();
    return history.filter(message => {
      const key = keyOf(message);
      const count = (seen.get(key) ?? 0) + 1;
      seen.set(key, count);
      return !isKnown(message) && count > (this.#counts.get(key) ?? 0);
    });
  }
}

/** What a message says, however its parts were spelled. */
const keyOf = ({ role, parts }: Message): string => JSON.stringify([role, parts.map(said)]);

function said(part: Part): unknown {
  const { native: _, exact: __, ...own } = part;
  const { seal: ___, partial: ____, ...members } = { seal: undefined, partial: undefined, ...own };
  return "output" in members && members.output ? { ...members, output: members.output.map(said) } : members;
}
