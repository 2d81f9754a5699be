import { chatParts } from "../../blocks/chat-parts/parts.ts";
import type { DecodeContext } from "../../codec/codec.ts";
import { kept } from "../../codec/remainder.ts";
import type { DeltaOf, Event, MessageHead, PartMembers } from "../../model/events.ts";
import {
  equalJson,
  isJsonObject,
  type Json,
  type JsonObject,
  type MutableJsonObject,
  setMember,
} from "../../model/json.ts";
import type { Citation, Part } from "../../model/parts.ts";
import { mergeMembers } from "../../stream/merge.ts";
import { readAnswer } from "./answer.ts";
import { readCitationsOf } from "./citations.ts";
import { blockKind, citedBlock, type Piece, Pieces, sortedCitations } from "./pieces.ts";
import { family, isText, places } from "./wire.ts";

/** A part that is out, and what was said of it. */
interface Live {
  value: Part;
  /** Of a call, to which its arguments come. */
  readonly call?: Piece | undefined;
  isOpen: boolean;
  hasText: boolean;
  /** The citations that are out. */
  cited: readonly Citation[];
}

const asObject = (value: Json | undefined): JsonObject => (isJsonObject(value) ? value : {});
/** Some versions put the one item into a list. */
const itemOf = (value: Json | undefined): Json | undefined => (Array.isArray(value) ? (value[0] as Json) : value);
const isEmpty = (value: Json): boolean =>
  value === null || value === "" || (Array.isArray(value) && value.length === 0);
const messageIn = (wire: JsonObject): JsonObject => asObject(asObject(wire["delta"])["message"]);
const isIndex = (value: Json | undefined): value is number =>
  typeof value === "number" && Number.isInteger(value) && value >= 0 && value < 1_000_000;

/** Members of a message that come in events of their own. */
const streamed: ReadonlySet<string> = new Set(["content", "tool_plan", "tool_calls", "citations"]);

/** An answer while its events come. */
export class LiveAnswer {
  readonly message: number;
  readonly #context: DecodeContext;
  readonly #body: MutableJsonObject = {};
  readonly #said: MutableJsonObject = {};
  readonly #blocks = new Pieces(places.content);
  readonly #calls = new Pieces(places.calls);
  readonly #citations = new Map<number, Json>();
  /** Citations that wait for the end of their block, by its number. */
  readonly #waiting = new Map<number, Map<number, Json>>();
  #firstText = Number.POSITIVE_INFINITY;
  readonly #plan: string[] = [];
  readonly #logprobs: Json[] = [];
  readonly #parts = new Map<number, Live>();
  #told: MessageHead = { role: "assistant" };
  #events = 0;

  constructor(message: number, context: DecodeContext) {
    this.message = message;
    this.#context = context;
  }

  isSame({ id }: JsonObject): boolean {
    return id !== undefined && id === this.#body["id"] && this.#parts.size === 0;
  }

