import { isMade, type Writing, writePart } from "../../blocks/gemini/writing.ts";
import { tellPart } from "../../blocks/spelling.ts";
import type { Event } from "../../model/events.ts";
import type { JsonObject } from "../../model/json.ts";
import type { Part, ToolCallPart } from "../../model/parts.ts";
import { wordsOf } from "./merge.ts";

/** A part that is on its way. */
interface SentPart {
  readonly message: number;
  readonly part: number;
  /** It is nothing but words, which pass on as they come; else it goes out when it is whole. */
  readonly isWords: boolean;
  readonly isThought: boolean;
  isOut: boolean;
  isClosed: boolean;
}

/** Where a part stands in the stream. */
export interface SentAt {
  readonly message: number;
  readonly part: number;
}

interface Deps {
  /** Says nothing: what is lost is reported once, at the end. */
  readonly silent: Writing;
  lose(code: string, at: SentAt, member?: string): void;
  /** The part as it is now. */
  whole(at: SentAt): Part | undefined;
}

const keyOf = ({ message, part }: SentAt): string => `${message}.${part}`;

/** What of one candidate is out. */
export class SentCandidate {
  readonly index: number;
  readonly #deps: Deps;
  readonly #parts = new Map<string, SentPart>();
  /** By their ids, as far as they are known: what answers a call is written as its kind is. */
  readonly #calls = new Map<string, ToolCallPart>();
  readonly #unnamed = new Set<string>();
  /** Parts in the order that they went out in. */
  readonly order: SentAt[] = [];
  #current: SentPart | undefined;
  /** The kind of words that a reader would add more words to. */
  #words: "text" | "thought" | undefined;

  constructor(index: number, deps: Deps) {
    this.index = index;
    this.#deps = deps;
  }

  /** The lists of parts that the event makes certain, a chunk each. */
  take(event: Event & SentAt): readonly (readonly JsonObject[])[] {
    const sent = this.#parts.get(keyOf(event));
    switch (event.type) {
      case "part-start":
        return this.#start(event, event.value);
      case "part":
        return this.#whole(event, event.value);
      case "part-delta":
        return sent?.isWords && event.text !== "" ? [this.#say(sent, event.text)] : [];
      case "part-end":
        return sent ? this.#end(sent) : [];
      default:
        return [];
    }
  }

  #start(at: SentAt, value: Part): readonly (readonly JsonObject[])[] {
    const known = this.#parts.get(keyOf(at));
    if (known?.isOut) {
      this.#deps.lose("already-sent", at);
      return [];
    }
    const [wire, ...others] = this.#write(value, at);
    const words = wire && others.length === 0 ? wordsOf(wire) : undefined;
    const isWords = words !== undefined && value.type !== "tool-call";
    const sent = {
      message: at.message,
      part: at.part,
      isWords,
      isThought: words?.isThought === true,
      isOut: false,
      isClosed: false,
    };
    this.#parts.set(keyOf(at), sent);
    return [];
  }

  #write(part: Part, at: SentAt): readonly JsonObject[] {
    const { silent } = this.#deps;
    if (part.type === "tool-call") {
      this.#calls.set(part.callId, part);
      if (isMade(part)) this.#unnamed.add(part.callId);
      tellPart(part, silent.context);
    }
    const call = part.type === "tool-result" ? this.#calls.get(part.callId) : undefined;
    const pairs = part.type === "tool-result" && call ? new Map([[part, call]]) : silent.pairs;
    return writePart(part, ["messages", at.message, "parts", at.part], { ...silent, pairs, unnamed: this.#unnamed });
  }

  #whole(at: SentAt, value: Part): readonly (readonly JsonObject[])[] {
    const known = this.#parts.get(keyOf(at));
    if (known?.isOut) {
      this.#deps.lose("already-sent", at);
      return [];
    }
    this.#parts.set(keyOf(at), {
      message: at.message,
      part: at.part,
      isWords: false,
      isThought: false,
      isOut: true,
      isClosed: true,
    });
    return this.#send(at, this.#write(value, at));
  }

  /** A whole part; words that follow words of their kind need a border between them. */
  #send(at: SentAt, wires: readonly JsonObject[]): readonly (readonly JsonObject[])[] {
    this.#current = undefined;
    const [first] = wires;
    if (!first) return [];
    this.order.push({ message: at.message, part: at.part });
    const border = this.#border(first);
    for (const wire of wires) this.#note(wire);
    return [[...border, ...wires]];
  }

  /** Inside of one chunk parts stand apart: an empty text ends the words before. */
  #border(wire: JsonObject): readonly JsonObject[] {
    const words = wordsOf(wire);
    const kind = words && (words.isThought ? "thought" : "text");
    // One empty text says nothing to a reader: Google fills up with them.
    if (!kind || (kind !== this.#words && words.text !== "")) return [];
    return [words.isThought ? { text: "", thought: true } : { text: "" }];
  }

  #note(wire: JsonObject): void {
    const words = wordsOf(wire);
    this.#words = words && (words.isThought ? "thought" : "text");
  }

  #say(sent: SentPart, text: string): readonly JsonObject[] {
    const wire: JsonObject = sent.isThought ? { text, thought: true } : { text };
    if (this.#current === sent) return [wire];
    if (sent.isOut) this.#deps.lose("resumed", sent);
    else this.order.push({ message: sent.message, part: sent.part });
    const border = this.#border(wire);
    this.#note(wire);
    this.#current = sent;
    sent.isOut = true;
    return [...border, wire];
  }

  #end(sent: SentPart): readonly (readonly JsonObject[])[] {
    if (sent.isClosed) return [];
    sent.isClosed = true;
    const part = this.#deps.whole(sent);
    if (!part) return [];
    const wires = this.#write(part, sent);
    if (!sent.isWords || (!sent.isOut && !wordsOf(wires[0] ?? null))) {
      sent.isOut = true;
      return this.#send(sent, wires);
    }
    const chunks = sent.isOut ? [] : [this.#say(sent, "")];
    return [...chunks, ...this.#sign(sent, wires)];
  }

  /** A signature that came behind its words goes out behind them, in a part without words, as the API sends it. */
  #sign(sent: SentPart, [wire = {}]: readonly JsonObject[]): readonly (readonly JsonObject[])[] {
    const signature = wire["thoughtSignature"] ?? wire["thought_signature"];
    if (signature === undefined) return [];
    this.#deps.lose("seal-place", sent, "seal");
    this.#current = undefined;
    this.#words = undefined;
    return [[{ text: "", ...(sent.isThought && { thought: true }), thoughtSignature: signature }]];
  }

  /** What has not gone out, and what was said of parts too late. */
  finish(all: readonly (SentAt & { readonly value: Part })[]): readonly (readonly JsonObject[])[] {
    const chunks = all.flatMap(({ value: _, ...at }) => {
      const sent = this.#parts.get(keyOf(at));
      return sent && !sent.isClosed ? this.#end(sent) : [];
    });
    this.#reportOrder();
    return chunks;
  }

  /** Whether the last part that went out is words, which stay open when the stream is cut. */
  get openPart(): SentAt | undefined {
    return this.#words === undefined ? undefined : this.order.at(-1);
  }

  #reportOrder(): void {
    let last: SentAt = { message: -1, part: -1 };
    for (const at of this.order) {
      const isBehind = at.message > last.message || (at.message === last.message && at.part >= last.part);
      if (isBehind) last = at;
      else this.#deps.lose("order", at);
    }
  }

  get isEmpty(): boolean {
    return this.order.length === 0;
  }
}
