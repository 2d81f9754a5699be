import {
  decode,
  encode,
  type FormatId,
  isJsonObject,
  type Json,
  type JsonObject,
  type Message,
  type Part,
  pairResults,
} from "translogue";
import { describe, expect, test } from "vitest";

interface Wire {
  readonly call: (number: number) => JsonObject;
  readonly say: (...calls: readonly JsonObject[]) => JsonObject;
  readonly hear: JsonObject;
  readonly result: JsonObject;
}

const fn = { type: "function", id: "", function: { name: "f", arguments: "{}" } };
const chat: Wire = {
  call: () => fn,
  say: (...calls) => ({ role: "assistant", content: null, tool_calls: [...calls] }),
  hear: { role: "user", content: "so" },
  result: { role: "tool", tool_call_id: "", content: "1" },
};
const blocks: Wire = {
  call: n => ({ type: "tool_use", id: "", name: "f", input: { n } }),
  say: (...content) => ({ role: "assistant", content: [...content] }),
  hear: { role: "user", content: [{ type: "text", text: "so" }] },
  result: { role: "user", content: [{ type: "tool_result", tool_use_id: "", content: "1" }] },
};
const sdk: Wire = {
  call: n => ({ type: "tool-call", toolCallId: "", toolName: "f", input: { n } }),
  say: (...content) => ({ role: "assistant", content: [...content] }),
  hear: { role: "user", content: [{ type: "text", text: "so" }] },
  result: toolSays({ type: "tool-result", toolCallId: "", toolName: "f", output: { type: "text", value: "1" } }),
};

function toolSays(content: JsonObject): JsonObject {
  return { role: "tool", content: [content] };
}

const wires: readonly (readonly [FormatId, Wire])[] = Object.entries({
  gemini: {
    call: n => ({ functionCall: { name: "f", args: { n } } }),
    say: (...parts) => ({ role: "model", parts: [...parts] }),
    hear: { role: "user", parts: [{ text: "so" }] },
    result: { role: "user", parts: [{ functionResponse: { name: "f", response: { output: "1" } } }] },
  },
  ollama: {
    call: n => ({ function: { name: "f", arguments: { n } } }),
    say: (...calls) => ({ role: "assistant", content: "", tool_calls: [...calls] }),
    hear: { role: "user", content: "so" },
    result: { role: "tool", tool_name: "f", content: "1" },
  },
  "openai-chat": chat,
  mistral: chat,
  cohere: { ...chat, result: { role: "tool", content: "1" } },
  langchain: {
    call: n => ({ name: "f", args: { n }, id: null, type: "tool_call" }),
    say: (...calls) => ({ type: "ai", content: "", tool_calls: [...calls] }),
    hear: { type: "human", content: "so" },
    result: { type: "tool", content: "1", tool_call_id: "" },
  },
  "anthropic-messages": blocks,
  "bedrock-converse": {
    call: n => ({ toolUse: { toolUseId: "", name: "f", input: { n } } }),
    say: (...content) => ({ role: "assistant", content: [...content] }),
    hear: { role: "user", content: [{ text: "so" }] },
    result: { role: "user", content: [{ toolResult: { toolUseId: "", content: [{ text: "1" }] } }] },
  },
  maf: {
    call: n => ({ $type: "functionCall", callId: "", name: "f", arguments: { n }, informationalOnly: false }),
    say: (...contents) => ({ role: "assistant", contents: [...contents] }),
    hear: { role: "user", contents: [{ $type: "text", text: "so" }] },
    result: { role: "tool", contents: [{ $type: "functionResult", callId: "", result: "1" }] },
  },
  "ai-sdk-model": sdk,
  "ai-sdk-prompt": sdk,
  lighter: {
    call: n => ({ callId: "", toolName: "f", arguments: JSON.stringify({ n }) }),
    say: (...toolCalls) => ({ role: "assistant", content: "", toolCalls: [...toolCalls] }),
    hear: { role: "user", content: "so" },
    result: { role: "tool", callId: "", toolName: "f", toolOutput: '"1"', isError: false },
  },
} satisfies { readonly [format in FormatId]?: Wire }) as [FormatId, Wire][]; // its keys

