import {
  type Conversation,
  check,
  decode,
  encode,
  type FormatRef,
  type Json,
  type Message,
  type Part,
  readText,
  text,
  toolCall,
  toolResult,
  writeText,
} from "translogue";
import { langchain, load, readMessages } from "translogue/langchain";
import { describe, expect, test } from "vitest";

type Dialect = "python" | "python-stored" | "python-lc" | "js-lc" | "js-stored" | "js-flat" | "openai";

const to = (dialect: Dialect): FormatRef => `langchain:${dialect}`;
const plain = { recipient: "store", carry: false } as const;

const write = (messages: readonly Message[], dialect: Dialect): Json =>
  encode({ messages }, { to: to(dialect), shape: "messages", ...plain }).value as Json; // the codec writes JSON
const read = (value: Json, dialect: Dialect): Conversation => decode(value, { from: to(dialect) }).conversation;
const one = (wire: Json, dialect: Dialect = "python"): Message => read([wire], dialect).messages[0] as Message; // one was given
const bytes = (wire: Json, dialect: Dialect, style?: string): string =>
  writeText(wire, "langchain", { shape: "message", dialect, ...(style !== undefined && { style }) });

const lc = (name: string, kwargs: Json, space: readonly string[] = ["langchain_core", "messages"]): Json => ({
  lc: 1,
  type: "constructor",
  id: [...space, name],
  kwargs,
});
const flat = (type: string, members: { readonly [member: string]: Json } = {}): { [member: string]: Json } => ({
  content: "",
  additional_kwargs: {},
  response_metadata: {},
  type,
  name: null,
  id: null,
  ...members,
});
const ai = (members: { readonly [member: string]: Json } = {}): { [member: string]: Json } =>
  flat("ai", { tool_calls: [], invalid_tool_calls: [], usage_metadata: null, ...members });

describe("a conversation in each of the seven dialects", () => {
  const messages: Message[] = [
    { role: "user", parts: [text("Hi")] },
    { role: "assistant", parts: [toolCall({ callId: "c1", name: "f", input: { a: 1 } })] },
    { role: "tool", parts: [toolResult("c1", [text("42")])] },
  ];
  const call = '{"name":"f","args":{"a":1},"id":"c1","type":"tool_call"}';
  test.each<[Dialect, string, string, string]>([
    [
      "python",
      '{"content":"Hi","additional_kwargs":{},"response_metadata":{},"type":"human","name":null,"id":null}',
      `{"content":"","additional_kwargs":{},"response_metadata":{},"type":"ai","name":null,"id":null,"tool_calls":[${call}],"invalid_tool_calls":[],"usage_metadata":null}`,
      '{"content":"42","additional_kwargs":{},"response_metadata":{},"type":"tool","name":null,"id":null,"tool_call_id":"c1","artifact":null,"status":"success"}',
    ],
    [
      "python-stored",
      '{"type":"human","data":{"content":"Hi","additional_kwargs":{},"response_metadata":{},"type":"human","name":null,"id":null}}',
      `{"type":"ai","data":{"content":"","additional_kwargs":{},"response_metadata":{},"type":"ai","name":null,"id":null,"tool_calls":[${call}],"invalid_tool_calls":[],"usage_metadata":null}}`,
      '{"type":"tool","data":{"content":"42","additional_kwargs":{},"response_metadata":{},"type":"tool","name":null,"id":null,"tool_call_id":"c1","artifact":null,"status":"success"}}',
    ],
    [
      "python-lc",
      '{"lc": 1, "type": "constructor", "id": ["langchain", "schema", "messages", "HumanMessage"], "kwargs": {"content": "Hi", "type": "human"}}',
      '{"lc": 1, "type": "constructor", "id": ["langchain", "schema", "messages", "AIMessage"], "kwargs": {"content": "", "type": "ai", "tool_calls": [{"name": "f", "args": {"a": 1}, "id": "c1", "type": "tool_call"}], "invalid_tool_calls": []}}',
      '{"lc": 1, "type": "constructor", "id": ["langchain", "schema", "messages", "ToolMessage"], "kwargs": {"content": "42", "type": "tool", "tool_call_id": "c1", "status": "success"}}',
    ],
    [
      "js-lc",
      '{"lc":1,"type":"constructor","id":["langchain_core","messages","HumanMessage"],"kwargs":{"content":"Hi","additional_kwargs":{},"response_metadata":{}}}',
      `{"lc":1,"type":"constructor","id":["langchain_core","messages","AIMessage"],"kwargs":{"content":"","tool_calls":[${call}],"invalid_tool_calls":[],"additional_kwargs":{},"response_metadata":{}}}`,
      '{"lc":1,"type":"constructor","id":["langchain_core","messages","ToolMessage"],"kwargs":{"content":"42","tool_call_id":"c1","additional_kwargs":{},"response_metadata":{}}}',
    ],
    [
      "js-stored",
      '{"type":"human","data":{"content":"Hi","additional_kwargs":{},"response_metadata":{}}}',
      `{"type":"ai","data":{"content":"","tool_calls":[${call}],"invalid_tool_calls":[],"additional_kwargs":{},"response_metadata":{}}}`,
      '{"type":"tool","data":{"content":"42","tool_call_id":"c1","additional_kwargs":{},"response_metadata":{}}}',
    ],
    [
      "js-flat",
      '{"content":"Hi","additional_kwargs":{},"response_metadata":{},"type":"human"}',
      `{"content":"","tool_calls":[${call}],"invalid_tool_calls":[],"additional_kwargs":{},"response_metadata":{},"type":"ai"}`,
      '{"content":"42","tool_call_id":"c1","additional_kwargs":{},"response_metadata":{},"type":"tool"}',
    ],
    [
      "openai",
      '{"role":"user","content":"Hi"}',
      '{"role":"assistant","tool_calls":[{"type":"function","id":"c1","function":{"name":"f","arguments":"{\\"a\\": 1}"}}],"content":""}',
      '{"role":"tool","tool_call_id":"c1","content":"42"}',
    ],
  ])("%s is written as its package writes it, told from the others, and read again", (dialect, ...texts) => {
    const value = write(messages, dialect);
    const list = value as readonly Json[]; // of messages
    expect(list.map(message => bytes(message, dialect))).toEqual(texts);
    expect(langchain.sniff(value)[0]?.dialect).toBe(dialect);
    const again = read(value, dialect).messages;
    const spelled = again[1]?.parts[0];
    expect(again.map(({ role }) => role)).toEqual(["user", "assistant", "tool"]);
    expect(spelled).toMatchObject({ callId: "c1", name: "f", input: { a: 1 } });
    expect(write(again, dialect)).toEqual(value);
  });
});

