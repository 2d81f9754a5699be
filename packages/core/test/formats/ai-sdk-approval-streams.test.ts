import { type Generation, readChunks, refusedChunk, refusedMessages } from "@translogue/testkit/generations";
import {
  accumulate,
  approvalRequest,
  approvalResponse,
  assistant,
  emit,
  type Json,
  type JsonObject,
  type Message,
  type Part,
  runAll,
  streamDecoder,
  streamEncoder,
  toolCall,
  toolResult,
} from "translogue";
import { describe, expect, test } from "vitest";

const call: Part = toolCall({ callId: "c", name: "f", input: { a: 1 } });
const hosted: Part = { ...toolCall({ callId: "c", name: "f", input: { a: 1 } }), executedBy: "provider" };
const question = approvalRequest("q", "c");
const yes = approvalResponse("q", true, { callId: "c" });
const no = approvalResponse("q", false, { callId: "c", reason: "no!" });
const done = toolResult("c", "done");
const denied = toolResult("c", "no!", { outcome: "denied" });
const tool = (...parts: Part[]): Message => ({ role: "tool", parts });
const user = (...parts: Part[]): Message => ({ role: "user", parts });

const written = (generation: Generation, messages: readonly Message[]) => {
  const encoder = streamEncoder(`ai-sdk-ui:${generation}`);
  const chunks = runAll(encoder, emit(messages)) as JsonObject[]; // chunks are objects
  return { chunks, codes: encoder.losses.map(({ code }) => code).filter(code => !/^message|^no-finish$/.test(code)) };
};

/** What chunks say of a question and what came of it. */
const told = (chunks: readonly JsonObject[]): string[] =>
  chunks.flatMap(({ type, approved, data }) => {
    if (!/approval|output/.test(String(type))) return [];
    const answer = approved ?? (data as JsonObject | undefined)?.["approved"];
    return [answer === undefined ? String(type) : `${type} ${answer}`];
  });

const ask = "tool-approval-request";
const [responded, refused] = ["tool-approval-response true", "tool-approval-response false"];
const [output, failure, denial] = ["tool-output-available", "tool-output-error", "tool-output-denied"];
const [open, granted, rejected] = ["data-approval", "data-approval true", "data-approval false"];

type Row = [what: string, messages: Message[], v5: string[], v6: string[], v7: string[]];
const rows: Row[] = [
  ["asked", [assistant([call, question])], [open], [ask], [ask]],
  ["allowed", [assistant([call, question]), tool(yes)], [open, granted], [granted], [ask, responded]],
  [
    "allowed and run",
    [assistant([call, question]), tool(yes, done)],
    [open, granted, output],
    [granted, output],
    [ask, responded, output],
  ],
  ["refused", [assistant([call, question]), tool(no)], [open, rejected, failure], [rejected, failure], [ask, refused]],
  [
    "refused and told",
    [assistant([call, question]), tool(no, denied)],
    [open, rejected, failure],
    [rejected, failure],
    [ask, refused, denial],
  ],
  [
    "refused by the user's own message",
    [assistant([call, question]), user(no), tool(denied)],
    [open, rejected, failure],
    [rejected, failure],
    [ask, refused, denial],
  ],
  [
    "allowed to the provider, whose result stands beside its call",
    [assistant([hosted, question, done]), tool(yes)],
    [open, output, granted],
    [granted, output],
    [ask, responded, output],
  ],
  [
    "refused to the provider, which says so in its next answer",
    [assistant([hosted, question]), tool(no), assistant([denied])],
    [open, rejected, failure],
    [rejected, failure],
    [ask, refused, denial],
  ],
  [
    "refused to the provider",
    [assistant([hosted, question]), tool(no), assistant("ok")],
    [open, rejected, failure],
    [rejected, failure],
    [ask, refused],
  ],
];

