import {
  decode,
  encode,
  type FormatId,
  type Json,
  type JsonObject,
  runAll,
  streamDecoder,
  streamEncoder,
} from "translogue";
import { describe, expect, test } from "vitest";

const usage = { prompt_tokens: 3, completion_tokens: 4, total_tokens: 7 };
const head = { id: "chatcmpl-1", created: 1_764_500_000, model: "m" };
const words = ["first", "second", "third"];
const choices = words.map((content, index) => ({
  index,
  message: { role: "assistant", content },
  finish_reason: index === 0 ? "length" : "stop",
}));
const answer = { ...head, object: "chat.completion", choices, usage };

const chunk = (index: number, delta: JsonObject, finish: string | null = null): JsonObject => ({
  ...head,
  object: "chat.completion.chunk",
  choices: [{ index, delta, finish_reason: finish }],
});
const chunks: readonly Json[] = [
  ...words.map((_, index) => chunk(index, { role: "assistant", content: "" })),
  ...[0, 1].flatMap(half =>
    words.map((word, index) => chunk(index, { content: half === 0 ? word.slice(0, 2) : word.slice(2) })),
  ),
  ...choices.map(({ finish_reason: finish }, index) => chunk(index, {}, finish)),
  { ...head, object: "chat.completion.chunk", choices: [], usage },
];

const targets: readonly FormatId[] = [
  "anthropic-messages",
  "bedrock-converse",
  "cohere",
  "gemini-interactions",
  "ollama",
  "openai-responses",
];

describe.each(targets)("%s, whose answer is one, of several choices", to => {
  const read = (value: unknown, shape: "answer" | "stream") =>
    decode(value, { from: to, shape }).conversation.messages.map(({ parts, finish, usage: counts }) => ({
      said: parts.map(part => ("text" in part ? part.text : part.type)).join(""),
      isCut: finish?.reason === "length",
      output: counts?.output,
    }));
  const others = [1, 2].map(index => ({ code: "other-choice", path: `messages.${index}` }));
  const isOther = ({ code, path }: { code: string; path: readonly (string | number)[] }) => ({
    code,
    path: path.join("."),
  });

  test("holds the first with the counts of all, and reports the rest", () => {
    const { conversation } = decode(answer, "openai-chat");
    const { value, losses } = encode(conversation, { to, shape: "answer", carry: false });
    expect(read(value, "answer")).toEqual([{ said: "first", isCut: true, output: 4 }]);
    expect(losses.map(isOther)).toEqual(expect.arrayContaining(others));
    expect(losses.filter(({ code }) => code === "messages-joined")).toEqual([]);
  });

  test("streams the first with the counts of all, and reports the rest", () => {
    const machine = streamEncoder(to);
    const written = runAll(machine, runAll(streamDecoder("openai-chat"), chunks));
    expect(read(written, "stream")).toEqual([{ said: "first", isCut: true, output: 4 }]);
    expect(machine.losses.map(isOther)).toEqual(expect.arrayContaining(others));
    expect(machine.losses.filter(({ code }) => code === "messages-joined")).toEqual([]);
  });

  test("writes the same stream of the whole", () => {
    const { conversation } = decode(answer, "openai-chat");
    const { value } = encode(conversation, { to, shape: "stream", carry: false });
    expect(read(value, "stream")).toEqual([{ said: "first", isCut: true, output: 4 }]);
  });

  test("still holds the newest of answers that were given one after another", () => {
    const given = ["old", "new"].map((text, index) => ({
      id: `a${index}`,
      parent: "u",
      role: "assistant",
      responseId: `r${index}`,
      parts: [{ type: "text" as const, text }],
    }));
    const asked = { id: "u", parent: null, role: "user", parts: [{ type: "text" as const, text: "so" }] };
    const { value } = encode({ messages: [asked, ...given] }, { to, shape: "answer", carry: false });
    expect(read(value, "answer").map(({ said }) => said)).toEqual(["new"]);
  });
});

