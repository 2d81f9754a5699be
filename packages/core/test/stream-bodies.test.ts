import { type FormatId, type Json, type Loss, transcode } from "translogue";
import { describe, expect, test } from "vitest";

type Target = Parameters<typeof transcode>[1];

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const pretty = (value: Json): string => JSON.stringify(value, undefined, 2);
const byteOrderMark = "\ufeff";

interface Output {
  readonly text: string;
  readonly issues: readonly string[];
  readonly losses: readonly Loss[];
}

/** What becomes of a body, whole and byte by byte. */
function transcoded(from: FormatId, to: Target, body: string, dialect?: string): Output {
  const all = bytes(body);
  const [whole, split] = [[all], [...all].map(byte => Uint8Array.of(byte))].map(pieces => {
    const machine = transcode(from, to, dialect === undefined ? {} : { dialect });
    const output = [...pieces.flatMap(piece => machine.push(piece)), ...machine.end()];
    const text = new TextDecoder().decode(Buffer.concat(output));
    return { text, issues: machine.issues.map(({ code }) => code), losses: machine.losses };
  });
  expect(split).toEqual(whole);
  return whole ?? { text: "", issues: [], losses: [] };
}

const maf: Json = {
  messages: [{ role: "assistant", contents: [{ $type: "text", text: "It is 7 degrees." }] }],
  agentId: "a",
  responseId: "r",
};
const converse: Json = {
  output: { message: { role: "assistant", content: [{ text: "It is 7 degrees." }] } },
  stopReason: "end_turn",
  usage: { inputTokens: 1, outputTokens: 2, totalTokens: 3 },
};
const ollama: Json = {
  model: "m",
  created_at: "2026-11-30T00:00:00Z",
  message: { role: "assistant", content: "It is 7 degrees." },
  done: true,
  done_reason: "stop",
};
const sdk: Json = {
  content: [{ type: "text", text: "It is 7 degrees." }],
  finishReason: "stop",
  usage: { inputTokens: 1, outputTokens: 2, totalTokens: 3 },
  warnings: [],
};

const answers = [
  ["maf", maf],
  ["bedrock-converse", converse],
  ["ollama", ollama],
  ["ai-sdk-prompt", sdk],
] as const satisfies readonly (readonly [FormatId, Json])[];

const spellings = [
  ["in one line", (value: Json) => `${JSON.stringify(value)}\n`],
  ["in one line without its end", (value: Json) => JSON.stringify(value)],
  ["over several lines", pretty],
  ["behind a byte order mark", (value: Json) => byteOrderMark + JSON.stringify(value)],
  ["over several lines behind a byte order mark", (value: Json) => `${byteOrderMark}${pretty(value)}\r\n`],
] as const;

