import { convert, decode, encode, type Json, type JsonObject, type Seal } from "translogue";
import { describe, expect, test } from "vitest";

const toProvider = { recipient: "provider", as: "request" } as const;
const to = (dialect: string): `openai-responses:${string}` => `openai-responses:${dialect}`;
const codes = (losses: readonly { readonly code: string }[]): string[] => [...new Set(losses.map(({ code }) => code))];

const question = { role: "user", content: "q" };
const reasoning = { type: "reasoning", id: "rs_x", summary: [], encrypted_content: "SECRET" };
const asked = (model: string | undefined, ...items: Json[]): JsonObject => ({
  ...(model !== undefined && { model }),
  input: [question, ...items],
});

describe("what a host of Responses has sealed goes to that host alone (R14)", () => {
  const hosts: { readonly [host: string]: string } = {
    openai: "gpt-5",
    azure: "gpt-5",
    openrouter: "openai/gpt-5",
    bedrock: "openai.gpt-5",
    xai: "grok-4",
    deepseek: "deepseek-v4",
  };
  const names = Object.keys(hosts);
  test.each(names.flatMap(from => names.map(each => [from, each] as const)))("from %s to %s", (from, other) => {
    const { value, losses } = convert(asked(hosts[from], reasoning), {
      from: to(from),
      to: to(other),
      ...toProvider,
    });
    expect(JSON.stringify(value).includes("SECRET")).toBe(from === other);
    expect(JSON.stringify(value).includes("rs_x")).toBe(from === other);
    expect(codes(losses)).toEqual(from === other ? [] : ["foreign-seal", "empty-message"]);
  });

  test.each([
    ["openrouter", "x-ai/grok-4"],
    ["openrouter", "anthropic/claude-sonnet-4.5"],
    ["bedrock", "us.anthropic.claude-sonnet-4-5"],
    ["xai", "grok-4"],
    ["azure", "grok-4"],
  ])("a model of another vendor at %s, %s: not to OpenAI, under whatever name", (from, model) => {
    for (const other of ["openai", "azure", "xai"].filter(each => each !== from)) {
      const { value, losses } = convert(asked(model, reasoning), { from: to(from), to: to(other), ...toProvider });
      expect(JSON.stringify(value)).not.toMatch(/SECRET|rs_x/);
      expect(codes(losses)).toContain("foreign-seal");
    }
  });

  test("a host that nobody names is told by the model's name, and the value stays as it was", () => {
    const wire = asked("grok-4", reasoning);
    const own = convert(wire, { from: "openai-responses", to: "openai-responses", ...toProvider });
    expect(own).toMatchObject({ value: wire, dialect: "xai", losses: [] });
  });

  test.each<[Seal, string, string | undefined, boolean]>([
    [{ maker: "openai", values: { id: "rs_x" } }, "openai", "gpt-5", true],
    [{ maker: "openai", route: "azure", values: { id: "rs_x" } }, "openai", "gpt-5", false],
    [{ maker: "openai", route: "azure", values: { id: "rs_x" } }, "azure", "my-deployment", true],
    [{ maker: "openai", route: "openrouter", values: { id: "rs_x" } }, "openrouter", "openai/gpt-5", true],
    [{ maker: "openai", route: "openrouter", values: { id: "rs_x" } }, "openrouter", "anthropic/claude", false],
    [{ maker: "openai", route: "openrouter", values: { id: "rs_x" } }, "openrouter", "openrouter/auto", true],
    [{ maker: "openai", values: { id: "rs_x" } }, "openrouter", "openai/gpt-5", false],
    [{ maker: "anthropic", values: { signature: "rs_x" } }, "openrouter", "anthropic/claude", true],
    [{ maker: "anthropic", route: "bedrock", values: { signature: "rs_x" } }, "openrouter", "anthropic/claude", true],
    [{ maker: "anthropic", route: "bedrock", values: { id: "rs_x" } }, "openrouter", "anthropic/claude", false],
    [{ maker: "anthropic", values: { signature: "rs_x" } }, "openrouter", undefined, false],
    [{ values: { id: "rs_x" } }, "openai", "gpt-5", false],
  ])("%j at %s for %s: %s", (seal, dialect, model, isHome) => {
    const conversation = {
      ...(model !== undefined && { model }),
      messages: [{ role: "assistant", parts: [{ type: "reasoning", text: "r", summary: true, seal }] } as const],
    };
    const { value } = encode(conversation, { to: to(dialect), shape: "request" });
    expect(JSON.stringify(value).includes("rs_x")).toBe(isHome);
  });

  test("a sealed compaction comes home too, and nowhere else", () => {
    const wire = asked(undefined, { type: "compaction", encrypted_content: "SECRET" });
    const home = convert(wire, { from: to("openrouter"), to: to("openrouter"), ...toProvider });
    expect(home).toMatchObject({ value: wire, losses: [] });
    const away = convert(wire, { from: to("openrouter"), to: to("openai"), ...toProvider });
    expect(JSON.stringify(away.value)).not.toContain("SECRET");
  });
});

