import {
  type Generation,
  generations,
  readChunks,
  refusedChunk,
  refusedMessages,
} from "@translogue/testkit/generations";
import {
  assistant,
  type Conversation,
  decode,
  emit,
  encode,
  type Json,
  type JsonObject,
  type Message,
  type Part,
  runAll,
  streamEncoder,
} from "translogue";
import { describe, expect, test } from "vitest";

const read = (messages: Json, generation: Generation | "v4" = "v7") =>
  decode(messages, { from: `ai-sdk-ui:${generation}`, shape: "messages" });
const write = (conversation: Conversation, generation: Generation, recipient: "store" | "client" = "store") =>
  encode(conversation, { to: `ai-sdk-ui:${generation}`, shape: "messages", recipient, carry: false });
const partsOf = (value: unknown): Json[] => (value as { parts: Json[] }[]).flatMap(({ parts }) => parts); // UI messages

const ui = (role: string, ...parts: Json[]): Json => ({ id: "m", role, parts });
const mark = { type: "step-start" };
const said = (words: string): Json => ({ type: "text", text: words, state: "done" });
const tool = (state: string, members: object = {}): Json => ({
  type: "tool-weather",
  toolCallId: "c",
  state,
  input: { city: "Rome" },
  ...members,
});
const _seals = {
  anthropic: { signature: "c2ln" },
  openai: { itemId: "rs_1", reasoningEncryptedContent: "x" },
  mine: { kept: 1 },
};

describe("what an older generation does not have", () => {
  const asked = tool("approval-requested", { approval: { id: "q" } });
  const denied = tool("output-denied", { approval: { id: "q", approved: false, reason: "too late" } });
  const custom = { type: "custom", kind: "openai.compaction", providerMetadata: { openai: { itemId: "cmp" } } };

  test("an approval goes to v5 as data beside the call, and is read from there", async () => {
    const { conversation } = read([ui("assistant", asked)]);
    const { value, losses } = write(conversation, "v5");
    expect(partsOf(value)).toEqual([
      tool("input-available"),
      { type: "data-approval", id: "q", data: { id: "q", toolCallId: "c" } },
    ]);
    expect(await refusedMessages("v5", value as Json)).toBeUndefined(); // UI messages
    expect(losses).toEqual([]);
    expect(write(read(value as Json, "v5").conversation, "v7").value).toEqual([ui("assistant", asked)]);
  });

  test("a denied call goes to v5 as a failed one that says why, and is read as denied", () => {
    const { value } = write(read([ui("assistant", denied)]).conversation, "v5");
    expect(partsOf(value)[0]).toEqual(tool("output-error", { errorText: "too late" }));
    expect(write(read(value as Json, "v5").conversation, "v7").value).toEqual([ui("assistant", denied)]); // UI messages
  });

  test.each<[generation: Generation, since: Json, wanted: Json, loss: string]>([
    [
      "v6",
      custom,
      { type: "data-custom", data: { kind: custom.kind, providerMetadata: custom.providerMetadata } },
      "late-part",
    ],
    [
      "v5",
      { type: "reasoning-file", mediaType: "image/png", url: "https://x.test/a.png" },
      { type: "file", mediaType: "image/png", url: "https://x.test/a.png" },
      "reasoning-file",
    ],
    [
      "v6",
      { type: "file", mediaType: "image/png", url: "", providerReference: { openai: "file_1" } },
      { type: "data-file", data: { id: "file_1", provider: "openai", mediaType: "image/png" } },
      "file-reference",
    ],
  ])("%s takes it as something it knows: %j", async (generation, part, wanted, loss) => {
    const { value, losses } = write(read([ui("assistant", part)]).conversation, generation);
    expect(partsOf(value)).toEqual([wanted]);
    expect(losses.map(({ code }) => code)).toEqual([loss]);
    expect(await refusedMessages(generation, value as Json)).toBeUndefined(); // UI messages
  });

  test.each<[what: string, reason: string | undefined, state: string, errorText: string | undefined]>([
    ["waits", undefined, "input-available", undefined],
    ["was granted", undefined, "input-available", undefined],
    ["was refused", "too far", "output-error", "too far"],
    ["was refused", undefined, "output-error", "Tool call execution denied."],
  ])("v5 sees of a call that %s (%s): %s, written and streamed", async (what, reason, state, errorText) => {
    const said = what === "waits" ? {} : { approved: what === "was granted", ...(reason !== undefined && { reason }) };
    const asked = tool(what === "waits" ? "approval-requested" : "approval-responded", {
      approval: { id: "q", ...said },
    });
    const { conversation } = read([ui("assistant", asked)], "v6");
    const { value } = write(conversation, "v5");
    const seen = [
      {
        type: "tool-weather",
        toolCallId: "c",
        state,
        input: { city: "Rome" },
        ...(errorText !== undefined && { errorText }),
      },
      { type: "data-approval", id: "q", data: { id: "q", toolCallId: "c", ...said } },
    ];
    expect(partsOf(value)).toEqual(seen);
    expect(await refusedMessages("v5", value as Json)).toBeUndefined(); // UI messages
    const chunks = runAll(streamEncoder("ai-sdk-ui:v5", { recipient: "store" }), emit(conversation.messages));
    expect(await refusedChunk("v5", chunks)).toBeUndefined();
    const { message } = await readChunks("v5", chunks);
    expect(partsOf([message])).toEqual(seen);
    const { value: kept } = encode(conversation, { to: "ai-sdk-ui:v5", shape: "messages", recipient: "store" });
    expect(read(kept as Json, "v5").conversation).toEqual(conversation); // with carry, all of it
  });

  test("what it let through without reading it goes back to it as it was", () => {
    const message = ui("assistant", { type: "text", text: "a", state: "done", citations: [{ type: "url", url: "u" }] });
    expect(write(read([message], "v5").conversation, "v5")).toMatchObject({ value: [message], losses: [] });
  });
});

