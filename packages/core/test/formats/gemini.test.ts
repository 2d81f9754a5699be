import type { Conversation, Event, Json, JsonObject, Message, Part, Settings } from "translogue";
import { accumulate, runAll } from "translogue";
import { decode, encode, streamDecoder, streamEncoder } from "translogue/convert";
import { gemini } from "translogue/gemini";
import { describe, expect, test } from "vitest";

const read = (value: Json, shape?: "messages" | "answer" | "request") =>
  decode(gemini, value, { ...(shape && { shape }) });
const contents = (...list: readonly Json[]): readonly Message[] => read(list, "messages").conversation.messages;
const user = (...parts: readonly Json[]): JsonObject => ({ role: "user", parts });
const model = (...parts: readonly Json[]): JsonObject => ({ role: "model", parts });
const called = (name: string, more: JsonObject = {}): JsonObject => ({ functionCall: { name, args: {}, ...more } });
const returned = (name: string, response: Json, more: JsonObject = {}): JsonObject => ({
  functionResponse: { name, response, ...more },
});
const written = (conversation: Conversation, shape: "messages" | "request" | "answer" = "messages"): Json =>
  encode(gemini, conversation, { shape, recipient: "store", carry: false }).value;
const answerOf = (candidate: JsonObject, more: JsonObject = {}): JsonObject => ({
  candidates: [{ index: 0, finishReason: "STOP", ...candidate }],
  ...more,
});
const sealOf = (thoughtSignature: string) => ({ maker: "google", values: { thoughtSignature } });

