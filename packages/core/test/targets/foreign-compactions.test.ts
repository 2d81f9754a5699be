import {
  assistant,
  type Codec,
  type Conversation,
  context,
  conversation,
  encode,
  type Message,
  type Part,
  text,
  user,
} from "translogue";
import { anthropicMessages } from "translogue/anthropic-messages";
import { reads as readsIn } from "translogue/convert";
import { openaiResponses } from "translogue/openai-responses";
import { checkTarget, findTarget, prepare, prepareWith, readsPrepared, repair } from "translogue/targets";
import { describe, expect, test } from "vitest";

const compaction = (maker: string, more: object = {}): Part => ({
  type: "compaction",
  seal: { maker, values: { encrypted_content: "c2ln" } },
  ...more,
});
const behind = (part: Part, more: readonly Message[] = []): Conversation =>
  conversation(user("first"), assistant("answer"), assistant([part]), ...more, user("last"));
const others = [
  ["openai", "anthropic-messages"],
  ["openai", "gemini"],
  ["openai", "openai-chat"],
  ["openai", "chat"],
  ["openai", "openrouter"],
  ["openai", "mistral"],
  ["openai", "bedrock-converse"],
  ["anthropic", "openai-responses"],
  ["anthropic", "openrouter"],
  ["anthropic", "cohere"],
] as const;

describe("a compaction that its maker alone can read, and another model is asked", () => {
  test.each(others)("of %s, for %s, is as if it were not there, which is told", (maker, target) => {
    const given = behind(compaction(maker));
    const { value, changes, issues, conversation: repaired } = prepare(given, target);
    expect(issues).toEqual([]);
    for (const words of ["first", "answer", "last"]) expect(JSON.stringify(value)).toContain(words);
    expect(JSON.stringify(value)).not.toContain("c2ln");
    expect(changes).toMatchObject([
      { repair: "drop-seals", path: ["messages", 2, "parts", 0], message: expect.stringContaining(maker) },
    ]);
    expect(changes.filter(({ repair: name }) => name === "leave-out")).toEqual([]);
    expect(repair(repaired, target).changes).toEqual([]);
  });

  test("lets the one before it count that can be read", () => {
    const own = user([compaction("anthropic", { summary: [text("so far")] })]);
    const given = conversation(user("older"), own, user("first"), assistant([compaction("openai")]), user("last"));
    const { value } = prepare(given, "anthropic-messages");
    expect(JSON.stringify(value)).toContain("c2ln");
    expect(JSON.stringify(value)).toContain("first");
    expect(JSON.stringify(value)).not.toContain("older");
  });

  test("brings back the history that it began a new root for", () => {
    const given: Conversation = {
      head: "4",
      messages: [
        { ...user("first"), id: "1" },
        { ...assistant("answer"), id: "2", parent: "1" },
        { ...assistant([compaction("openai", { replaces: "2" })]), id: "3" },
        { ...user("last"), id: "4", parent: "3" },
      ],
    };
    const { value } = prepare(given, "anthropic-messages");
    for (const words of ["first", "answer", "last"]) expect(JSON.stringify(value)).toContain(words);
    expect(JSON.stringify(prepare(given, "openai-responses").value)).not.toContain("first");
  });

  test("is checked as it would be sent", () => {
    const given = behind(compaction("openai"));
    expect(checkTarget(given, "anthropic-messages")).toMatchObject([
      { code: "seals-at-home", path: ["messages", 2, "parts", 0, "seal"] },
    ]);
  });

  test.each(["anthropic-messages", "gemini", "openai-chat"] as const)("is no end of what is encoded for %s", to => {
    const { value, losses } = encode(behind(compaction("openai")), { to, shape: "request" });
    expect(JSON.stringify(value)).toContain("first");
    expect(losses.map(({ code, path }) => [code, ...path])).toContainEqual([
      "foreign-seal",
      "messages",
      2,
      "parts",
      0,
      "seal",
    ]);
    expect(losses.map(({ code }) => code)).not.toContain("out-of-context");
  });
});

describe("stays where it is read", () => {
  test.each([
    ["by its maker", "openai-responses", compaction("openai")],
    ["in words", "anthropic-messages", compaction("openai", { summary: [text("so far")] })],
  ])("%s", (_, target, part) => {
    const { value } = prepare(behind(part), target);
    expect(JSON.stringify(value)).not.toContain("first");
    expect(JSON.stringify(value)).toMatch(/so far|c2ln/);
  });
});

describe("what a model reads is known before it is written", () => {
  const worded = compaction("openai", { summary: [text("so far")] });
  const rows: readonly (readonly [string, Codec, string, Part, boolean])[] = [
    ["its maker", openaiResponses, "openai-responses", compaction("openai"), true],
    ["another", anthropicMessages, "anthropic-messages", compaction("openai"), false],
    ["another, in words", anthropicMessages, "anthropic-messages", worded, true],
    ["its maker, by another host", openaiResponses, "azure-openai-responses", compaction("openai"), false],
  ];

  test.each(rows)("by %s", (...[, codec, target, part, isRead]) => {
    const given = behind(part);
    const reads = readsPrepared(codec, findTarget(target));
    const { messages } = context(given, reads);
    expect(messages).toHaveLength(isRead ? 2 : given.messages.length);
    expect(JSON.stringify(prepareWith(codec, given, target).value).includes("first")).toBe(!isRead);
    expect(part.type === "compaction" && readsIn(codec, { dialect: findTarget(target).dialect })(part)).toBe(isRead);
  });

  test("by a format that has no compactions, none is: the history stays", () => {
    const { value, losses } = encode(behind(worded), { to: "ai-sdk-prompt", shape: "request" });
    expect(JSON.stringify(value)).toContain("first");
    expect(losses.map(({ code }) => code)).toContain("compaction");
  });
});

test("a compaction is an item of its own, whoever said it, and its id counts once", () => {
  const item = compaction("openai", {
    seal: { maker: "openai", route: "azure", values: { id: "cmp_1", encrypted_content: "c2ln" } },
  });
  const twice = conversation(user("a"), { role: "system", parts: [item] }, assistant([item]), user("b"));
  expect(checkTarget(twice, "openai-responses").map(({ code, path }) => [code, path[1]])).toContainEqual([
    "item-ids",
    2,
  ]);
  expect(prepare(twice, "openai-responses").issues).toEqual([]);
});
