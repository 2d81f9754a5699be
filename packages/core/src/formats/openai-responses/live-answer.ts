import { Calls, callTypeOf } from "../../blocks/openai-responses/calls.ts";
import { readAnnotation } from "../../blocks/openai-responses/content.ts";
import { readItem } from "../../blocks/openai-responses/items.ts";
import { numbered, type ReadMessage } from "../../blocks/openai-responses/messages.ts";
import { contentPlace, itemPlaces, type Placed, type ReadScope } from "../../blocks/openai-responses/node.ts";
import type { DecodeContext } from "../../codec/codec.ts";
import { Reader, rowOf } from "../../codec/reader.ts";
import type { Event, MessageHead } from "../../model/events.ts";
import { isJsonObject, type Json, type JsonObject } from "../../model/json.ts";
import type { Part } from "../../model/parts.ts";
import { changedMembers } from "../../stream/changed-members.ts";
import { emit } from "../../stream/emit.ts";
import { readAnswer, readHead } from "./answer.ts";
import { readScope } from "./dialects.ts";
import { LivePart } from "./live-part.ts";
import type { TextOf } from "./stream-decode.ts";
import { errorPlace, isText } from "./wire.ts";

/** An item while it comes. */
interface LiveItem {
  readonly index: number;
  /** As it was announced, and at last as it is. */
  wire: JsonObject;
  isDone: boolean;
  readonly places: Set<number>;
}

/** An answer while its events come, as one message of the assistant. */
export class LiveAnswer {
  readonly message: number;
  readonly id: string | undefined;
  /** What is out of the message's head. */
  readonly told: MessageHead;
  readonly #context: DecodeContext;
  readonly #scope: ReadScope;
  readonly #calls = new Calls();
  readonly #items = new Map<number, LiveItem>();
  readonly #indexes = new Map<string, number>();
  readonly #parts = new Map<number, LivePart>();

  constructor(message: number, body: JsonObject, context: DecodeContext) {
    this.message = message;
    const head = readHead(new Reader(body));
    this.told = { role: "assistant", ...head };
    this.id = head.responseId;
    this.#context = context;
    const made = head.responseId === undefined ? {} : { made: head.responseId };
    this.#scope = { ...readScope(context, { model: head.model, form: "answer", ...made }), issue: () => undefined };
  }

  // items

  /** Some servers leave the index out: then the item's id tells it, else it is the newest. */
  #indexOf(wire: JsonObject, isNew: boolean): number {
    const { output_index: index, item_id: id, item } = wire;
    if (typeof index === "number" && Number.isSafeInteger(index) && index >= 0) return index;
    const own = isJsonObject(item) ? item["id"] : id;
    const known = typeof own === "string" ? this.#indexes.get(own) : undefined;
    return known ?? (isNew ? this.#items.size : Math.max(0, this.#items.size - 1));
  }

