import { type Conversation, decode, encode, type Json, type JsonObject, type Part, type Seal } from "translogue";
import { describe, expect, test } from "vitest";
import { call, codes, comesBack, format, parts, plain, text, write } from "./openai-chat-values.ts";

const secret = "SEALED";
const called = (more: JsonObject, inner: JsonObject = {}): JsonObject => ({
  tool_calls: [{ id: "c", type: "function", function: { name: "f", arguments: "{}", ...inner }, ...more }],
});
const asked = (message: JsonObject): JsonObject => ({
  model: "m",
  messages: [{ role: "assistant", content: "a", ...message }],
});
const sent = (wire: JsonObject, dialect: string) =>
  encode(decode(wire, { from: format, shape: "request" }).conversation, { to: format, shape: "request", dialect });
const sealed = (maker: string | undefined, values: Seal["values"], more: Partial<Seal> = {}): Seal => ({
  ...(maker !== undefined && { maker }),
  ...more,
  values,
});

describe("a seal in a member without a field stays home, and a store gets it as it was", () => {
  const own = ["messages", 0, "native", format];
  const ofCall = ["messages", 0, "parts", 1, "native", "chat-parts"];
  test.each<[message: JsonObject, paths: readonly (readonly (string | number)[])[], left?: JsonObject]>([
    [
      { thinking_blocks: [{ type: "thinking", thinking: "r", signature: secret, more: 1 }] },
      [[...own, "thinking_blocks", 0]],
    ],
    [{ thinking_blocks: [{ type: "redacted_thinking", data: secret }] }, [[...own, "thinking_blocks", 0]]],
    [
      { provider_specific_fields: { thought_signatures: [secret], refusal: null } },
      [[...own, "provider_specific_fields", "thought_signatures"]],
      { provider_specific_fields: { refusal: null } },
    ],
    [
      called({ provider_specific_fields: { thought_signature: secret } }),
      [[...ofCall, "provider_specific_fields", "thought_signature"]],
      called({}),
    ],
    [called({}, { thoughtSignature: secret }), [[...ofCall, "function", "thoughtSignature"]], called({})],
    [{ reasoning_opaque: secret }, [[...own, "reasoning_opaque"]]],
    [{ encrypted_content: secret }, [[...own, "encrypted_content"]]],
    [
      { extra: [{ deep: { redactedContent: secret }, kept: 1 }] },
      [[...own, "extra", 0, "deep", "redactedContent"]],
      { extra: [{ kept: 1 }] },
    ],
    [
      called({ extra_content: { translogue: { broken: secret } } }),
      [[...ofCall, "extra_content", "translogue"]],
      called({}),
    ],
    [
      {
        content: [
          { type: "redacted_thinking", data: secret },
          { type: "text", text: "a" },
        ],
      },
      [["messages", 0, "parts", 0, "value"]],
      { content: "a" },
    ],
  ])("%j", (message, paths, left = {}) => {
    const wire = asked(message);
    for (const dialect of ["openai", "deepseek", "gemini", "openrouter"]) {
      const { value, losses } = sent(wire, dialect);
      expect(JSON.stringify(value)).not.toContain(secret);
      expect(value).toMatchObject(asked(left));
      const foreign = losses.filter(({ code }) => code === "foreign-seal");
      expect(foreign.map(({ path, kind }) => [kind, path])).toEqual(paths.map(path => ["dropped", path]));
    }
    const { conversation } = decode(wire, { from: format, shape: "request" });
    for (const recipient of ["store", "client"] as const) {
      const { value, losses } = encode(conversation, { to: format, shape: "request", recipient, carry: false });
      expect(value).toEqual(wire);
      expect(losses).toEqual([]);
    }
  });

  test.each<[dialect: string, message: JsonObject]>([
    ["openai", { cached_tokens: 3, is_redacted: true, signature: null, encrypted_content: "" }],
    ["openai", { thinking_blocks: [{ type: "thinking", thinking: "r" }] }],
    ["openai", { note: { arguments: { signature: "def f()" } } }],
    ["gemini", called({ extra_content: { google: { thought_signature: "S", other_signature: "T" } } })],
    ["openrouter", { reasoning_details: { signature: "S" } }],
  ])("%s gets what is no seal, or its own: %j", (dialect, message) => {
    expect(sent(asked(message), dialect)).toMatchObject({ value: asked(message), losses: [] });
  });

  test("what a tool or a person says is data, whatever it names", () => {
    const content = [{ type: "function", signature: "def f()" }];
    const wire = { model: "m", messages: ["tool", "user"].map(role => ({ role, content, tool_call_id: "c" })) };
    expect(sent(wire, "openai")).toMatchObject({ value: wire, losses: [] });
  });

  test("losses behind a part that stayed home name their own part", () => {
    const content = [
      { type: "redacted_thinking", data: secret },
      { type: "text", text: "" },
    ];
    const { losses } = sent({ messages: [{ role: "assistant", content }] }, "openai");
    expect(losses.map(({ code, path }) => [code, path[3]])).toEqual([
      ["foreign-seal", 0],
      ["empty-text", 1],
    ]);
  });
});

