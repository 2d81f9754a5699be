import type { ChatCompletionRequest$Outbound } from "@mistralai/mistralai/models/components";
import {
  ChatCompletionResponse$inboundSchema,
  CompletionChunk$inboundSchema,
} from "@mistralai/mistralai/models/components";
import { corpus } from "@translogue/testkit/wire-samples";
import { emit, isJsonObject, type Json, runAll } from "translogue";
import { decode, encode, streamEncoder } from "translogue/convert";
import { mistral } from "translogue/mistral";
import { describe, expect, test } from "vitest";

type Request = ChatCompletionRequest$Outbound;
type Message = Request["messages"][number];

const request = (more: Partial<Request>): Request => ({ model: "m", stream: false, messages: [], ...more });
const said = (...messages: readonly Message[]): Request => request({ messages: [...messages] });

/** Requests in the official SDK's own wire types: what these allow is read, and written as it was. */
const requests: readonly [name: string, wire: Request][] = [
  [
    "every chunk",
    said({
      role: "user",
      content: [
        { type: "text", text: "a" },
        { type: "image_url", image_url: "u" },
        { type: "image_url", image_url: { url: "u", detail: null } },
        { type: "document_url", document_url: "u", document_name: null },
        { type: "file", file_id: "f" },
        { type: "input_audio", input_audio: "AAAA" },
        { type: "reference", reference_ids: [1, "b"] },
        {
          type: "thinking",
          thinking: [
            { type: "text", text: "a" },
            { type: "reference", reference_ids: [1] },
            { type: "tool_reference", tool: "web_search", title: "t", url: null, favicon: "f", description: null },
          ],
          signature: null,
          closed: false,
        },
      ],
    }),
  ],
  [
    "every role",
    said(
      { role: "system", content: [{ type: "text", text: "a" }] },
      { role: "user", content: null },
      {
        role: "assistant",
        content: null,
        prefix: false,
        tool_calls: [
          { id: "a1B2c3D4e", type: "function", index: 0, function: { name: "f", arguments: { a: 1 } } },
          { id: "null", type: "function", index: 1, function: { name: "f", arguments: "" } },
        ],
      },
      { role: "tool", content: "x", tool_call_id: "a1B2c3D4e", name: "f" },
      { role: "tool", content: null, tool_call_id: null, name: null },
      { role: "assistant", content: "{", prefix: true, tool_calls: null },
    ),
  ],
  [
    "every tool",
    request({
      tool_choice: { type: "function", function: { name: "f" } },
      tools: [
        { type: "function", function: { name: "f", description: "", strict: false, parameters: { type: "object" } } },
        { type: "web_search", tool_configuration: null },
        { type: "web_search_premium" },
        { type: "code_interpreter" },
        { type: "image_generation" },
        { type: "document_library", library_ids: ["l"] },
        { type: "connector", connector_id: "c" },
      ],
    }),
  ],
  [
    "every setting",
    request({
      temperature: 0,
      top_p: null,
      max_tokens: 1,
      stop: ["a"],
      random_seed: 3,
      metadata: { a: 1 },
      response_format: {
        type: "json_schema",
        json_schema: { name: "n", description: null, schema: {}, strict: false },
      },
      presence_penalty: 0.5,
      frequency_penalty: null,
      n: 2,
      prediction: { type: "content", content: "a" },
      parallel_tool_calls: true,
      reasoning_effort: "high",
      prompt_mode: "reasoning",
      guardrails: [{ block_on_error: true, moderation_llm_v2: null }],
      prompt_cache_key: "k",
      service_tier: "default",
      safe_prompt: true,
    }),
  ],
];

test.each(requests)("what the SDK sends comes back as it was: %s", (_, wire) => {
  const value: Json = JSON.parse(JSON.stringify(wire));
  const { conversation, issues } = decode(mistral, value, { shape: "request" });
  expect(issues).toEqual([]);
  expect(encode(mistral, conversation, { shape: "request", recipient: "store", carry: false }).value).toEqual(value);
});

const faultOf = (
  schema: typeof CompletionChunk$inboundSchema | typeof ChatCompletionResponse$inboundSchema,
  wire: Json,
) => {
  const { success, error } = schema.safeParse(wire);
  return success ? undefined : error.issues.map(({ path, message }) => `${path.join(".")}: ${message}`);
};

describe.each(corpus)("of the conversation `%s` the SDK takes", (_, { messages }) => {
  const answer = { messages: messages.filter(({ role }) => role === "assistant") };
  const usage = { input: 1, output: 1 };
  const last = answer.messages.at(-1);
  const told = {
    messages: last ? [{ ...last, finish: last.finish ?? { reason: "stop" as const }, usage: last.usage ?? usage }] : [],
  };

  test("the answer", () => {
    if (!last || last.finish?.reason === "incomplete" || last.finish?.reason === "aborted") return;
    const { value } = encode(mistral, told, { shape: "answer", recipient: "client" });
    if (isJsonObject(value) && value["error"] === undefined) {
      expect(faultOf(ChatCompletionResponse$inboundSchema, value as Json)).toBeUndefined();
    }
  });

  test("the stream", () => {
    const chunks = runAll(streamEncoder(mistral, { recipient: "client" }), emit(answer.messages));
    const said = chunks.filter(chunk => isJsonObject(chunk) && chunk["error"] === undefined);
    expect(said.map(chunk => faultOf(CompletionChunk$inboundSchema, chunk)).filter(Boolean)).toEqual([]);
  });
});
