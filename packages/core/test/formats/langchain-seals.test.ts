import {
  accumulate,
  convert,
  decode,
  emit,
  encode,
  type FormatRef,
  formats,
  isJsonObject,
  type Json,
  runAll,
  streamDecoder,
  streamEncoder,
} from "translogue";
import { describe, expect, test } from "vitest";

const ai = (members: { readonly [member: string]: Json }): { readonly [member: string]: Json } => ({
  content: "x",
  additional_kwargs: {},
  response_metadata: {},
  type: "ai",
  name: null,
  id: null,
  tool_calls: [],
  invalid_tool_calls: [],
  usage_metadata: null,
  ...members,
});
const summary = (...texts: readonly string[]): Json => texts.map(text => ({ type: "summary_text", text }));
const item = (...texts: readonly string[]): Json => ({
  id: "rs_1",
  type: "reasoning",
  summary: summary(...texts),
  encrypted_content: "SECRET",
});
const call = (id: string): Json => ({ name: "f", args: {}, id, type: "tool_call" });
const signatures = "__gemini_function_call_thought_signatures__";

const langchainRefs = formats
  .filter(({ id }) => id.startsWith("langchain"))
  .flatMap(({ id, dialects }) => dialects.map(dialect => `${id}:${dialect}` as FormatRef)); // registered ones

const beside: readonly [name: string, message: Json, home: FormatRef][] = [
  ["reasoning of OpenAI's", ai({ additional_kwargs: { reasoning: item("a", "b") } }), "openai-responses"],
  ["hidden reasoning", ai({ additional_kwargs: { reasoning: item(), n: 1 } }), "openai-responses"],
  [
    "signatures of Google's",
    ai({ content: "", tool_calls: [call("c1"), call("c2")], additional_kwargs: { [signatures]: { c1: "SECRET" } } }),
    "openai-chat:gemini",
  ],
];

describe("seals that stand in `additional_kwargs`", () => {
  test.each(beside)("come back where they were: %s", (_, message) => {
    const { conversation, dialect } = decode([message], "langchain");
    const to = `langchain:${dialect}` as FormatRef;
    expect(encode(conversation, { to, shape: "messages", recipient: "store", carry: false })).toMatchObject({
      value: [message],
      losses: [],
    });
    const chunks = runAll(streamEncoder(to, { recipient: "store" }), emit(conversation.messages));
    const [back] = accumulate(runAll(streamDecoder("langchain"), chunks));
    expect(back?.parts).toEqual(conversation.messages[0]?.parts);
  });

  test.each(beside)("reach their home and nobody else: %s", (_, message, home) => {
    const { conversation } = decode([message], "langchain");
    const targets: readonly FormatRef[] = [
      "openai-responses",
      "openai-chat:gemini",
      "openai-chat",
      "anthropic-messages",
      "langchain",
      "langchain:js-lc",
    ];
    for (const to of targets) {
      const shape = to.startsWith("langchain") ? "messages" : "request";
      const { value } = encode(conversation, { to, shape, recipient: "provider" });
      expect([to, JSON.stringify(value).includes("SECRET")]).toEqual([to, to === home]);
    }
  });

  test("stay as they are where they are not those of the message's calls", () => {
    const message = ai({ tool_calls: [call("c1")], additional_kwargs: { [signatures]: { c9: "s" } } });
    expect(decode([message], "langchain").conversation.messages[0]?.parts).not.toContainEqual(
      expect.objectContaining({ seal: expect.anything() }),
    );
  });

  test.each(["langchain", "langchain:js-lc", "langchain:js-stored"] as const)(
    "are Google's of calls that come from elsewhere, where the adapter of %s looks for them",
    to => {
      const contents = [
        { role: "model", parts: [{ functionCall: { name: "f", args: {}, id: "a" }, thoughtSignature: "Ab==" }] },
      ];
      const { value, losses } = convert(
        { contents },
        { from: "gemini", to, recipient: "store", as: "messages", carry: false },
      );
      expect(JSON.stringify(value)).toContain(`"${signatures}":{"a":"Ab=="}`);
      expect(losses).toEqual([]);
      const { conversation } = decode(value, to);
      expect(convert(value, { from: to, to: "gemini", as: "request" }).value).toMatchObject({ contents });
      expect(conversation.messages[0]?.parts[0]).toMatchObject({
        seal: { maker: "google", values: { thoughtSignature: "Ab==" } },
      });
    },
  );

  test("are Google's of a call without an id by the one that was made for it", () => {
    const contents = [{ role: "model", parts: [{ functionCall: { name: "f", args: {} }, thoughtSignature: "Ab==" }] }];
    const { value } = convert({ contents }, { from: "gemini", to: "langchain", recipient: "store", as: "messages" });
    expect(value).toMatchObject([
      { content: "", tool_calls: [{ id: "~0.0" }], additional_kwargs: { [signatures]: { "~0.0": "Ab==" } } },
    ]);
    expect(convert(value, { from: "langchain", to: "gemini", as: "request" }).value).toMatchObject({ contents });
  });

  test("go with their call when it gets another id", () => {
    const { conversation } = decode([beside[2]?.[1] ?? null], "langchain");
    const messages = conversation.messages.map(message => ({
      ...message,
      parts: message.parts.map(part => (part.type === "tool-call" ? { ...part, callId: `${part.callId}x` } : part)),
    }));
    const { value } = encode({ messages }, { to: "langchain", shape: "messages", recipient: "store", carry: false });
    expect(value).toMatchObject([{ content: "", additional_kwargs: { [signatures]: { c1x: "SECRET" } } }]);
  });
});

