/** MAF's JSON text: typed values in .NET's order, escaping, numbers and dates, in its four option sets. */

import { TranslogueError } from "../../model/error.ts";
import { type ExactText, readNumber } from "../../model/exact-text.ts";
import type { Path } from "../../model/issue.ts";
import { isJsonObject, type Json, type JsonObject } from "../../model/json.ts";
import { foldKey } from "./casefold.ts";
import { textOf } from "./spelling.ts";
import { isBlank } from "./text-blank.ts";
import { dotnetDate } from "./text-dates.ts";
import { dotnetString, type Encoder, hasLoneSurrogate } from "./text-escape.ts";
import { dotnetNumber } from "./text-numbers.ts";
import { isStrictBase64, mediaTypeOfUri, readDataUri } from "./text-uris.ts";
import { type Declared, type MemberRow, rowFor, type Scalar, type TypeRow } from "./type-rows.ts";
import { enums } from "./type-table.ts";

interface Style {
  readonly indent: string;
  readonly nulls: boolean;
  readonly encoder: Encoder;
  /** Enums as words; else as numbers. */
  readonly words: boolean;
}

/**
 * `compact`: AgentAbstractionsJsonUtilities; `indented`: AIJsonUtilities; `nulls`: with null properties, as ASP.NET answers;
 * `web`: bare JsonSerializerOptions.Web, with the default encoder.
 */
export const styles = {
  compact: { indent: "", nulls: false, encoder: "relaxed", words: true },
  indented: { indent: "  ", nulls: false, encoder: "relaxed", words: true },
  nulls: { indent: "", nulls: true, encoder: "relaxed", words: true },
  web: { indent: "", nulls: true, encoder: "default", words: false },
} as const satisfies { readonly [name: string]: Style };
export type StyleName = keyof typeof styles;

export interface WriteOptions {
  readonly style?: StyleName;
  /** Source texts of the value. */
  readonly exact?: ExactText | undefined;
  /** Throws `encode/not-writable` where .NET throws, instead of writing what is nearest. Default false. */
  readonly strict?: boolean;
  /** Told of what is written otherwise than it stands in the value, by its path. */
  readonly lose?: ((code: string, path: Path) => void) | undefined;
}

/** A value of a declared type as .NET writes it. */
export function writeTyped(value: Json, type: Declared, options: WriteOptions = {}): string {
  const writer = new Writer(options);
  const text = writer.typed(value, type, { holder: [value], key: 0 });
  // Paths are looked for where something is to be told, which is rare.
  if (options.lose && (writer.folded.size > 0 || text.includes("\\uFFFD")))
    tellChanges(value, writer.folded, options.lose);
  return text;
}

/** Where a value stands: numbers are spelled by that. */
interface Place {
  readonly holder: object;
  readonly key: string | number;
  readonly text?: string | undefined;
}

class Writer {
  readonly #style: Style;
  readonly #exact: ExactText | undefined;
  readonly #isStrict: boolean;
  /** Of each dictionary the keys whose value another spelling of the same key took. */
  readonly folded = new Map<object, readonly string[]>();
  #depth = 0;

  constructor(options: WriteOptions) {
    this.#style = styles[options.style ?? "compact"];
    this.#exact = options.exact;
    this.#isStrict = options.strict ?? false;
  }

  typed(value: Json, type: Declared, place: Place): string {
    if (value === null) return "null";
    if (type.is === "scalar") return this.#scalar(value, type.scalar, place);
    if (type.is === "list") {
      if (!Array.isArray(value)) return this.#raw(value, place);
      const items: readonly Json[] = value;
      return this.#list(items, (item, key) => this.typed(item, type.of, { holder: items, key }));
    }
    if (!isJsonObject(value)) return this.#raw(value, place);
    if (type.is === "dictionary") return this.#dictionary(value, type);
    return this.#object(value, type.row);
  }

  #object(value: JsonObject, row: TypeRow): string {
    const word = row.kinds && own(value, "$type");
    const actual = rowFor(row, word);
    if (!actual) return this.#raw(value, { holder: [value], key: 0 }); // of a kind that nobody knows: as it was
    return this.#braces(() => {
      const members: [string, string][] = [];
      if (typeof word === "string") members.push(["$type", this.#string(word)]);
      for (const member of actual.members) {
        const text = this.#member(value, member, actual);
        if (text !== undefined) members.push([member.name, text]);
      }
      for (const { key, value: unknown, text } of this.#entries(value)) {
        if (key === "$type" || actual.member(key)) continue;
        members.push([key, this.#raw(unknown, { holder: value, key, text })]);
      }
      return members;
    });
  }

  #member(value: JsonObject, member: MemberRow, row: TypeRow): string | undefined {
    const given = givenOf(own(value, member.name), member.type);
    if (given !== null) return this.typed(given, member.type, { holder: value, key: member.name });
    if (row.name === "UriContent" && member.name === "mediaType") return this.#string(inferred(value));
    const isDefaultRole = given === null && value[member.name] === null && isWord(member.type); // default(ChatRole)
    if (member.absent !== undefined && !isDefaultRole)
      return this.typed(member.absent, member.type, { holder: row, key: "" });
    return this.#style.nulls || member.absent !== undefined ? "null" : undefined;
  }

