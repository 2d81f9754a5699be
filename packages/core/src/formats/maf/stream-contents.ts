/** Contents of one message as they come in updates → events of its parts, put together as .NET does when it combines them. */

import type { Event } from "../../model/events.ts";
import { isJsonObject, type Json, type JsonObject } from "../../model/json.ts";
import { Pairing } from "../../model/pairing.ts";
import type { Part, PartOf, ToolCallPart } from "../../model/parts.ts";
import { annotationsAlone, readAnnotations } from "./annotations.ts";
import { coalesceContents } from "./coalesce-contents.ts";
import { CallIds, readContent, withApart } from "./decode-content.ts";
import { withKind } from "./decode-message.ts";
import type { Refusals } from "./denials.ts";
import type { Reading } from "./wire.ts";

/** Neighbours that are pieces of one text or reasoning. */
interface TextRun {
  readonly kind: "text" | "reasoning";
  readonly number: number;
  readonly first: JsonObject;
  count: number;
  text: string;
  last: JsonObject;
  /** No text may join it any more; only citations of it may still come, so many in each content. */
  isClosed: boolean;
  readonly apart: number[];
}

/** Neighbours that may be pieces of one code or text file: known once another content comes. */
interface HeldRun {
  readonly number: number;
  readonly pieces: JsonObject[];
}

const heldKinds = ["data", "codeInterpreterToolCall", "codeInterpreterToolResult"];
/** Merged by the id of the call, wherever they stand. */
const calledKinds = ["imageGenerationToolResult", "webSearchToolCall"];

interface StreamedMessage {
  readonly isAssistant: boolean;
  /** What was refused so far, in this message and those before it. */
  readonly refusals: Refusals;
  readonly reading: Reading;
}

export class StreamedContents {
  readonly #message: number;
  readonly #refusals: Refusals;
  readonly #reading: Reading;
  readonly #ids: CallIds;
  readonly #isAssistant: boolean;
  readonly #calls = new Pairing<ToolCallPart>();
  /** What the results say of their kind, by the number of their part. */
  readonly #kinds = new Map<number, Settled>();
  readonly #called = new Map<string, { number: number; content: JsonObject }>();
  #next = 0;
  #run: TextRun | undefined;
  #held: HeldRun | undefined;

  constructor(message: number, { isAssistant, refusals, reading }: StreamedMessage) {
    this.#message = message;
    this.#isAssistant = isAssistant;
    this.#refusals = refusals;
    this.#reading = reading;
    this.#ids = new CallIds(String(message));
  }

