import * as core from "@langchain/core/messages";
import { convert, decode, detect, encode, type FormatRef, isError, type Json } from "translogue";
import { readMessages } from "translogue/langchain";
import { describe, expect, test } from "vitest";

const call = { name: "f", args: { a: 1 }, id: "1", type: "tool_call" };
const asked = { role: "assistant", content: "", tool_calls: [call] };
const human = { type: "human", content: "x" };

/** What is detected first, read and written again. */
function again(value: Json): { readonly found: string; readonly value: unknown; readonly losses: readonly unknown[] } {
  const [first] = detect(value);
  const { conversation, shape, dialect } = decode(value, first?.format as FormatRef);
  const to = `${first?.format}:${dialect}` as FormatRef;
  const written = encode(conversation, { to, shape, recipient: "store", carry: false });
  return { found: `${to}/${shape}`, value: written.value, losses: written.losses };
}

describe("what people give LangGraph", () => {
  test.each<[name: string, value: Json, found: string]>([
    ["calls of LangChain's in dicts of OpenAI's", [asked], "langchain:openai/messages"],
    ["such calls among other dicts", [{ role: "user", content: "q" }, asked], "langchain:openai/messages"],
    [
      "a list of tuples",
      [
        ["system", "s"],
        ["human", "hi"],
      ],
      "langchain:openai/messages",
    ],
    ["a state", { messages: [human] }, "langchain:python/log"],
    ["a state with channels of its own", { a: 1, messages: [asked], b: { n: [null] } }, "langchain:openai/log"],
    ["a thread", { values: { messages: [human], q: 1 }, next: ["n"], metadata: {} }, "langchain:python/log"],
    ["the input of a run", { assistant_id: "a", input: { messages: [human] } }, "langchain:python/log"],
    [
      "a run, of which the output has the input's messages too",
      {
        input: { messages: [human] },
        output: {
          messages: [
            { ...human, id: "h" },
            { type: "ai", content: "y" },
          ],
          z: 1,
        },
      },
      "langchain:python/log",
    ],
    [
      "a run that was given tuples",
      { input: { messages: [["user", "x"]], q: 1 }, output: { messages: [human, { type: "ai", content: "y" }] } },
      "langchain:python/log",
    ],
    [
      "a node's run, of which the output is new",
      { output: { messages: [{ type: "ai", content: "y" }] }, input: { messages: [human] } },
      "langchain:python/log",
    ],
  ])("is LangChain's and comes back as it was: %s", (_, value, found) => {
    expect(again(value)).toEqual({ found, value, losses: [] });
  });

  test.each<[name: string, value: Json, texts: readonly string[]]>([
    [
      "the output where it goes on from the input",
      {
        input: { messages: [["user", "x"]] },
        output: {
          messages: [
            { ...human, id: "h" },
            { type: "ai", content: "y" },
          ],
        },
      },
      ["x", "y"],
    ],
    [
      "the input and the output where that is new",
      { input: { messages: [human] }, output: { messages: [{ type: "ai", content: "y" }] } },
      ["x", "y"],
    ],
    [
      "the input alone where the output is something else",
      {
        input: { messages: [human, { type: "ai", content: "y" }] },
        output: { messages: [{ type: "ai", content: "y" }] },
      },
      ["x", "y"],
    ],
  ])("the conversation of a run is %s", (_, value, texts) => {
    const { conversation } = decode(value, "langchain");
    expect(conversation.messages.map(({ parts: [only] }) => only?.type === "text" && only.text)).toEqual(texts);
  });

  test("an edit of a run's input is written in its input and output", () => {
    const value = {
      input: { messages: [human] },
      output: {
        messages: [
          { ...human, id: "h" },
          { type: "ai", content: "y" },
        ],
      },
    };
    const { conversation, shape, dialect } = decode(value, "langchain");
    const [first, ...others] = conversation.messages;
    const messages = first ? [{ ...first, parts: [{ type: "text", text: "z" } as const] }, ...others] : [];
    const { value: edited } = encode(
      { ...conversation, messages },
      { to: "langchain", shape, dialect, recipient: "store" },
    );
    expect(edited).toMatchObject({
      input: { messages: [{ content: "z" }] },
      output: { messages: [{ content: "z", id: "h" }, { content: "y" }] },
    });
  });

  test("the same messages without a mark of LangChain's stay a request of Chat's", () => {
    expect(detect({ messages: [{ role: "user", content: "x" }] })[0]).toMatchObject({ format: "openai-chat" });
  });

  test("calls in dicts go to a provider as OpenAI has them", () => {
    const { conversation } = decode([asked], "langchain");
    const { value } = encode(conversation, { to: "langchain:openai", shape: "messages", recipient: "provider" });
    expect(value).toMatchObject([
      { tool_calls: [{ type: "function", function: { name: "f", arguments: '{"a": 1}' } }] },
    ]);
    expect(convert([asked], { to: "openai-chat" }).value).toMatchObject([
      { tool_calls: [{ id: "1", type: "function" }] },
    ]);
  });

  test("what a state has beside its messages is reported where only these are written", () => {
    const { conversation } = decode({ messages: [human], q: 1 }, "langchain");
    const { losses } = encode(conversation, { to: "langchain", shape: "messages" });
    expect(losses.map(({ code, path }) => [code, path])).toEqual([["state", ["native", "langchain"]]]);
  });

  test("one record of a stream is detected, and the error says how to read it", () => {
    const record = { event: "on_chat_model_stream", run_id: "r", data: { chunk: { type: "ai", content: "a" } } };
    expect(detect(record)[0]).toMatchObject({ format: "langchain-events", shape: "stream" });
    expect(() => decode(record, "langchain-events")).toThrow(/into an array, or push each into a `streamDecoder`/);
  });
});

