import {
  equalJson,
  isJsonObject,
  type Json,
  type JsonObject,
  type MutableJsonObject,
  setMember,
} from "../../model/json.ts";
import { isOfObjects, namesOf, objectOf, withMembers } from "./keywords.ts";

export interface Merged {
  readonly schema: JsonObject;
  /** Keywords that the schemas say differently, so that only the first is heard. */
  readonly conflicts: readonly string[];
}

const annotations: ReadonlySet<string> = new Set([
  "title",
  "description",
  "default",
  "examples",
  "$comment",
  "$schema",
]);

/** A schema of the values that all of the schemas take. */
export function everyOf(schemas: readonly JsonObject[]): Merged {
  const conflicts: string[] = [];
  const merged: MutableJsonObject = {};
  for (const schema of schemas) {
    for (const key of Object.keys(schema)) {
      const [own, value] = [merged[key], schema[key] ?? null];
      if (!Object.hasOwn(merged, key) || own === undefined) setMember(merged, key, value);
      else if (key === "required") merged[key] = union(own, value);
      else if (key === "properties") merged[key] = everyMember(own, value, conflicts);
      else if (key === "additionalProperties") merged[key] = own === false ? own : value === true ? own : value;
      else if (!equalJson(own, value) && !annotations.has(key)) conflicts.push(key);
    }
  }
  return { schema: merged, conflicts };
}

function everyMember(own: Json, more: Json, conflicts: string[]): JsonObject {
  const merged: MutableJsonObject = { ...objectOf(own) };
  for (const name of Object.keys(objectOf(more))) {
    const [first, second] = [merged[name], objectOf(more)[name] ?? null];
    if (!Object.hasOwn(merged, name) || first === undefined) setMember(merged, name, second);
    else if (!equalJson(first, second)) conflicts.push(`properties.${name}`);
  }
  return merged;
}

/** A schema of objects that takes what any of the branches takes, and mixtures of them. Undefined: one is not of objects. */
export function anyOfObjects(base: JsonObject, branches: readonly JsonObject[]): JsonObject | undefined {
  const isBaseOfObjects = isOfObjects(base);
  if (!branches.every(branch => isOfObjects(branch) || (isBaseOfObjects && branch["type"] === undefined)))
    return undefined;
  const properties: MutableJsonObject = { ...objectOf(base["properties"]) };
  for (const branch of branches) {
    const own = objectOf(branch["properties"]);
    for (const name of Object.keys(own)) {
      const known = Object.hasOwn(properties, name) ? properties[name] : undefined;
      setMember(properties, name, known === undefined ? (own[name] ?? null) : eitherOf(known, own[name] ?? null));
    }
  }
  const [first = [], ...others] = branches.map(branch => namesOf(branch["required"]));
  const shared = first.filter(name => others.every(names => names.includes(name)));
  const required = union(base["required"] ?? [], shared);
  const isClosed = [base, ...branches].some(schema => schema["additionalProperties"] === false);
  return withMembers(base, {
    type: "object",
    properties,
    required: required.length > 0 ? required : undefined,
    additionalProperties: isClosed ? false : base["additionalProperties"],
  });
}

function eitherOf(known: Json, other: Json): Json {
  if (equalJson(known, other)) return known;
  const isUnion = isJsonObject(known) && Object.keys(known).length === 1 && Array.isArray(known["anyOf"]);
  const branches = isUnion ? (known["anyOf"] as readonly Json[]) : [known]; // just looked at
  return branches.some(branch => equalJson(branch, other)) ? known : { anyOf: [...branches, other] };
}

const union = (own: Json, more: Json): readonly string[] => [...new Set([...namesOf(own), ...namesOf(more)])];
