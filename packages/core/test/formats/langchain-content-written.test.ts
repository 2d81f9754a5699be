import { decode, encode, type Json, type JsonObject, type Message, type Part } from "translogue";
import { describe, expect, test } from "vitest";
import { bare, read, write } from "./langchain-content-wire.ts";

describe("the shape of the content", () => {
  test.each<[Json]>([
    ["text"],
    [""],
    [[]],
    [["text"]],
    [[{ type: "text", text: "text" }]],
    [[""]],
    [["a", { type: "text", text: "b" }, "c"]],
    [[{ type: "text", text: "" }]],
    [[{ type: "text" }]],
  ])("%j comes back", content => {
    expect(write(read(content).message)).toEqual(content);
  });

  test("a text that is edited stays a text, and one that gains a neighbour becomes a list", () => {
    const { message } = read("a");
    expect(write({ ...message, parts: [{ type: "text", text: "b" }] })).toBe("b");
    const parts: Part[] = [...message.parts, { type: "file", mediaType: "image/*", source: { url: "u" } }];
    expect(write({ ...message, parts })).toEqual([
      { type: "text", text: "a" },
      { type: "image", url: "u" },
    ]);
  });

  test("an empty text of another format is no message without one", () => {
    expect(write({ role: "user", parts: [{ type: "text", text: "" }] })).toEqual([{ type: "text", text: "" }]);
  });
});

describe("both languages are read, and each is written its own spelling", () => {
  const pairs: readonly [python: Json, js: Json][] = [
    [
      { type: "image", base64: "aGk=", mime_type: "image/png" },
      { type: "image", data: "aGk=", mimeType: "image/png" },
    ],
    [
      { type: "file", file_id: "f" },
      { type: "file", fileId: "f" },
    ],
    [
      { type: "file", url: "u", extras: { filename: "a" } },
      { type: "file", url: "u", metadata: { filename: "a" } },
    ],
    [
      { type: "reasoning", reasoning: "r", extras: { signature: "s" } },
      { type: "reasoning", reasoning: "r", signature: "s" },
    ],
    [
      {
        type: "reasoning",
        reasoning: "r",
        extras: { translogue: { maker: "google", values: { thoughtSignature: "s" } } },
      },
      { type: "reasoning", reasoning: "r", thoughtSignature: "s" },
    ],
    [
      { type: "server_tool_result", tool_call_id: "c", status: "success", output: 1 },
      { type: "server_tool_call_result", toolCallId: "c", status: "success", output: 1 },
    ],
    [
      {
        type: "text",
        text: "t",
        annotations: [{ type: "citation", url: "u", start_index: 0, end_index: 1, cited_text: "q" }],
      },
      {
        type: "text",
        text: "t",
        annotations: [{ type: "citation", url: "u", startIndex: 0, endIndex: 1, citedText: "q" }],
      },
    ],
    [
      {
        type: "text",
        text: "t",
        annotations: [{ type: "citation", cited_text: "q", extras: { start_char_index: 0, end_char_index: 1 } }],
      },
      {
        type: "text",
        text: "t",
        annotations: [{ type: "citation", source: "char", startIndex: 0, endIndex: 1, citedText: "q" }],
      },
    ],
    [
      { type: "audio", source_type: "url", url: "u", mime_type: "audio/wav" },
      { type: "audio", source_type: "url", url: "u", mime_type: "audio/wav" },
    ],
  ];

  test.each(pairs)("%j is %j", (python, js) => {
    expect(write(read([python], "python").message, "js")).toEqual([js]);
    expect(write(read([js], "js").message, "python")).toEqual([python]);
  });

  test.each(pairs)("%j is kept as it is by the language of %j", (python, js) => {
    expect(write(read([python], "js").message, "js")).toEqual([python]);
    expect(write(read([js], "python").message, "python")).toEqual([js]);
    expect(write(read([python], "js").message, "python")).toEqual([python]);
    expect(write(read([js], "python").message, "js")).toEqual([js]);
  });
});

