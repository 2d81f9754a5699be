import { type Codec, type Detected, detect, findFormat, isError } from "translogue";
import { ambiguous, type Place, unreadable } from "../failure.ts";
import { type Container, holdsEvents } from "./container.ts";
import { Frames } from "./frames.ts";
import type { Scout } from "./lookahead.ts";
import { readJson } from "./text.ts";

/** A format and one of its dialects, if one is known. */
export interface Format {
  readonly codec: Codec;
  readonly dialect?: string;
}

export const refOf = ({ codec, dialect }: Format): string =>
  dialect === undefined ? codec.id : `${codec.id}:${dialect}`;

/** What people call it: with its dialect, where the format has several. */
export const labelOf = (format: Format): string => (format.codec.dialects.length > 1 ? refOf(format) : format.codec.id);

/** The format that the caller names. Throws `format/unknown` and the like. */
export const formatGiven = (ref: string): Format => findFormat(ref);

/** What the first values of a file say of it. */
export interface Reading {
  /** Its values are the events of one stream. */
  readonly isStream: boolean;
  /** The readings that fit, the surest first. */
  readonly detected: readonly Detected[];
}

/** The format that is likelier than all others. */
export function surest(detected: readonly Detected[]): Format | undefined {
  const [first] = detected;
  const rival = detected.find(({ format }) => format !== first?.format);
  if (!first || first.confidence <= (rival?.confidence ?? 0)) return undefined;
  const { codec } = findFormat(first.format);
  return first.dialect === undefined ? { codec } : { codec, dialect: first.dialect };
}

/** The format that is likelier than all others. Throws `input/unreadable` where none fits, `format/ambiguous` where several do. */
export function pickFormat(detected: readonly Detected[], place: Place): Format {
  const format = surest(detected);
  if (format) return format;
  const names = [...new Set(detected.map(reading => reading.format))];
  if (names.length === 0) {
    const hint = "name the one it is with `--from`, and what is wrong with it will be said";
    throw unreadable(`this is none of the formats that are known; ${hint}`, place);
  }
  throw ambiguous(`this may be ${names.slice(0, 3).join(" or ")}; name one of them with \`--from\``, place);
}

export interface FormatChoice {
  /** By the caller. */
  readonly given?: Format | undefined;
  /** As the first value of the file was found to be: it is kept for every value that it fits, whatever came between. */
  readonly first?: Format | undefined;
}

/** The format of one of a file's values. Throws as `pickFormat`. */
export function formatOf(value: unknown, { given, first }: FormatChoice, place: Place): Format {
  if (given) return given;
  return first && first.codec.sniff(value).length > 0 ? first : pickFormat(detect(value), place);
}

/** So many values of a stream are looked at: what begins one may be the same in several formats. */
const mostLooks = 16;
/** So much text that is no JSON is passed over before that: what is looked at is held. */
const mostUnread = 16 * 1024 * 1024;

const isEventShape = ({ shape }: Pick<Detected, "shape">): boolean => shape === "event" || shape === "stream";

/** Tells by the first values of JSON Lines or server-sent events what they are. */
export class FormatScout implements Scout<Reading> {
  readonly #container: Exclude<Container, "json">;
  readonly #given: Format | undefined;
  readonly #frames: Frames;
  #looks = 0;
  #unread = 0;
  #best: readonly Detected[] = [];
  #isStream: boolean | undefined;

  constructor(container: Exclude<Container, "json">, given: Format | undefined, file: string) {
    this.#container = container;
    this.#given = given;
    this.#frames = new Frames(container, file);
  }

  push(chunk: Buffer): Reading | undefined {
    return this.#look(this.#frames.push(chunk));
  }

  end(): Reading {
    return this.#look(this.#frames.end()) ?? this.#reading();
  }

  #look(frames: ReturnType<Frames["push"]>): Reading | undefined {
    for (const frame of frames) {
      const value = "text" in frame ? jsonOf(frame.text) : undefined;
      if (value === undefined) {
        this.#unread += "text" in frame ? frame.text.length : 0;
        if (this.#unread > mostUnread) return this.#reading();
        continue;
      }
      this.#take(value, this.#readings(value));
      this.#looks++;
      const isDecided = this.#isStream === false || surest(this.#best) !== undefined;
      if (isDecided || this.#looks >= mostLooks) return this.#reading();
    }
    return undefined;
  }

  /** Some hosts begin a stream with an event that says nothing: the first value that fits anything counts. */
  #take(value: unknown, detected: readonly Detected[]): void {
    if (detected.length === 0) return;
    if (this.#best.length === 0 || surest(detected)) this.#best = detected;
    // A list of events is a stream of its own, not an event.
    this.#isStream ??= holdsEvents(this.#container) || (isFirstEvent(detected) && !Array.isArray(value));
  }

  #readings(value: unknown): readonly Detected[] {
    const all = this.#given
      ? this.#given.codec.sniff(value).map(sniff => ({ format: this.#given?.codec.id ?? "", ...sniff }))
      : detect(value);
    const events = all.filter(isEventShape);
    return holdsEvents(this.#container) && events.length > 0 ? events : all;
  }

  #reading(): Reading {
    return { isStream: this.#isStream ?? holdsEvents(this.#container), detected: this.#best };
  }
}

const isFirstEvent = ([first]: readonly Detected[]): boolean => first !== undefined && isEventShape(first);

function jsonOf(text: string): unknown {
  try {
    return readJson(text, {}).value;
  } catch (error) {
    if (isError(error, "input/unreadable")) return undefined;
    throw error;
  }
}
