import type { Json, JsonObject } from "translogue";
import { describe, expect, test } from "vitest";
import { bare, read, write } from "./langchain-content-wire.ts";

describe("a block is read as a part", () => {
  const signed = (signature: string): JsonObject => ({ maker: "anthropic", values: { signature } });
  const blocks: readonly [provider: string | undefined, block: Json, ...parts: readonly Json[]][] = [
    [undefined, { type: "text", text: "a", id: "lc_1", index: 0 }, { type: "text", text: "a", id: "lc_1" }],
    [
      "openai",
      { type: "text", text: "a", id: "msg_1" },
      { type: "text", text: "a", seal: { maker: "openai", values: { id: "msg_1" } } },
    ],
    [
      undefined,
      { type: "text", text: "a", extras: { phase: "final_answer" } },
      { type: "text", text: "a", phase: "final" },
    ],
    [
      undefined,
      { type: "text", text: "a", cache_control: { type: "ephemeral", ttl: "1h" } },
      { type: "text", text: "a", cache: { ttl: "1h" } },
    ],
    [
      undefined,
      { type: "reasoning", reasoning: "r", extras: { signature: "s" } },
      { type: "reasoning", text: "r", seal: { values: { signature: "s" } } },
    ],
    [
      "google_genai",
      { type: "reasoning", reasoning: "r", extras: { signature: "s" } },
      { type: "reasoning", text: "r", seal: { maker: "google", values: { thoughtSignature: "s" } } },
    ],
    [
      "openai",
      { type: "reasoning", reasoning: "r", id: "rs_1", encrypted_content: "e" },
      {
        type: "reasoning",
        text: "r",
        summary: true,
        seal: { maker: "openai", values: { id: "rs_1", encrypted_content: "e" } },
      },
    ],
    [undefined, { type: "refusal", refusal: "no" }, { type: "refusal", text: "no" }],
    [
      undefined,
      { type: "image", base64: "aGk=", mime_type: "image/png", extras: { detail: "low", filename: "a.png" } },
      { type: "file", mediaType: "image/png", source: { data: "aGk=" }, name: "a.png", detail: "low" },
    ],
    [
      undefined,
      { type: "image", url: "https://e.com/a" },
      { type: "file", mediaType: "image/*", source: { url: "https://e.com/a" } },
    ],
    [
      undefined,
      { type: "image", url: "data:image/png;base64,aGk=" },
      { type: "file", mediaType: "image/png", source: { data: "aGk=" } },
    ],
    ["openai", { type: "file", file_id: "file-1" }, { type: "file", source: { id: "file-1", provider: "openai" } }],
    [undefined, { type: "file", file_id: "gs://b/v" }, { type: "file", source: { url: "gs://b/v" } }],
    [
      undefined,
      { type: "text-plain", mime_type: "text/plain", text: "p", title: "T" },
      { type: "file", mediaType: "text/plain", source: { text: "p" }, name: "T" },
    ],
    [
      undefined,
      { type: "audio", source_type: "base64", data: "UklG", mime_type: "audio/wav" },
      { type: "file", mediaType: "audio/wav", source: { data: "UklG" } },
    ],
    [undefined, { type: "file", source_type: "id", id: "f" }, { type: "file", source: { id: "f" } }],
    [undefined, { type: "file", source_type: "text", url: "words" }, { type: "file", source: { text: "words" } }],
    [
      undefined,
      { type: "tool_call", id: "c", name: "f", args: { a: 1 } },
      { type: "tool-call", callId: "c", name: "f", input: { a: 1 } },
    ],
    [
      undefined,
      { type: "server_tool_call", id: "s", name: "web_search", args: { query: "q" } },
      {
        type: "tool-call",
        callId: "s",
        name: "web_search",
        input: { query: "q" },
        kind: "web-search",
        executedBy: "provider",
      },
    ],
    [
      undefined,
      {
        type: "server_tool_result",
        tool_call_id: "s",
        status: "success",
        output: {
          sources: [
            { type: "url", url: "u", title: "T" },
            { url: "v", rank: 1 },
          ],
        },
      },
      {
        type: "tool-result",
        callId: "s",
        output: [
          { type: "source", url: "u", title: "T" },
          { type: "source", url: "v" },
        ],
      },
    ],
    [
      undefined,
      { type: "server_tool_call", id: "i", name: "image_generation", args: {} },
      { type: "tool-call", callId: "i", name: "image_generation", kind: "image-generation", executedBy: "provider" },
    ],
    [
      undefined,
      {
        type: "server_tool_call",
        id: "m",
        name: "remote_mcp",
        args: {},
        extras: { tool_name: "echo", server_label: "s" },
      },
      { type: "tool-call", callId: "m", name: "echo", input: {}, kind: "mcp", executedBy: "provider", server: "s" },
    ],
    [
      undefined,
      { type: "server_tool_result", tool_call_id: "s", status: "error", output: { code: 1 } },
      { type: "tool-result", callId: "s", output: [{ type: "data", data: { code: 1 } }], outcome: "error" },
    ],
    [
      "anthropic",
      { type: "thinking", thinking: "t", signature: "s", index: 0 },
      { type: "reasoning", text: "t", seal: signed("s") },
    ],
    [
      "anthropic",
      { type: "redacted_thinking", data: "z" },
      { type: "reasoning", seal: { maker: "anthropic", values: { data: "z" } } },
    ],
    [
      "bedrock_converse",
      { type: "reasoning_content", reasoning_content: { text: "r", signature: "s" } },
      { type: "reasoning", text: "r", seal: signed("s") },
    ],
    [
      "anthropic",
      { type: "document", source: { type: "text", media_type: "text/plain", data: "d" }, title: "T" },
      { type: "file", mediaType: "text/plain", source: { text: "d" }, name: "T" },
    ],
    [
      "anthropic",
      { type: "server_tool_use", id: "s", name: "code_execution", input: { code: "1" } },
      {
        type: "tool-call",
        callId: "s",
        name: "code_execution",
        input: { code: "1" },
        kind: "code-interpreter",
        executedBy: "provider",
      },
    ],
    [
      "anthropic",
      {
        type: "web_search_tool_result",
        tool_use_id: "s",
        content: [{ type: "web_search_result", url: "u", title: "T", encrypted_content: "e" }],
      },
      {
        type: "tool-result",
        callId: "s",
        output: [
          { type: "source", url: "u", title: "T", seal: { maker: "anthropic", values: { encrypted_content: "e" } } },
        ],
      },
    ],
    [
      "openai",
      {
        type: "reasoning",
        id: "rs",
        summary: [
          { type: "summary_text", text: "A" },
          { type: "summary_text", text: "B" },
        ],
        encrypted_content: "e",
      },
      { type: "reasoning", text: "A", summary: true, seal: { maker: "openai", values: { id: "rs" } } },
      {
        type: "reasoning",
        text: "B",
        summary: true,
        seal: { maker: "openai", values: { id: "rs", encrypted_content: "e" } },
      },
    ],
    [
      "openai",
      {
        type: "code_interpreter_call",
        id: "ci",
        code: "1",
        outputs: [{ type: "logs", logs: "1" }],
        status: "completed",
      },
      {
        type: "tool-call",
        callId: "ci",
        name: "code_interpreter",
        input: { code: "1" },
        kind: "code-interpreter",
        executedBy: "provider",
      },
      { type: "tool-result", callId: "ci", output: [{ type: "data", data: [{ type: "logs", logs: "1" }] }] },
    ],
    [
      "openai",
      { type: "mcp_call", id: "m", name: "echo", server_label: "s", arguments: '{"x": 1}', output: "x", error: null },
      {
        type: "tool-call",
        callId: "m",
        name: "echo",
        input: { x: 1 },
        inputText: '{"x": 1}',
        kind: "mcp",
        executedBy: "provider",
        server: "s",
      },
      { type: "tool-result", callId: "m", output: [{ type: "text", text: "x" }] },
    ],
    [
      undefined,
      { type: "image_url", image_url: { url: "https://e.com/a", detail: "low" } },
      { type: "file", mediaType: "image/*", source: { url: "https://e.com/a" }, detail: "low" },
    ],
    [
      "google_genai",
      { type: "executable_code", executable_code: "1", language: "python", id: "e" },
      {
        type: "tool-call",
        callId: "e",
        name: "code_execution",
        kind: "code-interpreter",
        executedBy: "provider",
        input: { language: "python", code: "1" },
      },
    ],
    [
      undefined,
      { type: "non_standard", value: { type: "thinking", thinking: "t", signature: "s" } },
      { type: "reasoning", text: "t", seal: signed("s") },
    ],
    [
      undefined,
      { document: { format: "txt", name: "n", source: { text: "d" } } },
      { type: "file", mediaType: "text/plain", source: { text: "d" }, name: "n" },
    ],
  ];

  test.each(blocks)("of %s: %j", (provider, block, ...parts) => {
    const { message, issues } = read([block], "python", provider);
    expect(bare(message.parts)).toEqual(parts);
    expect(issues).toEqual([]);
    expect(JSON.stringify(write(message))).toBe(JSON.stringify([block]));
  });

  const js: readonly [provider: string | undefined, block: Json, part: Json][] = [
    [
      undefined,
      { type: "reasoning", reasoning: "r", signature: "s" },
      { type: "reasoning", text: "r", seal: { values: { signature: "s" } } },
    ],
    [
      undefined,
      { type: "image", mimeType: "image/png", data: "aGk=", metadata: { filename: "a" } },
      { type: "file", mediaType: "image/png", source: { data: "aGk=" }, name: "a" },
    ],
    [
      undefined,
      { type: "server_tool_call_result", toolCallId: "s", status: "success", output: "x" },
      { type: "tool-result", callId: "s", output: [{ type: "text", text: "x" }] },
    ],
    [
      "google",
      { type: "text", text: "t", thought: true, thoughtSignature: "s" },
      { type: "reasoning", text: "t", seal: { maker: "google", values: { thoughtSignature: "s" } } },
    ],
    [
      "google",
      { type: "functionCall", functionCall: { id: "c", name: "f", args: {} }, thoughtSignature: "s" },
      {
        type: "tool-call",
        callId: "c",
        name: "f",
        input: {},
        seal: { maker: "google", values: { thoughtSignature: "s" } },
      },
    ],
    ["bedrock-converse", { type: "reasoning_content", reasoningText: "r" }, { type: "reasoning", text: "r" }],
  ];
  test.each(js)("of JavaScript's %s: %j", (provider, block, part) => {
    const { message } = read([block], "js", provider);
    expect(bare(message.parts)).toEqual([part]);
    expect(JSON.stringify(write(message, "js"))).toBe(JSON.stringify([block]));
  });
});

