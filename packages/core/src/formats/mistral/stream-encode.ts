import { choiceOf } from "../../blocks/chat-parts/read-answer.ts";
import { type Choice, timeOf, writeAnswer } from "../../blocks/chat-parts/write-answer.ts";
import type { EncodeContext } from "../../codec/codec.ts";
import { present } from "../../codec/remainder.ts";
import type { Message } from "../../model/conversation.ts";
import type { At, Event, MessageHead } from "../../model/events.ts";
import { equalJson, isJsonObject, type Json, type JsonObject } from "../../model/json.ts";
import type { Part } from "../../model/parts.ts";
import { accumulator } from "../../stream/accumulate.ts";
import type { Machine } from "../../stream/machine.ts";
import { StreamPlaces } from "../../stream/places.ts";
import { mistralForm } from "./form.ts";
import { SentChoice } from "./sent.ts";

/**
 * Events → chunks. Words pass on as they come, calls and everything else when they are whole, as Mistral sends them; at the
 * end the answer is written as it would be without a stream, and what it says beside its parts follows in the last chunk.
 */
export const streamEncoder = (context: EncodeContext): Machine<Event, Json> => new ChunkWriter(context);

class ChunkWriter implements Machine<Event, Json> {
  readonly #context: EncodeContext;
  readonly #whole = accumulator();
  readonly #places = new StreamPlaces();
  readonly #choices: SentChoice[] = [];
  readonly #byMessage = new Map<number, SentChoice>();
  #first: MessageHead | undefined;
  #envelope: JsonObject = { id: "", object: "chat.completion.chunk", created: 0, model: "" };
  #sent: JsonObject = {};

  constructor(context: EncodeContext) {
    this.#context = context;
  }

