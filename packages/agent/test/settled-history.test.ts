import fc from "fast-check";
import type { Message, Part } from "translogue";
import { describe, expect, test } from "vitest";
import { createAgent } from "../src/index.ts";
import { readable } from "../src/loop/readable.ts";
import { readPieces, SettledHistory } from "../src/loop/settled-history.ts";
import { fixed, scripted } from "./scripted-model.ts";

const id = fc.constantFrom("a", "b", "c");
const name = fc.constantFrom("look", "ask");
const request = fc.constantFrom("r1", "r2", "r3");
const call = fc.record({ callId: id, name }).map(members => ({ type: "tool-call" as const, ...members, input: {} }));
const part: fc.Arbitrary<Part> = fc.oneof(
  { weight: 4, arbitrary: call },
  { weight: 1, arbitrary: call.map(each => ({ ...each, executedBy: "provider" as const })) },
  { weight: 4, arbitrary: fc.record({ type: fc.constant("tool-result" as const), callId: id }) },
  {
    weight: 1,
    arbitrary: fc.record({
      type: fc.constant("tool-result" as const),
      callId: id,
      preliminary: fc.constant(true as const),
    }),
  },
  { weight: 2, arbitrary: fc.record({ type: fc.constant("text" as const), text: fc.constant("words") }) },
  {
    weight: 1,
    arbitrary: fc.record({ type: fc.constant("approval-request" as const), requestId: request, callId: id }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ requestId: request, call }).map(({ requestId, call: own }) => ({
      type: "approval-request" as const,
      requestId,
      callId: own.callId,
      call: own,
    })),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      type: fc.constant("approval-response" as const),
      requestId: request,
      approved: fc.boolean(),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      type: fc.constant("input-request" as const),
      requestId: request,
      callId: id,
      kind: fc.constant("form" as const),
      message: fc.constant("?"),
    }),
  },
  { weight: 1, arbitrary: fc.record({ type: fc.constant("input-response" as const), requestId: request }) },
);
const message: fc.Arbitrary<Message> = fc.record({
  role: fc.constantFrom("user" as const, "assistant" as const, "assistant" as const, "tool" as const, "tool" as const),
  parts: fc.array(part, { minLength: 1, maxLength: 3 }),
});
/** A step of a run that nothing is wrong with. */
const step: fc.Arbitrary<readonly Message[]> = fc.record({ callId: id, name }).map(({ callId, name: tool }) => [
  { role: "assistant", parts: [{ type: "tool-call", callId, name: tool, input: {} }] },
  { role: "tool", parts: [{ type: "tool-result", callId }] },
]);
const history = fc
  .array(fc.oneof({ weight: 3, arbitrary: step }, { weight: 2, arbitrary: message.map(each => [each]) }), {
    maxLength: 14,
  })
  .map(steps => steps.flat());

describe("a history that is read on", () => {
  test("says at every length what it says read at once, and of the same messages", () => {
    fc.assert(
      fc.property(
        history,
        fc.array(fc.nat({ max: 3 }), { minLength: 30, maxLength: 30 }),
        fc.func(fc.boolean()),
        (all, strides, given) => {
          const isGiven = (each: Message): boolean => given(all.indexOf(each));
          const kept = new SettledHistory(isGiven);
          let length = 0;
          for (const stride of strides) {
            length = Math.min(all.length, length + stride);
            const told = all.slice(0, length);
            const read = kept.read(told);
            const once = readPieces(readable(told), isGiven);
            expect(read.messages).toEqual(once.messages);
            const places = [...read.messages.keys()];
            expect(places.map(read.sourceAt)).toEqual(places.map(once.sourceAt));
            const changesOf = ({ changes }: typeof read) =>
              changes.map(({ path, ...change }) => [path.slice(2), change]);
            expect(changesOf(read).toSorted()).toEqual(changesOf(once).toSorted());
          }
        },
      ),
      { numRuns: 300 },
    );
  });

  test("is read anew where what was told before is another", () => {
    const kept = new SettledHistory(() => false);
    const one: Message = { role: "user", parts: [{ type: "text", text: "one" }] };
    const two: Message = { role: "assistant", parts: [{ type: "text", text: "two" }] };
    const three: Message = { role: "user", parts: [{ type: "text", text: "three" }] };
    const first = kept.read([one, two, three]);
    expect(kept.read([two, three]).messages).toEqual([two, three]);
    expect(kept.read([one]).messages).toEqual([one]);
    expect(first.messages).toEqual([one, two, three]);
    expect([0, 1, 2].map(first.sourceAt)).toEqual([one, two, three]);
  });
});

test.each([
  ["list", {}, {}],
  ["tree", { parent: null }, { parent: "u1" }],
])("a result that its caller gives out of its place stays there in a session that is a %s", async (_, root, child) => {
  const model = scripted([{ text: "Done." }]);
  const agent = createAgent({ ...fixed(), model });
  const session = await agent.createSession({
    messages: [
      { id: "u1", role: "user", parts: [{ type: "text", text: "Hi" }], ...root },
      { id: "a1", role: "assistant", parts: [{ type: "text", text: "Hello" }], ...child },
    ],
  });
  const given: Message[] = [
    { role: "assistant", parts: [{ type: "tool-call", callId: "c1", name: "look", input: {} }] },
    { role: "user", parts: [{ type: "text", text: "Well?" }] },
    { role: "tool", parts: [{ type: "tool-result", callId: "c1", output: [{ type: "text", text: "3" }] }] },
  ];
  await agent.run(given, { session });
  const read = model.requests[0]?.conversation.messages ?? [];
  expect(read.map(({ role }) => role)).toEqual(["user", "assistant", "assistant", "user", "tool"]);
});
