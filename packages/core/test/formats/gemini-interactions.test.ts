import type { Conversation, FinishReason, Json, JsonObject, Message, Part, Settings } from "translogue";
import { accumulate, detect } from "translogue";
import { decode, encode } from "translogue/convert";
import { gemini } from "translogue/gemini";
import { geminiInteractions } from "translogue/gemini-interactions";
import { describe, expect, test } from "vitest";

const read = (value: Json, shape?: "messages" | "answer" | "request" | "error") =>
  decode(geminiInteractions, value, { ...(shape && { shape }) });
const steps = (...list: readonly Json[]): readonly Message[] => read(list, "messages").conversation.messages;
const written = (conversation: Conversation, shape: "messages" | "request" | "answer" | "error" = "messages"): Json =>
  encode(geminiInteractions, conversation, { shape, recipient: "store", carry: false }).value;
const sent = (conversation: Conversation, dialect = "gemini") =>
  encode(geminiInteractions, conversation, { shape: "request", dialect });
const output = (...content: readonly Json[]): JsonObject => ({ type: "model_output", content });
const input = (...content: readonly Json[]): JsonObject => ({ type: "user_input", content });
const text = (words: string, more: JsonObject = {}): JsonObject => ({ type: "text", text: words, ...more });
const png: JsonObject = { type: "image", mime_type: "image/png", data: "AAAA" };
const call = (id: string, more: JsonObject = {}): JsonObject => ({
  type: "function_call",
  id,
  name: "f",
  arguments: {},
  ...more,
});
const result = (call_id: string, value: Json, more: JsonObject = {}): JsonObject => ({
  type: "function_result",
  call_id,
  name: "f",
  result: value,
  ...more,
});
const sealOf = (thoughtSignature: string, route?: string) => ({
  maker: "google",
  ...(route !== undefined && { route }),
  values: { thoughtSignature },
});

