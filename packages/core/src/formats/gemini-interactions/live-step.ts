import type { At, DeltaOf, Event, PartMembers } from "../../model/events.ts";
import { equalJson, isJsonObject, type Json, type JsonObject, type MutableJsonObject } from "../../model/json.ts";
import { type ExactText, parseJson, stringifyJson } from "../../model/json-text.ts";
import type { Part } from "../../model/parts.ts";
import { changedPart } from "../../stream/changed-members.ts";
import { isCallType } from "./calls.ts";
import { isContent, readContent } from "./contents.ts";
import { type Placed, placeOf, type ReadStep, readStep, withStep } from "./steps.ts";
import { asObject, Calls, type ReadScope } from "./wire.ts";

/** A part as whoever heard the events has it, but for its text. */
interface Told {
  readonly part: Part;
  isOpen: boolean;
  citations: number;
}

/** A content while its deltas come. */
interface LiveContent {
  readonly members: MutableJsonObject;
  readonly texts: string[];
  annotations: Json[] | undefined;
  readonly isText: boolean;
}

interface StepPlace {
  /** Number of the step among all. */
  readonly ordinal: number;
  readonly message: number;
  readonly scope: ReadScope;
  /** The spelling of what came. */
  readonly exact: ExactText | undefined;
  /** The part of the same message that the step follows. */
  readonly before: Part | undefined;
  /** What a user says is one step whatever it holds. */
  readonly isUsers: boolean;
}

/** Types of steps whose contents come in deltas, and the member that they are. */
const contentMembers: { readonly [type: string]: "content" | "summary" | undefined } = {
  model_output: "content",
  user_input: "content",
  thought: "summary",
};

/** A step while it comes: its parts, and what was said of it. */
export class LiveStep {
  readonly #place: StepPlace;
  #wire: JsonObject;
  readonly #member: "content" | "summary" | undefined;
  readonly #isCall: boolean;
  readonly #contents: LiveContent[] = [];
  /** Texts of arguments. */
  readonly #texts: string[] = [];
  readonly #told = new Map<number, Told>();
  readonly #cited = new Set<string>();
  isOpen = true;

