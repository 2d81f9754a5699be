import { decode, emit, encode, type Json, type JsonObject, type Part, runAll, streamEncoder } from "translogue";
import { describe, expect, test } from "vitest";

/** What lies between the AI SDK and the providers that its packages speak to: nothing of one is lost on the way to the other. */

const asked = (content: Json): JsonObject => ({ role: "user", content });
const called: JsonObject = {
  role: "assistant",
  content: [{ type: "tool-call", toolCallId: "c1", toolName: "pay", input: {} }],
};

/** The request for a provider of model messages. */
function sent(messages: readonly JsonObject[], to: "openai-chat" | "openai-responses"): JsonObject {
  const { conversation } = decode(messages, { from: "ai-sdk-model:v7", shape: "messages" });
  const { value } = encode({ model: "m", ...conversation }, { to, shape: "request" });
  return value as unknown as JsonObject; // the codec writes JSON
}

const items = (body: JsonObject): readonly JsonObject[] => (body["messages"] ?? body["input"]) as JsonObject[]; // as the API has them

describe("what a provider is sent of the SDK's messages", () => {
  test.each([
    ["a PNG", "iVBORw0KGgoAAA", "image/png"],
    ["a JPEG", "/9j/4AAQ", "image/jpeg"],
    ["a GIF", "R0lGODlh", "image/gif"],
    ["a WebP", "UklGRiIA", "image/webp"],
    ["a picture of another kind", "AAAA", "image/*"],
  ])("%s without a type says what its bytes say", (_, image, type) => {
    const url = `data:${type};base64,${image}`;
    const messages = [asked([{ type: "image", image }])];
    expect(items(sent(messages, "openai-chat"))[0]?.["content"]).toEqual([{ type: "image_url", image_url: { url } }]);
    expect(items(sent(messages, "openai-responses"))[0]?.["content"]).toEqual([
      { type: "input_image", image_url: url },
    ]);
  });

  test.each(["openai-chat", "openai-responses"] as const)(
    "a data URL that says less than its bytes comes back from %s as it was",
    format => {
      const url = "data:image/*;base64,iVBORw0KGgoAAA";
      const content =
        format === "openai-chat" ? { type: "image_url", image_url: { url } } : { type: "input_image", image_url: url };
      const body = { model: "m", [format === "openai-chat" ? "messages" : "input"]: [asked([content])] };
      const { conversation } = decode(body, { from: format, shape: "request" });
      expect(encode(conversation, { to: format, shape: "request", recipient: "store" })).toMatchObject({
        value: body,
        losses: [],
      });
    },
  );

  test.each(["openai-chat", "openai-responses"] as const)("%s hears of a refused call without a reason", to => {
    const output = { type: "execution-denied" };
    const tool = { role: "tool", content: [{ type: "tool-result", toolCallId: "c1", toolName: "pay", output }] };
    const last = items(sent([asked("x"), called, tool], to)).at(-1);
    expect(last?.["content"] ?? last?.["output"]).toBe("Tool call execution denied.");
  });

  test.each([
    ["its id alone, as the older generations have it", "v6", "file-abc"],
    ["a reference", "v7", { type: "reference", reference: { openai: "file-abc" } }],
    ["references to several", "v7", { type: "reference", reference: { openai: "file-abc", anthropic: "file_x" } }],
  ] as const)("a provider's file goes by its id: %s", (_, generation, data) => {
    const from = `ai-sdk-model:${generation}` as const;
    const messages = [asked([{ type: "file", data, mediaType: "application/pdf" }])];
    const { conversation } = decode(messages, { from, shape: "messages" });
    const body = (to: "openai-chat" | "openai-responses"): unknown =>
      items(encode({ model: "m", ...conversation }, { to, shape: "request" }).value as unknown as JsonObject)[0]?.[
        "content"
      ];
    expect(body("openai-chat")).toEqual([{ type: "file", file: { file_id: "file-abc" } }]);
    expect(body("openai-responses")).toEqual([{ type: "input_file", file_id: "file-abc" }]);
    expect(encode(conversation, { to: from, shape: "messages", recipient: "store" })).toMatchObject({
      value: messages,
      losses: [],
    });
  });

  test("a host without schemas is asked for JSON, and the schema is lost aloud", () => {
    const settings = { responseFormat: { type: "json", name: "recipe", schema: { type: "object" } } } as const;
    const { value, losses } = encode({ model: "m", messages: [], settings }, { to: "openai-chat:deepseek" });
    expect(value).toMatchObject({ response_format: { type: "json_object" } });
    expect(losses.map(({ path }) => path.join("."))).toEqual([
      "settings.responseFormat.schema",
      "settings.responseFormat.name",
    ]);
  });
});

