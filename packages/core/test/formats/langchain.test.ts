import {
  check,
  decode,
  encode,
  type FormatRef,
  type Json,
  type Message,
  type Part,
  text,
  toolCall,
  toolResult,
} from "translogue";
import { langchain } from "translogue/langchain";
import { describe, expect, test } from "vitest";
import { ai, bytes, type Dialect, flat, lc, one, read, write } from "./langchain-wire.ts";

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

  test.each(["HumanMessageChunk", "ChatMessage"])("results at the head of a %s leave it its class", name => {
    const role = name === "ChatMessage" ? { role: "user" } : {};
    const content = [{ type: "tool_result", tool_use_id: "c", content: "4" }];
    const wire = lc(name, { content, ...role, additional_kwargs: {}, response_metadata: {} });
    expect(write(read([wire], "js-lc").messages, "js-lc")).toEqual([wire]);
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

  test("speech keeps the order of its members", () => {
    const wire = ai({ additional_kwargs: { audio: { id: "a1", data: "AAAA", expires_at: 1, transcript: "hi" } } });
    expect(JSON.stringify(write([one(wire)], "python"))).toBe(JSON.stringify([wire]));
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
