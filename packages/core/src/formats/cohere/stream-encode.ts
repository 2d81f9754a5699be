import { errorOf, partsOf } from "../../blocks/answer-parts.ts";
import type { Located } from "../../blocks/turns.ts";
import type { EncodeContext } from "../../codec/codec.ts";
import { lastAnswer, reportAnswer, StreamedAnswer } from "../../codec/one-answer.ts";
import { hintsOf, present, remainderOf } from "../../codec/remainder.ts";
import type { Message } from "../../model/conversation.ts";
import type { Event, MessageHead } from "../../model/events.ts";
import { isJsonObject, type Json, type JsonObject } from "../../model/json.ts";
import type { Machine } from "../../stream/machine.ts";
import { endOf } from "./answer.ts";
import { SentAnswer } from "./sent.ts";
import { envelopeMembers, family } from "./wire.ts";
import { layOut } from "./write-assistant.ts";
import { writingOf } from "./writing.ts";

/**
 * Events → stream events. Blocks and calls have numbers, so each passes on as it comes, in any interleaving; at the end the
 * answer is written as it would be without a stream, and what it says beside what is out follows.
 */
export const streamEncoder = (context: EncodeContext): Machine<Event, Json> => new EventWriter(context);

class EventWriter implements Machine<Event, Json> {
  readonly #context: EncodeContext;
  readonly #whole = new StreamedAnswer();
  readonly #sent: SentAnswer;
  /** Messages of the answer: others have no place in it. */
  readonly #messages = new Set<number>();
  #id: string | undefined;

  constructor(context: EncodeContext) {
    this.#context = context;
    this.#sent = new SentAnswer(context);
  }

  push(event: Event): readonly Json[] {
    this.#whole.push(event);
    switch (event.type) {
      case "error":
      case "message-set":
      case "message-end":
        return [];
      case "message-start":
        return this.#start(event.message, event.head);
      default:
        return this.#messages.has(event.message) ? this.#sent.take(event) : [];
    }
  }

  #start(message: number, head: MessageHead): readonly Json[] {
    if (this.#messages.has(message)) {
      // What is out stays; the new attempt follows it (E9).
      this.#context.lose("already-sent", ["messages", message]);
      this.#sent.restart();
      return [];
    }
    if (head.role !== "assistant") return [];
    const isFirst = this.#messages.size === 0;
    this.#messages.add(message);
    if (!isFirst) return [];
    this.#id = head.responseId;
    const body = { role: "assistant", content: [], tool_plan: "", tool_calls: [], citations: [] };
    return [{ ...present({ id: this.#id }), type: "message-start", delta: { message: body } }];
  }

  end(): readonly Json[] {
    const messages = this.#whole.end();
    const context = this.#whole.naming(this.#context);
    const answer = lastAnswer(messages);
    const message = answer.messages.at(-1);
    if (!message) return [];
    reportAnswer(messages, answer, context);
    const writing = writingOf(context, messages);
    const path = ["messages", answer.indexes.at(-1) ?? 0];
    const parts = partsOf(answer, context);
    const error = errorOf(parts, message, context);
    const said = parts.filter(({ part }) => part.type !== "error");
    const layout = layOut(said, path, writing);
    const placeOf = ({ path: place }: Located): string => {
      const [, index, , part] = place;
      const at = this.#whole.numbersOf(Number(index), Number(part));
      // A piece of a compaction has no number of its own.
      return at && place.length === 4 ? `${at.message}.${at.part}` : `- ${place.join(".")}`;
    };
    const isOver = !isCut(message) || error !== undefined;
    const events = this.#sent.finish(layout, { placeOf, isOver: isOver && error === undefined, context });
    this.#reportOpen(said, { isOver: isOver && error === undefined, context });
    const late = lateOf(message, this.#id);
    if (isOver) {
      // An error in a form of its own was an event of its own.
      const { error: failure, ...end } = endOf(message, { error, path, context });
      const ending = { type: "message-end", ...late.id, delta: { ...end, ...late.delta } };
      if (failure === undefined) return [...events, ending];
      if (typeof failure === "string") return [...events, { ...ending, delta: { error: failure, ...ending.delta } }];
      if (message.usage || Object.keys(late.delta).length > 0) context.lose("cut-members", path);
      return [...events, isJsonObject(failure) ? failure : { type: "error", message: error?.message ?? "" }];
    }
    if (message.usage || late.id["id"] !== undefined || Object.keys(late.delta).length > 0)
      context.lose("cut-members", path);
    return events;
  }

  /** An answer that ends ends all of its parts; a plan is over when something follows it. */
  #reportOpen(
    parts: readonly Located[],
    { isOver, context }: { readonly isOver: boolean; readonly context: EncodeContext },
  ): void {
    for (const { part, path } of parts) {
      const isPlan = hintsOf(part, family)["$place"] === "plan" && part.type === "reasoning";
      const isOpen = !isOver && (isPlan ? this.#sent.isPlanLast : part.partial === true);
      if ((part.partial === true) !== isOpen) context.lose("open", [...path, "partial"]);
    }
  }
}

/** A stream that was cut says so by not ending. */
const isCut = ({ finish }: Message): boolean =>
  finish !== undefined &&
  finish.raw === undefined &&
  (finish.reason === "incomplete" || finish.reason === "aborted" || finish.reason === "pending");

/** What became known behind the start: the id, and members of the message and of the answer. */
function lateOf(message: Message, id: string | undefined): { readonly id: JsonObject; readonly delta: JsonObject } {
  const { answer } = hintsOf(message, family);
  const own = remainderOf(message, family, envelopeMembers);
  const { $plan: _, ...members } = own;
  return {
    id: message.responseId === id ? {} : present({ id: message.responseId }),
    delta: {
      ...(Object.keys(members).length > 0 && { message: members }),
      ...(isJsonObject(answer) && answer),
    },
  };
}