describe("classes", () => {
  const parts = [text("x")];
  test.each<[name: string, wire: Json, Message]>([
    ["system", flat("system", { content: "x" }), { role: "system", parts }],
    [
      "the flag of developer messages",
      flat("system", { content: "x", additional_kwargs: { __openai_role__: "developer" } }),
      { role: "developer", parts },
    ],
    [
      "human, with a name",
      flat("human", { content: "x", name: "ada" }),
      { role: "user", author: { name: "ada" }, parts },
    ],
    ["ai", ai({ content: "x" }), { role: "assistant", parts }],
    ["a role of one's own", flat("chat", { content: "x", role: "critic" }), { role: "critic", parts }],
  ])("%s is read without hints", (_, wire, message) => {
    expect(one(wire)).toEqual(message);
  });

  test.each<[type: string, role: string, className: string]>([
    ["HumanMessageChunk", "user", "HumanMessageChunk"],
    ["SystemMessageChunk", "system", "SystemMessageChunk"],
    ["AIMessageChunk", "assistant", "AIMessageChunk"],
    ["ChatMessageChunk", "critic", "ChatMessageChunk"],
    ["ToolMessageChunk", "tool", "ToolMessageChunk"],
    ["FunctionMessageChunk", "tool", "FunctionMessageChunk"],
    ["function", "tool", "FunctionMessage"],
  ])("%s is a hint beside the role %s", (type, role, className) => {
    const message = one(flat(type, { content: "x", name: "f", role: "critic", tool_call_id: "c" }));
    expect(message.role).toBe(role);
    expect(message.native?.["langchain"]?.["$class"]).toBe(className);
  });

  test("a chat message whose role is another class's stays a chat message", () => {
    const wire = flat("chat", { content: "x", role: "assistant" });
    expect(one(wire)).toMatchObject({ role: "assistant", native: { langchain: { $class: "ChatMessage" } } });
    expect(write([one(wire)], "python")).toEqual([wire]);
  });

  test("a removal is no turn, and its id is another message's", () => {
    const wire = flat("remove", { id: "h1" });
    const message = one(wire);
    expect(message).toMatchObject({
      role: "control",
      parts: [{ type: "opaque", value: { type: "remove", id: "h1" } }],
    });
    expect(message.id).toBeUndefined();
    expect(write([message], "js-lc")).toEqual([
      lc("RemoveMessage", { id: "h1", content: [], additional_kwargs: {}, response_metadata: {} }),
    ]);
  });

  test("a legacy result answers the legacy call of its name", () => {
    const { messages } = read(
      [
        ai({ additional_kwargs: { function_call: { name: "f", arguments: "{}" } } }),
        flat("function", { content: "4", name: "f" }),
      ],
      "python",
    );
    const [call, result] = messages.map(({ parts: [part] }) => part);
    expect(call).toMatchObject({ type: "tool-call", name: "f", input: {} });
    expect(result).toMatchObject({ type: "tool-result", name: "f", output: [text("4")] });
    expect((call as { callId: string }).callId).toBe((result as { callId: string }).callId);
  });

  test("integer ids are read as strings, and written as integers until the id is another", () => {
    const wire = lc("HumanMessage", { content: "x", id: 17, additional_kwargs: {}, response_metadata: {} });
    const message = one(wire, "js-lc");
    expect(message.id).toBe("17");
    expect(write([message], "js-lc")).toEqual([wire]);
    expect(write([{ ...message, id: "18" }], "js-lc")).toMatchObject([{ kwargs: { id: "18" } }]);
  });
});