describe("one thinking block is the reasoning that it repeats, with its seal (LiteLLM)", () => {
  const thinking_blocks = [{ type: "thinking", thinking: "r", signature: secret }];
  const seal = sealed("anthropic", { signature: secret });
  test.each<[message: JsonObject]>([
    [{ reasoning_content: "r", thinking_blocks }],
    [{ reasoning: "r", thinking_blocks }],
    [{ thinking_blocks }],
  ])("%j", message => {
    const wire = { role: "assistant", content: "a", ...message };
    expect(parts(wire)).toEqual([{ type: "reasoning", text: "r", seal }, text("a")]);
    comesBack([wire], "messages");
    const { conversation } = decode(asked(message), { from: format, shape: "request" });
    const to = { to: format, shape: "request" } as const;
    const { value, losses } = encode(conversation, { ...to, dialect: "deepseek" });
    expect(value).toEqual(asked({ reasoning_content: "r" }));
    expect(losses).toMatchObject([{ code: "foreign-seal", path: ["messages", 0, "parts", 0, "seal"] }]);
    const claude = { ...conversation, model: "anthropic/claude-sonnet-4.5" };
    const routed = encode(claude, { ...to, dialect: "openrouter" });
    expect(routed.losses).toEqual([]);
    expect(routed.value).toMatchObject({ messages: [{ reasoning_details: [{ text: "r", signature: secret }] }] });
  });

  test("in a stream too", () => {
    const chunks = [{ reasoning_content: "r" }, { thinking_blocks }, { content: "a" }, {}].map((delta, index) => ({
      id: "i",
      object: "chat.completion.chunk",
      created: 1,
      model: "m",
      choices: [{ index: 0, delta, finish_reason: index === 3 ? "stop" : null }],
    }));
    const { conversation } = decode(chunks, { from: format, shape: "stream" });
    const [thought, said] = conversation.messages[0]?.parts ?? [];
    expect([plain(thought), plain(said)]).toMatchObject([{ type: "reasoning", text: "r", seal }, text("a")]);
    const { value, losses } = encode(conversation, { to: format, shape: "stream", recipient: "client" });
    expect(losses).toEqual([]);
    expect(decode(value, { from: format, shape: "stream" }).conversation).toEqual(conversation);
    expect(
      JSON.stringify(encode(conversation, { to: format, shape: "stream", recipient: "provider" }).value),
    ).not.toContain(secret);
  });

  test.each<[message: JsonObject]>([
    [{ reasoning_content: "other", thinking_blocks }],
    [{ thinking_blocks: [...thinking_blocks, { type: "redacted_thinking", data: "D" }] }],
    [{ thinking_blocks: [{ type: "thinking", thinking: "", signature: "S" }] }],
    [{ thinking_blocks: [] }],
    [{ reasoning_details: [{ type: "reasoning.text", text: "r" }], reasoning: "r", thinking_blocks }],
  ])("and else a member as it was: %j", message => {
    comesBack([{ role: "assistant", content: "a", ...message }], "messages");
  });
});

describe("OpenRouter gets the seals that the model asked for can read", () => {
  const routed = { route: "openrouter" };
  const anthropic = { signature: "S" };
  const openai = { encrypted_content: "E", id: "rs_1" };
  const google = { thoughtSignature: "G" };
  test.each<[model: string | undefined, seal: Seal, isHome: boolean]>([
    ["anthropic/claude-sonnet-4.5", sealed("anthropic", anthropic), true],
    ["anthropic/claude-sonnet-4.5", sealed("anthropic", anthropic, { route: "bedrock" }), true],
    ["~anthropic/claude-latest", sealed("anthropic", anthropic, routed), true],
    ["anthropic/claude-sonnet-4.5", sealed("openai", openai), false],
    ["anthropic/claude-sonnet-4.5", sealed("openai", openai, routed), false],
    ["openai/gpt-5", sealed("openai", openai), false],
    ["openai/gpt-5", sealed("openai", openai, { route: "azure" }), false],
    ["openai/gpt-5", sealed("openai", openai, routed), true],
    ["openai/gpt-5", sealed("anthropic", anthropic, routed), false],
    ["google/gemini-3-pro", sealed("google", google), true],
    ["google/gemini-3-pro", sealed("google", google, routed), true],
    ["google/gemini-3-pro", sealed("google", google, { route: "vertex" }), false],
    ["google/gemini-3-pro", sealed("google", google, { route: "ai-studio" }), false],
    ["x-ai/grok-4", sealed("xai", openai), false],
    ["x-ai/grok-4", sealed("xai", openai, routed), true],
    ["constructor/x", sealed("anthropic", anthropic), false],
    ["anthropic/claude-sonnet-4.5", sealed(undefined, anthropic), false],
    [undefined, sealed("anthropic", anthropic, routed), true],
    [undefined, sealed("anthropic", anthropic), false],
    ["claude-sonnet-4-5", sealed("anthropic", anthropic), false],
    ["openrouter/auto", sealed("anthropic", anthropic, routed), true],
  ])("%s and %j: %s", (model, seal, isHome) => {
    const parts: Part[] = [{ type: "reasoning", text: "r", seal }, text("a")];
    const conversation: Conversation = {
      ...(model !== undefined && { model }),
      messages: [{ role: "assistant", parts }],
    };
    const { value, losses } = encode(conversation, { to: format, shape: "request", dialect: "openrouter" });
    const written = JSON.stringify(value);
    for (const secret of Object.values(seal.values)) expect(written.includes(`"${secret}"`)).toBe(isHome);
    expect(codes(losses)).toEqual(isHome ? [] : ["foreign-seal"]);
    expect(written).not.toContain("translogue");
  });

  test("a detail of a kind not known goes with the maker that it names", () => {
    const detail = { type: "reasoning.new", format: "openai-responses-v1", encrypted_content: secret };
    const wire = (model: string): JsonObject => ({ ...asked({ reasoning_details: [detail] }), model });
    expect(sent(wire("openai/gpt-5"), "openrouter")).toMatchObject({ value: wire("openai/gpt-5"), losses: [] });
    const { value, losses } = sent(wire("anthropic/claude"), "openrouter");
    expect(JSON.stringify(value)).not.toContain(secret);
    expect(codes(losses)).toEqual(["foreign-seal"]);
  });
});

