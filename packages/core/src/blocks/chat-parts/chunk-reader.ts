import type { DecodeContext } from "../../codec/codec.ts";
import { Reader } from "../../codec/reader.ts";
import type { Event, MessageHead } from "../../model/events.ts";
import { isJsonObject, type Json, type JsonObject, type MutableJsonObject } from "../../model/json.ts";
import type { PartOf } from "../../model/parts.ts";
import type { Machine } from "../../stream/machine.ts";
import { ChoiceTurns } from "../choice-order.ts";
import type { ChatForm } from "./form.ts";
import { assign, isIndex } from "./merged-calls.ts";
import { choiceError, readAnswer, readHead, siblingOf } from "./read-answer.ts";
import { isText, type ReadMessage } from "./wire.ts";

/** A choice while it comes. */
export interface LiveChoice {
  /** The number of its message in the stream. */
  readonly message: number;
  /** Members of the choice beside its delta. */
  choice(members: JsonObject): void;
  add(delta: JsonObject, events: Event[]): void;
  /** The choice as an answer has it. */
  whole(): JsonObject;
  /** Sends what the whole says beyond what is out. */
  finish(whole: ReadMessage, end: { readonly isFailed: boolean; readonly events: Event[] }): void;
}

export interface ChunkForm {
  readonly form: ChatForm;
  open(index: number, head: MessageHead): LiveChoice;
  /** The error that a chunk is or has. */
  failureOf(chunk: JsonObject): Json | undefined;
}

/**
 * Chunks → events. Texts and arguments pass on as they come; beside them the answer is put together as the host would
 * have sent it whole, is read at the end as any answer, and what it says more is sent as the difference (E3). So a stream
 * is its whole by construction.
 */
export class ChunkReader implements Machine<Json, Event> {
  readonly #context: DecodeContext;
  readonly #form: ChunkForm;
  readonly #body: MutableJsonObject = {};
  readonly #choices = new Map<number, LiveChoice>();
  #failure: Json | undefined;
  #hasFailed = false;
  readonly #turns = new ChoiceTurns();
  #count = 0;

  constructor(context: DecodeContext, form: ChunkForm) {
    this.#context = context;
    this.#form = form;
  }

  push(chunk: Json): readonly Event[] {
    const events: Event[] = [];
    const path = [this.#count++];
    if (!isJsonObject(chunk)) {
      this.#context.issue("not-a-chunk", path, "expected an object; left out");
      return events;
    }
    const { choices } = chunk;
    const error = this.#form.failureOf(chunk);
    if (error !== chunk) {
      for (const key of Object.keys(chunk)) if (!passing.has(key)) this.#addToBody(key, chunk[key]);
    }
    if (Array.isArray(choices)) for (const choice of choices) this.#choice(choice as Json, events); // an item of JSON
    if (error !== undefined && error !== null) this.#fail(error, events);
    return this.#turns.pass(events);
  }

  /** What is empty does not replace what is known: some hosts' first and last chunks are bare. */
  #addToBody(key: string, value: Json | undefined): void {
    const isBlank = value === "" || value === null || value === undefined || (value === 0 && key === "created");
    if (isBlank && Object.hasOwn(this.#body, key)) return;
    if (heads.has(key) && !isBlank && !isTold(key, value)) {
      this.#context.issue("unknown-head", [this.#count - 1, key], "no answer says this so; left out");
      return;
    }
    assign(this.#body, key, value);
  }

  #choice(wire: Json, events: Event[]): void {
    if (!isJsonObject(wire)) {
      this.#context.issue("not-a-choice", [this.#count - 1, "choices"], "expected an object; left out");
      return;
    }
    const { index } = wire;
    const choice = this.#open(isIndex(index) ? index : 0, events);
    choice.choice(wire);
    const delta = isJsonObject(wire["delta"]) ? wire["delta"] : wire["message"];
    if (isJsonObject(delta)) choice.add(delta, events);
    const error = choiceError(wire, this.#form.form);
    if (error) this.#tell(error, events);
  }

  #open(number: number, events: Event[]): LiveChoice {
    const known = this.#choices.get(number);
    if (known) return known;
    const said = readHead(new Reader(this.#body), this.#form.form);
    const isOneOfMany = number > 0 || this.#choices.size > 0;
    const head: MessageHead = { role: "assistant", ...said, ...(isOneOfMany && siblingOf(said.responseId, number)) };
    const choice = this.#form.open(number, head);
    this.#choices.set(number, choice);
    events.push({ type: "message-start", message: number, head });
    return choice;
  }

  #fail(error: Json, events: Event[]): void {
    if (this.#failure !== undefined) return;
    if (this.#choices.size === 0) this.#open(0, events);
    this.#failure = error;
    this.#tell(this.#form.form.readError(error), events);
  }

  #tell({ message, code }: PartOf<"error">, events: Event[]): void {
    if (this.#hasFailed) return;
    this.#hasFailed = true;
    events.push({ type: "error", error: { message, ...(code !== undefined && { code }) } });
  }

  end(): readonly Event[] {
    const events: Event[] = [];
    if (this.#choices.size === 0) this.#open(0, events);
    const choices = [...this.#choices.values()].sort((a, b) => a.message - b.message);
    const read = readAnswer(this.#whole(choices), this.#context, this.#form.form);
    for (const [place, choice] of choices.entries()) {
      const whole = read[place];
      if (whole) choice.finish(whole, { isFailed: this.#hasFailed, events });
    }
    return [...this.#turns.pass(events), ...this.#turns.end()];
  }

  #whole(choices: readonly LiveChoice[]): JsonObject {
    return {
      // What no chunk says is as it would be in the chunks that we write: made, or empty.
      ...{ created: 0, model: "" },
      ...this.#body,
      id: this.#body["id"] || this.#form.form.madeId,
      object: "chat.completion",
      choices: choices.map((choice, index) => ({ ...choice.whole(), index })),
      ...(this.#failure !== undefined && { error: this.#failure }),
    };
  }
}

const heads: ReadonlySet<string> = new Set(["id", "model", "created"]);
const isTold = (key: string, value: Json | undefined): boolean =>
  key === "created" ? typeof value === "number" && value > 0 && value < 1e11 : isText(value);
/** Members of a chunk that are no member of the answer. */
const passing: ReadonlySet<string> = new Set(["choices", "object", "error", "obfuscation"]);
