import type { StandardJSONSchemaV1 } from "@standard-schema/spec";
import { equalJson, isJsonObject, type Json, type JsonObject } from "translogue";

type Side = "input" | "output";

/**
 * What a schema says of the values that it takes. Where a schema makes other values of them (a transform, a codec), only its
 * input side says so; where both sides ask for the same kinds, the output side says more: what has a default is there, and
 * nothing else is. Throws what the schema throws where neither side can be said.
 */
export function ownSchema(converter: StandardJSONSchemaV1.Converter): JsonObject {
  const [input, output] = [sideOf(converter, "input"), sideOf(converter, "output")];
  if (!("schema" in input)) {
    if ("schema" in output) return output.schema;
    throw input.cause;
  }
  return "schema" in output && equalJson(kindsOf(input.schema), kindsOf(output.schema)) ? output.schema : input.schema;
}

function sideOf(
  converter: StandardJSONSchemaV1.Converter,
  side: Side,
): { readonly schema: JsonObject } | { readonly cause: unknown } {
  try {
    const { $schema: _, ...members } = converter[side]({ target: "draft-2020-12" });
    return { schema: members as JsonObject }; // what a converter gives is JSON Schema
  } catch (cause) {
    return { cause };
  }
}

/** Members whose own members are names. */
const named = new Set(["properties", "patternProperties", "$defs", "definitions", "dependentSchemas"]);

/** A schema without what only says how complete a value is. */
function kindsOf(schema: Json): Json {
  if (Array.isArray(schema)) return schema.map(kindsOf);
  if (!isJsonObject(schema)) return schema;
  const members = Object.entries(schema).flatMap(([key, value]): [string, Json][] => {
    if (key === "required" || key === "default" || (key === "additionalProperties" && value === false)) return [];
    return [[key, named.has(key) && isJsonObject(value) ? eachOf(value) : kindsOf(value)]];
  });
  return Object.fromEntries(members);
}

const eachOf = (schemas: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, kindsOf(schema)]));
