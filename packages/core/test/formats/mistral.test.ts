import {
  type Conversation,
  detect,
  type Json,
  type JsonObject,
  type Message,
  type Part,
  type Settings,
} from "translogue";
import { decode, encode } from "translogue/convert";
import { mistral } from "translogue/mistral";
import { describe, expect, test } from "vitest";

const read = (value: Json, shape?: "messages" | "answer" | "request" | "error") =>
  decode(mistral, value, { ...(shape && { shape }) });
const history = (...list: readonly Json[]): readonly Message[] => read(list, "messages").conversation.messages;
const written = (conversation: Conversation, shape: "messages" | "request" | "answer" | "error" = "messages"): Json =>
  encode(mistral, conversation, { shape, recipient: "store", carry: false }).value;
const user = (...content: readonly Json[]): JsonObject => ({ role: "user", content });
const assistant = (content: Json, more: JsonObject = {}): JsonObject => ({ role: "assistant", content, ...more });
const call = (more: JsonObject = {}, inner: JsonObject = {}): JsonObject => ({
  id: "a1B2c3D4e",
  type: "function",
  function: { name: "f", arguments: "{}", ...inner },
  index: 0,
  ...more,
});
const calling = (...calls: readonly Json[]): JsonObject => ({ role: "assistant", tool_calls: calls });
const text = (words: string): JsonObject => ({ type: "text", text: words });
const thinking = (pieces: readonly Json[], more: JsonObject = {}): JsonObject => ({
  type: "thinking",
  thinking: pieces,
  ...more,
});
const file = (members: object): JsonObject => ({ type: "file", ...members });
const signed = (signature: string) => ({ maker: "mistral", values: { signature } });

describe("chunks", () => {
  test.each<[name: string, chunk: JsonObject, part: JsonObject]>([
    ["a text", text("a"), text("a")],
    [
      "an image by its address",
      { type: "image_url", image_url: "https://a/b.png" },
      file({ mediaType: "image/*", source: { url: "https://a/b.png" } }),
    ],
    [
      "an image with a detail",
      { type: "image_url", image_url: { url: "data:image/png;base64,AAAA", detail: "low" } },
      file({ mediaType: "image/png", source: { data: "AAAA" }, detail: "low" }),
    ],
    [
      "a document",
      { type: "document_url", document_url: "https://a/b.pdf", document_name: "b.pdf" },
      file({ source: { url: "https://a/b.pdf" }, name: "b.pdf" }),
    ],
    [
      "a document as data",
      { type: "document_url", document_url: "data:application/pdf;base64,AAAA" },
      file({ mediaType: "application/pdf", source: { data: "AAAA" } }),
    ],
    ["a stored file", { type: "file", file_id: "f" }, file({ source: { id: "f", provider: "mistral" } })],
    ["a sound", { type: "input_audio", input_audio: "AAAA" }, file({ mediaType: "audio/*", source: { data: "AAAA" } })],
    [
      "a sound in OpenAI's form",
      { type: "input_audio", input_audio: { data: "AAAA", format: "mp3" } },
      file({ mediaType: "audio/mpeg", source: { data: "AAAA" } }),
    ],
    [
      "a sound by its address",
      { type: "input_audio", input_audio: "https://a/b.mp3" },
      file({ mediaType: "audio/*", source: { url: "https://a/b.mp3" } }),
    ],
    ["a thought", thinking([text("a")]), { type: "reasoning", text: "a" }],
    [
      "a signed thought",
      thinking([text("a")], { signature: "s" }),
      { type: "reasoning", text: "a", seal: signed("s") },
    ],
    ["a hidden thought", thinking([], { signature: "s" }), { type: "reasoning", seal: signed("s") }],
    ["a thought without words", thinking([]), { type: "reasoning", text: "" }],
    [
      "a find of a tool",
      { type: "tool_reference", tool: "web_search", title: "A", url: "https://a" },
      { type: "source", title: "A", url: "https://a" },
    ],
    [
      "ids of references",
      { type: "reference", reference_ids: [0] },
      { type: "opaque", value: { type: "reference", reference_ids: [0] } },
    ],
    ["a chunk of next year", { type: "x", y: 1 }, { type: "opaque", value: { type: "x", y: 1 } }],
  ])("%s is a part, and is written as it was", (_, chunk, part) => {
    const wire = [user(text("and"), { type: "x" }, chunk)];
    const messages = history(...wire);
    expect(messages[0]?.parts[2]).toMatchObject(part);
    expect(messages[0]?.parts).toHaveLength(3);
    expect(written({ messages })).toEqual(wire);
  });

  test("pieces of one thought are parts, of which the last has the signature", () => {
    const reference = { type: "reference", reference_ids: [1] };
    const wire = [
      assistant([thinking([text("a"), text("b"), reference, text("c")], { signature: "s", closed: true })]),
    ];
    const messages = history(...wire);
    expect(messages[0]?.parts.map(part => [part.type, part.seal !== undefined])).toEqual([
      ["reasoning", false],
      ["reasoning", false],
      ["opaque", false],
      ["reasoning", true],
    ]);
    expect(written({ messages })).toEqual(wire);
  });

  test("the signature of a thought that ends in a reference is behind it", () => {
    const reference = { type: "tool_reference", tool: "web_search", title: "A" };
    const wire = [assistant([thinking([reference], { signature: "s" }), thinking([text("b")]), text("c")])];
    const messages = history(...wire);
    expect(messages[0]?.parts.map(({ type }) => type)).toEqual(["source", "reasoning", "reasoning", "text"]);
    expect(written({ messages })).toEqual(wire);
  });

  test("a text that was changed leaves its neighbours in the thought as they were", () => {
    const [message] = history(assistant([thinking([text("a"), text("b")])]));
    const parts = (message?.parts ?? []).map(
      (part): Part => (part.type === "reasoning" && part.text === "a" ? { ...part, text: "changed" } : part),
    );
    expect(written({ messages: [{ role: "assistant", parts }] })).toEqual([
      assistant([thinking([text("changed"), text("b")])]),
    ]);
  });

  test("finds are citations of the text before them", () => {
    const find = (title: string): JsonObject => ({ type: "tool_reference", tool: "web_search", title, favicon: null });
    const wire = [assistant([find("A"), text("x"), find("B"), find("C"), text("y")])];
    const messages = history(...wire);
    expect(messages[0]?.parts).toMatchObject([
      { type: "source", title: "A" },
      { type: "text", text: "x", citations: [{ title: "B" }, { title: "C" }] },
      { type: "text", text: "y" },
    ]);
    expect(written({ messages })).toEqual(wire);
  });
});