describe("a history", () => {
  test("pairs results without ids by name and order, and writes no ids back", () => {
    const wire = [
      model(called("a"), called("b"), called("a")),
      user(returned("b", {}), returned("a", {}), returned("a", {})),
    ];
    const messages = contents(...wire);
    const ids = messages.map(({ parts }) => parts.map(part => ("callId" in part ? part.callId : "")));
    expect(ids).toEqual([
      ["~0.0", "~0.1", "~0.2"],
      ["~0.1", "~0.0", "~0.2"],
    ]);
    expect(written({ messages })).toEqual(wire);
  });

  test("names made ids where name and order would tell another call", () => {
    const [asked, given] = contents(model(called("a"), called("a")), user(returned("a", {}), returned("a", {})));
    const messages = [asked, { ...given, parts: [...(given?.parts ?? [])].reverse() }] as Message[]; // both are there
    const again = contents(...(written({ messages }) as Json[])); // contents are a list
    expect(again[1]?.parts.map(part => ("callId" in part ? part.callId : ""))).toEqual(["~0.1", "~0.0"]);
  });

  test("reads results and words of one content as messages of two sides, and joins them again", () => {
    const wire = [model(called("a")), user({ text: "so" }, returned("a", { output: "x" }), { text: "and" })];
    const messages = contents(...wire);
    expect(messages.map(({ role }) => role)).toEqual(["assistant", "user", "tool", "user"]);
    expect(written({ messages })).toEqual(wire);
  });

  test("never joins what nobody split", () => {
    const messages: Message[] = ["a", "b"].map(text => ({ role: "user", parts: [{ type: "text", text }] }));
    expect(written({ messages })).toEqual([user({ text: "a" }), user({ text: "b" })]);
  });

  test.each<[response: Json, output: readonly Part[] | undefined, outcome?: "error"]>([
    [{ output: "x" }, [{ type: "text", text: "x" }]],
    [{ output: { a: 1 } }, [{ type: "data", data: { a: 1 } }]],
    [{ output: [1] }, [{ type: "data", data: [1] }]],
    [{ error: "no" }, [{ type: "text", text: "no" }], "error"],
    [{ error: { code: 1 } }, [{ type: "data", data: { code: 1 } }], "error"],
    [{ a: 1, error: "no" }, [{ type: "data", data: { a: 1, error: "no" } }]],
    [{ result: "x" }, [{ type: "data", data: { result: "x" } }]],
    [{}, [{ type: "data", data: {} }]],
  ])("reads what a function returned as its result, and writes it back: %j", (response, output, outcome) => {
    const wire = [user(returned("f", response, { id: "c" }))];
    const messages = contents(...wire);
    expect(messages[0]?.parts[0]).toMatchObject({ output, ...(outcome && { outcome }) });
    expect(written({ messages })).toEqual(wire);
  });

  test("keeps bytes of the URL alphabet as bytes of the standard one, and spells them as they were", () => {
    const wire = [user({ inlineData: { mimeType: "image/png", data: "_-8" } })];
    const messages = contents(...wire);
    expect(messages[0]?.parts[0]).toMatchObject({ source: { data: "/+8=" } });
    expect(written({ messages })).toEqual(wire);
    expect(contents(model({ text: "", thoughtSignature: "skip_thought_signature_validator" }))[0]?.parts[0]).toEqual({
      type: "text",
      text: "",
      seal: sealOf("skip_thought_signature_validator"),
    });
  });

  test.each<[name: string, part: JsonObject, expected: object]>([
    [
      "a thought",
      { text: "t", thought: true, thoughtSignature: "c2ln" },
      { type: "reasoning", text: "t", seal: sealOf("c2ln") },
    ],
    ["a hidden thought", { thought: true, thoughtSignature: "c2ln" }, { type: "reasoning", seal: sealOf("c2ln") }],
    ["a signature alone", { thoughtSignature: "c2ln" }, { type: "text", text: "", seal: sealOf("c2ln") }],
    ["a thought image", { inlineData: { data: "AAAA" }, thought: true }, { type: "file", reasoning: true }],
    ["a video", { fileData: { fileUri: "u" }, videoMetadata: { fps: 1 } }, { type: "file", source: { url: "u" } }],
    [
      "a search",
      { toolCall: { id: "t", toolType: "GOOGLE_SEARCH_WEB", args: {} } },
      { kind: "web-search", executedBy: "provider" },
    ],
    [
      "what it found",
      { toolResponse: { id: "t", toolType: "GOOGLE_SEARCH_WEB", response: { a: 1 } } },
      { type: "tool-result", callId: "t" },
    ],
    ["code", { executableCode: { language: "PYTHON", code: "1" } }, { name: "code_execution", executedBy: "provider" }],
    ["code that failed", { codeExecutionResult: { outcome: "OUTCOME_FAILED", output: "e" } }, { outcome: "error" }],
    ["another outcome", { codeExecutionResult: { outcome: "OUTCOME_NEW" } }, { type: "tool-result" }],
    ["a new kind", { hologram: { depth: 3 } }, { type: "opaque", value: { hologram: { depth: 3 } } }],
    ["two kinds", { text: "a", functionCall: { name: "f" } }, { type: "opaque" }],
  ])("reads %s, and writes it back", (_, part, expected) => {
    const wire = [model(part)];
    const messages = contents(...wire);
    expect(messages[0]?.parts[0]).toMatchObject(expected);
    expect(written({ messages })).toEqual(wire);
  });

  test("gives a provider its own host's signatures only", () => {
    const sealed = (route: string | undefined): Conversation => ({
      messages: [
        {
          role: "assistant",
          parts: [{ type: "text", text: "a", seal: { ...sealOf("c2ln"), ...(route && { route }) } }],
        },
      ],
    });
    const sent = (route: string | undefined, dialect: string): boolean =>
      JSON.stringify(encode(gemini, sealed(route), { shape: "request", dialect }).value).includes("c2ln");
    expect([sent(undefined, "gemini"), sent("vertex", "gemini"), sent("vertex", "vertex")]).toEqual([
      true,
      false,
      true,
    ]);
    expect([sent("ai-studio", "gemini"), sent("ai-studio", "vertex"), sent(undefined, "vertex")]).toEqual([
      true,
      false,
      false,
    ]);
  });
});

