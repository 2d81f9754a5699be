import { detect, type Json, type JsonObject, type Message, type Part } from "translogue";
import { describe, expect, test } from "vitest";
import { codes, comesBack, format, parts, plain, read, result, text, write } from "./openai-chat-values.ts";

describe("content parts", () => {
  test.each<[name: string, wire: Json, part: JsonObject]>([
    ["a text", { type: "text", text: "a" }, { type: "text", text: "a" }],
    ["a bare string in a list", "a", { type: "text", text: "a" }],
    [
      "OpenAI's cache breakpoint",
      { type: "text", text: "a", prompt_cache_breakpoint: { mode: "explicit", ttl: "30m" } },
      { type: "text", text: "a", cache: { ttl: "30m" } },
    ],
    [
      "other hosts' cache breakpoint",
      { type: "text", text: "a", cache_control: { type: "ephemeral" } },
      { type: "text", text: "a", cache: {} },
    ],
    [
      "an image by URL",
      { type: "image_url", image_url: { url: "https://a/b.png", detail: "low" } },
      { type: "file", mediaType: "image/*", source: { url: "https://a/b.png" }, detail: "low" },
    ],
    [
      "an image as data",
      { type: "image_url", image_url: { url: "data:image/png;base64,AAAA" } },
      { type: "file", mediaType: "image/png", source: { data: "AAAA" } },
    ],
    [
      "a data URL that is not base64",
      { type: "image_url", image_url: { url: "data:image/svg+xml,<svg/>" } },
      { type: "file", mediaType: "image/*", source: { url: "data:image/svg+xml,<svg/>" } },
    ],
    [
      "an image URL without its object",
      { type: "image_url", image_url: "https://a" },
      { type: "file", mediaType: "image/*", source: { url: "https://a" } },
    ],
    [
      "audio",
      { type: "input_audio", input_audio: { data: "AAAA", format: "mp3" } },
      { type: "file", mediaType: "audio/mpeg", source: { data: "AAAA" } },
    ],
    [
      "a file as data",
      { type: "file", file: { file_data: "data:application/pdf;base64,AAAA", filename: "a.pdf" } },
      { type: "file", mediaType: "application/pdf", name: "a.pdf", source: { data: "AAAA" } },
    ],
    [
      "a file as bare base64",
      { type: "file", file: { file_data: "AAAA" } },
      { type: "file", source: { data: "AAAA" } },
    ],
    [
      "a file of OpenAI",
      { type: "file", file: { file_id: "file-1" } },
      { type: "file", source: { id: "file-1", provider: "openai" } },
    ],
    [
      "an image inside a file part",
      { type: "file", file: { file_data: "data:image/png;base64,AAAA" } },
      { type: "file", mediaType: "image/png", source: { data: "AAAA" } },
    ],
    [
      "a video",
      { type: "video_url", video_url: { url: "https://v" } },
      { type: "file", mediaType: "video/*", source: { url: "https://v" } },
    ],
    [
      "members that have no field, and nulls",
      { type: "text", text: "a", image_url: null, x: { $y: 1 } },
      { type: "text", text: "a", native: { "chat-parts": { image_url: null, x: {} } } },
    ],
    [
      "a part of a type not known",
      { type: "hologram", x: 1 },
      { type: "opaque", family: "chat-parts", value: { type: "hologram", x: 1 } },
    ],
    ["a part without its content", { type: "text" }, { type: "opaque", family: "chat-parts", value: { type: "text" } }],
    ["no part at all", 5, { type: "opaque", family: "chat-parts", value: 5 }],
  ])("%s", (_, wire, part) => {
    const message = { role: "user", content: [wire, { type: "text", text: "b" }] };
    expect(plain(read(message)[0]?.parts[0])).toEqual(part);
    comesBack([message], "messages");
  });

  test("content is a string, a list, null, missing or something else, and stays it", () => {
    const contents = ["a", "", [{ type: "text", text: "a" }], [], null, 5, { a: 1 }];
    for (const role of ["system", "developer", "user", "assistant", "tool", "function", "critic"]) {
      for (const content of contents) comesBack([{ role, content }], "messages");
      comesBack([{ role }], "messages");
    }
  });

  test("an assistant's empty content is no text", () => {
    expect(parts({ role: "assistant", content: "" })).toEqual([]);
    expect(parts({ role: "user", content: "" })).toEqual([text("")]);
  });
});

