import {
  equalJson,
  isJsonObject,
  type Json,
  type JsonObject,
  type MutableJsonObject,
  setMember,
} from "../../model/json.ts";
import { partialJson } from "../../stream/partial-json.ts";

const isText = (value: Json | undefined): value is string => typeof value === "string" && value !== "";

/** null replaces nothing, and only stands where nothing came. */
export function assign(target: MutableJsonObject, key: string, value: Json | undefined): void {
  if (value === undefined || (value === null && Object.hasOwn(target, key))) return;
  setMember(target, key, value);
}

const mayEnd = (text: string): boolean => /[}\]"\w]\s*$/.test(text.slice(-8));

/** Whether the text of a call's arguments could end here. */
export function isWholeJson(text: string): boolean {
  if (!mayEnd(text)) return false;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** A call of a choice, from its deltas. `place` sorts it among the others. */
export class MergedCall {
  readonly place: number;
  id: string | undefined;
  name: string | undefined;
  isCustom = false;
  /** The index that its deltas said, if any. */
  index: Json | undefined;
  /** Pieces of the arguments' text. */
  readonly pieces: string[] = [];
  #given: Json | undefined;
  readonly #json = partialJson();
  /** How many pieces the reader of their JSON has had. */
  #read = 0;
  readonly #call: MutableJsonObject = {};
  readonly #inner: MutableJsonObject = {};

  constructor(place: number) {
    this.place = place;
  }

  /** Takes a delta; what it adds to the text of the arguments. */
  add(delta: JsonObject): string {
    let added = "";
    for (const key of Object.keys(delta)) {
      const value = delta[key];
      if (key === "id") {
        if (isText(value)) this.id = value;
        else if (this.id === undefined) assign(this.#call, key, value);
      } else if ((key === "function" || key === "custom") && isJsonObject(value)) added += this.#addInner(value, key);
      else if (key === "index") this.index ??= value;
      else assign(this.#call, key, value);
    }
    return added;
  }

  #addInner(inner: JsonObject, member: "function" | "custom"): string {
    // Snowflake sends an empty shell of the other kind beside the one that counts (2026-11-30).
    const isCounting = isText(inner["name"]) || (this.name !== undefined && this.isCustom === (member === "custom"));
    if (!isCounting && Object.values(inner).every(value => value === "" || value === null)) {
      assign(this.#call, member, inner);
      return "";
    }
    this.isCustom = member === "custom";
    let added = "";
    for (const key of Object.keys(inner)) {
      const value = inner[key];
      if (key === "name") {
        if (isText(value)) this.name = value;
      } else if (key !== (this.isCustom ? "input" : "arguments")) assign(this.#inner, key, value);
      else if (typeof value === "string") {
        if (this.#isRepeat(inner, value)) continue;
        added += value;
        this.pieces.push(value);
      } else if (value !== undefined && value !== null) this.#given = value;
    }
    return added;
  }

  /** What stands for an id where there is none: "", null, or nothing. */
  get noId(): Json | undefined {
    return this.#call["id"];
  }

  /** Some hosts say a call again that they have said whole. */
  #isRepeat({ name }: JsonObject, text: string): boolean {
    if (this.isCustom || !isText(name) || name !== this.name || !startsObject.test(text)) return false;
    return this.progress === "whole" && this.pieces.join("") === text;
  }

  /** How far its arguments are, by what came of them: each piece is read once, and only where it is asked. */
  get progress(): "none" | "begun" | "whole" {
    for (; this.#read < this.pieces.length; this.#read++) this.#json.push(this.pieces[this.#read] ?? "");
    const { state } = this.#json;
    if (state === "empty") return this.#given === undefined ? "none" : "whole";
    return state === "complete" ? "whole" : "begun";
  }

  /** Whether the text could end here: nothing yet, or whole JSON. */
  get isComplete(): boolean {
    return this.progress !== "begun";
  }

  /** Whether these arguments, said with its name again, are another call's: behind a whole object none can come. */
  isBehind(text: Json | undefined): boolean {
    if (this.progress !== "whole") return false;
    if (typeof text === "string") return startsObject.test(text) && this.pieces.join("") !== text;
    // An empty object may be a host's way to say nothing yet.
    return isJsonObject(text) && !equalJson(this.#given, text) && !equalJson(this.#given, {});
  }

  /** `asTold`: a type that no delta said is not made up, and an index that one said is the call's own. */
  whole(asTold = false): JsonObject {
    const member = this.isCustom ? "custom" : "function";
    const text = this.isCustom ? "input" : "arguments";
    const given = this.#given ?? this.pieces.join("");
    const shell = this.#call[member];
    const inner = {
      name: "",
      [text]: given,
      ...(isJsonObject(shell) && shell),
      ...this.#inner,
      ...(this.name !== undefined && { name: this.name }),
      ...(given !== "" && { [text]: given }),
    };
    const id = this.id === undefined ? {} : { id: this.id };
    if (asTold)
      return { ...(this.index !== undefined && { index: this.index }), ...this.#call, ...id, [member]: inner };
    // The `openai` SDK takes no call without a type, but what a host means is plain.
    return { type: member, ...this.#call, ...id, [member]: inner };
  }
}

/** Indexes that hosts leave out, begin at 1 or give twice are made good by ids, else by the order in which calls come. */
export class MergedCalls {
  readonly #calls = new Map<number, MergedCall[]>();
  readonly #byId = new Map<string, MergedCall>();
  #last: MergedCall | undefined;
  #next = 0;
  #count = 0;
  readonly #first: number;
  /** The calls that the list of deltas at hand was for so far. */
  #listed = new Set<MergedCall>();

  /** `first`: the place of the first call among the parts. */
  constructor(first: number) {
    this.#first = first;
  }

  /** How many there are so far. */
  get count(): number {
    return this.#count;
  }

  /** Another list of deltas begins. */
  begin(): void {
    this.#listed = new Set();
  }

  /** The call that a delta is for. */
  of(delta: JsonObject): MergedCall {
    const { index, id } = delta;
    const known = isIndex(index) ? this.#at(index, delta) : this.#without(isText(id) ? id : undefined, delta);
    const call = this.#isTwin(known, delta) ? this.#open(isIndex(index) ? index : this.#next) : known;
    this.#listed.add(call);
    if (isText(id) && !this.#byId.has(id)) this.#byId.set(id, call);
    this.#last = call;
    return call;
  }

  /** No host says a call twice in one list: without ids, the same name and arguments are the same thing to do again. */
  #isTwin(call: MergedCall, delta: JsonObject): boolean {
    return !isText(delta["id"]) && nameOf(delta) !== undefined && call.progress === "whole" && this.#listed.has(call);
  }

  /** Another id at the same index is another call where it also has a name and the one before is whole. */
  #at(index: number, { id, ...delta }: JsonObject): MergedCall {
    const known = this.#calls.get(index)?.at(-1);
    if (!known) return this.#unfinished(id, delta) ?? this.#open(index);
    if (!isText(id)) return isNext(known, delta) ? this.#open(index) : known;
    const isOther = known.id !== undefined && known.id !== id && nameOf(delta) !== undefined;
    if (!isOther) return known;
    return this.#byId.get(id) ?? (known.isComplete ? this.#open(index) : known);
  }

  /** A host that counts deltas and not calls: without an id and a name, at a new index, goes on what is not over (dirac 215). */
  #unfinished(id: Json | undefined, delta: JsonObject): MergedCall | undefined {
    const last = this.#last;
    if (isText(id) || nameOf(delta) !== undefined || !last || last.progress === "whole") return undefined;
    return last.progress === "begun" || isText(argumentsOf(delta)) ? last : undefined;
  }

  #without(id: string | undefined, delta: JsonObject): MergedCall {
    if (id !== undefined) return this.#byId.get(id) ?? this.#open(this.#next);
    const last = this.#last;
    // Without an index too a name behind a whole call tells.
    const isNamed = last?.name !== undefined && nameOf(delta) !== undefined && last.progress === "whole";
    const isNew = !last || isNext(last, delta) || isNamed;
    return isNew ? this.#open(this.#next) : last;
  }

  #open(index: number): MergedCall {
    const same = this.#calls.get(index) ?? [];
    // Calls of one index stand between it and the next.
    if (same.length >= callsAnIndex) return this.#open(this.#next);
    const call = new MergedCall(this.#first + index * callsAnIndex + same.length);
    same.push(call);
    this.#count++;
    this.#calls.set(index, same);
    this.#next = Math.max(this.#next, index + 1);
    return call;
  }

  sorted(): MergedCall[] {
    return [...this.#calls.values()].flat().sort((a, b) => a.place - b.place);
  }

  whole(asTold = false): Json[] {
    return this.sorted().map(call => call.whole(asTold));
  }
}

const callsAnIndex = 4096;
/** The `openai` SDK takes no index above 127; a wild one counts as none. */
export const isIndex = (index: Json | undefined): index is number =>
  typeof index === "number" && Number.isInteger(index) && index >= 0 && index < 100_000;

/** Without an id another call begins with another name, or with arguments behind a whole object (smolagents 1569). */
function isNext(known: MergedCall, delta: JsonObject): boolean {
  const name = nameOf(delta);
  if (name === undefined) return false;
  const isRenamed = known.name !== undefined && known.name !== name;
  // Of a call with an id the name may come in pieces, before its arguments.
  const isOver = known.id === undefined ? known.isComplete : known.progress === "whole";
  return (isRenamed && isOver) || known.isBehind(argumentsOf(delta));
}

const startsObject = /^\s*\{/;

const argumentsOf = ({ function: inner }: JsonObject): Json | undefined =>
  isJsonObject(inner) ? inner["arguments"] : undefined;

function nameOf(delta: JsonObject): string | undefined {
  const inner = isJsonObject(delta["function"]) ? delta["function"] : delta["custom"];
  const name = isJsonObject(inner) ? inner["name"] : undefined;
  return isText(name) ? name : undefined;
}
