/** What all nodes of Google's generateContent have in common: two spellings of every name, and bytes in two alphabets. */

import { Reader } from "../../codec/reader.ts";
import { hintsOf, kept } from "../../codec/remainder.ts";
import { isJsonObject, type Json, type JsonObject, type MutableJsonObject, setMember } from "../../model/json.ts";
import type { Node } from "../../model/parts.ts";

/** Family of these nodes. */
export const gemini = "gemini";

const snakeOf = (name: string): string => name.replace(/[A-Z]/g, letter => `_${letter.toLowerCase()}`);

/** How bytes were spelled that stand in the standard alphabet with padding here. */
type Spelling = "url" | "url-bare" | "bare";

/** How the names and bytes of one node were spelled. */
interface Spellings {
  readonly snake: Set<string>;
  readonly bytes: Map<string, Spelling>;
}

/** Reads members by their camelCase names; the API takes snake_case as well (ProtoJSON). What is not taken stays under the wire's own names. */
export class NodeReader {
  readonly #reader: Reader;
  readonly #spellings: Spellings;
  readonly #inner = new Map<string, NodeReader>();

  constructor(value: JsonObject, spellings: Spellings = { snake: new Set(), bytes: new Map() }) {
    this.#reader = new Reader(value);
    this.#spellings = spellings;
  }

  /** The wire's name of a member. */
  #named(name: string): string {
    if (this.#reader.peek(name) !== undefined) return name;
    const snake = snakeOf(name);
    return this.#reader.peek(snake) === undefined ? name : snake;
  }

  #noted<T>(name: string, value: T | undefined): T | undefined {
    if (value !== undefined && this.#named(name) !== name) this.#spellings.snake.add(name);
    return value;
  }

  peek(name: string): Json | undefined {
    return this.#reader.peek(this.#named(name));
  }

  take(name: string): void {
    this.#noted(name, this.peek(name));
    this.#reader.take(this.#named(name));
  }

  string(name: string): string | undefined {
    return this.#noted(name, this.#reader.string(this.#named(name)));
  }

  number(name: string): number | undefined {
    return this.#noted(name, this.#reader.number(this.#named(name)));
  }

  object(name: string): JsonObject | undefined {
    return this.#noted(name, this.#reader.object(this.#named(name)));
  }

  array(name: string): readonly Json[] | undefined {
    return this.#noted(name, this.#reader.array(this.#named(name)));
  }

  literal(name: string, literal: Json): boolean {
    const isIt = this.#reader.literal(this.#named(name), literal);
    if (isIt) this.#noted(name, literal);
    return isIt;
  }

  /** A member that belongs to this node: its own remainder nests in this one's. */
  inner(name: string): NodeReader | undefined {
    const wireName = this.#named(name);
    const value = this.object(name);
    if (!value) return undefined;
    const inner = new NodeReader(value, this.#spellings);
    this.#inner.set(wireName, inner);
    return inner;
  }

  /** Bytes, in the standard alphabet. */
  bytes(name: string, isBytes: (text: string) => boolean = () => true): string | undefined {
    const text = this.string(name);
    if (text === undefined || !isBytes(text)) return text;
    const { standard, spelling } = standardBytes(text);
    if (spelling) this.#spellings.bytes.set(name, spelling);
    return standard;
  }

  rest(): JsonObject | undefined {
    const rest: MutableJsonObject = { ...this.#reader.rest() };
    for (const [name, inner] of this.#inner) {
      const own = inner.rest();
      if (own) setMember(rest, name, own);
    }
    return Object.keys(rest).length > 0 ? rest : undefined;
  }

  /** How the node was spelled. */
  get hints(): JsonObject {
    const { snake, bytes } = this.#spellings;
    return {
      ...(snake.size > 0 && { $snake: [...snake] }),
      ...(bytes.size > 0 && { $bytes: Object.fromEntries(bytes) }),
    };
  }

  /** The node's `native`. */
  kept(hints: JsonObject = {}, reserved: readonly string[] = []): { native?: NonNullable<Node["native"]> } {
    return kept(gemini, this.rest(), { ...hints, ...this.hints }, reserved);
  }
}

/** Writes names and bytes of a node as they were spelled. */
export interface NodeWriter {
  name(name: string): string;
  bytes(name: string, standard: string): string;
  /** An object of the members that are there, by their camelCase names. */
  object(members: { readonly [name: string]: Json | undefined }): JsonObject;
}

export function writerOf(node: Node): NodeWriter {
  const { $snake: snake, $bytes: bytes } = hintsOf(node, gemini);
  const named = (name: string): string => (Array.isArray(snake) && snake.includes(name) ? snakeOf(name) : name);
  return {
    name: named,
    bytes: (name, standard) => {
      const spelling = isJsonObject(bytes) && Object.hasOwn(bytes, name) ? bytes[name] : undefined;
      return typeof spelling === "string" ? spelledBytes(standard, spelling) : standard;
    },
    object: members => {
      const object: MutableJsonObject = {};
      for (const name of Object.keys(members)) {
        const value = members[name];
        if (value !== undefined) setMember(object, named(name), value);
      }
      return object;
    },
  };
}

/** Base64 in the standard alphabet, and how it was spelled where that is another way. */
function standardBytes(text: string): { readonly standard: string; readonly spelling?: Spelling } {
  const isUrl = /[-_]/.test(text);
  const isBare = text.length % 4 > 1 && !text.endsWith("=");
  if (!isUrl && !isBare) return { standard: text };
  const letters = text.replaceAll("-", "+").replaceAll("_", "/");
  const standard = isBare ? letters.padEnd(Math.ceil(letters.length / 4) * 4, "=") : letters;
  const spelling = isUrl ? (isBare ? "url-bare" : "url") : "bare";
  // A mix of both alphabets is no base64, and stays what it is.
  return spelledBytes(standard, spelling) === text ? { standard, spelling } : { standard: text };
}

function spelledBytes(standard: string, spelling: string): string {
  const letters = spelling.startsWith("url") ? standard.replaceAll("+", "-").replaceAll("/", "_") : standard;
  return spelling.endsWith("bare") ? letters.replace(/=+$/, "") : letters;
}

/**
 * Whether a signature is bytes in the URL alphabet: clients send back so what the API gave them in the standard one. The
 * words that stand for the missing signature of a foreign call are no bytes (providers.md, 2026-11-30).
 */
export const isUrlSignature = (text: string): boolean =>
  text.length >= 24 && /[-_]/.test(text) && /^[\w-]+={0,2}$/.test(text) && text !== "skip_thought_signature_validator";
