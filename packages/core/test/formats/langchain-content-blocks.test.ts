import * as messages from "@langchain/core/messages";
import fc from "fast-check";
import { isJsonObject, type Json, type JsonObject } from "translogue";
import { contentBlocks } from "translogue/langchain";
import { describe, expect, test } from "vitest";

const rawCall = { id: "c1", type: "function", function: { name: "f", arguments: '{"a":1}' } };
const call = { name: "f", args: { a: 1 }, id: "c1", type: "tool_call" };

/** An answer of a provider, flat. */
const answer = (content: Json, provider?: string, members: JsonObject = {}): JsonObject => ({
  type: "ai",
  content,
  additional_kwargs: {},
  ...members,
  response_metadata: { ...(provider !== undefined && { model_provider: provider }), ...metadataOf(members) },
});
const metadataOf = ({ response_metadata: given }: JsonObject): JsonObject => (isJsonObject(given) ? given : {});

describe("Python's view", () => {
  const thinking = { type: "thinking", thinking: "t", signature: "s", index: 0 };
  const cases: readonly [name: string, message: JsonObject, blocks: readonly Json[]][] = [
    ["text", answer("hi"), [{ type: "text", text: "hi" }]],
    ["an empty text is nothing", answer(""), []],
    [
      "unknown blocks are wrapped",
      answer([{ type: "mystery" }]),
      [{ type: "non_standard", value: { type: "mystery" } }],
    ],
    [
      "calls that no block has follow",
      answer("hi", undefined, { tool_calls: [call] }),
      [
        { type: "text", text: "hi" },
        { type: "tool_call", id: "c1", name: "f", args: { a: 1 } },
      ],
    ],
    [
      "OpenAI's calls are read where there are no others",
      answer("", undefined, { tool_calls: [], additional_kwargs: { tool_calls: [rawCall] } }),
      [{ type: "tool_call", id: "c1", name: "f", args: { a: 1 } }],
    ],
    [
      "Anthropic's text content loses its calls, as in the package",
      answer("hi", "anthropic", { tool_calls: [call] }),
      [{ type: "text", text: "hi" }],
    ],
    [
      "reasoning beside the content comes first",
      answer("hi", undefined, { additional_kwargs: { reasoning_content: "r" } }),
      [
        { type: "reasoning", reasoning: "r" },
        { type: "text", text: "hi" },
      ],
    ],
    [
      "blocks marked as the present version are the view",
      answer([thinking], undefined, { response_metadata: { output_version: "v1" } }),
      [thinking],
    ],
    [
      "Anthropic's thinking",
      answer([thinking], "anthropic"),
      [{ type: "reasoning", reasoning: "t", index: 0, extras: { signature: "s" } }],
    ],
    [
      "a chunk of a call",
      {
        ...answer("", "openai"),
        type: "AIMessageChunk",
        tool_call_chunks: [{ name: "f", args: "{", id: "c", index: 0 }],
      },
      [{ type: "tool_call_chunk", id: "c", name: "f", args: "{", index: 0 }],
    ],
    [
      "the last chunk has the whole call",
      {
        ...answer(""),
        type: "AIMessageChunk",
        chunk_position: "last",
        tool_calls: [call],
        tool_call_chunks: [{ name: "f", args: "{}", id: "c1", index: 0 }],
      },
      [{ type: "tool_call", id: "c1", name: "f", args: { a: 1 } }],
    ],
    [
      "OpenAI's summaries, one by one",
      answer(
        [
          {
            type: "reasoning",
            id: "rs",
            index: 1,
            summary: [
              { type: "summary_text", text: "A", index: 0 },
              { type: "summary_text", text: "B", index: 1 },
            ],
          },
        ],
        "openai",
      ),
      [
        { type: "reasoning", id: "rs", reasoning: "A", index: "lc_rs_315f30" },
        { type: "reasoning", id: "rs", reasoning: "B", index: "lc_rs_315f31" },
      ],
    ],
    [
      "Bedrock of another model than Claude is read by the best effort",
      answer([thinking], "bedrock"),
      [{ type: "non_standard", value: thinking }],
    ],
    [
      "Groq's tools",
      answer("", "groq", {
        additional_kwargs: { executed_tools: [{ type: "python", arguments: '{"code": "print("x")"}', output: "x" }] },
      }),
      [
        { type: "server_tool_call", name: "code_interpreter", id: "0", args: { code: 'print("x")' } },
        { type: "server_tool_result", tool_call_id: "0", output: "x", status: "success" },
      ],
    ],
  ];
  test.each(cases)("%s", (_, message, blocks) => {
    expect(contentBlocks(message, { language: "python" })).toEqual(blocks);
  });

  test("ids that Python draws are the caller's to make, or there are none", () => {
    const message = { type: "human", content: [{ type: "image_url", image_url: { url: "u", detail: "low" } }] };
    const image = { type: "image", url: "u", extras: { detail: "low" } };
    expect(contentBlocks(message, { language: "python" })).toEqual([image]);
    expect(contentBlocks(message, { language: "python", newId: () => "lc_1" })).toEqual([{ ...image, id: "lc_1" }]);
  });

  test("what makes Python raise stays as it is, or keeps what it has", () => {
    const v0 = { type: "image", source_type: "url", url: "u", id: "i" };
    expect(contentBlocks({ type: "human", content: [v0] }, { language: "python" })).toEqual([
      { type: "image", id: "i", url: "u" },
    ]);
    const file = { type: "file", source_type: "text", text: "t" };
    expect(contentBlocks({ type: "human", content: [file] }, { language: "python" })).toEqual([file]);
  });
});

