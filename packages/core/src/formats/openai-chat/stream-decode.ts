import { ChunkReader, type LiveChoice } from "../../blocks/chat-parts/chunk-reader.ts";
import { LiveCalls } from "../../blocks/chat-parts/live-calls.ts";
import { LiveParts } from "../../blocks/chat-parts/live-parts.ts";
import type { MergedCall } from "../../blocks/chat-parts/merged-calls.ts";
import { chatParts } from "../../blocks/chat-parts/parts.ts";
import { madeFrom } from "../../blocks/chat-parts/read-answer.ts";
import type { DecodeContext } from "../../codec/codec.ts";
import { kept, present } from "../../codec/remainder.ts";
import type { Event, MessageHead } from "../../model/events.ts";
import { isJsonObject, type Json, type JsonObject } from "../../model/json.ts";
import type { PartOf } from "../../model/parts.ts";
import type { Machine } from "../../stream/machine.ts";
import { chatForm } from "./form.ts";
import { MergedChoice } from "./merge.ts";
import { plainMembers, readDetail } from "./reasoning.ts";
import { family, isText, places, type ReadMessage } from "./wire.ts";

/** Chunks → events. */
export const streamDecoder = (context: DecodeContext): Machine<Json, Event> =>
  new ChunkReader(context, {
    form: chatForm,
    open: (index, head) => new ChatChoice(index, head, context),
    failureOf: chunk => chunk["error"],
  });

class ChatChoice implements LiveChoice {
  readonly message: number;
  readonly merged: MergedChoice;
  readonly #parts: LiveParts;
  readonly #calls: LiveCalls;
  /** The member that plain reasoning comes from: hosts that fill two fill them alike. */
  #plain: string | undefined;
  #isDetailed = false;
  readonly #context: DecodeContext;

  constructor(index: number, head: MessageHead, context: DecodeContext) {
    this.message = index;
    this.#context = context;
    this.#parts = new LiveParts(index, head);
    this.#calls = new LiveCalls(this.#parts, { first: places.calls, areWhole: false });
    this.merged = new MergedChoice(index, this.#calls.merged);
  }

  choice(members: JsonObject): void {
    this.merged.choice(members);
  }

  whole(): JsonObject {
    return this.merged.whole();
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
    if (this.#parts.told.native || this.#parts.has(places.reasoning)) return;
    const $plain = plainMembers.filter(member => isText(delta[member]));
    if ($plain.length === 0 || ($plain.length === 1 && $plain[0] === plainMembers[0])) return;
    this.#parts.set(kept(family, undefined, { $plain }), events);
  }

  #addText(key: string, text: string, events: Event[]): void {
    this.merged.append(key, text);
    if (text === "") return;
    if (key === "content") this.#parts.say(places.content, { type: "text", text: "" }, { of: "text", text, events });
    else if (key === "refusal")
      this.#parts.say(places.refusal, { type: "refusal", text: "" }, { of: "refusal", text, events });
    else this.#addPlain(key, text, events);
  }

  /** Plain reasoning repeats the details where a host sends both. */
  #addPlain(key: string, text: string, events: Event[]): void {
    this.#plain ??= key;
    if (key !== this.#plain || this.#isDetailed) return;
    const hints = key === plainMembers[0] ? {} : kept(family, undefined, { $as: [key] });
    this.#parts.say(places.reasoning, { type: "reasoning", text: "", ...hints }, { of: "reasoning", text, events });
  }

  #addDetails(details: readonly Json[], events: Event[]): void {
    for (const [position, piece] of details.entries()) {
      const { place, text, members } = this.merged.details.add(piece, position);
      if (this.#parts.has(places.reasoning) || !isJsonObject(piece)) continue;
      const { type, index } = piece;
      if (text === "") {
        this.#seal(place, members, events);
        continue;
      }
      const read = readDetail(present({ type, index, [memberOf(type)]: "" }));
      if (read.type !== "reasoning" || read.text === undefined) continue;
      this.#isDetailed = true;
      this.#parts.say(place, read, { of: "reasoning", text, events });
    }
  }

  /** What seals reasoning is told as it comes, whether or not its text was shown; text that may still come is waited for. */
  #seal(place: number, members: JsonObject, events: Event[]): void {
    const { type } = members;
    const isOut = this.#parts.has(place);
    if (!isOut && type !== "reasoning.encrypted") return;
    const text = isOut && type !== "reasoning.encrypted" ? { [memberOf(type)]: "" } : {};
    const read = readDetail({ ...members, ...text });
    if (read.seal) this.#parts.learn(place, read, events); // what else is said is told at the end
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
    this.#calls.merged.begin();
    for (const delta of deltas) {
      if (isJsonObject(delta)) this.#calls.add(delta, events);
      else this.#context.issue("not-a-tool-call", ["tool_calls"], "expected an object; left out");
    }
  }

  #addFunctionCall(delta: JsonObject, events: Event[]): void {
    const known = this.merged.functionCall;
    const before = known?.pieces.length ?? 0;
    const call = this.merged.addFunctionCall(delta);
    const text = call.pieces.slice(before).join("");
    this.#calls.say(call, { text, value: () => this.#legacyCall(call), events });
  }

  #legacyCall(call: MergedCall): PartOf<"tool-call"> {
    const made = `~${madeFrom(this.#parts.told.responseId, this.message)}.${this.merged.calls.count}`;
    const hints = kept(chatParts, undefined, { $place: "function_call", $id: false });
    const kind = call.isCustom ? { kind: "custom" } : {};
    return { type: "tool-call", callId: call.id ?? made, name: call.name ?? "", ...kind, ...hints };
  }

  /** Sends what the whole says beyond what is out. Without an end, what is open stays open (R25). */
  finish(whole: ReadMessage, { isFailed, events }: { readonly isFailed: boolean; readonly events: Event[] }): void {
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
      if (!hasMoved && place >= places.details && place < places.content && !this.#parts.has(number)) {
        number = places.reasoning;
        hasMoved = true;
      }
      const isOther =
        part.type === "reasoning" && number === places.reasoning && part.text !== this.merged.textOf(this.#plain);
      this.#parts.complete(number, part, { hasEnded, isOther, events });
      if (hasEnded) this.#parts.end(number, events);
    }
    this.#parts.close(whole.head, hasEnded, events);
  }
}

const memberOf = (type: Json | undefined): string => (type === "reasoning.summary" ? "summary" : "text");
const hasText = (piece: Json): boolean => isJsonObject(piece) && (isText(piece["text"]) || isText(piece["summary"]));

const textMembers: ReadonlySet<string> = new Set(["content", "refusal", ...plainMembers]);