  begin(wire: JsonObject, events: Event[]): void {
    const { id } = wire;
    if (isText(id)) {
      setMember(this.#body, "id", id);
      this.#told = { ...this.#told, responseId: id };
    }
    events.push({ type: "message-start", message: this.message, head: this.#told });
    this.#say(messageIn(wire), events);
  }

  /** Members of the message that come at once; what is empty only says that it may still come. */
  #say(message: JsonObject, events: Event[]): void {
    for (const key of Object.keys(message)) {
      const value = message[key] ?? null;
      if (!streamed.has(key)) setMember(this.#said, key, value);
      else if (!isEmpty(value)) this.#sayWhole(key, value, events);
    }
  }

  #sayWhole(key: string, value: Json, events: Event[]): void {
    const list: readonly Json[] = Array.isArray(value) ? value : [value];
    if (key === "tool_plan") this.#addPlan(value, events);
    else if (key === "citations") for (const each of list) this.#addCitation(each, undefined);
    else {
      for (const each of list) {
        if (key === "content") this.#startBlock(each, undefined, events);
        else this.#startCall(each, undefined, events);
      }
    }
  }

  /** False for an event that is not known. */
  take(type: string, wire: JsonObject, events: Event[]): boolean {
    const { content, tool_plan: plan, tool_calls: calls, citations } = messageIn(wire);
    const index = isIndex(wire["index"]) ? wire["index"] : undefined;
    switch (type) {
      case "content-start":
        this.#startBlock(itemOf(content) ?? {}, index, events);
        return true;
      case "content-delta":
        this.#addContent(asObject(itemOf(content)), index, events);
        if (wire["logprobs"] !== undefined && wire["logprobs"] !== null) this.#logprobs.push(wire["logprobs"]);
        return true;
      case "content-end":
        this.#endPiece(this.#blocks.of(index), events);
        return true;
      case "tool-plan-delta":
        this.#addPlan(plan ?? null, events);
        return true;
      case "tool-call-start":
        this.#startCall(itemOf(calls) ?? {}, index, events);
        return true;
      case "tool-call-delta":
        this.#addCall(asObject(itemOf(calls)), index, events);
        return true;
      case "tool-call-end":
        this.#endPiece(this.#calls.of(index), events);
        return true;
      case "citation-start": {
        const citation = itemOf(citations);
        if (citation !== undefined) this.#addCitation(citation, index);
        return true;
      }
      case "citation-end":
        return true;
      default:
        return false;
    }
  }

  /** An event that is not known has a place among the parts, and only there. */
  keep(wire: JsonObject, events: Event[]): void {
    const value: Part = { type: "opaque", family, value: wire, ...kept(family, undefined, { $place: "events" }) };
    events.push({ type: "part", message: this.message, part: places.events + this.#events++, value });
  }

  fail(error: Json): void {
    if (this.#body["error"] === undefined) setMember(this.#body, "error", error);
  }

  // content

  #startBlock(wire: Json, index: number | undefined, events: Event[]): Piece {
    this.#endPlan(events);
    if (index !== undefined) this.#endPiece(this.#blocks.of(index), events);
    const piece = this.#blocks.open(index, { ...asObject(wire) });
    const { members, place } = piece;
    const kind = blockKind(members);
    if (!kind) return piece;
    const text = members[kind.member];
    setMember(members, kind.member, "");
    setMember(members, "type", kind.type);
    if (kind.of === "text") this.#firstText = Math.min(this.#firstText, place);
    this.#start(place, { type: kind.of, text: "" }, events);
    if (isText(text)) this.#addText(piece, { of: kind.of, text }, events);
    return piece;
  }

  #addContent(delta: JsonObject, index: number | undefined, events: Event[]): void {
    const piece = this.#blocks.of(index) ?? this.#startBlock(emptied(delta), index, events);
    const kind = blockKind(piece.members);
    if (!kind) return;
    for (const key of Object.keys(delta)) {
      const value = delta[key] ?? null;
      if (key !== kind.member && key !== "type") setMember(piece.members, key, value);
      else if (key === kind.member && isText(value)) this.#addText(piece, { of: kind.of, text: value }, events);
    }
  }

  #addText(piece: Piece, { of, text }: { readonly of: DeltaOf; readonly text: string }, events: Event[]): void {
    piece.texts.push(text);
    const live = this.#parts.get(piece.place);
    if (!live) return;
    live.hasText = true;
    events.push({ type: "part-delta", message: this.message, part: piece.place, of, text });
  }

  #addPlan(text: Json, events: Event[]): void {
    if (!isText(text)) return;
    this.#plan.push(text);
    if (!this.#parts.has(places.plan)) {
      const hints = kept(family, undefined, { $place: "plan" });
      this.#start(places.plan, { type: "reasoning", text: "", ...hints }, events);
    }
    events.push({ type: "part-delta", message: this.message, part: places.plan, of: "reasoning", text });
  }

  /** A plan has no end mark: it is over when something else begins. */
  #endPlan(events: Event[]): void {
    this.#end(places.plan, events);
  }

  // calls