describe("every form of a message has the same view", () => {
  const kwargs = { content: [{ type: "thinking", thinking: "t" }], response_metadata: { model_provider: "anthropic" } };
  test.each<[name: string, message: Json]>([
    ["flat", { type: "ai", ...kwargs }],
    ["stored", { type: "ai", data: kwargs }],
    [
      "serialised by Python",
      { lc: 1, type: "constructor", id: ["langchain", "schema", "messages", "AIMessage"], kwargs },
    ],
    [
      "serialised by JavaScript",
      { lc: 1, type: "constructor", id: ["langchain_core", "messages", "AIMessage"], kwargs },
    ],
  ])("%s", (_, message) => {
    for (const language of ["python", "js"] as const) {
      expect(contentBlocks(message, { language })).toEqual([{ type: "reasoning", reasoning: "t" }]);
    }
  });

  test("a value that is no message is refused, and no message changes", () => {
    expect(() => contentBlocks({ a: 1 }, { language: "js" })).toThrow("no message of LangChain's");
    const message = Object.freeze({
      type: "ai",
      content: Object.freeze([Object.freeze({ type: "mystery", index: 1 })]),
    });
    expect(contentBlocks(message, { language: "python" })).toEqual([
      { type: "non_standard", value: { type: "mystery", index: 1 } },
    ]);
  });
});