  #scalar(value: Json, scalar: Scalar, place: Place): string {
    switch (scalar) {
      case "date": {
        const date = typeof value === "string" ? dotnetDate(value) : undefined;
        return date === undefined ? this.#raw(value, place) : `"${date}"`; // no encoder sees dates and bytes
      }
      case "token":
        return typeof value === "string" && isStrictBase64(value) ? `"${value}"` : this.#raw(value, place);
      case "dataUri":
        return typeof value === "string" ? this.#string(canonical(value)) : this.#raw(value, place);
      case "float":
        return this.#float(value, place);
      case "long":
      case "int":
        return typeof value === "string" && /^-?\d+$/.test(value) ? value : this.#raw(value, place);
      case "ReasoningEffort":
      case "ReasoningOutput": {
        const number = typeof value === "string" ? (enums[scalar] as readonly string[]).indexOf(value) : -1;
        return number >= 0 && !this.#style.words ? String(number) : this.#raw(value, place);
      }
      case "json":
        return this.#raw(value, place);
      default:
        return typeof value === "string" ? this.#string(value) : this.#raw(value, place);
    }
  }

  #float(value: Json, place: Place): string {
    if (typeof value !== "number") return this.#raw(value, place);
    const text = dotnetNumber(value, "float");
    if (text !== undefined) return text;
    this.#refuse("a float is infinite or no number, which JSON has no word for");
    return dotnetNumber(value) ?? "null";
  }

  /** A value of no declared type: as it stands, spelled by this encoder. */
  #raw(value: Json, place: Place): string {
    if (typeof value === "number") {
      const { text } = place;
      return text !== undefined && readNumber(text) === value ? text : textOf(place, value, this.#exact);
    }
    if (typeof value === "string") {
      if (this.#isStrict && hasLoneSurrogate(value)) this.#refuse("a value holds half a surrogate pair");
      return this.#string(value);
    }
    if (typeof value !== "object" || value === null) return String(value);
    if (Array.isArray(value)) {
      const items: readonly Json[] = value;
      return this.#list(items, (item, key) => this.#raw(item, { holder: items, key }));
    }
    const object = value as JsonObject; // no list
    return this.#braces(() =>
      this.#entries(object).map(({ key, value: held, text }) => [key, this.#raw(held, { holder: object, key, text })]),
    );
  }

  #dictionary(value: JsonObject, type: Declared & { readonly is: "dictionary" }): string {
    return this.#braces(() => {
      const members = new Map<string, [string, string]>();
      for (const { key, value: held, text } of this.#entries(value)) {
        const name = type.ignoresCase ? foldKey(key) : key;
        const known = members.get(name);
        if (known) this.folded.set(value, [...(this.folded.get(value) ?? []), key]);
        // The first spelling and place win, the last value wins.
        members.set(name, [known?.[0] ?? key, this.typed(held, type.of, { holder: value, key, text })]);
      }
      return [...members.values()];
    });
  }

  #entries(object: JsonObject): readonly { readonly key: string; readonly value: Json; readonly text?: string }[] {
    const members = this.#exact?.members.get(object);
    if (members && members.length >= Object.keys(object).length) return members;
    return Object.keys(object).flatMap(key => {
      const value = object[key];
      return value === undefined ? [] : [{ key, value }];
    });
  }

  #string(text: string): string {
    return dotnetString(text, this.#style.encoder);
  }

  #braces(write: () => Iterable<readonly [string, string]>): string {
    const colon = this.#style.indent === "" ? ":" : ": ";
    return this.#lines("{}", () => Array.from(write(), ([key, text]) => `${this.#string(key)}${colon}${text}`));
  }

  #list(items: readonly Json[], write: (item: Json, index: number) => string): string {
    return this.#lines("[]", () => items.map(write));
  }

  #lines(brackets: string, write: () => readonly string[]): string {
    this.#depth++;
    const texts = write();
    this.#depth--;
    const [open = "", close = ""] = brackets;
    const { indent } = this.#style;
    if (texts.length === 0 || indent === "") return `${open}${texts.join(",")}${close}`;
    const margin = `\n${indent.repeat(this.#depth)}`;
    return `${open}${texts.map(text => margin + indent + text).join(",")}${margin}${close}`;
  }

  #refuse(why: string): void {
    if (this.#isStrict) throw new TranslogueError("encode/not-writable", `.NET cannot write this: ${why}`);
  }
}

const own = (object: JsonObject, key: string): Json | undefined =>
  Object.hasOwn(object, key) ? object[key] : undefined;

const isWord = (type: Declared): boolean => type.is === "scalar" && type.scalar === "word";

/** A blank author is none. */
const givenOf = (value: Json | undefined, type: Declared): Json =>
  value === undefined || (type.is === "scalar" && type.scalar === "author" && isBlank(value)) ? null : value;

function canonical(uri: string): string {
  const read = readDataUri(uri);
  return typeof read === "string" ? uri : read.uri;
}

function inferred(value: JsonObject): string {
  const uri = own(value, "uri");
  return mediaTypeOfUri(typeof uri === "string" ? uri : "");
}

function tellChanges(
  value: Json,
  folded: ReadonlyMap<object, readonly string[]>,
  lose: (code: string, path: Path) => void,
): void {
  const pending: { readonly value: Json; readonly path: Path }[] = [{ value, path: [] }];
  for (let next = pending.pop(); next; next = pending.pop()) {
    const { value: held, path } = next;
    if (typeof held === "string" && hasLoneSurrogate(held)) lose("half-character", path);
    if (typeof held !== "object" || held === null) continue;
    for (const key of folded.get(held) ?? []) lose("folded-key", [...path, key]);
    const inner: { readonly value: Json; readonly path: Path }[] = [];
    for (const [key, each] of Object.entries(held)) {
      if (hasLoneSurrogate(key)) lose("half-character", [...path, key]);
      inner.push({ value: each as Json, path: [...path, Array.isArray(held) ? Number(key) : key] }); // JSON holds JSON
    }
    for (const each of inner.reverse()) pending.push(each); // in the order of the text
  }
}
