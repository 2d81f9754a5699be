import { equalJson, isJsonObject, type Json, type JsonObject } from "translogue";

/** What is wrong with an answer, and where in it: `colour: expected one of "red", "blue"`. */
type Problem = string | undefined;

interface Place {
  readonly root: Json;
  /** From the answer: `[]` is the answer itself. */
  readonly path: readonly (string | number)[];
  /** References that led here without going deeper: one that comes again says nothing. */
  readonly through: readonly string[];
}

/**
 * What of a person's answer is not as its question asks, by the JSON Schema of that; undefined: it fits. Knows the keywords that
 * forms are made of, and combinations; others, and references to elsewhere, ask nothing.
 * https://json-schema.org/draft/2020-12/json-schema-validation
 */
export const problemWith = (value: Json, schema: Json): Problem =>
  problem(value, schema, { root: schema, path: [], through: [] });

function problem(value: Json, schema: Json | undefined, place: Place): Problem {
  if (schema === false) return told(place, "nothing may be given here");
  if (!isJsonObject(schema)) return undefined;
  for (const check of checks) {
    const found = check(value, schema, place);
    if (found !== undefined) return found;
  }
  return undefined;
}

type Check = (value: Json, schema: JsonObject, place: Place) => Problem;

const told = ({ path }: Place, what: string): string => (path.length === 0 ? what : `${path.join(".")}: ${what}`);
const inside = ({ root, path }: Place, step: string | number): Place => ({ root, path: [...path, step], through: [] });
const listOf = (value: Json | undefined): readonly Json[] => (Array.isArray(value) ? value : []);
const numberIn = (schema: JsonObject, name: string): number | undefined => {
  const value = schema[name];
  return typeof value === "number" ? value : undefined;
};

const types: { readonly [name: string]: (value: Json) => boolean } = {
  string: value => typeof value === "string",
  number: value => typeof value === "number",
  integer: value => Number.isInteger(value),
  boolean: value => typeof value === "boolean",
  null: value => value === null,
  array: Array.isArray,
  object: isJsonObject,
};

function ofType(value: Json, { type }: JsonObject, place: Place): Problem {
  const names = (typeof type === "string" ? [type] : listOf(type)).filter(name => typeof name === "string");
  if (names.length === 0 || names.some(name => types[name]?.(value) ?? true)) return undefined;
  return told(place, `expected ${names.join(" or ")}`);
}

function ofChoice(value: Json, { enum: choices, const: only }: JsonObject, place: Place): Problem {
  const allowed = only === undefined ? listOf(choices) : [only];
  if (allowed.length === 0 || allowed.some(choice => equalJson(choice, value))) return undefined;
  return told(place, `expected one of ${allowed.map(choice => JSON.stringify(choice)).join(", ")}`);
}

/** Formats that forms ask for (https://modelcontextprotocol.io/specification/2025-11-25/client/elicitation). */
const formats: { readonly [name: string]: (text: string) => boolean } = {
  email: text => /^[^\s@]+@[^\s@]+$/.test(text),
  uri: text => URL.canParse(text),
  date: text => /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(Date.parse(text)),
  "date-time": text => /^\d{4}-\d\d-\d\dT/i.test(text) && !Number.isNaN(Date.parse(text)),
};

function ofText(value: Json, schema: JsonObject, place: Place): Problem {
  if (typeof value !== "string") return undefined;
  const { pattern, format } = schema;
  const length = [...value].length;
  const [least = 0, most = length] = [numberIn(schema, "minLength"), numberIn(schema, "maxLength")];
  if (length < least) return told(place, `expected at least ${least} characters`);
  if (length > most) return told(place, `expected at most ${most} characters`);
  if (typeof pattern === "string" && !matches(value, pattern)) return told(place, `expected what matches ${pattern}`);
  const isFormat = typeof format === "string" && Object.hasOwn(formats, format) ? formats[format] : undefined;
  return isFormat?.(value) === false ? told(place, `expected a text of the format ${format}`) : undefined;
}

function matches(text: string, pattern: string): boolean {
  try {
    return new RegExp(pattern, "u").test(text);
  } catch {
    return true; // a pattern that nobody reads asks nothing
  }
}

function ofNumber(value: Json, schema: JsonObject, place: Place): Problem {
  if (typeof value !== "number") return undefined;
  const { minimum = value, maximum = value, exclusiveMinimum: above, exclusiveMaximum: below } = schema;
  if (typeof minimum === "number" && value < minimum) return told(place, `expected at least ${minimum}`);
  if (typeof maximum === "number" && value > maximum) return told(place, `expected at most ${maximum}`);
  if (typeof above === "number" && value <= above) return told(place, `expected more than ${above}`);
  return typeof below === "number" && value >= below ? told(place, `expected less than ${below}`) : undefined;
}

function ofList(value: Json, schema: JsonObject, place: Place): Problem {
  if (!Array.isArray(value)) return undefined;
  const { length } = value;
  const [least = 0, most = length] = [numberIn(schema, "minItems"), numberIn(schema, "maxItems")];
  if (length < least) return told(place, `expected at least ${least} items`);
  if (length > most) return told(place, `expected at most ${most} items`);
  return first(value, (item, index) => problem(item, schema["items"], inside(place, index)));
}

function ofObject(value: Json, schema: JsonObject, place: Place): Problem {
  if (!isJsonObject(value)) return undefined;
  const { properties, required, additionalProperties: others } = schema;
  const known = isJsonObject(properties) ? properties : {};
  const missing = listOf(required).find(name => typeof name === "string" && !Object.hasOwn(value, name));
  if (typeof missing === "string") return told(inside(place, missing), "it is missing");
  return first(Object.entries(value), ([name, member]) =>
    problem(member, Object.hasOwn(known, name) ? known[name] : others, inside(place, name)),
  );
}

function ofParts(value: Json, { allOf, anyOf, oneOf, not }: JsonObject, place: Place): Problem {
  const every = first(listOf(allOf), schema => problem(value, schema, place));
  if (every !== undefined) return every;
  const fits = (schema: Json): boolean => problem(value, schema, place) === undefined;
  const [any, one] = [listOf(anyOf), listOf(oneOf)];
  if (any.length > 0 && !any.some(fits)) return problem(value, any[0], place);
  const fitting = one.filter(fits).length;
  if (one.length > 0 && fitting === 0) return problem(value, one[0], place);
  if (fitting > 1) return told(place, `it fits ${fitting} choices, of which it may fit one`);
  return not !== undefined && fits(not) ? told(place, "it is what may not be given") : undefined;
}

/** Of the same schema: `#`, `#/$defs/name`. */
function ofReference(value: Json, { $ref }: JsonObject, place: Place): Problem {
  if (typeof $ref !== "string" || !$ref.startsWith("#") || place.through.includes($ref)) return undefined;
  const steps = $ref.split("/").slice(1);
  let found: Json | undefined = place.root;
  for (const step of steps.map(each => decodeURIComponent(each).replaceAll("~1", "/").replaceAll("~0", "~")))
    found = isJsonObject(found) ? found[step] : undefined;
  return problem(value, found, { ...place, through: [...place.through, $ref] });
}

const checks: readonly Check[] = [ofType, ofChoice, ofText, ofNumber, ofList, ofObject, ofParts, ofReference];

function first<Item>(items: readonly Item[], find: (item: Item, index: number) => Problem): Problem {
  for (const [index, item] of items.entries()) {
    const found = find(item, index);
    if (found !== undefined) return found;
  }
  return undefined;
}