describe("an input alone", () => {
  test.each<[name: string, body: Json, confidence: number]>([
    ["of a model that answers", { model: "gpt-5", input: "hi" }, 0.5],
    ["of a model that embeds", { model: "text-embedding-3-small", input: "hi" }, 0.1],
    ["with a member of the embeddings", { model: "m", input: "hi", dimensions: 8 }, 0.1],
  ])("is a request of Responses' as far as its model may answer: %s", (_, body, confidence) => {
    expect(detect(body)[0]).toMatchObject({ format: "openai-responses", confidence });
  });
});

describe("live messages among what is like a message", () => {
  const instances = [
    new core.HumanMessage("x"),
    new core.AIMessage({ content: "", tool_calls: [{ ...call, type: "tool_call" }] }),
  ];

  test.each([{}, { language: "js" }, { language: "python" }] as const)("are read as their own JSON is: %o", options => {
    const json: unknown = JSON.parse(JSON.stringify(instances));
    const { messages, issues } = readMessages([...instances, "hi"], options);
    expect(messages.slice(0, 2)).toEqual(decode(json, "langchain").conversation.messages);
    expect(messages[2]).toMatchObject({ role: "user", parts: [{ type: "text", text: "hi" }] });
    expect(issues).toEqual([]);
  });

  test("are read alone, too", () => {
    expect(readMessages(instances[0]).messages).toMatchObject([{ role: "user", parts: [{ type: "text", text: "x" }] }]);
  });
});

describe("what is no message", () => {
  test.each<[name: string, item: unknown, code: string, role: string]>([
    ["null", null, "not-a-message", "control"],
    ["nothing", undefined, "not-a-message", "control"],
    ["a number", 3, "not-a-message", "control"],
    ["a tuple of three", ["a", "b", "c"], "not-a-message", "control"],
    ["a tool's message without its call", ["tool", "y"], "refused", "tool"],
  ])("is an issue of its own among messages: %s", (_, item, code, role) => {
    const { messages, issues } = readMessages(["hi", item]);
    expect(messages.map(message => message.role)).toEqual(["user", role]);
    expect(issues.map(issue => [issue.code, issue.wirePath])).toEqual([[code, [1]]]);
  });

  test.each(["python", "js"] as const)("is refused where %s's own function refuses it", language => {
    for (const item of [null, ["tool", "y"]]) {
      expect(() => readMessages([item], { language })).toThrow(expect.toSatisfy(isError));
    }
  });

  test("is refused where there is nothing else", () => {
    expect(() => readMessages(3)).toThrow(/item 0 is nothing that LangChain takes for a message/);
  });
});

describe("an error's body", () => {
  const body = { error: { message: "bad", type: "x", param: null, code: "y" } };
  const targets = [
    "langchain",
    "langchain-events",
    "lighter",
    "maf",
    "ai-sdk-prompt",
    "ai-sdk-ui",
    "ai-sdk-model",
  ] as const;

  test.each(["openai-chat", "openai-responses"] as const)(
    "of %s is an answer that failed elsewhere, or is reported",
    from => {
      for (const to of targets) {
        const { value, losses } = convert(body, { from, to });
        const isSaid = JSON.stringify(value).includes('"bad"');
        expect(losses.some(({ code, path }) => code === "error" && path.includes("parts"))).toBe(!isSaid);
      }
    },
  );
});
