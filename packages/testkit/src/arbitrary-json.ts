/** Generators of texts and JSON values, and of what every node may carry. */

import * as fc from "fast-check";
import type { Json, JsonObject, Seal } from "translogue";

type RequiredKey<T> = { [K in keyof T]-?: Partial<Pick<T, K>> extends Pick<T, K> ? never : K }[keyof T];
export type RequiredMembers<T> = { readonly [K in RequiredKey<T>]: fc.Arbitrary<T[K]> };
export type OptionalMembers<T> = {
  readonly [K in Exclude<keyof T, RequiredKey<T>>]?: fc.Arbitrary<Exclude<T[K], undefined>>;
};

/** An object with these members; each optional one may be absent. */
export const object = <T>(required: RequiredMembers<T>, optional: OptionalMembers<T> = {}): fc.Arbitrary<T> =>
  fc.record<Record<string, unknown>>(
    { ...required, ...optional },
    { requiredKeys: Object.keys(required), noNullPrototype: true },
  ) as unknown as fc.Arbitrary<T>; // every required member is in `required`, by its type

const half = fc.integer({ min: 0, max: 0xffff }).map(code => String.fromCharCode(code));

/** Any text that a string can hold: empty, of several scripts, with halves of characters. */
export const arbitraryText: fc.Arbitrary<string> = fc.oneof(
  { weight: 6, arbitrary: fc.string({ unit: "grapheme", maxLength: 20 }) },
  { weight: 1, arbitrary: fc.constantFrom("", " ", "\n", '"', "\\", "{}", "\u2028", "[DONE]", "data: \n\n") },
  { weight: 1, arbitrary: fc.string({ unit: half, maxLength: 8 }) },
);

export const word = fc.stringMatching(/^[a-z][a-z0-9_]{0,7}$/);
export const date = fc
  .date({ min: new Date("2020-01-01"), max: new Date("2030-01-01"), noInvalidDate: true })
  .map(moment => moment.toISOString());
export const yes = fc.constant(true as const);

const key = fc.oneof(word, arbitraryText, fc.constantFrom("__proto__", "constructor", "toString", "10", "2", ""));
const number = fc.oneof(
  fc.integer(),
  // Zero has no sign in JSON as JavaScript writes it.
  fc.double({ noNaN: true, noDefaultInfinity: true }).map(value => (value === 0 ? 0 : value)),
);

/** Any JSON value, and any object; without -0, which `JSON.stringify` does not write. */
export const { json, members } = fc.letrec<{ json: Json; list: readonly Json[]; members: JsonObject }>(tie => ({
  json: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    { weight: 6, arbitrary: fc.oneof(arbitraryText, number, fc.boolean(), fc.constant(null)) },
    { weight: 2, arbitrary: tie("members") },
    { weight: 1, arbitrary: tie("list") },
  ),
  list: fc.array(tie("json"), { maxLength: 4 }),
  // `fromEntries` makes own members, of `__proto__` too.
  members: fc.array(fc.tuple(key, tie("json")), { maxLength: 4 }).map(entries => Object.fromEntries(entries)),
}));

/** Members of formats, in families of which one is nobody's, under names that no wire has. */
export const native: fc.Arbitrary<{ readonly [family: string]: JsonObject }> = fc
  .array(fc.tuple(fc.constantFrom("elsewhere", "openai-chat", "anthropic"), members), { minLength: 1, maxLength: 2 })
  .map(families => Object.fromEntries(families.map(([family, values]) => [family, { x_kept: values }])));

export const seal = object<Seal>(
  { values: fc.dictionary(word, arbitraryText, { minKeys: 1, maxKeys: 2, noNullPrototype: true }) },
  { maker: fc.constantFrom("anthropic", "openai", "google"), model: word, route: word },
);
