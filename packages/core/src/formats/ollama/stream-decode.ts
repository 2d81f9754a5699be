import type { DecodeContext } from "../../codec/codec.ts";
import { Reader } from "../../codec/reader.ts";
import type { Event, MessageHead, PartMembers } from "../../model/events.ts";
import {
  equalJson,
  isJsonObject,
  type Json,
  type JsonObject,
  type MutableJsonObject,
  setMember,
} from "../../model/json.ts";
import { stringifyJson } from "../../model/json-text.ts";
import type { Part } from "../../model/parts.ts";
import type { Machine } from "../../stream/machine.ts";
import { isUnsaid, readAnswer, readHead } from "./answer.ts";
import { readCall } from "./calls.ts";
import { readError } from "./error.ts";
import { isText, places } from "./wire.ts";

/**
 * Lines → events. Words pass on as they come, calls when they come; beside them the answer is put together as the API would
 * have sent it whole, is read at its end as any answer, and what it says more is sent as the difference (E3). So a stream is
 * its whole by construction.
 */
export const streamDecoder = (context: DecodeContext): Machine<Json, Event> => new LineReader(context);

class LineReader implements Machine<Json, Event> {
  readonly #context: DecodeContext;
  #live: LiveAnswer | undefined;
  /** Number of the next message. */
  #next = 0;
  #count = 0;

  constructor(context: DecodeContext) {
    this.#context = context;
  }

  push(line: Json): readonly Event[] {
    const events: Event[] = [];
    const path = [this.#count++];
    if (!isJsonObject(line)) {
      this.#context.issue("not-a-chunk", path, "expected an object; left out");
      return events;
    }
    const live = this.#live ?? this.#begin(line, events);
    live.add(line, events);
    if (!live.isOver) return events;
    live.finish(events);
    this.#live = undefined;
    return events;
  }

  #begin(line: JsonObject, events: Event[]): LiveAnswer {
    const head: MessageHead = { role: "assistant", ...readHead(new Reader(line)) };
    const live = new LiveAnswer(this.#next++, head, this.#context);
    this.#live = live;
    events.push({ type: "message-start", message: live.message, head });
    return live;
  }

  end(): readonly Event[] {
    const events: Event[] = [];
    this.#live?.finish(events);
    return events;
  }
}

/** A part that is out. */
interface Live {
  readonly value: Part;
  isOpen: boolean;
}

const words = { thinking: "reasoning", content: "text" } as const;
type Words = keyof typeof words;

/** An answer while its lines come. */
class LiveAnswer {
  readonly message: number;
  readonly #context: DecodeContext;
  readonly #body: MutableJsonObject = {};
  readonly #said: MutableJsonObject = {};
  readonly #texts: { readonly [member in Words]: string[] } = { thinking: [], content: [] };
  readonly #images: Json[] = [];
  readonly #calls: Json[] = [];
  readonly #logprobs: Json[] = [];
  readonly #parts = new Map<number, Live>();
  readonly #told: MessageHead;
  #hasFailed = false;

  constructor(message: number, head: MessageHead, context: DecodeContext) {
    this.message = message;
    this.#told = head;
    this.#context = context;
  }

  get isOver(): boolean {
    return this.#body["done"] === true;
  }

