import { jsonTextOf } from "../model/exact.ts";
import { equalJson, type Json } from "../model/json.ts";
import { maxDepth, parseJson } from "../model/json-reader.ts";
import type { Part, PartOf, ToolCallPart } from "../model/parts.ts";
import { type PartialJson, partialJson } from "./partial-json.ts";

/** A call's arguments in the model's form (R7): `inputText` only where the text does not parse or is not `JSON.stringify(input)`. */
export interface CallInput {
  readonly input?: Json;
  readonly inputText?: string;
}

/**
 * Arguments carried as text → `input` and `inputText` (R7). A custom tool's input is the text itself. No text = no
 * arguments; blank text does not parse, nor does text deeper than `maxDepth`.
 */
export function readInput(text: string, kind?: string): CallInput {
  if (text === "") return {};
  if (kind === "custom") return { input: text };
  // A text this short is not too deep, and one that JavaScript writes the same has no other spelling.
  const plain = text.length <= maxDepth ? readPlain(text) : undefined;
  if (plain !== undefined) return { input: plain };
  let input: Json;
  try {
    input = parseJson(text).value;
  } catch {
    return { inputText: text };
  }
  return withText(input, text);
}

/** Undefined where it cannot be read, or is another text once written again. */
function readPlain(text: string): Json | undefined {
  try {
    const input = JSON.parse(text) as Json; // JSON.parse gives JSON
    return JSON.stringify(input) === text ? input : undefined;
  } catch {
    return undefined;
  }
}

const withText = (input: Json, text: string): CallInput =>
  JSON.stringify(input) === text ? { input } : { input, inputText: text };

/** Whether the text has a key twice in one object: of such keys the value has the last alone. */
export function repeatsKeys(text: string, input: Json): boolean {
  const written = text.replace(/"(?:[^"\\]|\\.)*"/gs, "").split(":").length - 1;
  return written > countMembers(input);
}

const countMembers = (value: Json): number => {
  if (typeof value !== "object" || value === null) return 0;
  const inner = Object.values(value) as readonly Json[]; // items of JSON
  return inner.reduce<number>((sum, each) => sum + countMembers(each), Array.isArray(value) ? 0 : inner.length);
};

/** The text of a call's arguments, which `readInput` reads; "" = none, undefined where they cannot be written as text. */
export function writeInput(call: CallInput & Pick<ToolCallPart, "kind" | "exact">): string | undefined {
  const { input, inputText, kind } = call;
  if (inputText !== undefined) return inputText;
  if (input === undefined) return "";
  if (kind === "custom") return typeof input === "string" ? input : undefined;
  try {
    return call.exact === undefined ? JSON.stringify(input) : jsonTextOf(call, "input");
  } catch {
    return undefined; // nested deeper than the engine writes
  }
}

/** A call's arguments while their text comes. */
export class OpenInput {
  #text: string;
  #given: CallInput;
  readonly #json: PartialJson | undefined;
  #read: CallInput | undefined = undefined;
  #readAs: string | undefined = undefined;

  /** `given`: arguments that an event gave as such; they win over the text. */
  constructor(text: string, given: CallInput, isLive: boolean) {
    this.#text = text;
    this.#given = given;
    this.#json = isLive ? partialJson() : undefined;
    this.#json?.push(text);
  }

  append(delta: string): void {
    this.#text += delta;
    this.#read = undefined;
    if (this.#json !== undefined) this.#json.push(delta);
  }

  give(given: CallInput): void {
    this.#given = given;
    this.#read = undefined;
  }

  /** The call while the text comes: as it is, with the value it has so far. */
  soFar(call: PartOf<"tool-call">): Part {
    const { input, inputText } = this.#given;
    if (input !== undefined || inputText !== undefined) return { ...call, ...this.#given };
    if (this.#text === "") return call;
    if (call.kind === "custom") return { ...call, input: this.#text };
    const live = this.#json?.value;
    if (live === undefined) return { ...call, inputText: this.#text };
    return { ...call, input: live, inputText: this.#text };
  }

  /** The call once no more is expected. */
  whole(call: PartOf<"tool-call">): Part {
    if (this.#read === undefined || this.#readAs !== call.kind) {
      this.#read = this.#readWhole(call.kind);
      this.#readAs = call.kind;
    }
    return { ...call, ...this.#read };
  }

  #readWhole(kind: string | undefined): CallInput {
    const { input, inputText } = this.#given;
    if (input !== undefined && inputText !== undefined) return this.#given;
    const read = inputText === undefined ? this.#readText(kind) : readInput(inputText, kind);
    if (input === undefined) return read;
    // The text stays beside the input only while it reads as it (R1).
    const reads = read.inputText !== undefined && read.input !== undefined && equalJson(read.input, input);
    return reads ? { input, inputText: read.inputText } : { input };
  }

  /** What was read while it came is not read again. A number could still grow, so only containers count. */
  #readText(kind: string | undefined): CallInput {
    const live = this.#json?.state === "complete" ? this.#json.value : undefined;
    const isSame = kind !== "custom" && typeof live === "object" && live !== null;
    if (!isSame) return readInput(this.#text, kind);
    return this.#json?.isPlain ? { input: live } : withText(live, this.#text);
  }
}
