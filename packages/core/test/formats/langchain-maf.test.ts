/** What the seed article puts side by side: LangChain's content blocks and messages, and the contents of Microsoft's framework. */
import { convert, type Json, type JsonObject } from "translogue";
import { describe, expect, test } from "vitest";

const ai = (content: Json, more: JsonObject = {}): JsonObject => ({
  content,
  additional_kwargs: {},
  response_metadata: {},
  type: "ai",
  name: null,
  id: null,
  tool_calls: [],
  invalid_tool_calls: [],
  usage_metadata: null,
  ...more,
});
const tool = (content: Json, more: JsonObject): JsonObject => ({
  content,
  additional_kwargs: {},
  response_metadata: {},
  type: "tool",
  name: null,
  id: null,
  artifact: null,
  status: "success",
  ...more,
});
const plain = (type: string, content: Json, more: JsonObject = {}): JsonObject => ({
  content,
  additional_kwargs: {},
  response_metadata: {},
  type,
  name: null,
  id: null,
  ...more,
});
const assistant = (...contents: JsonObject[]): JsonObject => ({ role: "assistant", contents });

const call: JsonObject = { name: "weather", args: { city: "Lyon" }, id: "c1", type: "tool_call" };
const functionCall: JsonObject = {
  $type: "functionCall",
  name: "weather",
  arguments: { city: "Lyon" },
  informationalOnly: false,
  callId: "c1",
};
const hosted = (name: string, args: Json, output: Json): JsonObject[] => [
  { type: "server_tool_call", id: "s1", name, args },
  { type: "server_tool_result", tool_call_id: "s1", status: "success", output },
];