describe.each([
  "ai-sdk-ui:v5",
  "ai-sdk-ui:v6",
  "ai-sdk-ui:v7",
  "ai-sdk-model:v7",
  "ai-sdk-prompt:v4",
  "huajuan",
  "maf",
] as const)("%s, whose messages of one answer follow one another, of several choices", to => {
  const said = (value: unknown, shape: "messages" | "answer" | "stream"): string[] =>
    decode(value, { from: to, shape }).conversation.messages.map(({ parts }) =>
      parts.map(part => ("text" in part ? part.text : part.type)).join(""),
    );
  const others = [1, 2].map(index => expect.objectContaining({ code: "other-choice", path: ["messages", index] }));

  test("streams the first, and reports the rest", () => {
    const machine = streamEncoder(to);
    const written = runAll(machine, runAll(streamDecoder("openai-chat"), chunks));
    expect(said(written, "stream")).toEqual(["first"]);
    expect(machine.losses).toEqual(expect.arrayContaining(others));
  });

  test("holds the first of an answer, and reports the rest", () => {
    const { conversation } = decode(answer, "openai-chat");
    const { value, shape, losses } = encode(conversation, { to, shape: "answer", carry: false });
    expect(said(value, shape === "answer" ? "answer" : "messages")).toEqual(["first"]);
    expect(losses).toEqual(expect.arrayContaining(others));
  });
});