  constructor(wire: JsonObject, place: StepPlace, events: Event[]) {
    this.#place = place;
    const { type } = wire;
    this.#member = typeof type === "string" && Object.hasOwn(contentMembers, type) ? contentMembers[type] : undefined;
    this.#isCall = isCallType(type);
    if (this.#member) {
      const { [this.#member]: list, ...others } = wire;
      this.#wire = Array.isArray(list) ? others : wire;
      for (const content of Array.isArray(list) ? (list as readonly Json[]) : []) this.#content(content, events); // a list of JSON
      if (Array.isArray(list) && list.length === 0) this.#wire = wire;
    } else this.#wire = wire;
    if (this.#isCall) this.#announceCall(events);
  }

  /** The last part that is out. */
  get last(): Part | undefined {
    return [...this.#told.values()].at(-1)?.part;
  }

  #at(number: number): At {
    return { message: this.#place.message, part: number };
  }

  #placed(part: Part, number: number): Placed {
    const { ordinal, before, isUsers } = this.#place;
    const last = number === 0 ? before : this.#told.get(placeOf(ordinal, number - 1))?.part;
    return { place: placeOf(ordinal, number), part: isUsers ? part : withStep(part, number, last) };
  }

  /** Arguments come later. */
  #announceCall(events: Event[]): void {
    const { arguments: _, signature, ...wire } = this.#wire;
    const sealed = typeof signature === "string" && signature !== "" ? { signature } : {};
    const [part] = this.#read({ ...wire, ...sealed, arguments: {} }, new Calls()).parts;
    if (part?.type !== "tool-call") return;
    const { input: __, ...value } = part;
    this.#start(value, 0, events);
  }

  #read(wire: JsonObject, calls: Calls): ReadStep {
    const { ordinal, scope } = this.#place;
    const silent = { ...scope, calls, issue: () => undefined };
    return readStep(wire, ordinal, [], silent);
  }

  #start(part: Part, number: number, events: Event[]): void {
    const { place, part: value } = this.#placed(part, number);
    this.#told.set(place, { part: value, isOpen: true, citations: 0 });
    events.push({ type: "part-start", value, ...this.#at(place) });
  }

  #say(number: number, of: DeltaOf, text: string, events: Event[]): void {
    const place = placeOf(this.#place.ordinal, number);
    if (text !== "" && this.#told.has(place)) events.push({ type: "part-delta", of, text, ...this.#at(place) });
  }

  /** False where the step does not know such a delta. */
  delta(delta: JsonObject, events: Event[]): boolean {
    const { type, ...members } = delta;
    const { signature } = delta;
    // "" says that there is none.
    const isSigned = signature !== "" || this.#wire["signature"] === undefined;
    if (typeof signature === "string" && isSigned) this.#wire = { ...this.#wire, signature };
    if (type === "arguments_delta") return this.#arguments(members, events);
    if (type === "thought_signature" || (type === undefined && typeof signature === "string")) return true;
    if (this.#member === "summary" && type === "thought_summary") {
      this.#content(delta["content"], events);
      return true;
    }
    if (this.#member === "content" && (type === "text_annotation_delta" || type === "text_annotation")) {
      return this.#annotate(delta["annotations"]);
    }
    if (this.#member === "content" && isContent(delta)) {
      this.#content(delta, events);
      return true;
    }
    if (this.#member) return false;
    return this.#merge(members, type === this.#wire["type"] || !this.#isKnown());
  }

  #isKnown(): boolean {
    const [part] = this.#read(this.#wire, new Calls()).parts;
    return part?.type !== "opaque";
  }

  /** Deltas of calls and results say members of their step as a whole. */
  #merge(members: JsonObject, isOfStep: boolean): boolean {
    if (!isOfStep) return false;
    const kept: MutableJsonObject = { ...this.#wire };
    for (const [name, value] of Object.entries(members)) {
      const isNothing = value === null || value === "";
      if (!(isNothing && Object.hasOwn(kept, name))) kept[name] = value;
    }
    this.#wire = kept;
    return true;
  }

  #arguments(members: JsonObject, events: Event[]): boolean {
    const { arguments: args, partial_arguments: partial } = members;
    const text = args ?? partial;
    if (!this.#isCall) return false;
    if (isJsonObject(text)) this.#wire = { ...this.#wire, arguments: text };
    if (typeof text !== "string" || text === "") return true;
    this.#texts.push(text);
    this.#say(0, "tool-call", text, events);
    return true;
  }

  /** A text continues the one before it; anything else is a content by itself. */
  #content(wire: Json | undefined, events: Event[]): void {
    const content = asObject(wire);
    const { text, annotations, ...others } = content;
    const isText = content["type"] === "text" && typeof text === "string";
    const last = this.#contents.at(-1);
    const number = this.#contents.length;
    if (isText && last?.isText) Object.assign(last.members, others);
    else {
      this.#close(number - 1, events);
      const members = isText ? { ...others } : { ...(isJsonObject(wire) ? content : { wire: wire ?? null }) };
      this.#contents.push({ members, texts: [], annotations: undefined, isText });
      const part = this.#partOf(isText ? { ...others, text: "" } : (wire ?? null));
      if (isText) this.#start(part, number, events);
      else {
        const { place, part: value } = this.#placed(part, number);
        this.#told.set(place, { part: value, isOpen: false, citations: 0 });
        events.push({ type: "part", value, ...this.#at(place) });
      }
    }
    if (!isText) return;
    if (text !== "") this.#contents.at(-1)?.texts.push(text);
    this.#say(this.#contents.length - 1, this.#member === "summary" ? "reasoning" : "text", text, events);
    this.#annotate(annotations);
  }

  /** A content that another follows is over, with all that was said of it. */
  #close(number: number, events: Event[]): void {
    const content = this.#contents[number];
    if (!content?.isText) return;
    const placed = this.#placed(this.#partOf(contentOf(content)), number);
    this.complete(placed, events);
    const told = this.#told.get(placed.place);
    if (told?.isOpen) events.push({ type: "part-end", ...this.#at(placed.place) });
    if (told) told.isOpen = false;
  }

  /** The content as its step would hold it. */
  #partOf(content: Json): Part {
    const member = this.#member ?? "content";
    const { type } = this.#wire;
    const holder = { type: type === "user_input" ? "model_output" : (type ?? null), [member]: [content] };
    const [part] = this.#read(holder, new Calls()).parts;
    return part ?? readContent(content, [], { issue: () => undefined });
  }

  /** As a text grows some are told again. */
  #annotate(list: Json | undefined): boolean {
    if (!Array.isArray(list)) return list === undefined;
    const content = this.#contents.at(-1);
    if (!content?.isText) return false;
    content.annotations ??= [];
    for (const each of list as readonly Json[]) {
      // a list of JSON
      const key = `${this.#contents.length}${JSON.stringify(each)}`;
      if (this.#cited.has(key)) continue;
      this.#cited.add(key);
      content.annotations.push(each);
    }
    return true;
  }

  /** The step as it would stand in an answer. */
  get wire(): JsonObject {
    if (this.#member) {
      if (this.#contents.length === 0) return this.#wire;
      const contents = this.#contents.map(contentOf);
      return { ...this.#wire, [this.#member]: contents };
    }
    if (this.#texts.length === 0) return this.#wire;
    return { ...this.#wire, arguments: objectOf(this.#texts.join("")) };
  }

  /** The step is over: it is read as any other, and what that says more is sent (E3). */
  stop(events: Event[]): void {
    if (!this.isOpen) return;
    this.isOpen = false;
    this.#settle(events, true);
  }

  /** The stream breaks off: what has no mark of its own yet goes out as far as it came. */
  cut(events: Event[]): void {
    if (this.isOpen && !(this.#isCall && this.#told.size > 0)) this.#settle(events, false);
  }

  #settle(events: Event[], isOver: boolean): void {
    if (this.#isCall && isOver && this.#texts.length === 0) {
      const { arguments: args } = this.#wire;
      const text = typeof args === "string" ? args : stringifyJson(args, this.#place.exact);
      if (text !== undefined) this.#say(0, "tool-call", text, events);
    }
    const { parts } = this.#read(this.wire, this.#place.scope.calls);
    for (const [number, part] of parts.entries()) this.complete(this.#placed(part, number), events, isOver);
    if (!isOver) return;
    for (const [number, told] of this.#told) {
      if (told.isOpen) events.push({ type: "part-end", ...this.#at(number) });
      told.isOpen = false;
    }
  }

  /** Sends what a part says beyond what is out of it. */
  complete({ place, part }: Placed, events: Event[], isOver = true): void {
    const told = this.#told.get(place);
    const at = this.#at(place);
    const whole: Part = isOver ? part : { ...part, partial: true };
    const set = told && changes(told, part);
    if (!told || !set) {
      if (told && equalJson(told.part as unknown as Json, part as unknown as Json)) return; // parts are JSON
      this.#told.set(place, { part, isOpen: false, citations: 0 });
      events.push({ type: "part", value: whole, ...at });
      return;
    }
    if (part.type === "text") {
      const { citations = [] } = part;
      if (part.citations?.length === 0) events.push({ type: "part-set", set: { citations: [] }, ...at });
      for (const citation of citations.slice(told.citations)) events.push({ type: "citation", citation, ...at });
      told.citations = citations.length;
    }
    if (Object.keys(set).length > 0) events.push({ type: "part-set", set, ...at });
    this.#told.set(place, { ...told, part: { ...told.part, ...set } as Part }); // members of the part
  }
}

function contentOf({ members, texts, annotations, isText }: LiveContent): Json {
  if (!isText) return Object.hasOwn(members, "wire") && !isContent(members) ? (members["wire"] ?? null) : members;
  return { ...members, text: texts.join(""), ...(annotations && { annotations }) };
}

/** Arguments are an object; a text that is none stays a text. */
function objectOf(text: string): Json {
  try {
    const { value } = parseJson(text);
    return isJsonObject(value) ? value : text;
  } catch {
    return text;
  }
}

/** Members that deltas say. */
const spoken: ReadonlySet<string> = new Set(["text", "citations", "input", "inputText", "exact"]);

/** Members that are new or other; undefined where no event can say the difference. */
function changes({ part: before }: Told, after: Part): PartMembers | undefined {
  const isStreamed = before.type === "text" || before.type === "reasoning" || before.type === "tool-call";
  return isStreamed ? changedPart(withoutSpoken(before), withoutSpoken(after), spoken) : undefined;
}

const withoutSpoken = (part: Part): Part =>
  Object.fromEntries(Object.entries(part).filter(([key]) => !spoken.has(key))) as unknown as Part; // compared only
