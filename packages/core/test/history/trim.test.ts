import { assistant, conversation, type Message, system, toolCall, toolMessage, toolResult, user } from "translogue";
import { spansOf, type TrimOptions, trim } from "translogue/history";
import { describe, expect, test } from "vitest";

const call = (callId: string, name = "look") => toolCall({ callId, name, input: {} });
const talk: readonly Message[] = conversation(
  system("be brief", { id: "s" }),
  user("weather", { id: "u1" }),
  assistant([call("c1"), call("c2")], { id: "a1" }),
  toolMessage(toolResult("c1", "sun")),
  toolMessage(toolResult("c2", "ten")),
  assistant("sun at ten", { id: "a2" }),
  user("thanks", { id: "u2" }),
  assistant("bye", { id: "a3" }),
).messages;
const one = () => 1;
const names = (messages: readonly Message[]) =>
  messages.map(({ id, parts }) => id ?? (parts[0]?.type === "tool-result" ? parts[0].callId : "")).join(" ");

describe("the newest messages that fit stay", () => {
  const table: readonly (readonly [options: TrimOptions, kept: string])[] = [
    [{}, "s u1 a1 c1 c2 a2 u2 a3"],
    [{ maxTokens: 8 }, "s u1 a1 c1 c2 a2 u2 a3"],
    [{ maxTokens: 7 }, "s a1 c1 c2 a2 u2 a3"],
    [{ maxTokens: 6 }, "s a2 u2 a3"],
    [{ maxTokens: 6, includeSystem: false }, "a1 c1 c2 a2 u2 a3"],
    [{ maxTokens: 5, includeSystem: false }, "a2 u2 a3"],
    [{ maxTokens: 2 }, "s a3"],
    [{ maxTokens: 1 }, "s"],
    [{ maxTokens: 0 }, ""],
    [{ maxMessages: 3 }, "s u2 a3"],
    [{ maxMessages: 6 }, "s a2 u2 a3"],
    [{ maxTurns: 1 }, "s u2 a3"],
    [{ maxTurns: 2 }, "s u1 a1 c1 c2 a2 u2 a3"],
    [{ maxTurns: 0 }, "s"],
    [{ maxTokens: 7, startOn: "user" }, "s u2 a3"],
    [{ maxTokens: 8, startOn: ["user", "assistant"] }, "s u1 a1 c1 c2 a2 u2 a3"],
    [{ startOn: "nobody" }, "s"],
    [{ maxTokens: 3, endOn: "user" }, "s a2 u2"],
    [{ endOn: "tool" }, "s u1 a1 c1 c2"],
    [{ endOn: "nobody" }, ""],
    [{ endOn: ({ id }) => id === "a2", maxMessages: 2 }, "s a2"],
  ];
  test.each(table)("%o → %s", (options, kept) => {
    expect(names(trim(talk, { tokenCounter: one, ...options }))).toBe(kept);
  });
});

describe("the oldest messages that fit stay", () => {
  const table: readonly (readonly [options: TrimOptions, kept: string])[] = [
    [{ maxTokens: 2 }, "s u1"],
    [{ maxTokens: 4 }, "s u1"],
    [{ maxTokens: 5 }, "s u1 a1 c1 c2"],
    [{ maxTokens: 7, endOn: "tool" }, "s u1 a1 c1 c2"],
    [{ maxTurns: 1 }, "s u1 a1 c1 c2 a2"],
    [{ maxTurns: 0 }, "s"],
    [{ maxTokens: 6, startOn: "assistant" }, "s a1 c1 c2 a2"],
  ];
  test.each(table)("%o → %s", (options, kept) => {
    expect(names(trim(talk, { tokenCounter: one, strategy: "first", ...options }))).toBe(kept);
  });
});

describe("a message that does not fit may stay in part", () => {
  const words: TrimOptions["tokenCounter"] = ({ parts }) =>
    parts.flatMap(part => (part.type === "text" ? part.text.split(/\s+/).filter(Boolean) : [])).length;
  const long = user("one two\nthree four\nfive", { id: "u" });
  const last = assistant("six seven");
  const text = (messages: readonly Message[]) =>
    messages.map(({ parts }) => parts.map(part => (part.type === "text" ? part.text : part.type)).join("|"));

  test("its last lines, where the newest stay", () => {
    expect(text(trim([long, last], { maxTokens: 5, tokenCounter: words, allowPartial: true }))).toEqual([
      "three four\nfive",
      "six seven",
    ]);
  });
  test("its first lines, where the oldest stay", () => {
    expect(
      text(trim([last, long], { maxTokens: 4, tokenCounter: words, allowPartial: true, strategy: "first" })),
    ).toEqual(["six seven", "one two\n"]);
  });
  test("whole parts before pieces, and calls in any case", () => {
    const parts = assistant(["one two", "three", call("c")]);
    expect(text(trim([parts], { maxTokens: 1, tokenCounter: words, allowPartial: true }))).toEqual(["three|tool-call"]);
  });
  test("nothing of messages that hold together", () => {
    const held = [assistant(["one two\nthree", call("c")]), toolMessage(toolResult("c", "x"))];
    expect(trim([...held, last], { maxTokens: 3, tokenCounter: words, allowPartial: true })).toEqual([last]);
  });
  test("the caller's messages do not change", () => {
    const before = structuredClone(long);
    trim([long, last], { maxTokens: 5, tokenCounter: words, allowPartial: true });
    expect(long).toEqual(before);
  });
});

test("the system stays where what may end the history stands only within what holds together", () => {
  const held = [system("s", { id: "s" }), assistant([call("c")], { id: "a" }), toolMessage(toolResult("c", "x"))];
  expect(names(trim(held, { endOn: "assistant" }))).toBe("s");
});

test("a list that fits is the same list, and what stays the same objects", () => {
  expect(trim(talk, { maxTokens: 100, tokenCounter: one })).toBe(talk);
  expect(trim(talk, { maxTokens: 3, tokenCounter: one })[2]).toBe(talk[7]);
});

test("no cut parts a call from its results, wherever these stand", () => {
  const far: readonly Message[] = [
    user("a"),
    assistant([call("x")]),
    user("meanwhile"),
    assistant([call("y")]),
    toolMessage(toolResult("y", "1")),
    toolMessage(toolResult("x", "2")),
    user("b"),
  ];
  expect(spansOf(far)).toEqual([
    { start: 0, end: 1 },
    { start: 1, end: 6 },
    { start: 6, end: 7 },
  ]);
  for (let most = 0; most <= far.length; most++) {
    for (const strategy of ["last", "first"] as const) {
      const kept = trim(far, { maxMessages: most, strategy });
      const ids = kept.flatMap(({ parts }) => parts.flatMap(part => ("callId" in part ? [part.callId] : [])));
      expect(ids.filter(id => id === "x")).toHaveLength(ids.includes("x") ? 2 : 0);
      expect(kept.length).toBeLessThanOrEqual(most);
    }
  }
});

test("counts only what may stay, each message once", () => {
  const many = Array.from({ length: 20_000 }, (_, index) => (index % 2 === 0 ? user(`${index}`) : assistant("yes")));
  let counted = 0;
  const kept = trim(many, {
    maxTokens: 100,
    tokenCounter: () => {
      counted++;
      return 1;
    },
  });
  expect(kept).toHaveLength(100);
  expect(counted).toBeLessThanOrEqual(101);
});

test("a count that is no number fits nowhere", () => {
  expect(trim(talk, { maxTokens: 5, tokenCounter: () => Number.NaN })).toEqual([]);
});