describe.each(wires)("%s: a result without an id", (format, { call, say, hear, result }) => {
  const idsOf = (wire: readonly Json[]): readonly string[] =>
    decode(wire, { from: format, shape: "messages" }).conversation.messages.flatMap(({ parts }) =>
      parts.flatMap(part => (part.type === "tool-result" ? [part.callId] : [])),
    );

  test.each<[where: string, wire: readonly Json[], ids: readonly string[]]>([
    ["the nearest turn that has one", [say(call(1)), hear, say(call(2)), result], ["~2.0"]],
    ["an older turn where no nearer one waits", [say(call(1)), hear, say(call(2)), result, result], ["~2.0", "~0.0"]],
    ["its turn in order", [say(call(1), call(2)), result, result], ["~0.0", "~0.1"]],
    ["neighbouring messages as one turn", [say(call(1)), say(call(2)), result, result], ["~0.0", "~1.0"]],
  ])("answers a call that waits in %s, and comes back without one (R9)", (_, wire, ids) => {
    expect(idsOf(wire)).toEqual(ids);
    const { conversation } = decode(wire, { from: format, shape: "messages" });
    expect(encode(conversation, { to: format, shape: "messages", carry: false }).value).toEqual(wire);
  });

  test("pairs again in formats that pair by ids", () => {
    const wire = [say(call(1), call(2)), result, hear, say(call(3)), result];
    const { conversation } = decode(wire, { from: format, shape: "messages" });
    const pairsOf = (messages: readonly Message[]): number[] =>
      [...pairResults(messages).values()].map(({ input }) => Number(isJsonObject(input) && input["n"]));
    const wanted = pairsOf(conversation.messages);
    expect(wanted).toHaveLength(2);
    for (const to of ["anthropic-messages", "bedrock-converse", "maf", "ai-sdk-ui"] as const) {
      const written = encode(conversation, { to, shape: "messages", recipient: "provider" }).value;
      const read = decode(JSON.parse(JSON.stringify(written)), { from: to, shape: "messages" });
      expect([to, pairsOf(read.conversation.messages)]).toEqual([to, wanted]);
    }
  });
});

/** `call → result`, as texts that tell them apart. */
const told = (messages: readonly Message[]): string[] =>
  [...pairResults(messages)].map(([{ output }, { name }]) => `${name}: ${JSON.stringify(output)}`);
const texts = (...pairs: readonly (readonly [tool: string, says: string])[]): string[] =>
  pairs.map(([tool, text]) => `${tool}: ${JSON.stringify([{ type: "text", text }])}`);

