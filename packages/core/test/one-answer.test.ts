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