describe("JavaScript's view is that of @langchain/core", () => {
  const providers = [
    "anthropic",
    "bedrock-converse",
    "deepseek",
    "google",
    "google-genai",
    "google-vertexai",
    "groq",
    "ollama",
    "openai",
    "openrouter",
    "xai",
    "another",
    undefined,
  ];
  const location = { cited_text: "q", document_title: "D", document_index: 0 };
  const blocks: readonly JsonObject[] = [
    { type: "text", text: "a", index: 0, id: "msg_1" },
    { type: "text", text: "", phase: "commentary", extras: { k: 1 } },
    { type: "text", text: "<think> a </think>b$&", thought: true, thoughtSignature: "s" },
    {
      type: "text",
      text: "x",
      citations: [
        { type: "char_location", ...location, start_char_index: 0, end_char_index: 1 },
        { type: "web_search_result_location", url: "u", title: "T", encrypted_index: "7", cited_text: "q" },
        { type: "mystery" },
      ],
    },
    {
      type: "text",
      text: "x",
      annotations: [
        { type: "url_citation", url: "u", title: "T", start_index: 0, end_index: 1 },
        { type: "file_citation", file_id: "f", filename: "n", index: 2 },
      ],
    },
    { type: "refusal", refusal: "no", id: "r" },
    { type: "reasoning", reasoning: "r", signature: "s" },
    { type: "reasoning", id: "rs", summary: [{ type: "summary_text", text: "A" }] },
    { type: "thinking", thinking: "t", signature: "s", index: 0 },
    { type: "redacted_thinking", data: "z" },
    { type: "tool_use", id: "t", name: "f", input: { a: 1 } },
    { type: "tool_call", id: "c1", name: "f", args: {} },
    { type: "server_tool_use", id: "s", name: "web_search", input: { query: "q" } },
    { type: "server_tool_use", id: "s", name: "code_execution", partial_json: '{"code":"1"}' },
    { type: "web_search_tool_result", tool_use_id: "s", content: [{ type: "web_search_result", url: "u" }] },
    { type: "code_execution_tool_result", tool_use_id: "s", content: { stdout: "1" } },
    { type: "mcp_tool_use", id: "m", name: "echo", input: {} },
    { type: "document", source: { type: "text", data: "d" } },
    { type: "image", source: { type: "base64", media_type: "image/png", data: "aGk=" } },
    { type: "image", source_type: "base64", data: "aGk=", metadata: { a: 1 }, cache_control: {} },
    { type: "file", source_type: "id", id: "f", mime_type: "application/pdf" },
    { type: "image_url", image_url: { url: "data:image/png;base64,aGk=" } },
    { type: "image_url", image_url: "data:image/png;base64,aGk=" },
    { type: "input_audio", input_audio: { data: "UklG", format: "wav" } },
    { type: "file", file: { data: "data:application/pdf;base64,aGk=", file_id: "f" } },
    { type: "inlineData", inlineData: { mimeType: "image/png", data: "aGk=" } },
    { type: "functionCall", functionCall: { name: "f", args: {} }, thoughtSignature: "s" },
    { type: "fileData", fileData: { mimeType: "video/mp4", fileUri: "gs://v" } },
    { type: "media", mimeType: "audio/wav", data: "UklG" },
    { type: "reasoning_content", reasoningText: { text: "r", signature: "s" } },
    {
      type: "citations_content",
      citationsContent: {
        content: [{ text: "a" }],
        citations: [
          { sourceContent: [{ text: "q" }], location: { documentPage: { documentIndex: 1, start: 2, end: 3 } } },
        ],
      },
    },
    { type: "document", document: { format: "txt", source: { text: "é" } } },
    { type: "video", video: { format: "mov", source: { s3Location: { uri: "s3://v" } } } },
    { type: "mystery", x: 1 },
    { text: "no type" },
  ];
  const kwargs: readonly JsonObject[] = [
    {},
    { refusal: "no", reasoning_content: "rc", reasoning: "r" },
    { reasoning: { id: "rs", summary: [{ type: "summary_text", text: "A" }], encrypted_content: "e" } },
    {
      reasoning_details: [
        { type: "reasoning.summary", summary: "S" },
        { type: "reasoning.encrypted", data: "z" },
      ],
    },
    { originalTextContentBlock: { type: "text", text: "x", thoughtSignature: "s" }, signatures: ["s0", "s1"] },
    { stop_reason: "refusal", finishReason: "SAFETY" },
    {
      tool_outputs: [
        { type: "web_search_call", id: "w", status: "completed", action: { query: "q" } },
        {
          type: "code_interpreter_call",
          id: "ci",
          code: "1",
          status: "failed",
          outputs: [{ type: "logs", logs: "l" }],
        },
        { type: "image_generation_call", id: "ig", result: "aGk=", status: "completed" },
        { type: "mystery" },
      ],
    },
  ];
  const metadata: readonly JsonObject[] = [
    {},
    { stop_reason: "refusal", stop_details: { explanation: "why", category: "c" } },
    { finishReason: "BLOCKLIST", finishMessage: "blocked" },
    {
      output: [
        { type: "reasoning", id: "r1", summary: [{ text: "why" }] },
        { type: "web_search_call", id: "w" },
        { type: "message", id: "m" },
        { type: "function_call", call_id: "c1" },
      ],
    },
    { output_version: "v1" },
  ];
  const classes = {
    AIMessage: messages.AIMessage,
    AIMessageChunk: messages.AIMessageChunk,
    HumanMessage: messages.HumanMessage,
  };

  const spec = fc.record({
    name: fc.constantFrom(...(["AIMessage", "AIMessage", "AIMessageChunk", "HumanMessage"] as const)),
    provider: fc.constantFrom(...providers),
    content: fc.oneof(
      fc.constantFrom("", "hi", "<think>a</think>b"),
      fc.array(fc.constantFrom(...blocks), { minLength: 1, maxLength: 4 }),
    ),
    kwargs: fc.constantFrom(...kwargs),
    metadata: fc.constantFrom(...metadata),
    calls: fc.boolean(),
    id: fc.constantFrom(undefined, "m1"),
  });

  test("for whatever its providers leave in a message", () => {
    fc.assert(
      fc.property(spec, ({ name, provider, content, kwargs: beside, metadata: told, calls, id }) => {
        const fields: JsonObject = {
          content,
          additional_kwargs: beside,
          response_metadata: { ...told, ...(provider !== undefined && { model_provider: provider }) },
          ...(calls && name !== "HumanMessage" && { tool_calls: [call] }),
          ...(id !== undefined && { id }),
        };
        // The package changes what it is given, and writes NaN where JSON has null.
        const message = new classes[name](JSON.parse(JSON.stringify(fields)) as never); // the constructors take what JSON gives them
        const wire = JSON.parse(JSON.stringify(message)) as Json; // JSON is Json
        const expected = JSON.parse(JSON.stringify(message.contentBlocks)) as Json; // the same
        // A marked chunk's text is its own view there; ours is always a list.
        const list = typeof expected === "string" ? [{ type: "text", text: expected }] : expected;
        expect(contentBlocks(wire, { language: "js" })).toEqual(list);
      }),
      { seed: 20261130, numRuns: 3000 },
    );
  });
});

test("the blocks that JavaScript wrote of its view are the view, not what another is made of", () => {
  const blocks = [{ type: "non_standard", value: { type: "tool_call", id: "c", name: "f", args: {} } }];
  const message = {
    lc: 1,
    type: "constructor",
    id: ["langchain_core", "messages", "AIMessage"],
    kwargs: { content_blocks: blocks, response_metadata: { model_provider: "anthropic", output_version: "v0" } },
  };
  expect(contentBlocks(message, { language: "js" })).toEqual(blocks);
});

test("Python keeps the place and the id of an audio or file of OpenAI's beside its own members", () => {
  const content = [{ type: "input_audio", input_audio: { data: "aGk=", format: "wav" }, index: "lc_txt_0", id: "a" }];
  expect(contentBlocks({ type: "human", content }, { language: "python" })).toEqual([
    { type: "audio", id: "a", base64: "aGk=", mime_type: "audio/wav", index: "lc_txt_0" },
  ]);
});