describe("choices that come out of order", () => {
  const late: readonly Json[] = [
    chunk(1, { role: "assistant", content: "second" }),
    chunk(2, { role: "assistant", content: "third" }),
    chunk(0, { role: "assistant", content: "first" }),
    ...[2, 1, 0].map(index => chunk(index, {}, "stop")),
  ];
  const candidate = (text: string, index: number): JsonObject => ({
    content: { role: "model", parts: [{ text }] },
    finishReason: "STOP",
    index,
  });
  const candidates = [candidate("second", 1), candidate("third", 2), candidate("first", 0)];
  const sources = [
    { from: "openai-chat", stream: late, whole: { ...answer, choices: [1, 2, 0].map(index => choices[index] ?? {}) } },
    { from: "gemini", stream: candidates.map(each => ({ candidates: [each] })), whole: { candidates } },
  ] as const satisfies readonly { from: FormatId; stream: readonly Json[]; whole: JsonObject }[];

  const textsOf = (value: unknown, from: FormatId, shape: "answer" | "stream"): string[] =>
    decode(value, { from, shape }).conversation.messages.map(({ parts }) =>
      parts.map(part => ("text" in part ? part.text : part.type)).join(""),
    );

  describe.each(sources)("in $from", ({ from, stream, whole }) => {
    test("are read in their own order, whole and streamed", () => {
      expect(textsOf(whole, from, "answer")).toEqual(words);
      expect(textsOf(stream, from, "stream")).toEqual(words);
    });

    test("are answered by the first, and the others reported", () => {
      const { conversation } = decode(whole, { from, shape: "answer" });
      const { value, losses } = encode(conversation, { to: "anthropic-messages", shape: "answer", carry: false });
      expect(textsOf(value, "anthropic-messages", "answer")).toEqual(["first"]);
      expect(losses.filter(({ code }) => code === "other-choice").map(({ path }) => path[1])).toEqual([1, 2]);
    });

    test.each(["anthropic-messages", "maf", "ai-sdk-ui:v7", "langchain", "langchain-events"] as const)(
      "are streamed to %s as the first, and the others reported",
      to => {
        const machine = streamEncoder(to);
        const written = JSON.stringify(runAll(machine, runAll(streamDecoder(from), stream)));
        expect(written).toContain("first");
        expect(written).not.toMatch(/second|third/);
        expect(machine.losses.filter(({ code }) => code === "other-choice").map(({ path }) => path[1])).toEqual([1, 2]);
      },
    );
  });

  test("are all there where the first never comes", () => {
    const only = [chunk(1, { role: "assistant", content: "second" }), chunk(1, {}, "stop")];
    expect(textsOf(only, "openai-chat", "stream")).toEqual(["second"]);
    const machine = streamEncoder("anthropic-messages");
    expect(JSON.stringify(runAll(machine, runAll(streamDecoder("openai-chat"), only)))).toContain("second");
  });

  test("go out once they go on, though the first has not begun", () => {
    const decoder = streamDecoder("openai-chat");
    expect(decoder.push(chunk(1, { content: "sec" }))).toEqual([]);
    expect(decoder.push(chunk(1, { content: "ond" })).map(({ type }) => type)).toEqual([
      "message-start",
      "part-start",
      "part-delta",
      "part-delta",
    ]);
    expect(decoder.push(chunk(0, { content: "first" })).map(({ type }) => type)).toContain("message-start");
  });

  test.each<FormatId>(["anthropic-messages", "cohere"])(
    "that begin where another goes on are before it, to %s as anywhere",
    to => {
      const goesOn = {
        ...chunk(1, {}),
        choices: [1, 0].map(index => ({ index, delta: { content: words[index] ?? "" } })),
      };
      const stream = [chunk(1, { role: "assistant" }), goesOn, ...[0, 1].map(index => chunk(index, {}, "stop"))];
      const machine = streamEncoder(to);
      const written = JSON.stringify(runAll(machine, runAll(streamDecoder("openai-chat"), stream)));
      expect(written).toContain("first");
      expect(written).not.toContain("second");
      expect(machine.losses.filter(({ code }) => code === "other-choice").map(({ path }) => path[1])).toEqual([1]);
    },
  );

  test("are answered by the one that came first, where it goes on before those of lower numbers", () => {
    const stream = [chunk(1, { content: "sec" }), chunk(1, { content: "ond" }), chunk(0, { content: "first" })];
    const machine = streamEncoder("anthropic-messages");
    expect(JSON.stringify(runAll(machine, runAll(streamDecoder("openai-chat"), stream)))).not.toContain("first");
    expect(machine.losses.filter(({ code }) => code === "other-choice")).toMatchObject([
      { path: ["messages", 0], message: expect.stringContaining("the one that came first") as string },
    ]);
  });

  test.each<FormatId>(["openai-chat", "gemini", "mistral"])("are written to %s so that they are read in order", to => {
    const said = (index: number, content: string) => chunk(index, { content });
    const stream = [
      ...[0, 1].map(index => chunk(index, { role: "assistant", content: "" })),
      ...[said(1, "sec"), said(1, "ond"), said(0, "first")],
      ...[0, 1].map(index => chunk(index, {}, "stop")),
    ];
    const written = runAll(streamEncoder(to), runAll(streamDecoder("openai-chat"), stream));
    expect(textsOf(written, to, "stream")).toEqual(["first", "second"]);
  });

  test("wait only for those before them: an error ends what has come", () => {
    const decoder = streamDecoder("openai-chat");
    expect(decoder.push(chunk(1, { content: "second" }))).toEqual([]);
    const events = decoder.push({ error: { message: "bad" } });
    expect(events.map(({ type }) => type)).toEqual(["message-start", "part-start", "part-delta", "error"]);
  });
});

test("a candidate without a number is the first, whole and streamed: proto JSON leaves out 0", () => {
  const said = (text: string) => ({ content: { role: "model", parts: [{ text }] }, finishReason: "STOP" });
  const body: JsonObject = { candidates: [{ index: 1, ...said("second") }, said("first")] };
  const whole = decode(body, { from: "gemini", shape: "answer" }).conversation.messages;
  const streamed = decode([body], { from: "gemini", shape: "stream" }).conversation.messages;
  const firstOf = (messages: typeof whole) => messages.map(({ parts }) => parts[0]);
  expect(firstOf(whole)).toMatchObject([{ text: "first" }, { text: "second" }]);
  expect(firstOf(streamed)).toEqual(firstOf(whole));
});