describe("a request", () => {
  test.each<[config: JsonObject, toolChoice: Settings["toolChoice"]]>([
    [{ mode: "AUTO" }, "auto"],
    [{ mode: "NONE" }, "none"],
    [{ mode: "ANY" }, "required"],
    [{ mode: "VALIDATED" }, "auto"],
    [{ mode: "ANY", allowedFunctionNames: ["a"] }, { name: "a" }],
    [
      { mode: "ANY", allowed_function_names: ["a", "b"] },
      { allowed: ["a", "b"], required: true },
    ],
    [{ mode: "VALIDATED", allowedFunctionNames: ["a"] }, { allowed: ["a"] }],
  ])("chooses tools by %j, and writes it back", (functionCallingConfig, toolChoice) => {
    const wire = { contents: [], toolConfig: { functionCallingConfig } };
    const { conversation } = read(wire, "request");
    expect(conversation.settings?.toolChoice).toEqual(toolChoice);
    expect(written(conversation, "request")).toEqual(wire);
  });

  test.each<[tools: Json, names: readonly string[] | undefined]>([
    [
      [{ functionDeclarations: [{ name: "a" }, { name: "b" }] }, { googleSearch: {} }],
      ["a", "b", "google_search"],
    ],
    [
      [{ functionDeclarations: [{ name: "a" }] }, { functionDeclarations: [{ name: "b" }] }],
      ["a", "b"],
    ],
    [[{ googleSearch: {}, function_declarations: [{ name: "a" }] }], ["google_search", "a"]],
    [{ function_declarations: [{ name: "a" }] }, ["a"]],
    [
      [{ fileSearch: { fileSearchStoreNames: ["s"] } }, { newTool: {} }],
      ["file_search", "newTool"],
    ],
    [[{ functionDeclarations: [] }], undefined],
    [["tool"], undefined],
  ])("offers tools, and writes them back: %j", (tools, names) => {
    const { conversation } = read({ contents: [], tools }, "request");
    expect(conversation.tools?.map(({ name }) => name)).toEqual(names);
    expect(written(conversation, "request")).toEqual({ contents: [], tools });
  });

  test("hoists what the system says first, and leaves what it says later in its place", () => {
    const says = (role: string, text: string): Message => ({ role, parts: [{ type: "text", text }] });
    const { value, losses } = encode(
      gemini,
      { messages: [says("system", "s"), says("user", "u"), says("system", "later")] },
      { shape: "request" },
    );
    expect(value).toEqual({
      systemInstruction: { parts: [{ text: "s" }] },
      contents: [user({ text: "u" }), user({ text: "later" })],
    });
    expect(losses.map(({ code, path }) => [code, path])).toEqual([["role", ["messages", 2, "role"]]]);
  });
});

