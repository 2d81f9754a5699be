/** MAF's JSON, read by the table of types: strictly, refusing what .NET refuses, or taking all that can be understood. */

import { TranslogueError } from "../../model/error.ts";
import { copyExact, type ExactMember, type ExactText, setNumberText } from "../../model/exact-text.ts";
import type { Path } from "../../model/issue.ts";
import { isJsonObject, type Json, type JsonObject, type MutableJsonObject, setMember } from "../../model/json.ts";
import { foldKey } from "./casefold.ts";
import { modern } from "./legacy.ts";
import { readScalar, type ScalarReading } from "./read-scalars.ts";
import { isBlank } from "./text-blank.ts";
import { hasLoneSurrogate } from "./text-escape.ts";
import { type Declared, type MemberRow, rowFor, type Scalar, type TypeRow } from "./type-rows.ts";
import { enums } from "./type-table.ts";

export interface ReadOptions {
  /** Refuse what .NET refuses, and drop what it drops. Default: take all that can be understood, and keep the rest. */
  readonly strict?: boolean;
  /** Source texts of the value; those of the value returned are added to it. */
  readonly exact?: ExactText | undefined;
  /** Told what .NET would refuse or drop, where not strict. */
  readonly issue?: (code: string, path: Path, message: string) => void;
}

/**
 * A value of a declared type: known members under their own names, in .NET's order and spelling, then, if not strict, those
 * that .NET does not know. What needs no change is the same object. Throws `decode/refused` where strict and .NET throws.
 */
export const readTyped = (value: Json, type: Declared, options: ReadOptions = {}): Json =>
  new TypedReader(options).read(value, type, undefined);

class TypedReader {
  readonly #isStrict: boolean;
  readonly #exact: ExactText | undefined;
  readonly #issue: ReadOptions["issue"];
  readonly #path: (string | number)[] = [];

  constructor(options: ReadOptions) {
    this.#isStrict = options.strict ?? false;
    this.#exact = options.exact;
    this.#issue = options.issue;
  }

  read(value: Json, type: Declared, text: string | undefined): Json {
    if (value === null) return value;
    switch (type.is) {
      case "scalar":
        return this.#scalar(value, type, { text });
      case "list":
        return this.#list(value, type.of);
      case "dictionary":
        return this.#dictionary(value, type);
      default:
        return isJsonObject(value) ? this.#object(value, type.row) : this.#refuse("an object is expected", value);
    }
  }