describe("a history", () => {
  test("takes neighbours of one side for one message, and each thing that a user says for another", () => {
    const wire = [
      input(text("a")),
      input(text("b")),
      { type: "thought", signature: "c2ln" },
      call("c"),
      call("d"),
      result("c", "x"),
      result("d", "y"),
      output(text("z")),
    ];
    const messages = steps(...wire);
    expect(messages.map(({ role, parts }) => `${role} ${parts.length}`)).toEqual([
      "user 1",
      "user 1",
      "assistant 3",
      "tool 2",
      "assistant 1",
    ]);
    expect(written({ messages })).toEqual(wire);
  });

  test.each<[name: string, wire: readonly Json[]]>([
    ["a text and a picture", [output(text("a"), png)]],
    ["two texts", [output(text("a"), text("b"))]],
    ["a text, then a picture", [output(text("a")), output(png)]],
    ["a text, then another", [output(text("a")), output(text("b"))]],
    [
      "two thoughts",
      [
        { type: "thought", summary: [text("a")] },
        { type: "thought", summary: [text("b")] },
      ],
    ],
    ["a thought of two entries", [{ type: "thought", summary: [text("a"), text("b")], signature: "c2ln" }]],
    ["an empty step beside a text", [output(), output(text("a")), { type: "model_output" }]],
    ["what failed", [{ type: "model_output", content: [text("a")], error: { code: 13, message: "m" } }, output(png)]],
    ["an error alone", [{ type: "model_output", error: { message: "m", code: "words" } }]],
    ["what a step says itself", [{ ...output(text("a"), png), later: { a: 1 } }, output(text("b"))]],
    ["a step that is none", ["words", 7, null, { type: "model_output", content: "x" }]],
    ["results that a client sends as contents", [call("c"), input(result("c", "x"), text("so"), result("d", "y"))]],
    ["results of both kinds", [call("c"), result("c", "x"), input(result("d", "y")), result("e", "z")]],
  ])("keeps which contents stand in one step: %s", (_, wire) => {
    const messages = steps(...wire);
    expect(written({ messages })).toEqual(wire);
    expect(steps(...(written({ messages }) as Json[]))).toEqual(messages); // steps are a list
  });

  test.each<[result: Json, output: readonly Part[]]>([
    ["x", [{ type: "text", text: "x" }]],
    [{ a: 1 }, [{ type: "data", data: { a: 1 } }]],
    [{}, [{ type: "data", data: {} }]],
    [7, [{ type: "data", data: 7 }]],
    [["a", 1], [{ type: "data", data: ["a", 1] }]],
    [[], []],
    [[text("x")], [{ type: "text", text: "x" }]],
    [
      [text("x"), png],
      [
        { type: "text", text: "x" },
        { type: "file", mediaType: "image/png", source: { data: "AAAA" } },
      ],
    ],
  ])("reads what a function returned, and writes it back: %j", (value, expected) => {
    const wire = [call("c"), result("c", value, { is_error: true })];
    const messages = steps(...wire);
    expect(messages[1]?.parts).toMatchObject([{ output: expected, outcome: "error" }]);
    expect(written({ messages })).toEqual(wire);
  });

  test.each<[step: JsonObject, expected: object]>([
    [
      { type: "thought", signature: "c2ln" },
      { type: "reasoning", seal: sealOf("c2ln") },
    ],
    [{ type: "thought", signature: "", summary: [] }, { type: "reasoning" }],
    [
      { type: "thought", summary: [text("t", { annotations: [{ type: "url_citation", url: "u" }] })] },
      { type: "reasoning", text: "t", summary: true },
    ],
    [
      { type: "thought", summary: [png] },
      { type: "file", reasoning: true },
    ],
    [call("c", { signature: "c2ln" }), { callId: "c", input: {}, seal: sealOf("c2ln") }],
    [
      { type: "function_call", id: "c", name: "f" },
      { callId: "c", name: "f" },
    ],
    [call("c", { arguments: '{"a": 1}' }), { input: { a: 1 }, inputText: '{"a": 1}' }],
    [call("c", { arguments: "{" }), { inputText: "{" }],
    [
      { type: "google_search_call", id: "s", search_type: "image_search", arguments: { queries: ["q"] } },
      { name: "google_search", kind: "web-search", executedBy: "provider", input: { queries: ["q"] } },
    ],
    [
      {
        type: "google_search_result",
        call_id: "s",
        result: [{ url: "u", title: "t", at: 1 }, { search_suggestions: "h" }],
      },
      { kind: "web-search", output: [{ type: "source", url: "u", title: "t" }, { type: "data" }] },
    ],
    [
      { type: "url_context_result", call_id: "s", result: "down", is_error: true },
      { kind: "web-fetch", outcome: "error" },
    ],
    [
      { type: "file_search_call", id: "s" },
      { name: "file_search", executedBy: "provider" },
    ],
    [
      { type: "mcp_server_tool_call", id: "m", name: "list", server_name: "files", arguments: {} },
      { name: "list", kind: "mcp", server: "files", executedBy: "provider" },
    ],
    [{ type: "mcp_server_tool_call", id: "m" }, { type: "opaque" }],
    [{ type: "later_result", call_id: "x", result: 1 }, { type: "opaque" }],
  ])("reads a step, and writes it back: %j", (step, expected) => {
    const messages = steps(step);
    expect(messages[0]?.parts[0]).toMatchObject(expected);
    expect(written({ messages })).toEqual([step]);
  });

  test.each<[content: JsonObject, expected: object]>([
    [
      { type: "image", uri: "u" },
      { mediaType: "image/*", source: { url: "u" } },
    ],
    [{ type: "image", uri: "u", mime_type: "image/*" }, { mediaType: "image/*" }],
    [{ type: "image", data: "AA==", mime_type: "application/x", resolution: "low" }, { detail: "low" }],
    [
      { type: "document", uri: "u" },
      { type: "file", source: { url: "u" } },
    ],
    [{ type: "video", uri: "u", name: "n", processing: "auto" }, { name: "n" }],
    [
      { type: "audio", data: "AA==", mime_type: "audio/l16", sample_rate: 8000, uri: "u" },
      { source: { data: "AA==" } },
    ],
    [{ type: "image" }, { type: "opaque" }],
    [{ type: "hologram", data: "AA==" }, { type: "opaque" }],
  ])("reads a content, and writes it back: %j", (content, expected) => {
    for (const wire of [[input(text("a"), content)], [output(text("a"), content)]]) {
      const messages = steps(...wire);
      expect(messages[0]?.parts[1]).toMatchObject(expected);
      expect(written({ messages })).toEqual(wire);
    }
  });

  test("pairs results without ids by their order, and names made ids only where it has to", () => {
    const nameless = (type: string, more: JsonObject): JsonObject => ({ type, ...more });
    const wire = [
      nameless("function_call", { id: "", name: "f", arguments: {} }),
      nameless("function_call", { name: "g", arguments: {} }),
      nameless("function_result", { call_id: null, result: "x" }),
      nameless("function_result", { result: "y" }),
    ];
    const messages = steps(...wire);
    expect(messages.flatMap(({ parts }) => parts.map(part => ("callId" in part ? part.callId : "")))).toEqual([
      "~0",
      "~1",
      "~0",
      "~1",
    ]);
    expect(written({ messages })).toEqual(wire);
    const mine: Message = { role: "tool", parts: [{ type: "tool-result", callId: "~1", output: [] }] };
    expect(written({ messages: [...messages.slice(0, 1), mine] })).toMatchObject([
      { id: "" },
      { id: "~1" },
      { call_id: "~1" },
    ]);
  });

  test("counts the bytes of what is cited, and keeps what cites nothing in its place", () => {
    const annotations = [
      { type: "url_citation", url: "u", title: "t", start_index: 5, end_index: 9 },
      { type: "word_info", start_index: 0, end_index: 1 },
      { type: "file_citation", document_uri: "d", file_name: "n", page_number: 2, end_index: 5 },
      { type: "place_citation", name: "p", url: "m", place_id: "places/1" },
      { type: "url_citation", start_index: 4, end_index: 5 },
    ];
    const wire = [output(text("é🎈é!", { annotations }))];
    const messages = steps(...wire);
    expect(messages[0]?.parts[0]).toMatchObject({ type: "text", text: "é🎈é!" });
    const [part] = messages[0]?.parts ?? [];
    const cited = part?.type === "text" ? (part.citations ?? []) : [];
    expect(cited.map(({ url, title, name, start, end, at }) => ({ url, title, name, start, end, at }))).toMatchObject([
      {},
      {},
      { url: "d", name: "n", at: { unit: "page", start: 2 } },
      { url: "m", title: "p" },
      {},
    ]);
    expect(written({ messages })).toEqual(wire);
    const edited: Message = {
      role: "assistant",
      parts: [{ type: "text", text: "é🎈é!", citations: [{ url: "u", start: 1, end: 3 }] }],
    };
    expect(written({ messages: [edited] })).toEqual([
      output(text("é🎈é!", { annotations: [{ type: "url_citation", url: "u", start_index: 2, end_index: 6 }] })),
    ]);
  });

  test("gives a provider its own host's signatures only, and no thought that says nothing", () => {
    const thought = (route?: string): Message => ({
      role: "assistant",
      parts: [{ type: "reasoning", seal: sealOf("c2ln", route) }],
    });
    const of = (message: Message, dialect: string) =>
      (sent({ messages: [message] }, dialect).value as JsonObject)["input"]; // a request
    expect(of(thought(), "gemini")).toEqual([{ type: "thought", signature: "c2ln" }]);
    expect(of(thought("vertex"), "vertex")).toEqual([{ type: "thought", signature: "c2ln" }]);
    expect(of(thought("vertex"), "gemini")).toEqual([]);
    expect(of(thought(), "vertex")).toEqual([]);
    expect(
      of(
        { role: "assistant", parts: [{ type: "reasoning", seal: { maker: "openai", values: { id: "x" } } }] },
        "gemini",
      ),
    ).toEqual([]);
  });

  test("takes the signatures of generateContent for the same", () => {
    const contents = [
      { role: "model", parts: [{ functionCall: { id: "c", name: "f", args: {} }, thoughtSignature: "c2ln" }] },
    ];
    const { conversation } = decode(gemini, contents, { shape: "messages" });
    expect(written(conversation)).toEqual([call("c", { signature: "c2ln" })]);
  });

  test("writes what the provider's own tools did only where it is Google's", () => {
    const by = (name: string, kind: string, given: Json): Message => ({
      role: "assistant",
      parts: [
        { type: "tool-call", callId: "c", name, kind, executedBy: "provider", input: given },
        { type: "tool-result", callId: "c", output: [{ type: "text", text: "1" }] },
      ],
    });
    const types = (message: Message) => (written({ messages: [message] }) as JsonObject[]).map(({ type }) => type); // steps
    expect(types(by("code_execution", "code-interpreter", { code: "1" }))).toEqual([
      "code_execution_call",
      "code_execution_result",
    ]);
    expect(types(by("google_search", "web-search", { queries: ["q"] }))).toEqual([
      "google_search_call",
      "google_search_result",
    ]);
    expect(types(by("web_search", "web-search", { query: "q" }))).toEqual([]);
    expect(types(by("file_search", "file-search", { queries: ["q"] }))).toEqual([]);
  });
});

