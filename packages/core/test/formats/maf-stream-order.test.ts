import { unreported } from "@translogue/testkit/reported";
import fc from "fast-check";
import {
  accumulate,
  decode,
  type Event,
  emit,
  type Json,
  type JsonObject,
  type Part,
  runAll,
  streamDecoder,
  streamEncoder,
} from "translogue";
import { toChatResponse } from "translogue/maf";
import { describe, expect, test } from "vitest";

const format = "maf";
const start: Event = { type: "message-start", message: 0, head: { role: "assistant" } };
const end: Event = { type: "message-end", message: 0 };
const at = (part: number) => ({ message: 0, part }) as const;
const opens = (part: number, value: Part): Event => ({ type: "part-start", ...at(part), value });
const says = (part: number, text: string, of: "text" | "reasoning" | "tool-call" = "text"): Event => ({
  type: "part-delta",
  ...at(part),
  of,
  text,
});
const sets = (part: number, set: object): Event => ({ type: "part-set", ...at(part), set });
const ends = (part: number): Event => ({ type: "part-end", ...at(part) });
const text: Part = { type: "text", text: "" };
const reasoning: Part = { type: "reasoning", text: "" };
const call: Part = { type: "tool-call", callId: "c", name: "f" };
const seal = { values: { signature: "s" } };

const written = (events: readonly Event[]) => {
  const encoder = streamEncoder(format, { recipient: "store" });
  const steps = [start, ...events, end].map(event => encoder.push(event));
  const updates = [...steps.flat(), ...encoder.end()];
  const contents = updates.flatMap(update => (update as JsonObject)["contents"] as Json[]); // updates have a list of them
  return { updates, contents, steps: steps.slice(1, -1), losses: encoder.losses.map(({ code }) => code) };
};
const wire = ($type: string, value: string, members: JsonObject = {}): JsonObject => ({
  $type,
  text: value,
  ...members,
});

describe("contents stand in the order of the parts, and nothing waits that need not (E6)", () => {
  test("a text goes out as it comes while reasoning before it has not ended", () => {
    const events = [opens(0, reasoning), says(0, "r", "reasoning"), opens(1, text), says(1, "a"), says(1, "b")];
    const { steps, contents } = written([...events, ends(0), ends(1)]);
    expect(steps.map(updates => updates.length)).toEqual([0, 1, 0, 1, 1, 0, 0]);
    expect(contents).toEqual([wire("reasoning", "r"), wire("text", "a"), wire("text", "b")]);
  });

  test.each<[what: string, events: Event[], contents: Json[], losses: string[]]>([
    [
      "what waits for a call comes whole behind it",
      [
        opens(0, call),
        says(0, '{"a"', "tool-call"),
        opens(1, text),
        says(1, "x"),
        says(1, "y"),
        says(0, ":1}", "tool-call"),
        ends(0),
        says(1, "z"),
        ends(1),
      ],
      [
        { $type: "functionCall", name: "f", arguments: { a: 1 }, informationalOnly: false, callId: "c" },
        wire("text", "xy"),
        wire("text", "z"),
      ],
      [],
    ],
    [
      "the seal of idle reasoning is told before what follows",
      [
        opens(0, reasoning),
        says(0, "r", "reasoning"),
        sets(0, { seal }),
        opens(1, text),
        says(1, "a"),
        ends(0),
        ends(1),
      ],
      [wire("reasoning", "r"), wire("reasoning", "", { protectedData: "s" }), wire("text", "a")],
      [],
    ],
    [
      "a seal that comes later is lost",
      [
        opens(0, reasoning),
        says(0, "r", "reasoning"),
        opens(1, text),
        says(1, "a"),
        sets(0, { seal }),
        ends(0),
        ends(1),
      ],
      [wire("reasoning", "r"), wire("text", "a")],
      ["late"],
    ],
    [
      "a text that goes on is another",
      [opens(0, text), says(0, "a"), opens(1, reasoning), says(1, "r", "reasoning"), says(0, "b"), ends(0), ends(1)],
      [wire("text", "a"), wire("reasoning", "r"), wire("text", "b")],
      ["resumed"],
    ],
    [
      "two texts by turns are one",
      [opens(0, text), opens(1, text), says(0, "a"), says(1, "b"), ends(0), ends(1)],
      [wire("text", "a"), wire("text", "b")],
      ["text-joined"],
    ],
    [
      "a whole part that says what its deltas said ends it",
      [opens(0, text), says(0, "ab"), { type: "part", ...at(0), value: { type: "text", text: "ab" } }],
      [wire("text", "ab")],
      [],
    ],
    [
      "what the first piece should have said is lost",
      [opens(0, text), says(0, "a"), sets(0, { cache: {} }), ends(0)],
      [wire("text", "a")],
      ["late"],
    ],
  ])("%s", (_, events, contents, losses) => {
    expect(written(events)).toMatchObject({ contents, losses });
  });

  test("properties of the first piece go on with it", () => {
    const properties = { additionalProperties: { k: 1 } };
    const updates = [{ contents: [wire("text", "a", properties)] }, { contents: [wire("text", "b")] }];
    const { contents, losses } = written(runAll(streamDecoder(format), updates).slice(1, -1));
    expect(contents).toEqual([wire("text", "a", properties), wire("text", "b")]);
    expect(losses).toEqual([]);
  });
});

const words = fc.constantFrom("a", "bc", "def", "");
const arbitraryPart = fc.oneof(
  words.map((said): Part => ({ type: "text", text: said })),
  words.map((said): Part => ({ type: "text", text: said, citations: [{ url: "https://x.test", title: "t" }] })),
  words.map((said): Part => ({ type: "reasoning", text: said })),
  words.map((said): Part => ({ type: "reasoning", text: said, seal })),
  fc.nat(9).map((n): Part => ({ type: "tool-call", callId: `c${n}`, name: "f", input: { n } })),
);

/** The events of parts that come by turns. */
function byTurns(parts: readonly Part[], turns: readonly number[]): Event[] {
  const queues = parts.map((part, number) =>
    emit([{ role: "assistant", parts: [part] }]).flatMap((event): Event[] => {
      if (!("part" in event)) return [];
      if (event.type !== "part-delta") return [{ ...event, part: number }];
      return [...event.text].map(piece => ({ ...event, part: number, text: piece }));
    }),
  );
  const events: Event[] = [];
  for (let turn = 0; queues.some(queue => queue.length > 0); turn++) {
    const left = queues.filter(queue => queue.length > 0);
    const next = left[(turns[turn % turns.length] ?? 0) % left.length]?.shift();
    if (next) events.push(next);
  }
  return [start, ...events, end];
}

test("parts that come by turns lose nothing that is not said, and are read as .NET puts them together", () => {
  const turns = fc.array(fc.nat(5), { minLength: 1, maxLength: 20 });
  fc.assert(
    fc.property(fc.array(arbitraryPart, { minLength: 1, maxLength: 4 }), turns, (parts, order) => {
      const events = byTurns(parts, order);
      const encoder = streamEncoder(format, { recipient: "store" });
      const updates = runAll(encoder, events);
      const messages = accumulate(runAll(streamDecoder(format), updates));
      expect(unreported({ messages: accumulate(events) }, { messages }, encoder.losses)).toBeUndefined();
      const whole = decode(toChatResponse(updates as JsonObject[]), { from: format, shape: "answer", dialect: "chat" }); // they are objects
      expect(messages).toEqual(whole.conversation.messages);
    }),
    { seed: 20261130, numRuns: 300 },
  );
});
