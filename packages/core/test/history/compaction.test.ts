import {
  assistant,
  isError,
  type Message,
  reasoning,
  system,
  text,
  toolCall,
  toolMessage,
  toolResult,
  user,
} from "translogue";
import {
  allOf,
  always,
  anyOf,
  compact,
  contextWindow,
  type GroupOptions,
  groupsExceed,
  groupsOf,
  hasToolCalls,
  keepNewest,
  messagesExceed,
  never,
  not,
  pipeline,
  reducing,
  type Strategy,
  slidingWindow,
  summarise,
  summarization,
  tokensBelow,
  tokensExceed,
  toolResults,
  truncation,
  turnsExceed,
} from "translogue/history";
import { describe, expect, test } from "vitest";

const call = (callId: string, name: string) => toolCall({ callId, name, input: {} });
const talk: readonly Message[] = [
  system("S"),
  user("one"),
  assistant([call("c1", "look"), call("c2", "now")]),
  toolMessage(toolResult("c2", "ten")),
  toolMessage(toolResult("c1", "sun")),
  assistant("A"),
  user("two"),
  assistant("B"),
  user("three"),
];
const options: GroupOptions = { tokenCounter: () => 10 };
const said = (messages: readonly Message[]) =>
  messages.map(({ parts }) => parts.map(part => (part.type === "text" ? part.text : "*")).join("")).join(" ");
const after = async (strategy: Strategy, messages = talk) =>
  said((await compact(messages, strategy, options)).messages);

describe("groups", () => {
  const kinds = (...messages: readonly Message[]) =>
    groupsOf(messages, options).map(({ kind, messages: held, turn }) => `${kind}${held.length}@${turn ?? "-"}`);

  test("hold calls together with their results, and count the user's turns", () => {
    expect(kinds(...talk)).toEqual([
      "system1@-",
      "user1@1",
      "tool-calls3@1",
      "assistant1@1",
      "user1@2",
      "assistant1@2",
      "user1@3",
    ]);
  });
  test("take reasoning around calls with them", () => {
    const thought = assistant([reasoning("hm")]);
    expect(
      kinds(thought, assistant([call("c", "f")]), toolMessage(toolResult("c", "x")), thought, assistant("A")),
    ).toEqual(["tool-calls4@0", "assistant1@0"]);
    expect(kinds(thought, assistant("A"))).toEqual(["assistant1@0", "assistant1@0"]);
  });
  test("take whatever stands between a call and its late result", () => {
    expect(kinds(assistant([call("c", "f")]), user("wait"), toolMessage(toolResult("c", "x")), user("so?"))).toEqual([
      "tool-calls3@0",
      "user1@2",
    ]);
  });
  test("know summaries, and results without a call", () => {
    expect(kinds(assistant("old", { synthetic: "summary" }), toolMessage(toolResult("c", "x")))).toEqual([
      "summary1@0",
      "assistant1@0",
    ]);
  });
});

describe("strategies", () => {
  const whole = said(talk);
  const table: readonly (readonly [name: string, strategy: Strategy, left: string])[] = [
    [
      "truncation leaves out the oldest groups",
      truncation({ trigger: groupsExceed(4), minimumPreserved: 1 }),
      "S two B three",
    ],
    ["and never the newest", truncation({ trigger: always, minimumPreserved: 3 }), "S two B three"],
    ["nor half a call", truncation({ trigger: messagesExceed(7), minimumPreserved: 0 }), "S A two B three"],
    [
      "down to its target",
      truncation({ trigger: always, target: tokensBelow(60), minimumPreserved: 0 }),
      "S A two B three",
    ],
    ["when it is told to", truncation({ trigger: never, minimumPreserved: 0 }), whole],
    ["a window leaves out whole turns", slidingWindow({ trigger: turnsExceed(2) }), "S two B three"],
    ["and keeps the last", slidingWindow({ trigger: always, target: never }), "S three"],
    [
      "results become words",
      toolResults({ trigger: hasToolCalls, minimumPreserved: 0 }),
      "S one [Tool Calls]\nlook:\n  - sun\nnow:\n  - ten A two B three",
    ],
    [
      "in words of one's own",
      toolResults({ trigger: always, minimumPreserved: 0, format: () => "(calls)" }),
      "S one (calls) A two B three",
    ],
    [
      "one after another",
      pipeline(
        slidingWindow({ trigger: turnsExceed(2) }),
        truncation({ trigger: groupsExceed(3), minimumPreserved: 1 }),
      ),
      "S B three",
    ],
    ["a reducer counts where it shortens", reducing(messages => messages.slice(-2)), "B three"],
    ["and not where it does not", reducing(messages => messages.map(() => user("x"))), whole],
    [
      "all of them",
      truncation({ trigger: allOf(hasToolCalls, not(groupsExceed(9))), minimumPreserved: 1 }),
      "S A two B three",
    ],
    [
      "any of them",
      truncation({ trigger: anyOf(tokensExceed(999), groupsExceed(6)), minimumPreserved: 1 }),
      "S ** * * A two B three",
    ],
    [
      "a model's window: calls first, then the oldest",
      contextWindow({ maxContextWindowTokens: 90, maxOutputTokens: 10 }),
      "S [Tool Calls]\nlook:\n  - sun\nnow:\n  - ten A two B three",
    ],
  ];
  test.each(table)("%s", async (_, strategy, left) => {
    expect(await after(strategy)).toBe(left);
  });
  test("with nothing to do the list is the same list", async () => {
    const { messages, compacted } = await compact(talk, truncation({ trigger: never }), options);
    expect(messages).toBe(talk);
    expect(compacted).toBe(false);
  });
  test.each([
    { maxContextWindowTokens: 0, maxOutputTokens: 0 },
    { maxContextWindowTokens: 10, maxOutputTokens: 10 },
    { maxContextWindowTokens: 10, maxOutputTokens: 1, toolEvictionThreshold: 0 },
    { maxContextWindowTokens: 10, maxOutputTokens: 1, truncationThreshold: 1.5 },
    { maxContextWindowTokens: 10, maxOutputTokens: 1, toolEvictionThreshold: 0.8, truncationThreshold: 0.5 },
  ])("a window of %o is refused", window => {
    expect(() => contextWindow(window)).toThrow(/must be/);
  });
});

