import { idSpelling } from "../../blocks/chat-parts/calls.ts";
import { chatParts } from "../../blocks/chat-parts/parts.ts";
import type { DecodeContext } from "../../codec/codec.ts";
import { Reader } from "../../codec/reader.ts";
import { kept, present } from "../../codec/remainder.ts";
import type { At, DeltaOf, Event, MessageHead, PartMembers } from "../../model/events.ts";
import { equalJson, isJsonObject, type Json, type JsonObject, type MutableJsonObject } from "../../model/json.ts";
import type { Part } from "../../model/parts.ts";
import type { Machine } from "../../stream/machine.ts";
import { madeFrom, readAnswer, readHead, siblingOf } from "./answer.ts";
import type { ReadMessage } from "./decode-message.ts";
import { readError } from "./error.ts";
import { assign, isIndex, type MergedCall, MergedChoice } from "./merge.ts";
import { plainMembers, readDetail } from "./reasoning.ts";
import { family, isText, places } from "./wire.ts";

/**
 * Chunks → events. Texts and arguments pass on as they come; beside them the answer is put together as the host would
 * have sent it whole, is read at the end as any answer, and what it says more is sent as the difference (E3). So a stream
 * is its whole by construction.
 */
export const streamDecoder = (context: DecodeContext): Machine<Json, Event> => new ChunkReader(context);

class ChunkReader implements Machine<Json, Event> {
  readonly #context: DecodeContext;
  readonly #body: MutableJsonObject = {};
  readonly #choices = new Map<number, LiveChoice>();
  #failure: Json | undefined;
  #count = 0;

  constructor(context: DecodeContext) {
    this.#context = context;
  }

