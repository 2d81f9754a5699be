import { type Generation, generations, refusedMessages } from "@translogue/testkit/generations";
import { type Conversation, convert, decode, encode, type Json, type Message, type Part } from "translogue";
import { toModelMessages, toUIMessages } from "translogue/ai-sdk-model";
import { describe, expect, test } from "vitest";

const read = (messages: unknown, version: Generation | "v4" = "v7") =>
  decode(messages, { from: `ai-sdk-model:${version}`, shape: "messages" });
const write = (messages: readonly Message[], version: Generation = "v7", recipient: "store" | "provider" = "store") =>
  encode({ messages }, { to: `ai-sdk-model:${version}`, shape: "messages", recipient, carry: false });
const _again = (messages: Json, version: Generation = "v7") => {
  const { conversation } = read(messages, version);
  const { value, losses } = write(conversation.messages, version);
  return { value, losses };
};
const _partsOf = (conversation: Conversation): readonly Part[] => conversation.messages.flatMap(({ parts }) => parts);
const _plain = ({ native: _, ...part }: Part): object => part;
const codes = (losses: readonly { readonly code: string }[]): string[] => losses.map(({ code }) => code);

const _png = "iVBORw0KGgo=";
const deniedText = "Tool call execution denied.";

describe("UI messages", () => {
  const tool = (state: string, members: object = {}): Json => ({ type: "tool-f", toolCallId: "c", state, ...members });
  const ui = (...parts: Json[]): Json => [
    { id: "u", role: "user", parts: [{ type: "text", text: "a" }] },
    { id: "m", role: "assistant", parts },
  ];
  const call = { type: "tool-call", toolCallId: "c", toolName: "f", input: {} };
  const toolOf = (output: object): object => ({ type: "tool-result", toolCallId: "c", toolName: "f", output });

  test.each([
    ["a dynamic tool's call", { type: "dynamic-tool", toolName: "f" }, /no longer available/],
    ["that of another tool, to which the mark means nothing", { type: "tool-f" }, /^x$/],
  ])("whose tool was taken away are told without its output only as %s", async (_, kind, said) => {
    const part = { ...(tool("output-available", { input: {}, output: "x", dynamic: false }) as object), ...kind };
    const { messages } = await toModelMessages(ui(part as Json));
    expect(messages.at(-1)).toMatchObject({ content: [{ output: { value: expect.stringMatching(said) } }] });
  });

  test.each<[state: string, part: Json, content: object[], results: object[]]>([
    [
      "output-available",
      tool("output-available", { input: {}, output: "x" }),
      [call],
      [toolOf({ type: "text", value: "x" })],
    ],
    [
      "output-error",
      tool("output-error", { input: {}, errorText: "x" }),
      [call],
      [toolOf({ type: "error-text", value: "x" })],
    ],
    [
      "output-error of the provider's",
      tool("output-error", { input: {}, errorText: "x", providerExecuted: true }),
      [{ ...call, providerExecuted: true }, toolOf({ type: "error-json", value: "x" })],
      [],
    ],
    ["input-available", tool("input-available", { input: {} }), [call], []],
    [
      "approval-responded",
      tool("approval-responded", { input: {}, approval: { id: "a", approved: false, reason: "no" } }),
      [call, { type: "tool-approval-request", approvalId: "a", toolCallId: "c" }],
      [
        { type: "tool-approval-response", approvalId: "a", approved: false, reason: "no" },
        toolOf({ type: "execution-denied", reason: "no" }),
      ],
    ],
  ])("a tool in the state %s becomes its model messages", async (_, part, content, results) => {
    const { messages } = await toModelMessages(ui(part));
    expect(messages.slice(1)).toEqual([
      { role: "assistant", content },
      ...(results.length > 0 ? [{ role: "tool", content: results }] : []),
    ]);
  });

  test.each<[version: Generation, input: object, told: Json]>([
    ["v5", { input: null }, {}],
    ["v7", { input: null }, {}],
    ["v6", { input: null, rawInput: "{bad" }, "{bad"],
    ["v7", { input: 0, rawInput: "{bad" }, 0],
  ])("in %s, %o are arguments of a failed call as the SDK reads them", async (version, input, told) => {
    const { messages } = await toModelMessages(ui(tool("output-error", { ...input, errorText: "x" })), { version });
    expect(messages[1]).toEqual({ role: "assistant", content: [{ ...call, input: told }] });
  });

  test("generation 5 tells the `null` of a dynamic call that failed", async () => {
    const part = { type: "dynamic-tool", toolName: "f", toolCallId: "c", state: "output-error", input: null };
    const { messages } = await toModelMessages(ui({ ...part, errorText: "x" }), { version: "v5" });
    expect(messages[1]).toEqual({ role: "assistant", content: [{ ...call, input: null }] });
  });

  const denial = { input: {}, approval: { id: "a", approved: false } };
  const mock = { mock: { id: "x" } };
  const options = { providerOptions: mock };
  test.each<[what: string, part: Json, call: object, result: object | undefined]>([
    ["a stored denial", tool("output-denied", denial), {}, { output: { type: "error-text", value: deniedText } }],
    ["one of the provider's tools", tool("output-denied", { ...denial, providerExecuted: true }), {}, undefined],
    [
      "a result of the client's, by its call",
      tool("output-available", { input: {}, output: 1, callProviderMetadata: mock }),
      options,
      options,
    ],
    [
      "a call that failed, by its result",
      tool("output-error", { input: {}, errorText: "e", resultProviderMetadata: mock }),
      options,
      { output: { type: "error-text", value: "e" } },
    ],
    [
      "a refused call",
      tool("approval-responded", { ...denial, callProviderMetadata: mock }),
      options,
      { output: { type: "execution-denied" }, ...options },
    ],
  ])("options and denials are told as the SDK tells them: %s", async (_, part, call, result) => {
    const { messages } = await toModelMessages(ui(part));
    const content = messages.slice(1).flatMap(message => (message as { content: { type: string }[] }).content);
    expect(content.find(({ type }) => type === "tool-call")).toMatchObject(call);
    const found = content.find(({ type }) => type === "tool-result");
    expect(found).toEqual(result && { ...toolOf({ type: "json", value: 1 }), ...result });
  });

  test("options of a call that failed are its result's again in UI messages", async () => {
    const part = tool("output-error", { input: {}, errorText: "e", resultProviderMetadata: mock });
    const { messages } = await toModelMessages(ui(part));
    expect(toUIMessages(messages).messages[1]).toMatchObject({ parts: [{}, part] });
  });

  test("a call that still comes is left out, and said so; without a result it stays unless the caller says otherwise", async () => {
    const coming = await toModelMessages(ui(tool("input-streaming", { rawInput: "{" })));
    expect([coming.messages.length, codes(coming.losses)]).toEqual([1, expect.arrayContaining(["incomplete-call"])]);
    const open = ui(tool("input-available", { input: {} }));
    expect((await toModelMessages(open)).messages).toHaveLength(2);
    expect((await toModelMessages(open, { ignoreIncompleteToolCalls: true })).messages).toHaveLength(1);
  });

  test("data goes to the model as the application says, or not at all", async () => {
    const given = ui({ type: "data-card", id: "d", data: { a: 1 } }, { type: "text", text: "b" });
    const without = await toModelMessages(given);
    expect(without.messages[1]).toEqual({ role: "assistant", content: [{ type: "text", text: "b" }] });
    expect(codes(without.losses)).toContain("data");
    const { messages } = await toModelMessages(given, {
      convertDataPart: ({ type, id, data }) => ({ type: "text", text: JSON.stringify({ type, id, data }) }),
    });
    expect(messages[1]).toMatchObject({
      content: [{ text: '{"type":"data-card","id":"d","data":{"a":1}}' }, { text: "b" }],
    });
  });

  test("a tool says its output in words of its own", async () => {
    const tools = { f: { toModelOutput: (about: unknown) => ({ type: "json", value: about }) } };
    const part = tool("output-available", { input: { a: 1 }, output: { b: 2 } });
    const { messages } = await toModelMessages(ui(part), { tools });
    expect(messages[2]).toMatchObject({
      content: [{ output: { value: { toolCallId: "c", input: { a: 1 }, output: { b: 2 } } } }],
    });
    const older = await toModelMessages(ui(part), { tools, version: "v5" });
    expect(older.messages[2]).toMatchObject({ content: [{ output: { value: { b: 2 } } }] });
  });

  const run: Json = [
    { role: "user", content: [{ type: "text", text: "a" }] },
    { role: "assistant", content: [{ type: "text", text: "b" }, call, { type: "text", text: "c" }] },
    { role: "tool", content: [toolOf({ type: "json", value: { d: 1 } })] },
    { role: "assistant", content: [{ type: "text", text: "e" }] },
    { role: "user", content: [{ type: "text", text: "f" }] },
  ] as unknown as Json; // JSON, as written above

  test("model messages become UI messages with stable ids, a step for each answer, and come back", async () => {
    const { messages, losses } = toUIMessages(run);
    expect(messages).toEqual([
      { id: "msg-0", role: "user", parts: [{ type: "text", text: "a" }] },
      {
        id: "msg-1",
        role: "assistant",
        parts: [
          { type: "step-start" },
          { type: "text", text: "b", state: "done" },
          { type: "tool-f", toolCallId: "c", state: "output-available", input: {}, output: { d: 1 } },
          { type: "text", text: "c", state: "done" },
          { type: "step-start" },
          { type: "text", text: "e", state: "done" },
        ],
      },
      { id: "msg-4", role: "user", parts: [{ type: "text", text: "f" }] },
    ]);
    expect(codes(losses)).toEqual(["result-name"]);
    expect(toUIMessages(run)).toEqual(toUIMessages(run));
    expect((await toModelMessages(messages)).messages).toEqual(run);
  });

  test("the caller may give the ids", () => {
    let count = 0;
    const { messages } = toUIMessages(run, { newId: () => `id${count++}` });
    expect(messages.map(message => (message as { id: string }).id)).toEqual(["id0", "id1", "id2"]);
  });

  test.each(generations)("every generation's validator takes what is written for %s", async version => {
    expect(await refusedMessages(version, toUIMessages(run, { version }).messages as Json)).toBeUndefined();
  });

  test("convert does the same without options", async () => {
    const { messages } = toUIMessages(run);
    const { value } = convert(messages, { from: "ai-sdk-ui:v7", to: "ai-sdk-model" });
    expect(value).toEqual((await toModelMessages(messages)).messages);
  });
});