describe("what a text rests on", () => {
  const cases: readonly [name: string, provider: string | undefined, text: JsonObject, citation: Json][] = [
    [
      "Python's annotation",
      undefined,
      { annotations: [{ type: "citation", url: "u", title: "T", start_index: 0, end_index: 1, cited_text: "q" }] },
      { url: "u", title: "T", start: 0, end: 1, quote: "q" },
    ],
    [
      "Python's of Anthropic's",
      undefined,
      {
        annotations: [
          {
            type: "citation",
            title: "D",
            cited_text: "q",
            extras: { document_index: 2, start_char_index: 1, end_char_index: 5 },
          },
        ],
      },
      { title: "D", quote: "q", at: { unit: "char", start: 1, end: 5, document: 2 } },
    ],
    [
      "an encrypted index",
      undefined,
      { annotations: [{ type: "citation", cited_text: "q", url: "u", extras: { encrypted_index: "e" } }] },
      { url: "u", quote: "q", seal: { maker: "anthropic", values: { encrypted_index: "e" } } },
    ],
    [
      "Anthropic's",
      "anthropic",
      {
        citations: [
          {
            type: "page_location",
            cited_text: "q",
            document_index: 1,
            document_title: "D",
            start_page_number: 2,
            end_page_number: 3,
          },
        ],
      },
      { title: "D", quote: "q", at: { unit: "page", start: 2, end: 3, document: 1 } },
    ],
    [
      "Anthropic's of the web",
      "anthropic",
      {
        citations: [
          { type: "web_search_result_location", cited_text: "q", url: "u", title: "T", encrypted_index: "e" },
        ],
      },
      { url: "u", title: "T", quote: "q", seal: { maker: "anthropic", values: { encrypted_index: "e" } } },
    ],
    [
      "Anthropic's among the annotations, where its streams have them",
      "anthropic",
      {
        annotations: [
          { type: "web_search_result_location", cited_text: "q", url: "u", title: "T", encrypted_index: "e" },
        ],
      },
      { url: "u", title: "T", quote: "q", seal: { maker: "anthropic", values: { encrypted_index: "e" } } },
    ],
    [
      "OpenAI's",
      "openai",
      { annotations: [{ type: "url_citation", url: "u", title: "T", start_index: 0, end_index: 2 }] },
      { url: "u", title: "T", start: 0, end: 2 },
    ],
    [
      "OpenAI's of a file",
      "openai",
      { annotations: [{ type: "file_citation", file_id: "f", filename: "a.pdf", index: 3 }] },
      { fileId: "f", name: "a.pdf", start: 3, end: 3 },
    ],
    ["one that nobody knows", undefined, { annotations: [{ type: "mystery", x: 1 }] }, {}],
    ["none", undefined, { annotations: [] }, null],
  ];
  test.each(cases)("%s", (_, provider, members, citation) => {
    const block = { type: "text", text: "words", ...members };
    const { message } = read([block], "python", provider);
    expect(bare(message.parts)).toEqual([
      { type: "text", text: "words", citations: citation === null ? [] : [citation] },
    ]);
    expect(write(message)).toEqual([block]);
  });
});
