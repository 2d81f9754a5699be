import { type SchemaSubset, wordsOf } from "./subset.ts";

const root = wordsOf("oneOf allOf anyOf");

/** "input_schema does not support oneOf, allOf, or anyOf at the top level": https://github.com/anthropics/claude-code/issues/27337 (2026-11-30). */
export const anthropicTools: SchemaSubset = { root };

/**
 * Answers by a schema, which is always followed. "For 'integer' type, properties maximum, minimum are not supported", "Circular
 * reference detected in schema definitions": https://platform.claude.com/docs/en/build-with-claude/structured-outputs and
 * `@anthropic-ai/sdk` 1.10.0 (2026-11-30).
 */
export const anthropicFormat: SchemaSubset = {
  only: wordsOf(
    "description title $schema $id $ref $defs definitions type properties required additionalProperties items anyOf allOf " +
      "enum const default pattern format minItems",
  ),
  formats: wordsOf("date-time time date duration email hostname uri ipv4 ipv6 uuid"),
  minItems: [0, 1],
  // No looking around or back, no borders of words.
  patterns: /(?<!\\)(?:\\\\)*(?:\((?:\?[=!]|\?<[=!])|\\[1-9bB])/,
  isClosed: true,
  isTyped: true,
  isAcyclic: true,
  besideRefs: new Set(),
  plainValues: true,
  instead: { oneOf: "anyOf", allOf: "merged refs" },
};

export const anthropicStrict: SchemaSubset = { ...anthropicFormat, root };
