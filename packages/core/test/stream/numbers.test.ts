import { type FormatRef, transcode } from "translogue";
import { describe, expect, test } from "vitest";

const input = '{"n":9007199254740993,"f":1.0}';
const asText = JSON.stringify(input).slice(1, -1);
/** JSON with arguments in it, as they are or as a text. */
const withInput = (json: unknown): string =>
  JSON.stringify(json).replaceAll('"INPUT"', input).replaceAll("TEXT", asText);

const chunk = { content: "", additional_kwargs: {}, response_metadata: {}, type: "AIMessageChunk" };
const choice = (delta: object, finish_reason: string | null = null): object => ({
  id: "x",
  model: "m",
  choices: [{ index: 0, delta, finish_reason }],
});

const sources = {
  "ai-sdk-ui:v7": [
    { type: "start" },
    { type: "tool-input-available", toolCallId: "c", toolName: "w", input: "INPUT" },
    { type: "tool-output-available", toolCallId: "c", output: "INPUT" },
    { type: "finish" },
  ],
  "openai-chat": [
    choice({ role: "assistant", tool_calls: [{ index: 0, id: "c", function: { name: "w", arguments: "" } }] }),
    choice({ tool_calls: [{ index: 0, function: { arguments: "TEXT" } }] }),
    choice({}, "tool_calls"),
  ],
  "langchain:python": [
    {
      ...chunk,
      tool_calls: [{ name: "w", args: "INPUT", id: "c", type: "tool_call" }],
      tool_call_chunks: [],
      chunk_position: "last",
    },
  ],
  "langchain-events:protocol": [
    { event: "message-start", role: "ai" },
    {
      event: "content-block-start",
      index: 0,
      content: { type: "tool_call", id: "c", name: "w", args: "INPUT" },
    },
    {
      event: "content-block-finish",
      index: 0,
      content: { type: "tool_call", id: "c", name: "w", args: "INPUT" },
    },
    { event: "message-finish", reason: "tool_use" },
  ],
};
type Source = keyof typeof sources;
const ids = Object.keys(sources) as readonly Source[]; // the table's own

function transcoded(from: Source, to: FormatRef): string {
  const machine = transcode(from, to);
  const text = sources[from].map(event => `data: ${withInput(event)}\n\n`).join("");
  const bytes = [...machine.push(new TextEncoder().encode(text)), ...machine.end()];
  return bytes.map(each => new TextDecoder().decode(each)).join("");
}

const otherwise = /9007199254740992|f\\?": ?1[^.]/;

/** Where arguments of a text become an object, that has the spelling of the text. */
const targets: readonly (readonly [to: FormatRef, found: readonly string[]])[] = [
  ["openai-chat:openai", [asText]],
  ["ai-sdk-prompt", [asText]],
  ["gemini", [input]],
  ["gemini-interactions", [asText]],
  ["ollama", [input]],
  ["langchain:python", [asText, input]],
  ["langchain:python-stored", [asText, input]],
  ["langchain:python-lc", [asText, input]],
  ["langchain:js-lc", [asText]],
  ["langchain:js-stored", [asText]],
  ["langchain:js-flat", [asText]],
  ["langchain-events:protocol", [asText, input]],
  ["langchain-events:v2-js", [asText, input]],
  ["langchain-events:v2-python", [asText, input]],
];

describe.each(ids)("the numbers of a call in a stream of %s", from => {
  test.each(targets.filter(([to]) => to !== from))(
    "keep their spelling on the way to %s, and no other is written",
    (to, found) => {
      const text = transcoded(from, to);
      for (const each of found) expect(text).toContain(each);
      expect(text).not.toMatch(otherwise);
    },
  );

  test("keep their spelling in OpenAI's dicts, which Python writes with blanks", () => {
    const text = transcoded(from, "langchain:openai");
    expect(text.replaceAll(" ", "")).toContain(asText);
    expect(text).not.toMatch(otherwise);
  });
});

test.each<FormatRef>(["ai-sdk-ui:v6", "maf", "langchain:python", "langchain-events:v2-python"])(
  "the numbers of arguments and results that came as objects keep their spelling on the way to %s",
  to => {
    const text = transcoded("ai-sdk-ui:v7", to).replaceAll('\\"', '"');
    expect(text.split(input).length).toBeGreaterThan(2);
    expect(text).not.toMatch(otherwise);
  },
);

test.each([
  ...["9007199254740993", "1.0", "0.50", "-0", "-0.0", "1e5", "1E+5", "2.5e-7", "1e400"],
  ...["808.38009245755385", "92820020639378.563355676", "0.0000001"],
])("the number %s keeps its spelling in a frame, whatever stands around it", number => {
  const machine = transcode("langchain:python", "langchain-events:protocol");
  const around = { words: "gpt-5.2-2026-01-15", at: 1_764_460_800, short: 0.25, none: 0, less: -1 };
  const args = JSON.stringify({ ...around, n: "N" }).replace('"N"', number);
  const call = JSON.stringify({
    ...chunk,
    tool_calls: [{ name: "w", args: "INPUT", id: "c", type: "tool_call" }],
    tool_call_chunks: [],
    chunk_position: "last",
  });
  const frame = `data: ${call.replace('"INPUT"', args)}\n\n`;
  const written = [...machine.push(new TextEncoder().encode(frame)), ...machine.end()];
  expect(written.map(each => new TextDecoder().decode(each)).join("")).toContain(args);
});
