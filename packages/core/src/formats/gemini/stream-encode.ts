import { writingOf } from "../../blocks/gemini/writing.ts";
import type { EncodeContext } from "../../codec/codec.ts";
import { present } from "../../codec/remainder.ts";
import type { Message } from "../../model/conversation.ts";
import type { Event, MessageHead } from "../../model/events.ts";
import type { Path } from "../../model/issue.ts";
import { isJsonObject, type Json, type JsonObject } from "../../model/json.ts";
import type { Part, PartOf } from "../../model/parts.ts";
import { accumulator } from "../../stream/accumulate.ts";
import type { Machine } from "../../stream/machine.ts";
import { candidateOf } from "./answer.ts";
import { writeError } from "./error.ts";
import { type SentAt, SentCandidate } from "./sent.ts";
import { routeOf } from "./wire.ts";
import { type Candidate, writeAnswer } from "./write-answer.ts";

/**
 * Events → chunks. Words pass on as they come, everything else when it is whole; at the end the answer is written as it
 * would be without a stream, and what it says beside its parts follows in the last chunk.
 */
export const streamEncoder = (context: EncodeContext): Machine<Event, Json> => new ChunkWriter(context);

class ChunkWriter implements Machine<Event, Json> {
  readonly #context: EncodeContext;
  readonly #whole = accumulator();
  /** Those of which something is out. */
  readonly #begun = new Set<SentCandidate>();
  readonly #candidates: SentCandidate[] = [];
  readonly #byMessage = new Map<number, SentCandidate>();
  /** The parts of each message by the stream's own numbers, in order. */
  readonly #numbers = new Map<number, number[]>();
  #first: MessageHead | undefined;
  #envelope: JsonObject = {};
  /** What the stream failed with, also where no message of it is written. */
  #error: PartOf<"error"> | undefined;

  constructor(context: EncodeContext) {
    this.#context = context;
  }

