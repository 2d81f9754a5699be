import { TranslogueError } from "../../model/error.ts";
import { isJsonObject, type Json, type JsonObject } from "../../model/json.ts";
import { isBlank } from "./text-blank.ts";
import { dotnetDate } from "./text-dates.ts";

/** A text that is there and not empty: an empty id is none. */
export const wordOf = (value: Json | undefined): string | undefined =>
  typeof value === "string" && value !== "" ? value : undefined;

/** A blank author is none. */
export const authorOf = ({ authorName }: JsonObject): string | undefined =>
  typeof authorName === "string" && !isBlank(authorName) ? authorName : undefined;

export const itemsOf = (value: Json | undefined): readonly Json[] => (Array.isArray(value) ? value : []);

/** A member that is there and not null. */
export const givenOf = (value: Json | undefined): Json | undefined => value ?? undefined;

/** The value as an update, or an error that says which one is none; a role or finish reason that is blank makes it none. */
export const updateOf = (value: Json | undefined, index: number): JsonObject =>
  envelopeOf(value, `update ${index + 1}`, ["role", "finishReason"]);

/** A value that must be an object, in which some words, where given, must not be blank. */
export function envelopeOf(value: Json | undefined, what: string, words: readonly string[] = []): JsonObject {
  if (!isJsonObject(value)) throw notThis(`${what} is ${value === undefined ? "missing" : "no object"}`);
  for (const name of words) {
    const word = value[name];
    if (word === undefined || word === null) continue;
    if (typeof word !== "string" || isBlank(word)) throw notThis(`\`${name}\` of ${what} is blank or no text`);
  }
  return value;
}

export const notThis = (why: string): TranslogueError =>
  new TranslogueError("decode/not-this-format", `this cannot be read as MAF's JSON: ${why}`);

/**
 * Whether a date says when something was made: one after 1970-01-01 (some clients send that day for "unknown").
 * A date of unknown spelling is taken at its word.
 */
export function isCreationDate(value: Json | undefined): value is string {
  if (typeof value !== "string") return false;
  const date = dotnetDate(value);
  if (date === undefined) return true;
  const [, seconds = "", fraction = "", zone = ""] = /^(.{19})(\.\d+)?(.*)$/.exec(date) ?? [];
  const time = Date.parse(seconds + zone);
  // .NET counts in tenths of microseconds, JavaScript in milliseconds.
  return time > 0 || (time === 0 && fraction !== "");
}