describe("seals that come late in a stream", () => {
  const done = item("think");
  const begun = { id: "rs_1", type: "reasoning", summary: [] };
  const at = { item_id: "rs_1", output_index: 0, summary_index: 0 };
  const wire: readonly Json[] = [
    { type: "response.created", response: { id: "resp_1", object: "response", status: "in_progress", output: [] } },
    { type: "response.output_item.added", output_index: 0, item: begun },
    { type: "response.reasoning_summary_part.added", ...at, part: { type: "summary_text", text: "" } },
    { type: "response.reasoning_summary_text.delta", ...at, delta: "think" },
    { type: "response.reasoning_summary_text.done", ...at, text: "think" },
    { type: "response.output_item.done", output_index: 0, item: done },
    { type: "response.completed", response: { id: "resp_1", object: "response", status: "completed", output: [done] } },
  ];
  const events = runAll(streamDecoder("openai-responses"), wire);
  const [sealed] = accumulate(events);

  test.each([
    "langchain:python",
    "langchain:js-lc",
    "langchain-events:v2-python",
    "langchain-events:protocol",
  ] as const)("are added to their block: %s", to => {
    const encoder = streamEncoder(to);
    const [back] = accumulate(runAll(streamDecoder(to), runAll(encoder, events)));
    expect(back?.parts[0]?.seal).toEqual(sealed?.parts[0]?.seal);
    expect(back?.parts[0]?.seal?.values["encrypted_content"]).toBe("SECRET");
    expect(encoder.losses.map(({ code }) => code)).toEqual(["provider"]);
  });

  test("the chunk that brings one has the index of the block", () => {
    const chunks = runAll(streamEncoder("langchain:python"), events);
    const last = chunks.at(-1);
    expect(isJsonObject(last) && last["content"]).toEqual([
      { type: "reasoning", encrypted_content: "SECRET", index: 0 },
    ]);
  });
});

describe("arguments and calls that objects cannot say", () => {
  const chat = (text: string): Json => [
    {
      role: "assistant",
      content: null,
      tool_calls: [{ id: "1", type: "function", function: { name: "f", arguments: text } }],
    },
  ];

  test.each<[text: string, isLost: boolean]>([
    ['{"a":1,"a":2}', true],
    ['{"a":{"b":[{"c":1,"c":1}]}}', true],
    ['{ "a": "x:y\\":z" }', false],
    ['{"a":1.0}', false],
  ])("%s", (text, isLost) => {
    for (const to of ["langchain:python", "langchain:js-lc", "maf"] as const) {
      const { conversation } = decode(chat(text), "openai-chat");
      const { losses } = encode(conversation, { to, shape: "messages", recipient: "store", carry: false });
      expect(losses.some(({ code }) => code === "input-text")).toBe(isLost);
    }
  });

  test("a call that is still open with whole arguments is in no list, and a loss says so", () => {
    const part = { type: "tool-call", callId: "1", name: "f", input: {}, partial: true } as const;
    const { value, losses } = encode({ messages: [{ role: "assistant", parts: [part] }] }, { to: "langchain" });
    expect(value).toMatchObject([{ content: [{ type: "tool_call_chunk" }], tool_calls: [] }]);
    expect(losses.map(({ code, path }) => [code, path])).toEqual([
      ["open-call", ["messages", 0, "parts", 0, "partial"]],
    ]);
  });

  test("a person's blocks without `response_metadata` come back without it", () => {
    const kwargs = { content: [{ type: "image", mimeType: "image/png", data: "aGk=" }], additional_kwargs: {} };
    const message = { lc: 1, type: "constructor", id: ["langchain_core", "messages", "HumanMessage"], kwargs };
    const { conversation } = decode([message], "langchain");
    const to = "langchain:js-lc";
    expect(encode(conversation, { to, shape: "messages", recipient: "store", carry: false }).value).toEqual([message]);
  });
});