describe("a host's own answer fits into its request", () => {
  test.each([
    ["openrouter", "anthropic/claude-sonnet-4.5"],
    ["openrouter", "qwen/qwen4"],
    ["openrouter", "openai/gpt-oss-120b"],
    ["bedrock", "us.anthropic.claude-sonnet-4-5"],
    ["azure", "gpt-5"],
    ["xai", "grok-4"],
    ["openai", "gpt-5"],
  ])("%s with %s", (host, model) => {
    const content = [{ type: "output_text", text: "x", annotations: [] }];
    const output = [
      { type: "reasoning", id: "rs", summary: [], encrypted_content: "SECRET" },
      { type: "message", id: "m", role: "assistant", status: "completed", content },
    ];
    const answer = { id: "g", object: "response", created_at: 1, status: "completed", model, output };
    const { value, losses } = convert(answer, { from: to(host), to: to(host), ...toProvider });
    expect(value).toMatchObject({ input: [output[0], { id: "m", content }] });
    expect(codes(losses)).not.toContain("foreign-seal");
  });
});

test("a seal of Azure's in messages of the AI SDK goes to Azure, and not to OpenAI", () => {
  const providerMetadata = { azure: { itemId: "rs_x", reasoningEncryptedContent: "SECRET" } };
  const wire = [
    { id: "a", role: "assistant", parts: [{ type: "reasoning", text: "r", state: "done", providerMetadata }] },
  ];
  const sent = (dialect: string) =>
    JSON.stringify(convert(wire, { from: "ai-sdk-ui", to: to(dialect), ...toProvider }));
  expect(sent("azure")).toContain("SECRET");
  expect(sent("openai")).toContain("foreign-seal");
  expect(sent("openai")).not.toMatch(/SECRET|rs_x/);
});

test.each([
  ["azure_openai", "azure"],
  ["azure", "azure"],
])("LangChain's seals of %s are Azure's", (provider, route) => {
  const block = { type: "reasoning", reasoning: "r", id: "rs_x", extras: { encrypted_content: "SECRET" } };
  const wire = { type: "ai", content: [block], response_metadata: { model_provider: provider } };
  const messages = [{ role: "user" as const, parts: [{ type: "text" as const, text: "q" }] }];
  const read = decode([wire], { from: "langchain" }).conversation.messages;
  expect(read[0]?.parts[0]?.seal).toMatchObject({ maker: "openai", route });
  const sent = encode({ messages: [...messages, ...read] }, { to: "openai-responses", shape: "request" });
  expect(JSON.stringify(sent.value)).not.toMatch(/SECRET|rs_x/);
});

test("through MAF's messages a seal of Azure's does not become OpenAI's", () => {
  const there = convert(asked("gpt-5", reasoning), { from: to("azure"), to: "maf", as: "messages" });
  const { value } = convert(there.value, { from: "maf", to: "openai-responses", ...toProvider });
  expect(JSON.stringify(value)).not.toMatch(/SECRET|rs_x/);
});

test("a seal whose host has no key in the AI SDK is not put under that of another", () => {
  const seal = { maker: "openai", route: "bedrock", values: { id: "rs_x", encrypted_content: "SECRET" } };
  const part = { type: "reasoning", text: "r", seal } as const;
  const messages = [{ role: "assistant", parts: [part] }];
  const { value, losses } = encode({ messages }, { to: "ai-sdk-ui", shape: "messages" });
  expect(value).toMatchObject([{ parts: [{}, { providerMetadata: { translogue: { seal } } }] }]);
  expect(losses).toEqual([]);
});