describe("messages", () => {
  test.each<[name: string, wire: JsonObject]>([
    ["nothing said beside calls", calling(call())],
    ["an empty text beside calls", { ...calling(call()), content: "" }],
    ["null beside calls", { ...calling(call()), content: null }],
    ["an empty list beside calls", { ...calling(call()), content: [] }],
    ["one text as a list", assistant([text("a")])],
    ["a prefix", assistant("a", { prefix: true })],
    ["no calls, in a word", assistant("a", { tool_calls: null })],
    ["no calls, in a list", assistant("a", { tool_calls: [] })],
    ["an assistant that says nothing", { role: "assistant" }],
    ["a call without a type and a count", calling({ id: "a1B2c3D4e", function: { name: "f", arguments: "{}" } })],
    ["a call with a count of its own", calling(call({ index: 3 }))],
    ["arguments as an object", calling(call({}, { arguments: { a: 1 } }))],
    ["arguments with spaces", calling(call({}, { arguments: '{"a": 1}' }))],
    ["arguments that are cut", calling(call({}, { arguments: '{"a": ' }))],
    ["a call without an id", calling(call({ id: null }))],
    ["an id in a word", calling(call({ id: "null" }))],
    ["what is no call", calling(call(), { id: "x" })],
    ["a result with the name of its tool", { role: "tool", tool_call_id: "a1B2c3D4e", name: "f", content: "x" }],
    ["a result without an id", { role: "tool", content: null }],
    ["a result of chunks", { role: "tool", tool_call_id: "x", content: [text("a"), { type: "file", file_id: "f" }] }],
    ["a system's message of chunks", { role: "system", content: [text("a"), thinking([text("b")])] }],
    ["content that is no content", user({ a: 1 })],
    ["a role of next year", { role: "reviewer", content: "a" }],
    ["a weight for training", assistant("a", { weight: 0 })],
    ["no message", { content: "a" }],
  ])("%s is spelled as it was", (_, wire) => {
    expect(written({ messages: history(wire) })).toEqual([wire]);
  });

  test("ids that are missing are made, and pair calls with results in their order", () => {
    const wire = [
      calling(call({ id: null }), call({ id: "" })),
      { role: "tool", content: "1" },
      { role: "tool", content: "2" },
    ];
    const messages = history(...wire);
    const ids = messages.map(({ parts }) => parts.map(part => ("callId" in part ? part.callId : "")));
    expect(ids).toEqual([["~0.0", "~0.1"], ["~0.0"], ["~0.1"]]);
    expect(written({ messages })).toEqual(wire);
  });

  test("a made id that has to be written has nine letters and digits, for a call and its result alike", () => {
    const part: Part = { type: "tool-call", callId: "~m.0", name: "f" };
    const value = written({
      messages: [
        { role: "assistant", parts: [part, { ...part, callId: "~m.1" }] },
        { role: "tool", parts: [{ type: "tool-result", callId: "~m.0", output: [] }] },
      ],
    });
    const wire = value as readonly { tool_calls?: readonly { id: string }[]; tool_call_id?: string }[]; // messages
    const [first, second] = wire[0]?.tool_calls ?? [];
    expect(first?.id).toMatch(/^[A-Za-z0-9]{9}$/);
    expect(second?.id).not.toBe(first?.id);
    expect(wire[1]?.tool_call_id).toBe(first?.id);
  });

  test("ids of other makers stay as they are", () => {
    const part: Part = { type: "tool-call", callId: "call_abc", name: "f", input: {} };
    expect(written({ messages: [{ role: "assistant", parts: [part] }] })).toEqual([calling(call({ id: "call_abc" }))]);
  });

  test("calls that another host gets are not spelled as Mistral spells them", () => {
    const { conversation } = read(
      [calling({ id: "a1B2c3D4e", function: { name: "f", arguments: { a: 1 } } })],
      "messages",
    );
    expect(conversation.messages[0]?.parts[0]?.native?.["chat-parts"]).toBeUndefined();
  });
});