describe("where a stream was expected", () => {
  describe.each(answers)("a whole answer of %s is passed on", (from, answer) => {
    test.each(spellings)("%s", (_, spell) => {
      const { text, issues } = transcoded(from, "openai-chat", spell(answer));
      expect(text).toContain('"content":"It is 7 degrees."');
      expect(text).toContain('"finish_reason":"stop"');
      expect(issues).toEqual([]);
    });
  });

  test.each(spellings)("a whole answer of a format of events is passed on %s", (_, spell) => {
    const choice = { index: 0, message: { role: "assistant", content: "It is 7 degrees." }, finish_reason: "stop" };
    const answer = { id: "x", object: "chat.completion", created: 1, model: "m", choices: [choice] };
    const { text, issues } = transcoded("openai-chat", "anthropic-messages", spell(answer));
    expect(text).toContain('"text":"It is 7 degrees."');
    expect(issues).toEqual([]);
  });

  const errors = [
    ["bedrock-converse", { message: "Too many requests" }, undefined],
    ["bedrock-converse", { Message: "Too many requests" }, undefined],
    ["ollama", { error: "Too many requests" }, undefined],
    ["maf", { error: { message: "Too many requests" } }, undefined],
    ["maf", { title: "Too many requests", status: 429 }, undefined],
    ["ai-sdk-model", { error: { message: "Too many requests" } }, undefined],
    ["ai-sdk-ui", { error: "Too many requests" }, undefined],
    ["ai-sdk-ui", { error: "Too many requests" }, "v4"],
    ["mistral", { detail: "Too many requests" }, undefined],
  ] as const satisfies readonly (readonly [FormatId, Json, string | undefined])[];

  describe.each(errors)(
    "an error instead of %s, %j (%s), is an error and not an empty answer",
    (from, error, dialect) => {
      test.each(spellings)("%s", (_, spell) => {
        const { text } = transcoded(from, "anthropic-messages", spell(error), dialect);
        expect(text).toContain('"type":"error"');
        expect(text).toContain("Too many requests");
        expect(text).not.toContain("message_stop");
      });
    },
  );

  test("a list of events of a format of lines gives each", () => {
    const update = (text: string): Json => ({ role: "assistant", contents: [{ $type: "text", text }] });
    const { text, issues } = transcoded("maf", "openai-chat", JSON.stringify([update("one"), update("two")]));
    expect(text).toContain('"content":"one"');
    expect(text).toContain('"content":"two"');
    expect(issues).toEqual([]);
  });

  test("what follows a whole answer in a line is told, and left out", () => {
    const lines = `${JSON.stringify(maf)}\n${JSON.stringify(maf)}\n`;
    const { text, issues } = transcoded("maf", "openai-chat", lines);
    expect(text.match(/It is 7 degrees/g)).toHaveLength(1);
    expect(issues).toEqual(["stream/after-end"]);
  });

  test("an answer goes out as soon as its line has come", () => {
    const machine = transcode("maf", "openai-chat");
    const output = machine.push(bytes(`${JSON.stringify(maf)}\n`));
    expect(new TextDecoder().decode(Buffer.concat(output))).toContain("[DONE]");
    expect(machine.isOver).toBe(true);
  });

  test.each([
    ["letters", "a".repeat(2000)],
    ["characters of several bytes", "\u{1f95f}".repeat(500)],
  ])("a long first line goes out as soon as it has come: %s", (_, content) => {
    const machine = transcode("ollama", "openai-chat");
    const line = {
      model: "m",
      created_at: "2026-11-30T00:00:00Z",
      message: { role: "assistant", content },
      done: false,
    };
    const output = machine.push(bytes(`${JSON.stringify(line)}\n`));
    expect(new TextDecoder().decode(Buffer.concat(output))).toContain(content);
  });

  test.each(["}", "]", "} ]"])("a bracket behind a body that closes nothing is told: %s", stray => {
    const chunk = { candidates: [{ content: { role: "model", parts: [{ text: "Hi" }] }, finishReason: "STOP" }] };
    const one = transcoded("gemini", "openai-chat", `${JSON.stringify(chunk)}${stray}`);
    expect(one.text).toContain('"content":"Hi"');
    expect(one.issues).toContain("stream/not-a-stream");
    const list = transcoded("gemini", "openai-chat", `${JSON.stringify([chunk])}${stray}`);
    expect(list.text).toContain('"content":"Hi"');
    expect(list.issues).toEqual(["stream/after-end"]);
  });

  test.each(["data center on fire", "id not known", "retry later", "event loop is blocked"])(
    "a text that only begins like a field is told as what it is: %s",
    text => {
      const output = transcoded("openai-chat", "anthropic-messages", text);
      expect(output.issues).toContain("stream/not-a-stream");
      expect(output.text).toContain(text);
    },
  );

  test("what an error says beyond its message and code is a loss", () => {
    const error = { message: "m", type: "t", param: "p", code: "c" };
    const { losses } = transcoded("openai-chat", "anthropic-messages", pretty({ error }));
    expect(losses).toContainEqual({
      kind: "dropped",
      code: "error.native",
      path: ["messages", 0, "parts", 0, "native", "openai-chat", "error"],
      message: "`error` of openai-chat has no place in a stream",
    });
  });
});
