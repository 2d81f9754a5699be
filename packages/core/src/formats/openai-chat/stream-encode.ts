import { choiceOf } from "../../blocks/chat-parts/read-answer.ts";
import { type Choice, timeOf, writeAnswer } from "../../blocks/chat-parts/write-answer.ts";
import type { EncodeContext } from "../../codec/codec.ts";
import { hintsOf, present } from "../../codec/remainder.ts";
import type { Message } from "../../model/conversation.ts";
import type { Event, MessageHead } from "../../model/events.ts";
import type { Path } from "../../model/issue.ts";
import {
  equalJson,
  isJsonObject,
  type Json,
  type JsonObject,
  type MutableJsonObject,
  setMember,
} from "../../model/json.ts";
import { accumulator } from "../../stream/accumulate.ts";
import type { Machine } from "../../stream/machine.ts";
import { forHost } from "./foreign.ts";
import { chatForm } from "./form.ts";
import { SentChoice } from "./sent.ts";
import { family } from "./wire.ts";

/**
 * Events → chunks. Texts and arguments pass on as they come; at the end the answer is written whole, as it would be
 * without a stream, and what it says beyond the chunks that are out follows: so a client that puts them together has just
 * that answer. The reason to stop comes last but one, then the usage, as OpenAI sends them.
 */
export const streamEncoder = (context: EncodeContext): Machine<Event, Json> => new ChunkWriter(context);

class ChunkWriter implements Machine<Event, Json> {
  readonly #context: EncodeContext;
  readonly #whole = accumulator();
  readonly #choices: SentChoice[] = [];
  readonly #byMessage = new Map<number, SentChoice>();
  /** The parts of each message, by the stream's own numbers: those that losses are named by. */
  readonly #numbers = new Map<number, Set<number>>();
  #first: MessageHead | undefined;
  /** Choices of which nothing is out: their first chunk waits for what they say, for the answer's id may come before it. */
  readonly #silent = new Set<SentChoice>();
  #envelope: JsonObject = envelopeOf({ role: "assistant" });
  /** The envelope of the last chunk that is out. */
  #sent: JsonObject = {};

  constructor(context: EncodeContext) {
    this.#context = context;
  }

  push(event: Event): readonly Json[] {
    this.#whole.push(event);
    if (event.type === "part-start" || event.type === "part") this.#numbers.get(event.message)?.add(event.part);
    if (event.type === "error") return [];
    if (event.type === "message-start") return this.#start(event.message, event.head);
    const choice = this.#byMessage.get(event.message);
    if (!choice) return [];
    if (event.type === "message-set") {
      if (choice === this.#choices[0]) this.#learn(event.set);
      const { $plain: plain } = hintsOf({ native: event.set.native ?? {} }, family);
      if (Array.isArray(plain)) choice.repeatReasoning(plain);
      return [];
    }
    return this.#said(choice, choice.take(event));
  }

  #said(choice: SentChoice, deltas: readonly JsonObject[]): Json[] {
    const begun = deltas.length > 0 && this.#silent.has(choice) ? this.#begun(choice) : [];
    return [...begun, ...deltas.map(delta => this.#chunk(choice, delta))];
  }

  /** Those that began before it begin before it: their readers keep that order. */
  #begun(choice: SentChoice): Json[] {
    const silent = [...this.#silent];
    const begun = silent.slice(0, silent.indexOf(choice) + 1);
    for (const each of begun) this.#silent.delete(each);
    return begun.map(each => this.#chunk(each, { role: "assistant" }));
  }

  #start(message: number, head: MessageHead): Json[] {
    this.#numbers.set(message, new Set());
    const known = this.#byMessage.get(message);
    if (known) {
      // What is out stays; the new attempt follows it (E9).
      this.#context.lose("already-sent", ["messages", message]);
      known.restart();
      return [];
    }
    if (head.role !== "assistant") return [];
    const first = this.#choices[0];
    const index = choiceOf(head) ?? this.#choices.length;
    const choice = first && !this.#isSibling(head) ? first : new SentChoice(index, this.#context);
    this.#byMessage.set(message, choice);
    if (choice === first) return [];
    this.#choices.push(choice);
    if (!first) {
      this.#first = head;
      this.#learn(head);
    }
    this.#silent.add(choice);
    return [];
  }

  /** As `writeAnswer` tells siblings; of the first it may not be known yet that it has any. */
  #isSibling({ parent, responseId }: MessageHead): boolean {
    const first = this.#first;
    if (parent === undefined || !first || (first.parent ?? null) !== parent) return false;
    return first.responseId === undefined || first.responseId === responseId;
  }

  #learn(head: Partial<MessageHead>): void {
    if (this.#first) this.#first = { ...this.#first, ...head };
    this.#tell(envelopeOf(head, this.#envelope));
  }

  /** The official SDK takes a chunk with another id for the beginning of another answer (openai 7.59.0). */
  #tell(told: JsonObject): void {
    const { id } = this.#sent;
    this.#envelope = { ...this.#envelope, ...told, ...(id !== undefined && id !== "" && { id }) };
  }

  #chunk(choice: SentChoice, delta: JsonObject): Json {
    this.#sent = this.#envelope;
    return { ...this.#envelope, choices: [{ index: choice.index, delta, finish_reason: null }] };
  }