  push(event: Event): readonly Json[] {
    this.#whole.push(event);
    this.#places.take(event);
    if (event.type === "error" || event.type === "message-end") return [];
    if (event.type === "message-start") return this.#start(event.message, event.head);
    const choice = this.#byMessage.get(event.message);
    if (!choice) return [];
    if (event.type === "message-set") {
      if (choice === this.#choices[0]) this.#learn(event.set);
      return [];
    }
    const deltas = event.type === "part-end" ? this.#end(choice, event) : choice.take(event);
    return deltas.map(delta => this.#chunk(choice, delta));
  }

  #end(choice: SentChoice, at: At): JsonObject[] {
    const value = this.#places.partAt(at, this.#whole.messages);
    return value ? choice.end(at, value) : [];
  }

  #start(message: number, head: MessageHead): Json[] {
    if (this.#places.start(message)) {
      // What is out stays; the new attempt follows it (E9).
      this.#context.lose("already-sent", ["messages", message]);
      return [];
    }
    if (head.role !== "assistant") return [];
    const [first] = this.#choices;
    if (first && !this.#isSibling(head)) {
      this.#byMessage.set(message, first);
      return [];
    }
    const choice = new SentChoice(choiceOf(head) ?? this.#choices.length, this.#context);
    this.#byMessage.set(message, choice);
    this.#choices.push(choice);
    if (!first) {
      this.#first = head;
      this.#learn(head);
    }
    return [this.#chunk(choice, { role: "assistant" })];
  }

  /** As `writeAnswer` tells siblings; of the first it may not be known yet that it has any. */
  #isSibling({ parent, responseId }: MessageHead): boolean {
    const first = this.#first;
    if (parent === undefined || !first || (first.parent ?? null) !== parent) return false;
    return first.responseId === undefined || first.responseId === responseId;
  }

  #learn({ responseId, model, createdAt }: Partial<MessageHead>): void {
    if (this.#first && responseId !== undefined) this.#first = { ...this.#first, responseId };
    this.#envelope = { ...this.#envelope, ...present({ id: responseId, created: timeOf(createdAt), model }) };
  }

  #chunk(choice: SentChoice, delta: JsonObject, end: JsonObject = { finish_reason: null }): JsonObject {
    this.#sent = this.#envelope;
    return { ...this.#envelope, choices: [{ index: choice.index, delta, ...end }] };
  }

  end(): readonly Json[] {
    const messages = this.#whole.end();
    if (messages.length === 0) return [];
    const chunks: Json[] = this.#choices.flatMap(choice => this.#unfinished(choice, messages));
    const context: EncodeContext = {
      ...this.#context,
      lose: (code, path, detail) => this.#context.lose(code, this.#places.named(path), detail),
    };
    const groups = this.#choices.length > 0 ? this.#grouped(messages) : undefined;
    const answer = writeAnswer(messages, { context, form: mistralForm, choices: groups });
    const { id, object: _, created, model, choices, error, ...rest } = answer;
    const told = Object.entries({ id, created, model }).filter(([, value]) => value);
    this.#envelope = { ...this.#envelope, ...present(Object.fromEntries(told)) };
    const wires = Array.isArray(choices) ? (choices as readonly Json[]) : []; // a list of JSON
    for (const [place, wire] of wires.entries()) {
      const choice = this.#sorted()[place];
      if (!choice || !isJsonObject(wire)) continue;
      this.#reportOpen(choice, messages, error === undefined && wire["finish_reason"] !== null);
      const last = this.#ending(choice, wire);
      if (last) chunks.push(place === wires.length - 1 ? { ...last, ...rest } : last);
      else if (place === wires.length - 1) chunks.push(...this.#body(rest));
    }
    if (wires.length === 0) chunks.push(...this.#body(rest));
    if (error !== undefined) chunks.push({ error });
    return chunks;
  }

  /** What the body says, where no choice is left to say it with. */
  #body(rest: JsonObject): Json[] {
    const isNews = this.#choices.length > 0 && !equalJson(this.#envelope, this.#sent);
    return isNews || Object.keys(rest).length > 0 ? [{ ...this.#envelope, choices: [], ...rest }] : [];
  }

  /** Parts that have no end, or that came whole at the end. */
  #unfinished(choice: SentChoice, messages: readonly Message[]): Json[] {
    return this.#partsOf(choice, messages)
      .flatMap(({ value, ...at }) => choice.end(at, value))
      .map(delta => this.#chunk(choice, delta));
  }

  #partsOf(choice: SentChoice, messages: readonly Message[]): readonly (At & { readonly value: Part })[] {
    return this.#places.messages
      .filter(message => this.#byMessage.get(message) === choice)
      .flatMap(message => this.#places.partsOf(message, messages));
  }

  /** The last chunk of a choice: how it ended, and what its message says beside its parts. */
  #ending(choice: SentChoice, wire: JsonObject): JsonObject | undefined {
    const { index: _, message, finish_reason: finish = null, ...others } = wire;
    const { role, content, tool_calls: calls, ...members } = isJsonObject(message) ? message : {};
    const isSaid = choice.hasContent || content === undefined;
    const delta = present({
      ...(role !== "assistant" && { role }),
      content: isSaid ? undefined : content,
      tool_calls: Array.isArray(calls) && calls.length > 0 ? undefined : calls,
      ...members,
    });
    const isNothing = finish === null && Object.keys(delta).length === 0 && Object.keys(others).length === 0;
    return isNothing ? undefined : this.#chunk(choice, delta, { ...others, finish_reason: finish });
  }

  #sorted(): readonly SentChoice[] {
    return this.#choices.toSorted((a, b) => a.index - b.index);
  }

  #grouped(messages: readonly Message[]): readonly Choice[] {
    const numbers = this.#places.messages;
    return this.#sorted().map(choice => {
      const indexes = [...numbers.keys()].filter(order => this.#byMessage.get(numbers[order] ?? -1) === choice);
      return { messages: indexes.flatMap(order => messages[order] ?? []), indexes };
    });
  }

  /** Mistral's chunks have no end marks: words are over when something follows, or the answer has ended. */
  #reportOpen(choice: SentChoice, messages: readonly Message[], hasEnded: boolean): void {
    for (const { value, ...at } of this.#partsOf(choice, messages)) {
      const isOpen = !hasEnded && choice.isOpen(at);
      if (value.type !== "error" && (value.partial === true) !== isOpen) {
        this.#context.lose("open", ["messages", at.message, "parts", at.part, "partial"]);
      }
    }
  }
}
