import { decode, encode, type Json } from "translogue";
import { expect, test } from "vitest";

/** A call that Anthropic ran, with what it gave as a client of JavaScript keeps it: data, in camel case. */
const history = (toolName: string, value: Json, type = "json"): Json => [
  {
    role: "assistant",
    content: [
      { type: "tool-call", toolCallId: "srvtoolu_1", toolName, input: {}, providerExecuted: true },
      { type: "tool-result", toolCallId: "srvtoolu_1", toolName, output: { type, value } },
    ],
  },
];

/** The first message of a request. */
const sent = (request: unknown): unknown => (request as { readonly messages: readonly unknown[] }).messages[0]; // the codec's own

const hit = { type: "web_search_result", url: "https://a", title: "A" };
test.each<[tool: string, given: Json, content: Json]>([
  [
    "web_search",
    [{ ...hit, pageAge: null, encryptedContent: "E" }],
    [{ ...hit, page_age: null, encrypted_content: "E" }],
  ],
  [
    "code_execution",
    { type: "code_execution_result", stdout: "1", stderr: "", return_code: 0, content: [] },
    { type: "code_execution_result", stdout: "1", stderr: "", return_code: 0, content: [] },
  ],
])("what %s gave goes back in the shape that the API takes", (tool, given, content) => {
  const { conversation } = decode(history(tool, given), { from: "ai-sdk-model:v7", shape: "messages" });
  const { value, losses } = encode(conversation, { to: "anthropic-messages", shape: "request" });
  expect(sent(value)).toMatchObject({
    content: [{ type: "server_tool_use" }, { type: `${tool}_tool_result`, content }],
  });
  expect(losses.map(({ code }) => code)).not.toContain("result-shape");
});

test("an error that the tool gave goes back as its error", () => {
  const failed = { type: "web_search_tool_result_error", errorCode: "max_uses_exceeded" };
  const given = history("web_search", failed, "error-json");
  const { conversation } = decode(given, { from: "ai-sdk-model:v7", shape: "messages" });
  const { value, losses } = encode(conversation, { to: "anthropic-messages", shape: "request" });
  const content = { type: "web_search_tool_result_error", error_code: "max_uses_exceeded" };
  expect(sent(value)).toMatchObject({ content: [{}, { type: "web_search_tool_result", content }] });
  expect(losses.map(({ code }) => code)).not.toContain("outcome");
});

test("data of another shape is told as a text, with a loss", () => {
  const { conversation } = decode(history("web_search", { hits: [1] }), { from: "ai-sdk-model:v7", shape: "messages" });
  const { losses } = encode(conversation, { to: "anthropic-messages", shape: "request" });
  expect(losses.map(({ code }) => code)).toContain("result-shape");
});