describe("what a provider gets of seals that no part has", () => {
  const s = "SECRET";
  const google = { model_provider: "google-vertexai" };
  const anthropic = { model_provider: "anthropic" };
  const asOpenAi = { id: "c1", type: "function", function: { name: "f", arguments: "{}" } };
  const encrypted = { type: "reasoning", id: "rs_1", summary: [], encrypted_content: s };

  test.each<[where: string, message: Json]>([
    ["Vertex' signatures", ai({ additional_kwargs: { signatures: [s, ""] }, response_metadata: google })],
    ["signatures of other calls", ai({ tool_calls: [call("c1")], additional_kwargs: { [signatures]: { c9: s } } })],
    [
      "an item beside reasoning in the content",
      ai({ content: [{ type: "reasoning", reasoning: "r" }], additional_kwargs: { reasoning: encrypted } }),
    ],
    [
      "details of OpenRouter's",
      ai({ additional_kwargs: { reasoning_details: [{ type: "reasoning.encrypted", data: s }] } }),
    ],
    ["ids of items of calls", ai({ additional_kwargs: { __openai_function_call_ids__: { c1: `fc_${s}` } } })],
    ["outputs of tools", ai({ additional_kwargs: { tool_outputs: [{ type: "web_search_call", id: `ws_${s}` }] } })],
    ["the answer's items", ai({ response_metadata: { output: [encrypted] } })],
    [
      "a call's member",
      ai({ tool_calls: [{ name: "f", args: {}, id: "c1", type: "tool_call", thoughtSignature: s }] }),
    ],
    [
      "a raw call",
      ai({
        tool_calls: [call("c1")],
        additional_kwargs: {
          tool_calls: [{ ...asOpenAi, extra_content: { google: { thought_signature: s } } }],
        },
      }),
    ],
    ["a block that is not known", ai({ content: [{ type: "mystery", signature: s }] })],
    [
      "a citation that is not known",
      ai({
        content: [
          {
            type: "text",
            text: "x",
            annotations: [{ type: "non_standard_annotation", value: { encrypted_index: s } }],
          },
        ],
        response_metadata: { output_version: "v1", ...anthropic },
      }),
    ],
    [
      "Bedrock's hidden reasoning",
      ai({
        content: [{ type: "reasoning_content", redactedContent: s }],
        response_metadata: { model_provider: "bedrock-converse" },
      }),
    ],
    [
      "what a hosted program wrote",
      ai({
        content: [
          {
            type: "code_execution_tool_result",
            tool_use_id: "srvtoolu_1",
            content: { type: "encrypted_code_execution_result", encrypted_stdout: s },
          },
        ],
        response_metadata: anthropic,
      }),
    ],
  ])("is without %s, which is reported, and a store keeps it", (_, message) => {
    const { conversation, dialect } = decode([message], "langchain");
    for (const to of langchainRefs) {
      const { value, losses } = encode(conversation, { to, recipient: "provider" });
      expect([to, JSON.stringify(value).includes(s)]).toEqual([to, false]);
      expect(losses.some(({ code }) => code === "kept-seal" || code === "foreign-seal")).toBe(true);
    }
    const to = `langchain:${dialect}` as FormatRef;
    const kept = encode(conversation, { to, shape: "messages", recipient: "store", carry: false });
    expect(kept).toMatchObject({ value: [message], losses: [] });
  });

  test("has what users named so in arguments and results", () => {
    const signed = { name: "f", args: { signature: s }, id: "c1", type: "tool_call" };
    const { conversation } = decode([ai({ tool_calls: [signed] })], "langchain");
    expect(JSON.stringify(encode(conversation, { to: "langchain", recipient: "provider" }).value)).toContain(s);
  });
});
