import { TranslogueError } from "../../model/error.ts";
import { type ExactMember, type ExactText, noExactText } from "../../model/exact-text.ts";
import { isJsonObject, type Json, type MutableJsonObject, setMember } from "../../model/json.ts";
import { foldKey } from "./casefold.ts";
import { declared } from "./type-rows.ts";
import { writeTyped } from "./write.ts";

/**
 * `AIJsonUtilities.HashDataToString`: SHA-384 in upper-case hex over the values' compact texts, one after the other, keys
 * sorted, strings by the default encoder: .NET's cache keys. `exact`: source texts of the values' numbers. Throws
 * `maf/repeated-key` for keys that .NET takes for one.
 */
export async function hashMaf(values: readonly Json[], exact: ExactText = noExactText()): Promise<string> {
  const type = declared("object");
  const text = values.map(value => {
    if (exact.root && Object.is(exact.root.value, value)) return exact.root.text;
    const sorter = new Sorter(exact);
    const sorted = sorter.sort(value);
    return type ? writeTyped(sorted, type, { style: "web", exact: sorter.sorted }) : "";
  });
  const hash = await crypto.subtle.digest("SHA-384", new TextEncoder().encode(text.join("")));
  return Array.from(new Uint8Array(hash), byte => byte.toString(16).toUpperCase().padStart(2, "0")).join("");
}

/** Objects with their keys in the order of their UTF-16 units, number literals kept. */
class Sorter {
  readonly #exact: ExactText;
  /** Spelling of the sorted values. */
  readonly sorted = noExactText();

  constructor(exact: ExactText) {
    this.#exact = exact;
  }

  sort(value: Json): Json {
    if (Array.isArray(value)) {
      const items: readonly Json[] = value;
      const sorted = items.map(item => this.sort(item));
      const texts = this.#exact.numbers.get(items);
      if (texts) this.sorted.numbers.set(sorted, texts);
      return sorted;
    }
    return isJsonObject(value) ? this.#object(value) : value;
  }

  #object(value: { readonly [key: string]: Json }): Json {
    const texts = this.#exact.numbers.get(value);
    const known = this.#exact.members.get(value);
    const members: ExactMember[] = [...(known ?? Object.keys(value).map(key => memberOf(key, value, texts)))];
    const keys = new Set<string>();
    for (const { key } of members) {
      if (keys.has(foldKey(key))) {
        throw new TranslogueError("maf/repeated-key", `.NET hashes no object in which \`${key}\` stands twice`, {
          data: { key },
        });
      }
      keys.add(foldKey(key));
    }
    const sorted = members
      .sort((a, b) => (a.key < b.key ? -1 : 1))
      .map(member => ({ ...member, value: this.sort(member.value) }));
    const object: MutableJsonObject = {};
    for (const { key, value: held } of sorted) setMember(object, key, held);
    this.sorted.members.set(object, sorted);
    return object;
  }
}

function memberOf(
  key: string,
  value: { readonly [key: string]: Json },
  texts: ReadonlyMap<string | number, string> | undefined,
): ExactMember {
  const text = texts?.get(key);
  return { key, value: value[key] ?? null, ...(text !== undefined && { text }) };
}
