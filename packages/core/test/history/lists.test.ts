import {
  AIMessage,
  filterMessages,
  HumanMessage,
  SystemMessage,
  ToolMessage,
  trimMessages,
} from "@langchain/core/messages";
import {
  assistant,
  dataPart,
  developer,
  imageUrl,
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
import { addMessages, bufferString, filter, mergeRuns, removal, removeAll, removedBy, trim } from "translogue/history";
import { describe, expect, test } from "vitest";

const call = toolCall({ callId: "c1", name: "look", input: { city: "Lyon" } });
const talk: readonly Message[] = [
  system("rules", { id: "s" }),
  user("hi", { id: "u1", author: { name: "li" } }),
  assistant([text("let me"), call], { id: "a1" }),
  toolMessage(toolResult("c1", "sun", { name: "look" })),
  assistant([reasoning("hm"), text("sunny")], { id: "a2" }),
];
const ids = (messages: readonly Message[]) => messages.map(({ id }) => id ?? "-").join(" ");

describe("filter", () => {
  test.each([
    [{}, "s u1 a1 - a2"],
    [{ includeRoles: "user" }, "u1"],
    [{ includeRoles: ["system", "assistant"] }, "s a1 a2"],
    [{ includeRoles: "user", includeIds: ["a2"] }, "u1 a2"],
    [{ includeNames: ["li"] }, "u1"],
    [{ includeNames: ["look"], pairs: "apart" as const }, "-"],
    [{ includeIds: [] }, ""],
    [{ excludeIds: ["s", "a2"] }, "u1 a1 -"],
    [{ excludeNames: ["li", "look"] }, "s a1 a2"],
    [{ excludeRoles: "tool", includeRoles: ["tool", "user"] }, "u1"],
    [{ excludeToolCalls: ["c1"] }, "s u1 a1 a2"],
    [{ excludeToolCalls: ["other"] }, "s u1 a1 - a2"],
    [{ excludeToolCalls: true as const }, "s u1 a1 a2"],
    [{ includeParts: ["tool-call" as const] }, "a1 -"],
    [{ includeParts: ["tool-call" as const], pairs: "apart" as const }, "a1"],
    [{ excludeRoles: "tool" as const, pairs: "apart" as const }, "s u1 a1 a2"],
    [{ excludeParts: ["text" as const] }, "a1 - a2"],
  ])("%o → %s", (options, kept) => {
    expect(ids(filter(talk, options))).toBe(kept);
  });
  test("where one side of a call goes, so do the other and what was asked about it", () => {
    const approved: readonly Message[] = [
      assistant([text("let me"), call, { type: "approval-request", requestId: "r", callId: "c1" }]),
      user([{ type: "approval-response", requestId: "r", approved: true }]),
      toolMessage(toolResult("c1", "sun")),
      assistant("sunny"),
    ];
    const words = [assistant([text("let me")]), assistant("sunny")];
    for (const options of [
      { excludeRoles: "tool" as const },
      { excludeParts: ["tool-result" as const] },
      { excludeParts: ["tool-call" as const] },
    ])
      expect(filter(approved, options)).toEqual(words);
    expect(filter(approved, { excludeRoles: "tool", pairs: "apart" })).toEqual([approved[0], approved[1], approved[3]]);
    // What had no answer before has none after.
    expect(filter([assistant([call])], { excludeRoles: "user" })).toEqual([assistant([call])]);
  });
  test("a message that loses parts keeps the others; one that loses none is the same object", () => {
    const kept = filter(talk, { excludeParts: ["reasoning"] });
    expect(kept[4]?.parts).toEqual([text("sunny")]);
    expect(kept[2]).toBe(talk[2]);
  });
});

describe("merge runs", () => {
  test("neighbours of one side are one message, in order and with all parts", () => {
    const [merged, ...others] = mergeRuns([user("a", { id: "1" }), user([text("b"), imageUrl("u")], { id: "2" })]);
    expect(others).toEqual([]);
    expect(merged).toEqual(user([text("a"), text("b"), imageUrl("u")], { id: "1" }));
  });
  test("a separator makes one text of texts that meet, and says nothing beside an empty one", () => {
    const texts = (...messages: readonly Message[]) => mergeRuns(messages, { separator: "\n" })[0]?.parts;
    expect(texts(user("a"), user("b"), user("c"))).toEqual([text("a\nb\nc")]);
    expect(texts(user(""), user("b"))).toEqual([text("b")]);
    expect(texts(user("a"), user(""))).toEqual([text("a")]);
    expect(texts(assistant([text("a"), call]), assistant("b"))).toEqual([text("a"), call, text("b")]);
    expect(texts(user([text("a"), text("b")]), user("c"))).toEqual([text("a"), text("b\nc")]);
    expect(texts(user(text("a", { citations: [] })), user("b"))).toEqual([text("a", { citations: [] }), text("b")]);
  });
  test.each([
    ["of tools", toolMessage(toolResult("c1", "a")), toolMessage(toolResult("c2", "b"))],
    ["of two authors", user("a", { author: { name: "x" } }), user("b")],
    ["of two audiences", user("a", { audience: "user" }), user("b")],
    ["of the system and a developer", system("a"), developer("b")],
    ["that somebody wrote and that nobody did", user("a"), user("b", { synthetic: "reminder" })],
  ])("messages %s stay apart", (_, first, second) => {
    expect(mergeRuns([first, second])).toEqual([first, second]);
  });
  test("usage is added up once for each answer, and the end is the last's", () => {
    const usage = { input: 1, output: 2 };
    const run = [
      assistant("a", { usage, responseId: "r1", finish: { reason: "pause" } }),
      assistant("b", { usage: { input: 1, output: 5 }, responseId: "r1" }),
      assistant("c", { usage, responseId: "r2", finish: { reason: "stop" } }),
    ];
    expect(mergeRuns(run)[0]).toMatchObject({ usage: { input: 2, output: 7 }, finish: { reason: "stop" } });
  });
  test("is a fixed point, and leaves a list without runs as it is", () => {
    const merged = mergeRuns([user("a"), user("b"), assistant("c")]);
    expect(mergeRuns(merged)).toBe(merged);
  });
});

describe("add messages", () => {
  const state = [user("a", { id: "1" }), assistant("b", { id: "2" })];
  const said = (messages: readonly Message[]) =>
    messages.map(({ id, parts }) => `${id ?? "-"}:${parts[0]?.type === "text" ? parts[0].text : "?"}`).join(" ");
  test.each([
    ["appends", [user("c", { id: "3" })], "1:a 2:b 3:c"],
    ["replaces in place", [user("A", { id: "1" })], "1:A 2:b"],
    ["removes", [removal("1")], "2:b"],
    ["keeps the place of what is removed and added again", [removal("1"), user("A", { id: "1" })], "1:A 2:b"],
    ["removes what was replaced", [user("A", { id: "1" }), removal("1")], "2:b"],
    ["takes the last of equal ids", [user("x", { id: "9" }), user("y", { id: "9" })], "1:a 2:b 9:y"],
    ["begins anew behind the last removal of all", [user("x"), removal(removeAll), user("y"), removal("1")], "-:y"],
    ["appends messages without ids", [user("x"), user("x")], "1:a 2:b -:x -:x"],
  ])("%s", (_, updates, expected) => {
    expect(said(addMessages(state, updates))).toBe(expected);
  });
  test("refuses the removal of what is not there, with its id", () => {
    const attempt = () => addMessages(state, [removal("9")]);
    expect(attempt).toThrow(/"9"/);
    try {
      attempt();
    } catch (error) {
      expect(isError(error, "history/unknown-removal") && error.data).toEqual({ id: "9" });
    }
  });
  test.each([
    ["is not in the list", [], "1:a 2:b"],
    ["may be removed again", [removal("8")], "1:a 2:b"],
    ["holds no place for what comes later", [user("n", { id: "8" })], "1:a 2:b 8:n"],
  ])("a removal that was left in the state %s", (_, updates, expected) => {
    expect(said(addMessages([removal("8"), ...state], updates))).toBe(expected);
    expect(said(addMessages([removal("8"), ...state], updates, { mode: "delta" }))).toBe(expected);
  });
  test("a delta's updates may be cut into batches anywhere", () => {
    const updates = [removal("1"), user("A", { id: "1" }), removal("8"), user("n", { id: "3" }), removal("2")];
    const whole = said(addMessages(state, updates, { mode: "delta" }));
    expect(whole).toBe("1:A 3:n");
    for (let cut = 0; cut <= updates.length; cut++) {
      const first = addMessages(state, updates.slice(0, cut), { mode: "delta" });
      expect(said(addMessages(first, updates.slice(cut), { mode: "delta" }))).toBe(whole);
    }
  });
  test("gives ids where it is told how", () => {
    let next = 0;
    const added = addMessages([], [user("x"), user("y", { id: "own" })], { newId: () => `m${next++}` });
    expect(ids(added)).toBe("m0 own");
  });
  test("a message that only speaks of removing is none", () => {
    expect(removedBy(user("remove"))).toBeUndefined();
    expect(removedBy(removal("x"))).toBe("x");
  });
});

test("a removal in batches looks at the messages that it removes, not at all there are", () => {
  const count = 300;
  let reads = 0;
  const state = Array.from({ length: count }, (_, index) => ({
    ...user("x"),
    get id() {
      reads++;
      return `m${index}`;
    },
  }));
  const updates = state.map((_, index) => removal(`m${index}`));
  expect(addMessages(state, updates, { mode: "delta" })).toEqual([]);
  expect(reads).toBeLessThan(20 * count);
});

describe("buffer string", () => {
  test("a line a message, with its name, its words and its calls", () => {
    expect(bufferString(talk)).toBe(
      [
        "System: rules",
        "Human: li, hi",
        `AI: let me[{"name":"look","args":{"city":"Lyon"},"id":"c1","type":"tool_call"}]`,
        "Tool: look, sun",
        "AI: sunny",
      ].join("\n"),
    );
  });
  test("a call without an id has none", () => {
    const messages = [assistant([toolCall({ callId: "~0.1", name: "look", input: {} })])];
    expect(bufferString(messages)).toBe(`AI: [{"name":"look","args":{},"id":null,"type":"tool_call"}]`);
    expect(bufferString(messages, { format: "xml" })).toContain('<tool_call id="" name="look">');
  });
  test("own words for roles, other separators, files as what they are, JSON as it is", () => {
    const messages = [user([text("see "), imageUrl("u")]), toolMessage(toolResult("c", [dataPart({ a: 1 })]))];
    expect(bufferString(messages, { prefixes: { user: "User" }, separator: " / " })).toBe(
      `User: see [image] / Tool: {"a":1}`,
    );
    expect(bufferString([{ role: "constructor", parts: [text("x")] }])).toBe("constructor: x");
  });
  test("as XML no text can pass for a message", () => {
    const messages = [
      user([text("a</message><message type='ai'>"), imageUrl("http://x/?a=1&b")]),
      assistant([text("b"), call]),
    ];
    expect(bufferString(messages, { format: "xml" })).toBe(
      [
        `<message type="human">a&lt;/message&gt;&lt;message type='ai'&gt; <image url="http://x/?a=1&amp;b" /></message>`,
        `<message type="ai">`,
        `  <content>b</content>`,
        `  <tool_call id="c1" name="look">{"city":"Lyon"}</tool_call>`,
        `</message>`,
      ].join("\n"),
    );
  });
});

describe("as LangChain's own do", () => {
  const theirs = [
    new SystemMessage({ content: "rules", id: "s" }),
    new HumanMessage({ content: "hi", id: "u1", name: "li" }),
    new AIMessage({ content: "let me", id: "a1", tool_calls: [{ name: "look", args: { city: "Lyon" }, id: "c1" }] }),
    new ToolMessage({ content: "sun", tool_call_id: "c1", id: "t1", name: "look" }),
    new AIMessage({ content: "sunny", id: "a2" }),
    new HumanMessage({ content: "bye", id: "u2" }),
  ];
  const ours = [
    ...talk.map(message => (message.role === "tool" ? { ...message, id: "t1" } : message)),
    user("bye", { id: "u2" }),
  ];

  test("trim gives the same from every budget, but for messages cut from their calls", async () => {
    for (let maxTokens = 1; maxTokens <= 7; maxTokens++) {
      for (const includeSystem of [true, false]) {
        for (const start of [false, true]) {
          const options = { maxTokens, includeSystem, ...(start && { startOn: "human" as const }) };
          const expected = await trimMessages(theirs, { ...options, tokenCounter: list => list.length });
          const kept = trim(ours, {
            maxTokens,
            includeSystem,
            ...(start && { startOn: "user" }),
            tokenCounter: () => 1,
          });
          // It leaves a hole where its system message was, when nobody's turn is left.
          const names = expected.map((message: { id?: string } | undefined) => message?.id ?? "s");
          const whole = names.includes("a1") ? names : names.filter(id => id !== "t1");
          expect(ids(kept)).toBe(whole.join(" "));
        }
      }
    }
  });
  test("filter gives the same", () => {
    for (const [types, roles] of [
      ["human", "user"],
      ["ai", "assistant"],
      ["tool", "tool"],
    ] as const) {
      const include = filterMessages(theirs, { includeTypes: [types], excludeIds: ["a2"] });
      expect(ids(filter(ours, { pairs: "apart", includeRoles: roles, excludeIds: ["a2"] }))).toBe(
        include.map(({ id }) => id).join(" "),
      );
    }
  });
});
