import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  approvalRequest,
  approvalResponse,
  assistant,
  compactionPart,
  conversation,
  fileData,
  inputResponse,
  message,
  text,
  toolCall,
  toolMessage,
  toolResult,
  user,
} from "../../src/model/build.ts";
import { check, checkEvent, checkMessage, conversationSchema } from "../../src/model/check.ts";
import { checkCodes, maxIssues } from "../../src/model/check-codes.ts";
import type { Conversation } from "../../src/model/conversation.ts";
import { formatPath } from "../../src/model/issue.ts";
import { everyPart } from "./doc-examples.ts";

const call = (callId: string, more: object = {}) => toolCall({ callId, name: "f", ...more });
const withPart = (part: unknown) => ({ messages: [{ role: "user", parts: [part] }] });
const withMetadata = (metadata: unknown) => ({ messages: [], metadata });
const tree = (...messages: readonly object[]) => ({
  messages: messages.map(each => ({ role: "user", parts: [], ...each })),
});

const cycle: { self?: unknown } = {};
cycle.self = cycle;
const deep = JSON.parse(`${'{"a":'.repeat(100_000)}1${"}".repeat(100_000)}`) as object;
const revoked = Proxy.revocable({}, {});
revoked.revoke();

/** What is wrong, its code, where, and what the message must say. */
const cases: readonly (readonly [string, unknown, keyof typeof checkCodes, string, string])[] = [
  ["no object at all", 3, "wrong-type", "", "The value is 3; expected an object (Conversation)"],
  ["a list", [], "wrong-type", "", "The value is a list"],
  ["no messages", {}, "missing-member", "messages", "`messages` is missing. Add a list: All messages"],
  [
    "messages of another format",
    { messages: [{ role: "user", content: "hi" }] },
    "missing-member",
    "messages[0].parts",
    "`decode` reads those",
  ],
  [
    "a role that is no string",
    { messages: [{ role: 1, parts: [] }] },
    "wrong-type",
    "messages[0].role",
    "is 1; expected a string",
  ],
  [
    "a part without type",
    withPart({ text: "x" }),
    "missing-member",
    "messages[0].parts[0].type",
    "Say which part it is: text, reasoning",
  ],
  [
    "a part of unknown type",
    withPart({ type: "tool_call" }),
    "unknown-type",
    "messages[0].parts[0].type",
    "Did you mean `tool-call`?",
  ],
  [
    "a part of the type `constructor`",
    withPart({ type: "constructor" }),
    "unknown-type",
    "messages[0].parts[0].type",
    "no type of part",
  ],
  [
    "a call without name",
    withPart({ type: "tool-call", callId: "c" }),
    "missing-member",
    "messages[0].parts[0].name",
    "Add a string",
  ],
  [
    "a file with no source in its source",
    withPart({ type: "file", source: { uri: "x" } }),
    "wrong-type",
    "messages[0].parts[0].source",
    "an object with `data`, or an object with `url`",
  ],
  [
    "a file whose data is a number",
    withPart({ type: "file", source: { data: 1 } }),
    "wrong-type",
    "messages[0].parts[0].source.data",
    "is 1; expected a string",
  ],
  [
    "a part inside of a result",
    withPart({ type: "tool-result", callId: "c", output: [{ type: "text" }] }),
    "missing-member",
    "messages[0].parts[0].output[0].text",
    "Add a string",
  ],
  [
    "a finish reason of a wire",
    { messages: [{ role: "assistant", parts: [], finish: { reason: "tool_calls" } }] },
    "unknown-value",
    "messages[0].finish.reason",
    "Did you mean `tool-calls`?",
  ],
  [
    "partial: false",
    withPart({ type: "text", text: "", partial: false }),
    "wrong-type",
    "messages[0].parts[0].partial",
    "is false; expected true",
  ],
  [
    "a tool choice that is none",
    { messages: [], settings: { toolChoice: "any" } },
    "unknown-value",
    "settings.toolChoice",
    'Write "auto" or "none" or "required"',
  ],
  [
    "a temperature that is no number",
    { messages: [], settings: { temperature: Number.NaN } },
    "not-json",
    "settings.temperature",
    "is NaN",
  ],
  ["a function", withMetadata({ f: () => 1 }), "not-json", "metadata.f", "is a function"],
  ["a Date", withMetadata([new Date()]), "not-json", "metadata[0]", "is a Date, not a plain object"],
  ["a message that is a class instance", { messages: [new Error("x")] }, "not-json", "messages[0]", "is a Error"],
  ["a hole in a list", withMetadata([undefined]), "not-json", "metadata[0]", "a hole in the list"],
  ["a cycle", withMetadata(cycle), "cycle", `metadata${".self".repeat(33)}`, "is a value that it is itself inside of"],
  [
    "nesting of 100,000",
    withMetadata(deep),
    "too-deep",
    `metadata${".a".repeat(1050)}`,
    "is nested deeper than 1050 levels",
  ],
  [
    "a getter that throws",
    {
      messages: [
        {
          role: "user",
          get parts() {
            throw new Error("no");
          },
        },
      ],
    },
    "unreadable",
    "messages[0]",
    "threw an exception",
  ],
  ["a proxy that throws", { messages: [revoked.proxy] }, "unreadable", "messages[0]", "threw an exception"],
  [
    "more issues than anyone reads",
    { messages: Array.from({ length: maxIssues + 1 }, () => 1) },
    "too-many-issues",
    "",
    "More than 1000 issues",
  ],
  [
    "two messages with one id",
    tree({ id: "a" }, { id: "b" }, { id: "a" }),
    "duplicate-id",
    "messages[2].id",
    "as that of messages[0]",
  ],
  [
    "a message of a tree without id",
    tree({ id: "a", parent: null }, { parent: "a" }),
    "missing-id",
    "messages[1].id",
    "Give every message an id",
  ],
  [
    "a parent that is not there",
    tree({ id: "a", parent: "x" }),
    "unknown-parent",
    "messages[0].parent",
    "`x`, the id of no message here",
  ],
  [
    "a message that is its own grandparent",
    tree({ id: "a", parent: "b" }, { id: "b", parent: "a" }, { id: "c", parent: "a" }),
    "parent-cycle",
    "messages[0].parent",
    "leads back to the message itself",
  ],
  [
    "a head that is not there",
    { ...tree({ id: "a" }), head: "x" },
    "unknown-head",
    "head",
    "`x`, the id of no message here",
  ],
  [
    "a message of a tree without parent",
    tree({ id: "a" }, { id: "b", parent: "a" }),
    "missing-parent",
    "messages[0].parent",
    "is taken for a root",
  ],
  [
    "a member misspelled",
    withPart({ type: "text", text: "", citation: [] }),
    "unknown-member",
    "messages[0].parts[0].citation",
    "Did you mean `citations`?",
  ],
  ["a member unheard of", { messages: [], constructor: 1 }, "unknown-member", "constructor", "into `metadata`"],
  ["a message with an empty id", tree({ id: "" }), "empty-id", "messages[0].id", "begins with `~`"],
  [
    "a call with an empty id",
    conversation(assistant(call(""))),
    "empty-id",
    "messages[0].parts[0].callId",
    "begins with `~`",
  ],
  ["half a character", withPart(text("a\ud83d")), "lone-surrogate", "messages[0].parts[0].text", "lone surrogate"],
  [
    "half a character in a name",
    withMetadata({ "\ude00": 1 }),
    "lone-surrogate",
    'metadata["\\ude00"]',
    "has a name with half a character",
  ],
  [
    "a date in words",
    { messages: [], createdAt: "yesterday" },
    "bad-date",
    "createdAt",
    "Write it as 2026-01-31T12:00:00Z",
  ],
  [
    "base64 for URLs",
    withPart(fileData("a-_b", "image/png")),
    "bad-base64",
    "messages[0].parts[0].source.data",
    "standard alphabet",
  ],
  [
    "base64 without padding",
    withPart(fileData("YQ", "image/png")),
    "bad-base64",
    "messages[0].parts[0].source.data",
    "padded with =",
  ],
  [
    "a negative count",
    { messages: [{ role: "assistant", parts: [], usage: { input: -1 } }] },
    "bad-count",
    "messages[0].usage.input",
    "is -1",
  ],
  [
    "a citation beyond its text",
    withPart(text("abc", { citations: [{ start: 1, end: 4 }] })),
    "citation-range",
    "messages[0].parts[0].citations[0]",
    "is on 1 to 4 of a text of 3",
  ],
  [
    "a citation that ends before it starts",
    withPart(text("abc", { citations: [{ start: 2, end: 1 }] })),
    "citation-range",
    "messages[0].parts[0].citations[0]",
    "is on 2 to 1",
  ],
  [
    "two tools of one name",
    { messages: [], tools: [{ name: "f" }, { name: "f" }] },
    "duplicate-tool",
    "tools[1].name",
    "`f`, as an earlier tool's",
  ],
  [
    "a call with the id of an open one",
    conversation(assistant([call("a"), call("a")])),
    "duplicate-call",
    "messages[0].parts[1].callId",
    "is a guess",
  ],
  [
    "a second result",
    conversation(assistant(call("a")), toolMessage(toolResult("a"), toolResult("a"))),
    "duplicate-result",
    "messages[1].parts[1].callId",
    "mark the earlier one as `preliminary`",
  ],
  [
    "a result of no call",
    conversation(toolMessage(toolResult("a"))),
    "orphan-result",
    "messages[0].parts[0].callId",
    "that of no call before it",
  ],
  [
    "a result before its call",
    conversation(toolMessage(toolResult("a")), assistant(call("a"))),
    "orphan-result",
    "messages[0].parts[0].callId",
    "that of no call before it",
  ],
  [
    "a result whose call is on another branch",
    tree(
      { id: "r", parent: null },
      { id: "a", parent: "r", role: "assistant", parts: [call("x")] },
      { id: "b", parent: "r", role: "tool", parts: [toolResult("x")] },
    ),
    "orphan-result",
    "messages[2].parts[0].callId",
    "that of no call before it",
  ],
  [
    "an approval of nothing",
    conversation(user(approvalResponse("r", true))),
    "orphan-response",
    "messages[0].parts[0].requestId",
    "no approval request before it",
  ],
  [
    "an answer to nothing",
    conversation(user(inputResponse("r", 1))),
    "orphan-response",
    "messages[0].parts[0].requestId",
    "no input request before it",
  ],
  [
    "a call by a user",
    conversation(user(call("a"))),
    "misplaced-call",
    "messages[0].parts[0]",
    "Move it to an assistant message",
  ],
  [
    "a provider's result in a tool message",
    conversation(assistant(call("a", { executedBy: "provider" })), toolMessage(toolResult("a"))),
    "misplaced-result",
    "messages[1].parts[0]",
    "the provider runs the call",
  ],
  [
    "our result in an assistant message",
    conversation(assistant([call("a"), toolResult("a")])),
    "misplaced-result",
    "messages[0].parts[1]",
    "the application runs the call",
  ],
  [
    "a compaction that keeps what is not there",
    conversation(user(compactionPart("x", { keep: ["a"] }))),
    "unknown-message",
    "messages[0].parts[0].keep[0]",
    "the id of no message here",
  ],
  [
    "a compaction of a history that is not there",
    conversation(user(compactionPart("x", { replaces: "a" }))),
    "unknown-message",
    "messages[0].parts[0].replaces",
    "the id of no message here",
  ],
  [
    "an input that was edited",
    conversation(assistant(call("a", { input: { x: 2 }, inputText: '{"x":1}' }))),
    "stale-spelling",
    "messages[0].parts[0].inputText",
    "does not count",
  ],
  ["an exact number that was edited", withMetadataExact(2), "stale-spelling", 'exact["/metadata/n"]', "does not count"],
  [
    "arguments that were not parsed",
    conversation(assistant(call("a", { inputText: "{}" }))),
    "unread-input",
    "messages[0].parts[0].inputText",
    "Set `input` to its value",
  ],
  [
    "an open part in a message that is done",
    conversation(assistant(text("x", { partial: true }), { finish: { reason: "stop" } })),
    "partial-in-finished",
    "messages[0].parts[0].partial",
    "the message ended well",
  ],
];

