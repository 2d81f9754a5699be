import { copyExact, type ExactText, setNumberText } from "../../model/exact-text.ts";
import { isJsonObject, type Json, type JsonObject, type MutableJsonObject, setMember } from "../../model/json.ts";

/** A piece that is nothing but words, and of which kind. */
export function wordsOf(piece: Json): { readonly text: string; readonly isThought: boolean } | undefined {
  if (!isJsonObject(piece)) return undefined;
  const { text, thought, ...others } = piece;
  const isPlain =
    typeof text === "string" && (thought === undefined || thought === true) && Object.keys(others).length === 0;
  return isPlain ? { text, isThought: thought === true } : undefined;
}

/** A call whose arguments come by paths (Vertex, `streamFunctionCallArguments`). */
export class CallPieces {
  readonly #args: MutableJsonObject = {};
  #hasArgs = false;
  #call: JsonObject = {};
  #others: JsonObject = {};
  isOpen = true;
  readonly #exact: ExactText | undefined;

  /** @param exact spelling of the numbers of what is added, and of those of the whole */
  constructor(exact: ExactText | undefined) {
    this.#exact = exact;
  }

  add(piece: JsonObject): void {
    const { functionCall, ...others } = piece;
    const { partialArgs, willContinue, args, ...call } = isJsonObject(functionCall) ? functionCall : {};
    this.#call = { ...this.#call, ...call };
    this.#others = { ...this.#others, ...others };
    if (isJsonObject(args)) {
      this.#hasArgs = true;
      for (const key of Object.keys(args)) setMember(this.#args, key, args[key] ?? null);
      if (this.#exact) copyExact(this.#exact, args, this.#args);
    }
    for (const each of Array.isArray(partialArgs) ? (partialArgs as readonly Json[]) : []) this.#set(each); // a list of JSON
    this.isOpen = willContinue === true;
  }

  #set(each: Json): void {
    const path = isJsonObject(each) ? stepsOf(each["jsonPath"]) : undefined;
    if (!isJsonObject(each) || !path) return;
    this.#hasArgs = true;
    const { stringValue, numberValue, boolValue } = each;
    const value = stringValue ?? numberValue ?? boolValue ?? null;
    const place = assign(this.#args, path, value);
    const text = value === numberValue ? this.#exact?.numbers.get(each)?.get("numberValue") : undefined;
    if (this.#exact && place && text !== undefined) setNumberText(this.#exact, place, text);
  }

  /** The part as it would have come whole. */
  whole(): JsonObject {
    const args = this.#hasArgs ? { args: joined(this.#args, this.#exact) } : {};
    return { functionCall: { ...this.#call, ...args }, ...this.#others };
  }
}

/** Texts are lists of pieces until the call is whole, so that long ones are joined once. */
class Pieces {
  readonly texts: string[] = [];
}

type Holder = { [key: string]: Json };

/** `$.a.b[0]['c']` as its steps. */
function stepsOf(path: Json | undefined): readonly (string | number)[] | undefined {
  if (typeof path !== "string" || !path.startsWith("$")) return undefined;
  const steps = [...path.slice(1).matchAll(/\.([^.[\]]+)|\[(\d+)\]|\['((?:[^'\\]|\\.)*)'\]|\["((?:[^"\\]|\\.)*)"\]/g)];
  const read = steps.map(([, name, index, single, double]) =>
    index === undefined ? (name ?? (single ?? double ?? "").replace(/\\(.)/g, "$1")) : Number(index),
  );
  return read.length > 0 && steps.reduce((sum, [whole]) => sum + whole.length, 1) === path.length ? read : undefined;
}

interface Spot {
  readonly holder: Holder;
  readonly key: string | number;
}

/** Puts a value where a path leads. Where that is, unless it can be nowhere. */
function assign(root: MutableJsonObject, path: readonly (string | number)[], value: Json): Spot | undefined {
  let holder: Json = root;
  for (const [index, step] of path.entries()) {
    const target = holder as Holder; // made below, or the root
    const key = String(step);
    const known = Object.hasOwn(target, key) ? target[key] : undefined;
    const next = path[index + 1];
    if (next === undefined) {
      return put(target, key, { known, value })
        ? { holder: target, key: Array.isArray(target) ? Number(key) : key }
        : undefined;
    }
    const isHolder = typeof known === "object" && known !== null && !(known instanceof Pieces);
    if (!isHolder) setMember(target, key, typeof next === "number" ? [] : {});
    holder = target[key] ?? {};
  }
  return undefined;
}

function put(
  target: Holder,
  key: string,
  { known, value }: { readonly known: unknown; readonly value: Json },
): boolean {
  if (Array.isArray(target) && Number(key) > target.length) return false; // a list without its items before is no list
  if (typeof value !== "string") setMember(target, key, value);
  else if (known instanceof Pieces) known.texts.push(value);
  else {
    const pieces = new Pieces();
    pieces.texts.push(value);
    setMember(target, key, pieces as unknown as Json); // until it is joined
  }
  return true;
}

/** A copy whose texts are whole, and its numbers spelled as those that it was made of. */
function joined(value: unknown, exact: ExactText | undefined): Json {
  if (value instanceof Pieces) return value.texts.join("");
  if (Array.isArray(value)) {
    const list = value.map(each => joined(each, exact));
    if (exact) copyExact(exact, value, list);
    return list;
  }
  if (!isJsonObject(value)) return value as Json; // what was assigned
  const whole: MutableJsonObject = {};
  for (const key of Object.keys(value)) setMember(whole, key, joined(value[key], exact));
  if (exact) copyExact(exact, value, whole);
  return whole;
}

/** Members of a candidate or a body that come in several chunks: the last that says something wins. */
export function assignMember(target: MutableJsonObject, key: string, value: Json): void {
  const isBlank = value === null || value === "" || (isJsonObject(value) && Object.keys(value).length === 0);
  if (!(isBlank && Object.hasOwn(target, key))) setMember(target, key, value);
}

/** What each chunk says of its own words: lists grow. */
export class LogProbabilities {
  readonly #members: { [key: string]: Json[] } = {};
  #isTold = false;

  add(value: JsonObject): void {
    this.#isTold = true;
    for (const key of ["chosenCandidates", "topCandidates"]) {
      const list = value[key];
      if (!Array.isArray(list)) continue;
      this.#members[key] ??= [];
      for (const each of list as readonly Json[]) this.#members[key].push(each); // a list of JSON
    }
  }

  whole(): JsonObject | undefined {
    return this.#isTold ? this.#members : undefined;
  }
}