describe("summaries", () => {
  const asked: string[] = [];
  const model = (messages: readonly Message[]) => {
    asked.push(said(messages.filter(({ role }) => role !== "system")));
    return "sum";
  };
  test("stand for the oldest groups, behind the system", async () => {
    expect(await after(summarization({ trigger: always, minimumPreserved: 2, model }))).toBe(
      "S [Summary]\nsum B three",
    );
    expect(asked.pop()).toBe("one ** * * A two");
  });
  test.each([
    ["fails", () => Promise.reject(new Error("offline"))],
    ["answers nothing", () => "  "],
  ])("all stays where the model %s", async (_, broken) => {
    expect(await after(summarization({ trigger: always, minimumPreserved: 2, model: broken }))).toBe(said(talk));
  });
  test("being aborted is thrown on", async () => {
    const aborted = () => Promise.reject(new DOMException("stop", "AbortError"));
    await expect(after(summarization({ trigger: always, minimumPreserved: 2, model: aborted }))).rejects.toThrow(
      "stop",
    );
  });
  test("of a list keep the newest messages, and cut no call from its results", async () => {
    expect(said(await summarise(talk, { model, targetCount: 3 }))).toBe("S sum two B three");
    expect(said(await summarise(talk, { model, targetCount: 5 }))).toBe("S sum ** * * A two B three");
    expect(asked.splice(0)).toEqual(["one A", "one"]);
  });
  test("of a list move the cut to the beginning of a turn within the threshold", async () => {
    const plain = [user("a"), assistant("b"), user("c"), assistant("d"), assistant("e")];
    expect(said(await summarise(plain, { model, targetCount: 2, threshold: 1 }))).toBe("sum c d e");
    expect(said(await summarise(plain, { model, targetCount: 2 }))).toBe("sum d e");
    expect(await summarise(plain, { model, targetCount: 3, threshold: 2 })).toBe(plain);
    expect(await summarise(plain, { model: () => "", targetCount: 1 })).toBe(plain);
    await expect(summarise(plain, { model: () => Promise.reject(new Error("no")), targetCount: 1 })).rejects.toThrow(
      "no",
    );
  });
  test("of a list go into the next one, and are none of the messages that may stay", async () => {
    const first = await summarise([system("S"), user("a"), assistant("b"), user("c")], { model, targetCount: 1 });
    asked.length = 0;
    expect(await summarise(first, { model, targetCount: 1 })).toBe(first);
    expect(said(await summarise([...first, assistant("d")], { model, targetCount: 1 }))).toBe("S sum d");
    expect(asked.splice(0)).toEqual(["sum c"]);
  });
  test("of a list cut no request for approval from its answer, and tell the model of neither", async () => {
    const call = toolCall({ callId: "c", name: "pay" });
    const asking = assistant([{ type: "approval-request", requestId: "r", callId: "c", call }]);
    const answer: Message = {
      role: "user",
      parts: [{ type: "approval-response", requestId: "r", approved: true, callId: "c", call }],
    };
    const list = [user("a"), assistant("b"), asking, answer, assistant("d")];
    const left = await summarise(list, { model, targetCount: 1 });
    expect(left.slice(1)).toEqual([asking, answer, list[4]]);
    expect(await summarise(list.slice(2), { model, targetCount: 1 })).toEqual(list.slice(2));
    expect(asked.splice(0)).toEqual(["a b"]);
  });
  test("of a list say that they are none of the model's own", async () => {
    const [summary] = await summarise([user("a"), user("b")], { model, targetCount: 1 });
    expect(summary).toEqual(assistant([text("sum")], { synthetic: "summary" }));
  });
});

test("the newest messages stay, without calls and results, behind the first of the system", () => {
  expect(said(keepNewest(talk, 3))).toBe("S two B three");
  expect(said(keepNewest([user("a"), system("late"), user("b")], 1))).toBe("late b");
  try {
    keepNewest(talk, 0);
    expect.unreachable();
  } catch (error) {
    expect(isError(error, "history/bad-option")).toBe(true);
  }
});
