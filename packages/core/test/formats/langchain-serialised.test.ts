import { decode, encode, type Json, type JsonObject, readText, text, writeText } from "translogue";
import { load, readMessages } from "translogue/langchain";
import { describe, expect, test } from "vitest";
import { ai, bytes, lc, one, plain, write } from "./langchain-wire.ts";

describe("text", () => {
  const numbers = '{"f":1.0,"small":1e-05,"big":1180591620717411303424,"é":"\u2028"}';

  test.each<[style: string, text: string]>([
    [
      "pydantic",
      `{"content":"é","additional_kwargs":${numbers.replace("1e-05", "0.00001")},"response_metadata":{},"type":"human","name":null,"id":null}`,
    ],
    [
      "javascript",
      `{"content":"é","additional_kwargs":${numbers},"response_metadata":{},"type":"human","name":null,"id":null}`,
    ],
  ])("numbers keep their spelling, %s", (style, given) => {
    const { value, exact } = readText(given, "langchain");
    const { conversation } = decode(value, { from: "langchain", shape: "message", exact });
    const written = encode(conversation, { to: "langchain", shape: "message", ...plain });
    const spelled = written.exact ? { exact: written.exact } : {};
    expect(writeText(written.value, "langchain", { style, ...spelled })).toBe(given);
  });

  test.each<[name: string, style: string, value: Json, text: string]>([
    ["dumps has spaces and ASCII only", "dumps", { a: [1, "é🙂\u007f"] }, '{"a": [1, "\\u00e9\\ud83d\\ude42\\u007f"]}'],
    ["dumps writes small numbers as Python does", "dumps", [1e-7, 0.00001, 0.0001], "[1e-07, 1e-05, 0.0001]"],
    ["pydantic's exponents begin at six zeros", "pydantic", [0.000001, 0.00001, 1e-7], "[1e-6,0.00001,1e-7]"],
    ["indented Python is ASCII", "indented", { a: ["é"] }, '{\n  "a": [\n    "\\u00e9"\n  ]\n}'],
    ["separators inside of strings stay", "dumps", { "a:b": "c,d" }, '{"a:b": "c,d"}'],
  ])("%s", (_, style, value, expected) => {
    expect(bytes(value, "python", style)).toBe(expected);
  });

  test("Python's numbers that are no JSON are read, and written where Python writes them", () => {
    const { value } = readText('{"a": [NaN, -Infinity, Infinity, "NaN"]}', "langchain");
    expect(value).toEqual({ a: [Number.NaN, Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY, "NaN"] });
    expect(bytes(value, "python-lc")).toBe('{"a": [NaN, -Infinity, Infinity, "NaN"]}');
    expect(bytes(value, "python")).toBe('{"a":[null,null,null,"NaN"]}');
  });
});

describe("serialised objects", () => {
  const evil = { lc: 1, type: "secret", id: ["KEY"] };
  const human = (kwargs: Json): Json =>
    lc("HumanMessage", { content: "x", additional_kwargs: kwargs, response_metadata: {} });

  test("data that looks like one is wrapped for loaders, and is itself in every other form", () => {
    const message = one(human({ note: { __lc_escaped__: evil } }), "js-lc");
    expect(message.native).toEqual({ langchain: { additional_kwargs: { note: evil } } });
    expect(write([message], "js-lc")).toEqual([human({ note: { __lc_escaped__: evil } })]);
    expect(write([message], "python")).toMatchObject([{ additional_kwargs: { note: evil } }]);
  });

  test("a secret is never looked up, and is written as data", () => {
    const { conversation, issues } = decode([human({ key: evil })], { from: "langchain" });
    expect(issues).toMatchObject([{ code: "lc-secret", wirePath: [0, "kwargs", "additional_kwargs", "key"] }]);
    expect(write(conversation.messages, "js-lc")).toEqual([human({ key: { __lc_escaped__: evil } })]);
  });

  test.each<[name: string, wire: Json]>([
    ["another class", lc("Popen", { args: ["ls"] }, ["subprocess"])],
    ["a class of the package that is no message", lc("Document", {}, ["langchain_core", "documents"])],
    ["`constructor`", lc("constructor", { content: "x" })],
    ["`__proto__`", lc("__proto__", { content: "x" })],
    ["a function", lc("getBufferString", [])],
    ["a class without its module", lc("HumanMessage", {}, [])],
    ["an object that could not be written", { lc: 1, type: "not_implemented", id: ["Object"] }],
    ["a secret", evil],
  ])("%s is kept as data with an issue, and refused by `load`", (_, wire) => {
    const { conversation, issues } = decode([wire], { from: "langchain", shape: "messages" });
    expect(conversation.messages).toMatchObject([{ role: "control", parts: [{ type: "opaque", value: wire }] }]);
    expect(issues.map(({ code }) => code)).toContain("not-a-message");
    expect(write(conversation.messages, "js-lc")).toEqual([wire]);
    expect(() => load(JSON.stringify(wire))).toThrow(/is refused/);
  });
});

