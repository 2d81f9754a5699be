import { type Conversation, decode, encode, type Json, type Message, type Part } from "translogue";
import { describe, expect, test } from "vitest";

/** What other packages' adapters fill in, and what providers refuse: each the smallest input that was once got wrong. */

const asked = (...parts: readonly Part[]): Conversation => ({ model: "m", messages: [{ role: "user", parts }] });
const answered = (...parts: readonly Part[]): Conversation => ({ messages: [{ role: "assistant", parts }] });

interface Written {
  readonly value: unknown;
  readonly codes: readonly string[];
}

function request(to: "anthropic-messages" | "gemini", conversation: Conversation): Written {
  const { value, losses } = encode(conversation, { to, shape: "request" });
  return { value, codes: losses.map(({ code }) => code) };
}

function messages(to: "maf" | "langchain:js-lc" | "ai-sdk-model:v7", conversation: Conversation): Written {
  const { value, losses } = encode(conversation, { to, shape: "messages", recipient: "client", carry: false });
  return { value, codes: losses.map(({ code }) => code) };
}

const read = (from: "maf" | "langchain:js-lc" | "ai-sdk-model:v7", value: unknown): readonly Message[] =>
  decode(value, { from, shape: "messages" }).conversation.messages;

const file = (mediaType: string, source: Extract<Part, { type: "file" }>["source"]): Part => ({
  type: "file",
  mediaType,
  source,
});

describe("what Anthropic takes of files", () => {
  const blocks = (conversation: Conversation): Json => {
    const { messages } = request("anthropic-messages", conversation).value as {
      messages: readonly { readonly content: Json }[];
    };
    return messages[0]?.content ?? null;
  };

  test("the bytes of a text are sent as the text, for bytes are taken of PDF alone", () => {
    expect(blocks(asked(file("text/csv", { data: "YSxi" })))).toEqual([
      { type: "document", source: { type: "text", media_type: "text/plain", data: "a,b" } },
    ]);
    expect(blocks(asked(file("application/pdf", { data: "JVBERi0=" })))).toEqual([
      { type: "document", source: { type: "base64", media_type: "application/pdf", data: "JVBERi0=" } },
    ]);
  });

  test("bytes that are no text have no block, and that is said", () => {
    const { value, codes } = request(
      "anthropic-messages",
      asked({ type: "text", text: "q" }, file("application/octet-stream", { data: "/w==" })),
    );
    expect(value).toMatchObject({ messages: [{ content: [{ type: "text", text: "q" }] }] });
    expect(codes).toContain("media");
  });

  test.each([
    ["data:image/png;base64,iVBORw0KGgo=", { type: "base64", media_type: "image/png", data: "iVBORw0KGgo=" }],
    ["data:image/svg+xml,%3Csvg/%3E", { type: "base64", media_type: "image/svg+xml", data: "PHN2Zy8+" }],
  ])("the data URL %s is sent as its bytes", (url, source) => {
    expect(blocks(asked(file("image/*", { url })))).toEqual([{ type: "image", source }]);
  });
});

test("a text that says nothing is not sent to Anthropic, nor is a turn without content", () => {
  const { value, codes } = request("anthropic-messages", {
    model: "m",
    messages: [
      { role: "user", parts: [{ type: "text", text: "x" }] },
      { role: "assistant", parts: [{ type: "text", text: " \n" }] },
      { role: "user", parts: [{ type: "text", text: "y" }] },
    ],
  });
  const { messages: sent } = value as { messages: readonly { readonly content: Json }[] };
  expect(sent.map(({ content }) => content)).toEqual([[{ type: "text", text: "x" }], [{ type: "text", text: "y" }]]);
  expect(codes).toEqual(expect.arrayContaining(["empty-text", "empty-message"]));
});

test("what somebody sent to Anthropic is sent as it was, though it is refused", () => {
  const wire = {
    model: "m",
    max_tokens: 1,
    system: [{ type: "text", text: "" }],
    messages: [
      { role: "user", content: "" },
      { role: "assistant", content: [] },
      {
        role: "user",
        content: [
          { type: "text", text: " " },
          { type: "document", source: { type: "base64", media_type: "text/plain", data: "aGk=" } },
          { type: "image", source: { type: "url", url: "data:image/png;base64,iVBO" } },
        ],
      },
    ],
  };
  const { conversation } = decode(wire, { from: "anthropic-messages", shape: "request" });
  expect(request("anthropic-messages", conversation)).toEqual({ value: wire, codes: [] });
});

describe("what Google takes of files", () => {
  const parts = (...given: readonly Part[]): Json => {
    const { contents } = request("gemini", asked(...given)).value as { contents: readonly { readonly parts: Json }[] };
    return contents[0]?.parts ?? null;
  };

  test.each([
    [
      "of which the first bytes tell",
      { data: "iVBORw0KGgo=" },
      { inlineData: { mimeType: "image/png", data: "iVBORw0KGgo=" } },
    ],
    ["of which nothing tells", { data: "AAAA" }, { inlineData: { mimeType: "image/jpeg", data: "AAAA" } }],
    [
      "of which the address tells",
      { url: "https://a.example/b.webp?c=1" },
      { fileData: { mimeType: "image/webp", fileUri: "https://a.example/b.webp?c=1" } },
    ],
    [
      "in a data URL",
      { url: "data:image/gif;base64,R0lGOD" },
      { inlineData: { mimeType: "image/gif", data: "R0lGOD" } },
    ],
  ])("a picture %s has a whole media type", (_, source, part) => {
    expect(parts(file("image/*", source))).toEqual([part]);
  });
});