describe("messages", () => {
  test.each<[name: string, wire: Json, message: object]>([
    [
      "a name is the author's",
      { role: "user", content: "a", name: "ada" },
      { role: "user", author: { name: "ada" }, parts: [text("a")] },
    ],
    [
      "a weight for training",
      { role: "assistant", content: "a", weight: 0 },
      { role: "assistant", weight: 0, parts: [text("a")] },
    ],
    ["a role of its own", { role: "critic", content: "a" }, { role: "critic", parts: [text("a")] }],
    [
      "what has no role is no turn",
      { content: "a" },
      { role: "control", parts: [{ type: "opaque", family: format, value: { content: "a" } }] },
    ],
    ["what is no object is no turn", 5, { role: "control", parts: [{ type: "opaque", family: format, value: 5 }] }],
    [
      "a result as a list of texts",
      { role: "tool", tool_call_id: "c", content: [{ type: "text", text: "r" }] },
      { role: "tool", parts: [result("c", text("r"))] },
    ],
    [
      "a result that nobody made a text of",
      { role: "tool", tool_call_id: "c", content: { a: 1 } },
      { role: "tool", parts: [result("c", { type: "data", data: { a: 1 } })] },
    ],
    [
      "a result with the tool's name",
      { role: "tool", tool_call_id: "c", name: "f", content: "r" },
      { role: "tool", parts: [{ ...result("c", text("r")), name: "f" }] },
    ],
    [
      "a refusal beside the content",
      { role: "assistant", content: null, refusal: "no" },
      { role: "assistant", parts: [{ type: "refusal", text: "no" }] },
    ],
    [
      "a refusal in the content",
      { role: "assistant", content: [{ type: "refusal", refusal: "no" }] },
      { role: "assistant", parts: [{ type: "refusal", text: "no" }] },
    ],
    [
      "audio by its id",
      { role: "assistant", content: null, audio: { id: "audio_1" } },
      {
        role: "assistant",
        parts: [{ type: "file", mediaType: "audio/*", source: { id: "audio_1", provider: "openai" } }],
      },
    ],
    [
      "images that a model made",
      {
        role: "assistant",
        content: "a",
        images: [{ type: "image_url", image_url: { url: "data:image/png;base64,AAAA" } }],
      },
      { role: "assistant", parts: [text("a"), { type: "file", mediaType: "image/png", source: { data: "AAAA" } }] },
    ],
    [
      "empty shells of other kinds (Snowflake)",
      { role: "assistant", content: "a", function_call: { name: "", arguments: "" }, audio: { id: "", data: "" } },
      {
        role: "assistant",
        parts: [text("a")],
        native: { [format]: { function_call: { name: "", arguments: "" }, audio: { id: "", data: "" } } },
      },
    ],
  ])("%s", (_, wire, message) => {
    expect(plain(read(wire)[0])).toEqual(message);
    comesBack([wire], "messages");
  });

  test.each<[name: string, wire: JsonObject, part: JsonObject]>([
    [
      "arguments",
      { id: "c", type: "function", function: { name: "f", arguments: '{"a":1}' } },
      { callId: "c", name: "f", input: { a: 1 } },
    ],
    [
      "arguments of another spelling",
      { id: "c", type: "function", function: { name: "f", arguments: '{"a": 1.0}' } },
      { callId: "c", name: "f", input: { a: 1 }, inputText: '{"a": 1.0}' },
    ],
    [
      "arguments that do not parse",
      { id: "c", type: "function", function: { name: "f", arguments: "{bad" } },
      { callId: "c", name: "f", inputText: "{bad" },
    ],
    ["no arguments", { id: "c", type: "function", function: { name: "f", arguments: "" } }, { callId: "c", name: "f" }],
    [
      "arguments that are no text",
      { id: "c", type: "function", function: { name: "f", arguments: { a: 1 } } },
      { callId: "c", name: "f", input: { a: 1 } },
    ],
    [
      "a custom tool",
      { id: "c", type: "custom", custom: { name: "f", input: "x" } },
      { callId: "c", name: "f", kind: "custom", input: "x" },
    ],
    [
      "no type, and an index",
      { id: "c", index: 0, function: { name: "f", arguments: "{}" } },
      { callId: "c", name: "f", input: {} },
    ],
    [
      "a type of the host",
      { id: "c", type: "builtin_function", function: { name: "$web_search", arguments: "{}" } },
      { callId: "c", name: "$web_search", input: {}, native: { "chat-parts": { type: "builtin_function" } } },
    ],
    [
      "an empty id",
      { id: "", type: "function", function: { name: "f", arguments: "{}" } },
      { callId: "~0.0", name: "f", input: {} },
    ],
    ["no id", { type: "function", function: { name: "f", arguments: "{}" } }, { callId: "~0.0", name: "f", input: {} }],
    [
      "an id that looks made",
      { id: "~x", type: "function", function: { name: "f", arguments: "{}" } },
      { callId: "~x", name: "f", input: {} },
    ],
    [
      "a signature of Google",
      {
        id: "c",
        type: "function",
        function: { name: "f", arguments: "{}" },
        extra_content: { google: { thought_signature: "s", y: 1 } },
      },
      {
        callId: "c",
        name: "f",
        input: {},
        seal: { maker: "google", values: { thoughtSignature: "s" } },
        native: { "chat-parts": { extra_content: { google: { y: 1 } } } },
      },
    ],
  ])("a call: %s", (_, wire, part) => {
    const message = { role: "assistant", content: null, tool_calls: [wire] };
    expect(parts(message)).toEqual([{ type: "tool-call", ...part }]);
    comesBack([message], "messages");
  });

  test("a call without a name is kept as it is", () => {
    const message = { role: "assistant", content: null, tool_calls: [{ id: "c" }, 5] };
    expect(parts(message)).toEqual([{ id: "c" }, 5].map(value => ({ type: "opaque", family: "chat-parts", value })));
    comesBack([message], "messages");
  });

  test.each<[role: string, author: Message["author"] & object, name: string | undefined]>([
    ["tool", { name: "Bob" }, "add"],
    ["tool", { id: "b", name: "Bob", kind: "agent" }, undefined],
    ["user", { name: "Bob" }, "add"],
  ])("the name that a result says is the tool's, never its author's: %s of %j", (role, author, name) => {
    const answered = { ...result("c", text("3")), ...(name !== undefined && { name }) } as Part; // of the result
    const { value, losses } = write({ messages: [{ role, author, parts: [answered] }] });
    const wire = { role: "tool", tool_call_id: "c", content: "3" };
    expect(value).toEqual([name === undefined ? wire : { ...wire, name }]);
    expect(codes(losses)).toContain("result-author");
    expect(read(...(value as Json[]))).toEqual([{ role: "tool", parts: [answered] }]); // a list of messages
  });

  test("results without an id answer the calls without one in their order (R9)", () => {
    const calls = ["f", "g"].map(name => ({ id: "", type: "function", function: { name, arguments: "{}" } }));
    const results = ["1", "2"].map(content => ({ role: "tool", tool_call_id: "", content }));
    const wire = [{ role: "assistant", content: null, tool_calls: calls }, ...results];
    const ids = read(...wire).flatMap(({ parts: all }) => all.map(part => ("callId" in part ? part.callId : "")));
    expect(ids).toEqual(["~0.0", "~0.1", "~0.0", "~0.1"]);
    comesBack(wire, "messages");
  });

  test("where one of a pair has to name an id, both name the same, and one that every host takes", () => {
    const made = read({ role: "assistant", content: null, tool_calls: [{ function: { name: "f", arguments: "{}" } }] });
    const { value, losses } = write({ messages: [...made, { role: "tool", parts: [result("~0.0", text("1"))] }] });
    const ids = JSON.stringify(value).match(/call_0_0_\w+/g);
    expect(new Set(ids).size).toBe(1);
    expect(ids).toHaveLength(2);
    expect(ids?.[0]).toMatch(/^[\w-]{1,40}$/);
    expect(codes(losses)).toEqual(["made-id"]);
  });
});

