/** A message of the assistant while the AI SDK's parts of it come: its texts and calls, and where its results go. */

import { defined } from "../../codec/reader.ts";
import type { Event, MessageHead, PartMembers } from "../../model/events.ts";
import { equalJson, type Json, type JsonObject } from "../../model/json.ts";
import type { Part, ToolCallPart } from "../../model/parts.ts";
import { readInput } from "../../stream/input.ts";
import { mergeMembers } from "../../stream/merge.ts";
import { type AnswerPlace, answerNative } from "./answer.ts";
import { decodeContent, decodeOpenCall } from "./content.ts";
import { ownOf, sharedOf } from "./model-part.ts";
import { isHidden } from "./texts.ts";

export type TextType = "text" | "reasoning";

interface OpenText {
  readonly part: number;
  value: Extract<Part, { type: TextType }>;
  hasText: boolean;
}

interface OpenCall {
  readonly part: number;
  value: ToolCallPart;
  readonly pieces: string[];
}

/** The message of the tools of a step. */
export interface ToolsMessage {
  readonly message: number;
  parts: number;
  /** Preliminary results, by their call. */
  readonly places: Map<string, number>;
}

interface StepReading extends AnswerPlace {
  readonly events: (...events: readonly Event[]) => void;
  readonly issue: (code: string, message: string) => void;
}

export class Step {
  readonly message: number;
  head: MessageHead = { role: "assistant" };
  tools: ToolsMessage | undefined;
  readonly #reading: StepReading;
  #parts = 0;
  readonly #texts = new Map<string, OpenText>();
  readonly #calls = new Map<string, OpenCall>();
  /** The call whose arguments ended last, while nothing has come since. */
  #typed: OpenCall | undefined;

  constructor(message: number, reading: StepReading) {
    this.message = message;
    this.#reading = reading;
  }

  add(value: Part): void {
    this.#reading.events({ type: "part", message: this.message, part: this.#parts++, value });
  }

  // texts

  startText(type: TextType, { id, ...chunk }: JsonObject): void {
    const part = this.#parts++;
    const value = this.#textValue(type, chunk);
    if (typeof id === "string") this.#texts.set(`${type} ${id}`, { part, value, hasText: false });
    this.#reading.events({ type: "part-start", message: this.message, part, value });
  }

  #textValue(type: TextType, chunk: JsonObject): OpenText["value"] {
    // A start promises text: what turns out to be hidden is replaced at the end (E2).
    const { part } = decodeContent({ ...chunk, type, text: "…" }, this.#reading);
    return { ...(part as OpenText["value"]), text: "" }; // a text was given
  }

