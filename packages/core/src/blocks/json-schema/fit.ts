import type { Path } from "../../model/issue.ts";
import { isJsonObject, type Json, type JsonObject } from "../../model/json.ts";
import { isOfObjects, mapInner, namesOf, objectOf, tellsType, withMembers } from "./keywords.ts";
import { anyOfObjects, everyOf } from "./merging.ts";
import { circles, targetOf } from "./references.ts";
import { currentSpelling, orNull } from "./spelling.ts";
import { type SchemaChange, type SchemaSubset, wordsOf } from "./subset.ts";

export interface Fitted {
  /** The same value where nothing had to change. */
  readonly schema: Json;
  readonly changes: readonly SchemaChange[];
}

/**
 * A JSON Schema as a provider takes it. What is refused and has no equal is told in the description, for the model to read.
 * References stay references, but for those that have to be merged.
 */
export function fitSchema(schema: Json, subset: SchemaSubset): Fitted {
  if (!isJsonObject(schema)) return { schema, changes: [] };
  const fitting = new Fitting(schema, subset);
  return { schema: fitting.fit(), changes: fitting.changes };
}

export const fits = (schema: Json, subset: SchemaSubset): boolean => fitSchema(schema, subset).changes.length === 0;

/** So often is a reference replaced by what it leads to: each time copies it, and what it leads to may hold more of them. */
const mostCopies = 1000;
/** What says nothing that a reader misses. */
const silent = /* @__PURE__ */ wordsOf("$schema $id $anchor $comment discriminator propertyOrdering");

/** Keywords that say what values are made of: without them others are made. The rest only says which of them are meant. */
const structures = /* @__PURE__ */ wordsOf(
  "oneOf anyOf allOf prefixItems patternProperties enum const if then else dependentSchemas dependencies $dynamicRef",
);

class Fitting {
  readonly changes: SchemaChange[] = [];
  readonly #root: JsonObject;
  readonly #subset: SchemaSubset;
  readonly #circles: ReadonlySet<JsonObject>;
  /** Where schemas that were moved stood. */
  readonly #places = new Map<Json, Path>();
  /** Targets of references that are being copied. */
  readonly #copying = new Set<Json>();
  #copies = 0;

  constructor(root: JsonObject, subset: SchemaSubset) {
    this.#root = root;
    this.#subset = subset;
    this.#circles = subset.isAcyclic ? circles(root) : new Set();
  }

  fit(): Json {
    const { definitions } = this.#root;
    const renames = this.#subset.instead?.definitions !== undefined && isJsonObject(definitions);
    if (renames) this.#tell("schema-spelling", [], "definitions");
    const root = renames
      ? withMembers(this.#root, { definitions: undefined, $defs: { ...definitions, ...objectOf(this.#root["$defs"]) } })
      : this.#root;
    return this.#schema(this.#subset.root ? this.#asObject(root, this.#subset.root) : root, []);
  }

  #tell(code: SchemaChange["code"], path: Path, detail: string): void {
    this.changes.push({ code, path, detail });
  }

  #current(schema: JsonObject, path: Path): JsonObject {
    if (this.#subset.isOpenApi) return schema;
    return currentSpelling(schema, (code, detail) => this.#tell(code, path, detail));
  }

  /** The root as an object without the keywords that none may have. */
  #asObject(root: JsonObject, refused: ReadonlySet<string>): JsonObject {
    let made = this.#current(this.#rootTarget(root), []);
    const { allOf } = made;
    if (Array.isArray(allOf) && refused.has("allOf")) made = this.#merged(made, allOf, []).schema;
    if (Object.hasOwn(made, "$ref")) {
      this.#tell("schema-rule", ["$ref"], "$ref at the root");
      made = withMembers(made, { $ref: undefined });
    }
    for (const key of ["anyOf", "oneOf"]) {
      const branches = made[key];
      if (!Array.isArray(branches) || !refused.has(key)) continue;
      const targets = (branches as readonly Json[]).map(branch => this.#followed(branch)); // an array of JSON
      const rest = withMembers(made, { [key]: undefined });
      const joined = targets.every(isJsonObject) ? anyOfObjects(rest, targets) : undefined;
      this.#tell(joined ? "schema-shape" : "schema-rule", [key], `${key} at the root`);
      made = joined ?? rest;
    }
    const others = Object.keys(made).filter(key => refused.has(key));
    if (others.length > 0) made = this.#inWords(made, others, []);
    const { type } = made;
    if (type === "object") return made;
    const isOther = type !== undefined && !namesOf(type).includes("object");
    this.#tell(isOther ? "schema-rule" : "schema-shape", [], `type: ${JSON.stringify(type ?? null)}`);
    return { type: "object", ...withMembers(made, { type: undefined }) };
  }

  /** A root that is but a reference. */
  #rootTarget(root: JsonObject): JsonObject {
    if (!Object.hasOwn(root, "$ref")) return root;
    const target = this.#followed(root);
    const rest = withMembers(root, { $ref: undefined });
    const isFound = isJsonObject(target) && !Object.hasOwn(target, "$ref");
    this.#tell(isFound ? "schema-spelling" : "schema-rule", ["$ref"], "$ref at the root");
    return isFound ? { ...target, ...rest } : rest;
  }