describe("calls", () => {
  const raw = (args: string): Json => ({ id: "c1", function: { arguments: args, name: "f" }, type: "function" });
  const listed = { name: "f", args: { a: 1 }, id: "c1", type: "tool_call" };

  test("the raw call beside a call gives the text of its arguments", () => {
    const wire = ai({ additional_kwargs: { tool_calls: [raw('{"a": 1}')] }, tool_calls: [listed] });
    const message = one(wire);
    expect(message.parts).toMatchObject([{ type: "tool-call", callId: "c1", input: { a: 1 }, inputText: '{"a": 1}' }]);
    expect(message.native).toBeUndefined();
    expect(write([message], "python")).toEqual([wire]);
  });

  test("an edited call is edited in both places", () => {
    const wire = ai({ additional_kwargs: { tool_calls: [raw('{"a": 1}')] }, tool_calls: [listed] });
    const [part] = one(wire).parts;
    const edited = { ...part, input: { a: 2 } } as Part;
    expect(write([{ role: "assistant", parts: [edited] }], "python")).toMatchObject([
      { tool_calls: [{ args: { a: 2 } }], additional_kwargs: { tool_calls: [{ function: { arguments: '{"a":2}' } }] } },
    ]);
  });

  test("raw calls that no list has are calls all the same", () => {
    const wire = lc("AIMessage", {
      content: "",
      additional_kwargs: { tool_calls: [raw("{}")] },
      tool_calls: [],
      invalid_tool_calls: [],
      response_metadata: {},
    });
    expect(one(wire, "js-lc").parts).toMatchObject([{ type: "tool-call", callId: "c1", name: "f", input: {} }]);
    expect(write([one(wire, "js-lc")], "js-lc")).toEqual([wire]);
  });

  test("a call that does not parse keeps its text, and becomes valid once it is mended", () => {
    const invalid = { type: "invalid_tool_call", id: "c1", name: "f", args: '{"a":', error: "cut" };
    const message = one(ai({ invalid_tool_calls: [invalid] }));
    expect(message.parts).toMatchObject([{ type: "tool-call", inputText: '{"a":' }]);
    expect(write([message], "python")).toMatchObject([{ tool_calls: [], invalid_tool_calls: [invalid] }]);
    const mended = { ...message, parts: [{ ...message.parts[0], inputText: '{"a":1}', input: { a: 1 } } as Part] };
    expect(write([mended], "python")).toMatchObject([{ tool_calls: [listed], invalid_tool_calls: [] }]);
  });

  test("a call of the content is the call of the list, where its block stands", () => {
    const content = [
      { type: "text", text: "a" },
      { type: "tool_use", id: "c1", name: "f", input: { a: 1 } },
      { type: "text", text: "b" },
    ];
    const wire = ai({ content, response_metadata: { model_provider: "anthropic" }, tool_calls: [listed] });
    expect(one(wire).parts.map(({ type }) => type)).toEqual(["text", "tool-call", "text"]);
    expect(write([one(wire)], "python")).toEqual([wire]);
  });

  test("text after a call keeps its place: the call gets a block, and stays in the list", () => {
    const parts = [toolCall({ callId: "c1", name: "f", input: { a: 1 } }), text("after")];
    const [wire] = write([{ role: "assistant", parts }], "python") as readonly Json[]; // one message
    expect(wire).toMatchObject({
      content: [
        { type: "tool_call", id: "c1" },
        { type: "text", text: "after" },
      ],
      tool_calls: [listed],
    });
    expect(one(wire ?? null).parts.map(({ type }) => type)).toEqual(["tool-call", "text"]);
  });

  test("a call without an id is answered by the result without one", () => {
    const { messages } = read(
      [ai({ tool_calls: [{ ...listed, id: null }] }), flat("tool", { content: "4", tool_call_id: "" })],
      "python",
    );
    const [call, result] = messages.map(({ parts: [part] }) => part as { callId: string });
    expect(call?.callId).toMatch(/^~/);
    expect(result?.callId).toBe(call?.callId);
    expect(check({ messages })).toEqual([]);
  });
});