describe("a request", () => {
  const asked = (value: Json): JsonObject => ({ model: "gemini-3-flash", input: value });

  test.each<[name: string, input: Json]>([
    ["a text", "hello"],
    ["a content", text("hello")],
    ["contents", [text("hello"), png]],
    ["steps", [input(text("hello"))]],
    ["steps and a content", [input(text("hello")), text("bare")]],
    ["nothing yet", []],
    ["something else", { turn: 1 }],
  ])("says what is asked as it did: %s", (_, value) => {
    const { conversation } = read(asked(value), "request");
    expect(written(conversation, "request")).toEqual(asked(value));
  });

  test("says a history in steps once it is one", () => {
    const { conversation } = read(asked("hello"), "request");
    const messages: Message[] = [
      ...conversation.messages,
      { role: "assistant", parts: [{ type: "text", text: "hi" }] },
    ];
    expect(written({ ...conversation, messages }, "request")).toMatchObject({
      input: [input(text("hello")), output(text("hi"))],
    });
  });

  test.each<[config: JsonObject, settings: Settings]>([
    [{ tool_choice: "any" }, { toolChoice: "required" }],
    [{ tool_choice: "validated" }, { toolChoice: "auto" }],
    [{ tool_choice: { allowed_tools: { mode: "any", tools: ["a"] } } }, { toolChoice: { name: "a" } }],
    [{ tool_choice: { allowed_tools: { tools: ["a", "b"] } } }, { toolChoice: { allowed: ["a", "b"] } }],
    [{ tool_choice: { allowed_tools: { mode: "new", tools: ["a"] } } }, {}],
    [
      { top_k: 3, temperature: 0 },
      { topK: 3, temperature: 0 },
    ],
    [{ thinking_level: "low", thinking_summaries: "none" }, { reasoning: { effort: "low", summary: "none" } }],
    [{}, {}],
  ])("reads how it is generated, and writes it back: %j", (generation_config, settings) => {
    const wire = { ...asked("a"), generation_config };
    const { conversation } = read(wire, "request");
    expect(conversation.settings ?? {}).toEqual(settings);
    expect(written(conversation, "request")).toEqual(wire);
  });

  test.each<[format: Json, setting: Settings["responseFormat"] | undefined]>([
    [
      { type: "text", mime_type: "application/json", schema: { type: "object" } },
      { type: "json", schema: { type: "object" } },
    ],
    [[{ type: "text", mime_type: "text/plain" }], { type: "text" }],
    [{ type: "text" }, { type: "text" }],
    [[{ type: "text" }, { type: "image" }], undefined],
    [{ type: "image", aspect_ratio: "1:1" }, undefined],
    [{ type: "object", properties: {} }, undefined],
  ])("reads the form of its answer, and writes it back: %j", (response_format, setting) => {
    const wire = { ...asked("a"), response_format };
    const { conversation } = read(wire, "request");
    expect(conversation.settings?.responseFormat).toEqual(setting);
    expect(written(conversation, "request")).toEqual(wire);
  });

  test("asks for what other providers call something else", () => {
    const { value, losses } = sent({
      messages: [],
      settings: { reasoning: { effort: "xhigh", summary: "detailed", budget: 5 }, topP: 1 },
      tools: [
        { name: "web_search", kind: "web-search" },
        { name: "image_generation", kind: "image-generation" },
        { name: "f", kind: "custom", input: { type: "object", $defs: {}, properties: { a: { const: 1 } } } },
      ],
    });
    expect(value).toEqual({
      input: [],
      generation_config: { top_p: 1, thinking_level: "high", thinking_summaries: "auto" },
      tools: [
        { type: "google_search" },
        { type: "function", name: "f", parameters: { type: "object", $defs: {}, properties: { a: { enum: [1] } } } },
      ],
    });
    expect(losses.map(({ code }) => code)).toEqual([
      "host-tool-name",
      "host-tool",
      "custom-tool",
      "schema-spelling",
      "setting",
      "effort",
      "effort",
    ]);
  });

  test("gives what one host stores to no other", () => {
    const wire = { ...asked("a"), previous_interaction_id: "v1_x", store: true };
    const { conversation } = decode(geminiInteractions, wire, { shape: "request", dialect: "vertex" });
    expect(sent(conversation, "vertex").value).toEqual(wire);
    const { value, losses } = sent(conversation, "gemini");
    expect(value).toEqual({ ...asked("a"), store: true });
    expect(losses).toMatchObject([
      { code: "foreign-state", path: ["native", "gemini-interactions", "previous_interaction_id"] },
    ]);
  });

  test("puts what the system says first into its place, and later words into the history", () => {
    const system = (words: string): Message => ({ role: "system", parts: [{ type: "text", text: words }] });
    const user: Message = { role: "user", parts: [{ type: "text", text: "a" }] };
    const { value, losses } = sent({ messages: [system("one"), system("two"), user, system("three")] });
    expect(value).toEqual({
      system_instruction: "one\n\ntwo",
      input: [input(text("a")), input(text("three"))],
    });
    expect(losses.map(({ code }) => code)).toEqual(["system-joined", "system-joined", "role"]);
  });
});

