import { type Event, type FormatRef, isJsonObject, type Json, runAll, streamDecoder, streamEncoder } from "translogue";
import { describe, expect, test } from "vitest";

const start: Event = { type: "message-start", message: 0, head: { role: "assistant" } };
const end: readonly Event[] = [
  { type: "message-set", message: 0, set: { finish: { reason: "stop" } } },
  { type: "message-end", message: 0 },
];
const begun: readonly Event[] = [
  start,
  { type: "part-start", message: 0, part: 10, value: { type: "text", text: "" } },
  { type: "part-delta", message: 0, part: 10, of: "text", text: "Hel" },
];
const more: Event = { type: "part-delta", message: 0, part: 10, of: "text", text: "lo" };
const textEnd: Event = { type: "part-end", message: 0, part: 10 };
const seal = { maker: "openai", values: { id: "rs_1", encrypted_content: "ENC" } };

/** Parts of a lower number than a text that is out. */
const late: { readonly [part: string]: Event } = {
  "sealed reasoning": { type: "part", message: 0, part: 0, value: { type: "reasoning", seal } },
  reasoning: { type: "part", message: 0, part: 0, value: { type: "reasoning", text: "Hm" } },
  "a call": { type: "part", message: 0, part: 0, value: { type: "tool-call", callId: "c", name: "f", input: {} } },
  "a text": { type: "part", message: 0, part: 0, value: { type: "text", text: "Oh." } },
};
const formats: readonly FormatRef[] = ["langchain:python", "langchain:js-lc", "langchain-events:protocol"];

describe.each(formats)("a part that comes when the text behind it is out, in %s", format => {
  test.each(Object.entries(late))("follows the text, which is told once, and is reported: %s", (_, part) => {
    for (const events of [
      [...begun, more, part, textEnd, ...end],
      [...begun, part, more, textEnd, ...end],
    ]) {
      const encoder = streamEncoder(format);
      const read = runAll(streamDecoder(format), runAll(encoder, events));
      const said = read.flatMap(event =>
        event.type === "part-delta" && event.of === "text"
          ? [event.text]
          : event.type === "part" && event.value.type === "text"
            ? [event.value.text]
            : [],
      );
      expect(said.join("").match(/Hello/g)).toHaveLength(1);
      expect(encoder.losses).toContainEqual(
        expect.objectContaining({ code: "already-sent", path: ["messages", 0, "parts", 0] }),
      );
    }
  });
});

test("a block of LangChain's protocol keeps the index that it was given", () => {
  const sealed = late["sealed reasoning"] as Event; // a row of the table
  const written = runAll(streamEncoder("langchain-events:protocol"), [...begun, sealed, more, textEnd, ...end]);
  const types = new Map<Json, Set<Json>>();
  for (const { index, content } of written.filter(isJsonObject)) {
    if (index !== undefined && isJsonObject(content))
      types.set(index, (types.get(index) ?? new Set()).add(content["type"] ?? null));
  }
  expect([...types]).toEqual([
    [0, new Set(["text"])],
    [1, new Set(["reasoning"])],
  ]);
});
