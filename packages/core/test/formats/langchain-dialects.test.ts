import { arbitraryConversation } from "@translogue/testkit/arbitrary";
import { properties } from "@translogue/testkit/properties";
import { corpus } from "@translogue/testkit/wire-samples";
import fc from "fast-check";
import { accumulate, convert, decode, type FormatId, findFormat, runAll, streamDecoder, transcode } from "translogue";
import { describe, expect, test } from "vitest";

const seed = Number(process.env["TRANSLOGUE_SEED"] ?? 20261130);
const share = { seed, numRuns: Number(process.env["TRANSLOGUE_RUNS"] ?? 20) };

const dialects = findFormat("langchain").codec.dialects.map(dialect => `langchain:${dialect}`);

describe.each(dialects)("%s", dialect => {
  const format = dialect as FormatId; // the properties take a dialect where they take a format
  test.each(properties)("$name", ({ holds }) => {
    for (const [, conversation] of corpus) expect(holds(format, conversation)).toBeUndefined();
    fc.assert(
      fc.property(arbitraryConversation, conversation => {
        expect(holds(format, conversation)).toBeUndefined();
      }),
      share,
    );
  });
});

test("a removal comes back from another language as it was", () => {
  const removal = { type: "remove", content: "", id: "9" };
  const there = convert([removal], { from: "langchain:python", to: "langchain:js-lc", carry: true });
  const back = convert(there.value, { from: "langchain:js-lc", to: "langchain:python", carry: true });
  expect(back.value).toEqual([removal]);
  expect(Object.keys(removal)).toEqual(Object.keys((back.value as readonly object[])[0] ?? {}));
});

describe.each(dialects.filter(dialect => dialect !== "langchain:openai"))(
  "a call in a dict of OpenAI's form is one of LangChain's own in %s",
  dialect => {
    const dict = (more: object) => {
      const made = { type: "function", id: "c", function: { name: "add", arguments: '{"a": 1}', ...more } };
      return { role: "assistant", content: "hi", tool_calls: [made] };
    };
    const call = { type: "tool-call", callId: "c", name: "add", input: { a: 1 } };
    const from = "langchain:openai";
    const to = dialect as FormatId; // a format with its dialect

    test("whole, and read again as that", () => {
      const { value, losses } = convert([dict({})], { from, to });
      expect([JSON.stringify(value), losses]).toEqual([expect.not.stringContaining('"function"'), []]);
      expect(decode(value, to).conversation.messages[0]?.parts[1]).toMatchObject(call);
    });

    test("with what else its entry says beside it", () => {
      const { value, losses } = convert([dict({ strict: true })], { from, to });
      expect([JSON.stringify(value), losses]).toEqual([expect.stringContaining('"strict":true'), []]);
      expect(convert(value, { from: to, to: from }).value).toEqual([dict({ strict: true })]);
    });

    test("in a stream", () => {
      const machine = transcode(from, to);
      const text = [...machine.push(Buffer.from(`data: ${JSON.stringify(dict({}))}\n\n`)), ...machine.end()];
      const wire = Buffer.concat(text)
        .toString()
        .matchAll(/^data: (.*)$/gm);
      const events = runAll(
        streamDecoder(to),
        [...wire].map(([, data = ""]) => JSON.parse(data)),
      );
      expect(accumulate(events)[0]?.parts).toMatchObject([{ text: "hi" }, call]);
      expect(machine.losses).toEqual([]);
    });
  },
);
