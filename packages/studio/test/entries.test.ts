import { assistant, type Message, text, toolCall, toolMessage, toolResult, user } from "translogue";
import { describe, expect, test } from "vitest";
import { stateOf } from "../src/parts/call-view.tsx";
import { entriesOf, factsOf, type Item, textOf, withLive } from "../src/transcript/entries.ts";

const call = (callId: string, more = {}) => toolCall({ callId, name: "add", input: { a: 1 }, ...more });
const result = (callId: string, words: string, more = {}) => toolResult(callId, words, more);
const request = (callId: string, more = {}) => ({
  type: "approval-request" as const,
  requestId: `r-${callId}`,
  callId,
  ...more,
});
const response = (callId: string, approved: boolean) => ({
  type: "approval-response" as const,
  requestId: `r-${callId}`,
  approved,
});
const itemsOf = (...messages: Message[]): readonly Item[] => entriesOf(messages).flatMap(entry => entry.items);
const types = (items: readonly Item[]): string[] => items.map(({ part }) => part.type);

describe("entries", () => {
  test("are turns of one side; tools speak on the side of the assistant", () => {
    const entries = entriesOf([
      { role: "system", parts: [text("Be brief.")] },
      user("Hi"),
      assistant([call("a")]),
      toolMessage(result("a", "2")),
      assistant("Two."),
      user("And?"),
      assistant("Done."),
    ]);
    expect(entries.map(({ side, messages }) => [side, messages.length])).toEqual([
      ["note", 1],
      ["user", 1],
      ["answer", 3],
      ["user", 1],
      ["answer", 1],
    ]);
  });

  test("hold a decision in the answer that asked, whichever role it has", () => {
    for (const role of ["tool", "user"]) {
      const entries = entriesOf([
        user("Send"),
        assistant([call("a"), request("a")]),
        { role, parts: [response("a", true)] },
      ]);
      expect(entries).toHaveLength(2);
      expect(entries[1]?.items).toMatchObject([{ part: { type: "tool-call" }, response: { approved: true } }]);
    }
  });

  test("give a result to the first call of its id that has none, a preliminary one to the call that runs", () => {
    const items = itemsOf(
      assistant([call("x", { name: "first" }), call("x", { name: "second" })]),
      toolMessage(
        result("x", "soon", { preliminary: true }),
        result("x", "one"),
        result("x", "two", { preliminary: true }),
        result("x", "three"),
      ),
    );
    expect(items.map(({ result }) => result?.output)).toEqual([[text("one")], [text("three")]]);
  });

  test("show by itself what belongs to nothing", () => {
    const items = itemsOf(assistant([request("gone")]), toolMessage(result("none", "x")), {
      role: "tool",
      parts: [response("unknown", false)],
    });
    expect(types(items)).toEqual(["approval-request", "tool-result", "approval-response"]);
  });

  test("keep a request that has its call inside together with the result", () => {
    const items = itemsOf(
      assistant([{ ...request("a"), call: call("a") }]),
      { role: "user", parts: [response("a", true)] },
      toolMessage(result("a", "sent")),
    );
    expect(types(items)).toEqual(["approval-request"]);
    expect(items[0]).toMatchObject({ response: { approved: true }, result: { output: [{ text: "sent" }] } });
  });

  test("that are settled stay the same objects while an answer is written behind them", () => {
    const settled = entriesOf([user("One"), assistant("1"), user("Two")]);
    const live = withLive(settled, [assistant([text("2", { partial: true })])]);
    expect(live).toHaveLength(4);
    expect(settled.every((entry, index) => entry === live[index])).toBe(true);
    expect(withLive(settled, [])).toBe(settled);
  });

  test("are one where an answer goes on after an approval, with the keys it had", () => {
    const before = [user("Send"), assistant([call("a"), request("a")]), { role: "tool", parts: [response("a", true)] }];
    const settled = entriesOf(before);
    const live = withLive(settled, [toolMessage(result("a", "sent")), assistant("It is on its way.")]);
    expect(live).toHaveLength(2);
    expect(live[1]?.items).toMatchObject([{ key: "0.0", result: {} }, { part: { text: "It is on its way." } }]);
  });
});

describe("the state of a call", () => {
  const part = call("a");
  test.each([
    ["writing", { ...part, partial: true as const }, {}, true],
    ["interrupted", { ...part, partial: true as const }, {}, false],
    ["running", part, {}, true],
    ["running", part, { result: result("a", "so far", { preliminary: true }) }, true],
    ["unanswered", part, {}, false],
    ["waiting", part, { request: request("a") }, false],
    ["running", part, { request: request("a", { automatic: true }) }, true],
    ["approved", part, { request: request("a"), response: response("a", true) }, true],
    ["denied", part, { request: request("a"), response: response("a", false) }, false],
    ["done", part, { result: result("a", "2") }, true],
    ["failed", part, { result: result("a", "no", { outcome: "error" }) }, false],
    ["denied", part, { result: result("a", "no", { outcome: "denied" }) }, false],
    ["interrupted", part, { result: result("a", "no", { outcome: "interrupted" }) }, false],
  ] as const)("is %s", (state, call, belongings, isLive) => {
    expect(stateOf(call, belongings, isLive)).toBe(state);
  });
});

describe("what is said under an answer", () => {
  test("counts the tokens of each answer of the model once", () => {
    const usage = { input: 10, cacheRead: 5, output: 3, reasoning: 2 };
    const facts = factsOf([
      assistant("a", { usage, responseId: "1", model: "m" }),
      assistant("b", { usage, responseId: "1" }),
      assistant("c", { usage, metadata: { demo: true }, finish: { reason: "length" } }),
    ]);
    expect(facts).toEqual({
      model: "m",
      isDemo: true,
      usage: { input: 30, output: 10, reasoning: 4 },
      finish: "length",
    });
  });

  test("copies what was said, not what was thought", () => {
    const messages = [assistant([{ type: "reasoning", text: "Hm." }, text("One."), call("a")]), assistant("Two.")];
    expect(textOf(messages)).toBe("One.\n\nTwo.");
  });
});
