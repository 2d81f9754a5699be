import type { Json, JsonObject, Message, Part } from "translogue";
import { describe, expect, test } from "vitest";
import { readParts, writeParts } from "../../src/blocks/openai-responses/parts.ts";
import { again, family, message, read, said, seal, text, write } from "./openai-responses-values.ts";

describe("an item is the part that the model has for it, and comes back", () => {
  const id = (value: string) => ({ seal: seal({ id: value }) });
  test.each<[name: string, role: string, item: JsonObject, parts: readonly JsonObject[]]>([
    ["an easy question", "user", { role: "user", content: "a" }, [{ type: "text", text: "a" }]],
    ["an easy answer", "assistant", { role: "assistant", content: "a" }, [{ type: "text", text: "a" }]],
    [
      "an answer with its phase",
      "assistant",
      message("a", { phase: "final_answer" }),
      [{ type: "text", text: "a", phase: "final", ...id("msg_1") }],
    ],
    [
      "a refusal",
      "assistant",
      message("", { content: [{ type: "refusal", refusal: "no" }] }),
      [{ type: "refusal", text: "no", ...id("msg_1") }],
    ],
    [
      "a question with a file",
      "user",
      {
        role: "user",
        content: [
          { type: "input_text", text: "a" },
          { type: "input_file", filename: "a.pdf", file_data: "data:application/pdf;base64,AAAA" },
          { type: "input_image", image_url: "https://a/b.png", detail: "low" },
        ],
      },
      [
        { type: "text", text: "a" },
        { type: "file", mediaType: "application/pdf", name: "a.pdf", source: { data: "AAAA" } },
        { type: "file", mediaType: "image/*", source: { url: "https://a/b.png" }, detail: "low" },
      ],
    ],
    [
      "hidden reasoning",
      "assistant",
      { type: "reasoning", id: "rs_1", summary: [], encrypted_content: "E" },
      [{ type: "reasoning", seal: seal({ id: "rs_1", encrypted_content: "E" }) }],
    ],
    [
      "reasoning with a summary and a content: the id on all, the rest on the last (R12)",
      "assistant",
      {
        type: "reasoning",
        id: "rs_1",
        summary: [{ type: "summary_text", text: "s" }],
        content: [{ type: "reasoning_text", text: "c" }],
        encrypted_content: "E",
      },
      [
        { type: "reasoning", text: "s", summary: true, ...id("rs_1") },
        { type: "reasoning", text: "c", seal: seal({ id: "rs_1", encrypted_content: "E" }) },
      ],
    ],
    [
      "a function's call",
      "assistant",
      { type: "function_call", id: "fc_1", call_id: "c", name: "f", arguments: '{"a":1}' },
      [{ type: "tool-call", callId: "c", name: "f", input: { a: 1 }, ...id("fc_1") }],
    ],
    [
      "arguments that are no JSON",
      "assistant",
      { type: "function_call", call_id: "c", name: "f", arguments: '{"a":' },
      [{ type: "tool-call", callId: "c", name: "f", inputText: '{"a":' }],
    ],
    [
      "a call made by a program",
      "assistant",
      { type: "function_call", call_id: "c", name: "f", arguments: "{}", caller: { type: "program", caller_id: "p" } },
      [{ type: "tool-call", callId: "c", name: "f", input: {}, caller: "p" }],
    ],
    [
      "a custom tool's call",
      "assistant",
      { type: "custom_tool_call", call_id: "c", name: "f", input: "free" },
      [{ type: "tool-call", callId: "c", name: "f", kind: "custom", input: "free" }],
    ],
    [
      "a web search with its sources",
      "assistant",
      {
        type: "web_search_call",
        id: "ws_1",
        status: "completed",
        action: { type: "search", query: "q", sources: [{ type: "url", url: "https://a" }] },
      },
      [
        {
          type: "tool-call",
          callId: "ws_1",
          name: "web_search",
          kind: "web-search",
          executedBy: "provider",
          input: { type: "search", query: "q" },
        },
        { type: "tool-result", callId: "ws_1", output: [{ type: "source", url: "https://a" }] },
      ],
    ],
    [
      "a page that was opened",
      "assistant",
      { type: "web_search_call", id: "ws_1", status: "completed", action: { type: "open_page", url: "https://a" } },
      [
        {
          type: "tool-call",
          callId: "ws_1",
          name: "web_search",
          kind: "web-search",
          executedBy: "provider",
          input: { type: "open_page", url: "https://a" },
        },
      ],
    ],
    [
      "a file search whose results are not told",
      "assistant",
      { type: "file_search_call", id: "fs_1", status: "completed", queries: ["q"], results: null },
      [
        {
          type: "tool-call",
          callId: "fs_1",
          name: "file_search",
          kind: "file-search",
          executedBy: "provider",
          input: { queries: ["q"] },
        },
      ],
    ],
    [
      "code that ran",
      "assistant",
      {
        type: "code_interpreter_call",
        id: "ci_1",
        status: "completed",
        code: "1",
        container_id: "k",
        outputs: [{ type: "logs", logs: "1" }],
      },
      [
        {
          type: "tool-call",
          callId: "ci_1",
          name: "code_interpreter",
          kind: "code-interpreter",
          executedBy: "provider",
          input: { code: "1" },
        },
        { type: "tool-result", callId: "ci_1", output: [{ type: "text", text: "1" }] },
      ],
    ],
    [
      "an image that was made",
      "assistant",
      { type: "image_generation_call", id: "ig_1", status: "completed", result: "AAAA", output_format: "webp" },
      [
        {
          type: "tool-call",
          callId: "ig_1",
          name: "image_generation",
          kind: "image-generation",
          executedBy: "provider",
        },
        {
          type: "tool-result",
          callId: "ig_1",
          output: [{ type: "file", mediaType: "image/webp", source: { data: "AAAA" } }],
        },
      ],
    ],
    [
      "an MCP call that failed",
      "assistant",
      { type: "mcp_call", id: "mcp_1", server_label: "s", name: "f", arguments: "{}", output: null, error: "broken" },
      [
        { type: "tool-call", callId: "mcp_1", name: "f", kind: "mcp", executedBy: "provider", server: "s", input: {} },
        { type: "tool-result", callId: "mcp_1", outcome: "error", output: [{ type: "error", message: "broken" }] },
      ],
    ],
    [
      "an MCP approval asked",
      "assistant",
      { type: "mcp_approval_request", id: "mcpr_1", server_label: "s", name: "f", arguments: "{}" },
      [
        {
          type: "approval-request",
          requestId: "mcpr_1",
          callId: "mcpr_1",
          call: {
            type: "tool-call",
            callId: "mcpr_1",
            name: "f",
            kind: "mcp",
            executedBy: "provider",
            server: "s",
            input: {},
          },
        },
      ],
    ],
    [
      "an MCP approval given",
      "tool",
      { type: "mcp_approval_response", approval_request_id: "mcpr_1", approve: false, reason: "no" },
      [{ type: "approval-response", requestId: "mcpr_1", approved: false, reason: "no" }],
    ],
    [
      "a shell in the provider's container",
      "assistant",
      {
        type: "shell_call",
        id: "sh_1",
        call_id: "c",
        action: { commands: ["ls"] },
        environment: { type: "container_reference", container_id: "k" },
      },
      [
        {
          type: "tool-call",
          callId: "c",
          name: "shell",
          kind: "shell",
          executedBy: "provider",
          input: { commands: ["ls"] },
          ...id("sh_1"),
        },
      ],
    ],
    [
      "a patch that did not apply",
      "tool",
      { type: "apply_patch_call_output", call_id: "c", status: "failed", output: "no" },
      [
        {
          type: "tool-result",
          callId: "c",
          kind: "apply-patch",
          outcome: "error",
          output: [{ type: "text", text: "no" }],
        },
      ],
    ],
    [
      "a result of text",
      "tool",
      { type: "function_call_output", call_id: "c", output: "1" },
      [{ type: "tool-result", callId: "c", output: [{ type: "text", text: "1" }] }],
    ],
    [
      "a result with an image",
      "tool",
      { type: "function_call_output", call_id: "c", output: [{ type: "input_image", file_id: "file-1" }] },
      [
        {
          type: "tool-result",
          callId: "c",
          output: [{ type: "file", mediaType: "image/*", source: { id: "file-1", provider: "openai" } }],
        },
      ],
    ],
    [
      "a compaction that only its maker reads",
      "assistant",
      { type: "compaction", id: "cmp_1", encrypted_content: "E" },
      [{ type: "compaction", replaces: null, seal: seal({ id: "cmp_1", encrypted_content: "E" }) }],
    ],
    [
      "tools that are added",
      "developer",
      {
        type: "additional_tools",
        role: "developer",
        tools: [{ type: "function", name: "f", parameters: {}, strict: true }],
      },
      [{ type: "change", toolsAdded: [{ name: "f", input: {}, strict: true }] }],
    ],
    [
      "a configuration that changes",
      "developer",
      { type: "configuration_update", reasoning: { effort: "low" } },
      [{ type: "change", effort: "low" }],
    ],
    [
      "an item that nobody knows",
      "assistant",
      { type: "moon_item", phase: "full" },
      [{ type: "opaque", family, value: { type: "moon_item", phase: "full" } }],
    ],
    [
      "another provider tool's call",
      "assistant",
      {
        type: "x_search_call",
        id: "xs_1",
        call_id: "",
        name: "x_user_search",
        arguments: '{"q":1}',
        status: "completed",
      },
      [
        {
          type: "tool-call",
          callId: "xs_1",
          name: "x_user_search",
          kind: "x-search",
          executedBy: "provider",
          input: { q: 1 },
        },
      ],
    ],
  ])("%s", (_, role, item, parts) => {
    const messages = read([item]);
    expect(messages.map(each => each.role)).toEqual([role]);
    expect(said(messages)).toMatchObject(parts);
    expect(said(messages)).toHaveLength(parts.length);
    expect(again([item], "messages")).toMatchObject({ value: [item], losses: [] });
  });
});

