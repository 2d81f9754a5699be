import { formatPath, isJsonObject, type Json, type Path } from "translogue";
import { nearest } from "../nearest.ts";

/** Says what is wrong with a value, at its path. */
export type Complain = (path: Path, message: string) => void;

/** Reads a value as a type; undefined after a complaint. */
export type Check<T> = (value: Json, path: Path, complain: Complain) => T | undefined;

const found = (value: Json): string => {
  const text = JSON.stringify(value);
  return text.length > 40 ? `${text.slice(0, 40)}…` : text;
};

const expected =
  <T extends Json>(what: string, fits: (value: Json) => value is T): Check<T> =>
  (value, path, complain) => {
    if (fits(value)) return value;
    complain(path, `expected ${what}, found ${found(value)}`);
    return undefined;
  };

export const text: Check<string> = expected(
  "a text",
  (value): value is string => typeof value === "string" && value !== "",
);

export const textOf = (what: string, pattern: RegExp): Check<string> =>
  expected(what, (value): value is string => typeof value === "string" && pattern.test(value));

export const whole = (least: number, most: number): Check<number> =>
  expected(
    `a whole number from ${least} to ${most}`,
    (value): value is number => Number.isInteger(value) && Number(value) >= least && Number(value) <= most,
  );

export const oneOf = <const Choice extends string | number>(...choices: readonly Choice[]): Check<Choice> =>
  expected(
    `one of ${choices.join(", ")}`,
    (value): value is Choice => (choices as readonly unknown[]).includes(value), // any value may be looked for
  );

export const listOf =
  <T>(item: Check<T>): Check<readonly T[]> =>
  (value, path, complain) => {
    if (!Array.isArray(value)) {
      complain(path, `expected a list, found ${found(value)}`);
      return undefined;
    }
    return (value as readonly Json[]).flatMap((entry, index) => item(entry, [...path, index], complain) ?? []); // an array of JSON
  };

/** The first that fits; where none does, what the last one says. */
export const either =
  <A, B>(first: Check<A>, second: Check<B>): Check<A | B> =>
  (value, path, complain) =>
    first(value, path, () => {}) ?? second(value, path, complain);

/** Members of any name. */
export const mapOf =
  <T>(member: Check<T>): Check<{ readonly [name: string]: T }> =>
  (value, path, complain) => {
    if (!isJsonObject(value)) {
      complain(path, `expected an object, found ${found(value)}`);
      return undefined;
    }
    const entries = Object.entries(value).flatMap(([name, entry]): [string, T][] => {
      const read = member(entry, [...path, name], complain);
      return read === undefined ? [] : [[name, read]];
    });
    return Object.fromEntries(entries);
  };

type Members = { readonly [name: string]: Check<unknown> };
type Read<M extends Members> = { readonly [name in keyof M]?: Exclude<ReturnType<M[name]>, undefined> };

/** Members of these names and no others. `required` ones must be there. */
export const objectOf =
  <const M extends Members, const R extends keyof M & string = never>(
    members: M,
    required: readonly R[] = [],
  ): Check<Read<M> & { readonly [name in R]: Exclude<ReturnType<M[name]>, undefined> }> =>
  (value, path, complain) => {
    if (!isJsonObject(value)) {
      complain(path, `expected an object, found ${found(value)}`);
      return undefined;
    }
    const read: { [name: string]: unknown } = {};
    for (const name of required) if (!Object.hasOwn(value, name)) complain(path, `\`${name}\` is missing`);
    for (const [name, entry] of Object.entries(value)) {
      const check = Object.hasOwn(members, name) ? members[name] : undefined;
      if (check) read[name] = check(entry, [...path, name], complain);
      else complain([...path, name], unknownMember(name, Object.keys(members)));
    }
    // Whoever complained does not use it; else it has what the table says.
    return read as ReturnType<ReturnType<typeof objectOf<M, R>>>;
  };

function unknownMember(name: string, known: readonly string[]): string {
  const near = nearest(name, known);
  return `there is no such setting; ${near ? `did you mean \`${near}\`?` : `there are ${known.join(", ")}`}`;
}

/** `models[0]: expected a text`, one a line. */
export const complaint = (path: Path, message: string): string =>
  path.length === 0 ? message : `${formatPath(path)}: ${message}`;
