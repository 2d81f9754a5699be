import { corpus } from "@translogue/testkit/wire-samples";
import {
  type Conversation,
  decode,
  encode,
  type Json,
  type JsonObject,
  type Part,
  reasoning,
  text,
  toolResult,
} from "translogue";
import {
  AssistantMessage,
  type BaseMessages,
  lighter,
  SystemMessage,
  ToolMessage,
  UserMessage,
} from "translogue/lighter";
import { describe, expect, test } from "vitest";

const calls = [{ callId: "c1", toolName: "add", arguments: '{"a":19,"b":23}' }];
const written = (conversation: Conversation): BaseMessages => encode(conversation, "lighter").value as BaseMessages; // lighter writes its classes

describe("the classes", () => {
  test("have just the fields that the document says, and its defaults", () => {
    expect({ ...new SystemMessage("s") }).toEqual({ role: "system", content: "s" });
    expect({ ...new UserMessage("u") }).toEqual({ role: "user", content: "u" });
    expect({ ...new AssistantMessage("a") }).toEqual({ role: "assistant", content: "a", toolCalls: [] });
    expect({ ...new AssistantMessage("", { reasoning: "r", toolCalls: calls }) }).toEqual({
      role: "assistant",
      content: "",
      reasoning: "r",
      toolCalls: calls,
    });
    const result = { callId: "c1", toolName: "add", toolOutput: "42" };
    expect({ ...new ToolMessage(result) }).toEqual({ role: "tool", ...result, isError: false });
    expect(new ToolMessage({ ...result, isError: true }).isError).toBe(true);
  });

  test("freeze nothing, and take the caller's array as it is", () => {
    const toolCalls = [...calls];
    const message = new AssistantMessage("", { toolCalls });
    expect(message.toolCalls).toBe(toolCalls);
    expect([message, toolCalls, toolCalls[0]].some(Object.isFrozen)).toBe(false);
  });

  test("export the four classes and the codec alone: the rest is types", async () => {
    expect(Object.keys(await import("translogue/lighter")).sort()).toEqual([
      "AssistantMessage",
      "SystemMessage",
      "ToolMessage",
      "UserMessage",
      "lighter",
    ]);
  });
});

describe("a tool's output", () => {
  test.each<[name: string, output: Parameters<typeof toolResult>[1], text: string]>([
    ["text keeps its quotes, as JSON writes it", "sunny", '"sunny"'],
    ["an empty text too", "", '""'],
    ["a number is a number", [{ type: "data", data: 42 }], "42"],
    ["an object is JSON", [{ type: "data", data: { temp: 15 } }], '{"temp":15}'],
    ["null is null", [{ type: "data", data: null }], "null"],
  ])("%s", (_, output, text) => {
    const result = toolResult("c1", output, { name: "f" });
    const [message] = written({ messages: [{ role: "tool", parts: [result] }] });
    expect(message).toEqual(new ToolMessage({ callId: "c1", toolName: "f", toolOutput: text }));
    expect(decode([{ ...message }], "lighter").conversation.messages[0]?.parts).toEqual([result]);
  });

  test("of a failed call is the error's text, without quotes", () => {
    const failed = toolResult("c1", "it broke", { name: "f", outcome: "error" });
    expect(written({ messages: [{ role: "tool", parts: [failed] }] })).toEqual([
      new ToolMessage({ callId: "c1", toolName: "f", toolOutput: "it broke", isError: true }),
    ]);
  });

  test.each(["hello", '{ "a": 1 }', "1.0", "[1,", "", '"quoted"'])(
    "that was put there by hand stays as it is: %j",
    toolOutput => {
      const messages = [new ToolMessage({ callId: "c", toolName: "f", toolOutput })];
      expect(written(decode(messages, "lighter").conversation)).toEqual(messages);
    },
  );
});

describe("a provider's own tool", () => {
  const call: Part = { type: "tool-call", callId: "s", name: "web_search", executedBy: "provider", input: {} };
  const output: Part[] = [{ type: "error", message: "too many" }];

  test.each<[name: string, outcome: object]>([
    ["by its outcome", { outcome: "error" }],
    ["by an error in its output alone", {}],
  ])("that failed, %s, is told as a tool that failed, behind what the assistant says", (_, outcome) => {
    const result: Part = { type: "tool-result", callId: "s", output, ...outcome };
    const [said, ...others] = written({ messages: [{ role: "assistant", parts: [call, result, text("sorry")] }] });
    expect(said).toMatchObject({ content: "sorry", toolCalls: [{ callId: "s" }] });
    const failed = { callId: "s", toolName: "web_search", toolOutput: "too many", isError: true };
    expect(others).toEqual([new ToolMessage(failed)]);
  });
});

describe("arguments", () => {
  test.each(["{}", "", '{ "a" : 1 }', '{"a":1.0}', "not json", '{"a":'])("stay as they are: %j", text => {
    const messages = [new AssistantMessage("", { toolCalls: [{ callId: "c", toolName: "f", arguments: text }] })];
    expect(written(decode(messages, "lighter").conversation)).toEqual(messages);
  });

  test("of a call that has none become an empty object, because an agent parses them", () => {
    const { value, losses } = encode(
      { messages: [{ role: "assistant", parts: [{ type: "tool-call", callId: "c", name: "f" }] }] },
      "lighter",
    );
    expect((value as AssistantMessage[])[0]?.toolCalls).toEqual([{ callId: "c", toolName: "f", arguments: "{}" }]); // lighter writes its classes
    expect(losses.map(({ code }) => code)).toEqual(["no-arguments"]);
  });
});