describe("annotations", () => {
  test.each<[wire: JsonObject, citation: JsonObject]>([
    [
      { type: "url_citation", url: "u", title: "t", start_index: 0, end_index: 1 },
      { url: "u", title: "t", start: 0, end: 1 },
    ],
    [{ type: "url_citation", url: "u" }, { url: "u" }],
    [
      { type: "file_citation", file_id: "f", filename: "n", index: 1 },
      { fileId: "f", name: "n" },
    ],
    [
      { type: "container_file_citation", container_id: "k", file_id: "f", filename: "n", start_index: 0, end_index: 1 },
      { fileId: "f", name: "n", start: 0, end: 1 },
    ],
    [{ type: "file_path", file_id: "f", index: 1 }, { fileId: "f" }],
    [{ type: "moon_citation" }, {}],
  ])("%j is a citation, and comes back", (wire, citation) => {
    const item = message("ab", { content: [{ type: "output_text", text: "ab", annotations: [wire] }] });
    expect(said(read([item]))[0]).toMatchObject({ citations: [citation] });
    expect(again([item], "messages").value).toEqual([item]);
  });
});

describe("items of one side that are neighbours are one message (R15)", () => {
  const call = (name: string): JsonObject => ({ type: "function_call", call_id: name, name, arguments: "{}" });
  const result = (name: string): JsonObject => ({ type: "function_call_output", call_id: name, output: name });

  test("of the assistant and of the tools; what others say has borders", () => {
    const items = [
      { role: "user", content: "a" },
      { role: "user", content: "b" },
      { type: "reasoning", summary: [] },
      call("f"),
      call("g"),
      result("f"),
      result("g"),
      { role: "assistant", content: "c" },
      { role: "developer", content: "d" },
      { role: "developer", content: "e" },
    ];
    expect(read(items).map(({ role, parts }) => [role, parts.length])).toEqual([
      ["user", 1],
      ["user", 1],
      ["assistant", 3],
      ["tool", 2],
      ["assistant", 1],
      ["developer", 1],
      ["developer", 1],
    ]);
    expect(again(items, "messages").value).toEqual(items);
  });

  test("so borders between them are lost, and each message that is joined is named (R17)", () => {
    const answer = (words: string) => ({ role: "assistant", parts: [text(words)] });
    const { value, losses } = write([answer("a"), answer("b"), { role: "user", parts: [text("c")] }]);
    expect(said(read(value as Json[]))).toEqual([text("a"), text("b"), text("c")]);
    expect(losses.map(({ code, kind, path }) => [code, kind, path])).toEqual([
      ["messages-joined", "merged", ["messages", 0]],
      ["messages-joined", "merged", ["messages", 1]],
    ]);
  });

  test("each message that is joined is named once, however many there are", () => {
    const count = 300;
    const results = Array.from({ length: count }, (_, index): Message => {
      const result: Part = { type: "tool-result", callId: `c${index}`, output: [text("r")] };
      return { role: "tool", parts: [result] };
    });
    const { losses } = write(results);
    const joined = losses.filter(({ code }) => code === "messages-joined").map(({ path }) => path[1]);
    expect(joined).toEqual(results.map((_, index) => index));
  });

  test("two messages of the assistant in a row stay two items", () => {
    const items = [
      message("a"),
      message("b", { id: "msg_2" }),
      { role: "assistant", content: "c" },
      { role: "assistant", content: "d" },
    ];
    expect(again(items, "messages").value).toEqual(items);
  });
});

