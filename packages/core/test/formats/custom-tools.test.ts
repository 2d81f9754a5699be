import { convert, type FormatId, isJsonObject, type Json } from "translogue";
import { expect, test } from "vitest";

const asked = {
  model: "m",
  input: [
    { role: "user", content: "run it" },
    { type: "custom_tool_call", call_id: "call_123456", name: "run", input: "print(1)" },
    { type: "custom_tool_call_output", call_id: "call_123456", output: "1" },
  ],
  tools: [{ type: "custom", name: "run", description: "runs a program" }],
};

/** Every value under one of the names, however deep. */
function found(value: Json | undefined, names: readonly string[]): readonly Json[] {
  if (Array.isArray(value)) return value.flatMap((each: Json) => found(each, names));
  if (!isJsonObject(value)) return [];
  return Object.entries(value).flatMap(([name, inner]) => [
    ...(names.includes(name) ? [inner] : []),
    ...found(inner, names),
  ]);
}

test.each<[FormatId]>([
  ["anthropic-messages"],
  ["bedrock-converse"],
  ["cohere"],
  ["gemini"],
  ["gemini-interactions"],
  ["mistral"],
  ["ollama"],
])("%s gets a tool of free text as a function that takes one, and its calls so too", to => {
  const value = convert(asked, { from: "openai-responses", to, shape: "request" }).value as Json; // a request
  const schemas = found(value, ["parameters", "parametersJsonSchema", "input_schema", "json"]);
  expect(schemas).toContainEqual({ type: "object", properties: { input: { type: "string" } }, required: ["input"] });
  const given = found(value, ["arguments", "args", "input"]);
  const object = { input: "print(1)" };
  expect(given.some(each => JSON.stringify(each) === JSON.stringify(object) || each === JSON.stringify(object))).toBe(
    true,
  );
});