describe("an answer", () => {
  test.each<[raw: string, parts: readonly Json[], reason: string]>([
    ["STOP", [{ text: "a" }], "stop"],
    ["STOP", [called("f")], "tool-calls"],
    ["MAX_TOKENS", [], "length"],
    ["PROHIBITED_CONTENT", [], "content-filter"],
    ["MALFORMED_FUNCTION_CALL", [], "malformed-call"],
    ["LANGUAGE", [], "other"],
  ])("that ends with %s is written so again", (finishReason, parts, reason) => {
    const wire = answerOf({ finishReason, content: model(...parts) });
    const { conversation } = read(wire, "answer");
    expect(conversation.messages[0]?.finish?.reason).toBe(reason);
    expect(written(conversation, "answer")).toEqual(wire);
  });

  test("counts tokens in buckets that add up to the total, and says what does not", () => {
    const usageMetadata = {
      promptTokenCount: 10,
      cachedContentTokenCount: 4,
      candidatesTokenCount: 7,
      thoughtsTokenCount: 3,
      toolUsePromptTokenCount: 5,
      totalTokenCount: 27,
    };
    const { conversation, losses } = read(answerOf({ content: model() }, { usageMetadata }), "answer");
    expect(conversation.messages[0]?.usage).toEqual({ input: 11, cacheRead: 4, output: 7, reasoning: 3, other: 2 });
    expect(losses.map(({ code }) => code)).toEqual(["usage-other"]);
    expect(written(conversation, "answer")).toEqual(answerOf({ content: model() }, { usageMetadata }));
  });

  test("cites by bytes, here by units, and again by bytes once the text was edited", () => {
    const said = "Größe 👍 ok";
    const bytes = new TextEncoder().encode(said).length;
    const segment = { startIndex: bytes - 2, endIndex: bytes, text: "ok" };
    const groundingMetadata = {
      groundingChunks: [{ web: { uri: "u", title: "t" } }],
      groundingSupports: [{ segment, groundingChunkIndices: [0] }],
      webSearchQueries: ["q"],
    };
    const { conversation } = read(answerOf({ content: model({ text: said }), groundingMetadata }), "answer");
    const [message] = conversation.messages;
    const citation = { url: "u", title: "t", start: said.length - 2, end: said.length };
    expect(message?.parts[0]).toMatchObject({ citations: [citation] });
    const edited: Part = { type: "text", text: "ok", citations: [{ url: "u", title: "t", start: 0, end: 2 }] };
    expect(written({ messages: [{ role: "assistant", ...message, parts: [edited] }] }, "answer")).toEqual(
      answerOf({
        content: model({ text: "ok" }),
        groundingMetadata: {
          ...groundingMetadata,
          groundingSupports: [{ segment: { endIndex: 2, text: "ok" }, groundingChunkIndices: [0] }],
        },
      }),
    );
  });

  test("of several candidates is siblings, and one answer again", () => {
    const wire = {
      candidates: [0, 1].map(index => ({ index, content: model({ text: `${index}` }), finishReason: "STOP" })),
      responseId: "r",
    };
    const { conversation } = read(wire, "answer");
    expect(conversation.messages.map(({ id, parent }) => [id, parent])).toEqual([
      ["~r:0", null],
      ["~r:1", null],
    ]);
    expect(conversation.head).toBe("~r:0");
    expect(written(conversation, "answer")).toEqual(wire);
  });
});

