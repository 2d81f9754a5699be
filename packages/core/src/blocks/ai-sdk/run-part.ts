/** One part of an answer while its events come, as the parts that the AI SDK streams of it. */

import type { PartMembers } from "../../model/events.ts";
import { isJsonObject, type Json, type JsonObject } from "../../model/json.ts";
import { inputTextOf } from "../../model/json-text.ts";
import type { Citation, Part, TextPart } from "../../model/parts.ts";
import { readInput, writeInput } from "../../stream/input.ts";
import { mergeMembers } from "../../stream/merge.ts";
import type { AnswerPlace } from "./answer.ts";
import { ownOf } from "./model-part.ts";
import type { LosePart } from "./part.ts";
import { citedSources } from "./sources.ts";
import { isHidden } from "./texts.ts";

interface PartStream extends AnswerPlace {
  readonly lose: LosePart;
  /** The stream's own id of a text. */
  readonly id: string;
  /** The part as it is told at once; undefined where there is no place for it. */
  readonly write: (part: Part) => Json | undefined;
}

export class StreamedPart {
  #value: Part;
  readonly #stream: PartStream;
  readonly #pieces: string[] = [];
  /** Those that the value began with or was given last, and those that came one by one since. */
  #citations: Citation[];
  /** Members that became known after the start was told. */
  #hasChanged = false;
  #hasText = false;
  /** Whether the start and the end of a call's arguments are told. */
  #isBegun = false;
  #isTyped = false;
  #state: "new" | "open" | "ended" = "new";

  constructor(value: Part, stream: PartStream) {
    this.#value = value;
    this.#citations = citationsIn(value);
    this.#stream = stream;
  }

  get value(): Part {
    return this.#value;
  }

  get isOpen(): boolean {
    return this.#state === "open";
  }

  /** Whether something of it was told. */
  get isOut(): boolean {
    return this.#state !== "new" && this.#value.type !== "tool-result";
  }

  get lose(): LosePart {
    return this.#stream.lose;
  }

  // in pieces

