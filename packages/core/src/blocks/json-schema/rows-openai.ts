import { type SchemaSubset, wordsOf } from "./subset.ts";

const said =
  "description title $schema $id $ref $defs definitions type properties required additionalProperties items anyOf enum const";
const numbers = "multipleOf maximum exclusiveMaximum minimum exclusiveMinimum";
const none: ReadonlySet<string> = new Set();

/**
 * "schema must have type 'object' and not have 'oneOf'/'anyOf'/'allOf'/'enum'/'const'/'not' at the top level", "object schema
 * missing properties", "array schema missing items": https://developers.openai.com/api/docs/guides/function-calling (2026-11-30).
 */
export const openaiTools: SchemaSubset = {
  root: wordsOf("oneOf anyOf allOf enum const not"),
  properties: "root",
  hasItems: true,
};

/** https://developers.openai.com/api/docs/guides/structured-outputs (2026-11-30). */
export const openaiStrict: SchemaSubset = {
  only: wordsOf(`${said} ${numbers} pattern format minItems maxItems`),
  root: wordsOf("oneOf anyOf allOf enum const not"),
  formats: wordsOf("date-time time date duration email hostname ipv4 ipv6 uuid"),
  // Grammars cannot look around.
  patterns: /(?<!\\)(?:\\\\)*\((?:\?[=!]|\?<[=!])/,
  isClosed: true,
  isComplete: true,
  isTyped: true,
  properties: "all",
  hasItems: true,
  besideRefs: none,
  instead: { oneOf: "anyOf", allOf: "merged" },
};

/** Without the lengths of texts and lists: https://api-docs.deepseek.com/guides/function_calling (2026-11-30). */
export const deepseekStrict: SchemaSubset = {
  ...openaiStrict,
  only: wordsOf(`${said} ${numbers} default pattern format`),
  formats: wordsOf("email hostname ipv4 ipv6 uuid"),
};

/** "minItems is not supported": https://github.com/i-am-bee/beeai-framework/issues/1215 (2026-11-30). */
export const groqStrict: SchemaSubset = { ...openaiStrict, only: wordsOf(`${said} ${numbers} pattern format`) };

/** "'required' present but 'properties' is missing": https://github.com/usestrix/strix/issues/1088 (2026-11-30). */
export const groqTools: SchemaSubset = { root: none, properties: "all" };

/** A bare `{ "type": "object" }` is refused: https://github.com/elizaOS/eliza/pull/17060 (2026-11-30). */
export const cerebrasTools: SchemaSubset = { root: none, properties: "root" };