  #scalar(
    value: Json,
    type: Declared & { readonly is: "scalar" },
    at: { readonly text: string | undefined; readonly to?: object; readonly key?: string | number },
  ): Json {
    const read = this.#read(value, type.scalar, at.text);
    const isKept = "refused" in read;
    if (isKept) this.#refuse(read.refused, value);
    const text = isKept ? at.text : read.text;
    if (this.#exact && text !== undefined && at.to && at.key !== undefined) {
      setNumberText(this.#exact, { holder: at.to, key: at.key }, text);
    }
    return isKept ? value : read.value;
  }

  /** Where not strict, a text stays as it was written: the writer puts it into .NET's form. */
  #read(value: Json, scalar: Scalar, text: string | undefined): ScalarReading {
    const read = readScalar(value, scalar, text);
    const isSpelled = typeof value === "string" && "value" in read && typeof read.value !== "number";
    return isSpelled && !this.#isStrict && !(scalar in enums) ? { value } : read;
  }

  #list(value: Json, of: Declared): Json {
    if (!Array.isArray(value)) return this.#refuse("a list is expected", value);
    const items: readonly Json[] = value;
    const texts = this.#exact?.numbers.get(items);
    const read = items.map((item, index) => this.#within(index, () => this.read(item, of, texts?.get(index))));
    if (read.every((item, index) => Object.is(item, items[index]))) return items;
    if (this.#exact) copyExact(this.#exact, items, read);
    return read;
  }

  #dictionary(value: Json, type: Declared & { readonly is: "dictionary" }): Json {
    if (!isJsonObject(value)) return this.#refuse("an object is expected", value);
    const members = new Map<string, ExactMember>();
    let isChanged = false;
    for (const { key, value: held, text } of this.#entries(value)) {
      if (hasLoneSurrogate(key)) this.#refuse("half a surrogate pair is no text", key);
      const name = type.ignoresCase ? foldKey(key) : key;
      const known = members.get(name);
      if (known) {
        const message = `.NET reads it as ${JSON.stringify(known.key)}, which stands there before: its value takes the place of that one's`;
        this.#issue?.("folded-key", [...this.#path, key], message);
      }
      const read = this.#within(key, () => this.#held(held, type.of, text));
      // The first spelling and place win, the last value wins.
      members.set(name, { key: known?.key ?? key, ...read });
      isChanged ||= known !== undefined || !Object.is(read.value, held) || read.text !== text;
    }
    return isChanged ? this.#ordered([...members.values()]) : value;
  }

  #held(value: Json, type: Declared, text: string | undefined): { readonly value: Json; readonly text?: string } {
    if (type.is !== "scalar" || value === null) return { value: this.read(value, type, text) };
    const read = this.#read(value, type.scalar, text);
    if ("refused" in read) this.#refuse(read.refused, value);
    return "refused" in read ? { value, ...(text !== undefined && { text }) } : read;
  }

  /** An object of these members; what JavaScript cannot say of it is in the exact texts. */
  #ordered(members: readonly ExactMember[]): JsonObject {
    const object: MutableJsonObject = {};
    for (const { key, value, text } of members) {
      setMember(object, key, value);
      if (this.#exact && text !== undefined) setNumberText(this.#exact, { holder: object, key }, text);
    }
    const isMoved = Object.keys(object).some((key, index) => key !== members[index]?.key);
    if (isMoved) this.#exact?.members.set(object, members);
    return object;
  }

  #object(given: JsonObject, row: TypeRow): Json {
    const value = this.#isStrict ? given : modern(given, row, this.#exact);
    if (value !== given) this.#report("legacy", "this is the spelling of an older version");
    const word = row.kinds && this.#word(value);
    const actual = rowFor(row, word);
    if (!actual) return this.#refuse(`no kind is called \`${String(word)}\``, value, "unknown-kind");
    if (actual.isAbstract) this.#refuse(`${actual.name} cannot be read as such`, value);
    const fields = new Map<string, ExactMember>();
    const others: ExactMember[] = [];
    for (const entry of this.#entries(value)) {
      if (entry.key === "$type" && row.kinds) continue;
      const member = actual.member(entry.key);
      if (member)
        fields.set(
          member.name,
          this.#within(member.name, () => this.#member(entry, member)),
        );
      else this.#unknown(entry, row, others);
    }
    const members: ExactMember[] = typeof word === "string" ? [{ key: "$type", value: word }] : [];
    for (const member of actual.members) {
      const field = this.#needed(member, fields.get(member.name));
      if (field) members.push(field);
    }
    this.#check(actual, fields);
    return this.#same(value, [...members, ...others]);
  }

  /** The value itself where it has just these members in this order. */
  #same(value: JsonObject, members: readonly ExactMember[]): JsonObject {
    const keys = Object.keys(value);
    const isSame =
      keys.length === members.length &&
      members.every(({ key, value: held }, index) => key === keys[index] && Object.is(value[key], held)) &&
      !this.#exact?.members.has(value);
    return isSame ? value : this.#ordered(members);
  }

  /** `$type`, which .NET wants first. */
  #word(value: JsonObject): Json | undefined {
    if (!Object.hasOwn(value, "$type")) return undefined;
    const entries = this.#entries(value);
    const [first] = entries;
    if (first?.key !== "$type" || entries.filter(({ key }) => key === "$type").length > 1) {
      this.#refuse("`$type` stands once, before all other members", null, "misplaced-type");
    }
    const word = value["$type"];
    if (typeof word !== "string") this.#refuse("`$type` is a text", null);
    return word;
  }

  #member(entry: ExactMember, member: MemberRow): ExactMember {
    const { value, text } = entry;
    if (value === null) {
      const isStruct = member.type.is === "scalar" && ["bool", "word"].includes(member.type.scalar);
      if (isStruct && member.absent !== undefined) this.#refuse("null is no value of it", value);
      return { key: member.name, value };
    }
    const held = this.#held(value, member.type, text);
    if (member.needed === "filled" && isBlank(held.value)) this.#refuse("it is blank", value);
    return { key: member.name, ...held };
  }

  #needed(member: MemberRow, field: ExactMember | undefined): ExactMember | undefined {
    const isGiven = field !== undefined && field.value !== null;
    if (member.needed && !isGiven) {
      this.#within(member.name, () => this.#refuse("it is missing", null, "missing-member"));
    }
    if (!this.#isStrict) return field;
    if (isGiven && !member.isLost) return field;
    return member.absent === undefined ? undefined : { key: member.name, value: member.absent };
  }

  #unknown(entry: ExactMember, row: TypeRow, others: ExactMember[]): void {
    if (row.kinds && entry.key.startsWith("$")) {
      this.#refuse(`\`${entry.key}\` is no member: names that begin with $ are kept for metadata`, null);
    }
    if (!this.#isStrict) others.push(entry);
  }

  #check(row: TypeRow, fields: ReadonlyMap<string, ExactMember>): void {
    if (row.name !== "ChatResponseFormatJson") return;
    const isNamed = ["schemaName", "schemaDescription"].some(name => (fields.get(name)?.value ?? null) !== null);
    if (isNamed && (fields.get("schema")?.value ?? null) === null) {
      this.#refuse("a name or description needs a schema", null);
    }
  }

  #entries(object: JsonObject): readonly ExactMember[] {
    const members = this.#exact?.members.get(object);
    if (members) return members;
    const texts = this.#exact?.numbers.get(object);
    return Object.keys(object).flatMap(key => {
      const value = object[key];
      if (value === undefined) return [];
      const text = texts?.get(key);
      return [text === undefined ? { key, value } : { key, value, text }];
    });
  }

  #within<T>(step: string | number, read: () => T): T {
    this.#path.push(step);
    const result = read();
    this.#path.pop();
    return result;
  }

  #refuse(why: string, value: Json, code = "not-dotnet"): Json {
    if (!this.#isStrict) this.#report(code, why);
    else {
      const place = this.#path.length === 0 ? "the value" : `\`${this.#path.join(".")}\``;
      throw new TranslogueError("decode/refused", `.NET refuses ${place}: ${why}`, {
        data: { path: [...this.#path], reason: why },
      });
    }
    return value;
  }

  #report(code: string, message: string): void {
    this.#issue?.(code, [...this.#path], message);
  }
}
