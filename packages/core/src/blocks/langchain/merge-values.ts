import { copyExact, type ExactText, readNumber, setNumberText } from "../../model/exact-text.ts";
import { isJsonObject, type Json, type JsonObject, type MutableJsonObject, setMember } from "../../model/json.ts";

/** How values of chunks become one: what LangChain's `merge_dicts` and `merge_lists` leave open between its languages. */
export interface MergeRules {
  /** The place of the element that this item of a list continues; undefined = it is an element of its own. */
  match(list: ListIndex, item: JsonObject): number | undefined;
  /** What of an item is merged into the element that it continues. */
  continuing(element: JsonObject, item: JsonObject): JsonObject;
  /** Whether an item that continues nothing is left out. */
  skips(item: Json): boolean;
  /** Two values of a member, neither of them null, that are not both objects or both lists. */
  scalar(key: string, left: Json, right: Json): Json;
}

/** Told where an item of a list went: a place of its own, or that of the element that it continues. */
export type Placed = (item: Json, place: number) => void;

/** Merges values into copies that it owns, in place: each piece is looked at once, however many chunks there are. */
export class Merger {
  readonly #rules: MergeRules;
  readonly #exact: ExactText | undefined;
  readonly #indexes = new WeakMap<readonly Json[], ListIndex>();

  /** `exact`: has the spelling of what is put in, and gets that of the copies. */
  constructor(rules: MergeRules, exact?: ExactText) {
    this.#rules = rules;
    this.#exact = exact;
  }

  dict(left: MutableJsonObject, right: JsonObject): void {
    for (const key of Object.keys(right)) {
      const value = right[key];
      if (value === undefined) continue;
      const own = Object.hasOwn(left, key) ? left[key] : undefined;
      if (own === undefined || own === null) setMember(left, key, thaw(value, this.#exact));
      else if (value !== null) setMember(left, key, this.#value(key, own, value));
      if (this.#exact && left[key] !== own) this.#spell(this.#exact, { left, right, key });
    }
  }

  /** A number that came has its spelling; a sum has none. */
  #spell(
    exact: ExactText,
    { left, right, key }: { readonly left: JsonObject; readonly right: JsonObject; readonly key: string },
  ): void {
    exact.numbers.get(left)?.delete(key);
    const text = exact.numbers.get(right)?.get(key);
    if (text !== undefined && readNumber(text) === left[key]) setNumberText(exact, { holder: left, key }, text);
  }

  #value(key: string, left: Json, right: Json): Json {
    if (isJsonObject(left) && isJsonObject(right))
      this.dict(left as MutableJsonObject, right); // ours: a copy
    else if (Array.isArray(left) && Array.isArray(right)) this.list(left, right);
    else return this.#rules.scalar(key, left, right);
    return left;
  }

  list(left: Json[], right: readonly Json[], placed?: Placed): void {
    const index = this.#indexOf(left);
    for (const item of right) {
      const place = isJsonObject(item) ? this.#rules.match(index, item) : undefined;
      const element = place === undefined ? undefined : left[place];
      if (isJsonObject(element) && isJsonObject(item)) {
        this.dict(element as MutableJsonObject, this.#rules.continuing(element, item)); // ours: a copy
        placed?.(item, place ?? 0);
      } else if (!this.#rules.skips(item)) {
        this.append(left, item);
        placed?.(item, left.length - 1);
      }
    }
  }

  append(list: Json[], item: Json): void {
    const index = this.#indexOf(list);
    list.push(thaw(item, this.#exact));
    index.add(list.length - 1);
  }

  #indexOf(list: Json[]): ListIndex {
    const known = this.#indexes.get(list);
    if (known) return known;
    const index = new ListIndex(list);
    this.#indexes.set(list, index);
    return index;
  }
}

/** Finds elements of a list by their `index`, or by their `id` where they have none. */
export class ListIndex {
  readonly list: readonly Json[];
  readonly #byIndex = new Map<Json, number[]>();
  readonly #byId = new Map<Json, number[]>();

  constructor(list: readonly Json[]) {
    this.list = list;
    for (const place of list.keys()) this.add(place);
  }

  add(place: number): void {
    const item = this.list[place];
    if (!isJsonObject(item)) return;
    const { index, id } = item;
    if (isMergeable(index)) put(this.#byIndex, index, place);
    else if (typeof id === "string" && id !== "") put(this.#byId, id, place);
  }

  /** Places of elements with this index, in order. */
  withIndex(index: number | string): readonly number[] {
    return this.#byIndex.get(index) ?? [];
  }

  /** Places of elements that have this id and no index, in order. */
  withId(id: string): readonly number[] {
    return this.#byId.get(id) ?? [];
  }

  at(place: number): JsonObject {
    const item = this.list[place];
    return isJsonObject(item) ? item : {};
  }
}

export const isMergeable = (index: Json | undefined): index is number | string =>
  typeof index === "number" || typeof index === "string";

function put(map: Map<Json, number[]>, key: Json, place: number): void {
  const places = map.get(key);
  if (places) places.push(place);
  else map.set(key, [place]);
}

/** A copy that may be merged into; what is put in is never changed. `exact` gets the spelling of the copy's numbers. */
export function thaw(value: Json, exact?: ExactText): Json {
  if (Array.isArray(value))
    return spelled(
      value,
      value.map((item: Json) => thaw(item, exact)),
      exact,
    );
  return isJsonObject(value) ? thawObject(value, exact) : value;
}

export function thawObject(value: JsonObject, exact?: ExactText): MutableJsonObject {
  const copy: MutableJsonObject = {};
  for (const key of Object.keys(value)) {
    const member = value[key];
    if (member !== undefined) setMember(copy, key, thaw(member, exact));
  }
  return spelled(value, copy, exact);
}

function spelled<T extends object>(value: object, copy: T, exact: ExactText | undefined): T {
  if (!exact) return copy;
  copyExact(exact, value, copy);
  const members = exact.members.get(value);
  if (members) exact.members.set(copy, members);
  return copy;
}