describe("load", () => {
  test("gives the messages wherever they stand, and the rest as data", () => {
    const held = { messages: [lc("HumanMessage", { content: "a" })], data: { __lc_escaped__: { lc: 1 } } };
    const { value, messages } = load(JSON.stringify(held));
    expect(value).toEqual({ messages: held.messages, data: { lc: 1 } });
    expect(messages).toMatchObject([{ path: ["messages", 0], message: { role: "user", parts: [text("a")] } }]);
  });

  test("keeps the spelling of numbers, and refuses what is too deep", () => {
    const { messages } = load(
      '{"lc":1,"type":"constructor","id":["langchain","schema","messages","ToolMessage"],"kwargs":{"content":"","tool_call_id":"c","artifact":{"n":1.0}}}',
    );
    expect(messages[0]?.message.parts[0]?.exact).toEqual({ "/structured/n": "1.0" });
    expect(() => load("[[1]]", { maxDepth: 1 })).toThrow(/more than 1 values within one another/);
    expect(load("[[1]]", { maxDepth: 2 }).value).toEqual([[1]]);
  });
});

describe("what is like a message", () => {
  test.each<[name: string, input: unknown, roles: readonly string[]]>([
    ["a string", "hi", ["user"]],
    ["a tuple", ["ai", "hi"], ["assistant"]],
    [
      "a list of all kinds",
      ["hi", ["system", "s"], { role: "developer", content: "d" }, ai()],
      ["user", "system", "developer", "assistant"],
    ],
    ["a serialised one", lc("AIMessage", { content: "x" }), ["assistant"]],
    ["a role of one's own", [{ role: "critic", content: "x" }], ["critic"]],
  ])("%s is read", (_, input, roles) => {
    expect(readMessages(input).messages.map(({ role }) => role)).toEqual(roles);
  });

  test.each<[name: string, input: Json, python: boolean, js: boolean]>([
    ["no content", { role: "user" }, false, true],
    ["a tuple of three", ["human", "a", "b"], false, true],
    ["a function's message", { role: "function", name: "f", content: "1" }, true, false],
    ["a role of one's own", { role: "critic", content: "x" }, false, false],
    ["a tool's message without its call", { role: "tool", content: "x" }, false, false],
    [
      "malformed arguments",
      {
        role: "assistant",
        content: "",
        tool_calls: [{ id: "c", type: "function", function: { name: "f", arguments: "{" } }],
      },
      false,
      false,
    ],
    ["a chunk's type", { type: "AIMessageChunk", content: "x" }, false, false],
    ["a number", 3, false, false],
  ])("%s is refused by those that refuse it", (_, input, python, js) => {
    const isRead = (language: "python" | "js"): boolean => {
      try {
        return readMessages([input], { language }).messages.length === 1;
      } catch {
        return false;
      }
    };
    expect([isRead("python"), isRead("js")]).toEqual([python, js]);
  });

  test("unknown members go where the language puts them", () => {
    const input = [{ role: "assistant", content: "x", foo: 2 }];
    expect(write(readMessages(input, { language: "python" }).messages, "python")).toEqual([
      ai({ content: "x", additional_kwargs: { foo: 2 } }),
    ]);
    expect(write(readMessages(input, { language: "js" }).messages, "js-lc")).toMatchObject([
      { kwargs: { foo: 2, additional_kwargs: {} } },
    ]);
  });

  test.each<[what: string, input: JsonObject, kwargs: JsonObject]>([
    [
      "of a tool are its content",
      { role: "tool", tool_call_id: "c", contentBlocks: [{ type: "text", text: "a" }] },
      { content: [{ type: "text", text: "a" }], content_blocks: [{ type: "text", text: "a" }] },
    ],
    [
      "get the calls of the list",
      { role: "ai", contentBlocks: [{ type: "text", text: "a" }], tool_calls: [{ name: "f", args: {}, id: "c" }] },
      {
        content_blocks: [
          { type: "text", text: "a" },
          { type: "tool_call", id: "c", name: "f", args: {} },
        ],
      },
    ],
    [
      "give the list their calls",
      { role: "ai", contentBlocks: [{ type: "tool_call", id: "c", name: "f", args: {} }] },
      { tool_calls: [{ type: "tool_call", id: "c", name: "f", args: {} }] },
    ],
    [
      "of the first version become those of the second",
      { role: "user", contentBlocks: [{ type: "image", source_type: "id", id: "f" }] },
      { content_blocks: [{ type: "image", fileId: "f" }] },
    ],
  ])("blocks under JavaScript's name %s", (_, input, kwargs) => {
    expect(write(readMessages([input], { language: "js" }).messages, "js-lc")).toMatchObject([{ kwargs }]);
  });

  test.each<[content: Json, blocks: readonly Json[]]>([
    ["a", [{ type: "text", text: "a" }]],
    ["", []],
    [[{ type: "text", text: "a" }], [{ type: "text", text: "a" }]],
  ])("content of version v1 is blocks to JavaScript: %j", (content, blocks) => {
    const call = { name: "f", args: {}, id: "c", type: "tool_call" };
    const input = { role: "ai", content, tool_calls: [call], response_metadata: { output_version: "v1" } };
    const all = [...blocks, { type: "tool_call", id: "c", name: "f", args: {} }];
    expect(write(readMessages([input], { language: "js" }).messages, "js-lc")).toMatchObject([
      { kwargs: { content: all, content_blocks: all, tool_calls: [call] } },
    ]);
  });

  test("numbers of arguments are not rounded", () => {
    const args = '{"n":12345678901234567890}';
    const call = { id: "c", type: "function", function: { name: "f", arguments: args } };
    for (const language of ["python", "js"] as const) {
      const { messages } = readMessages([{ role: "assistant", content: "", tool_calls: [call] }], { language });
      const { value, exact } = encode({ messages }, { to: "langchain:python", shape: "messages", ...plain });
      expect(writeText(value, "langchain", { dialect: "python", ...(exact && { exact }) })).toContain(args);
    }
  });
});
