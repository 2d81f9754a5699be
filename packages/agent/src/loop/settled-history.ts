import type { Message, Part } from "translogue";
import { type Mended, type Piece, paired } from "./paired.ts";
import { readable, standsAlone } from "./readable.ts";

/** A change with the message that it was made at. */
export type MendedAt = Mended & { readonly source: Message | undefined };

export interface ReadHistory {
  readonly messages: readonly Message[];
  /** What stands at a place of `messages` was made of this; undefined where it was made here. */
  readonly sourceAt: (place: number) => Message | undefined;
  readonly changes: readonly MendedAt[];
}

/**
 * A history as a model reads it, read on from step to step: what is settled (every call has its result, every request its answer)
 * is read the same whatever comes, so that a step costs what is new in it.
 */
export class SettledHistory {
  readonly #isGiven: (message: Message) => boolean;
  #sources: Message[] = [];
  #pieces: Piece[] = [];
  #messages: Message[] = [];
  #changes: MendedAt[] = [];
  #requests = new Set<string>();

  /** `isGiven`: see `paired`. */
  constructor(isGiven: (message: Message) => boolean) {
    this.#isGiven = isGiven;
  }

  read(history: readonly Message[]): ReadHistory {
    if (!beginsWith(history, this.#sources)) this.#forget();
    let rest = history.slice(this.#sources.length);
    if (this.#sources.length > 0 && !standsAlone(rest, this.#requests)) {
      this.#forget();
      rest = history.slice();
    }
    const pieces = readable(rest);
    const { piece, message } = settledUpTo(pieces, rest);
    if (piece > 0) this.#settle(pieces.slice(0, piece), rest.slice(0, message));
    const open = this.#paired(pieces.slice(piece));
    return readOf({ pieces: this.#pieces, messages: this.#messages, changes: this.#changes }, open);
  }

  #settle(pieces: readonly Piece[], sources: readonly Message[]): void {
    const { read, changes } = this.#paired(pieces);
    for (const each of read) {
      this.#pieces.push(each);
      this.#messages.push(each.message);
    }
    for (const source of sources) {
      this.#sources.push(source);
      for (const part of source.parts) if ("requestId" in part) this.#requests.add(part.requestId);
    }
    for (const change of changes) this.#changes.push(change);
  }

  #paired(pieces: readonly Piece[]) {
    return mendedPieces(pieces, this.#isGiven);
  }

  /** What was given out goes on to hold. */
  #forget(): void {
    this.#sources = [];
    this.#pieces = [];
    this.#messages = [];
    this.#changes = [];
    this.#requests = new Set();
  }
}

/** The same of pieces that nothing is known of. */
export const readPieces = (pieces: readonly Piece[], isGiven: (message: Message) => boolean): ReadHistory =>
  readOf({ pieces: [], messages: [], changes: [] }, mendedPieces(pieces, isGiven));

/** Pieces that are read as they are. */
export const asTheyAre = (pieces: readonly Piece[]): ReadHistory =>
  readOf({ pieces: [], messages: [], changes: [] }, { read: pieces, changes: [] });

interface Pieces {
  readonly read: readonly Piece[];
  readonly changes: readonly MendedAt[];
}

function mendedPieces(pieces: readonly Piece[], isGiven: (message: Message) => boolean): Pieces {
  const { read, changes } = paired(pieces, isGiven);
  return {
    read,
    changes: changes.map(change => {
      const [, place] = change.path;
      return { ...change, source: typeof place === "number" ? pieces[place]?.source : undefined };
    }),
  };
}

function readOf(
  before: {
    readonly pieces: readonly Piece[];
    readonly messages: readonly Message[];
    readonly changes: readonly MendedAt[];
  },
  { read, changes }: Pieces,
): ReadHistory {
  const { pieces, messages } = before;
  const count = pieces.length; // more come later
  return {
    messages: [...messages, ...read.map(({ message }) => message)],
    sourceAt: place => (place < count ? pieces[place] : read[place - count])?.source,
    changes: [...before.changes, ...changes],
  };
}

export const beginsWith = (list: readonly Message[], start: readonly Message[]): boolean => {
  if (list.length < start.length) return false;
  for (let index = 0; index < start.length; index++) if (list[index] !== start[index]) return false;
  return true;
};

/** The last place before which all is settled, counted in pieces and in messages: behind it somebody else speaks, or another answer begins. */
function settledUpTo(
  pieces: readonly Piece[],
  messages: readonly Message[],
): { readonly piece: number; readonly message: number } {
  const open = new OpenParts();
  let [settled, next] = [{ piece: 0, message: 0 }, 0];
  /** Who spoke last, of those that are read whatever is mended. */
  let before: Message["role"] | undefined;
  for (const [index, message] of messages.entries()) {
    const piece = pieces[next]?.source === message ? pieces[next] : undefined;
    const { role } = message;
    const speaks = piece?.message.parts.some(({ type }) => type !== "tool-result") ?? false;
    const begins = speaks && role !== "tool" && (role !== "assistant" || before !== "assistant");
    if (begins && open.size === 0) settled = { piece: next, message: index };
    const answers = open.see(message, piece?.message.parts ?? []);
    if (piece) next++;
    if (piece && (speaks || answers)) before = role;
  }
  return settled;
}

/** Calls without their results, and requests without their answers. */
class OpenParts {
  readonly #calls = new Counts();
  /** Calls that stand inside their requests alone. */
  readonly #inside = new Counts();
  readonly #requests = new Set<string>();

  get size(): number {
    return this.#calls.size + this.#inside.size + this.#requests.size;
  }

  /** `read`: its parts as they are read. Whether it has a result that stays where it is: nobody has spoken since its call. */
  see({ role, parts }: Message, read: readonly Part[]): boolean {
    let answers = false;
    if (role !== "tool" && role !== "assistant") this.#calls.spoken();
    for (const part of parts) {
      if (part.type === "tool-call") {
        this.#inside.take(part.callId);
        this.#calls.add(part.callId);
      } else if (part.type === "tool-result") {
        if (part.preliminary) continue;
        if (this.#calls.isFresh(part.callId)) answers = true;
        if (!this.#calls.take(part.callId)) this.#inside.take(part.callId);
      } else if (part.type === "approval-request" || part.type === "input-request") {
        this.#requests.add(part.requestId);
        const call = part.type === "approval-request" ? part.call : undefined;
        if (call && read.includes(call)) this.#calls.add(call.callId);
        else if (call && call.executedBy !== "provider" && !this.#calls.has(call.callId)) this.#inside.add(call.callId);
      } else if (part.type === "approval-response" || part.type === "input-response") {
        // One that comes before its request holds all back.
        if (!this.#requests.delete(part.requestId)) this.#requests.add(part.requestId);
      }
    }
    return answers;
  }
}

/** How many there are of each id. */
class Counts {
  readonly #counts = new Map<string, number>();
  /** Ids of which one was there when somebody spoke. */
  readonly #old = new Set<string>();

  get size(): number {
    return this.#counts.size;
  }

  has(id: string): boolean {
    return this.#counts.has(id);
  }

  isFresh(id: string): boolean {
    return this.#counts.has(id) && !this.#old.has(id);
  }

  spoken(): void {
    for (const id of this.#counts.keys()) this.#old.add(id);
  }

  add(id: string): void {
    this.#counts.set(id, (this.#counts.get(id) ?? 0) + 1);
  }

  /** Whether there was one. */
  take(id: string): boolean {
    const count = this.#counts.get(id) ?? 0;
    if (count > 1) this.#counts.set(id, count - 1);
    else {
      this.#counts.delete(id);
      this.#old.delete(id);
    }
    return count > 0;
  }
}