describe("a stream", () => {
  const chunk = (parts: readonly Json[], more: JsonObject = {}): Json => ({
    candidates: [{ content: { role: "model", parts }, index: 0, ...more }],
    responseId: "r",
  });
  const stop = { finishReason: "STOP" };
  const heard = (...chunks: readonly Json[]): readonly Message[] => accumulate(runAll(streamDecoder(gemini), chunks));

  test("joins words across chunks, not inside of one, and keeps what is signed apart", () => {
    const [message] = heard(
      chunk([{ text: "a" }]),
      chunk([{ text: "b" }, { text: "c" }]),
      chunk([{ text: "", thoughtSignature: "c2ln" }], stop),
    );
    expect(message?.parts).toEqual([
      { type: "text", text: "ab" },
      { type: "text", text: "c" },
      { type: "text", text: "", seal: sealOf("c2ln") },
    ]);
  });

  test("does not take a text without words behind a call for a part", () => {
    const [message] = heard(chunk([called("f", { id: "c" })]), chunk([{ text: "" }], stop));
    expect(message?.parts).toEqual([{ type: "tool-call", callId: "c", name: "f", input: {} }]);
    expect(message?.finish).toEqual({ reason: "tool-calls" });
  });

  test("puts arguments together that come by paths", () => {
    const piece = (jsonPath: string, more: JsonObject): JsonObject => ({
      functionCall: { partialArgs: [{ jsonPath, ...more }], willContinue: true },
    });
    const [message] = heard(
      chunk([{ functionCall: { name: "f", willContinue: true } }]),
      chunk([piece("$.a[0].b", { stringValue: "x", willContinue: true })]),
      chunk([piece("$.a[0].b", { stringValue: "y" })]),
      chunk([piece("$['__proto__'].c", { numberValue: 2 }), piece("$.n", { nullValue: "NULL_VALUE" })]),
      chunk([{ functionCall: {} }], stop),
    );
    expect(JSON.stringify(message?.parts[0])).toContain('"input":{"a":[{"b":"xy"}],"__proto__":{"c":2},"n":null}');
  });

  test("that has no end is unfinished, and its last words stay open", () => {
    const [message] = heard(chunk([{ text: "t", thought: true }]), chunk([{ text: "a" }]));
    expect(message).toMatchObject({ finish: { reason: "incomplete" } });
    expect(message?.parts.map(({ partial }) => partial)).toEqual([undefined, true]);
  });

  test("that fails says why, and fails again when it is written again", () => {
    const error = { code: 503, message: "overloaded", status: "UNAVAILABLE" };
    const messages = heard(chunk([{ text: "a" }]), { error });
    expect(messages).toMatchObject([
      { finish: { reason: "error" }, parts: [{ partial: true }, { type: "error", code: "UNAVAILABLE" }] },
    ]);
    const again = encode(gemini, { messages }, { shape: "stream" }).value as Json[]; // a stream is a list
    expect(again.at(-1)).toEqual({ error });
    expect(heard(...again)).toEqual(messages);
  });

  test("passes words on as they come, with a border where one text follows another", () => {
    const encoder = streamEncoder(gemini, { recipient: "client" });
    const texts = (wires: readonly Json[]): Json =>
      wires.map(wire => (wire as { candidates: { content: { parts: Json } }[] }).candidates[0]?.content.parts ?? null); // as written
    encoder.push({ type: "message-start", message: 0, head: { role: "assistant" } });
    const words = (part: number, text: string): Json => {
      encoder.push({ type: "part-start", message: 0, part, value: { type: "text", text: "" } });
      return texts(encoder.push({ type: "part-delta", message: 0, part, of: "text", text }));
    };
    expect(words(0, "a")).toEqual([[{ text: "a" }]]);
    expect(words(1, "b")).toEqual([[{ text: "" }, { text: "b" }]]);
  });

  test("of a refused prompt is a filtered answer", () => {
    const blocked = { promptFeedback: { blockReason: "SAFETY" }, responseId: "r" };
    expect(heard(blocked)).toEqual(read(blocked, "answer").conversation.messages);
    expect(heard(blocked)[0]?.finish).toEqual({ reason: "content-filter", raw: "SAFETY" });
  });
});

describe("a stream of Google's", () => {
  const providers = (name: string, kind: string, input: Json): readonly Event[] => [
    { type: "message-start", message: 0, head: { role: "assistant" } },
    {
      type: "part-start",
      message: 0,
      part: 0,
      value: { type: "tool-call", callId: "c", name, kind, executedBy: "provider" },
    },
    { type: "part-delta", message: 0, part: 0, of: "tool-call", text: JSON.stringify(input) },
    { type: "part-end", message: 0, part: 0 },
    {
      type: "part",
      message: 0,
      part: 1,
      value: { type: "tool-result", callId: "c", output: [{ type: "text", text: "1" }] },
    },
    { type: "part", message: 0, part: 2, value: { type: "text", text: "a" } },
    { type: "message-set", message: 0, set: { finish: { reason: "stop" } } },
    { type: "message-end", message: 0 },
  ];

  test.each<[name: string, kind: string, input: Json]>([
    ["web_search", "web-search", { query: "q" }],
    ["list", "mcp", {}],
    ["code_execution", "code-interpreter", { language: "PYTHON", code: "1" }],
  ])("writes what the provider's %s did as the whole does", (name, kind, input) => {
    const events = providers(name, kind, input);
    const whole = encode(gemini, { messages: accumulate(events) }, { shape: "answer" }).value as JsonObject; // an answer
    const parts = (wire: Json): readonly Json[] => {
      const { candidates } = wire as { candidates: readonly [{ content?: { parts: readonly Json[] } }] }; // an answer
      return candidates[0].content?.parts ?? [];
    };
    expect(runAll(streamEncoder(gemini, { recipient: "client" }), events).flatMap(parts)).toEqual(parts(whole));
  });

  test("that failed before it began says so", () => {
    const failed: Event = { type: "error", error: { message: "m", code: "UNAVAILABLE" } };
    expect(runAll(streamEncoder(gemini, { recipient: "client" }), [failed])).toEqual([
      { error: { code: 503, message: "m", status: "UNAVAILABLE" } },
    ]);
  });
});