  #startCall(wire: Json, index: number | undefined, events: Event[]): Piece {
    this.#endPlan(events);
    if (index !== undefined) this.#endPiece(this.#calls.of(index), events);
    const { function: inner, ...members } = asObject(wire);
    const { arguments: text, ...named } = asObject(inner);
    const isOdd = text !== undefined && typeof text !== "string";
    const piece = this.#calls.open(index, { ...members, function: isOdd ? { ...named, arguments: text } : named });
    const { name } = named;
    if (typeof name === "string") this.#start(piece.place, this.#callPart(piece, name), events, piece);
    if (isText(text)) this.#addText(piece, { of: "tool-call", text }, events);
    return piece;
  }

  #callPart({ members, place }: Piece, name: string): Part {
    const id = members["id"];
    const made = `~${this.#told.responseId ?? "0"}.${place - places.calls}`;
    const hints = isText(id) && !id.startsWith("~") ? {} : kept(chatParts, undefined, { $id: id ?? false });
    return { type: "tool-call", callId: isText(id) ? id : made, name, ...hints };
  }

  #addCall(delta: JsonObject, index: number | undefined, events: Event[]): void {
    const piece = this.#calls.of(index) ?? this.#startCall({}, index, events);
    const { function: inner, ...members } = delta;
    const { arguments: text, ...named } = asObject(inner);
    for (const key of Object.keys(members)) setMember(piece.members, key, members[key] ?? null);
    if (Object.keys(named).length > 0) {
      setMember(piece.members, "function", { ...asObject(piece.members["function"]), ...named });
    }
    if (isText(text)) this.#addText(piece, { of: "tool-call", text }, events);
  }

  // parts

  #start(place: number, value: Part, events: Event[], call?: Piece): void {
    this.#parts.set(place, { value, call, isOpen: true, hasText: false, cited: [] });
    events.push({ type: "part-start", message: this.message, part: place, value });
  }

  #endPiece(piece: Piece | undefined, events: Event[]): void {
    if (piece) this.#end(piece.place, events);
  }

  #end(place: number, events: Event[]): void {
    const live = this.#parts.get(place);
    if (!live?.isOpen) return;
    if (live.value.type === "text") this.#cite(place, live, events);
    if (live.call) this.#endArguments(live, live.call, events);
    live.isOpen = false;
    events.push({ type: "part-end", message: this.message, part: place });
  }

  /** That a call has no arguments is told before its end, at which it is written (E3). */
  #endArguments(live: Live, { place, members, texts }: Piece, events: Event[]): void {
    if (texts.length > 0 || Object.hasOwn(asObject(members["function"]), "arguments")) return;
    const set: PartMembers = kept(chatParts, undefined, { $arguments: "" });
    live.value = mergeMembers(live.value, set);
    events.push({ type: "part-set", message: this.message, part: place, set });
  }

  // citations

  #addCitation(wire: Json, index: number | undefined): void {
    const own = index ?? this.#citations.size;
    this.#citations.set(own, wire);
    const block = citedBlock(wire);
    const waiting = this.#waiting.get(block) ?? new Map<number, Json>();
    this.#waiting.set(block, waiting.set(own, wire));
  }

  /** Ranges are of the whole text, so they come at its end; those that come later, with the answer's end. */
  #cite(place: number, live: Live, events: Event[]): void {
    const isFirst = place === this.#firstText;
    const blocks = [place - places.content, ...(isFirst ? [-1] : [])];
    const waiting = new Map(blocks.flatMap(block => [...(this.#waiting.get(block) ?? [])]));
    const text = waiting.size > 0 ? this.#blocks.textAt(place) : undefined;
    if (text === undefined) return;
    live.cited = readCitationsOf(sortedCitations(waiting), text, isFirst);
    for (const citation of live.cited) events.push({ type: "citation", citation, message: this.message, part: place });
  }

  // the end

  /** `message-end` says how the answer ended, what it took, and whether it failed. */
  end({ type: _, id, delta, ...others }: JsonObject, events: Event[]): void {
    const { message, ...members } = asObject(delta);
    if (isText(id)) setMember(this.#body, "id", id);
    this.#say(asObject(message), events);
    const error = this.#body["error"];
    for (const [key, value] of Object.entries({ ...members, ...others })) setMember(this.#body, key, value);
    if (error !== undefined) setMember(this.#body, "error", error);
    if (this.#body["error"] === null) delete this.#body["error"];
    const failure = this.#body["error"];
    if (failure === undefined) for (const place of this.#parts.keys()) this.#end(place, events);
    else this.#endPlan(events);
    this.#complete(false, events);
    if (failure === undefined) events.push({ type: "message-end", message: this.message });
    else if (error === undefined) {
      const text = typeof failure === "string" ? failure : JSON.stringify(failure);
      events.push({ type: "error", error: { message: text } });
    }
  }

  /** The stream breaks off: how it ended is not known (R25). */
  cut(events: Event[]): void {
    this.#complete(true, events);
  }

  #whole(): JsonObject {
    const message: MutableJsonObject = { role: "assistant", ...this.#said };
    const content = this.#blocks.sorted().map(({ members, texts }): Json => {
      const kind = blockKind(members);
      return kind ? { ...members, [kind.member]: texts.join("") } : members;
    });
    const calls = this.#calls.sorted().map(({ members, texts }): Json => {
      const inner = asObject(members["function"]);
      const text = texts.length > 0 || !Object.hasOwn(inner, "arguments") ? { arguments: texts.join("") } : {};
      return { ...members, function: { ...inner, ...text } };
    });
    if (content.length > 0) setMember(message, "content", content);
    if (this.#plan.length > 0) setMember(message, "tool_plan", this.#plan.join(""));
    if (calls.length > 0) setMember(message, "tool_calls", calls);
    if (this.#citations.size > 0) setMember(message, "citations", sortedCitations(this.#citations));
    const body: MutableJsonObject = { ...this.#body, message };
    if (this.#logprobs.length > 0 && body["logprobs"] === undefined) setMember(body, "logprobs", this.#logprobs);
    return body;
  }

  /** Sends what the whole says beyond what is out. */
  #complete(isCut: boolean, events: Event[]): void {
    const { message } = this;
    const read = readAnswer(this.#whole(), this.#context, isCut);
    const blocks = this.#blocks.sorted().map(({ place }) => place);
    const calls = this.#calls.sorted().map(({ place }) => place);
    for (const { place, part } of read.parts) {
      if (part.type === "error") continue;
      const number =
        place < places.plan
          ? (blocks[place - places.content] ?? place)
          : place >= places.calls
            ? (calls[place - places.calls] ?? place)
            : place;
      this.#completePart(number, part, events);
    }
    const isFailed = this.#body["error"] !== undefined;
    const { finish, ...others } = read.head;
    const set = changes(this.#told, isFailed || isCut ? others : { ...others, ...(finish && { finish }) });
    if (Object.keys(set).length > 0) events.push({ type: "message-set", message, set });
  }

  #completePart(number: number, part: Part, events: Event[]): void {
    const live = this.#parts.get(number);
    const at = { message: this.message, part: number };
    if (live?.value.type !== part.type) {
      events.push({ type: "part", value: part, ...at });
      return;
    }
    const { citations = [], ...plain } = part.type === "text" ? part : { ...part, citations: [] };
    let said = 0;
    for (const citation of citations) {
      if (equalJson(live.cited[said], citation)) said += 1;
      else events.push({ type: "citation", citation, ...at });
    }
    const isSaid = part.type !== "tool-call" || live.hasText;
    const set = changes(live.value as object, plain as object, isSaid ? texts : textAlone);
    if (Object.keys(set).length > 0) events.push({ type: "part-set", set: set as PartMembers, ...at }); // members of a part
  }
}

/** Members that the deltas have said; arguments that are no text come without one. */
const texts: ReadonlySet<string> = new Set(["text", "input", "inputText", "citations"]);
const textAlone: ReadonlySet<string> = new Set(["text", "citations"]);

function changes<T extends object>(before: T, after: T, without: ReadonlySet<string> = new Set()): Partial<T> {
  const changed: Partial<T> = {};
  for (const key of Object.keys(after) as (keyof T & string)[]) {
    if (!without.has(key) && !equalJson(before[key], after[key])) changed[key] = after[key];
  }
  return changed;
}

/** A block as it would have been announced, where only its text came. */
const emptied = (delta: JsonObject): JsonObject =>
  Object.hasOwn(delta, "thinking") ? { type: "thinking", thinking: "" } : { type: "text", text: "" };