describe("what the SDK is told of a provider's answer", () => {
  test("a program's call is whole though it is told to be in progress", () => {
    const item = {
      type: "function_call",
      id: "fc_1",
      call_id: "c1",
      name: "stock",
      arguments: '{"sku":1}',
      status: "in_progress",
      caller: { type: "program", caller_id: "p1" },
    };
    const body = { id: "resp_1", object: "response", status: "completed", model: "gpt-5", output: [item] };
    const { conversation } = decode(body, { from: "openai-responses", shape: "answer" });
    expect(conversation.messages[0]?.parts).toEqual([
      expect.objectContaining({ type: "tool-call", callId: "c1", caller: "p1", input: { sku: 1 } }),
    ]);
    expect(conversation.messages[0]?.parts[0]).not.toHaveProperty("partial");
    const again = encode(conversation, { to: "openai-responses", shape: "answer", recipient: "store" });
    expect(again.value).toMatchObject({ output: [item] });
    const cut = { ...item, arguments: "{" };
    const { conversation: open } = decode({ ...body, output: [cut] }, { from: "openai-responses", shape: "answer" });
    expect(open.messages[0]?.parts[0]).toMatchObject({ partial: true });
  });

  const call: Part = { type: "tool-call", callId: "c1", name: "stock", input: {}, caller: "p1" };
  const callerSaid = { openai: { caller: { type: "program", callerId: "p1" } } };
  const answered = (parts: readonly Part[]) => ({ messages: [{ role: "assistant", parts }] });

  test.each([
    ["ai-sdk-model", "messages", "providerOptions"],
    ["ai-sdk-prompt", "answer", "providerMetadata"],
    ["ai-sdk-model", "stream", "providerMetadata"],
    ["ai-sdk-ui", "messages", "callProviderMetadata"],
  ] as const)("%s as %s says which program made a call, and reads it", (to, shape, member) => {
    const { value, losses } = encode(answered([call]), { to, shape: shape as "messages" });
    expect(JSON.stringify(value)).toContain(JSON.stringify({ [member]: callerSaid }).slice(1, -1));
    expect(losses.filter(({ path }) => path.includes("caller"))).toEqual([]);
    const { conversation } = decode(value, { from: to, shape: shape as "messages" });
    expect(conversation.messages[0]?.parts[0]).toMatchObject({ caller: "p1" });
  });

  const cited: Part = {
    type: "text",
    text: "as said",
    citations: [
      { url: "https://a.example", title: "A", start: 0, end: 2 },
      { fileId: "file-1", name: "a.pdf" },
      { url: "https://a.example", title: "A", start: 3, end: 7 },
    ],
  };
  const fileSaid = { openai: { fileId: "file-1" } };

  test("a citation of generation 7 says the file, and its name for its title", () => {
    const { value } = encode(answered([cited]), { to: "ai-sdk-ui:v7", shape: "messages" });
    const source = { type: "source", sourceType: "document", title: "a.pdf", filename: "a.pdf" };
    expect(value).toMatchObject([
      {
        parts: [{ type: "step-start" }, { citations: [{}, { source: { ...source, providerMetadata: fileSaid } }, {}] }],
      },
    ]);
    const { conversation } = decode(value, { from: "ai-sdk-ui:v7", shape: "messages" });
    expect(conversation.messages[0]?.parts[0]).toMatchObject(cited);
  });

  test("a title that is written as none comes back as none beside a name", () => {
    const source = { type: "source-document", sourceId: "s", mediaType: "text/plain", title: "", filename: "a" };
    const message = { id: "m", role: "assistant", parts: [source] };
    const { conversation } = decode([message], { from: "ai-sdk-ui:v7", shape: "messages" });
    expect(encode(conversation, { to: "ai-sdk-ui:v7", shape: "messages", recipient: "store" }).value).toEqual([
      message,
    ]);
  });

  test.each(["v5", "v6"] as const)(
    "generation %s has what a text cites as sources behind it, each once",
    generation => {
      const web = { url: "https://a.example", title: "A" };
      const file = { title: "a.pdf", filename: "a.pdf", providerMetadata: fileSaid };
      const ui = encode(answered([cited, { type: "text", text: "end" }]), {
        to: `ai-sdk-ui:${generation}`,
        shape: "messages",
      });
      const sources = [
        { type: "source-url", ...web },
        { type: "source-document", ...file },
      ];
      expect(ui.value).toMatchObject([
        { parts: [{ type: "step-start" }, { text: "as said" }, ...sources, { text: "end" }] },
      ]);
      expect(ui.losses.map(({ code }) => code)).toContain("cited-sources");
      const told = [
        { type: "source", sourceType: "url", ...web },
        { type: "source", sourceType: "document", ...file },
      ];
      const isSource = (part: Json): boolean => /^source/.test(String((part as JsonObject)["type"])); // parts are objects
      const chunks = runAll(streamEncoder(`ai-sdk-ui:${generation}`), emit(answered([cited]).messages));
      expect(chunks.filter(isSource)).toMatchObject(sources);
      const run = runAll(streamEncoder(`ai-sdk-model:${generation}`), emit(answered([cited]).messages));
      expect(run.filter(isSource)).toMatchObject(told);
      const version = generation === "v5" ? "v2" : "v3";
      const answer = encode(answered([cited]), { to: `ai-sdk-prompt:${version}`, shape: "answer" }).value;
      expect(answer).toMatchObject({ content: [{ text: "as said" }, ...told] });
    },
  );

  const asks: Part = {
    type: "approval-request",
    requestId: "r1",
    callId: "c1",
    call: { type: "tool-call", callId: "c1", name: "pay", input: { sum: 1 }, executedBy: "provider" },
  };

  test("a call that a question holds inside is told before it", () => {
    const { value } = encode(answered([asks]), { to: "ai-sdk-prompt:v4", shape: "answer" });
    expect(value).toMatchObject({
      content: [
        { type: "tool-call", toolCallId: "c1", toolName: "pay", input: '{"sum":1}' },
        { type: "tool-approval-request", approvalId: "r1", toolCallId: "c1" },
      ],
    });
    const run = runAll(streamEncoder("ai-sdk-model:v7"), emit(answered([asks]).messages));
    expect(run.map(part => (part as JsonObject)["type"])).toEqual([
      "start",
      "start-step",
      "tool-call",
      "tool-approval-request",
      "finish-step",
      "finish",
    ]);
  });
});

describe("a call of an MCP server", () => {
  const call = (seal: object): Part => ({
    type: "tool-call",
    callId: "mcp_1",
    name: "search",
    kind: "mcp",
    server: "docs",
    executedBy: "provider",
    input: {},
    ...seal,
  });

  test.each([
    ["anthropic", {}],
    ["openai", { seal: { maker: "openai", values: { id: "mcp_1" } } }],
    ["azure", { seal: { maker: "openai", route: "azure", values: { id: "mcp_1" } } }],
  ])("is told under the key of %s, who made it, and comes back", (maker, seal) => {
    const messages = [{ role: "assistant", parts: [call(seal)] }];
    for (const to of ["ai-sdk-ui", "ai-sdk-model", "ai-sdk-prompt"] as const) {
      const { value } = encode({ messages }, { to, shape: "messages", recipient: "store", carry: false });
      expect(JSON.stringify(value).match(/"(\w+)":\{[^{}]*"type":"mcp-tool-use"/)?.[1]).toBe(maker);
      const back = decode(value, { from: to, shape: "messages" }).conversation;
      expect(back.messages[0]?.parts[0]).toMatchObject(call(seal));
    }
  });
});