describe("requests", () => {
  const request = (more: JsonObject): JsonObject => ({ model: "mistral-small-latest", messages: [], ...more });
  test.each<[wire: JsonObject, settings: Settings]>([
    [
      { random_seed: 1, max_tokens: 2 },
      { seed: 1, maxOutputTokens: 2 },
    ],
    [
      { temperature: 0.1, top_p: 0.2 },
      { temperature: 0.1, topP: 0.2 },
    ],
    [
      { frequency_penalty: 0.1, presence_penalty: 0.2 },
      { frequencyPenalty: 0.1, presencePenalty: 0.2 },
    ],
    [{ stop: "a" }, { stopSequences: ["a"] }],
    [{ stop: ["a", "b"] }, { stopSequences: ["a", "b"] }],
    [{ parallel_tool_calls: false }, { parallelToolCalls: false }],
    [{ reasoning_effort: "high" }, { reasoning: { effort: "high" } }],
    [{ tool_choice: "any" }, { toolChoice: "required" }],
    [{ tool_choice: "required" }, { toolChoice: "required" }],
    [{ tool_choice: "none" }, { toolChoice: "none" }],
    [{ tool_choice: { type: "function", function: { name: "f" } } }, { toolChoice: { name: "f" } }],
    [{ tool_choice: { function: { name: "f" } } }, { toolChoice: { name: "f" } }],
    [{ response_format: { type: "text" } }, { responseFormat: { type: "text" } }],
    [{ response_format: { type: "json_object" } }, { responseFormat: { type: "json" } }],
    [
      {
        response_format: {
          type: "json_schema",
          json_schema: { name: "n", description: "d", schema: { type: "object" }, strict: true },
        },
      },
      { responseFormat: { type: "json", name: "n", description: "d", schema: { type: "object" }, strict: true } },
    ],
    [
      { response_format: { type: "json_schema", json_schema: { schema: {}, more: 1 } } },
      { responseFormat: { type: "json", schema: {} } },
    ],
    [{ response_format: { type: "json_schema", json_schema: {} } }, { responseFormat: { type: "json" } }],
  ])("ask in Mistral's words for what others ask for: %j", (wire, settings) => {
    const { conversation } = read(request(wire), "request");
    expect(conversation.settings).toEqual(settings);
    expect(written(conversation, "request")).toEqual(request(wire));
  });

  test.each<[wire: JsonObject]>([
    [{ safe_prompt: true, prompt_mode: "reasoning", n: 2, stream: true }],
    [{ guardrails: [{ block_on_error: true }], metadata: { a: [1] }, service_tier: "default" }],
    [{ prediction: { type: "content", content: "a" }, prompt_cache_key: null }],
    [{ tool_choice: 3, stop: [1], response_format: { type: "grammar" }, random_seed: null }],
    [{ tools: null }],
    [{ tools: [] }],
    [{ tools: [1] }],
    [{ messages: "none" }],
  ])("keep what is Mistral's alone: %j", wire => {
    const { conversation } = read(request(wire), "request");
    expect(written(conversation, "request")).toEqual(request(wire));
  });

  test("offer functions and Mistral's own tools", () => {
    const wire = request({
      tools: [
        { type: "function", function: { name: "f", description: "d", parameters: { type: "object" }, strict: true } },
        { function: { name: "f", parameters: {}, more: 1 } },
        { type: "web_search" },
        { type: "document_library", library_ids: ["l"] },
        { type: "connector", connector_id: "c", authorization: null },
        { type: "function" },
      ],
    });
    const { conversation } = read(wire, "request");
    expect(conversation.tools?.map(({ name, kind }) => [name, kind])).toEqual([
      ["f", undefined],
      ["f:2", undefined],
      ["web_search", "web-search"],
      ["document_library", "file-search"],
      ["connector", "connector"],
      ["function", "function"],
    ]);
    expect(written(conversation, "request")).toEqual(wire);
  });
});

