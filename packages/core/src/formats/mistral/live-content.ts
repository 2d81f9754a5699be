import type { LiveParts } from "../../blocks/chat-parts/live-parts.ts";
import { assign } from "../../blocks/chat-parts/merged-calls.ts";
import type { DecodeContext } from "../../codec/codec.ts";
import type { Event } from "../../model/events.ts";
import { isJsonObject, type Json, type JsonObject, type MutableJsonObject, setMember } from "../../model/json.ts";
import type { Part } from "../../model/parts.ts";
import { readChunk } from "./chunks.ts";
import { citationOf, readReference } from "./references.ts";
import { hinted, lateEndOf, membersOf, plainTextOf, readItem, textPiece } from "./thinking.ts";
import { places } from "./wire.ts";

/** A text, or thoughts, that grow. Texts are kept in pieces and joined once. */
interface Growing {
  readonly kind: "text" | "thinking";
  /** Of a text one list of its pieces; of thoughts one for each text, and what stands between them. */
  readonly pieces: (string[] | { readonly item: Json })[];
  readonly members: MutableJsonObject;
  isClosed: boolean;
}

type Chunk = Growing | { readonly kind: "whole"; readonly wire: Json };

/** The content of an answer while it comes: texts alone, or lists of chunks that continue those before. */
export class LiveContent {
  readonly #parts: LiveParts;
  readonly #context: DecodeContext;
  readonly #chunks: Chunk[] = [];
  #blank: Json | undefined;
  /** Numbers that are given out: the parts of the whole content in their order. */
  #count = 0;
  /** The number of the text that references are about. */
  #cited: number | undefined;

  constructor(parts: LiveParts, context: DecodeContext) {
    this.#parts = parts;
    this.#context = context;
  }

  /** Whether the value is content. */
  add(value: Json, events: Event[]): boolean {
    if (value === "" || value === null) this.#blank = value;
    else if (typeof value === "string") this.#say(this.#grow("text", events), value, events);
    else if (Array.isArray(value)) {
      for (const chunk of value as readonly Json[]) this.#chunk(chunk, events); // a list of JSON
      if (value.length === 0) this.#blank ??= value;
    } else return false;
    return true;
  }

  #chunk(wire: Json, events: Event[]): void {
    const { type, text, ...members } = isJsonObject(wire) ? wire : {};
    if (type === "text" && typeof text === "string") {
      const chunk = this.#grow("text", events);
      for (const key of Object.keys(members)) assign(chunk.members, key, members[key]);
      this.#say(chunk, text, events);
    } else if (isJsonObject(wire) && type === "thinking" && Array.isArray(wire["thinking"])) this.#think(wire, events);
    else this.#whole(wire, events);
  }

  get #place(): number {
    return places.content + this.#count - 1;
  }

  /** The last chunk, if it is of the kind and goes on; else a new one. */
  #grow(kind: Growing["kind"], events: Event[]): Growing {
    const last = this.#chunks.at(-1);
    if (last?.kind === kind && !last.isClosed) return last;
    this.#endLast(events);
    const chunk: Growing = { kind, pieces: [], members: {}, isClosed: false };
    this.#chunks.push(chunk);
    return chunk;
  }

  /** What another follows has ended, but for what the whole says of it. */
  #endLast(events: Event[]): void {
    const last = this.#chunks.at(-1);
    if (last?.kind === "text" || last?.kind === "thinking") {
      this.#settle(last, events);
      this.#parts.end(this.#place, events);
    }
    this.#cited = undefined;
  }

  /** What thoughts say of themselves behind a piece that is no text, or without any, is a part of its own. */
  #settle({ kind, pieces, members }: Growing, events: Event[]): void {
    if (kind === "text" || Array.isArray(pieces.at(-1))) return;
    const end = lateEndOf(members, pieces.length > 0);
    if (!end) return;
    this.#count++;
    this.#parts.put(this.#place, end, events);
  }

  #say(chunk: Growing, text: string, events: Event[]): void {
    const last = chunk.pieces.at(-1);
    const of = chunk.kind === "text" ? "text" : "reasoning";
    if (Array.isArray(last)) last.push(text);
    else {
      const part: Part = { type: of, text: "" };
      this.#count++;
      this.#parts.start(this.#place, chunk.pieces.length > 0 ? hinted(part, "more") : part, events);
      chunk.pieces.push([text]);
      if (of === "text") this.#cited = this.#place;
    }
    if (text !== "") this.#parts.say(this.#place, { type: of, text: "" }, { of, text, events });
  }

  /** A signature ends the thoughts that it is of, as does what says that they are closed. */
  #think(wire: JsonObject, events: Event[]): void {
    const { type: _, thinking, ...members } = wire;
    const chunk = this.#grow("thinking", events);
    for (const piece of thinking as readonly Json[]) {
      // a list of JSON, as the caller saw
      const text = plainTextOf(piece);
      if (text !== undefined) this.#say(chunk, text, events);
      else {
        if (Array.isArray(chunk.pieces.at(-1))) this.#parts.end(this.#place, events);
        this.#count++;
        this.#parts.put(this.#place, readItem(piece, chunk.pieces.length === 0), events);
        chunk.pieces.push({ item: piece });
      }
    }
    for (const key of Object.keys(members)) assign(chunk.members, key, members[key]);
    if (Object.keys(members).length > 0 && Array.isArray(chunk.pieces.at(-1))) {
      this.#parts.setPart(this.#place, membersOf(chunk.members, chunk.pieces.length === 1), events);
    }
    chunk.isClosed = typeof members["signature"] === "string" || members["closed"] === true;
  }

  /** A chunk that comes at once: a reference is the text's that it stands behind. */
  #whole(wire: Json, events: Event[]): void {
    const reference = isJsonObject(wire) ? readReference(wire) : undefined;
    const cited = this.#cited;
    this.#endLast(events);
    this.#chunks.push({ kind: "whole", wire });
    if (reference && cited !== undefined) {
      this.#cited = cited;
      this.#parts.cite(cited, citationOf(reference), events);
      return;
    }
    this.#count++;
    this.#parts.put(this.#place, readChunk(wire, ["content"], this.#context), events);
  }

  /** As a whole answer has it; undefined where nothing was said of it. */
  whole(): Json | undefined {
    const wires = this.#chunks.map(chunk => (chunk.kind === "whole" ? chunk.wire : wireOf(chunk)));
    const [only] = wires;
    if (only === undefined) return this.#blank;
    const text = wires.length === 1 ? plainTextOf(only) : undefined;
    return text || wires;
  }
}

function wireOf({ kind, pieces, members }: Growing): JsonObject {
  const wires = pieces.map(piece => (Array.isArray(piece) ? textPiece(piece.join("")) : piece.item));
  const chunk: MutableJsonObject =
    kind === "text" ? { ...(wires[0] as JsonObject) } : { type: "thinking", thinking: wires }; // a text has its piece
  for (const key of Object.keys(members)) setMember(chunk, key, members[key] ?? null);
  return chunk;
}
