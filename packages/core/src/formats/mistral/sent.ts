import { isWholeJson } from "../../blocks/chat-parts/merged-calls.ts";
import { chatParts } from "../../blocks/chat-parts/parts.ts";
import type { EncodeContext } from "../../codec/codec.ts";
import { hintsOf, remainderOf } from "../../codec/remainder.ts";
import type { At, Event } from "../../model/events.ts";
import { isJsonObject, type Json, type JsonObject } from "../../model/json.ts";
import type { Citation, Part } from "../../model/parts.ts";
import { writeReference } from "./references.ts";
import { pieceOf, textPiece, thinkingHint } from "./thinking.ts";
import type { Lose } from "./wire.ts";
import { contentOfPart, writeCall } from "./write-messages.ts";
import { type Writing, writingOf } from "./writing.ts";

type Words = "text" | "thinking";

/** A part that is on its way. */
interface Sent extends At {
  value: Part;
  /** Words pass on as they come; everything else goes out when it is whole. */
  readonly words: Words | undefined;
  isOut: boolean;
  isClosed: boolean;
}

const keyOf = ({ message, part }: At): string => `${message}.${part}`;
const pathOf = ({ message, part }: At) => ["messages", message, "parts", part];

/** What of one choice is out. */
export class SentChoice {
  readonly index: number;
  readonly #silent: EncodeContext;
  readonly #lose: Lose;
  readonly #parts = new Map<string, Sent>();
  /** The part whose words, or whose chunks, went out last. */
  #last: Sent | undefined;
  /** The kind of words that a reader would add more words to. */
  #open: Words | undefined;
  /** Calls that are out, and whether a reader knows that they are whole. */
  readonly #calls: { readonly at: At; readonly isWhole: boolean | undefined }[] = [];
  hasContent = false;

  constructor(index: number, context: EncodeContext) {
    this.index = index;
    this.#lose = (code, path, detail) => context.lose(code, path, detail);
    // What is lost of the parts themselves is reported once, when the answer is written whole.
    this.#silent = { ...context, lose: () => undefined, wrote: () => undefined };
  }

  /** Whether a part that is out is open if no more comes. */
  isOpen({ message, part }: At): boolean {
    const is = (at: At | undefined): boolean => at?.message === message && at.part === part;
    const call = this.#calls.findIndex(({ at }) => is(at));
    // A call of which nothing is known is over when another follows.
    if (call >= 0) return !(this.#calls[call]?.isWhole ?? call < this.#calls.length - 1);
    return this.#open !== undefined && is(this.#last);
  }

  /** The deltas that an event gives. */
  take(event: Event & At): JsonObject[] {
    const sent = this.#parts.get(keyOf(event));
    switch (event.type) {
      case "part-start":
        return this.#start(event, event.value);
      case "part":
        return this.#whole(event, event.value);
      case "part-delta":
        return sent ? this.#say(sent, event.text) : [];
      case "part-set":
        if (sent) sent.value = { ...sent.value, ...event.set } as Part; // members of it
        return [];
      case "citation":
        return sent?.isClosed ? this.#cite(sent, [event.citation]) : [];
      default:
        return [];
    }
  }

  #start(at: At, value: Part): JsonObject[] {
    if (this.#isAgain(at)) return [];
    const words =
      value.type === "text" || value.type === "refusal" ? "text" : value.type === "reasoning" ? "thinking" : undefined;
    this.#parts.set(keyOf(at), { ...place(at), value, words, isOut: false, isClosed: false });
    return [];
  }

  #isAgain(at: At): boolean {
    const isOut = this.#parts.get(keyOf(at))?.isOut === true;
    if (isOut) this.#lose("already-sent", pathOf(at));
    return isOut;
  }

  #whole(at: At, value: Part): JsonObject[] {
    if (this.#isAgain(at)) return [];
    const sent: Sent = { ...place(at), value, words: undefined, isOut: true, isClosed: true };
    this.#parts.set(keyOf(at), sent);
    return this.#send(sent, value);
  }