describe("what a host has stored is not known to another", () => {
  const bodies: [name: string, body: JsonObject][] = [
    ["an answer to go on from", { previous_response_id: "resp_1" }],
    ["a conversation by id", { conversation: "conv_1" }],
    ["a conversation", { conversation: { id: "conv_1" } }],
    ["a prompt", { prompt: { id: "pmpt_1", version: "2" } }],
    ["files to search", { tools: [{ type: "file_search", vector_store_ids: ["vs_1"] }] }],
    ["a container", { tools: [{ type: "code_interpreter", container: "cntr_1" }] }],
    ["files of a container", { tools: [{ type: "code_interpreter", container: { type: "auto", file_ids: ["f_1"] } }] }],
  ];
  test.each(bodies)("%s", (_, body) => {
    const wire = { ...asked("gpt-5"), ...body };
    for (const [from, other] of [
      ["openai", "azure"],
      ["azure", "openai"],
      ["openrouter", "xai"],
    ] as const) {
      const away = convert(wire, { from: to(from), to: to(other), ...toProvider });
      expect(JSON.stringify(away.value)).not.toMatch(/_1"/);
      expect(codes(away.losses)).toEqual(["foreign-state"]);
      expect(convert(wire, { from: to(from), to: to(from), ...toProvider })).toMatchObject({ value: wire, losses: [] });
    }
    const kept = convert(wire, { from: to("azure"), to: to("openai"), recipient: "store", as: "request" });
    expect(kept.value).toMatchObject(body);
  });

  test("a setting of a container stays", () => {
    const tools = [{ type: "code_interpreter", container: { type: "auto" } }];
    const { value, losses } = convert(
      { ...asked("gpt-5"), tools },
      { from: to("azure"), to: to("openai"), ...toProvider },
    );
    expect(value).toMatchObject({ tools });
    expect(losses).toEqual([]);
  });

  test.each<[name: string, item: JsonObject, code: string]>([
    ["a reference to an item", { type: "item_reference", id: "msg_1" }, "foreign-state"],
    ["an item that is not known", { type: "newest_thing", id: "nt_1" }, "foreign-state"],
    [
      "a call of its own tool",
      { type: "web_search_call", id: "ws_1", status: "completed", action: { type: "search" } },
      "foreign-call",
    ],
    [
      "its container",
      {
        type: "shell_call",
        call_id: "c",
        action: { commands: ["ls"] },
        environment: { type: "local", container_id: "cntr_1" },
      },
      "foreign-state",
    ],
    ["its file", { role: "user", content: [{ type: "input_file", file_id: "file-_1" }] }, "file-source"],
  ])("%s", (_, item, code) => {
    const wire = asked("gpt-5", item);
    for (const [from, other] of [
      ["openai", "azure"],
      ["azure", "openai"],
    ] as const) {
      const away = convert(wire, { from: to(from), to: to(other), ...toProvider });
      expect(JSON.stringify(away.value)).not.toMatch(/_1"/);
      expect(codes(away.losses)).toContain(code);
      expect(convert(wire, { from: to(from), to: to(from), ...toProvider })).toMatchObject({ value: wire, losses: [] });
    }
  });
});

test("what another host of Chat has stored does not go along", () => {
  const wire = { model: "m", messages: [question], previous_response_id: "resp_1", container: "cntr_1" };
  const sent = (from: string, other: string) =>
    convert(wire, { from: `openai-chat:${from}`, to: `openai-chat:${other}`, ...toProvider });
  expect(sent("xai", "openai")).toMatchObject({ value: { model: "m", messages: [question] } });
  for (const [from, other] of [
    ["xai", "openai"],
    ["openai", "xai"],
  ] as const) {
    expect(JSON.stringify(sent(from, other).value)).not.toMatch(/_1"/);
    expect(codes(sent(from, other).losses)).toEqual(["foreign-state"]);
    expect(sent(from, from)).toMatchObject({ value: wire, losses: [] });
  }
});

test("reading says which host sealed, where it is not the maker's own", () => {
  const sealOf = (dialect: string, model: string): unknown =>
    decode(asked(model, reasoning), { from: to(dialect) }).conversation.messages[1]?.parts[0]?.seal;
  const values = { id: "rs_x", encrypted_content: "SECRET" };
  expect(sealOf("openai", "gpt-5")).toEqual({ maker: "openai", values });
  expect(sealOf("azure", "gpt-5")).toEqual({ maker: "openai", route: "azure", values });
  expect(sealOf("openrouter", "x-ai/grok-4")).toEqual({ maker: "xai", route: "openrouter", values });
  expect(sealOf("bedrock", "eu.anthropic.claude")).toEqual({ maker: "anthropic", route: "bedrock", values });
});
