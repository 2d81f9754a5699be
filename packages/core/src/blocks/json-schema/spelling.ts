import { isJsonObject, type Json, type JsonObject, type MutableJsonObject, setMember } from "../../model/json.ts";
import { namesOf, objectOf, withMembers } from "./keywords.ts";
import { wordsOf } from "./subset.ts";

const types = /* @__PURE__ */ wordsOf("string number integer boolean array object null");
/** Words of programming languages that stand for them in schemas written by hand. */
const likeTypes: { readonly [word: string]: string } = {
  int: "integer",
  long: "integer",
  float: "number",
  double: "number",
  str: "string",
  bool: "boolean",
  list: "array",
  tuple: "array",
  dict: "object",
  map: "object",
};

export type Tell = (code: "schema-spelling" | "schema-rule", detail: string) => void;

/** What OpenAPI, older drafts and people write, as JSON Schema 2020-12 says it: APIs that check schemas refuse the rest. */
export function currentSpelling(schema: JsonObject, tell: Tell): JsonObject {
  let made = withTypes(schema, tell);
  made = withoutNullable(made, tell);
  made = withCounts(made, tell);
  made = withExclusive(made, tell);
  made = withTuple(made, tell);
  return withRequired(made, tell);
}

function withTypes(schema: JsonObject, tell: Tell): JsonObject {
  const { type } = schema;
  if (type === undefined) return schema;
  const words: readonly Json[] = Array.isArray(type) ? type : [type];
  if (words.every(word => typeof word === "string" && types.has(word))) return schema;
  const known = words.flatMap(word => typeOf(word) ?? []);
  const [only] = known;
  const isLost = known.length < words.length;
  tell(isLost ? "schema-rule" : "schema-spelling", `type: ${JSON.stringify(type)}`);
  return withMembers(schema, { type: known.length === 0 || isLost ? undefined : Array.isArray(type) ? known : only });
}

function typeOf(word: Json): string | undefined {
  if (typeof word !== "string") return undefined;
  const lower = word.toLowerCase();
  if (types.has(lower)) return lower;
  return Object.hasOwn(likeTypes, lower) ? likeTypes[lower] : undefined;
}

const counts = ["minItems", "maxItems", "minLength", "maxLength", "minProperties", "maxProperties"] as const;

/** Counts as text, as protobuf spells its int64. */
function withCounts(schema: JsonObject, tell: Tell): JsonObject {
  let made = schema;
  for (const key of counts) {
    const value = schema[key];
    if (typeof value !== "string" || !/^\d{1,15}$/.test(value)) continue;
    tell("schema-spelling", key);
    made = withMembers(made, { [key]: Number(value) });
  }
  return made;
}

/** `nullable` of OpenAPI 3.0. */
function withoutNullable(schema: JsonObject, tell: Tell): JsonObject {
  const { nullable } = schema;
  if (typeof nullable !== "boolean") return schema;
  tell("schema-spelling", "nullable");
  const bare = withMembers(schema, { nullable: undefined });
  return nullable ? orNull(bare) : bare;
}

/** The schema, and null besides. */
export function orNull(schema: Json): JsonObject {
  if (!isJsonObject(schema)) return { anyOf: [schema, { type: "null" }] };
  if (takesNull(schema)) return schema;
  const { type, anyOf, enum: values } = schema;
  const isPlain = !["$ref", "const", "allOf", "oneOf", "not", "if"].some(key => Object.hasOwn(schema, key));
  if (!isPlain || (type === undefined && values === undefined && anyOf === undefined)) {
    return { anyOf: [schema, { type: "null" }] };
  }
  return withMembers(schema, {
    ...(type !== undefined && { type: [...(Array.isArray(type) ? namesOf(type) : [type]), "null"] }),
    ...(Array.isArray(values) && { enum: [...values, null] }),
    ...(Array.isArray(anyOf) && { anyOf: [...anyOf, { type: "null" }] }),
  });
}

function takesNull({ type, anyOf, enum: values, const: value }: JsonObject): boolean {
  const isType = type === "null" || namesOf(type).includes("null");
  if (Array.isArray(values)) return values.includes(null) && (type === undefined || isType);
  if (Array.isArray(anyOf)) return anyOf.some(branch => isJsonObject(branch) && takesNull(branch));
  return isType || value === null;
}

/** `exclusiveMinimum: true` beside a `minimum`, of draft 4. */
function withExclusive(schema: JsonObject, tell: Tell): JsonObject {
  let made = schema;
  for (const [exclusive, limit] of [
    ["exclusiveMinimum", "minimum"],
    ["exclusiveMaximum", "maximum"],
  ] as const) {
    const value = made[exclusive];
    if (typeof value !== "boolean") continue;
    tell("schema-spelling", exclusive);
    const bound = made[limit];
    const isBound = value && bound !== undefined;
    made = withMembers(made, { [exclusive]: isBound ? bound : undefined, ...(isBound && { [limit]: undefined }) });
  }
  return made;
}

/** A list of `items`, of the drafts before 2020-12. */
function withTuple(schema: JsonObject, tell: Tell): JsonObject {
  const { items, additionalItems } = schema;
  if (!Array.isArray(items)) return schema;
  tell("schema-spelling", "items");
  return withMembers(schema, { prefixItems: items, items: additionalItems, additionalItems: undefined });
}

/** `required: true` of a member itself, of draft 3. */
function withRequired(schema: JsonObject, tell: Tell): JsonObject {
  const properties = objectOf(schema["properties"]);
  const told = Object.keys(properties).filter(name => typeof objectOf(properties[name])["required"] === "boolean");
  const isOwn = typeof schema["required"] === "boolean";
  if (told.length === 0 && !isOwn) return schema;
  tell("schema-spelling", "required");
  const names = new Set(namesOf(schema["required"]));
  const made: MutableJsonObject = { ...properties };
  for (const name of told) {
    const member = objectOf(properties[name]);
    if (member["required"] === true) names.add(name);
    setMember(made, name, withMembers(member, { required: undefined }));
  }
  return withMembers(schema, {
    required: names.size > 0 ? [...names] : undefined,
    ...(told.length > 0 && { properties: made }),
  });
}