const rows: readonly (readonly [name: string, langchain: readonly JsonObject[], maf: readonly JsonObject[]])[] = [
  ["text", [ai("hi")], [assistant({ $type: "text", text: "hi" })]],
  [
    "several texts",
    [
      ai([
        { type: "text", text: "a" },
        { type: "text", text: "b" },
      ]),
    ],
    [assistant({ $type: "text", text: "a" }, { $type: "text", text: "b" })],
  ],
  [
    "reasoning, its signature and protected data",
    [ai([{ type: "reasoning", reasoning: "why", extras: { signature: "sig" } }])],
    [assistant({ $type: "reasoning", text: "why", protectedData: "sig" })],
  ],
  [
    "an inline image and a data URI",
    [ai([{ type: "image", base64: "aGVsbG8=", mime_type: "image/png" }])],
    [assistant({ $type: "data", uri: "data:image/png;base64,aGVsbG8=" })],
  ],
  [
    "an image by address",
    [ai([{ type: "image", url: "https://example.com/a.png", mime_type: "image/png" }])],
    [assistant({ $type: "uri", uri: "https://example.com/a.png", mediaType: "image/png" })],
  ],
  [
    "audio",
    [ai([{ type: "audio", base64: "aGVsbG8=", mime_type: "audio/wav" }])],
    [assistant({ $type: "data", uri: "data:audio/wav;base64,aGVsbG8=" })],
  ],
  [
    "a file that the provider keeps",
    [ai([{ type: "file", file_id: "file-1", mime_type: "application/pdf" }])],
    [assistant({ $type: "hostedFile", fileId: "file-1", mediaType: "application/pdf" })],
  ],
  ["a call", [ai("", { tool_calls: [call] })], [assistant(functionCall)]],
  [
    "a call and its result",
    [ai("", { tool_calls: [call] }), tool("rain", { tool_call_id: "c1" })],
    [assistant(functionCall), { role: "tool", contents: [{ $type: "functionResult", result: "rain", callId: "c1" }] }],
  ],
  [
    "a web search and its result",
    [ai(hosted("web_search", { query: "news" }, { sources: [{ type: "url", url: "https://example.com" }] }))],
    [
      assistant(
        { $type: "webSearchToolCall", queries: ["news"], callId: "s1" },
        {
          $type: "webSearchToolResult",
          outputs: [{ $type: "uri", uri: "https://example.com", mediaType: "text/html" }],
          callId: "s1",
        },
      ),
    ],
  ],
  [
    "a code interpreter and what it printed",
    [ai(hosted("code_interpreter", { code: "print(1)" }, "1"))],
    [
      assistant(
        {
          $type: "codeInterpreterToolCall",
          inputs: [{ $type: "data", uri: "data:text/x-python;base64,cHJpbnQoMSk=" }],
          callId: "s1",
        },
        { $type: "codeInterpreterToolResult", outputs: [{ $type: "text", text: "1" }], callId: "s1" },
      ),
    ],
  ],
  [
    "an image that the provider drew",
    [ai(hosted("image_generation", {}, [{ type: "image", base64: "aGVsbG8=", mime_type: "image/png" }]))],
    [
      assistant(
        { $type: "imageGenerationToolCall", callId: "s1" },
        {
          $type: "imageGenerationToolResult",
          outputs: [{ $type: "data", uri: "data:image/png;base64,aGVsbG8=" }],
          callId: "s1",
        },
      ),
    ],
  ],
  [
    "a tool of an MCP server",
    [
      ai([
        {
          type: "server_tool_call",
          id: "s1",
          extras: { tool_name: "issues", server_label: "tracker" },
          name: "remote_mcp",
          args: { state: "open" },
        },
        { type: "server_tool_result", tool_call_id: "s1", status: "success", output: "#4" },
      ]),
    ],
    [
      assistant(
        {
          $type: "mcpServerToolCall",
          name: "issues",
          serverName: "tracker",
          arguments: { state: "open" },
          callId: "s1",
        },
        { $type: "mcpServerToolResult", outputs: [{ $type: "text", text: "#4" }], callId: "s1" },
      ),
    ],
  ],
  [
    "annotations and citations with a span of text",
    [
      ai([
        {
          type: "text",
          text: "Water boils.",
          annotations: [
            {
              type: "citation",
              url: "https://example.com/w",
              title: "Water",
              start_index: 0,
              end_index: 5,
              cited_text: "water",
            },
          ],
        },
      ]),
    ],
    [
      assistant({
        $type: "text",
        text: "Water boils.",
        annotations: [
          {
            $type: "citation",
            title: "Water",
            url: "https://example.com/w",
            snippet: "water",
            annotatedRegions: [{ $type: "textSpan", start: 0, end: 5 }],
          },
        ],
      }),
    ],
  ],
  [
    "usage",
    [ai("hi", { usage_metadata: { input_tokens: 3, output_tokens: 2, total_tokens: 5 } })],
    [
      assistant(
        { $type: "text", text: "hi" },
        { $type: "usage", details: { inputTokenCount: 3, outputTokenCount: 2, totalTokenCount: 5 } },
      ),
    ],
  ],
  [
    "a role of one's own",
    [plain("chat", "Go on.", { role: "critic" })],
    [{ role: "critic", contents: [{ $type: "text", text: "Go on." }] }],
  ],
  [
    "the author's name",
    [plain("human", "Hi", { name: "Ann" })],
    [{ authorName: "Ann", role: "user", contents: [{ $type: "text", text: "Hi" }] }],
  ],
  [
    "the message's id",
    [plain("human", "Hi", { id: "m1" })],
    [{ role: "user", contents: [{ $type: "text", text: "Hi" }], messageId: "m1" }],
  ],
];

describe.each(rows)("%s", (_, langchain, maf) => {
  test("is the same from LangChain to Microsoft's framework, without a loss", () => {
    const { value, losses } = convert(langchain, { from: "langchain:python", to: "maf", as: "messages", carry: false });
    expect(value).toEqual(maf);
    expect(losses).toEqual([]);
  });

  test("is the same from Microsoft's framework to LangChain, without a loss", () => {
    const { value, losses } = convert(maf, { from: "maf", to: "langchain:python", as: "messages", carry: false });
    expect(value).toEqual(langchain);
    expect(losses).toEqual([]);
  });
});

test.each([
  { $type: "hostedVectorStore", vectorStoreId: "v1" },
  { $type: "toolCall", callId: "t1" },
  { $type: "toolResult", callId: "t1" },
  { $type: "inputRequest", requestId: "r1" },
  { $type: "inputResponse", requestId: "r1" },
])("$$type has no part: it is kept as it is, and every other format says that it cannot hold it", content => {
  const { value, losses } = convert([assistant(content)], {
    from: "maf",
    to: "langchain:python",
    as: "messages",
    carry: true,
  });
  expect(losses.map(({ code, carried }) => [code, carried])).toEqual([["opaque", true]]);
  expect(convert(value, { from: "langchain:python", to: "maf", as: "messages" }).value).toEqual([assistant(content)]);
});
