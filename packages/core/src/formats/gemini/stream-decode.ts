import { ChoiceTurns } from "../../blocks/choice-order.ts";
import { OpenCalls } from "../../blocks/gemini/calls.ts";
import { readPart } from "../../blocks/gemini/parts.ts";
import type { DecodeContext } from "../../codec/codec.ts";
import { Reader } from "../../codec/reader.ts";
import type { Event, MessageHead, PartMembers } from "../../model/events.ts";
import { isJsonObject, type Json, type JsonObject, type MutableJsonObject, setMember } from "../../model/json.ts";
import { stringifyJson } from "../../model/json-text.ts";
import type { Part } from "../../model/parts.ts";
import { changedMembers } from "../../stream/changed-members.ts";
import type { Machine } from "../../stream/machine.ts";
import { madeFrom, type ReadAnswer, readAnswer, readHead, siblingOf } from "./answer.ts";
import { readError } from "./error.ts";
import { assignMember, CallPieces, LogProbabilities, wordsOf } from "./merge.ts";
import { routeOf } from "./wire.ts";

/**
 * Chunks → events. Words pass on as they come; beside them the answer is put together as the API would have sent it whole,
 * is read at the end as any answer, and what it says more is sent as the difference (E3). So a stream is its whole by
 * construction.
 */
export const streamDecoder = (context: DecodeContext): Machine<Json, Event> => new ChunkReader(context);

class ChunkReader implements Machine<Json, Event> {
  readonly #context: DecodeContext;
  readonly #body: MutableJsonObject = {};
  readonly #candidates = new Map<number, LiveCandidate>();
  #failure: Json | undefined;
  readonly #turns = new ChoiceTurns();
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
    const { candidates, error } = chunk;
    for (const key of Object.keys(chunk)) {
      if (key !== "candidates" && key !== "error") assignMember(this.#body, key, chunk[key] ?? null);
    }
    if (Array.isArray(candidates)) {
      for (const candidate of candidates as readonly Json[]) this.#candidate(candidate, events); // a list of JSON
    }
    if (error !== undefined && error !== null) this.#fail(error, events);
    return this.#turns.pass(events);
  }