describe("a value is taken for this format", () => {
  const user = { role: "user", content: "a" };
  const called = {
    role: "assistant",
    tool_calls: [{ id: "c", type: "function", function: { name: "f", arguments: "{}" } }],
  };
  const of = (value: unknown) => detect(value).find(each => each.format === format);

  test.each<[name: string, value: Json, shape: string, between: readonly [number, number]]>([
    ["a completion", { object: "chat.completion", id: "x", choices: [] }, "answer", [0.95, 1]],
    ["a completion that does not name itself", { choices: [{ message: user }] }, "answer", [0.7, 0.9]],
    ["chunks", [{ object: "chat.completion.chunk", choices: [] }], "stream", [0.95, 1]],
    ["a chunk", { choices: [{ delta: {} }] }, "stream", [0.95, 1]],
    ["an error of OpenAI", { error: { message: "m", type: "t", param: null, code: null } }, "error", [0.9, 1]],
    [
      "a request with tools",
      { model: "m", messages: [user], tools: [{ type: "function", function: { name: "f" } }] },
      "request",
      [0.8, 0.95],
    ],
    ["a request with calls", { model: "m", messages: [user, called] }, "request", [0.8, 0.95]],
    ["a request that many formats have", { model: "m", messages: [user] }, "request", [0.5, 0.5]],
    [
      "a request with a system prompt beside",
      { model: "m", messages: [user], systemPrompt: "s" },
      "request",
      [0.1, 0.3],
    ],
    ["messages with calls", [user, called], "messages", [0.7, 0.9]],
    ["messages that many formats have", [user], "messages", [0.3, 0.5]],
    ["one message", called, "message", [0.7, 0.9]],
  ])("%s", (_, value, shape, [least, most]) => {
    const found = of(value);
    expect(found?.shape).toBe(shape);
    expect(found?.confidence).toBeGreaterThanOrEqual(least);
    expect(found?.confidence).toBeLessThanOrEqual(most);
  });

  test.each<[name: string, value: Json]>([
    ["UI messages with parts", [{ id: "1", role: "user", parts: [{ type: "text", text: "a" }] }]],
    ["a request of them", { model: "a/b", messages: [user, { role: "assistant", parts: [] }] }],
    [
      "Anthropic's blocks",
      { model: "m", messages: [{ role: "assistant", content: [{ type: "tool_use", id: "t", name: "f", input: {} }] }] },
    ],
    ["Anthropic's tools", { model: "m", messages: [user], tools: [{ name: "f", input_schema: {} }] }],
    ["Anthropic's errors", { type: "error", error: { type: "t", message: "m" } }],
    ["Gemini's contents", { contents: [{ role: "user", parts: [{ text: "a" }] }] }],
    ["Gemini's errors", { error: { code: 400, message: "m", status: "INVALID_ARGUMENT" } }],
    ["Responses items", { model: "m", input: [{ type: "message", role: "user", content: [] }] }],
    ["model messages of the AI SDK", [{ role: "assistant", content: [{ type: "tool-call", toolCallId: "c" }] }]],
    ["nothing", null],
    ["a text", "a"],
  ])("but not %s", (_, value) => expect(of(value)).toBeUndefined());

  test.each<[host: string, value: Json]>([
    ["openrouter", { choices: [{ message: user, native_finish_reason: "stop" }] }],
    ["groq", { choices: [{ message: user }], x_groq: {} }],
    ["deepseek", { choices: [{ message: { ...called, reasoning_content: "r" } }] }],
    ["azure", { choices: [{ message: user, content_filter_results: {} }] }],
    ["xai", { choices: [{ message: user }], usage: { num_sources_used: 0 } }],
    ["perplexity", { choices: [{ message: user }], citations: [] }],
    [
      "openrouter",
      { messages: [{ role: "user", content: [{ type: "text", text: "a", cache_control: { type: "ephemeral" } }] }] },
    ],
    ["vllm", { messages: [user], top_k: 4 }],
  ])("of the host %s by what only it writes", (host, value) => expect(of(value)?.dialect).toBe(host));
});