describe("an edit changes what was edited and nothing else", () => {
  const edits: readonly [name: string, provider: string | undefined, before: Json, edit: Partial<Part>, after: Json][] =
    [
      [
        "a thought",
        "anthropic",
        { type: "thinking", thinking: "a", signature: "s", index: 1 },
        { text: "b" },
        { type: "thinking", thinking: "b", signature: "s", index: 1 },
      ],
      [
        "an image's address",
        undefined,
        { type: "image_url", image_url: { url: "a", extra: 1 } },
        { source: { url: "b" } },
        { type: "image_url", image_url: { url: "b", extra: 1 } },
      ],
      [
        "an image becomes a document",
        undefined,
        { type: "image", url: "a" },
        { mediaType: "application/pdf" },
        { type: "file", url: "a", mime_type: "application/pdf" },
      ],
      [
        "an image of Anthropic's becomes a document",
        "anthropic",
        { type: "image", source: { type: "url", url: "a" } },
        { mediaType: "application/pdf" },
        { type: "file", url: "a", mime_type: "application/pdf" },
      ],
      [
        "a file of the first version gets text",
        undefined,
        { type: "file", source_type: "url", url: "a" },
        { source: { text: "t" } },
        { type: "file", source_type: "text", text: "t" },
      ],
      [
        "a thought gets another maker's seal",
        "anthropic",
        { type: "thinking", thinking: "a", signature: "s" },
        { seal: { maker: "google", values: { thoughtSignature: "g" } } },
        {
          type: "reasoning",
          reasoning: "a",
          extras: { translogue: { maker: "google", values: { thoughtSignature: "g" } } },
        },
      ],
    ];
  test.each(edits)("%s", (...[, provider, before, edit, after]) => {
    const { message } = read([before, { type: "text", text: "beside" }], "python", provider);
    const [first, ...others] = message.parts;
    const edited = { ...message, parts: [{ ...first, ...edit } as Part, ...others] }; // the edit fits the part
    expect(write(edited)).toEqual([after, { type: "text", text: "beside" }]);
    expect(bare(read([after], "python", provider).message.parts)).toEqual(bare([edited.parts[0] as Part])); // it has a first
  });

  test("a summary that loses an entry is written as what is left", () => {
    const item = { type: "reasoning", id: "rs", summary: ["A", "B"].map(text => ({ type: "summary_text", text })) };
    const { message } = read([item], "python", "openai");
    const { value } = encode(
      { messages: [{ ...message, parts: message.parts.slice(1) }] },
      { to: "langchain:python", shape: "messages", carry: false },
    );
    expect(value).toMatchObject([{ content: [{ type: "reasoning", reasoning: "B", id: "rs" }] }]);
  });
});

describe("what other formats have is written as", () => {
  test.each<[name: string, part: Part, block: Json]>([
    [
      "a search for several things",
      {
        type: "tool-call",
        callId: "s",
        name: "web_search",
        kind: "web-search",
        executedBy: "provider",
        input: { queries: ["q", "r"] },
      },
      { type: "server_tool_call", id: "s", name: "web_search", args: { queries: ["q", "r"] } },
    ],
    [
      "what it found",
      { type: "tool-result", callId: "s", output: [{ type: "source", url: "u", title: "T" }] },
      {
        type: "server_tool_result",
        tool_call_id: "s",
        status: "success",
        output: { sources: [{ type: "url", url: "u", title: "T" }] },
      },
    ],
    [
      "a signature of nobody in particular",
      { type: "reasoning", text: "r", seal: { values: { signature: "p" } } },
      { type: "reasoning", reasoning: "r", extras: { signature: "p" } },
    ],
    [
      "a seal that has no place of its own",
      { type: "reasoning", text: "r", seal: { maker: "mistral", values: { signature: "p" } } },
      { type: "reasoning", reasoning: "r", extras: { translogue: { maker: "mistral", values: { signature: "p" } } } },
    ],
  ])("%s", (_, part, block) => {
    expect(write({ role: "assistant", parts: [part] })).toEqual([block]);
  });

  test("a provider's call that does not parse is one that is still being written, which is a loss unless it was", () => {
    const call: Part = { type: "tool-call", callId: "s", name: "f", executedBy: "provider", inputText: "{" };
    const block = { type: "server_tool_call_chunk", id: "s", name: "f", args: "{" };
    expect(write({ role: "assistant", parts: [{ ...call, partial: true }] })).toEqual([block]);
    const { value, losses } = encode(
      { messages: [{ role: "assistant", parts: [call] }] },
      { to: "langchain", shape: "messages", recipient: "store", carry: false },
    );
    expect(value).toMatchObject([{ content: [block] }]);
    expect(losses.map(({ code, path }) => [code, path])).toEqual([
      ["tool-open", ["messages", 0, "parts", 0, "partial"]],
    ]);
  });

  test("a result that holds blocks which hold results is read in linear time", () => {
    let block: Json = { type: "text", text: "end" };
    for (let depth = 0; depth < 60; depth++) block = { toolResult: { toolUseId: `t${depth}`, content: [block] } };
    expect(write(read([block]).message)).toEqual([block]);
  });
});

