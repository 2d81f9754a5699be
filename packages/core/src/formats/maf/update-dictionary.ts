import { type ExactMember, type ExactText, isPlainNumber, setNumberText } from "../../model/exact-text.ts";
import { type Json, type JsonObject, type MutableJsonObject, setMember } from "../../model/json.ts";
import { foldKey } from "./casefold.ts";

/** What an object holds, in the order and spelling of its source where that is known. */
export function membersOf(object: JsonObject, exact: ExactText | undefined): readonly ExactMember[] {
  const members = exact?.members.get(object);
  if (members) return members;
  const texts = exact?.numbers.get(object);
  return Object.entries(object).map(([key, value]) => memberOf(key, value, texts?.get(key)));
}

/** An object of these members; what JavaScript cannot say of it goes to `exact`. */
export function objectOf(members: readonly ExactMember[], exact: ExactText | undefined): JsonObject {
  const object: MutableJsonObject = {};
  for (const { key, value, text } of members) {
    setMember(object, key, value);
    if (exact && text !== undefined) setNumberText(exact, { holder: object, key }, text);
  }
  if (exact && Object.keys(object).some((key, index) => key !== members[index]?.key))
    exact.members.set(object, members);
  return object;
}

/**
 * Dictionaries put together as .NET's `AdditionalPropertiesDictionary.SetAll` does: keys match whatever their case, the
 * first spelling and place win, the last value wins. Nulls are values.
 */
export class Dictionary {
  readonly #members = new Map<string, ExactMember>();

  add(object: JsonObject, exact: ExactText | undefined): void {
    for (const { key, value, text } of membersOf(object, exact)) {
      const name = foldKey(key);
      this.#members.set(name, memberOf(this.#members.get(name)?.key ?? key, value, text));
    }
  }

  value(exact: ExactText | undefined): JsonObject {
    return objectOf([...this.#members.values()], exact);
  }
}

/** Counts of the same name summed as .NET's `long`: it wraps around at 64 bits. Names match as a `Dictionary`'s keys. */
export class Counts {
  readonly #counts = new Map<string, { readonly key: string; readonly count: bigint }>();

  add({ key, value, text }: ExactMember, refuse: (why: string) => never): void {
    const name = foldKey(key);
    const known = this.#counts.get(name);
    const count = countOf(value, text) ?? refuse(`\`${key}\` is no whole number`);
    this.#counts.set(name, { key: known?.key ?? key, count: BigInt.asIntN(64, (known?.count ?? 0n) + count) });
  }

  /** In the order in which they came, or in that of `keys`. */
  members(keys?: readonly string[]): readonly ExactMember[] {
    const counts = keys ? keys.map(key => this.#counts.get(foldKey(key))) : [...this.#counts.values()];
    return counts.flatMap(sum => (sum ? [memberOf(sum.key, Number(sum.count), String(sum.count))] : []));
  }
}

/** A whole number, or the text of one, as .NET reads a `long`. */
function countOf(value: Json, text: string | undefined): bigint | undefined {
  const digits = typeof value === "number" ? (text ?? String(value)) : value;
  if (typeof digits !== "string" || !/^[+-]?\d+$/.test(digits)) return undefined;
  const count = BigInt(digits.replace("+", ""));
  return BigInt.asIntN(64, count) === count ? count : undefined;
}

const memberOf = (key: string, value: Json, text: string | undefined): ExactMember =>
  text === undefined || isPlainNumber(text) ? { key, value } : { key, value, text };