  push(chunk: Json): readonly Event[] {
    const events: Event[] = [];
    const path = [this.#count++];
    if (!isJsonObject(chunk)) {
      this.#context.issue("not-a-chunk", path, "expected an object; left out");
      return events;
    }
    const { choices } = chunk;
    for (const key of Object.keys(chunk)) if (!passing.has(key)) this.#addToBody(key, chunk[key]);
    if (Array.isArray(choices)) for (const choice of choices) this.#choice(choice as Json, events); // an item of JSON
    const { error } = chunk;
    if (error !== undefined && error !== null) this.#fail(error, events);
    return events;
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
    const number = isIndex(index) ? index : 0;
    const choice = this.#open(number, events);
    choice.merged.choice(wire);
    const delta = isJsonObject(wire["delta"]) ? wire["delta"] : wire["message"];
    if (isJsonObject(delta)) choice.add(delta, events);
  }

  #open(number: number, events: Event[]): LiveChoice {
    const known = this.#choices.get(number);
    if (known) return known;
    const said = readHead(new Reader(this.#body));
    const isOneOfMany = number > 0 || this.#choices.size > 0;
    const head: MessageHead = { role: "assistant", ...said, ...(isOneOfMany && siblingOf(said.responseId, number)) };
    const choice = new LiveChoice(number, head);
    this.#choices.set(number, choice);
    events.push({ type: "message-start", message: number, head });
    return choice;
  }

  #fail(error: Json, events: Event[]): void {
    if (this.#failure !== undefined) return;
    if (this.#choices.size === 0) this.#open(0, events);
    this.#failure = error;
    const { message, code } = readError(error);
    events.push({ type: "error", error: { message, ...(code !== undefined && { code }) } });
  }

  end(): readonly Event[] {
    const events: Event[] = [];
    if (this.#choices.size === 0) this.#open(0, events);
    const choices = [...this.#choices.values()].sort((a, b) => a.message - b.message);
    const read = readAnswer(this.#whole(choices), this.#context);
    for (const [place, choice] of choices.entries()) {
      const whole = read[place];
      if (whole) choice.finish(whole, { isFailed: this.#failure !== undefined, events });
    }
    return events;
  }

  #whole(choices: readonly LiveChoice[]): JsonObject {
    return {
      // What no chunk says is as it would be in the chunks that we write: empty.
      ...{ id: "", created: 0, model: "" },
      ...this.#body,
      object: "chat.completion",
      choices: choices.map(({ merged }, index) => ({ ...merged.whole(), index })),
      ...(this.#failure !== undefined && { error: this.#failure }),
    };
  }
}

const heads: ReadonlySet<string> = new Set(["id", "model", "created"]);
const isTold = (key: string, value: Json | undefined): boolean =>
  key === "created" ? typeof value === "number" && value > 0 && value < 1e11 : isText(value);
/** Members of a chunk that are no member of the answer. */
const passing: ReadonlySet<string> = new Set(["choices", "object", "error", "obfuscation"]);

/** A part that is out, and what was said of it. */
interface Live {
  readonly value: Part;
  isOpen: boolean;
  hasText: boolean;
}

class LiveChoice {
  readonly message: number;
  readonly merged: MergedChoice;
  /** What is out of the message's head. */
  #told: MessageHead;
  readonly #parts = new Map<number, Live>();
  /** The member that plain reasoning comes from: hosts that fill two fill them alike. */
  #plain: string | undefined;
  #isDetailed = false;
  #call: MergedCall | undefined;

  constructor(index: number, head: MessageHead) {
    this.message = index;
    this.merged = new MergedChoice(index);
    this.#told = head;
  }

  add(delta: JsonObject, events: Event[]): void {
    const { merged } = this;
    const details = delta["reasoning_details"];
    if (Array.isArray(details)) {
      if (details.some(hasText)) this.#repeat(delta, events);
      this.#addDetails(details, events);
    }
    for (const key of Object.keys(delta)) {
      const value = delta[key];
      if (typeof value === "string" && textMembers.has(key)) this.#addText(key, value, events);
      else if (key === "tool_calls" && Array.isArray(value)) this.#addCalls(value, events);
      else if (key === "content" && Array.isArray(value)) this.#addContent(value, events);
      else if (key === "function_call" && isJsonObject(value)) this.#addFunctionCall(value, events);
      else if (key === "audio" && isJsonObject(value)) merged.addAudio(value, Object.keys(delta).length === 1);
      else if (key === "images" && Array.isArray(value)) merged.addImages(value);
      else if (key === "annotations" && Array.isArray(value)) merged.annotate(value);
      else if (key !== "reasoning_details" || !Array.isArray(value)) merged.assign(key, value);
      if (Array.isArray(value) && value.length === 0) merged.assign(key, value);
    }
  }

  /** Plain reasoning beside details says that the host repeats them, and under which name. */
  #repeat(delta: JsonObject, events: Event[]): void {
    if (this.#told.native || this.#parts.has(places.reasoning)) return;
    const $plain = plainMembers.filter(member => isText(delta[member]));
    if ($plain.length === 0 || ($plain.length === 1 && $plain[0] === plainMembers[0])) return;
    const set = kept(family, undefined, { $plain });
    this.#told = { ...this.#told, ...set };
    events.push({ type: "message-set", message: this.message, set });
  }

  #addText(key: string, text: string, events: Event[]): void {
    this.merged.append(key, text);
    if (text === "") return;
    if (key === "content") this.#say(places.content, { type: "text", text: "" }, { of: "text", text, events });
    else if (key === "refusal")
      this.#say(places.refusal, { type: "refusal", text: "" }, { of: "refusal", text, events });
    else this.#addPlain(key, text, events);
  }

  /** Plain reasoning repeats the details where a host sends both. */
  #addPlain(key: string, text: string, events: Event[]): void {
    this.#plain ??= key;
    if (key !== this.#plain || this.#isDetailed) return;
    const hints = key === plainMembers[0] ? {} : kept(family, undefined, { $as: [key] });
    this.#say(places.reasoning, { type: "reasoning", text: "", ...hints }, { of: "reasoning", text, events });
  }

  #addDetails(details: readonly Json[], events: Event[]): void {
    for (const [position, piece] of details.entries()) {
      const { place, text } = this.merged.details.add(piece, position);
      if (text === "" || this.#parts.has(places.reasoning) || !isJsonObject(piece)) continue;
      const { type, index } = piece;
      const read = readDetail(present({ type, index, [type === "reasoning.summary" ? "summary" : "text"]: "" }));
      if (read.type !== "reasoning" || read.text === undefined) continue;
      this.#isDetailed = true;
      this.#say(place, read, { of: "reasoning", text, events });
    }
  }

  /** Content as a list: texts are one text, pieces of another kind come whole. */
  #addContent(list: readonly Json[], events: Event[]): void {
    for (const piece of list) {
      const text =
        isJsonObject(piece) && piece["type"] === "text" && Object.keys(piece).length === 2 ? piece["text"] : piece;
      if (typeof text === "string") this.#addText("content", text, events);
      else this.merged.addPart(piece);
    }
  }

  #addCalls(deltas: readonly Json[], events: Event[]): void {
    for (const delta of deltas) {
      if (!isJsonObject(delta)) continue;
      const call = this.merged.calls.of(delta);
      const text = call.add(delta);
      this.#sayCall(call, text, events);
    }
  }

  #addFunctionCall(delta: JsonObject, events: Event[]): void {
    const known = this.merged.functionCall;
    const before = known?.pieces.length ?? 0;
    const call = this.merged.addFunctionCall(delta);
    this.#sayCall(call, call.pieces.slice(before).join(""), events);
  }

  /** A call begins when its name is known; then what came before of its arguments goes first. */
  #sayCall(call: MergedCall, text: string, events: Event[]): void {
    if (call.name === undefined) return;
    const isNew = !this.#parts.has(call.place);
    if (isNew) {
      // No end marks: a call is over when its text is complete and another begins (E7).
      const before = this.#call;
      if (before?.isComplete) this.#end(before.place, events);
      this.#call = call;
      this.#start(call.place, this.#callPart(call), events);
    }
    const first = isNew ? call.pieces.join("") : text;
    if (first !== "") this.#say(call.place, this.#callPart(call), { of: "tool-call", text: first, events });
  }

  #callPart(call: MergedCall): Part {
    const number = call === this.merged.functionCall ? this.merged.calls.count : this.merged.calls.count - 1;
    const made = `~${madeFrom(this.#told.responseId, this.message)}.${number}`;
    const kind = call.isCustom ? { kind: "custom" } : {};
    const isLegacy = call === this.merged.functionCall;
    const $id = idSpelling(call.id ?? call.noId);
    const hints = kept(chatParts, undefined, isLegacy ? { $place: "function_call", $id: false } : present({ $id }));
    return { type: "tool-call", callId: call.id ?? made, name: call.name ?? "", ...kind, ...hints };
  }

  #say(
    place: number,
    value: Part,
    delta: { readonly of: DeltaOf; readonly text: string; readonly events: Event[] },
  ): void {
    const { of, text, events } = delta;
    if (!this.#parts.has(place)) this.#start(place, value, events);
    const live = this.#parts.get(place);
    if (live) live.hasText = true;
    events.push({ type: "part-delta", message: this.message, part: place, of, text });
  }

  #start(place: number, value: Part, events: Event[]): void {
    this.#parts.set(place, { value, isOpen: true, hasText: false });
    events.push({ type: "part-start", message: this.message, part: place, value });
  }

  #end(place: number, events: Event[]): void {
    const live = this.#parts.get(place);
    if (!live?.isOpen) return;
    live.isOpen = false;
    events.push({ type: "part-end", message: this.message, part: place });
  }

