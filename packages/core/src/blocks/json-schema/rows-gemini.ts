import { type SchemaSubset, wordsOf } from "./subset.ts";

/**
 * JSON Schema. "If a schema node has $ref set, then only description and default can be set alongside it"; what is not known is
 * ignored, so that is written in other words which would not be heard:
 * https://ai.google.dev/api/generate-content#v1beta.GenerationConfig and `@google/genai` 3.1.0 (2026-11-30).
 */
export const geminiSchema: SchemaSubset = {
  besideRefs: wordsOf("description title default"),
  instead: { const: "enum", allOf: "merged", definitions: "$defs", exclusive: "whole numbers" },
};

export const geminiTools: SchemaSubset = { ...geminiSchema, root: new Set() };

/**
 * OpenAPI 3.0. "Unknown name "const": Cannot find field", "Proto field is not repeating, cannot start list":
 * https://ai.google.dev/api/caching#Schema (2026-11-30).
 */
export const geminiOpenApi: SchemaSubset = {
  only: wordsOf(
    "type format title description nullable enum items minItems maxItems minLength maxLength minProperties maxProperties " +
      "minimum maximum pattern properties propertyOrdering required anyOf default example",
  ),
  isOpenApi: true,
};