describe("calls with empty ids", () => {
  const callOf = (toolName: string) => ({ type: "tool-call", toolCallId: "", toolName, input: {} });
  const resultOf = (toolName: string, value: string) => ({
    type: "tool-result",
    toolCallId: "",
    toolName,
    output: { type: "text", value },
  });

  test("have the results of their tools, in whichever order those come", () => {
    const wire = [
      { role: "assistant", content: [callOf("f"), callOf("g")] },
      { role: "tool", content: [resultOf("g", "2"), resultOf("f", "1")] },
    ];
    const { conversation } = decode(wire, { from: "ai-sdk-model" });
    expect(told(conversation.messages)).toEqual(texts(["g", "2"], ["f", "1"]));
    expect(encode(conversation, { to: "ai-sdk-model", shape: "messages" }).value).toEqual(wire);
  });

  test("leave the result of a tool that nobody called an orphan", () => {
    const wire = [
      { role: "assistant", content: [callOf("f")] },
      { role: "tool", content: [resultOf("g", "2")] },
    ];
    const { conversation } = decode(wire, { from: "ai-sdk-model" });
    expect(told(conversation.messages)).toEqual([]);
    expect(encode(conversation, { to: "ai-sdk-model", shape: "messages" }).value).toEqual(wire);
  });

  test("have the questions that are asked about them, and their answers", () => {
    const wire = [
      {
        role: "assistant",
        content: [callOf("f"), callOf("g"), { type: "tool-approval-request", approvalId: "a", toolCallId: "" }],
      },
      { role: "tool", content: [{ type: "tool-approval-response", approvalId: "a", approved: true }] },
      { role: "tool", content: [resultOf("f", "1")] },
    ];
    const { conversation } = decode(wire, { from: "ai-sdk-model:v6", shape: "messages" });
    const [asked] = conversation.messages.flatMap(({ parts }) =>
      parts.filter(({ type }) => type === "approval-request"),
    );
    expect(asked).toMatchObject({ callId: "~0.0" });
    expect(encode(conversation, { to: "ai-sdk-model:v6", shape: "messages" }).value).toEqual(wire);
  });

  const asks = (id: string) => ({ type: "tool-approval-request", approvalId: id, toolCallId: "" });
  const says = (...content: readonly JsonObject[]) => ({ role: "assistant", content });
  const hears = (...content: readonly JsonObject[]) => ({ role: "tool", content });

  test.each<[what: string, wire: readonly Json[], asked: readonly string[]]>([
    ["that waits for its answer", [says(callOf("f"), asks("a"))], ["~0.0"]],
    [
      "behind a call of an earlier turn that has its result",
      [says(callOf("f")), hears(resultOf("f", "1")), says(callOf("f"), asks("a"))],
      ["~2.0"],
    ],
    [
      "behind a call of an earlier turn that has none",
      [says(callOf("f")), hears(resultOf("g", "1")), says(callOf("f"), asks("a"))],
      ["~2.0"],
    ],
    [
      "of several in one turn, in their order",
      [says(callOf("f"), callOf("g"), asks("a"), asks("b"))],
      ["~0.0", "~0.1"],
    ],
    [
      "of several in one turn, of which the first has its result",
      [says(callOf("f"), callOf("g"), { ...resultOf("f", "1") }, asks("a"))],
      ["~0.1"],
    ],
  ])("are asked about by the question %s", (_, wire, asked) => {
    const { conversation } = decode(wire, { from: "ai-sdk-model:v6", shape: "messages" });
    const questions = conversation.messages.flatMap(({ parts }) =>
      parts.filter(({ type }) => type === "approval-request"),
    );
    expect(questions).toMatchObject(asked.map(callId => ({ callId })));
    expect(encode(conversation, { to: "ai-sdk-model:v6", shape: "messages" }).value).toEqual(wire);
  });

  test("are named where a question would else be read as about another call", () => {
    const wire = [says(callOf("f"), callOf("f"), asks("a"), asks("b"))];
    const [message] = decode(wire, { from: "ai-sdk-model:v6", shape: "messages" }).conversation.messages;
    if (!message) throw new Error("a message was read");
    const cut = [{ ...message, parts: message.parts.filter((_, place) => place !== 2) }];
    const written = encode({ messages: cut }, { to: "ai-sdk-model:v6", shape: "messages" }).value as Json; // whole values are JSON
    const [read] = decode(written, { from: "ai-sdk-model:v6", shape: "messages" }).conversation.messages;
    const [, second, question] = read?.parts ?? [];
    expect(question).toMatchObject({ callId: (second as { callId?: string }).callId });
  });

  test("keep their own results where one part holds both, though an earlier call has none", () => {
    const tool = (name: string, more: JsonObject) => ({ type: `tool-${name}`, toolCallId: "", input: {}, ...more });
    const parts = [
      tool("f", { state: "input-available" }),
      tool("f", { state: "output-available", output: "2" }),
      tool("g", { state: "output-error", errorText: "no" }),
    ];
    const wire = [{ id: "m", role: "assistant", parts }];
    const { conversation } = decode(wire, { from: "ai-sdk-ui:v6", shape: "messages" });
    expect([...pairResults(conversation.messages).values()].map(({ callId }) => callId)).toEqual(["~0.1", "~0.2"]);
    expect(encode(conversation, { to: "ai-sdk-ui:v6", shape: "messages" }).value).toEqual(wire);
  });

  test("are named where a result would else be read as that of another call", () => {
    const wire = [
      { role: "assistant", content: [callOf("f"), callOf("f")] },
      { role: "tool", content: [resultOf("f", "1"), resultOf("f", "2")] },
    ];
    const [asked, answered] = decode(wire, { from: "ai-sdk-model" }).conversation.messages;
    if (!asked || !answered) throw new Error("two messages were read");
    const cut = [asked, { ...answered, parts: answered.parts.slice(1) }];
    const written = encode({ messages: cut }, { to: "ai-sdk-model", shape: "messages" }).value as Json; // whole values are JSON
    const read = decode(written, { from: "ai-sdk-model" }).conversation.messages;
    const [call] = pairResults(read).values();
    expect(read[0]?.parts.indexOf(call as Part)).toBe(1);
  });

  test("get ids that nothing else has", () => {
    const wire = [{ role: "assistant", content: [{ ...callOf("f"), toolCallId: "~0.1" }, callOf("f")] }];
    const { conversation } = decode(wire, { from: "ai-sdk-model" });
    expect(conversation.messages[0]?.parts).toMatchObject([{ callId: "~0.1" }, { callId: "~0.1.1" }]);
    expect(encode(conversation, { to: "ai-sdk-model", shape: "messages" }).value).toEqual(wire);
  });
});

test("a result in a stream of LangChain's protocol answers the call of an earlier message that waits", () => {
  const call = (args: JsonObject) => ({ type: "tool_call", id: null, name: "f", args });
  const events: readonly Json[] = [
    { event: "message-start", role: "ai", id: "a" },
    { event: "content-block-start", index: 0, content: call({ n: 1 }) },
    { event: "content-block-finish", index: 0, content: call({ n: 1 }) },
    { event: "message-finish", reason: "tool_use" },
    { event: "message-start", role: "tool", id: "b", tool_call_id: "" },
    { event: "content-block-start", index: 0, content: { type: "text", text: "1" } },
    { event: "content-block-finish", index: 0, content: { type: "text", text: "1" } },
    { event: "message-finish" },
  ];
  const { messages } = decode(events, { from: "langchain-events", shape: "stream" }).conversation;
  expect(told(messages)).toEqual([expect.stringMatching(/^f: .*"text":"1"/)]);
});
