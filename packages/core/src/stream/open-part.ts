import type { PartMembers } from "../model/events.ts";
import type { Citation, Part, PartOf } from "../model/parts.ts";
import { type CallInput, OpenInput, writeInput } from "./input.ts";
import { mergeMembers } from "./merge.ts";

/** Parts whose text may come in deltas. */
const textOwners: ReadonlySet<string> = new Set(["text", "reasoning", "refusal", "tool-call", "tool-result"]);

interface OpenPartOptions {
  readonly isOpen: boolean;
  /** The value of a call's arguments is there while their text comes. */
  readonly liveInput: boolean;
}

/** A part while events of it come. Nothing in it grows by copying; the part itself is made when it is read. */
export class OpenPart {
  readonly number: number;
  /** Whether deltas may come for it. */
  readonly ownsText: boolean;
  /** Its place in the message's list, once it was read. */
  index = -1;
  isChanged = false;
  nextChanged: OpenPart | undefined = undefined;
  /** Started and not ended. */
  isOpen: boolean;
  readonly #isStarted: boolean;
  readonly #liveInput: boolean;
  /** The members; where text came in deltas, without it. */
  #value: Part;
  /** The text so far, once a delta came: the part's own, or the one that ends a result's output. */
  #text: string | undefined = undefined;
  /** A call's arguments, once a delta came. */
  #input: OpenInput | undefined = undefined;
  #given: CallInput = {};
  #citations: Citation[] | undefined = undefined;
  #hasNewCitations = false;

  constructor(number: number, value: Part, options: OpenPartOptions) {
    this.number = number;
    this.ownsText = textOwners.has(value.type);
    this.isOpen = options.isOpen;
    this.#isStarted = options.isOpen;
    this.#liveInput = options.liveInput;
    this.#value = options.isOpen ? { ...value, partial: true } : value;
  }

  get type(): Part["type"] {
    return this.#value.type;
  }

  /** Whether it reads otherwise once its message is over. */
  get awaitsEnd(): boolean {
    return this.isOpen && this.#input !== undefined;
  }

  /** Only for a part that owns text. */
  append(delta: string): void {
    if (this.#text !== undefined) this.#text += delta;
    else if (this.#input !== undefined) this.#input.append(delta);
    else this.#begin(delta);
  }

  /** The first delta: what the part holds of its text is what the others continue. */
  #begin(delta: string): void {
    const value = this.#value;
    switch (value.type) {
      case "text":
      case "reasoning":
      case "refusal":
        this.#text = orEmpty(value.text) + delta;
        break;
      case "tool-call": {
        // The deltas of a started call are its whole text, whatever stood at its start; a call that came whole is continued.
        const before = this.#isStarted ? value.inputText : writeInput(value);
        const { input: _, inputText: __, ...others } = value;
        this.#value = others;
        this.#input = new OpenInput(orEmpty(before) + delta, this.#given, this.#liveInput);
        break;
      }
      case "tool-result":
        this.#text = orEmpty(lastText(value)?.text) + delta;
        break;
    }
  }

  /** Only for a text part. */
  cite(citation: Citation): void {
    if (this.#citations === undefined) {
      const own = this.#value.type === "text" ? this.#value.citations : undefined;
      this.#citations = Array.isArray(own) ? [...own] : [];
    }
    this.#citations.push(citation);
    this.#hasNewCitations = true;
  }

  set(members: PartMembers): void {
    if ("input" in members || "inputText" in members) this.#give(members);
    else this.#value = mergeMembers(this.#value, members);
    // A whole list stands over what came of it before.
    if ("citations" in members && members.citations !== undefined) {
      this.#citations = undefined;
      this.#hasNewCitations = false;
    }
    if ("output" in members && members.output !== undefined) this.#text = undefined;
  }

  /** Arguments given as such win over the text, whichever comes first. */
  #give(members: CallInput & object): void {
    const { input, inputText, ...others } = members;
    const given = { ...(input !== undefined && { input }), ...(inputText !== undefined && { inputText }) };
    this.#given = { ...this.#given, ...given };
    this.#value = mergeMembers(this.#value, this.#input === undefined ? members : others);
    this.#input?.give(this.#given);
  }

  end(): void {
    this.isOpen = false;
    const { partial: _, ...whole } = this.#value;
    this.#value = whole;
  }

  /** The part now. `isOver`: its message expects no more, so a call's arguments are read as what they are. */
  read(isOver: boolean): Part {
    if (this.#hasNewCitations) {
      this.#value = mergeMembers(this.#value, { citations: this.#citations?.slice() });
      this.#hasNewCitations = false;
    }
    const value = this.#value;
    if (value.type === "tool-call" && this.#input !== undefined) {
      return isOver || !this.isOpen ? this.#input.whole(value) : this.#input.soFar(value);
    }
    if (this.#text === undefined) return value;
    if (value.type === "tool-result") return { ...value, output: outputWith(value, this.#text) };
    if (value.type === "text" || value.type === "reasoning" || value.type === "refusal") {
      return { ...value, text: this.#text };
    }
    return value;
  }
}

/** An event may come from anywhere: what should be a text may be no string. */
const orEmpty = (text: unknown): string => (typeof text === "string" ? text : "");

function lastText(result: PartOf<"tool-result">): PartOf<"text"> | undefined {
  const last = Array.isArray(result.output) ? result.output.at(-1) : undefined;
  return last?.type === "text" ? last : undefined;
}

/** The output with this text as the one that ends it. */
function outputWith(result: PartOf<"tool-result">, text: string): readonly Part[] {
  const last = lastText(result);
  const others = Array.isArray(result.output) ? result.output : [];
  return last ? [...others.slice(0, -1), { ...last, text }] : [...others, { type: "text", text }];
}