  #text(type: TextType, id: Json | undefined): OpenText | undefined {
    const text = typeof id === "string" ? this.#texts.get(`${type} ${id}`) : undefined;
    if (!text) this.#reading.issue("unknown-text", `no \`${type}\` of this id is open`);
    return text;
  }

  appendText(type: TextType, { id, delta, text: given, type: _, ...chunk }: JsonObject): void {
    const text = this.#text(type, id);
    if (!text) return;
    if (Object.keys(chunk).length > 0) this.#setText(text, this.#textValue(type, chunk));
    const said = typeof delta === "string" ? delta : given;
    if (typeof said !== "string" || said === "") return;
    text.hasText = true;
    this.#reading.events({ type: "part-delta", message: this.message, part: text.part, of: type, text: said });
  }

  endText(type: TextType, { id, ...chunk }: JsonObject): void {
    const text = this.#text(type, id);
    if (!text) return;
    this.#texts.delete(`${type} ${String(id)}`); // it was found by it
    const at = { message: this.message, part: text.part };
    const value = this.#textValue(type, chunk);
    const citations = value.type === "text" ? (value.citations ?? []) : [];
    for (const citation of citations) this.#reading.events({ type: "citation", ...at, citation });
    this.#setText(text, value);
    const hidden = hiddenOf(text);
    this.#reading.events(hidden ? { type: "part", ...at, value: hidden } : { type: "part-end", ...at });
  }

  /** Members that came with a later word. */
  #setText(text: OpenText, value: OpenText["value"]): void {
    const { type: _, text: __, ...members } = value;
    // Citations come one by one; none at all is told as such.
    const { citations, ...others } = members as { readonly citations?: readonly unknown[] };
    const set = changed(text.value, citations?.length === 0 ? { ...others, citations } : others);
    if (Object.keys(set).length === 0) return;
    text.value = mergeMembers(text.value, set);
    this.#reading.events({ type: "part-set", message: this.message, part: text.part, set });
  }

  /** Reasoning that was cut may be hidden too. */
  cut(): void {
    this.settle();
    for (const text of this.#texts.values()) {
      const hidden = hiddenOf(text);
      if (!hidden) continue;
      const value = { ...hidden, partial: true } as const;
      this.#reading.events({ type: "part", message: this.message, part: text.part, value });
    }
    this.#texts.clear();
  }

  // calls

  startCall({ id, ...chunk }: JsonObject): void {
    const value = decodeOpenCall({ ...chunk, toolCallId: id ?? null });
    if (!value) {
      this.#reading.issue("malformed-part", "a call begins with its id and the name of its tool");
      return;
    }
    const part = this.#parts++;
    this.#calls.set(value.callId, { part, value, pieces: [] });
    this.#reading.events({ type: "part-start", message: this.message, part, value });
  }

  #openCall(id: Json | undefined): OpenCall | undefined {
    const call = typeof id === "string" ? this.#calls.get(id) : undefined;
    if (!call) this.#reading.issue("unknown-call", "no call of this id is open");
    return call;
  }

  appendInput({ id, delta, type: _, ...chunk }: JsonObject): void {
    const call = this.#openCall(id);
    if (!call) return;
    if (Object.keys(chunk).length > 0) this.#setFrom(call, chunk);
    if (typeof delta !== "string" || delta === "") return;
    call.pieces.push(delta);
    this.#reading.events({ type: "part-delta", message: this.message, part: call.part, of: "tool-call", text: delta });
  }

  endInput({ id, ...chunk }: JsonObject): void {
    const call = this.#openCall(id);
    if (!call) return;
    this.#setFrom(call, chunk);
    this.#typed = call;
  }

  /** Arguments that ended without their call behind them: said in a hint, for the call may never come. */
  settle(next?: JsonObject): void {
    const call = this.#typed;
    this.#typed = undefined;
    if (!call || (next?.["type"] === "tool-call" && next["toolCallId"] === call.value.callId)) return;
    this.#setCall(call, mergeMembers(call.value, answerNative(undefined, { $typed: true })));
  }

  #setFrom(call: OpenCall, chunk: JsonObject): void {
    const { callId: toolCallId, name: toolName } = call.value;
    const value = decodeOpenCall({ ...chunk, toolCallId, toolName });
    if (value) this.#setCall(call, value);
  }

  #setCall(call: OpenCall, value: ToolCallPart): void {
    const { type: _, input: __, inputText: ___, ...members } = value;
    const set = changed(call.value, members);
    if (Object.keys(set).length === 0) return;
    call.value = mergeMembers(call.value, set);
    this.#reading.events({ type: "part-set", message: this.message, part: call.part, set });
  }

  /** A call is whole once it is told as such; its text then need not be read again. Gives the call, if it is one. */
  call(chunk: JsonObject): ToolCallPart | undefined {
    const { part: value, isKnown } = this.#wholeCall(chunk);
    if (!isKnown || value.type !== "tool-call") {
      this.add(value);
      return undefined;
    }
    const open = this.#calls.get(value.callId);
    this.#calls.delete(value.callId);
    if (!open) {
      this.add(value);
      return value;
    }
    const at = { message: this.message, part: open.part };
    if (!this.#isSame(open.pieces, chunk["input"])) {
      // What only its start says stays.
      const { title, native } = open.value;
      const whole = mergeMembers(value, defined<PartMembers>({ title, native }));
      this.#reading.events({ type: "part", ...at, value: whole });
      return whole;
    }
    this.#setCall(open, value);
    this.#reading.events({ type: "part-end", ...at });
    return value;
  }

  /** A call that began as one of a known tool stays so, even if the SDK calls it dynamic once its arguments were refused. */
  #wholeCall({ dynamic, ...chunk }: JsonObject): ReturnType<typeof decodeContent> {
    const id = chunk["toolCallId"];
    const open = typeof id === "string" ? this.#calls.get(id) : undefined;
    const isStatic = dynamic === true && open !== undefined && ownOf(open.value)["$dynamic"] === false;
    const said = dynamic === undefined || isStatic ? chunk : { ...chunk, dynamic };
    const { part, isKnown } = decodeContent(said, this.#reading);
    if (isStatic) return { part: mergeMembers(part, answerNative({ dynamic }, {})), isKnown };
    const isOnlyStart = dynamic !== true && open !== undefined && sharedOf(open.value)["$dynamic"] === true;
    return { part: isOnlyStart ? mergeMembers(part, answerNative(undefined, { $dynamic: "start" })) : part, isKnown };
  }

  #isSame(pieces: readonly string[], input: Json | undefined): boolean {
    const text = pieces.join("");
    if (this.#reading.answer === "answer") return text === input;
    const read = readInput(text);
    return input !== undefined && (read.input === undefined ? read.inputText === input : equalJson(read.input, input));
  }
}

/** The reasoning without its text, where nobody may see it. */
function hiddenOf({ value, hasText }: OpenText): Part | undefined {
  if (hasText || value.type !== "reasoning" || !isHidden(value, "")) return undefined;
  const { text: _, summary: __, ...hidden } = value;
  return hidden;
}

/** Members of the second that the first does not have so. */
function changed(known: object, members: object): PartMembers {
  const before = known as JsonObject; // parts are JSON
  const set = Object.entries(members as JsonObject).filter(([key, value]) => !equalJson(before[key], value));
  return Object.fromEntries(set) as PartMembers; // members of a part
}
