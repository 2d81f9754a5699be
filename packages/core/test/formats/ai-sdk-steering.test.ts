import { readChunks } from "@translogue/testkit/generations";
import { accumulate, encode, type Json, runAll, streamDecoder } from "translogue";
import { describe, expect, test } from "vitest";

/** Words of the user's while a run goes on: the SDK's reader puts them among the parts of the one message. */

const word = { type: "steering-message", id: "st", parts: [{ type: "text", text: "x" }] };
const step = { type: "start-step" };
const input = { type: "tool-input-available", toolCallId: "c", toolName: "f", input: { a: 1 } };
const output = { type: "tool-output-available", toolCallId: "c", output: 1 };
const begun = { type: "tool-input-start", toolCallId: "c", toolName: "f" };
const piece = { type: "tool-input-delta", toolCallId: "c", inputTextDelta: '{"a":' };
const said = (id: string): Json[] => [
  { type: "text-start", id },
  { type: "text-delta", id, delta: id },
  { type: "text-end", id },
];

describe("words between the chunks of a step", () => {
  test.each<[what: string, start: Json, chunks: readonly Json[]]>([
    ["behind a call", { messageId: "m" }, [step, input, word, output]],
    ["while a call's arguments come", { messageId: "m" }, [step, begun, piece, word, input, output]],
    [
      "before the arguments of a call turn out wrong",
      { messageId: "m" },
      [step, begun, word, { ...input, type: "tool-input-error", errorText: "no" }],
    ],
    ["before a call of the same id in the next step", { messageId: "m" }, [step, begun, word, step, input]],
    ["in a message without an id", {}, [step, ...said("a"), word, ...said("b")]],
    ["in the second step of such", {}, [step, ...said("a"), step, ...said("b"), word, ...said("c")]],
  ])("are read as the SDK reads them: %s", async (_, start, chunks) => {
    const all = [{ type: "start", ...(start as object) }, ...chunks, { type: "finish-step" }, { type: "finish" }];
    const messages = accumulate(runAll(streamDecoder("ai-sdk-ui:v7"), all));
    const { value } = encode({ messages }, { to: "ai-sdk-ui:v7", shape: "messages" });
    const { message, errors } = await readChunks("v7", all);
    expect([value, errors]).toEqual([[JSON.parse(JSON.stringify(message))], []]);
  });
});