describe("an answer", () => {
  const answer = (status: string, more: JsonObject = {}): JsonObject => ({
    id: "v1_a",
    status,
    object: "interaction",
    model: "m",
    steps: [output(text("a"))],
    ...more,
  });

  test.each<[status: string, reason: FinishReason, steps?: readonly Json[]]>([
    ["completed", "stop"],
    ["completed", "tool-calls", [call("c")]],
    ["requires_action", "tool-calls", [call("c")]],
    ["incomplete", "length"],
    ["budget_exceeded", "length"],
    ["requires_continuation", "pause"],
    ["failed", "error"],
    ["cancelled", "aborted"],
    ["in_progress", "pending"],
    ["queued", "pending"],
    ["new", "other"],
  ])("of status %s ended by %s", (status, reason, list) => {
    const wire = answer(status, list && { steps: list });
    const { conversation } = read(wire, "answer");
    expect(conversation.messages).toMatchObject([{ responseId: "v1_a", model: "m", finish: { reason } }]);
    expect(written(conversation, "answer")).toEqual(wire);
  });

  test.each<[name: string, wire: JsonObject]>([
    ["nothing stored", { status: "completed", object: "interaction", steps: [] }],
    ["an id of nothing", answer("completed", { id: "" })],
    ["no steps", { id: "v1_a", status: "queued", agent: "deep-research-pro", created: "soon" }],
    [
      "outputs, as steps were once called",
      { id: "a", status: "completed", outputs: [{ type: "thought" }, text("a"), png, call("c")] },
    ],
    ["what it was asked", answer("completed", { steps: [input(text("q")), output(text("a")), result("c", "x")] })],
    [
      "errors",
      answer("failed", { errors: [{ code: "quota", message: "m" }, { message: "n", code: 4, at: 1 }, "words", {}] }),
    ],
    ["no errors", answer("completed", { errors: [] })],
    [
      "counts that do not add up",
      answer("completed", { usage: { total_tokens: 3, total_input_tokens: 9, total_cached_tokens: 10 } }),
    ],
    ["counts of nothing", answer("completed", { usage: {} })],
    ["no status", { id: "a", object: "interaction", steps: [output(text("a"))] }],
  ])("keeps %s", (_, wire) => {
    const { conversation } = read(wire, "answer");
    expect(written(conversation, "answer")).toEqual(wire);
  });

  test("counts each token once", () => {
    const usage = {
      total_tokens: 100,
      total_input_tokens: 40,
      total_cached_tokens: 10,
      total_tool_use_tokens: 5,
      total_output_tokens: 20,
      total_thought_tokens: 30,
      input_tokens_by_modality: [{ modality: "image", tokens: 12 }],
    };
    const { conversation, losses } = read(answer("completed", { usage }), "answer");
    expect(conversation.messages[0]?.usage).toEqual({
      input: 35,
      cacheRead: 10,
      output: 20,
      reasoning: 30,
      other: 5,
      modalities: { "input.image": 12 },
    });
    expect(losses).toMatchObject([{ code: "usage-other" }]);
  });

  test.each<[wire: JsonObject]>([
    [{ error: { code: "invalid_request", message: "m", hint: 1 } }],
    [{ error: { code: 400, message: "m", status: "INVALID_ARGUMENT" }, request: "r" }],
    [{ error: "words" }],
    [{ message: "m", code: "c" }],
  ])("that is an error says so, and is written back: %j", wire => {
    const { conversation } = read(wire, "error");
    expect(conversation.messages).toMatchObject([{ finish: { reason: "error" }, parts: [{ type: "error" }] }]);
    expect(written(conversation, "error")).toEqual(wire);
  });
});