describe("answers", () => {
  const body = (choice: JsonObject, more: JsonObject = {}): JsonObject => ({
    id: "0".repeat(32),
    object: "chat.completion",
    created: 1_764_500_000,
    model: "mistral-small-latest",
    choices: [{ index: 0, finish_reason: "stop", ...choice }],
    ...more,
  });

  test.each<[raw: string, calls: boolean, reason: string]>([
    ["stop", false, "stop"],
    ["length", false, "length"],
    ["model_length", false, "context"],
    ["tool_calls", true, "tool-calls"],
    ["stop", true, "tool-calls"],
    ["error", false, "error"],
    ["of_next_year", false, "other"],
  ])("end in Mistral's words: %s", (raw, hasCalls, reason) => {
    const message = hasCalls ? calling(call()) : assistant("a");
    const wire = body({ message, finish_reason: raw });
    const { conversation } = read(wire, "answer");
    expect(conversation.messages[0]?.finish?.reason).toBe(reason);
    expect(written(conversation, "answer")).toEqual(wire);
  });

  test.each<[usage: JsonObject, counts: JsonObject]>([
    [
      { prompt_tokens: 5, completion_tokens: 3, total_tokens: 8 },
      { input: 5, output: 3 },
    ],
    [
      { prompt_tokens: 5, completion_tokens: 3, total_tokens: 8, prompt_tokens_details: { cached_tokens: 2 } },
      { input: 3, cacheRead: 2, output: 3 },
    ],
    [
      { prompt_tokens: 5, completion_tokens: 3, total_tokens: 8, num_cached_tokens: 4 },
      { input: 1, cacheRead: 4, output: 3 },
    ],
    [
      { prompt_tokens: 5, completion_tokens: 3, total_tokens: 10, prompt_audio_seconds: 7, service_tier: null },
      { input: 5, output: 3, other: 2 },
    ],
  ])("count what was read from the cache once, and keep seconds: %j", (usage, counts) => {
    const wire = body({ message: assistant("a") }, { usage });
    const { conversation } = read(wire, "answer");
    expect(conversation.messages[0]?.usage).toEqual(counts);
    expect(written(conversation, "answer")).toEqual(wire);
  });

  test("are found again in the next request, wherever the client sent them back", () => {
    const { conversation } = read(body({ message: assistant([thinking([text("a")]), text("b")]) }), "answer");
    const [again] = history(assistant([thinking([text("a")]), text("b")], { prefix: false, tool_calls: [] }));
    expect(again?.parts).toEqual(conversation.messages[0]?.parts);
  });
});

