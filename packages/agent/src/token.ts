import type { Event, Message } from "translogue";
import { failure } from "./errors.ts";

/** Where a run that goes on can be read from, or asked for its end: a position in the events of a session's run. */
export interface ContinuationToken {
  readonly session: string;
  readonly run: string;
  /** Updates that whoever has the token has seen. */
  readonly seq: number;
}

/** What a token knows of its run where it was made, or in the Microsoft Agent Framework's form. */
export interface CarriedRun {
  /** Where the model goes on, as it says itself. */
  readonly continuation: string;
  /** Who goes on with it, where that is known. */
  readonly provider?: string | undefined;
  readonly input: readonly Message[];
  /** What there was of the answer. */
  readonly answer: readonly Message[];
}

const carried = new WeakMap<ContinuationToken, () => CarriedRun>();

export function tokenWith(token: ContinuationToken, run: () => CarriedRun): ContinuationToken {
  carried.set(token, run);
  return token;
}

export const carriedBy = (token: ContinuationToken): CarriedRun | undefined => carried.get(token)?.();

/** The token as base64 text; as bytes: `tokenBytes`. On a server, sign it: it names a session. */
export const encodeToken = ({ session, run, seq }: ContinuationToken): string =>
  toBase64(JSON.stringify({ session, run, seq }));

export const tokenBytes = (token: ContinuationToken): Uint8Array => fromBase64(encodeToken(token));

/** Throws `token/invalid`. The Microsoft Agent Framework's: `decodeMafToken` of `@translogue/agent/maf`, or given to a run as it is. */
export function decodeToken(given: string | Uint8Array): ContinuationToken {
  const value = parsed(tokenText(given));
  const { session, run, seq } =
    typeof value === "object" && value !== null ? (value as Partial<ContinuationToken>) : {}; // any object may be asked
  if (typeof session !== "string" || typeof run !== "string" || typeof seq !== "number" || !(seq >= 0))
    throw invalidToken("it has no `session`, `run` and `seq`");
  return { session, run, seq };
}

/** The text in a token's bytes. Throws `token/invalid`. */
export function tokenText(given: string | Uint8Array): string {
  try {
    const bytes = typeof given === "string" ? fromBase64(given) : given;
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw invalidToken("it is no base64 of a text");
  }
}

export function toBase64(text: string): string {
  let binary = "";
  for (const byte of new TextEncoder().encode(text)) binary += String.fromCharCode(byte);
  return btoa(binary);
}

const fromBase64 = (text: string): Uint8Array => Uint8Array.from(atob(text), character => character.charCodeAt(0));

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw invalidToken("its text is no JSON");
  }
}

export const invalidToken = (why: string) => failure("token/invalid", `the continuation token cannot be used: ${why}`);

/** The answer of a run as its events told it, to any of its updates; nothing is copied until somebody asks. */
export class ToldEvents {
  readonly #events: Event[] = [];

  push(events: readonly Event[]): void {
    for (const event of events) this.#events.push(event);
  }

  /** The events there are now, later too. */
  now(): () => readonly Event[] {
    const { length } = this.#events;
    return () => this.#events.slice(0, length);
  }
}
