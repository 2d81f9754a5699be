import {
  assistant,
  type Conversation,
  conversation,
  encode,
  type FormatId,
  type Message,
  type Part,
  text,
  toolCall,
  toolMessage,
  toolResult,
  user,
} from "translogue";
import { checkTarget, prepare, repair } from "translogue/targets";
import { describe, expect, test } from "vitest";

const asks = assistant([toolCall({ callId: "c", name: "f", input: {} })]);
const answer = (requestId: string, approved: boolean, more: object = { callId: "c" }): Part => ({
  type: "approval-response",
  requestId,
  approved,
  ...(!approved && { reason: "never" }),
  ...more,
});
const request = (requestId: string): Part => ({ type: "approval-request", requestId, callId: "c" });
const withTool = (...messages: readonly Message[]): Conversation => ({
  ...conversation(...messages),
  tools: [{ name: "f" }],
});
/** What a model reads: an answer to a request of a Responses server's own is none of it. */
const read = (value: unknown): string =>
  JSON.stringify(value, (_, inner) => (inner?.type === "mcp_approval_response" ? null : inner));
const providers = ["openai-chat", "anthropic-messages", "openai-responses", "gemini", "mistral", "bedrock-converse"];

test.each(providers)("a result counts before a denial for %s, also where an answer stands between them", target => {
  const late = toolMessage(toolResult("c", "removed"));
  const given = withTool(user("a"), asks, user([answer("r", false)]), assistant("hm"), late);
  const { value, issues, conversation: repaired } = prepare(given, target);
  expect(issues).toEqual([]);
  expect(read(value)).toContain("removed");
  expect(read(value)).not.toContain("never");
  expect(repair(repaired, target).changes).toEqual([]);
});

describe("a person's yes behind a no of the same call takes it back", () => {
  const asked = assistant([...asks.parts, request("r1"), request("r2")]);
  const histories: readonly (readonly [what: string, messages: readonly Message[], isDenied: boolean])[] = [
    ["in one message", [asks, user([answer("r", false), answer("r", true)]), user("b")], false],
    ["in a later message", [asks, user([answer("r", false)]), user([answer("r", true)]), user("b")], false],
    [
      "to another request that asks for it",
      [asked, toolMessage(), user([answer("r1", false, {}), answer("r2", true, {})]), user("b")],
      false,
    ],
    ["and a no behind that stands", [asks, user([answer("r", true), answer("r", false)]), user("b")], true],
    [
      "and of three the last counts",
      [asks, user([answer("r", false), answer("r", true), answer("r", false)]), user("b")],
      true,
    ],
    [
      "but not that of a call of the same id before",
      [asks, user([answer("r", false)]), asks, user([answer("r", true)]), user("b")],
      true,
    ],
  ];
  test.each(
    providers.flatMap(target => histories.map(([what, messages, isDenied]) => ({ target, what, messages, isDenied }))),
  )("$target: $what", ({ target, messages, isDenied }) => {
    const given = withTool(user("a"), ...messages.filter(({ parts }) => parts.length > 0));
    const { value, issues, conversation: repaired } = prepare(given, target);
    expect(issues).toEqual([]);
    const words = read(value).match(/never/g) ?? [];
    expect(words).toHaveLength(isDenied ? 1 : 0);
    if (!isDenied) expect(read(value)).toContain("interrupted");
    expect(repair(repaired, target).changes).toEqual([]);
  });

  test.each(["openai-chat", "anthropic-messages"] as const)("where it is only encoded too: %s", to => {
    const given = withTool(user("a"), asks, user([answer("r", false), answer("r", true)]), user("b"));
    const written = encode(given, { to: to as FormatId, shape: "request" });
    expect(JSON.stringify(written.value)).not.toContain("never");
    expect(written.losses.map(({ code }) => code)).not.toContain("refusal-result");
    expect(checkTarget(given, to).map(({ code }) => code)).toContain("calls-answered");
  });
});

test.each(providers)("a no that changes nothing is left as it is for %s", target => {
  const hidden: Message = { ...assistant([request("r")]), audience: "user" };
  const answered = toolMessage(toolResult("c", "done"));
  const given = withTool(user("a"), asks, answered, hidden, assistant("b"), user("c"), user([answer("r", false, {})]));
  expect(repair(given, target).changes.map(({ repair: name }) => name)).not.toContain("answer-calls");
});

test.each(providers)("a no to a request that no model reads is told to %s in the person's words", target => {
  const hidden: Message = { ...assistant([request("r")]), audience: "user" };
  const given = withTool(user("a"), asks, hidden, user([answer("r", false, {})]), user([text("b")]));
  const { value, issues, changes, conversation: repaired } = prepare(given, target);
  expect(issues).toEqual([]);
  expect(read(value)).toContain("never");
  expect(JSON.stringify(value)).not.toContain("interrupted");
  expect(changes.map(({ repair: name, path }) => [name, ...path])).toContainEqual([
    "answer-calls",
    "messages",
    3,
    "parts",
    0,
  ]);
  expect(repair(repaired, target).changes).toEqual([]);
});

describe("a no that stands last leaves the tool loop open, as the result that tells of it does", () => {
  const no = answer("r", false);
  test.each<readonly [what: string, last: Message, codes: readonly string[]]>([
    ["alone", user([no]), ["reasoning-kept"]],
    ["alone in a tool's message", { role: "tool", parts: [no] }, ["reasoning-kept"]],
    ["beside what a person goes on with", user([no, text("b")]), []],
    ["a yes, which tells nothing", user([answer("r", true)]), ["calls-answered"]],
  ])("for DeepSeek, %s", (_, last, codes) => {
    const given = { ...withTool(user("a"), asks, last), model: "deepseek-reasoner" };
    expect(checkTarget(given, "deepseek-chat").map(({ code }) => code)).toEqual(codes);
    expect(checkTarget(prepare(given, "deepseek-chat").conversation, "deepseek-chat")).toEqual([]);
  });

  test("for Claude, whose open loops begin with reasoning", () => {
    const given = { ...withTool(user("a"), asks, user([no])), settings: { reasoning: { budget: 2048 } } };
    expect(checkTarget(given, "anthropic-messages").map(({ code }) => code)).toContain("reasoning-first");
    expect(checkTarget(prepare(given, "anthropic-messages").conversation, "anthropic-messages")).toEqual([]);
  });
});