describe("what a class has no field for", () => {
  const sealed: Conversation = {
    messages: [
      {
        role: "assistant",
        id: "m1",
        responseId: "resp_1",
        parts: [
          { type: "reasoning", text: "hm", seal: { maker: "anthropic", values: { signature: "c2ln" } } },
          { type: "text", text: "one " },
          { type: "text", text: "two" },
        ],
      },
    ],
  };

  test("stays on the instance, unseen, and comes back with it", () => {
    const [message] = written(sealed);
    expect(JSON.parse(JSON.stringify(message))).toEqual({
      role: "assistant",
      content: "one two",
      reasoning: "hm",
      toolCalls: [],
    });
    expect(Object.keys(message ?? {})).toEqual(["role", "content", "reasoning", "toolCalls"]);
    expect(decode([message], "lighter").conversation).toEqual(sealed);
  });

  test("is not told as carried where it only stays on the instance, since its JSON is without it", () => {
    const { losses } = encode(sealed, "lighter");
    expect(losses.length).toBeGreaterThan(0);
    expect(losses.filter(({ carried }) => carried)).toEqual([]);
  });

  test.each([{ carry: true }, { recipient: "store" } as const])("asked for by %o, it lasts in the JSON", options => {
    const { value, losses } = encode(sealed, { to: "lighter", ...options });
    expect(losses.every(({ carried }) => carried === true)).toBe(true);
    const [message] = value as BaseMessages; // of the shape `messages`
    expect(Object.keys(message ?? {})).toEqual(["role", "content", "reasoning", "toolCalls"]);
    const back = JSON.parse(JSON.stringify(value)) as Json; // JSON.parse gives JSON
    expect(decode(back, { from: "lighter" })).toMatchObject({ conversation: sealed, issues: [] });
    const edited = (back as JsonObject[]).map(each => ({ ...each, content: "changed" })); // messages are objects
    expect(decode(edited, { from: "lighter" }).issues.map(({ code }) => code)).toEqual(["carry-void"]);
    const plain = { ...(back as JsonObject[])[0], translogue: "mine" };
    expect(
      JSON.parse(JSON.stringify(encode(decode([plain], { from: "lighter" }).conversation, "lighter").value)),
    ).toEqual([plain]);
  });

  test("is void once the instance was edited, and an issue says so", () => {
    const [message] = written(sealed);
    Object.assign(message ?? {}, { content: "changed" });
    const { conversation, issues } = decode([message], "lighter");
    expect(conversation.messages[0]?.parts).toEqual([
      { type: "reasoning", text: "hm" },
      { type: "text", text: "changed" },
    ]);
    expect(issues.map(({ code }) => code)).toEqual(["carry-void"]);
  });

  test.each<[string, Json]>([
    ["nonsense", { v: 2 }],
    ["a part without a type", { v: 1, reads: 1, base: "", messages: [{ parts: [{ part: {} }] }] }],
    ["no object", 5],
  ])("is looked at before it is believed: %s", (_, carry) => {
    const message = new AssistantMessage("hi");
    Object.defineProperty(message, Symbol.for("translogue.lighter"), { value: carry });
    expect(decode([message], "lighter").conversation.messages).toEqual([
      { role: "assistant", parts: [{ type: "text", text: "hi" }] },
    ]);
  });

  test("never goes to a provider", () => {
    const { value } = encode(sealed, { to: "lighter", recipient: "provider" });
    expect(decode(value, "lighter").conversation.messages[0]?.parts[0]).toEqual({ type: "reasoning", text: "hm" });
  });
});

test.each<[name: string, value: Json]>([
  ["a message that is none", [5]],
  ["an unknown role", [{ role: "robot", content: "x" }]],
  ["a call that is none", [{ role: "assistant", content: "", toolCalls: [{ callId: 1 }, null] }]],
  ["unknown members", [{ role: "user", content: "x", extra: [1] }]],
  ["a content of another type", [{ role: "user", content: [1] }]],
])("%s survives, with an issue where it is wrong", (name, value) => {
  const { conversation, issues } = decode(value, { from: "lighter", shape: "messages" });
  expect(JSON.parse(JSON.stringify(encode(conversation, "lighter").value))).toEqual(value);
  expect(issues.length > 0).toBe(name !== "unknown members");
});

test("every loss that the codec declares is met by the conversations of the corpus and these", () => {
  const more: Conversation[] = [
    { messages: [{ role: "assistant", parts: [reasoning("a"), reasoning("b"), reasoning()] }] },
    { messages: [{ role: "guide", parts: [text("x")] }] },
    {
      messages: [
        { role: "tool", parts: [{ type: "tool-result", callId: "x", output: [text("a"), text("b")] }, text("stray")] },
      ],
    },
  ];
  const met = [...corpus.map(([, conversation]) => conversation), ...more].flatMap(each =>
    encode(each, "lighter").losses.map(({ code }) => code),
  );
  expect(Object.keys(lighter.losses).filter(code => !met.includes(code))).toEqual([]);
});