  start(): readonly Json[] {
    this.#state = "open";
    const { type } = this.#value;
    this.#isBegun = true;
    if (type === "tool-call") return [this.#inputStart(), ...this.#inputEnd()];
    return isSpoken(this.#value) ? [this.#textPiece("start", this.#written())] : [];
  }

  append(text: string): readonly Json[] {
    if (this.#state === "ended") {
      if (text !== "") this.lose("replaced");
      return [];
    }
    if (this.#value.type === "tool-call" || !isSpoken(this.#value)) this.#pieces.push(text);
    if (text === "") return [];
    if (this.#value.type === "tool-call") return [{ type: "tool-input-delta", id: this.#value.callId, delta: text }];
    return isSpoken(this.#value) ? [this.#delta(text)] : [];
  }

  cite(citation: Citation): void {
    this.#citations.push(citation);
    if (this.#state === "ended") this.lose("late-member", "citations");
  }

  set(members: PartMembers): readonly Json[] {
    if (this.#state === "ended") {
      for (const member of Object.keys(members)) this.lose("late-member", member);
      return [];
    }
    this.#value = mergeMembers(this.#value, members);
    if ("citations" in members) this.#citations = citationsIn(this.#value);
    this.#hasChanged = true;
    return this.isOpen ? this.#inputEnd() : [];
  }

  /** Takes the place of an open call whose arguments it says otherwise. */
  replaces(call: StreamedPart): readonly Json[] {
    this.#isBegun = call.#isBegun;
    return call.#isTyped || call.value.type !== "tool-call" ? [] : [{ type: "tool-input-end", id: call.value.callId }];
  }

  end(): readonly Json[] {
    if (this.#state === "ended") return [];
    this.#state = "ended";
    const value = this.#value;
    if (value.type === "tool-call") {
      const call = { ...value, ...this.#arguments(value) };
      this.#value = call;
      const end = this.#isTyped ? [] : [{ type: "tool-input-end", id: value.callId }];
      return [...end, ...this.#told(call)];
    }
    if (isSpoken(value)) return [this.#textEnd(), ...this.#cited()];
    return this.#told(this.#withText(value));
  }

  /** Arguments that an event gave as such win over their text. */
  #arguments(value: Part & { readonly type: "tool-call" }): object {
    const text = this.#pieces.join("");
    const read = readInput(text, value.kind);
    const { input, inputText } = value;
    return input === undefined && inputText === undefined ? read : {};
  }

  /** A result whose last text came in pieces. */
  #withText(value: Part): Part {
    const text = this.#pieces.join("");
    if (value.type !== "tool-result" || text === "") return value;
    const last = value.output?.at(-1);
    const said = last?.type === "text" ? { ...last, text: last.text + text } : ({ type: "text", text } as const);
    this.#value = {
      ...value,
      output: [...(value.output ?? []).slice(0, last?.type === "text" ? -1 : undefined), said],
    };
    return this.#value;
  }

  /** Whether a whole part says how the one that is open ends: reasoning that nobody may see. */
  canBecome(value: Part): boolean {
    return (
      this.isOpen &&
      !this.#hasText &&
      this.#value.type === "reasoning" &&
      value.type === "reasoning" &&
      value.text === undefined
    );
  }

  become(value: Part): readonly Json[] {
    this.#value = value;
    this.#hasChanged = true;
    return value.partial ? [] : this.end();
  }

  // at once

  whole(): readonly Json[] {
    this.#state = "ended";
    const value = this.#value;
    if (value.type === "tool-call" && value.partial) return this.#cutCall(value);
    if (value.type === "tool-call" && value.title !== undefined && !this.#isBegun) return this.#titledCall(value);
    if (!isSpoken(value)) return this.#told(value);
    const { text = "" } = value;
    const start = this.#textPiece("start", this.#written(value));
    const delta = text === "" ? [] : [this.#delta(text)];
    if (value.partial) return [start, ...delta];
    return [start, ...delta, this.#textEnd(), ...this.#cited()];
  }

  /** Only the start of a call says its title. */
  #titledCall(value: Part & { readonly type: "tool-call" }): readonly Json[] {
    const text = inputTextOf(value);
    const delta =
      text === undefined || text === "" ? [] : [{ type: "tool-input-delta", id: value.callId, delta: text }];
    return [this.#inputStart(), ...delta, { type: "tool-input-end", id: value.callId }, ...this.#told(value)];
  }

  #cutCall(value: Part & { readonly type: "tool-call" }): readonly Json[] {
    const text = (value.kind === "custom" ? writeInput(value) : inputTextOf(value)) ?? "";
    const delta = text === "" ? [] : [{ type: "tool-input-delta", id: value.callId, delta: text }];
    const again = readInput(text, value.kind);
    if (again.input !== value.input && JSON.stringify(again.input) !== JSON.stringify(value.input))
      this.lose("input-text", "input");
    return [this.#inputStart(), ...delta, ...this.#inputEnd()];
  }

  /** Arguments may be all there while the call is not: a hint says so. */
  #inputEnd(): readonly Json[] {
    const value = this.#value;
    if (value.type !== "tool-call" || this.#isTyped || ownOf(value)["$typed"] !== true) return [];
    this.#isTyped = true;
    return [{ type: "tool-input-end", id: value.callId }];
  }

  // pieces of the wire

  #told(part: Part): readonly Json[] {
    if (part.partial && part.type !== "text") this.lose("replaced", "partial");
    const written = this.#stream.write(part);
    return written === undefined ? [] : [written];
  }

  /** The part as it would be told at once, for the members that its pieces share with it. Whether it is hidden shows at its end. */
  #written(part = this.#value): JsonObject {
    const isTold = isSpoken(part) && part.text !== undefined;
    const told = isTold ? ({ ...withoutCitations(part), text: "…" } as Part) : part; // of the same type
    const written = this.#stream.write(told);
    return isJsonObject(written) ? written : {};
  }

  #inputStart(): Json {
    const { input: _, inputText: __, ...call } = this.#value as Part & { readonly type: "tool-call" }; // only called with one
    const written = this.#stream.write({ ...call, input: {} });
    const { toolCallId: id = call.callId, type: ___, input: ____, ...others } = isJsonObject(written) ? written : {};
    const { $dynamic } = ownOf(call);
    const isStatic = $dynamic === false && others["dynamic"] === undefined;
    return {
      type: "tool-input-start",
      id,
      ...others,
      ...(isStatic && { dynamic: false }),
      ...($dynamic === "start" && { dynamic: true }),
      ...(call.title !== undefined && { title: call.title }),
    };
  }

  #textPiece(piece: "start" | "end", { type: _, text: __, ...members }: JsonObject): Json {
    return { type: `${this.#kind}-${piece}`, id: this.#stream.id, ...members };
  }

  #textEnd(): Json {
    const value = this.#value;
    if (value.type === "reasoning" && value.text !== undefined && !this.#hasText && isHidden(value, ""))
      this.lose("hidden-reasoning", "text");
    const hasCitations = value.type === "text" && (this.#citations.length > 0 || value.citations !== undefined);
    if (!this.#hasChanged && !hasCitations) return this.#textPiece("end", {});
    const written = hasCitations
      ? this.#stream.write({ ...(value as TextPart), text: "", citations: this.#citations }) // it is a text
      : this.#written();
    const members = isJsonObject(written) ? written : {};
    const { citations } = members;
    return this.#textPiece("end", this.#hasChanged ? members : citations === undefined ? {} : { citations });
  }

  /** What a text cites, where its end does not say it. */
  #cited(): readonly Json[] {
    const value = this.#value;
    if (value.type !== "text" || this.#stream.generation >= 7) return [];
    const sources = citedSources({ ...value, citations: this.#citations });
    return sources.map(source => this.#stream.write(source)).filter(wire => wire !== undefined);
  }

  #delta(text: string): Json {
    this.#hasText = true;
    const said = this.#stream.answer === "answer" ? { delta: text } : { text };
    return { type: `${this.#kind}-delta`, id: this.#stream.id, ...said };
  }

  /** A refusal is told as a text. */
  get #kind(): "text" | "reasoning" {
    return this.#value.type === "reasoning" ? "reasoning" : "text";
  }
}

type Spoken = Extract<Part, { type: "text" | "reasoning" | "refusal" }>;

const isSpoken = (part: Part): part is Spoken =>
  part.type === "text" || part.type === "reasoning" || part.type === "refusal";

const citationsIn = (part: Part): Citation[] => (part.type === "text" ? [...(part.citations ?? [])] : []);

function withoutCitations(part: Part): Part {
  if (part.type !== "text") return part;
  const { citations: _, ...others } = part;
  return others;
}
