import type { Path } from "../model/issue.ts";
import { isJsonObject, type Json, type JsonObject, type MutableJsonObject, setMember } from "../model/json.ts";

/** Asked so inside of `for … in`, whether a member is an own one costs nothing, and no list of the names is made. */
const { hasOwnProperty: isOwn } = Object.prototype;

/**
 * Reads the members of a wire object and remembers which were taken. A member of an unexpected shape is not taken, so
 * whatever a decoder does not understand ends in `rest`, under its own name (R2, R4), without any code for it.
 */
export class Reader {
  readonly value: JsonObject;
  /** A handful of names: as a list they are found faster than a set is made. */
  readonly #taken: string[] = [];

  constructor(value: JsonObject) {
    this.value = value;
  }

  /** The member, whatever it is, without taking it. Own members only: `__proto__` and `toString` are no members. */
  peek(key: string): Json | undefined {
    const value = this.value[key];
    return value !== undefined && Object.hasOwn(this.value, key) ? value : undefined;
  }

  take(...keys: string[]): void {
    for (const key of keys) this.#taken.push(key);
  }

  /** The member if `is` accepts it. */
  member<T extends Json>(key: string, is: (value: Json) => value is T): T | undefined {
    const value = this.peek(key);
    if (value === undefined || !is(value)) return undefined;
    this.#taken.push(key);
    return value;
  }

  string(key: string): string | undefined {
    return this.member(key, isString);
  }

  number(key: string): number | undefined {
    return this.member(key, isNumber);
  }

  boolean(key: string): boolean | undefined {
    return this.member(key, isBoolean);
  }

  /** Takes the member only where it has just this value: for discriminants and literals that the encoder writes anew. */
  literal(key: string, literal: Json): boolean {
    if (this.peek(key) !== literal) return false;
    this.#taken.push(key);
    return true;
  }

  object(key: string): JsonObject | undefined {
    return this.member(key, isJsonObject);
  }

  array(key: string): readonly Json[] | undefined {
    return this.member(key, isList);
  }

  json(key: string): Json | undefined {
    return this.member(key, isAny);
  }

  /** All members not taken, undefined where there is none. */
  rest(): JsonObject | undefined {
    let rest: MutableJsonObject | undefined;
    const { value: wire } = this;
    for (const key in wire) {
      if (!isOwn.call(wire, key) || this.#taken.includes(key)) continue;
      const value = wire[key];
      if (value === undefined) continue;
      rest ??= {};
      setMember(rest, key, value);
    }
    return rest;
  }

  /** The same for `native`, where a codec's hints may stand beside it. */
  remainder(): JsonObject | undefined {
    const rest = this.rest();
    return rest && escaped(rest);
  }
}

const isString = (value: Json): value is string => typeof value === "string";
const isNumber = (value: Json): value is number => typeof value === "number";
const isBoolean = (value: Json): value is boolean => typeof value === "boolean";
const isList = (value: Json): value is readonly Json[] => Array.isArray(value);
const isAny = (_: Json): _ is Json => true;

/** Members of the wire as `native` keeps them: those that begin with `$` themselves stand apart, or they would be hints. */
function escaped(rest: JsonObject): JsonObject {
  if (!Object.keys(rest).some(key => key.startsWith("$"))) return rest;
  const [plain, apart]: [MutableJsonObject, MutableJsonObject] = [{}, {}];
  for (const key of Object.keys(rest)) setMember(key.startsWith("$") ? apart : plain, key, rest[key] ?? null);
  return { ...plain, $$members: apart };
}

/** `{ native: { family: … } }` of what was not taken and the hints, or nothing. */
export function native(
  family: string,
  ...members: readonly (JsonObject | undefined)[]
): { native: { [family: string]: JsonObject } } | undefined {
  let merged: MutableJsonObject | undefined;
  for (const object of members) {
    if (object === undefined) continue;
    for (const key in object) {
      const value = isOwn.call(object, key) ? object[key] : undefined;
      if (value === undefined) continue;
      merged ??= {};
      setMember(merged, key, value);
    }
  }
  return merged && { native: { [family]: merged } };
}

/** The wire object: fields first; native fills gaps only, deep into objects, never into arrays; hints (`$…`) stay out (R3). */
export function fill(fields: JsonObject, remainder: JsonObject | undefined): JsonObject {
  if (remainder === undefined || isEmpty(remainder)) return present(fields);
  const wire: MutableJsonObject = {};
  for (const key of Object.keys(remainder ?? {})) {
    if (!key.startsWith("$")) setMember(wire, key, remainder?.[key] as Json); // a key of it
  }
  const { $$members: apart } = remainder;
  return fillGaps(fields, isJsonObject(apart) ? { ...wire, ...apart } : wire);
}

export function isEmpty(object: object): boolean {
  for (const key in object) if (isOwn.call(object, key)) return false;
  return true;
}

/** A wire object of the members that are there: `undefined` is no member. The object itself, where none is. */
export function present(members: { readonly [key: string]: Json | undefined }): JsonObject {
  return hasGap(members) ? withoutGaps(members) : (members as JsonObject); // no member is `undefined`
}

function withoutGaps(members: { readonly [key: string]: Json | undefined }): MutableJsonObject {
  const object: MutableJsonObject = {};
  for (const key in members) {
    const value = isOwn.call(members, key) ? members[key] : undefined;
    if (value !== undefined) setMember(object, key, value);
  }
  return object;
}

function hasGap(members: { readonly [key: string]: unknown }): boolean {
  for (const key in members) if (isOwn.call(members, key) && members[key] === undefined) return true;
  return false;
}

export function fillGaps(fields: JsonObject, remainder: JsonObject): JsonObject {
  const filled = withoutGaps(fields);
  for (const key of Object.keys(remainder)) {
    const gap = remainder[key];
    if (gap === undefined) continue;
    const own = Object.hasOwn(filled, key) ? filled[key] : undefined;
    if (own === undefined) setMember(filled, key, gap);
    else if (isJsonObject(own) && isJsonObject(gap)) setMember(filled, key, fillGaps(own, gap));
  }
  return filled;
}

type Loose<T> = { [K in keyof T]: object extends Pick<T, K> ? T[K] | undefined : T[K] };

/** A count; what is below nothing is a word for something else. */
export const isCount = (value: Json): value is number => typeof value === "number" && value >= 0;

/** An object of the members that are there, for `exactOptionalPropertyTypes`: `undefined` is no member. The object itself, where none is. */
export const defined = <T extends object>(members: Loose<T>): T =>
  present(members as { readonly [key: string]: Json | undefined }) as T; // only `undefined` was added by Loose

/** Joins paths without copying them at every step of a decoder. */
export const at = (path: Path, ...steps: (string | number)[]): Path => [...path, ...steps];

/** A row of a table by a word of the wire's. Own rows only: `constructor` and `__proto__` are words like any other. */
export const rowOf = <Row>(table: { readonly [word: string]: Row }, word: string): Row | undefined =>
  Object.hasOwn(table, word) ? table[word] : undefined;
