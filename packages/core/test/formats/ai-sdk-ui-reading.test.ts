import { type Generation, generations, readChunks } from "@translogue/testkit/generations";
import fc from "fast-check";
import { accumulate, encode, isJsonObject, type Json, runAll, streamDecoder } from "translogue";
import { expect, test } from "vitest";

type Chunk = { readonly type: string; readonly [member: string]: Json };
/** The chunks of one block, by the id that it gets. */
type Block = (id: string) => readonly Chunk[];

const metadata = fc.constantFrom(
  {},
  {},
  { providerMetadata: { p: { a: 1 } } },
  { providerMetadata: { anthropic: { signature: "s" } } },
);

const words: fc.Arbitrary<Block> = fc
  .record({
    kind: fc.constantFrom("text", "reasoning"),
    deltas: fc.array(fc.constantFrom("a", "", "b c", "你", "\n"), { maxLength: 3 }),
    first: metadata,
    last: metadata,
    isEnded: fc.boolean(),
  })
  .map(({ kind, deltas, first, last, isEnded }) => id => [
    { type: `${kind}-start`, id, ...first },
    ...deltas.map(delta => ({ type: `${kind}-delta`, id, delta })),
    ...(isEnded ? [{ type: `${kind}-end`, id, ...last }] : []),
  ]);

const texts = [[], ['{"a":'], ['{"a":', "1}"], ['{"ci', 'ty":"x', '"}'], ["", '{"a":tru'], ['{"a":1e'], ["nope"]];

const toolFields = fc.record({
  about: fc.constantFrom({}, {}, { dynamic: true }, { providerExecuted: true }),
  named: fc.constantFrom({}, { title: "T" }, { toolMetadata: { k: 1 } }),
  typed: fc.constantFrom(undefined, {}, {}, { inputEncoding: "text" }),
  deltas: fc.constantFrom(...texts),
  input: fc.constantFrom<Json>({ a: 1 }, {}, null, "s", [1]),
  end: fc.constantFrom(
    "open",
    "called",
    "unread",
    "asked",
    "granted",
    "denied",
    "done",
    "done",
    "failed",
    "preliminary",
  ),
  output: fc.constantFrom<Json>("x", 1, null, { content: [] }, { a: [1] }, ""),
  said: metadata,
});

const tools = (generation: Generation): fc.Arbitrary<Block> =>
  toolFields.map(({ about, named, typed, deltas, input, end, output, said }) => toolCallId => {
    const call = { toolCallId, toolName: "f", ...about, ...named };
    const result = { toolCallId, ...about };
    const begun: Chunk[] = typed
      ? [
          { type: "tool-input-start", ...call, ...typed },
          ...deltas.map(inputTextDelta => ({ type: "tool-input-delta", toolCallId, inputTextDelta })),
        ]
      : [];
    if (end === "open") return begun;
    if (end === "unread") return [...begun, { type: "tool-input-error", ...call, input, errorText: "bad", ...said }];
    const called = [...begun, { type: "tool-input-available", ...call, input, ...said }];
    const asked = { type: "tool-approval-request", approvalId: `q${toolCallId}`, toolCallId };
    const answered = {
      type: "tool-approval-response",
      approvalId: `q${toolCallId}`,
      approved: end !== "denied",
      reason: "why",
    };
    const done = { type: "tool-output-available", ...result, output, ...said };
    switch (end) {
      case "asked":
        return generation === "v5" ? called : [...called, asked];
      case "granted":
        return generation === "v7" ? [...called, asked, answered, done] : called;
      case "denied":
        return generation === "v7" ? [...called, asked, answered, { type: "tool-output-denied", toolCallId }] : called;
      case "done":
        return [...called, done];
      case "preliminary":
        return [...called, { type: "tool-output-available", ...result, output: 0, preliminary: true }, done];
      case "failed":
        return [...called, { type: "tool-output-error", ...result, errorText: "e", ...said }];
      default:
        return called;
    }
  });

const single: fc.Arbitrary<Block> = fc
  .constantFrom<Chunk>(
    { type: "source-url", sourceId: "s", url: "u", title: "t" },
    { type: "source-document", sourceId: "d", mediaType: "a/b", title: "t" },
    { type: "file", mediaType: "image/png", url: "data:image/png;base64,AA==" },
    { type: "data-x", data: { a: 1 } },
    { type: "data-x", id: "1", data: 1 },
    { type: "data-x", id: "1", data: 2 },
    { type: "data-y", data: 1, transient: true },
    { type: "message-metadata", messageMetadata: { b: { c: 1 } } },
  )
  .map(chunk => () => [chunk]);

/** Blocks one after another with steps between them, or mixed. */
const streams = (generation: Generation): fc.Arbitrary<readonly Chunk[]> =>
  fc
    .record({
      start: fc.constantFrom<Chunk>(
        { type: "start" },
        { type: "start", messageId: "m", messageMetadata: { a: 1, b: { d: 2 } } },
      ),
      blocks: fc.array(fc.oneof(words, tools(generation), single), { maxLength: 5 }),
      order: fc.array(fc.nat(1), { minLength: 1, maxLength: 40 }),
      isMixed: fc.boolean(),
    })
    .map(({ start, blocks, order, isMixed }) => {
      const queues = blocks.map((block, index) => [...block(`i${index}`)]);
      const said = isMixed
        ? mixed(queues, order)
        : queues.flatMap((queue, index) => [...queue, ...(order[index] ? marks : [])]);
      return [
        start,
        { type: "start-step" },
        ...said,
        { type: "finish-step" },
        { type: "finish", finishReason: "stop" },
      ];
    });

const marks: readonly Chunk[] = [{ type: "finish-step" }, { type: "start-step" }];

function mixed(queues: Chunk[][], order: readonly number[]): Chunk[] {
  const all: Chunk[] = [];
  for (let turn = 0; queues.some(({ length }) => length > 0); turn++) {
    const open = queues.filter(({ length }) => length > 0);
    const chunk = open[(order[turn % order.length] ?? 0) % open.length]?.shift();
    if (chunk) all.push(chunk);
  }
  return all;
}

/** A mark of a step shows once something is said in it. */
function seen(message: unknown): unknown {
  if (!isJsonObject(message) || !Array.isArray(message["parts"])) return message;
  const parts = message["parts"];
  const last = parts.findLastIndex(part => !isJsonObject(part) || part["type"] !== "step-start");
  return { ...message, parts: parts.slice(0, last + 1) };
}

test.each(generations)("after every chunk ours has the message that the reader of %s has", async generation => {
  await fc.assert(
    fc.asyncProperty(streams(generation), async chunks => {
      for (let count = 1; count <= chunks.length; count++) {
        const begun = chunks.slice(0, count);
        const { message, errors } = await readChunks(generation, begun);
        expect(errors).toEqual([]);
        if (message === undefined) continue;
        const messages = accumulate(runAll(streamDecoder(`ai-sdk-ui:${generation}`), begun));
        const to = { to: `ai-sdk-ui:${generation}`, shape: "messages", recipient: "store", carry: false } as const;
        const [ours] = encode({ messages }, to).value as Json[]; // the shape `messages`
        expect(seen(ours)).toEqual(seen(message));
      }
    }),
    { seed: 7, numRuns: 100 },
  );
});