describe("results", () => {
  test("status is the outcome, the artifact is the face for programs", () => {
    const wire = flat("tool", { content: "no", tool_call_id: "c", artifact: { raw: [1] }, status: "error", name: "f" });
    expect(one(wire).parts).toEqual([
      { type: "tool-result", callId: "c", name: "f", output: [text("no")], structured: { raw: [1] }, outcome: "error" },
    ]);
  });

  test("a status that is neither stays with its message", () => {
    const kwargs = { content: "?", tool_call_id: "c", status: "pending", additional_kwargs: {}, response_metadata: {} };
    const message = one(lc("ToolMessage", kwargs), "js-lc");
    expect(message.parts[0]).not.toHaveProperty("outcome");
    expect(write([message], "js-lc")).toEqual([lc("ToolMessage", kwargs)]);
  });

  test("results among a person's blocks are a tool's message, and go back among them", () => {
    const wire = flat("human", {
      content: [
        { type: "tool_result", tool_use_id: "c", content: "4" },
        { type: "text", text: "and now?" },
      ],
      id: "h",
    });
    const { messages } = read([wire], "python");
    expect(messages.map(({ role }) => role)).toEqual(["tool", "user"]);
    expect(write(messages, "python")).toEqual([wire]);
    expect(write(messages.slice(1), "python")).toMatchObject([{ type: "human", content: "and now?" }]);
  });
});

describe("what stands beside the content", () => {
  test.each<[name: string, kwargs: Json, Part]>([
    ["reasoning", { reasoning_content: "hm" }, { type: "reasoning", text: "hm" }],
    ["a refusal", { refusal: "No." }, { type: "refusal", text: "No." }],
    [
      "speech",
      { audio: { id: "a1", data: "AAAA", transcript: "hi", expires_at: 1 } },
      { type: "file", mediaType: "audio/*", id: "a1", source: { data: "AAAA" }, text: "hi" },
    ],
  ])("%s is a part, and is written there again", (_, kwargs, part) => {
    const wire = ai({ additional_kwargs: kwargs });
    expect(one(wire).parts).toMatchObject([part]);
    expect(write([one(wire)], "python")).toEqual([wire]);
  });

  test("an answer's model, provider, id and end are the message's, under the names of its adapter", () => {
    const metadata = { model: "claude", stop_reason: "tool_use", id: "msg_1", model_provider: "anthropic", usage: {} };
    const wire = ai({ content: "x", response_metadata: metadata });
    expect(one(wire)).toMatchObject({
      model: "claude",
      provider: "anthropic",
      responseId: "msg_1",
      finish: { reason: "tool-calls", raw: "tool_use" },
      native: { langchain: { response_metadata: { usage: {} } } },
    });
    expect(JSON.stringify(write([one(wire)], "python"))).toBe(JSON.stringify([wire]));
  });

  test("usage is told in exclusive buckets, and a count of no name comes back as it was", () => {
    const usage_metadata = {
      input_tokens: 100,
      output_tokens: 30,
      total_tokens: 130,
      input_token_details: { cache_read: 60, cache_creation: 10 },
      output_token_details: { reasoning: 20 },
      extra: 1,
    };
    const message = one(ai({ usage_metadata }));
    expect(message.usage).toEqual({ input: 30, cacheRead: 60, cacheWrite: 10, output: 10, reasoning: 20 });
    expect(write([message], "python")).toMatchObject([{ usage_metadata }]);
    expect(write([{ ...message, usage: { input: 1, output: 2 } }], "python")).toMatchObject([
      { usage_metadata: { input_tokens: 1, output_tokens: 2, total_tokens: 3 } },
    ]);
  });

  test("what a format cannot hold travels in `additional_kwargs`", () => {
    const message: Message = { role: "user", createdAt: "2026-11-30T00:00:00Z", parts: [text("x")] };
    for (const dialect of langchain.dialects) {
      const { value } = encode(
        { messages: [message] },
        { to: `langchain:${dialect}` as FormatRef, shape: "messages", recipient: "store" },
      );
      expect(JSON.stringify(value)).toContain('"additional_kwargs":{"translogue":');
      expect(decode(value, "langchain").conversation.messages).toEqual([message]);
    }
  });
});

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