  end(): readonly Json[] {
    const all = this.#whole.end();
    if (all.length === 0) return [];
    const { conversation, context } = forHost({ messages: all }, this.#naming());
    const { messages } = conversation;
    const { id, object, created, model, choices, error, ...rest } = writeAnswer(messages, {
      context,
      form: chatForm,
      choices: this.#grouped(messages),
    });
    const told = Object.entries({ id, created, model }).filter(([name, value]) => value || !(name in this.#sent));
    this.#tell(present(Object.fromEntries(told)));
    if (id && id !== this.#envelope["id"]) this.#loseId(context, messages);
    const chunks: Json[] = [];
    for (const choice of this.#silent) chunks.push(this.#chunk(choice, { role: "assistant" }));
    this.#silent.clear();
    const isOver = (wire: Json): boolean => error === undefined && isJsonObject(wire) && wire["finish_reason"] !== null;
    reportOpen(messages, Array.isArray(choices) && choices.every(isOver), context);
    const sent = this.#choices.toSorted((a, b) => a.index - b.index);
    for (const [place, wire] of (Array.isArray(choices) ? choices : []).entries()) {
      const choice = sent[place];
      if (choice && isJsonObject(wire)) chunks.push(...this.#complete(choice, wire));
    }
    const isNews = chunks.length === 0 && sent.length > 0 && !equalJson(this.#envelope, this.#sent);
    if (isNews || Object.keys(rest).length > 0) chunks.push({ ...this.#envelope, choices: [], ...rest });
    if (error !== undefined) chunks.push({ error });
    return chunks;
  }

  #loseId(context: EncodeContext, messages: readonly Message[]): void {
    const place = messages.findLastIndex(({ responseId }) => responseId !== undefined);
    context.lose("already-sent", ["messages", place, "responseId"]);
  }

  /** The messages of each choice; undefined where none was started. */
  #grouped(messages: readonly Message[]): Choice[] | undefined {
    if (this.#choices.length === 0) return undefined;
    const groups = new Map(
      this.#choices.map(choice => [choice, { messages: [] as Message[], indexes: [] as number[] }]),
    ); // empty lists have no type of their own
    for (const [index, number] of [...this.#numbers.keys()].entries()) {
      const choice = this.#byMessage.get(number);
      const message = messages[index];
      const group = choice && groups.get(choice);
      if (group && message) {
        group.messages.push(message);
        group.indexes.push(index);
      }
    }
    return [...groups].sort(([a], [b]) => a.index - b.index).map(([, group]) => group);
  }

  /** Losses in the stream's own numbers. */
  #naming(): EncodeContext {
    const numbers = [...this.#numbers].map(([message, parts]) => ({
      message,
      parts: [...parts].sort((a, b) => a - b),
    }));
    const named = ([root = "messages", message, member, part, ...rest]: Path): Path => {
      const place = typeof message === "number" ? numbers[message] : undefined;
      if (!place || message === undefined) return [root, ...(message === undefined ? [] : [message])];
      const number = typeof part === "number" ? (place.parts[part] ?? part) : part;
      return [root, place.message, ...[member, number].filter(step => step !== undefined), ...rest];
    };
    const { lose } = this.#context;
    return { ...this.#context, lose: (code, path, detail) => lose(code, named(path), detail) };
  }

  #complete(choice: SentChoice, wire: JsonObject): Json[] {
    const { index, message, finish_reason: finish = null, ...rest } = wire;
    const delta = choice.rest(isJsonObject(message) ? message : {});
    const chunks: Json[] = [];
    if (Object.keys(delta).length > 0) chunks.push(this.#chunk(choice, delta));
    if (finish !== null || Object.keys(rest).length > 0) {
      chunks.push({ ...this.#envelope, choices: [{ index: choice.index, delta: {}, ...rest, finish_reason: finish }] });
    }
    return chunks;
  }
}

/** Chat has no end marks: its parts are whole if the answer came to an end, and open if not. */
function reportOpen(messages: readonly Message[], hasEnded: boolean, context: EncodeContext): void {
  for (const [index, { role, parts }] of messages.entries()) {
    for (const [place, part] of role === "assistant" ? parts.entries() : []) {
      const isHidden = part.type === "reasoning" && part.text === undefined;
      if (streamed.has(part.type) && !isHidden && (part.partial === true) === hasEnded) {
        context.lose("open", ["messages", index, "parts", place, "partial"]);
      }
    }
  }
}

const streamed: ReadonlySet<string> = new Set(["text", "reasoning", "refusal", "tool-call"]);

/** What every chunk says of its answer; nothing is made up that is not known (yet). */
function envelopeOf(
  head: Partial<MessageHead>,
  known: JsonObject = { id: chatForm.madeId, created: 0, model: "" },
): JsonObject {
  const envelope: MutableJsonObject = {
    id: head.responseId ?? known["id"] ?? chatForm.madeId,
    object: "chat.completion.chunk",
  };
  setMember(envelope, "created", timeOf(head.createdAt) ?? known["created"] ?? 0);
  setMember(envelope, "model", head.model ?? known["model"] ?? "");
  return envelope;
}