describe("what Microsoft's packages read", () => {
  const contents = (conversation: Conversation): Json => {
    const [first] = messages("maf", conversation).value as readonly { readonly contents: Json }[];
    return first?.contents ?? null;
  };
  const ran = (input: Json, ...output: readonly Part[]): Conversation =>
    answered(
      {
        type: "tool-call",
        callId: "c",
        name: "code_interpreter",
        kind: "code-interpreter",
        executedBy: "provider",
        input,
      },
      { type: "tool-result", callId: "c", output },
    );

  test("a mark of the cache stands where .NET's Anthropic client has it, and comes back", () => {
    const conversation = asked({ type: "text", text: "q", cache: { ttl: "1h" } });
    const written = messages("maf", conversation).value;
    expect(written).toEqual([
      {
        role: "user",
        contents: [{ $type: "text", text: "q", additionalProperties: { "anthropic:cache_control": { ttl: "1h" } } }],
      },
    ]);
    expect(read("maf", written)).toEqual(conversation.messages);
  });

  test("a shell's command is data of its own type, and comes back", () => {
    const conversation = ran({ command: "ls" }, { type: "text", text: "a" });
    expect(contents(conversation)).toMatchObject([
      { $type: "codeInterpreterToolCall", inputs: [{ $type: "data", uri: "data:application/x-sh;base64,bHM=" }] },
      { $type: "codeInterpreterToolResult", outputs: [{ $type: "text", text: "a" }] },
    ]);
    expect(read("maf", messages("maf", conversation).value)[0]?.parts[0]).toMatchObject({ input: { command: "ls" } });
  });

  test("what a program wrote is text, and what went wrong is an error", () => {
    const data = { stdout: "a\n", stderr: "warn", return_code: 1 };
    expect(contents(ran({ code: "1" }, { type: "data", data }))).toMatchObject([
      {},
      {
        outputs: [
          { $type: "text", text: "a\n" },
          { $type: "error", message: "warn", errorCode: "1" },
        ],
      },
    ]);
    expect(messages("maf", ran({ code: "1" }, { type: "data", data })).codes).toContain("program-output");
  });
});

describe("what a hosted tool gave, in LangChain's content", () => {
  const call: Part = {
    type: "tool-call",
    callId: "c",
    name: "web_fetch",
    kind: "web-fetch",
    executedBy: "provider",
    input: { url: "https://a.example" },
  };
  const given = (...output: readonly Part[]): Conversation =>
    answered(call, { type: "tool-result", callId: "c", output });
  const outputOf = (conversation: Conversation): Json => {
    const [message] = messages("langchain:js-lc", conversation).value as readonly {
      readonly kwargs: { readonly content: readonly { readonly output?: Json }[] };
    }[];
    return message?.kwargs.content[1]?.output ?? null;
  };

  test.each([
    [
      "a failure",
      [{ type: "error", message: "gone", code: "unavailable" }],
      { type: "error", message: "gone", error_code: "unavailable" },
    ],
    [
      "a page with what stands on it",
      [{ type: "source", url: "https://a.example", parts: [{ type: "text", text: "words" }] }],
      { sources: [{ type: "url", url: "https://a.example", content: [{ type: "text", text: "words" }] }] },
    ],
  ] as readonly (readonly [string, readonly Part[], Json])[])("%s is there, and comes back", (_, output, wire) => {
    expect(outputOf(given(...output))).toEqual(wire);
    const [message] = read("langchain:js-lc", messages("langchain:js-lc", given(...output)).value);
    expect(message?.parts[1]).toMatchObject({ type: "tool-result", output });
  });

  test("data beside a file is text, and that is said", () => {
    const conversation = given({ type: "data", data: { stdout: "a" } }, { type: "file", source: { id: "f" } });
    expect(outputOf(conversation)).toEqual([
      { type: "text", text: '{"stdout":"a"}' },
      { type: "file", fileId: "f" },
    ]);
    expect(messages("langchain:js-lc", conversation).codes).toContain("result-output");
  });
});

test("the AI SDK's call tells Anthropic's package which program made it, and OpenAI's likewise", () => {
  const made = (caller: string): Part => ({ type: "tool-call", callId: "c", name: "f", input: {}, caller });
  const options = (caller: string): unknown => {
    const [message] = messages("ai-sdk-model:v7", answered(made(caller))).value as readonly {
      readonly content: readonly { readonly providerOptions?: Json }[];
    }[];
    return message?.content[0]?.providerOptions;
  };
  expect(options("srvtoolu_1")).toEqual({
    anthropic: { caller: { type: "code_execution_20260120", toolId: "srvtoolu_1" } },
  });
  expect(options("call_1")).toEqual({ openai: { caller: { type: "program", callerId: "call_1" } } });
  const wire = {
    role: "assistant",
    content: [
      {
        type: "tool-call",
        toolCallId: "c",
        toolName: "f",
        input: {},
        providerOptions: { anthropic: { caller: { type: "code_execution_20250825", toolId: "srvtoolu_1" } } },
      },
    ],
  };
  const [message] = read("ai-sdk-model:v7", [wire]);
  expect(message?.parts[0]).toMatchObject({ caller: "srvtoolu_1" });
  expect(messages("ai-sdk-model:v7", { messages: message ? [message] : [] }).value).toEqual([wire]);
});