test.each<[name: string, value: Json, shape: string]>([
  ["an interaction", { id: "", status: "in_progress", object: "interaction" }, "answer"],
  ["one without its object", { id: "a", status: "completed", steps: [output(text("a"))] }, "answer"],
  ["a request to an agent", { agent: "deep-research-pro", input: "q" }, "request"],
  ["a request to a model", { model: "gemini-3-flash", input: "q" }, "request"],
  ["steps", [input(text("a")), call("c"), result("c", "x")], "messages"],
  ["a step", output(text("a")), "message"],
  ["events", [{ event_type: "interaction.created", interaction: { id: "a", status: "in_progress" } }], "stream"],
  ["an error", { error: { code: "not_found", message: "m" } }, "error"],
])("is told from other formats by its values: %s", (_, value, shape) => {
  expect(detect(value)[0]).toMatchObject({ format: "gemini-interactions", shape });
});

test("accumulates what it decodes of a stream as such", () => {
  const events = [
    { event_type: "step.start", index: 0, step: { type: "model_output" } },
    { event_type: "step.delta", index: 0, delta: text("a") },
  ];
  expect(read(events).conversation.messages).toMatchObject([{ role: "assistant", finish: { reason: "incomplete" } }]);
  expect(accumulate([])).toEqual([]);
});
