import { type FormatId, formats, transcode } from "translogue";
import { describe, expect, test } from "vitest";

/** Numbers that JavaScript rounds, or writes otherwise. */
const numbers = ["12345678901234567890", "1.0", "1e3"];
const [large, decimal, power] = numbers;
const input = `{"n":${large},"in":{"f":[${decimal},{"e":${power}}]}}`;

const chunk = (delta: object, finish: string | null = null): string => {
  const choices = [{ index: 0, delta, finish_reason: finish }];
  const body = { id: "a", object: "chat.completion.chunk", created: 1, model: "m", choices };
  return `data: ${JSON.stringify(body)}\n\n`;
};
const called = (args: string): string =>
  chunk({ tool_calls: [{ index: 0, id: "c", type: "function", function: { name: "add", arguments: args } }] });
const more = (args: string): string => chunk({ tool_calls: [{ index: 0, function: { arguments: args } }] });

/** A stream whose call's arguments come as pieces of text. */
const source = [
  chunk({ role: "assistant", content: "I add." }),
  called(input.slice(0, 5)),
  more(input.slice(5)),
  chunk({}, "tool_calls"),
  "data: [DONE]\n\n",
].join("");

interface Way {
  readonly id: FormatId;
  readonly dialect: string;
}
/** Hosts of one API stream alike, and of a generation that is over nothing is written. */
const ways = formats.flatMap(({ id, stream, dialects }): Way[] => {
  if (!stream) return [];
  const written = dialects.filter(dialect => dialect !== "v4");
  const told = id.startsWith("openai-") ? written.slice(0, 1) : written;
  return told.map(dialect => ({ id: id as FormatId, dialect })); // registered ones
});
const sourceWay: Way = { id: "openai-chat", dialect: "openai" };

/** Bytes of one way → bytes of another, a few at a time. */
function passed(bytes: Uint8Array, from: Way, to: Way): Uint8Array {
  const machine = transcode(from.id, to.id, { dialect: from.dialect, toDialect: to.dialect });
  const out: Uint8Array[] = [];
  for (let at = 0; at < bytes.length; at += 50) out.push(...machine.push(bytes.subarray(at, at + 50)));
  out.push(...machine.end());
  return new Uint8Array(Buffer.concat(out));
}

/** Streams that say arguments twice, as text and as a value, must spell both: neither the rounded numbers nor the short ones are in them. */
const changed = /12345678901234567000|12345678901234567e|\[1,|\be\\*":1000/;

const missing = (bytes: Uint8Array): string[] => {
  const text = Buffer.from(bytes).toString();
  return [...numbers.filter(number => !text.includes(number)), ...(changed.exec(text) ?? [])];
};

describe.each(ways)("a call's numbers that $id:$dialect streams", from => {
  const bytes = passed(new TextEncoder().encode(source), sourceWay, from);

  test("are spelled as they came, in that stream and in all others", () => {
    expect(missing(bytes)).toEqual([]);
    const others = ways
      .filter(({ id }) => id !== from.id)
      .map(to => [`${to.id}:${to.dialect}`, ...missing(passed(bytes, from, to))])
      .filter(([, ...lost]) => lost.length > 0);
    expect(others).toEqual([]);
  });
});

const frames = (...events: readonly string[]): string => events.map(event => `data: ${event}\n\n`).join("");

describe("arguments that a host's stream has as an object, at once", () => {
  test.each<[from: FormatId, stream: string]>([
    [
      "anthropic-messages",
      frames(
        '{"type":"message_start","message":{"id":"m","type":"message","role":"assistant","model":"c","content":[]}}',
        `{"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"c","name":"add","input":${input}}}`,
        '{"type":"content_block_stop","index":0}',
        '{"type":"message_delta","delta":{"stop_reason":"tool_use"}}',
        '{"type":"message_stop"}',
      ),
    ],
    [
      "gemini",
      frames(
        `{"candidates":[{"content":{"role":"model","parts":[{"functionCall":{"name":"add","args":${input}}}]},"finishReason":"STOP"}]}`,
      ),
    ],
    [
      "gemini",
      frames(
        `{"candidates":[{"content":{"role":"model","parts":[{"functionCall":{"name":"add","willContinue":true,"args":{"in":{"f":[0,{"e":${power}}]}}}}]}}]}`,
        `{"candidates":[{"content":{"role":"model","parts":[{"functionCall":{"willContinue":true,"partialArgs":[{"jsonPath":"$.in.f[0]","numberValue":${decimal}}]}}]}}]}`,
        `{"candidates":[{"content":{"role":"model","parts":[{"functionCall":{"partialArgs":[{"jsonPath":"$.n","numberValue":${large}}]}}]},"finishReason":"STOP"}]}`,
      ),
    ],
    [
      "gemini-interactions",
      frames(
        '{"event_type":"interaction.created","interaction":{"id":"i","status":"in_progress"}}',
        `{"event_type":"step.start","index":0,"step":{"type":"function_call","id":"c","name":"add","arguments":${input}}}`,
        '{"event_type":"step.stop","index":0}',
        '{"event_type":"interaction.completed","interaction":{"id":"i","status":"requires_action"}}',
      ),
    ],
    [
      "mistral",
      frames(
        `{"id":"a","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":{"role":"assistant","content":"","tool_calls":[{"id":"c","index":0,"function":{"name":"add","arguments":${input}}}]},"finish_reason":"tool_calls"}]}`,
      ),
    ],
    [
      "ollama",
      `{"model":"m","message":{"role":"assistant","content":"","tool_calls":[{"function":{"name":"add","arguments":${input}}}]},"done":true,"done_reason":"stop"}\n`,
    ],
  ])("of %s keep their numbers in all others", (id, stream) => {
    const { dialects } = formats.find(each => each.id === id) ?? { dialects: [] };
    const from = { id, dialect: dialects[0] ?? "" };
    const others = ways
      .filter(to => to.id !== id)
      .map(to => [`${to.id}:${to.dialect}`, ...missing(passed(new TextEncoder().encode(stream), from, to))])
      .filter(([, ...lost]) => lost.length > 0);
    expect(others).toEqual([]);
  });
});
