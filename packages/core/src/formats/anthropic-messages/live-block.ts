import { readCitation } from "../../blocks/anthropic/citations.ts";
import { anthropic, type ReadScope } from "../../blocks/anthropic/node.ts";
import { readBlock } from "../../blocks/anthropic/reading.ts";
import { rowOf } from "../../codec/reader.ts";
import type { At, DeltaOf, Event } from "../../model/events.ts";
import { equalJson, isJsonObject, type Json, type JsonObject } from "../../model/json.ts";
import { type ExactText, stringifyJson } from "../../model/json-text.ts";
import type { Part } from "../../model/parts.ts";
import { changedPart } from "../../stream/changed-members.ts";

/** How a type of block streams: what its text is in the block, and which part's deltas it makes. */
interface Streamed {
  readonly member: string;
  readonly of: DeltaOf;
  /** What may still come, as it is where it does not. */
  readonly empty: JsonObject;
}

const call: Streamed = { member: "input", of: "tool-call", empty: { input: {} } };
const streamed: { readonly [type: string]: Streamed } = {
  text: { member: "text", of: "text", empty: { text: "" } },
  thinking: { member: "thinking", of: "reasoning", empty: { thinking: "", signature: "" } },
  tool_use: call,
  server_tool_use: call,
  mcp_tool_use: call,
};

/** The members of deltas that hold text, and the type of the block that they are of. */
const texts: { readonly [delta: string]: { readonly member: string; readonly of: DeltaOf; readonly block?: string } } =
  {
    text_delta: { member: "text", of: "text", block: "text" },
    thinking_delta: { member: "thinking", of: "reasoning", block: "thinking" },
    input_json_delta: { member: "partial_json", of: "tool-call" },
  };

/** The block that a delta is of, where none was announced. */
export const blockOf = (delta: JsonObject): JsonObject | undefined => {
  const { type } = delta;
  const block = typeof type === "string" ? rowOf(texts, type)?.block : undefined;
  return block === undefined ? undefined : { type: block, ...streamed[block]?.empty };
};

interface BlockPlace {
  readonly at: At;
  readonly made: string;
  readonly scope: ReadScope;
  /** The spelling of what came. */
  readonly exact: ExactText | undefined;
}

/** A block while it comes: its part, and what was said of it. */
export class LiveBlock {
  readonly #place: BlockPlace;
  /** As it was announced, with what came beside its text. */
  #wire: JsonObject;
  readonly #form: Streamed | undefined;
  readonly #pieces: string[] = [];
  readonly #citations: Json[] = [];
  /** As whoever heard the events has it, but for the text. Undefined: nothing is out. */
  #told: Part | undefined;
  isOpen = true;

  constructor(wire: JsonObject, place: BlockPlace) {
    this.#wire = wire;
    this.#place = place;
    this.#form = typeof wire["type"] === "string" ? rowOf(streamed, wire["type"]) : undefined;
  }

  #read(wire: JsonObject): Part {
    const { scope, made, at } = this.#place;
    return readBlock(wire, { path: ["content", at.part], made }, scope);
  }

  start(events: Event[]): void {
    const form = this.#form;
    if (form === undefined) {
      if (this.#wire["type"] === "compaction") return; // its content comes later, as one
      this.#told = this.#read(this.#wire);
      events.push({ type: "part", value: this.#told, ...this.#place.at });
      return;
    }
    const part = this.#read({ ...this.#wire, ...form.empty });
    if (part.type !== form.of) return; // not of the form that its type promises: known at its end
    this.#told = unsigned(withoutInput(part));
    events.push({ type: "part-start", value: this.#told, ...this.#place.at });
    const given = this.#wire[form.member];
    if (typeof given === "string" && form.of !== "tool-call") this.#add(given, events);
  }

  #add(text: string, events: Event[]): void {
    const form = this.#form;
    if (text === "" || !form || !this.#told) return;
    this.#pieces.push(text);
    events.push({ type: "part-delta", of: form.of, text, ...this.#place.at });
  }

  /** False where the block does not know such a delta. */
  delta(delta: JsonObject, events: Event[]): boolean {
    const { type } = delta;
    const row = typeof type === "string" ? rowOf(texts, type) : undefined;
    if (row) {
      const text = delta[row.member];
      if (row.of !== this.#form?.of || typeof text !== "string" || !this.#told) return false;
      this.#add(text, events);
      return true;
    }
    if (type === "citations_delta") return this.#cite(delta["citation"], events);
    if (type === "signature_delta" && this.#form?.of === "reasoning") {
      this.#wire = { ...this.#wire, signature: delta["signature"] ?? "" };
      return true;
    }
    if (type === "compaction_delta" && this.#wire["type"] === "compaction") {
      const { type: _, ...members } = delta;
      this.#wire = { ...this.#wire, ...members };
      return true;
    }
    return false;
  }

  #cite(wire: Json | undefined, events: Event[]): boolean {
    if (!isJsonObject(wire) || this.#told?.type !== "text") return false;
    this.#citations.push(wire);
    events.push({ type: "citation", citation: readCitation(wire, this.#place.scope), ...this.#place.at });
    return true;
  }

  /** The block is over: it is read as any other, and what that says more is sent (E3). */
  stop(events: Event[]): void {
    if (!this.isOpen) return;
    this.isOpen = false;
    const { at } = this.#place;
    const form = this.#form;
    const told = this.#told;
    if (!form || !told) {
      const whole = this.#read(this.#wire);
      if (!equalJson(whole, told)) events.push({ type: "part", value: whole, ...at });
      return;
    }
    const whole = form.of === "tool-call" ? this.#wholeCall(events) : this.#read(this.#whole(form));
    const set = changedPart(told, whole, this.#citations.length > 0 ? said : spoken);
    if (!set) {
      events.push({ type: "part", value: whole, ...at });
      return;
    }
    if (Object.keys(set).length > 0) events.push({ type: "part-set", set, ...at });
    events.push({ type: "part-end", ...at });
  }

  #whole({ member }: Streamed): JsonObject {
    const { citations } = this.#wire;
    const given = Array.isArray(citations) ? citations : [];
    return {
      ...(member === "thinking" && { signature: "" }), // hosts that sign nothing leave it out
      ...this.#wire,
      [member]: this.#pieces.join(""),
      ...(this.#citations.length > 0 && { citations: [...given, ...this.#citations] }),
    };
  }

  /** Arguments that came with the announcement are deltas too, so that nobody needs another source (E1). */
  #wholeCall(events: Event[]): Part {
    const { input } = this.#wire;
    if (this.#pieces.length > 0) return withoutInput(this.#read({ ...this.#wire, input: {} }));
    if (isJsonObject(input)) this.#add(stringifyJson(input, this.#place.exact), events);
    const whole = this.#read(this.#wire);
    return isJsonObject(input) ? withoutInput(whole) : whole;
  }
}

function withoutInput(part: Part): Part {
  if (part.type !== "tool-call") return part;
  const { input: _, ...others } = part;
  return others;
}

/** Members that deltas say. */
const spoken: ReadonlySet<string> = new Set(["text"]);
const said: ReadonlySet<string> = new Set(["text", "citations"]);

/** The signature comes last: that there is none is known at the end only. */
function unsigned(part: Part): Part {
  const { [anthropic]: own, ...families } = part.native ?? {};
  if (own?.["$signature"] !== "") return part;
  const { $signature: _, ...others } = own;
  const native = Object.keys(others).length > 0 ? { ...families, [anthropic]: others } : families;
  const { native: __, ...bare } = part;
  return Object.keys(native).length > 0 ? { ...part, native } : (bare as Part); // a part without a member that all may lack
}