  add(line: JsonObject, events: Event[]): void {
    const { message, logprobs, error, ...members } = line;
    for (const key of Object.keys(members)) {
      const value = members[key] ?? null;
      // What says nothing does not replace what is known.
      const isBlank = value === null || isUnsaid(key, value);
      if (!isBlank || !Object.hasOwn(this.#body, key)) setMember(this.#body, key, value);
    }
    if (Array.isArray(logprobs))
      for (const each of logprobs) this.#logprobs.push(each as Json); // a list of JSON
    else if (logprobs !== undefined) setMember(this.#body, "logprobs", logprobs);
    if (isJsonObject(message)) this.#say(message, events);
    else if (message !== undefined) setMember(this.#body, "message", message);
    if (error !== undefined && error !== null) this.#fail(error, events);
  }

  #say(message: JsonObject, events: Event[]): void {
    for (const key of Object.keys(message)) {
      const value = message[key] ?? null;
      if (key === "thinking" || key === "content") {
        if (isText(value)) this.#speak(key, value, events);
      } else if (key === "images" && Array.isArray(value)) {
        for (const image of value) this.#images.push(image as Json); // a list of JSON
      } else if (key === "tool_calls" && Array.isArray(value)) {
        for (const call of value) this.#call(call as Json, events); // a list of JSON
      } else if (value !== null || !Object.hasOwn(this.#said, key)) setMember(this.#said, key, value);
    }
  }

  #speak(member: Words, text: string, events: Event[]): void {
    const part = places[member];
    // Neither ends before the answer does: the wire has one text of each kind, wherever calls stand.
    if (!this.#parts.has(part)) this.#start(part, { type: words[member], text: "" }, events);
    this.#texts[member].push(text);
    events.push({ type: "part-delta", message: this.message, part, of: words[member], text });
  }

  /** Calls come whole. */
  #call(wire: Json, events: Event[]): void {
    const position = this.#calls.length;
    this.#calls.push(wire);
    const call = readCall(wire, { made: `~0.${position}`, position });
    if (!call) return;
    const { input, inputText, ...start } = call;
    const part = places.calls + position;
    const text = inputText ?? (input === undefined ? "" : (stringifyJson(input, this.#context.exact) ?? ""));
    this.#start(part, start, events);
    if (text !== "") events.push({ type: "part-delta", message: this.message, part, of: "tool-call", text });
    this.#end(part, events);
  }

  #fail(error: Json, events: Event[]): void {
    if (this.#hasFailed) return;
    this.#hasFailed = true;
    setMember(this.#body, "error", error);
    events.push({ type: "error", error: { message: readError(error).message } });
  }

  #start(part: number, value: Part, events: Event[]): void {
    this.#parts.set(part, { value, isOpen: true });
    events.push({ type: "part-start", message: this.message, part, value });
  }

  #end(part: number, events: Event[]): void {
    const live = this.#parts.get(part);
    if (!live?.isOpen) return;
    live.isOpen = false;
    events.push({ type: "part-end", message: this.message, part });
  }

  #whole(): JsonObject {
    const thinking = this.#texts.thinking.join("");
    const message: MutableJsonObject = { role: "assistant", ...this.#said, content: this.#texts.content.join("") };
    if (thinking !== "") setMember(message, "thinking", thinking);
    if (this.#images.length > 0) setMember(message, "images", this.#images);
    if (this.#calls.length > 0) setMember(message, "tool_calls", this.#calls);
    const body: MutableJsonObject = { ...this.#body };
    if (this.#logprobs.length > 0) setMember(body, "logprobs", this.#logprobs);
    if (!this.isOver) delete body["done"];
    return Object.hasOwn(body, "message") ? body : { ...body, message };
  }

  /** Sends what the whole says beyond what is out. Without an end, what is open stays open (R25). */
  finish(events: Event[]): void {
    const { message } = this;
    const hasEnded = this.isOver && !this.#hasFailed;
    const whole = readAnswer(this.#whole(), this.#context, !this.isOver);
    for (const part of this.#parts.keys()) if (hasEnded || !this.#isLast(part)) this.#end(part, events);
    for (const { place, part } of whole.parts) if (part.type !== "error") this.#complete(place, part, events);
    const { finish, ...others } = whole.head;
    const set = changes(this.#told, { ...others, ...(hasEnded && finish && { finish }) });
    if (Object.keys(set).length > 0) events.push({ type: "message-set", message, set });
    if (hasEnded) events.push({ type: "message-end", message });
  }

  /** Whether nothing stands behind a part in the whole. */
  #isLast(part: number): boolean {
    return ![...this.#parts.keys()].some(other => other > part) && this.#calls.length === 0;
  }

  #complete(number: number, part: Part, events: Event[]): void {
    const live = this.#parts.get(number);
    const at = { message: this.message, part: number };
    if (live?.value.type !== part.type) {
      events.push({ type: "part", value: part, ...at });
      return;
    }
    const set = changes(live.value as object, part as object, texts);
    if (Object.keys(set).length > 0) events.push({ type: "part-set", set: set as PartMembers, ...at }); // members of a part
  }
}

/** Members that the deltas have said. */
const texts: ReadonlySet<string> = new Set(["text", "input", "inputText"]);

/** Members that are new or other. */
function changes<T extends object>(before: T, after: T, without: ReadonlySet<string> = new Set()): Partial<T> {
  const changed: Partial<T> = {};
  for (const key of Object.keys(after) as (keyof T & string)[]) {
    if (!without.has(key) && !equalJson(before[key], after[key])) changed[key] = after[key];
  }
  return changed;
}