function withMetadataExact(n: number): object {
  return { messages: [], metadata: { n }, exact: { "/metadata/n": "1.0" } };
}

describe("check", () => {
  it.each(cases)("finds %s", (...[, value, code, path, words]) => {
    const issue = check(value).find(each => each.code === code);
    expect(issue && { ...issue, path: formatPath(issue.path), message: "" }).toEqual({
      code,
      severity: checkCodes[code][0],
      path,
      message: "",
    });
    expect(issue?.message).toContain(words);
    expect(issue?.message).toMatch(/[.?…]$/);
  });

  it("has a case above for each of its codes", () => {
    expect(new Set(cases.map(([, , code]) => code))).toEqual(new Set(Object.keys(checkCodes)));
  });

  it.each<[string, Conversation]>([
    ["the shortest conversation", conversation()],
    ["calls that still wait for their results", conversation(assistant([call("a"), call("b")]))],
    [
      "a role of the application's own, with anything in it",
      conversation(message("critic", [call("a"), toolResult("a")])),
    ],
    ["a provider's result whose call came in an earlier answer", conversation(assistant(toolResult("a")))],
    [
      "preliminary results before the last one",
      conversation(
        assistant(call("a")),
        toolMessage(toolResult("a", "1", { preliminary: true }), toolResult("a", "2")),
      ),
    ],
    [
      "an id used again after its result",
      conversation(
        assistant(call("a")),
        toolMessage(toolResult("a")),
        assistant(call("a")),
        toolMessage(toolResult("a")),
      ),
    ],
    [
      "a result of a call that was held back in an approval",
      conversation(
        assistant(approvalRequest("r", "a", { call: call("a") })),
        user(approvalResponse("r", true)),
        toolMessage(toolResult("a")),
      ),
    ],
    [
      "branches that answer the same call",
      tree(
        { id: "r", parent: null, role: "assistant", parts: [call("x")] },
        ...["a", "b"].map(id => ({ id, parent: "r", role: "tool", parts: [toolResult("x")] })),
      ) as Conversation,
    ],
    ["exact spelling that still reads", withMetadataExact(1) as Conversation],
    [
      "a text cut in a message that was cut",
      conversation(assistant(text("x", { partial: true }), { finish: { reason: "length" } })),
    ],
    ["members that are undefined", { messages: [{ role: "user", parts: [], id: undefined } as never] }],
    ["objects without prototype", Object.assign(Object.create(null), { messages: [] }) as Conversation],
    [
      "dates of all spellings",
      {
        messages: ["2024-02-29", "2024-02-29T23:59", "2024-02-29T23:59:60.1234567Z", "2024-02-29T01:00:00+05:30"].map(
          createdAt => ({ role: "user", parts: [], createdAt }),
        ),
      },
    ],
  ])("finds nothing in %s", (_, value) => {
    expect(check(value)).toEqual([]);
  });

  it("finds nothing of shape in the examples of the specification put together, and leaves them as they are", () => {
    const before = JSON.stringify(everyPart);
    expect(check(everyPart).filter(({ severity }) => severity === "error")).toEqual([]);
    expect(JSON.stringify(everyPart)).toBe(before);
  });

  it("reports all that is wrong, in the order of the value", () => {
    const issues = check({ messages: [{ role: 1, parts: [{ type: "text" }, { type: "tex" }] }, {}], title: 3 });
    expect(issues.map(({ path }) => formatPath(path))).toEqual([
      "messages[0].role",
      "messages[0].parts[0].text",
      "messages[0].parts[1].type",
      "messages[1].role",
      "messages[1].parts",
      "title",
    ]);
  });

  it("never throws, whatever the value", () => {
    const anything = fc.anything({
      withBigInt: true,
      withDate: true,
      withMap: true,
      withSet: true,
      withNullPrototype: true,
      withSparseArray: true,
      withTypedArray: true,
      withObjectString: true,
    });
    fc.assert(
      fc.property(anything, value => {
        for (const root of [value, { messages: value }, { messages: [value] }, withPart(value), withMetadata(value)]) {
          expect(Array.isArray(check(root))).toBe(true);
        }
        checkMessage(value);
        checkEvent(value);
      }),
      { numRuns: 300 },
    );
  });

  it("ends soon where a value has no end, or one thing is in it a million times over", () => {
    const endless = (): object => ({
      get a() {
        return endless();
      },
      get b() {
        return endless();
      },
    });
    expect(check(withMetadata(endless())).at(-1)?.code).toBe("too-many-issues");
    let doubled: unknown = ["x"];
    for (let level = 0; level < 500; level++) doubled = [doubled, doubled];
    expect(check(withMetadata(doubled))).toEqual([]);
    const twice: unknown[] = [];
    twice.push(twice, twice);
    expect(check(withMetadata(twice))[0]?.code).toBe("cycle");
    const huge: unknown[] = [];
    huge.length = 4_294_967_295;
    expect(check({ messages: huge }).at(-1)?.code).toBe("too-many-issues");
  });

  it("survives a value that reads differently the second time", () => {
    let reads = 0;
    const value = {
      get messages() {
        if (reads++ > 0) throw new Error("again");
        return [];
      },
    };
    expect(check(value).map(({ code }) => code)).toEqual(["unreadable"]);
  });
});