describe("what is not known stays in its place", () => {
  test.each<[name: string, block: Json]>([
    ["an unknown type", { type: "mystery", x: 1 }],
    ["no type", { a: 1 }],
    ["nothing", {}],
    ["null", null],
    ["a number", 5],
    ["a list", [1]],
    ["an image of nothing", { type: "image" }],
    ["text that is none", { type: "text", text: 5 }],
    ["words that are members of every object", { type: "constructor", __proto__x: 1 }],
    ["a source that no version knows", { type: "image", source_type: "nope", url: "u" }],
    ["a wrapper of what nobody knows", { type: "non_standard", value: { type: "mystery" }, index: 1 }],
  ])("%s", (_, block) => {
    const { message, issues } = read(["before", block, "after"]);
    expect(message.parts.map(({ type }) => type)).toEqual(["text", "opaque", "text"]);
    expect(issues.map(({ code, wirePath }) => ({ code, wirePath }))).toEqual([
      { code: "unknown-block", wirePath: [0, "content", 1] },
    ]);
    expect(write(message)).toEqual(["before", block, "after"]);
  });

  test("members that have no field come back, in their order", () => {
    const block = {
      index: 2,
      foo: { b: 1, a: [1.5] },
      text: "t",
      type: "text",
      extras: { z: 1, phase: "commentary", a: 2 },
    };
    expect(JSON.stringify(write(read([block]).message))).toBe(JSON.stringify([block]));
  });

  test("a provider's opaque piece keeps its family", () => {
    for (const value of [{ type: "mystery" }, { type: "thinking", thinking: "t" }, "text", 5]) {
      const message: Message = {
        role: "assistant",
        provider: "anthropic",
        parts: [{ type: "opaque", family: "anthropic", value }],
      };
      const { value: wire } = encode(
        { messages: [message] },
        { to: "langchain:python", shape: "messages", carry: false },
      );
      const { conversation } = decode(wire as Json, { from: "langchain:python", shape: "messages" });
      expect(conversation.messages[0]?.parts).toEqual(message.parts);
    }
  });
});

describe("calls in the content", () => {
  test.each<[block: Json, members: JsonObject]>([
    [{ type: "tool_call", id: null, name: "f", args: {} }, { callId: "~0.0" }],
    [{ type: "tool_call", id: "", name: "f", args: {} }, { callId: "~0.0" }],
    [{ type: "tool_call", name: "f", args: {} }, { callId: "~0.0" }],
    [
      { type: "tool_call_chunk", id: "c", name: null, args: '{"a":', index: 0 },
      { name: "", inputText: '{"a":', partial: true },
    ],
    [{ type: "invalid_tool_call", id: "c", name: "f", args: "{bad", error: "why" }, { inputText: "{bad" }],
    [{ type: "invalid_tool_call", id: "c", name: "f", args: null, error: null }, { name: "f" }],
    [{ type: "tool_use", id: "c", name: "f", input: "" }, { name: "f" }],
    [{ type: "tool_use", id: "c", name: "f", input: {}, partial_json: '{"a":1}' }, { input: { a: 1 } }],
    [
      { type: "tool_use", id: "c", name: "f", input: {}, caller: { type: "code_execution_20250825", tool_id: "s" } },
      { caller: "s" },
    ],
    [{ type: "function_call", call_id: "c", id: "fc", name: "f", arguments: "{}", status: "completed" }, { input: {} }],
  ])("%j comes back", (block, members) => {
    const { message } = read([block]);
    expect(message.parts[0]).toMatchObject({ type: "tool-call", ...members });
    expect(write(message)).toEqual([block]);
  });
});