describe("a request to Google", () => {
  const heard: Message = { role: "user", parts: [{ type: "text", text: "a" }] };
  const searched: readonly Part[] = [
    {
      type: "tool-call",
      callId: "c",
      name: "web_search",
      kind: "web-search",
      executedBy: "provider",
      input: { query: "q" },
    },
    { type: "tool-result", callId: "c", output: [{ type: "text", text: "1" }] },
  ];
  const sent = (...messages: readonly Message[]): Json =>
    (encode(gemini, { messages }, { shape: "request" }).value as JsonObject)["contents"] ?? null; // a request

  test("has one turn of the model where what another provider's tools did is left out of its middle", () => {
    const parts: readonly Part[] = [{ type: "text", text: "b" }, ...searched, { type: "text", text: "c" }];
    expect(sent(heard, { role: "assistant", parts })).toEqual([
      user({ text: "a" }),
      model({ text: "b" }, { text: "c" }),
    ]);
  });

  test("has no turn of a message of which nothing is left", () => {
    expect(sent(heard, { role: "assistant", parts: searched }, heard)).toEqual([
      user({ text: "a" }),
      user({ text: "a" }),
    ]);
  });

  const ran = (input: JsonObject, ...output: readonly Part[]): Message => ({
    role: "assistant",
    parts: [
      {
        type: "tool-call",
        callId: "c",
        name: "code_execution",
        kind: "code-interpreter",
        executedBy: "provider",
        input,
      },
      { type: "tool-result", callId: "c", output },
      { type: "text", text: "b" },
    ],
  });
  const one: Part = { type: "text", text: "1" };

  test("has the code that another provider ran only where it names its language, and without its id", () => {
    expect(sent(heard, ran({ code: "1" }, one))).toEqual([user({ text: "a" }), model({ text: "b" })]);
    expect(sent(heard, ran({ code: "1", language: "python" }, one))).toEqual([
      user({ text: "a" }),
      model(
        { executableCode: { language: "PYTHON", code: "1" } },
        { codeExecutionResult: { outcome: "OUTCOME_OK", output: "1" } },
        { text: "b" },
      ),
    ]);
  });

  test("is not an answer, which has all code with what it gave", () => {
    const { value } = encode(
      gemini,
      { messages: [ran({ code: "1" }, one, { type: "data", data: { a: 1 } })] },
      { shape: "answer" },
    );
    expect(value).toMatchObject({
      candidates: [
        {
          content: model(
            { executableCode: { language: "PYTHON", code: "1" } },
            { codeExecutionResult: { outcome: "OUTCOME_OK", output: '1\n{"a":1}' } },
            { text: "b" },
          ),
        },
      ],
    });
  });
});

test.each<[from: string, to: string]>([
  ["gemini", "vertex"],
  ["vertex", "gemini"],
])("what %s has stored does not go to %s, and goes back", (from, to) => {
  const wire = {
    contents: [user({ text: "a" })],
    cachedContent: "cachedContents/x",
    tools: [{ fileSearch: { fileSearchStoreNames: ["fileSearchStores/y"] } }, { googleSearch: {} }],
  };
  const { conversation } = decode(gemini, wire, { shape: "request", dialect: from });
  expect(encode(gemini, conversation, { shape: "request", dialect: from })).toMatchObject({ value: wire, losses: [] });
  const { value, losses } = encode(gemini, conversation, { shape: "request", dialect: to });
  expect(value).toEqual({ contents: wire.contents, tools: [{ googleSearch: {} }] });
  expect(losses.filter(({ code }) => code.endsWith("foreign-state"))).toHaveLength(2);
});