  #candidate(wire: Json, events: Event[]): void {
    if (!isJsonObject(wire)) {
      this.#context.issue("not-a-candidate", [this.#count - 1, "candidates"], "expected an object; left out");
      return;
    }
    const { index } = wire;
    const number = typeof index === "number" && Number.isInteger(index) && index >= 0 ? index : 0;
    this.#open(number, events).add(wire, events);
  }

  #open(number: number, events: Event[]): LiveCandidate {
    const known = this.#candidates.get(number);
    if (known) return known;
    const said = readHead(new Reader(this.#body));
    const isOneOfMany = number > 0 || this.#candidates.size > 0;
    const head: MessageHead = { role: "assistant", ...said, ...(isOneOfMany && siblingOf(said.responseId, number)) };
    const candidate = new LiveCandidate(number, head, this.#context);
    this.#candidates.set(number, candidate);
    events.push({ type: "message-start", message: number, head });
    return candidate;
  }

  #fail(error: Json, events: Event[]): void {
    if (this.#failure !== undefined) return;
    if (this.#candidates.size === 0) this.#open(0, events);
    this.#failure = error;
    const { message, code } = readError(error);
    events.push({ type: "error", error: { message, ...(code !== undefined && { code }) } });
  }

  end(): readonly Event[] {
    const events: Event[] = [];
    const isBlocked = this.#candidates.size === 0 && this.#body["promptFeedback"] !== undefined;
    if (this.#candidates.size === 0) this.#open(0, events);
    const live = [...this.#candidates.values()].sort((a, b) => a.message - b.message);
    const candidates = isBlocked ? {} : { candidates: live.map((candidate, index) => candidate.whole(index)) };
    const failure = this.#failure === undefined ? {} : { error: this.#failure };
    const read = readAnswer({ ...this.#body, ...candidates, ...failure }, this.#context);
    for (const [place, candidate] of live.entries()) {
      const whole = read[place];
      if (whole) candidate.finish(whole, this.#failure !== undefined, events);
    }
    return [...this.#turns.pass(events), ...this.#turns.end()];
  }
}

/** A part that is out, and the pieces that it is put together from. */
interface Live {
  readonly index: number;
  readonly value: Part;
  readonly texts: string[];
  readonly isThought: boolean;
  /** What came at once, or grows by itself. */
  readonly wire: CallPieces | Json;
  isOpen: boolean;
  readonly isOut: boolean;
}

class LiveCandidate {
  readonly message: number;
  readonly #context: DecodeContext;
  readonly #members: MutableJsonObject = {};
  #content: JsonObject = {};
  #hasContent = false;
  readonly #parts: Live[] = [];
  readonly #probabilities = new LogProbabilities();
  readonly #open = new OpenCalls();
  #told: MessageHead;

  constructor(index: number, head: MessageHead, context: DecodeContext) {
    this.message = index;
    this.#told = head;
    this.#context = context;
  }

  add(wire: JsonObject, events: Event[]): void {
    const { content, index: _, logprobsResult, ...members } = wire;
    for (const key of Object.keys(members)) assignMember(this.#members, key, members[key] ?? null);
    if (isJsonObject(logprobsResult)) this.#probabilities.add(logprobsResult);
    if (!isJsonObject(content)) return;
    const { parts, ...others } = content;
    this.#hasContent = true;
    this.#content = { ...this.#content, ...others };
    const list: readonly Json[] = Array.isArray(parts) ? parts : isJsonObject(parts) ? [parts] : [];
    for (const [place, piece] of list.entries()) this.#piece(piece, { place, list }, events);
  }

  /** Words continue those of the chunk before; inside of one chunk parts stand apart, and so does what is signed. */
  #piece(
    piece: Json,
    { place, list }: { readonly place: number; readonly list: readonly Json[] },
    events: Event[],
  ): void {
    const isFirst = place === 0;
    const last = this.#parts.at(-1);
    const words = wordsOf(piece);
    if (words) {
      const isMore = isFirst && last?.isOpen && last.wire === null && last.isThought === words.isThought;
      // Google fills up with texts without words, which are no part of the answer: two in a row are one of ours.
      const isFiller = words.text === "" && wordsOf(list[place - 1] ?? null)?.text !== "";
      if (isFiller && !isMore) return;
      this.#say(isMore && last ? last : this.#startText(words.isThought, events), words.text, events);
      return;
    }
    const call = isJsonObject(piece) ? piece["functionCall"] : undefined;
    const isPartial = isJsonObject(call) && (call["willContinue"] === true || Array.isArray(call["partialArgs"]));
    if (isJsonObject(piece) && isJsonObject(call)) {
      const isMore = typeof call["name"] !== "string" || call["name"] === "";
      if (last?.wire instanceof CallPieces && last.wire.isOpen && isMore) {
        last.wire.add(piece);
        if (!last.wire.isOpen) this.#endCall(last, last.wire, events);
        return;
      }
      if (isPartial) {
        this.#startCall(piece, events);
        return;
      }
    }
    this.#whole(piece, events);
  }

  #startText(isThought: boolean, events: Event[]): Live {
    this.#endLast(events);
    const value: Part = { type: isThought ? "reasoning" : "text", text: "" };
    return this.#start({ value, isThought, wire: null, isOpen: true, isOut: true }, events);
  }

  #start(begun: Omit<Live, "index" | "texts">, events: Event[]): Live {
    const live: Live = { ...begun, index: this.#parts.length, texts: [] };
    this.#parts.push(live);
    if (live.isOut) events.push({ type: "part-start", message: this.message, part: live.index, value: live.value });
    return live;
  }

  #say(live: Live, text: string, events: Event[]): void {
    if (text === "") return;
    live.texts.push(text);
    const of = live.isThought ? "reasoning" : "text";
    events.push({ type: "part-delta", message: this.message, part: live.index, of, text });
  }

  #startCall(piece: JsonObject, events: Event[]): void {
    this.#endLast(events);
    const pieces = new CallPieces(this.#context.exact);
    pieces.add(piece);
    const value = this.#read(pieces.whole(), this.#parts.length);
    const { input: _, ...start } = value.type === "tool-call" ? value : { input: undefined, ...value };
    const begun = start as Part; // a call without its arguments
    const isOut = value.type === "tool-call";
    const live = this.#start({ value: begun, isThought: false, wire: pieces, isOpen: true, isOut }, events);
    if (!pieces.isOpen) this.#endCall(live, pieces, events);
  }

  /** Arguments are known when the call is whole: their paths may come in any order. */
  #endCall(live: Live, pieces: CallPieces, events: Event[]): void {
    if (!live.isOpen || !live.isOut) return;
    const part = live.index;
    const value = this.#read(pieces.whole(), part);
    if (value.type === "tool-call" && value.input !== undefined) {
      events.push({
        type: "part-delta",
        message: this.message,
        part,
        of: "tool-call",
        text: this.#textOf(value.input),
      });
    }
    this.#end(live, events);
  }

  #whole(piece: Json, events: Event[]): void {
    this.#endLast(events);
    const part = this.#parts.length;
    const value = this.#read(piece, part, this.#open);
    this.#parts.push({ index: part, value, texts: [], isThought: false, wire: piece, isOpen: false, isOut: true });
    const at = { message: this.message, part };
    if ((value.type === "text" || value.type === "reasoning") && value.text !== undefined) {
      events.push({ type: "part-start", value: { ...value, text: "" }, ...at });
      if (value.text !== "") events.push({ type: "part-delta", of: value.type, text: value.text, ...at });
      events.push({ type: "part-end", ...at });
    } else if (value.type === "tool-call") {
      const { input, ...start } = value;
      events.push({ type: "part-start", value: start, ...at });
      if (input !== undefined) events.push({ type: "part-delta", of: "tool-call", text: this.#textOf(input), ...at });
      events.push({ type: "part-end", ...at });
    } else events.push({ type: "part", value, ...at });
  }

  /** Arguments as the text that they came as. */
  #textOf(input: Json): string {
    return stringifyJson(input, this.#context.exact) ?? "null";
  }

  /** What a piece will be in the whole, which reports what is wrong in it. */
  #read(piece: Json, index: number, open: OpenCalls = new OpenCalls()): Part {
    const context = { ...this.#context, issue: () => undefined };
    const made = madeFrom(this.#told.responseId, this.message);
    const route = routeOf(this.#context.dialect);
    return readPart(piece, index, { context, path: [], made, open, route, isModel: true });
  }

  #endLast(events: Event[]): void {
    const last = this.#parts.at(-1);
    if (!last?.isOpen) return;
    if (last.wire instanceof CallPieces) this.#endCall(last, last.wire, events);
    else this.#end(last, events);
  }

  #end(live: Live, events: Event[]): void {
    if (!live.isOpen) return;
    live.isOpen = false;
    events.push({ type: "part-end", message: this.message, part: live.index });
  }

  whole(index: number): JsonObject {
    const parts = this.#parts.map((live): Json => {
      if (live.wire instanceof CallPieces) return live.wire.whole();
      if (live.wire !== null) return live.wire as Json; // a piece as it came
      return { text: live.texts.join(""), ...(live.isThought && { thought: true }) };
    });
    const logprobsResult = this.#probabilities.whole();
    const body: MutableJsonObject = { ...this.#members, index };
    if (this.#hasContent)
      setMember(body, "content", { ...this.#content, parts, role: this.#content["role"] ?? "model" });
    if (logprobsResult) setMember(body, "logprobsResult", logprobsResult);
    return body;
  }

  /** Sends what the whole says beyond what is out. Without an end, what is open stays open (R25). */
  finish(whole: ReadAnswer, isFailed: boolean, events: Event[]): void {
    const { message } = this;
    const hasEnded = whole.head.finish !== undefined && !isFailed;
    for (const [part, live] of this.#parts.entries()) {
      const value = whole.parts[part];
      if (hasEnded && live.wire instanceof CallPieces) this.#endCall(live, live.wire, events);
      if (value) this.#complete(part, { live, value }, events);
      if (hasEnded) this.#end(live, events);
    }
    const { finish: _, ...others } = whole.head;
    const set = changedMembers(this.#told, hasEnded ? whole.head : others);
    if (Object.keys(set).length > 0) events.push({ type: "message-set", message, set });
    if (hasEnded) events.push({ type: "message-end", message });
  }

  #complete(part: number, { live, value }: { readonly live: Live; readonly value: Part }, events: Event[]): void {
    const at = { message: this.message, part };
    if (!live.isOut || live.value.type !== value.type) {
      events.push({ type: "part", value, ...at });
      return;
    }
    const { citations = [], ...plain } = value.type === "text" ? value : { ...value, citations: [] };
    for (const citation of citations) events.push({ type: "citation", citation, ...at });
    const known = live.value.type === "text" ? live.value : { ...live.value };
    const set = changedMembers(known as object, plain as object, new Set(["text", "input", "citations"]));
    if (Object.keys(set).length > 0) events.push({ type: "part-set", set: set as PartMembers, ...at }); // members of a part
  }
}