  take(content: Json): Event[] {
    if (!isJsonObject(content)) {
      if (this.#run?.kind === "text") this.#run.isClosed = true; // a null separates texts, not reasoning
      return [];
    }
    const cited = this.#cite(content);
    if (cited) return cited;
    const { $type: word, annotations, callId } = content;
    const isAnnotated = Array.isArray(annotations) && annotations.length > 0;
    if (!isAnnotated && (word === "text" || word === "reasoning")) return this.#takeText(content, word);
    if (!isAnnotated && heldKinds.includes(String(word))) return [...this.#endRun(), ...this.#hold(content)];
    const isCalled = calledKinds.includes(String(word)) && typeof callId === "string" && callId !== "";
    const key = `${String(word)} ${String(callId)}`;
    const known = isCalled ? this.#called.get(key) : undefined;
    if (known) {
      const [merged] = coalesceContents([known.content, content]);
      if (isJsonObject(merged)) known.content = merged;
      if (this.#run) this.#run.isClosed = true;
      return [this.#part(known.content, known.number)];
    }
    const events = this.end();
    const number = this.#next++;
    if (isCalled) this.#called.set(key, { number, content });
    events.push(this.#part(content, number));
    return events;
  }

  /** What is open is complete. */
  end(): Event[] {
    return [...this.#endRun(), ...this.#release()];
  }

  #takeText(content: JsonObject, kind: "text" | "reasoning"): Event[] {
    const text = typeof content["text"] === "string" ? content["text"] : "";
    const run = this.#run;
    // Protected data ends the reasoning that it protects.
    if (run?.kind === kind && !run.isClosed && !(kind === "reasoning" && run.last["protectedData"])) {
      run.count++;
      run.text += text;
      run.last = content;
      return text === "" ? [] : [this.#delta(run, text)];
    }
    const events = this.end();
    const number = this.#next++;
    const opened: TextRun = { kind, number, first: content, count: 1, text, last: content, isClosed: false, apart: [] };
    this.#run = opened;
    events.push({ type: "part-start", message: this.#message, part: opened.number, value: this.#begun(opened) });
    if (text !== "") events.push(this.#delta(opened, text));
    return events;
  }

  /** What the first piece says beside its text is the whole text's, as in .NET. */
  #begun({ kind, first: { additionalProperties } }: TextRun): Part {
    if (additionalProperties === undefined || additionalProperties === null) return { type: kind, text: "" };
    const { seal: _, ...value } = this.#read({ $type: kind, text: "…", additionalProperties });
    return { ...(value as PartOf<typeof kind>), text: "" }; // of this kind, since it has a text
  }

  /** Citations of the text before them. */
  #cite(content: JsonObject): Event[] | undefined {
    const run = this.#run;
    const annotations = run?.kind === "text" ? annotationsAlone(content) : undefined;
    const citations = annotations && readAnnotations(annotations, undefined);
    if (!run || !citations) return undefined;
    run.isClosed = true;
    run.apart.push(citations.length);
    return citations.map(citation => ({ type: "citation", message: this.#message, part: run.number, citation }));
  }

  #delta(run: TextRun, text: string): Event {
    return { type: "part-delta", message: this.#message, part: run.number, of: run.kind, text };
  }

  /** The run as the content that .NET makes of it: what the deltas did not say. */
  #endRun(): Event[] {
    const run = this.#run;
    if (!run) return [];
    this.#run = undefined;
    const { additionalProperties } = run.first;
    const { protectedData } = run.last;
    const merged = {
      $type: run.kind,
      text: run.text,
      ...((protectedData ?? null) !== null && run.kind === "reasoning" && { protectedData }),
      ...((additionalProperties ?? null) !== null && { additionalProperties }),
    };
    const value = this.#read(run.count === 1 ? run.first : merged);
    const at = { message: this.#message, part: run.number };
    if (value.type === "reasoning" && value.text === undefined) return [{ type: "part", ...at, value }]; // hidden (E2)
    const { type: _, text: __, ...known } = value as PartOf<"text">; // a text, or a reasoning, which has no citations
    const { citations, ...others } = known;
    const isCited = run.apart.length > 0;
    const set = isCited ? { ...others, ...withApart(others, run.apart) } : known;
    const events: Event[] = Object.keys(set).length > 0 ? [{ type: "part-set", ...at, set }] : [];
    events.push({ type: "part-end", ...at });
    return events;
  }

  #hold(content: JsonObject): Event[] {
    const held = this.#held;
    const last = held?.pieces.at(-1);
    if (held && last && coalesceContents([last, content]).length === 1) {
      held.pieces.push(content);
      return [];
    }
    const events = this.#release();
    this.#held = { number: this.#next++, pieces: [content] };
    return events;
  }

  #release(): Event[] {
    const held = this.#held;
    if (!held) return [];
    this.#held = undefined;
    const [merged] = coalesceContents(held.pieces);
    return isJsonObject(merged) ? [this.#part(merged, held.number)] : [];
  }

  #part(content: JsonObject, part: number): Event {
    return { type: "part", message: this.#message, part, value: this.#settled(this.#read(content), part) };
  }

  #read(content: JsonObject): Part {
    return readContent(content, [], { ...this.#reading, ids: this.#ids });
  }

  /** A result says its kind as in a whole message, also when it comes again. */
  #settled(value: Part, number: number): Part {
    if (value.type === "tool-call" && !this.#kinds.has(number)) {
      this.#kinds.set(number, "call");
      this.#calls.call(value.callId, 0, value);
    }
    const known = this.#kinds.get(number);
    if (value.type !== "tool-result") {
      this.#refusals.take(value);
      return value;
    }
    const settled = typeof known === "object" ? known : undefined;
    const call = known === undefined ? this.#calls.answer(value.callId) : settled?.call;
    const isRefused = settled ? settled.isRefused : this.#refusals.take(value);
    this.#kinds.set(number, { call, isRefused });
    const result = withKind(value, call, this.#isAssistant);
    return isRefused ? { ...result, outcome: "denied" } : result;
  }
}

type Settled = "call" | { readonly call: ToolCallPart | undefined; readonly isRefused: boolean };