  /** Sends what the whole says beyond what is out. Without an end, what is open stays open (R25). */
  finish(whole: ReadMessage, { isFailed, events }: { readonly isFailed: boolean; readonly events: Event[] }): void {
    const { message } = this;
    const calls = this.merged.calls.sorted();
    const details = this.merged.details.places();
    const hasEnded = whole.head.finish !== undefined && !isFailed;
    // Reasoning that was plain until its details came takes the place of the first of them.
    const isPlain = whole.parts.some(({ place }) => place === places.reasoning);
    let hasMoved = isPlain || !this.#parts.has(places.reasoning);
    for (const { place, part } of whole.parts) {
      if (part.type === "error") continue;
      let number = place;
      if (place >= places.calls && place < places.functionCall) number = calls[place - places.calls]?.place ?? place;
      else if (place >= places.details && place < places.content) number = details[place - places.details] ?? place;
      if (!hasMoved && place >= places.details && place < places.content) {
        number = places.reasoning;
        hasMoved = true;
      }
      this.#complete(number, part, { hasEnded, events });
      if (hasEnded) this.#end(number, events);
    }
    const { finish, ...others } = whole.head;
    const set = changes(this.#told, hasEnded ? whole.head : others);
    if (Object.keys(set).length > 0) events.push({ type: "message-set", message, set });
    if (hasEnded) events.push({ type: "message-end", message });
  }

  #complete(number: number, part: Part, { hasEnded, events }: { hasEnded: boolean; events: Event[] }): void {
    const live = this.#parts.get(number);
    const at = { message: this.message, part: number };
    const isReplaced = part.type === "reasoning" && number === places.reasoning;
    if (live?.value.type !== part.type || (isReplaced && part.text !== this.merged.textOf(this.#plain))) {
      events.push(...(hasEnded ? [{ type: "part", value: part, ...at } as const] : openPart(part, at)));
      if (live) live.isOpen = false;
      return;
    }
    const isSaid = part.type !== "tool-call" || live.hasText;
    const set = changes(live.value, part, isSaid ? textOf : textAlone);
    if (Object.keys(set).length > 0) events.push({ type: "part-set", set: set as PartMembers, ...at }); // members of a part
  }
}

/** What came whole at the end of a stream that has none is as open as what came in pieces (R25). */
function openPart(part: Part, at: At): Event[] {
  const of = part.type;
  if ((of !== "text" && of !== "refusal" && of !== "reasoning") || part.text === undefined) {
    return [{ type: "part", value: part, ...at }];
  }
  return [
    { type: "part-start", value: { ...part, text: "" }, ...at },
    { type: "part-delta", of, text: part.text, ...at },
  ];
}

const hasText = (piece: Json): boolean => isJsonObject(piece) && (isText(piece["text"]) || isText(piece["summary"]));

const textMembers: ReadonlySet<string> = new Set(["content", "refusal", ...plainMembers]);
/** Members that the deltas have said; arguments that are no text come without one. */
const textOf: ReadonlySet<string> = new Set(["text", "input", "inputText"]);
const textAlone: ReadonlySet<string> = new Set(["text"]);

/** Members that are new or other. */
function changes<T extends object>(before: T, after: T, without: ReadonlySet<string> = new Set()): Partial<T> {
  const changed: Partial<T> = {};
  for (const key of Object.keys(after) as (keyof T & string)[]) {
    if (!without.has(key) && !equalJson(before[key], after[key])) changed[key] = after[key];
  }
  return changed;
}
