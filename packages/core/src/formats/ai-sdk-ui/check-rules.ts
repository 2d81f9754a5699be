import type { Path } from "../../model/issue.ts";
import { isJsonObject } from "../../model/json.ts";
import type { UIIssues } from "./check-codes.ts";

/** Where a value stands, and who hears what is wrong with it. */
export interface Place {
  readonly path: Path;
  readonly issues: UIIssues;
}

/** What a value must be. `read` reports what it is not, and gives it as the SDK's validator does: with known members only. */
export interface Rule {
  readonly read: (value: unknown, place: Place) => unknown;
  /** It may be absent. */
  readonly optional?: true;
  /** It must be there, as anything, `undefined` included. */
  readonly any?: true;
}

const rule = (read: Rule["read"]): Rule => ({ read });

const below = ({ path, issues }: Place, step: string | number): Place => ({ path: [...path, step], issues });

export function shown(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "a list";
  if (typeof value === "string") return value.length > 40 ? `"${value.slice(0, 40)}…"` : `"${value}"`;
  if (typeof value === "number" || typeof value === "boolean") return `${value}`;
  return typeof value === "object" ? "an object" : `a value of type ${typeof value}`;
}

export function wrong(value: unknown, expected: string, { path, issues }: Place): undefined {
  if (value === undefined) issues.add("missing-member", path, `is missing; expected ${expected}`);
  else issues.add("wrong-type", path, `is ${shown(value)}; expected ${expected}`);
}

const scalar = (type: "string" | "boolean", expected: string): Rule =>
  rule((value, place) => (typeof value === type ? value : wrong(value, expected, place)));

export const string: Rule = scalar("string", "a string");
export const boolean: Rule = scalar("boolean", "true or false");
export const anything: Rule = { read: value => value, any: true };
export const optional = ({ read }: Rule): Rule => ({ read, optional: true });

export const never: Rule = {
  optional: true,
  read: (value, { path, issues }) =>
    issues.add("unexpected-member", path, `is ${shown(value)}, which a part of this state does not have; remove it`),
};

export const oneOf = (...words: readonly (string | boolean)[]): Rule =>
  rule((value, { path, issues }) => {
    if (words.some(word => word === value)) return value;
    issues.add(
      "unknown-value",
      path,
      `is ${shown(value)}; expected ${words.map(word => JSON.stringify(word)).join(", ")}`,
    );
    return undefined;
  });

export const count: Rule = rule((value, place) =>
  typeof value === "number" && Number.isSafeInteger(value) && value >= 0
    ? value
    : wrong(value, "a whole number from 0 on", place),
);

/** JSON that reaches providers: the SDK refuses anything else in it, and strips members named `__proto__`. */
export const json: Rule = rule((value, place) => {
  const { fault, hasProto } = walked(value);
  if (fault) {
    const { path, issues } = place;
    issues.add("wrong-type", [...path, ...fault.path], `is ${shown(fault.value)}, which is not JSON`);
  }
  return hasProto && !fault ? withoutProto(value) : value;
});

interface Found {
  readonly path: Path;
  readonly value: unknown;
}

/** The first value in another that JSON does not have; one that holds itself counts as that. Members that are undefined are absent. */
export const notJson = (value: unknown): Found | undefined => walked(value).fault;

/** Iterative, so that no depth ends it. */
function walked(value: unknown): { readonly fault?: Found; readonly hasProto: boolean } {
  const stack: { readonly value: unknown; readonly path: Path; readonly leave?: true }[] = [{ value, path: [] }];
  const within = new Set<unknown>();
  const done = new Set<unknown>();
  let hasProto = false;
  for (let next = stack.pop(); next; next = stack.pop()) {
    const { value: each, path, leave } = next;
    if (leave) {
      within.delete(each);
      done.add(each);
    } else if (typeof each === "object" && each !== null) {
      if (within.has(each) || !isPlain(each)) return { fault: { path, value: each }, hasProto };
      if (done.has(each)) continue;
      within.add(each);
      stack.push({ ...next, leave: true });
      hasProto ||= Object.hasOwn(each, "__proto__");
      for (const [step, member] of membersOf(each)) stack.push({ value: member, path: [...path, step] });
    } else if (!isScalar(each)) return { fault: { path, value: each }, hasProto };
  }
  return { hasProto };
}

/** The last first, as a stack wants them. */
function membersOf(value: object): readonly [string | number, unknown][] {
  if (Array.isArray(value)) {
    return Array.from(value, (item: unknown, index): [number, unknown] => [index, item]).reverse();
  }
  const members = Object.entries(value).filter(([name, member]) => member !== undefined && name !== "__proto__");
  return members.reverse();
}

function withoutProto(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutProto);
  if (!isJsonObject(value)) return value;
  const members = Object.entries(value).filter(([name]) => name !== "__proto__");
  return Object.fromEntries(members.map(([name, member]) => [name, withoutProto(member)]));
}

const isScalar = (value: unknown): boolean =>
  value === null || typeof value === "string" || typeof value === "boolean" || Number.isFinite(value);

function isPlain(value: object): boolean {
  if (Array.isArray(value)) return true;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || prototype === Object.prototype || Object.getPrototypeOf(prototype) === null;
}

/** An object of any names. */
export const record = (item: Rule): Rule =>
  rule((value, place) => {
    if (!isJsonObject(value) || !isPlain(value)) return wrong(value, "an object", place);
    const read: { [name: string]: unknown } = {};
    for (const [name, member] of Object.entries(value)) {
      if (name === "__proto__") continue; // as the SDK's records do
      read[name] = member === undefined && item.optional ? undefined : item.read(member, below(place, name));
    }
    return read;
  });

export const list = (item: Rule): Rule =>
  rule((value, place) => {
    if (!Array.isArray(value)) return wrong(value, "a list", place);
    return Array.from(value, (each: unknown, index) => item.read(each, below(place, index)));
  });

export type Members = { readonly [name: string]: Rule };

/** An object of known members; others are stripped. */
export const object = (members: Members): Rule => {
  const known = Object.entries(members);
  return rule((value, place) => {
    if (!isJsonObject(value)) return wrong(value, "an object", place);
    const read: { [name: string]: unknown } = {};
    for (const [name, member] of known) {
      const given: unknown = value[name];
      if (given === undefined && (member.optional || (member.any && name in value))) {
        if (name in value) read[name] = undefined;
      } else if (given === undefined && member.any) wrong(undefined, "a value", below(place, name));
      else read[name] = member.read(given, below(place, name));
    }
    for (const name of Object.keys(value)) {
      if (!Object.hasOwn(members, name) && value[name] !== undefined)
        place.issues.add(
          "unknown-member",
          [...place.path, name],
          "is no member that the SDK knows: its validator strips it",
        );
    }
    return read;
  });
};

/** One of several objects, told apart by a word in one member. */
export const byWord = (member: string, rules: { readonly [word: string]: Rule }): Rule =>
  rule((value, place) => {
    if (!isJsonObject(value)) return wrong(value, "an object", place);
    const word: unknown = value[member];
    const own = typeof word === "string" && Object.hasOwn(rules, word) ? rules[word] : undefined;
    return own ? own.read(value, place) : oneOf(...Object.keys(rules)).read(word, below(place, member));
  });