  push(event: Event): readonly Json[] {
    this.#whole.push(event);
    if (event.type === "error") {
      this.#error = { type: "error", ...event.error };
      return [];
    }
    if (event.type === "message-start") return this.#start(event.message, event.head);
    const candidate = this.#byMessage.get(event.message);
    if (event.type === "part-start" || event.type === "part") insert(this.#numbers.get(event.message), event.part);
    if (!candidate) return [];
    if (event.type === "message-set") {
      if (candidate === this.#candidates[0]) this.#learn(event.set);
      return [];
    }
    if (event.type === "message-end") return [];
    const taken = candidate.take(event);
    const silent = taken.length > 0 ? this.#begin(candidate) : [];
    return [...silent, ...taken.map(parts => this.#chunk(candidate, parts))];
  }

  /** Those that began before it and have said nothing yet begin before it: their readers keep that order. */
  #begin(candidate: SentCandidate): Json[] {
    if (this.#begun.has(candidate)) return [];
    const before = this.#candidates.slice(0, this.#candidates.indexOf(candidate));
    const silent = before.filter(each => !this.#begun.has(each));
    for (const each of [...silent, candidate]) this.#begun.add(each);
    return silent.map(each => this.#chunk(each, []));
  }

  #start(message: number, head: MessageHead): readonly Json[] {
    const isAgain = this.#numbers.has(message);
    this.#numbers.set(message, []);
    if (isAgain) {
      // What is out stays; the new attempt follows it (E9).
      this.#context.lose("already-sent", ["messages", message]);
      return [];
    }
    if (head.role !== "assistant") return [];
    const [first] = this.#candidates;
    if (first && !this.#isSibling(head)) {
      this.#byMessage.set(message, first);
      return [];
    }
    const candidate = this.#open(candidateOf(head) ?? this.#candidates.length);
    this.#byMessage.set(message, candidate);
    this.#candidates.push(candidate);
    if (!first) {
      this.#first = head;
      this.#learn(head);
    }
    return [];
  }

  #open(index: number): SentCandidate {
    const silent = { ...this.#context, lose: () => undefined, wrote: () => undefined };
    return new SentCandidate(index, {
      silent: writingOf([], silent, routeOf(silent.dialect)),
      lose: (code, { message, part }, member) =>
        this.#context.lose(code, ["messages", message, "parts", part, ...(member === undefined ? [] : [member])]),
      whole: at => this.#partAt(at),
    });
  }

  #partAt({ message, part }: SentAt): Part | undefined {
    const order = [...this.#numbers.keys()].indexOf(message);
    const place = this.#numbers.get(message)?.indexOf(part) ?? -1;
    return this.#whole.messages[order]?.parts[place];
  }

  /** As `writeAnswer` tells siblings; of the first it may not be known yet that it has any. */
  #isSibling({ parent, responseId }: MessageHead): boolean {
    const first = this.#first;
    if (parent === undefined || !first || (first.parent ?? null) !== parent) return false;
    return first.responseId === undefined || first.responseId === responseId;
  }

  #learn({ responseId, model, createdAt }: Partial<MessageHead>): void {
    const told = { responseId, modelVersion: model, createTime: createdAt };
    if (this.#first) this.#first = { ...this.#first, ...(responseId !== undefined && { responseId }) };
    this.#envelope = { ...this.#envelope, ...present(told) };
  }

  #chunk(candidate: SentCandidate, parts: readonly JsonObject[]): Json {
    return { candidates: [{ content: { parts, role: "model" }, index: candidate.index }], ...this.#envelope };
  }

  end(): readonly Json[] {
    const messages = this.#whole.end();
    if (this.#candidates.length === 0 && this.#error) {
      return [{ error: writeError(this.#error, undefined, () => this.#context.lose("error-type", [])) }];
    }
    if (messages.length === 0) return [];
    const chunks = this.#candidates.flatMap(candidate =>
      candidate.finish(this.#partsOf(candidate, messages)).map(parts => this.#chunk(candidate, parts)),
    );
    const { candidates, error, ...body } = writeAnswer({ messages }, this.#naming(), this.#grouped(messages));
    const wires: readonly Json[] = Array.isArray(candidates) ? candidates : [];
    this.#reportOpen(messages, wires);
    const last = wires.map((wire, place): JsonObject => {
      const isLast = place === wires.length - 1;
      return { candidates: [this.#ending(wire, place)], ...(isLast ? body : this.#envelope) };
    });
    const bodies = last.length > 0 || Object.keys(body).length === 0 ? last : [body];
    return [...chunks, ...bodies, ...(error === undefined ? [] : [{ error }])];
  }

  /** As an answer lists them, whichever began first. */
  #sorted(): readonly SentCandidate[] {
    return this.#candidates.toSorted((a, b) => a.index - b.index);
  }

  /** The candidate without the parts that are out. */
  #ending(wire: Json, place: number): Json {
    const candidate = this.#sorted()[place];
    if (!isJsonObject(wire) || !candidate) return wire;
    const { content, ...others } = wire;
    const index = { index: candidate.index };
    if (!isJsonObject(content)) return { ...others, ...index };
    const { parts, ...said } = content;
    const isSaid = !candidate.isEmpty && Object.keys(said).every(key => key === "role");
    const rest: JsonObject = isSaid ? {} : { content: { ...said, parts: candidate.isEmpty ? (parts ?? []) : [] } };
    return { ...rest, ...others, ...index };
  }

  #partsOf(candidate: SentCandidate, messages: readonly Message[]): (SentAt & { readonly value: Part })[] {
    return [...this.#numbers].flatMap(([message, numbers], order) => {
      if (this.#byMessage.get(message) !== candidate) return [];
      return numbers.flatMap((part, place) => {
        const value = messages[order]?.parts[place];
        return value ? [{ message, part, value }] : [];
      });
    });
  }

  #grouped(messages: readonly Message[]): readonly Candidate[] {
    const groups = new Map(
      this.#sorted().map(candidate => [candidate, { messages: [] as Message[], indexes: [] as number[] }]),
    ); // empty lists have no type of their own
    for (const [order, number] of [...this.#numbers.keys()].entries()) {
      const candidate = this.#byMessage.get(number);
      const group = candidate && groups.get(candidate);
      const message = messages[order];
      if (!group || !message) continue;
      group.messages.push(message);
      group.indexes.push(order);
    }
    return [...groups.values()];
  }

  /** Losses in the stream's own numbers. */
  #naming(): EncodeContext {
    const numbers = [...this.#numbers];
    const named = ([root = "messages", message, member, part, ...rest]: Path): Path => {
      const place = typeof message === "number" ? numbers[message] : undefined;
      if (!place || message === undefined) return [root, ...(message === undefined ? [] : [message])];
      const number = member === "parts" && typeof part === "number" ? (place[1][part] ?? part) : part;
      return [root, place[0], ...[member, number].filter(step => step !== undefined), ...rest];
    };
    const { lose } = this.#context;
    return { ...this.#context, lose: (code, path, detail) => lose(code, named(path), detail) };
  }

  /** Google's parts have no end marks: words are over when something follows, or the answer says why it ended. */
  #reportOpen(messages: readonly Message[], wires: readonly Json[]): void {
    for (const [place, candidate] of this.#sorted().entries()) {
      const wire = wires[place];
      const hasEnded = isJsonObject(wire) && wire["finishReason"] !== undefined;
      const open = hasEnded ? undefined : candidate.openPart;
      for (const { message, part, value } of this.#partsOf(candidate, messages)) {
        const isOpen = open?.message === message && open.part === part;
        if (value.type !== "error" && (value.partial === true) !== isOpen) {
          this.#context.lose("open", ["messages", message, "parts", part, "partial"]);
        }
      }
    }
  }
}

/** Numbers sort; most come in order. */
function insert(numbers: number[] | undefined, number: number): void {
  if (!numbers) return;
  let place = numbers.length;
  while (place > 0 && (numbers[place - 1] ?? 0) > number) place--;
  if (numbers[place - 1] !== number) numbers.splice(place, 0, number);
}
