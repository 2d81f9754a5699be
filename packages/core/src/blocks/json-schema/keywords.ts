import { isJsonObject, type Json, type JsonObject, type MutableJsonObject, setMember } from "../../model/json.ts";
import { wordsOf } from "./subset.ts";

const singles = /* @__PURE__ */ wordsOf(
  "items additionalProperties additionalItems not if then else contains propertyNames unevaluatedItems unevaluatedProperties contentSchema",
);
const lists = /* @__PURE__ */ wordsOf("anyOf oneOf allOf prefixItems items");
const maps = /* @__PURE__ */ wordsOf("properties patternProperties dependentSchemas $defs definitions");

/** A schema whose inner schemas are what `visit` makes of them; the same one where it changes none. Literal values are no schemas. */
export function mapInner(
  schema: JsonObject,
  visit: (inner: Json, place: readonly (string | number)[]) => Json,
): JsonObject {
  let made: MutableJsonObject | undefined;
  for (const key of Object.keys(schema)) {
    const value = schema[key] ?? null;
    const inner = mapKeyword(key, value, visit);
    if (inner === value) continue;
    made ??= { ...schema };
    setMember(made, key, inner);
  }
  return made ?? schema;
}

function mapKeyword(key: string, value: Json, visit: (inner: Json, place: readonly (string | number)[]) => Json): Json {
  if (Array.isArray(value)) {
    if (!lists.has(key)) return value;
    const list = value as readonly Json[]; // an array of JSON
    const made = list.map((inner, index) => visit(inner, [key, index]));
    return made.some((inner, index) => inner !== list[index]) ? made : value;
  }
  if (maps.has(key) && isJsonObject(value)) {
    let made: MutableJsonObject | undefined;
    for (const name of Object.keys(value)) {
      const inner = visit(value[name] ?? null, [key, name]);
      if (inner === value[name]) continue;
      made ??= { ...value };
      setMember(made, name, inner);
    }
    return made ?? value;
  }
  return singles.has(key) ? visit(value, [key]) : value;
}

/** The schema with other members; `undefined` takes one out. */
export function withMembers(schema: JsonObject, members: { readonly [key: string]: Json | undefined }): JsonObject {
  const made: MutableJsonObject = { ...schema };
  for (const key of Object.keys(members)) {
    const value = members[key];
    if (value === undefined) delete made[key];
    else setMember(made, key, value);
  }
  return made;
}

export const objectOf = (value: Json | undefined): JsonObject => (isJsonObject(value) ? value : {});

export const namesOf = (value: Json | undefined): readonly string[] =>
  Array.isArray(value) ? (value as readonly Json[]).filter(name => typeof name === "string") : []; // an array of JSON

/** Whether a schema is one of objects, by its type or by what it says of their members. */
export function isOfObjects(schema: Json | undefined): schema is JsonObject {
  if (!isJsonObject(schema)) return false;
  const { type } = schema;
  if (type === undefined) return Object.hasOwn(schema, "properties");
  return type === "object" || namesOf(type).includes("object");
}

const tellers = ["type", "$ref", "anyOf", "oneOf", "allOf", "enum", "const"];

/** Whether a schema says what its values are. */
export const tellsType = (schema: Json | undefined): boolean =>
  isJsonObject(schema) && tellers.some(key => Object.hasOwn(schema, key));