describe("checkMessage and checkEvent", () => {
  it("check one of each by itself, with paths from it", () => {
    expect(checkMessage(toolMessage(toolResult("of no call here")))).toEqual([]);
    expect(checkMessage(user(text("abc", { citations: [{ end: 9 }] })))).toMatchObject([
      { code: "citation-range", path: ["parts", 0, "citations", 0] },
    ]);
    expect(checkEvent({ type: "part-delta", message: 0, part: 0, of: "text", text: "" })).toEqual([]);
    expect(checkEvent({ type: "part-delta", message: -1, part: 0.5, of: "txt" })).toMatchObject([
      { code: "wrong-type", path: ["message"] },
      { code: "wrong-type", path: ["part"] },
      { code: "unknown-value", path: ["of"] },
      { code: "missing-member", path: ["text"] },
    ]);
    expect(checkEvent({ type: "message-start", message: 0, head: { role: "user", parts: [] } })).toMatchObject([
      { code: "unknown-member", path: ["head", "parts"] },
    ]);
    expect(checkEvent({ type: "message-set", message: 0, set: { finish: { reason: "stop" } } })).toEqual([]);
  });

  it("take any part's members in `part-set`, but no text", () => {
    const set = (members: object) =>
      checkEvent({ type: "part-set", message: 0, part: 0, set: members }).map(({ code }) => code);
    expect(set({ input: 1, kind: "mcp", summary: true, seal: { values: {} } })).toEqual([]);
    expect(set({ summary: [text("x")], kind: "state" })).toEqual([]);
    expect(set({ text: "x" })).toEqual(["unknown-member"]);
    expect(set({ summary: 3 })).toEqual(["wrong-type"]);
  });
});

describe("conversationSchema", () => {
  const { validate, version, vendor } = conversationSchema["~standard"];

  it("is check as a Standard Schema: errors fail, the value comes back itself", () => {
    expect([version, vendor]).toEqual([1, "translogue"]);
    const orphan = conversation(toolMessage(toolResult("a")));
    expect(validate(orphan)).toEqual({ value: orphan });
    expect(validate({ messages: [1] })).toEqual({
      issues: [{ path: ["messages", 0], message: expect.stringContaining("expected an object (Message)") }],
    });
  });
});
