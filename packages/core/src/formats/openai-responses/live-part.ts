import type { At, DeltaOf, Event, PartMembers } from "../../model/events.ts";
import { equalJson, type MutableJsonObject } from "../../model/json.ts";
import type { Citation, Part } from "../../model/parts.ts";
import { writeInput } from "../../stream/input.ts";

/** A part that is out, and what was said of it. */
export class LivePart {
  readonly #at: At;
  /** As whoever heard the events has it, but for the text. */
  told: Part;
  readonly #pieces: string[] = [];
  readonly #citations: Citation[] = [];
  #isOpen = false;
  /** Half of a character whose other half is in the next delta. */
  #half = "";

  constructor(at: At, part: Part) {
    this.#at = at;
    this.told = part;
  }

  /** All text that is out. */
  get sent(): string {
    if (this.#pieces.length > 1) this.#pieces.splice(0, this.#pieces.length, this.#pieces.join(""));
    return this.#pieces[0] ?? "";
  }

  start(events: Event[]): void {
    const { told } = this;
    const isSpoken = told.type === "text" || told.type === "refusal" || told.type === "reasoning";
    this.told = isSpoken ? { ...told, text: "" } : told;
    this.#isOpen = true;
    events.push({ type: "part-start", value: this.told, ...this.#at });
  }

  whole(events: Event[]): void {
    events.push({ type: "part", value: this.told, ...this.#at });
  }

  add(delta: string, events: Event[]): void {
    const of = deltaOf(this.told);
    if (!of || !this.#isOpen || delta === "") return;
    this.#pieces.push(delta);
    events.push({ type: "part-delta", of, text: delta, ...this.#at });
  }

  /** Code goes into the text of the input as a member of it. */
  addCode(delta: string, events: Event[]): void {
    const text = this.#half + delta;
    const last = text.charCodeAt(text.length - 1);
    const isHalf = last >= 0xd800 && last < 0xdc00;
    this.#half = isHalf ? text.slice(-1) : "";
    const escaped = JSON.stringify(isHalf ? text.slice(0, -1) : text).slice(1, -1);
    this.add(this.#pieces.length === 0 ? `{"code":"${escaped}` : escaped, events);
  }

  /** What is missing of a text whose beginning is out; another text is left to the end, which replaces it. */
  reach(text: string, events: Event[]): void {
    const { sent } = this;
    if (text.length > sent.length && text.startsWith(sent)) this.add(text.slice(sent.length), events);
  }

  cite(citation: Citation, events: Event[]): void {
    if (this.told.type !== "text" || !this.#isOpen) return;
    this.#citations.push(citation);
    events.push({ type: "citation", citation, ...this.#at });
  }

  /** The part as it is: what it says beyond what is out. */
  complete(part: Part, events: Event[]): void {
    if (!this.#isOpen) {
      if (equalJson(this.told, part)) return;
      const set = this.#changes(part, closed);
      const isSet = set !== undefined && !("text" in set);
      events.push(isSet ? this.#set(set) : { type: "part", value: part, ...this.#at });
      this.told = part;
      return;
    }
    const text = textOf(part);
    if (text !== undefined) this.reach(text, events);
    const set = text === this.sent && part.type === this.told.type ? this.#changes(part, open) : undefined;
    if (set === undefined) {
      this.#isOpen = false;
      this.told = part;
      events.push({ type: "part", value: part, ...this.#at });
      return;
    }
    if (Object.keys(set).length > 0) events.push(this.#set(set));
    this.told = part;
    if (part.partial) return;
    this.#isOpen = false;
    events.push({ type: "part-end", ...this.#at });
  }

  #set(members: object): Event {
    return { type: "part-set", set: members as PartMembers, ...this.#at }; // members of the part, as they were compared
  }

  /** Members that are new or other; undefined where one is gone, which no event can say. */
  #changes(part: Part, ignored: ReadonlySet<string>): object | undefined {
    const before = this.told as unknown as MutableJsonObject; // parts are JSON
    const after = part as unknown as MutableJsonObject; // as above
    const isGone = Object.keys(before).some(key => !ignored.has(key) && after[key] === undefined);
    if (isGone || !keepsNative(before["native"], after["native"])) return undefined;
    const cited = part.type === "text" && equalJson(part.citations ?? [], this.#citations);
    const changed: MutableJsonObject = {};
    for (const key of Object.keys(after)) {
      if (ignored.has(key) || (key === "citations" && cited) || equalJson(before[key], after[key])) continue;
      changed[key] = after[key] ?? null;
    }
    return changed;
  }
}

/** Members that the deltas have said. */
const open: ReadonlySet<string> = new Set(["text", "input", "inputText", "partial"]);
const closed: ReadonlySet<string> = new Set();

/** Members are added to native, and none is taken away. */
function keepsNative(before: unknown, after: unknown): boolean {
  if (typeof before !== "object" || before === null || Array.isArray(before)) return true;
  if (typeof after !== "object" || after === null) return false;
  return Object.entries(before).every(([key, value]) => {
    const other = (after as { readonly [key: string]: unknown })[key]; // any object may be asked for a member
    return other !== undefined && keepsNative(value, other);
  });
}

function deltaOf({ type }: Part): DeltaOf | undefined {
  return type === "text" || type === "reasoning" || type === "refusal" || type === "tool-call" ? type : undefined;
}

function textOf(part: Part): string | undefined {
  if (part.type === "tool-call") return writeInput(part);
  return part.type === "text" || part.type === "reasoning" || part.type === "refusal" ? part.text : undefined;
}