  #item(wire: JsonObject, isNew = false): LiveItem {
    const index = this.#indexOf(wire, isNew);
    const known = this.#items.get(index);
    if (known) return known;
    const item = isJsonObject(wire["item"]) ? wire["item"] : {};
    const made: LiveItem = { index, wire: item, isDone: false, places: new Set() };
    this.#items.set(index, made);
    if (isText(item["id"])) this.#indexes.set(item["id"], index);
    return made;
  }

  added(wire: JsonObject, events: Event[]): void {
    const item = this.#item(wire, true);
    const { type } = item.wire;
    if (typeof type !== "string" || !callTypeOf(type, item.wire) || this.#parts.has(item.index * itemPlaces)) return;
    const part = this.#startCall(item, events);
    const member = rowOf(streamedInputs, type);
    const given = member === undefined ? undefined : item.wire[member];
    if (part && typeof given === "string" && given !== "")
      part.reach(type === "code_interpreter_call" ? codeText(given) : given, events);
  }

  #startCall(item: LiveItem, events: Event[]): LivePart | undefined {
    const [first] = this.#read(item.wire, item.index, new Calls());
    if (first?.type !== "tool-call") return undefined;
    const { input: _, inputText: __, ...call } = first;
    return this.#start(item, 0, call, events);
  }

  /** What parts are there at once, without what may still change. */
  #read(wire: JsonObject, index: number, calls: Calls): readonly Part[] {
    const { status: _, ...item } = wire;
    const read = readItem({ ...item, status: "completed" }, index, ["output", index], { ...this.#scope, calls });
    return read.parts.map(({ part }) => part);
  }

  #start(item: LiveItem, place: number, part: Part, events: Event[]): LivePart {
    const number = item.index * itemPlaces + place;
    const before = item.places.size === 0 ? this.#lastOf(item.index - 1) : undefined;
    const value = bare(part);
    const [only] = numbered({ role: "assistant", parts: [{ place, part: value }] }, item.index, before);
    const live = new LivePart({ message: this.message, part: number }, only?.part ?? value);
    this.#parts.set(number, live);
    item.places.add(place);
    live.start(events);
    return live;
  }

  /** The last part of an item so far. */
  #lastOf(index: number): Part | undefined {
    const item = this.#items.get(index);
    let last = -1;
    for (const place of item?.places ?? []) last = Math.max(last, place);
    return this.#parts.get(index * itemPlaces + last)?.told;
  }

  // parts

  #live(wire: JsonObject, { kind, part }: Pick<TextOf, "kind" | "part">, events: Event[]): LivePart | undefined {
    const item = this.#item(wire);
    if (kind === "call" || kind === "code") {
      return this.#parts.get(item.index * itemPlaces) ?? this.#startCall(item, events);
    }
    const index = wire[kind === "summary" ? "summary_index" : "content_index"];
    const number = typeof index === "number" && Number.isSafeInteger(index) && index >= 0 ? index : 0;
    const given = part ?? {};
    const isReasoning = kind === "reasoning" || given["type"] === "reasoning_text" || item.wire["type"] === "reasoning";
    const place = kind === "content" && !isReasoning ? number : kind === "summary" ? number : contentPlace + number;
    const known = this.#parts.get(item.index * itemPlaces + place);
    if (known) return known;
    const value = this.#announced(item, given, kind === "summary" ? "summary" : "content");
    return value && this.#start(item, place, value, events);
  }

  /** The part as the item would hold it, without its text. */
  #announced(item: LiveItem, part: JsonObject, member: "summary" | "content"): Part | undefined {
    const isReasoning = item.wire["type"] === "reasoning" || member === "summary" || part["type"] === "reasoning_text";
    // Nobody announced it, as where a stream goes on in the middle of an item.
    item.wire = {
      type: isReasoning ? "reasoning" : "message",
      ...(!isReasoning && { role: "assistant" }),
      ...item.wire,
    };
    const empty = {
      ...part,
      ...(typeof part["text"] === "string" && { text: "" }),
      ...(typeof part["refusal"] === "string" && { refusal: "" }),
    };
    const holder: JsonObject = isReasoning
      ? { summary: [], ...item.wire, type: "reasoning", content: [], [member]: [empty] }
      : { role: "assistant", type: "message", ...item.wire, content: [empty] };
    const [first] = this.#read(holder, item.index, new Calls());
    if (!first || (first.type !== "text" && first.type !== "refusal" && first.type !== "reasoning")) return undefined;
    const { seal, ...others } = first;
    const { id } = seal?.values ?? {};
    // The rest of a seal is known at the end only.
    return seal && id !== undefined ? ({ ...others, seal: { ...seal, values: { id } } } as Part) : (others as Part); // members of the part
  }

  delta(wire: JsonObject, about: TextOf, events: Event[]): void {
    const { delta } = wire;
    if (typeof delta !== "string" || delta === "") return;
    const live = this.#live(wire, about, events);
    if (about.kind === "code") live?.addCode(delta, events);
    else live?.add(delta, events);
  }

  textDone(wire: JsonObject, about: TextOf, events: Event[]): void {
    const whole = wire[about.member];
    if (typeof whole !== "string") return;
    this.#live(wire, about, events)?.reach(about.kind === "code" ? codeText(whole) : whole, events);
  }

  partAdded(wire: JsonObject, kind: "content" | "summary", events: Event[]): void {
    const { part } = wire;
    if (!isJsonObject(part)) return;
    const live = this.#live(wire, { kind, part }, events);
    const given = part["text"] ?? part["refusal"];
    if (typeof given === "string" && given !== "") live?.reach(given, events);
  }

  partDone(wire: JsonObject, kind: "content" | "summary", events: Event[]): void {
    this.partAdded(wire, kind, events);
  }

  annotate(wire: JsonObject, events: Event[]): void {
    const { annotation } = wire;
    if (annotation === undefined) return;
    const part = { type: "output_text", text: "", annotations: [] };
    this.#live(wire, { kind: "content", part }, events)?.cite(readAnnotation(annotation), events);
  }

  done(wire: JsonObject, events: Event[]): void {
    const item = this.#item(wire, true);
    if (!isJsonObject(wire["item"])) return;
    item.wire = wire["item"];
    item.isDone = true;
    const read = readItem(item.wire, item.index, ["output", item.index], { ...this.#scope, calls: this.#calls });
    if (read.role !== "assistant") return;
    const places = this.#inItem(item.index, numbered(read, item.index, this.#lastOf(item.index - 1)));
    for (const { place, part } of places) {
      this.#complete(place, part, events);
      item.places.add(place - item.index * itemPlaces);
    }
  }

  /** The parts of an item are found again by their order: some hosts go on counting them from item to item. */
  #inItem(index: number, parts: readonly Placed[]): readonly Placed[] {
    const known = this.#items.get(index)?.places;
    if (known?.size !== parts.length) return parts;
    const places = [...known].sort((a, b) => a - b);
    return parts.map(({ part }, order) => ({ place: index * itemPlaces + (places[order] ?? order), part }));
  }

  #complete(place: number, part: Part, events: Event[]): void {
    const live = this.#parts.get(place);
    if (live) {
      live.complete(part, events);
      return;
    }
    const made = new LivePart({ message: this.message, part: place }, part);
    this.#parts.set(place, made);
    made.whole(events);
  }

  // the end

  /** Sends what the whole answer says beyond what is out. Gives how many messages it is. */
  finish(body: JsonObject, events: Event[]): number {
    const { output } = body;
    const isTold = Array.isArray(output) && (output.length > 0 || this.#items.size === 0);
    const read = readAnswer(isTold ? body : { ...body, output: this.#snapshot(body["status"]) }, this.#context);
    const [first] = read;
    const only = first && { ...first, parts: this.#aligned(first.parts, isTold ? output.length : this.#items.size) };
    const places = new Set(only?.parts.map(({ place }) => place));
    const isSame =
      read.length === 1 && only?.head.role === "assistant" && [...this.#parts.keys()].every(place => places.has(place));
    if (!only || !isSame) return this.#again(read, events);
    for (const { place, part } of only.parts) if (place !== errorPlace) this.#complete(place, part, events);
    const error = only.parts.find(({ place }) => place === errorPlace)?.part;
    const set = changedMembers(this.told, only.head);
    if (error?.type === "error") {
      const { message, code } = error;
      events.push({ type: "error", error: { message, ...(code !== undefined && { code }) } });
    }
    if (Object.keys(set).length > 0) events.push({ type: "message-set", message: this.message, set });
    if (!error) events.push({ type: "message-end", message: this.message });
    return 1;
  }

  /** The stream breaks off: what has come of other sides stands in messages of its own, which nothing has announced. */
  cut(events: Event[]): void {
    const done = [...this.#items.values()].filter(({ isDone }) => isDone);
    if (done.every(({ wire }) => this.#sideOf(wire) === "assistant")) return;
    const read = readAnswer({ output: this.#snapshot() }, this.#context);
    const again: Event[] = [];
    this.#again(
      read.map(({ head, ...message }) => ({ ...message, head: { ...this.told, role: head.role } })),
      again,
    );
    events.push(...again.filter(({ type }) => type !== "message-end"));
  }

  #sideOf(wire: JsonObject): string {
    return readItem(wire, 0, ["output", 0], { ...this.#scope, calls: new Calls() }).role;
  }

  /** Items are found again by their order: some streams number them with gaps. */
  #aligned(parts: readonly Placed[], items: number): readonly Placed[] {
    const indexes = items === this.#items.size ? [...this.#items.keys()].sort((a, b) => a - b) : [];
    const byItem = new Map<number, Placed[]>();
    const others: Placed[] = [];
    for (const { place, part } of parts) {
      if (place === errorPlace) {
        others.push({ place, part });
        continue;
      }
      const told = Math.floor(place / itemPlaces);
      const index = indexes[told] ?? told;
      const own = byItem.get(index) ?? [];
      own.push({ place: place + (index - told) * itemPlaces, part });
      byItem.set(index, own);
    }
    return [...byItem].flatMap(([index, own]) => this.#inItem(index, own)).concat(others);
  }

  /** The whole has another form than what is out: it starts over (E9). */
  #again(read: readonly ReadMessage[], events: Event[]): number {
    const messages = read.map(({ head, parts }) => ({ ...head, parts: parts.map(({ part }) => part) }));
    for (const event of emit(messages)) {
      events.push("message" in event ? { ...event, message: event.message + this.message } : event);
    }
    return messages.length;
  }

  /**
   * The items as far as they came, for answers that do not repeat them. `status` of the answer: an item of one that is
   * completed is so, too, where a host does not tell of its end.
   */
  #snapshot(status?: Json): Json[] {
    return [...this.#items.values()]
      .sort((a, b) => a.index - b.index)
      .map(item => {
        if (item.isDone) return item.wire;
        const soFar = this.#soFar(item);
        return status === "completed" && soFar["status"] === "in_progress" ? { ...soFar, status } : soFar;
      });
  }

  #soFar(item: LiveItem): JsonObject {
    const texts = [...item.places].map(place => ({ place, live: this.#parts.get(item.index * itemPlaces + place) }));
    const { type } = item.wire;
    const member = typeof type === "string" ? rowOf(streamedInputs, type) : undefined;
    if (member !== undefined) return { ...item.wire, [member]: texts[0]?.live?.sent ?? "" };
    const content = texts.flatMap(({ place, live }) => (live && place < contentPlace ? [contentOf(live)] : []));
    if (type !== "reasoning") return { ...item.wire, content };
    const reasoning = texts.flatMap(({ place, live }) =>
      live && place >= contentPlace ? [{ type: "reasoning_text", text: live.sent }] : [],
    );
    const summary = texts.flatMap(({ place, live }) =>
      live && place < contentPlace ? [{ type: "summary_text", text: live.sent }] : [],
    );
    return { ...item.wire, summary, ...(reasoning.length > 0 && { content: reasoning }) };
  }
}

const contentOf = ({ told, sent }: LivePart): JsonObject =>
  told.type === "refusal" ? { type: "refusal", refusal: sent } : { type: "output_text", text: sent, annotations: [] };

/** A part as it begins: how it is spelled, and whether it is whole, is known at its end. */
function bare(part: Part): Part {
  const { native: _, partial: __, ...others } = part;
  return others as Part; // a part without members that are optional
}

/** Where the input of the items is that stream it. */
const streamedInputs: { readonly [type: string]: string } = {
  function_call: "arguments",
  mcp_call: "arguments",
  custom_tool_call: "input",
  code_interpreter_call: "code",
};

/** Code is a member of its call's input. */
const codeText = (code: string): string => JSON.stringify({ code });