describe("our own member is never written for a host", () => {
  const values = { thoughtSignature: "S", other: "O" };
  const seal = sealed("google", values, { model: "m", route: "ai-studio" });
  test.each<[dialect: string, part: Part, wire: Json]>([
    [
      "gemini",
      { ...call("c", "f", {}), seal } as Part, // a call with a seal
      { tool_calls: [{ extra_content: { google: { thought_signature: "S" } } }] },
    ],
    ["gemini", { type: "text", text: "a", seal }, { extra_content: { google: { thought_signature: "S" } } }],
    [
      "openrouter",
      { type: "reasoning", text: "r", seal: { ...seal, route: "openrouter" } },
      { reasoning_details: [{ type: "reasoning.text", signature: "S", format: "google-gemini-v1" }] },
    ],
  ])("%s: of %j", (dialect, part, wire) => {
    const conversation: Conversation = {
      model: "google/gemini-3-pro",
      messages: [{ role: "assistant", parts: [part] }],
    };
    const { value, losses } = encode(conversation, { to: format, shape: "request", dialect });
    expect(value).toMatchObject({ messages: [wire] });
    expect(JSON.stringify(value)).not.toContain("translogue");
    expect(losses).toMatchObject([{ code: "seal-value", kind: "dropped" }]);
    expect(losses[0]?.message).toContain("other");
    const client = write({ messages: conversation.messages }, { recipient: "client" });
    expect(client.losses).toEqual([]);
    expect(JSON.stringify(client.value)).toContain("translogue");
  });

  test("nor is a seal without the signature that it takes", () => {
    const part = { ...call("c", "f", {}), seal: sealed("google", { other: "O" }) } as Part; // a call with a seal
    const { value, losses } = encode(
      { messages: [{ role: "assistant", parts: [part] }] },
      { to: format, shape: "request", dialect: "gemini" },
    );
    expect(JSON.stringify(value)).not.toContain("extra_content");
    expect(codes(losses)).toEqual(["part-seal"]);
  });
});

describe("what a body has to say of an answer and nobody knows is made up once, and said so", () => {
  const said = { role: "assistant", parts: [text("a")], finish: { reason: "stop" } } as const;
  const known = { responseId: "r", model: "m", createdAt: "2025-11-30T10:53:20Z" };
  test.each<["answer" | "stream", more: JsonObject, detail: string | undefined]>([
    ["stream", {}, "id, created, model"],
    ["answer", {}, "id, created, model"],
    ["stream", { model: "m" }, "id, created"],
    ["stream", known, undefined],
    ["answer", known, undefined],
  ])("in a body of shape %s with %j", (shape, more, detail) => {
    const { losses } = encode({ messages: [{ ...said, ...more }] }, { to: format, shape, recipient: "client" });
    const made = detail && { code: "no-envelope", kind: "synthesised", message: expect.stringMatching(`: ${detail}$`) };
    expect(losses).toMatchObject(made ? [made] : []);
  });

  test("but not where a host wrote it so", () => {
    const message = { role: "assistant", content: "a" };
    const wire = {
      id: "",
      object: "chat.completion",
      created: 0,
      model: "",
      choices: [{ index: 0, message, finish_reason: "stop" }],
    };
    const { conversation } = decode(wire, { from: format, shape: "answer" });
    expect(encode(conversation, { to: format, shape: "answer" })).toMatchObject({ value: wire, losses: [] });
  });
});