describe("results go by their calls", () => {
  test("a function's result may answer a search for tools, and a search's pair need not be named", () => {
    const items = [
      { type: "tool_search_call", call_id: "c", execution: "client", arguments: {}, status: "completed" },
      { type: "function_call_output", call_id: "c", output: "none" },
      { type: "tool_search_call", id: "tsc_1", call_id: null, execution: "server", arguments: {}, status: "completed" },
      { type: "tool_search_output", id: "tso_1", call_id: null, execution: "server", tools: [], status: "completed" },
    ];
    const calls = read(items).flatMap(({ parts }) => parts.map(part => "callId" in part && part.callId));
    expect(calls).toEqual(["c", "c", "tsc_1", "tsc_1"]);
    expect(again(items, "messages").value).toEqual(items);
  });

  test("a result says its kind only where its call is not there (R21)", () => {
    const call = { type: "custom_tool_call", call_id: "c", name: "f", input: "" };
    const output = { type: "custom_tool_call_output", call_id: "c", output: "1" };
    expect(read([call, output])[1]?.parts[0]).not.toHaveProperty("kind");
    expect(read([output])[0]?.parts[0]).toMatchObject({ kind: "custom" });
    expect(again([output], "messages").value).toEqual([output]);
  });

  test("a call without an id gets one, which its result has too (R8, R9)", () => {
    const items = [
      { type: "function_call", call_id: null, name: "f", arguments: "{}" },
      { type: "function_call_output", call_id: null, output: "1" },
    ];
    const [call, result] = read(items).flatMap(({ parts }) => parts);
    expect(call).toMatchObject({ callId: "~0" });
    expect(result).toMatchObject({ callId: "~0" });
    expect(again(items, "messages").value).toEqual(items);
  });
});

test("formats that embed items read and write them as the parts of one message", () => {
  const items: readonly Json[] = [
    { type: "reasoning", id: "rs_1", summary: [], encrypted_content: "E" },
    message("a", { phase: "commentary" }),
    { type: "web_search_call", id: "ws_1", status: "completed", action: { type: "search", query: "q", sources: [] } },
    message("b", { id: "msg_2" }),
    { type: "moon_item" },
  ];
  const parts = readParts(items, ["content"], { form: "answer", maker: "openai", issue: () => undefined });
  expect(parts.map(({ type }) => type)).toEqual(["reasoning", "text", "tool-call", "tool-result", "text", "opaque"]);
  const losses: string[] = [];
  const written = writeParts(parts, ["messages", 0, "parts"], {
    form: "answer",
    maker: "openai",
    recipient: "store",
    takesBareReasoning: true,
    lose: code => losses.push(code),
  });
  expect(written).toEqual(items);
  expect(losses).toEqual([]);
});