describe("errors", () => {
  test.each<[wire: JsonObject, message: string, code?: string]>([
    [{ object: "error", message: "m", type: "invalid_function_call", param: null, code: "3280" }, "m", "3280"],
    [{ object: "error", message: "m", type: "invalid_request_error", param: null, code: null }, "m"],
    [{ object: "error", message: "m", type: "x", param: null, code: 3230, raw_status_code: 400 }, "m", "3230"],
    [
      { object: "error", message: { detail: [{ loc: ["body", "model"], msg: "Field required" }] }, type: "x" },
      "body.model: Field required",
    ],
    [{ detail: [{ loc: ["a", 0], msg: "one" }, { msg: "two" }] }, "a.0: one\ntwo"],
    [{ detail: "Not Found" }, "Not Found"],
    [{ message: "Unauthorized", request_id: "r" }, "Unauthorized"],
    [{ error: { message: "m", type: "t" } }, "m"],
    [{ error: "m", status: 1 }, "m"],
  ])("say what is wrong: %j", (wire, message, code) => {
    const { conversation } = read(wire, "error");
    expect(conversation.messages).toMatchObject([
      { finish: { reason: "error" }, parts: [{ type: "error", message, ...(code !== undefined && { code }) }] },
    ]);
    expect(written(conversation, "error")).toEqual(wire);
  });

  test("of others are written with all of Mistral's members", () => {
    const part: Part = { type: "error", message: "m", code: "c" };
    expect(written({ messages: [{ role: "assistant", parts: [part] }] }, "error")).toEqual({
      object: "error",
      message: "m",
      type: null,
      param: null,
      code: "c",
    });
  });
});

describe("a seal", () => {
  const of = (maker: string): Conversation => ({
    messages: [
      { role: "assistant", parts: [{ type: "reasoning", text: "a", seal: { maker, values: { signature: "s" } } }] },
    ],
  });
  test.each([
    ["mistral", true],
    ["anthropic", false],
  ])("of %s goes home: %s", (maker, isHome) => {
    const { value } = encode(mistral, of(maker), { shape: "messages", recipient: "provider" });
    expect(value).toEqual([assistant([thinking([text("a")], isHome ? { signature: "s" } : {})])]);
  });

  test("of another maker comes home in the carry", () => {
    const { value } = encode(mistral, of("anthropic"), { shape: "messages", recipient: "client", carry: true });
    expect(read(value as Json, "messages").conversation).toEqual(of("anthropic"));
  });
});

describe("is detected", () => {
  const said = { role: "user", content: "a" };
  const first = (value: Json, hint = {}): string | undefined => detect(value, hint)[0]?.format;
  test.each<[name: string, value: Json]>([
    ["a seed", { model: "m", messages: [said], random_seed: 1 }],
    ["a safe prompt", { messages: [said], safe_prompt: false }],
    ["a mode", { messages: [said], prompt_mode: "reasoning" }],
    ["the name of a model", { model: "mistral-small-latest", messages: [said] }],
    ["the date of a model", { model: "open-mistral-nemo-2407", messages: [said] }],
    ["a document", { model: "m", messages: [user({ type: "document_url", document_url: "u" })] }],
    ["a thought", [said, assistant([thinking([text("a")])])]],
    ["a prefix", [said, assistant("a", { prefix: false })]],
    ["ids of calls", [said, calling(call())]],
    ["a choice of tools", { model: "m", messages: [said], tool_choice: "any" }],
    [
      "an answer",
      { id: "0a".repeat(16), object: "chat.completion", model: "pixtral-12b-latest", choices: [{ message: said }] },
    ],
    ["an answer's calls", { object: "chat.completion", choices: [{ message: calling(call()) }] }],
    ["chunks", [{ object: "chat.completion.chunk", choices: [{ delta: { content: [thinking([text("a")])] } }] }]],
    ["an error", { object: "error", message: { detail: [] }, type: "x" }],
  ])("by %s", (_, value) => {
    expect(first(value)).toBe("mistral");
  });

  test.each<[name: string, value: Json]>([
    ["plain messages", { model: "m", messages: [said] }],
    ["calls with other ids", [said, calling(call({ id: "call_1234567890" }))]],
    ["calls with Groq's ids", [said, calling(call({ id: "4bbc9mwp9" }))]],
    ["another host's answer", { object: "chat.completion", x_groq: {}, choices: [{ message: calling(call()) }] }],
    ["a model that another host has", { model: "mistralai/Mistral-7B-Instruct-v0.3", messages: [said] }],
    ["what Mistral does not take", { model: "mistral-small-latest", messages: [said], stream_options: {} }],
  ])("not by %s", (_, value) => {
    expect(first(value)).toBe("openai-chat");
  });

  test("by its host, whatever the path and the body say", () => {
    const answer = { object: "chat.completion", choices: [{ index: 0, message: assistant("a") }] };
    const hint = { host: "api.mistral.ai", path: "/v1/chat/completions" };
    expect([first({ model: "m", messages: [said] }, hint), first(answer, hint)]).toEqual(["mistral", "mistral"]);
    expect(first({ model: "m", messages: [said] }, { path: "/v1/chat/completions" })).toBe("openai-chat");
  });
});
