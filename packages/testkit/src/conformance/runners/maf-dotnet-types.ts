import type { StandardSchemaV1 } from "@standard-schema/spec";
import { isJsonObject, type Json, type JsonObject, type MutableJsonObject } from "translogue";
import { readMaf } from "translogue/maf";

/**
 * A .NET type as its serialiser reads it, told by its JSON Schema: names in any letter case, numbers in texts, enums by name
 * or number, unknown members skipped, missing ones by their defaults, nulls left out. `declared`: the type in C#, for what a
 * schema does not tell.
 */
export function dotnetType(schema: JsonObject, declared: string): StandardSchemaV1 {
  const reader = new DotnetReader(schema, declared);
  return {
    "~standard": {
      version: 1,
      vendor: "dotnet",
      validate: value => {
        try {
          const read = reader.read(schema, value as Json); // JSON came in
          return read === undefined ? { issues: [{ message: "the response is null" }] } : { value: read };
        } catch (error) {
          return { issues: [{ message: String(error) }] };
        }
      },
    },
  };
}

const fail = (value: Json, kind: string): never => {
  throw new TypeError(`${JSON.stringify(value)} is no ${kind}`);
};

class DotnetReader {
  readonly #root: JsonObject;
  readonly #declared: string;

  constructor(root: JsonObject, declared: string) {
    this.#root = root;
    this.#declared = declared;
  }

  /** Undefined for a null. */
  read(given: JsonObject, value: Json, name = ""): Json | undefined {
    const schema = this.#resolved(given);
    const types = typesOf(schema);
    if (types.length === 0 && schema["enum"] === undefined) return value;
    if (value === null) return types.includes("null") || isClass(schema) ? undefined : fail(value, String(types));
    if (Array.isArray(schema["enum"])) return enumOf(schema["enum"], value);
    const [type] = types.filter(each => each !== "null");
    switch (type) {
      case "object":
        return this.#object(schema, value);
      case "array":
        return Array.isArray(value)
          ? value.map(item => this.read(objectOf(schema["items"]), item) ?? null)
          : fail(value, type);
      case "integer":
      case "number":
        return this.#number(value, type, name);
      case "boolean":
        return typeof value === "boolean" ? value : fail(value, type);
      default:
        return textOf(schema, value);
    }
  }

  #number(value: Json, type: "integer" | "number", name: string): number {
    const isNumeric = typeof value === "string" && (type === "integer" ? whole : decimal).test(value);
    const number = isNumeric ? Number(value) : value;
    if (typeof number !== "number" || Number.isNaN(number)) return fail(value, type);
    const isLong = new RegExp(`\\blong\\??(?: +${name})?\\b`, "i").test(this.#declared);
    const isInt = Number.isInteger(number) && (isLong || Math.abs(number) < 2 ** 31);
    return type === "number" || isInt ? number : fail(value, type);
  }

  #object(schema: JsonObject, value: Json): JsonObject {
    if (!isJsonObject(value)) return fail(value, "object");
    const { properties, additionalProperties } = schema;
    const object: MutableJsonObject = {};
    if (isJsonObject(additionalProperties)) {
      for (const [key, member] of Object.entries(value)) object[key] = this.read(additionalProperties, member) ?? null;
      return object;
    }
    for (const [name, member] of Object.entries(objectOf(properties))) {
      const found = Object.keys(value).findLast(key => key.toLowerCase() === name.toLowerCase());
      if (found === undefined && this.#isRequired(name)) fail(value, `${this.#declared} without ${name}`);
      const read =
        found === undefined
          ? this.#missing(objectOf(member), name)
          : this.read(objectOf(member), value[found] ?? null, name);
      if (read !== undefined) object[name] = read;
    }
    return object;
  }

  /** C# demands what it calls so; parameters of records have defaults, whatever the schema says. */
  #isRequired(name: string): boolean {
    return new RegExp(`\\brequired [^;]*\\b${name}\\b *;`, "i").test(this.#declared);
  }

  #missing(given: JsonObject, name: string): Json | undefined {
    const schema = this.#resolved(given);
    const named = `(?:${name}|\\w+(?<=JsonPropertyName\\("${name}"\\)\\] string \\w+))`;
    const [, initial] = new RegExp(`\\bstring ${named} = "([^"]*)"`, "i").exec(this.#declared) ?? [];
    if (initial !== undefined) return initial;
    if (schema["default"] !== undefined && schema["default"] !== null) return schema["default"];
    const types = typesOf(schema);
    if (types.includes("null")) return undefined;
    if (Array.isArray(schema["enum"])) return schema["enum"][0];
    return defaults[types[0] ?? ""];
  }

  #resolved(schema: JsonObject): JsonObject {
    const { $ref } = schema;
    if (typeof $ref !== "string") return schema;
    const steps = $ref.split("/").slice(1);
    return steps.reduce<JsonObject>((place, step) => objectOf(place[step]), this.#root);
  }
}

const defaults: Readonly<Record<string, Json>> = { integer: 0, number: 0, boolean: false, array: [] };
const whole = /^[+-]?\d+$/;
const decimal = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/;

/** Types that may be null whatever their schema says: lists, objects and texts, but no moments, ids and letters. */
const isClass = (schema: JsonObject): boolean =>
  schema["enum"] === undefined &&
  typesOf(schema).some(type => type === "array" || type === "object" || (type === "string" && !isValueType(schema)));

const isValueType = ({ format, maxLength, $comment }: JsonObject): boolean =>
  (format !== undefined && format !== "uri") || maxLength === 1 || $comment !== undefined;

function textOf({ format, maxLength, pattern }: JsonObject, value: Json): string {
  if (typeof value !== "string") return fail(value, "text");
  if (format === "uuid" && !/^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i.test(value)) fail(value, "Guid");
  if (format === "date-time" && !isRead(value)) fail(value, "DateTimeOffset");
  if (typeof pattern === "string" && !new RegExp(pattern).test(value)) fail(value, pattern);
  if (maxLength === 1 && value.length !== 1) fail(value, "letter");
  return format === "uuid" ? value.toLowerCase() : value;
}

function isRead(date: string): boolean {
  try {
    readMaf(JSON.stringify(date), { type: "DateTimeOffset", strict: true });
    return true;
  } catch {
    return false;
  }
}

/** Names in any case, numbers, and lists with commas, whose numbers are put together. */
function enumOf(names: readonly Json[], value: Json): Json {
  if (typeof value === "number")
    return Number.isInteger(value) ? (names[value] ?? value) : fail(value, names.join(" or "));
  if (typeof value !== "string" || value.trim() === "") return fail(value, names.join(" or "));
  const numbers = value.split(",").map(each => {
    const word = each.trim();
    const place = names.findIndex(name => typeof name === "string" && name.toLowerCase() === word.toLowerCase());
    if (place < 0 && !whole.test(word)) fail(value, names.join(" or "));
    return place < 0 ? Number(word) : place;
  });
  const all = numbers.reduce((bits, number) => bits | number, 0);
  return names[all] ?? all;
}

const objectOf = (value: Json | undefined): JsonObject => (isJsonObject(value) ? value : {});
const typesOf = ({ type }: JsonObject): readonly string[] =>
  (Array.isArray(type) ? type : [type]).filter(each => typeof each === "string");