describe.each(["v5", "v6", "v7"] as const)("a question and its answer in a stream of %s", generation => {
  test.each(rows)("%s", async (_, messages, ...expected) => {
    const { chunks } = written(generation, messages);
    expect(told(chunks)).toEqual(expected[["v5", "v6", "v7"].indexOf(generation)]);
    expect(await refusedChunk(generation, chunks)).toBeUndefined();
    const { message, errors } = await readChunks(generation, chunks);
    expect(errors).toEqual([]);
    const stored = { ...(JSON.parse(JSON.stringify(message)) as JsonObject), id: "m" }; // JSON of an object
    expect(await refusedMessages(generation, [stored])).toBeUndefined();
    const asked = accumulate(runAll(streamDecoder(`ai-sdk-ui:${generation}`), chunks)).flatMap(({ parts }) => parts);
    for (const type of ["approval-request", "approval-response", "tool-result"]) {
      const own = messages.flatMap(({ parts }) => parts).filter(part => part.type === type);
      if (own.length > 0) expect(asked.filter(part => part.type === type)).toEqual(own);
    }
  });
});

test("an answer is told before the result to which it led, and nothing of it is lost", () => {
  const messages = [assistant([hosted, question, done]), tool(yes)];
  const { chunks, codes } = written("v7", messages);
  expect(codes).toEqual([]);
  expect(accumulate(runAll(streamDecoder("ai-sdk-ui:v7"), chunks)).map(({ parts }) => parts)).toEqual(
    messages.map(({ parts }) => parts),
  );
});

const start: Json[] = [{ type: "start", messageId: "m" }, { type: "start-step" }];
const called: Json[] = [
  { type: "tool-input-start", toolCallId: "c", toolName: "f" },
  { type: "tool-input-delta", toolCallId: "c", inputTextDelta: '{"a":1}' },
  { type: "tool-input-available", toolCallId: "c", toolName: "f", input: { a: 1 } },
];
const end: Json[] = [{ type: "finish-step" }, { type: "finish" }];
const asks: Json = { type: ask, toolCallId: "c", approvalId: "q" };

/** Generation 6 has chunks for a question and for a denial, and none for the answer between them. */
test("generation 6 refuses the message that its own chunks make of a denial, so ours are others", async () => {
  const chunks = [...start, ...called, asks, { type: denial, toolCallId: "c" }, ...end];
  const { message, errors } = await readChunks("v6", chunks);
  expect(errors).toEqual([]);
  expect(await refusedMessages("v6", [JSON.parse(JSON.stringify(message)) as Json])).toContain("refuses");
});

describe("what the SDK's servers say is said again", () => {
  test.each<[what: string, generations: readonly Generation[], chunks: Json[]]>([
    ["a question", ["v6", "v7"], [...called, asks]],
    ["a question and a denial", ["v6", "v7"], [...called, asks, { type: denial, toolCallId: "c" }]],
    ["a denial", ["v6", "v7"], [...called, { type: denial, toolCallId: "c" }]],
    ["a question and a result", ["v6", "v7"], [...called, asks, { type: output, output: "o", toolCallId: "c" }]],
    ["a question and a failure", ["v6", "v7"], [...called, asks, { type: failure, errorText: "e", toolCallId: "c" }]],
    [
      "a question, its answer and a denial",
      ["v7"],
      [
        ...called,
        asks,
        { type: "tool-approval-response", approvalId: "q", approved: false, reason: "r" },
        { type: denial, toolCallId: "c" },
      ],
    ],
    [
      "a question that no person answers",
      ["v7"],
      [
        ...called,
        {
          type: ask,
          toolCallId: "c",
          approvalId: "q",
          approvalDescriptor: { x: 1 },
          isAutomatic: true,
          signature: "s",
        },
        { type: "tool-approval-response", approvalId: "q", approved: true },
      ],
    ],
  ])("%s", (_, generations, chunks) => {
    for (const generation of generations) {
      const events = runAll(streamDecoder(`ai-sdk-ui:${generation}`), [...start, ...chunks, ...end]);
      for (const given of [events, emit(accumulate(events))]) {
        const encoder = streamEncoder(`ai-sdk-ui:${generation}`);
        expect(runAll(encoder, given)).toEqual([...start, ...chunks, ...end]);
        expect(encoder.losses).toEqual([]);
      }
    }
  });
});