describe("a provider's metadata", () => {
  const thought = (providerMetadata: Json): Json => ui("assistant", { type: "reasoning", text: "r", providerMetadata });
  test.each<[maker: string, metadata: Json, part: Partial<Part>]>([
    ["anthropic", { anthropic: { signature: "s" } }, { seal: { maker: "anthropic", values: { signature: "s" } } }],
    [
      "openai",
      { openai: { itemId: "rs_1", reasoningEncryptedContent: "e" } },
      { seal: { maker: "openai", values: { id: "rs_1", encrypted_content: "e" } } },
    ],
    ["google", { google: { thoughtSignature: "t" } }, { seal: { maker: "google", values: { thoughtSignature: "t" } } }],
  ])("of %s is a seal", (_, metadata, part) => {
    const { conversation } = read([thought(metadata)]);
    expect(conversation.messages[0]?.parts[0]).toMatchObject(part);
    expect(write(conversation, "v7").value).toEqual([thought(metadata)]);
  });

  test("of any other stays as it is", () => {
    const { conversation } = read([thought({ mine: { a: 1 } })]);
    expect(conversation.messages[0]?.parts[0]).toMatchObject({
      native: { "ai-sdk": { providerMetadata: { mine: { a: 1 } } } },
    });
  });

  test("a seal that the SDK has no key for travels under ours", () => {
    const seal = { maker: "someone", model: "m-1", values: { x: "y" } };
    const messages: Message[] = [assistant({ type: "reasoning", text: "r", seal })];
    const { value, losses } = write({ messages }, "v7");
    expect(partsOf(value)[1]).toMatchObject({ providerMetadata: { translogue: { seal } } });
    expect(losses).toEqual([]);
    expect(read(value as Json).conversation.messages[0]?.parts[0]).toMatchObject({ seal }); // UI messages
  });
});

describe("what has no place travels in the metadata of its message", () => {
  const spent: Message = assistant("a", { id: "m", model: "m-1", usage: { input: 1, output: 2 } });
  const stored = (message: Message): Json =>
    encode({ messages: [message] }, { to: "ai-sdk-ui:v7", shape: "messages", recipient: "store" }).value as Json; // UI messages

  test.each<[name: string, metadata: { metadata?: Json }]>([
    ["without any", {}],
    ["beside the application's", { metadata: { mine: 1 } }],
    ["around what is no object", { metadata: "mine" }],
    ["around an empty one", { metadata: {} }],
  ])("%s", (_, metadata) => {
    const message = { ...spent, ...metadata };
    const value = stored(message);
    expect(value).toMatchObject([{ metadata: { translogue: { v: 1 } } }]);
    expect(read(value).conversation.messages).toMatchObject([message]);
  });

  test("a client sees none of it unless it asks, and the loss says so", () => {
    const { value, losses } = encode({ messages: [spent] }, { to: "ai-sdk-ui:v7", shape: "messages" });
    expect(value).toEqual([ui("assistant", mark, said("a"))]);
    expect(losses.map(({ code }) => code).sort()).toEqual(["message.model", "message.usage"]);
  });
});

describe("a state beside an approval that does not fit it", () => {
  const tool = { type: "dynamic-tool", toolName: "f", toolCallId: "c" };
  const approval = (approved: boolean): JsonObject => ({ approval: { id: "a", approved } });
  test.each<[what: string, part: JsonObject, state: string]>([
    ["still comes", { ...tool, state: "input-streaming", ...approval(true) }, "approval-responded"],
    [
      "still comes, as text",
      { ...tool, state: "input-streaming", input: null, rawInput: '{"a', ...approval(false) },
      "approval-responded",
    ],
    ["has come", { ...tool, state: "input-available", input: {}, ...approval(true) }, "approval-responded"],
    ["failed", { ...tool, state: "output-error", input: {}, errorText: "x", ...approval(false) }, "output-denied"],
  ])("%s: it goes back as it was, and the newer generations get one that they take", async (_, part, state) => {
    const messages = [{ id: "m", role: "assistant", parts: [part] }];
    for (const version of generations) {
      const to = `ai-sdk-ui:${version}` as const;
      const { conversation } = decode(messages, { from: to, shape: "messages" });
      const options = { to, shape: "messages", recipient: "store", carry: false } as const;
      expect(encode(conversation, options).value, version).toEqual(messages);
    }
    expect(await refusedMessages("v5", messages)).toBeUndefined();
    const { conversation } = decode(messages, { from: "ai-sdk-ui:v5", shape: "messages" });
    for (const version of ["v6", "v7"] as const) {
      const { value } = encode(conversation, { to: `ai-sdk-ui:${version}`, shape: "messages", carry: false });
      expect(await refusedMessages(version, value as Json), version).toBeUndefined();
      expect(value).toMatchObject([{ parts: [{ state }] }]);
    }
  });
});