  /** A part that is whole. */
  #send(sent: Sent, value: Part): JsonObject[] {
    const writing = this.#writing(value);
    const isCall =
      value.type === "tool-call" || (value.type === "opaque" && hintsOf(value, chatParts)["$place"] === "calls");
    // An error is the answer's own, and comes at its end.
    if (value.type === "error" || (value.type === "tool-call" && value.executedBy)) return [];
    if (isCall) {
      const before = this.#calls.at(-1);
      if (before && isBefore(sent, before.at)) this.#lose("order", pathOf(sent));
      const wire = writeCall(value, pathOf(sent), { position: this.#calls.length, writing });
      this.#calls.push({ at: place(sent), isWhole: isWholeCall(wire) });
      return [{ tool_calls: [wire] }];
    }
    const chunks = contentOfPart(value, pathOf(sent), writing);
    const [first] = chunks;
    if (first === undefined) return [];
    this.#border(sent, kindOf(first), thinkingHint(value));
    this.#follow(sent);
    const last = chunks.at(-1) ?? first;
    this.#open = isClosing(last) ? undefined : kindOf(last);
    return [{ content: chunks }];
  }

  /** Words of a kind that follow words of their kind are read as more of them. */
  #border(sent: Sent, kind: Words | undefined, hint: Json | undefined): void {
    const isJoined = kind !== undefined && kind === this.#open && this.#last !== undefined && this.#last !== sent;
    if (!isJoined || !this.#last) return;
    const isItem = (part: Part): boolean => part.type === "opaque" || part.type === "source";
    if (kind === "thinking" && (isItem(this.#last.value) || isItem(sent.value)) && hint === "more") return;
    this.#lose("joined", pathOf(this.#last));
    this.#lose("joined", pathOf(sent));
  }

  /** Content is read in the order in which it came. */
  #follow(sent: Sent): void {
    if (this.#last && isBefore(sent, this.#last)) this.#lose("order", pathOf(sent));
    this.#last = sent;
    this.hasContent = true;
  }

  #say(sent: Sent, text: string): JsonObject[] {
    if (text === "" || !sent.words) return [];
    return [{ content: this.#words(sent, text) }];
  }

  #words(sent: Sent, text: string): Json {
    const isThinking = sent.words === "thinking";
    if (this.#last !== sent || this.#open !== sent.words) {
      if (sent.isOut) this.#lose("resumed", pathOf(sent));
      this.#border(sent, sent.words, thinkingHint(sent.value));
      this.#follow(sent);
      this.#open = sent.words;
      sent.isOut = true;
    }
    if (isThinking) return [{ type: "thinking", thinking: [textPiece(text)] }];
    return text === "" ? [textPiece(text)] : text;
  }

  /** The part has ended: `value` is the whole of it. */
  end(at: At, value: Part): JsonObject[] {
    const sent = this.#parts.get(keyOf(at));
    if (!sent || sent.isClosed) return [];
    sent.isClosed = true;
    sent.value = value;
    if (!sent.words) {
      sent.isOut = true;
      return this.#send(sent, value);
    }
    const piece = value.type === "reasoning" ? pieceOf(value) : undefined;
    if (!sent.isOut && piece && piece.piece === undefined) {
      sent.isOut = true;
      return this.#send(sent, value);
    }
    const said = sent.isOut ? [] : [{ content: this.#words(sent, "") }];
    return [
      ...said,
      ...this.#members(sent, piece?.members ?? ownMembers(value)),
      ...this.#cite(sent, citationsOf(value)),
    ];
  }

  /** What a chunk says of itself comes behind its words; a signature ends them. */
  #members(sent: Sent, members: JsonObject): JsonObject[] {
    if (Object.keys(members).length === 0) return [];
    if (this.#last !== sent) this.#lose("already-sent", pathOf(sent));
    this.#last = sent;
    const chunk: JsonObject =
      sent.words === "thinking" ? { type: "thinking", thinking: [], ...members } : { ...textPiece(""), ...members };
    this.#open = isClosing(chunk) ? undefined : sent.words;
    return [{ content: [chunk] }];
  }

  /** References stand behind the text that they are of. */
  #cite(sent: Sent, citations: readonly Citation[]): JsonObject[] {
    const writing = this.#writing(sent.value);
    const chunks = citations.flatMap(each => [writeReference(each, pathOf(sent), writing) ?? []].flat());
    if (chunks.length === 0) return [];
    if (this.#last !== sent) this.#lose("late-reference", [...pathOf(sent), "citations"]);
    this.#open = undefined;
    return [{ content: chunks }];
  }

  #writing(part: Part): Writing {
    return writingOf(this.#silent, [{ role: "assistant", parts: [part] }]);
  }
}

/** Undefined: nothing tells. */
function isWholeCall(wire: Json): boolean | undefined {
  const inner = isJsonObject(wire) ? wire["function"] : undefined;
  const text = isJsonObject(inner) ? inner["arguments"] : undefined;
  return typeof text === "string" && text.trim() !== "" ? isWholeJson(text) : undefined;
}

const citationsOf = (part: Part): readonly Citation[] => (part.type === "text" && part.citations) || [];

const place = ({ message, part }: At): At => ({ message, part });

const isBefore = (one: At, other: At): boolean =>
  one.message < other.message || (one.message === other.message && one.part < other.part);

function kindOf(chunk: Json): Words | undefined {
  const type = isJsonObject(chunk) ? chunk["type"] : undefined;
  return type === "text" || type === "thinking" ? type : undefined;
}

const isClosing = (chunk: Json): boolean =>
  isJsonObject(chunk) && (typeof chunk["signature"] === "string" || chunk["closed"] === true);

/** What a text's chunk has beside its text. */
function ownMembers(part: Part): JsonObject {
  return part.type === "text" ? remainderOf(part, "mistral") : {};
}
