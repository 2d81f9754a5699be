import { formatPath, type Json, type MutableJsonObject, type Path, setMember } from "translogue";

/** What JSON writes as `{}`, or as an object of numbers: their content would be gone without a word. */
const unwritable = new Set(
  ["Map", "Set", "WeakMap", "WeakSet", "Promise", "RegExp", "Error", "ArrayBuffer", "DataView", "URLSearchParams"].map(
    name => `[object ${name}]`,
  ),
);
const deepest = 1000;

/**
 * A copy of a value as JSON, which says what the value said: members that are undefined are left out, and `toJSON` is asked
 * (a Date is its ISO text). Throws a TypeError that names the place of whatever JSON would drop, empty or turn into null.
 */
export function jsonCopy(value: unknown): Json {
  return copied(value, { path: [], open: new Set() });
}

interface Place {
  readonly path: Path;
  /** The objects that this one stands in. */
  readonly open: Set<object>;
}

function copied(value: unknown, place: Place): Json {
  switch (typeof value) {
    case "string":
    case "boolean":
      return value;
    case "number":
      if (!Number.isFinite(value)) throw noJson(place, String(value));
      return value;
    case "object":
      return value === null ? null : copiedObject(value, place);
    case "undefined":
      throw noJson(place, "undefined");
    default:
      throw noJson(place, `a ${typeof value}`);
  }
}

function copiedObject(value: object, place: Place): Json {
  if (place.open.has(value)) throw noJson(place, "an object that it stands in itself");
  if (place.path.length > deepest) throw new TypeError(`it is nested deeper than ${deepest} levels`);
  const plain = unwrapped(value, place);
  if (typeof plain !== "object" || plain === null) return copied(plain, place);
  place.open.add(value);
  const json = Array.isArray(plain) ? copiedList(plain, place) : copiedMembers(plain, place);
  place.open.delete(value);
  return json;
}

/** Bytes are looked at first: a Buffer's own `toJSON` is a list of numbers. */
function unwrapped(value: object, place: Place): unknown {
  if (ArrayBuffer.isView(value)) throw noJson(place, `${nameOf(value)}: give base64 text, or a file part`);
  if ("toJSON" in value && typeof value.toJSON === "function") {
    const json: unknown = value.toJSON(String(place.path.at(-1) ?? ""));
    if (json === null || json === undefined) throw noJson(place, `${nameOf(value)} without a JSON value`);
    return json;
  }
  if (value instanceof Number || value instanceof String || value instanceof Boolean) return value.valueOf();
  return value;
}

function copiedList(list: readonly unknown[], { path, open }: Place): Json {
  return Array.from(list, (item, index) => copied(item, { path: [...path, index], open }));
}

function copiedMembers(value: object, { path, open }: Place): Json {
  const keys = Object.keys(value);
  const isHidden = keys.length === 0 && !isPlain(value);
  if (isHidden || unwritable.has(Object.prototype.toString.call(value))) throw noJson({ path, open }, nameOf(value));
  const object: MutableJsonObject = {};
  for (const key of keys) {
    const member: unknown = (value as Record<string, unknown>)[key]; // a key of its own
    if (member !== undefined) setMember(object, key, copied(member, { path: [...path, key], open }));
  }
  return object;
}

/** Of another realm too. */
function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

function nameOf(value: object): string {
  const maker: unknown = value.constructor;
  const name = typeof maker === "function" && maker.name !== "" ? maker.name : "object";
  return `${/^[AEIO]/.test(name) ? "an" : "a"} ${name}`;
}

const noJson = ({ path }: Place, what: string): TypeError =>
  new TypeError(path.length === 0 ? `${what} is no JSON value` : `\`${formatPath(path)}\` is no JSON value: ${what}`);