  /** What a reference leads to in the end. */
  #followed(schema: Json): Json {
    const seen = new Set<Json>();
    let found: Json = schema;
    while (isJsonObject(found) && Object.hasOwn(found, "$ref") && !seen.has(found)) {
      seen.add(found);
      const target = targetOf(this.#root, found["$ref"]);
      if (target === undefined) break;
      found = target;
    }
    return found;
  }

  #schema(given: Json, at: Path): Json {
    if (!isJsonObject(given)) return given;
    const path = this.#places.get(given) ?? at;
    const { schema, copied } = this.#withoutAllOf(this.#current(given, path), path);
    let made = this.#reference(this.#otherWords(schema, path), path, given);
    made = this.#allowed(made, path);
    for (const target of copied) this.#copying.add(target);
    made = mapInner(made, (inner, place) => {
      const isAnything = typeof inner === "boolean" && place.length > 1; // else it says whether there is more
      if (isAnything && this.#subset.isTyped) this.#tell("schema-rule", [...path, ...place], "no type");
      return this.#schema(inner, [...path, ...place]);
    });
    for (const target of copied) this.#copying.delete(target);
    return this.#shaped(made, path);
  }

  /** Keywords for which another one says the same. */
  #otherWords(schema: JsonObject, path: Path): JsonObject {
    const { instead = {} } = this.#subset;
    let made = schema;
    const value = made["const"];
    if (instead.const && value !== undefined) {
      this.#tell("schema-spelling", path, "const");
      made = withMembers(made, { const: undefined, enum: [value] });
    }
    const { oneOf } = made;
    if (instead.oneOf && oneOf !== undefined && made["anyOf"] === undefined) {
      this.#tell("schema-spelling", path, "oneOf");
      made = withMembers(made, { oneOf: undefined, anyOf: oneOf });
    }
    if (instead.exclusive && made["type"] === "integer") made = this.#wholeLimits(made, path);
    return made;
  }

  #wholeLimits(schema: JsonObject, path: Path): JsonObject {
    let made = schema;
    for (const [exclusive, limit, step] of [
      ["exclusiveMinimum", "minimum", 1],
      ["exclusiveMaximum", "maximum", -1],
    ] as const) {
      const value = made[exclusive];
      if (typeof value !== "number" || !Number.isSafeInteger(value + step) || made[limit] !== undefined) continue;
      this.#tell("schema-spelling", path, exclusive);
      made = withMembers(made, { [exclusive]: undefined, [limit]: value + step });
    }
    return made;
  }

  #withoutAllOf(schema: JsonObject, path: Path): { readonly schema: JsonObject; readonly copied: readonly Json[] } {
    const { allOf, $ref: reference, anyOf } = schema;
    const how = this.#subset.instead?.allOf;
    if (how && this.#subset.besideRefs && reference !== undefined && anyOf !== undefined) {
      // A reference becomes a union of one where it may not have others beside it, and there is one already.
      const own = withMembers(schema, { $ref: undefined, allOf: undefined });
      const others: readonly Json[] = Array.isArray(allOf) ? allOf : [];
      return this.#merged(own, [{ $ref: reference }, ...others], path);
    }
    if (!how || !Array.isArray(allOf)) return { schema, copied: [] };
    const branches: readonly Json[] = allOf;
    const isMerged = how === "merged" || branches.some(branch => Object.hasOwn(objectOf(branch), "$ref"));
    return isMerged ? this.#merged(schema, branches, path) : { schema, copied: [] };
  }

  #merged(
    schema: JsonObject,
    branches: readonly Json[],
    path: Path,
  ): { readonly schema: JsonObject; readonly copied: readonly Json[] } {
    const own = withMembers(schema, { allOf: undefined });
    const [only] = branches;
    this.#tell("schema-spelling", [...path, "allOf"], "allOf");
    const isSingle = branches.length === 1 && own["anyOf"] === undefined && path.length > 0; // the root is no reference
    if (isSingle && isJsonObject(only) && Object.hasOwn(only, "$ref")) {
      this.#places.set(only, [...path, "allOf", 0]);
      return { schema: Object.keys(own).length === 0 ? only : { ...own, anyOf: [only] }, copied: [] };
    }
    const copied: Json[] = [];
    const parts = branches.flatMap((branch, index) => this.#branch(branch, [...path, "allOf", index], copied));
    const merged = everyOf([own, ...parts]);
    for (const conflict of merged.conflicts) this.#tell("schema-rule", [...path, "allOf"], conflict);
    return { schema: merged.schema, copied };
  }

  /** A branch of an `allOf` as schemas to be merged: a reference is copied, a branch that is one itself is taken apart. */
  #branch(branch: Json, path: Path, copied: Json[]): readonly JsonObject[] {
    const target = this.#followed(branch);
    const isReference = target !== branch;
    const isKnown = isReference && copied.includes(target);
    const isCopied = isReference && !isKnown && !this.#copying.has(target) && this.#copies < mostCopies;
    if (isCopied) {
      this.#copies += 1;
      copied.push(target);
    } else if (isReference && !isKnown) {
      this.#tell("schema-rule", path, `$ref: ${JSON.stringify(objectOf(branch)["$ref"])}`);
    }
    const beside = isReference ? withMembers(objectOf(branch), { $ref: undefined }) : {};
    const copy = isCopied || !isReference ? objectOf(target) : {};
    const schema = this.#current({ ...copy, ...beside }, path);
    this.#remember(schema, path);
    const { allOf } = schema;
    if (!Array.isArray(allOf)) return [schema];
    const inner: readonly Json[] = allOf;
    return [
      withMembers(schema, { allOf: undefined }),
      ...inner.flatMap((each, index) => this.#branch(each, [...path, "allOf", index], copied)),
    ];
  }

  #remember(schema: JsonObject, path: Path): void {
    mapInner(schema, (inner, place) => {
      if (isJsonObject(inner) && !this.#places.has(inner)) this.#places.set(inner, [...path, ...place]);
      return inner;
    });
  }

  #reference(schema: JsonObject, path: Path, given: JsonObject): JsonObject {
    const { instead, isAcyclic, besideRefs } = this.#subset;
    const reference = schema["$ref"];
    if (typeof reference !== "string") return schema;
    if (isAcyclic && (this.#circles.has(given) || targetOf(this.#root, reference) === undefined)) {
      this.#tell("schema-rule", path, `$ref: ${JSON.stringify(reference)}`);
      const { type } = objectOf(this.#followed(schema));
      return withMembers(schema, { $ref: undefined, type: typeof type === "string" ? type : "object" });
    }
    const renamed = instead?.definitions && reference.startsWith("#/definitions/");
    const made = renamed ? withMembers(schema, { $ref: reference.replace("definitions", "$defs") }) : schema;
    const beside = Object.keys(made).filter(key => !key.startsWith("$") && !besideRefs?.has(key));
    if (!besideRefs || beside.length === 0) return made;
    const isUnion = made["anyOf"] !== undefined;
    this.#tell(isUnion ? "schema-rule" : "schema-spelling", path, "$ref");
    const union = isUnion ? {} : { anyOf: [{ $ref: made["$ref"] ?? null }] };
    return withMembers(made, { $ref: undefined, ...union });
  }

  /** Without what is refused; the description tells of it. */
  #allowed(schema: JsonObject, path: Path): JsonObject {
    const { only, formats, minItems, patterns, plainValues, isOpenApi } = this.#subset;
    const isRefused = (key: string, value: Json | undefined): boolean => {
      if (key === "type" && isOpenApi && Array.isArray(value)) return true;
      if (only && !only.has(key)) return true;
      if (key === "format") return formats !== undefined && !formats.has(String(value));
      if (key === "minItems") return minItems !== undefined && !minItems.includes(Number(value));
      if (key === "pattern") return patterns?.test(String(value)) === true;
      const values: readonly unknown[] =
        key === "enum" && Array.isArray(value) ? value : key === "const" ? [value] : [];
      return plainValues === true && values.some(each => typeof each === "object" && each !== null);
    };
    const refused = Object.keys(schema).filter(key => isRefused(key, schema[key]));
    return refused.length === 0 ? schema : this.#inWords(schema, refused, path);
  }

  #inWords(schema: JsonObject, keys: readonly string[], path: Path): JsonObject {
    for (const key of keys) {
      const code = structures.has(key) ? "schema-rule" : silent.has(key) ? "schema-spelling" : "schema-words";
      this.#tell(code, path, key);
    }
    const told = keys.filter(key => !silent.has(key)).map(key => `${key}: ${JSON.stringify(schema[key])}`);
    const { description } = schema;
    const lead = typeof description === "string" && description !== "" ? `${description}\n\n` : "";
    return withMembers(schema, {
      ...Object.fromEntries(keys.map(key => [key, undefined])),
      ...(told.length > 0 && { description: `${lead}{${told.join(", ")}}` }),
    });
  }

  /** What objects, arrays and schemas of anything must say. */
  #shaped(schema: JsonObject, path: Path): JsonObject {
    const { isTyped } = this.#subset;
    let made = isOfObjects(schema) ? this.#object(schema, path) : this.#array(schema, path);
    if (isTyped && !tellsType(made)) {
      const isRoot = path.length === 0;
      if (!isRoot) this.#tell("schema-rule", path, "no type");
    } else if (isTyped && made["type"] === undefined && isOfObjects(made)) {
      this.#tell("schema-spelling", path, "type");
      made = withMembers(made, { type: "object" });
    }
    return made;
  }

  #array(schema: JsonObject, path: Path): JsonObject {
    const { hasItems, isTyped } = this.#subset;
    const { type, items } = schema;
    const isArray = type === "array" || namesOf(type).includes("array");
    if (!hasItems || !isArray) return schema;
    if (isTyped && !tellsType(items)) this.#tell("schema-rule", path, "no items");
    if (items !== undefined || Object.hasOwn(schema, "prefixItems")) return schema;
    if (!isTyped) this.#tell("schema-spelling", path, "items");
    return withMembers(schema, { items: {} });
  }

  #object(schema: JsonObject, path: Path): JsonObject {
    const { isClosed, isComplete, properties: named } = this.#subset;
    let made = schema;
    if (named && (named === "all" || path.length === 0) && !isJsonObject(made["properties"])) {
      this.#tell("schema-spelling", path, "properties");
      made = withMembers(made, { properties: {} });
    }
    if (isClosed) made = this.#closed(made, path);
    return isComplete ? this.#complete(made, path) : made;
  }

  #closed(schema: JsonObject, path: Path): JsonObject {
    const { additionalProperties: others } = schema;
    if (others === false) return schema;
    const isEmpty = Object.keys(objectOf(schema["properties"])).length === 0;
    const isMap = isJsonObject(others) && Object.keys(others).length > 0;
    // Without members of its own it takes any, unless it is the root of a tool that takes no arguments.
    const isOpen = isMap || (isEmpty && (path.length > 0 || others !== undefined));
    this.#tell(isOpen ? "schema-rule" : "schema-shape", path, "additionalProperties");
    return withMembers(schema, { additionalProperties: false });
  }

  #complete(schema: JsonObject, path: Path): JsonObject {
    const properties = objectOf(schema["properties"]);
    const names = Object.keys(properties);
    const required = new Set(namesOf(schema["required"]));
    if (names.length === required.size && names.every(name => required.has(name))) return schema;
    const made = mapInner({ properties }, (inner, [, name]) => {
      if (required.has(String(name))) return inner;
      this.#tell("schema-shape", [...path, "properties", String(name)], "it may be null, not absent");
      return orNull(inner);
    });
    if ([...required].some(name => !Object.hasOwn(properties, name))) this.#tell("schema-rule", path, "required");
    return withMembers(schema, { ...made, required: names });
  }
}
