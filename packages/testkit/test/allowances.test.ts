import { describe, expect, test } from "vitest";
import { lostTurn } from "../src/conformance/runners/aisdk-lost-turns.ts";
import { holdsLeaves } from "../src/conformance/runners/aisdk-provider-places.ts";
import { requestOptions as langchainOptions } from "../src/conformance/runners/langchain-allowances.ts";
import { begunKinds } from "../src/conformance/runners/langchain-merge.ts";
import { excuse as loopExcuse } from "../src/conformance/runners/maf-loop-excuses.ts";
import { requestOptions as mafOptions } from "../src/conformance/runners/maf-request-allowances.ts";
import { comparedSession } from "../src/conformance/runners/maf-session-compared.ts";
import { excuse as sessionExcuse } from "../src/conformance/runners/maf-session-excuses.ts";
import { mendedInput } from "../src/conformance/runners/maf-session-input.ts";
import { keeps } from "../src/keeps.ts";

const fitted = { losses: [], tools: [] };
const missingOf = (theirs: object, ours: object, options: typeof mafOptions | typeof langchainOptions, given = {}) =>
  keeps(theirs, ours, options({ theirs, ours, fitted, given, options: {} })).missing.map(({ path }) => path.join("."));

describe("a rule excuses the difference that its reason names, and no other", () => {
  test.each([
    ["a number within another", { id: 210 }, 1, false],
    ["a digit of a text", { id: "call_1" }, 1, false],
    ["a number", { counts: [1] }, 1, true],
    ["a text", { text: "one" }, "one", true],
    ["a part of a text", { text: "ones" }, "one", false],
  ])("%s", (_, whole, leaf, isHeld) => expect(holdsLeaves(whole, leaf)).toBe(isHeld));

  test("the result of the application's own call is none of a provider's", () => {
    const theirs = { input: [{ type: "function_call_output", call_id: "call_1", output: "sunny" }] };
    expect(missingOf(theirs, { input: [] }, langchainOptions)).toEqual(["input.0"]);
    const given = { messages: [{ contentBlocks: [{ type: "server_tool_call", id: "call_1" }] }] };
    expect(missingOf(theirs, { input: [] }, langchainOptions, given)).toEqual(["input.0"]); // no loss says so
  });

  test("reasoning is left out where a loss says so", () => {
    const theirs = { input: [{ type: "reasoning", summary: [{ type: "summary_text", text: "hm" }] }] };
    expect(missingOf(theirs, { input: [] }, mafOptions)).toEqual(["input.0"]);
    expect(missingOf(theirs, { input: [] }, langchainOptions)).toEqual(["input.0"]);
  });

  test("a function of Anthropic's is no hosted tool", () => {
    const tool = (properties: object) => ({ tools: [{ name: "f", input_schema: { type: "object", properties } }] });
    expect(missingOf(tool({ a: { type: "string" } }), tool({ a: { type: "number" } }), mafOptions)).toEqual([
      "tools.0.input_schema.properties.a.type",
    ]);
  });

  test("a call without an id, and a turn, are no ids in other letters", () => {
    const turn = (name: string) => ({ messages: [{ role: "assistant", tool_calls: [{ function: { name } }] }] });
    expect(missingOf(turn("weather"), turn("clock"), langchainOptions)).toEqual([
      "messages.0.tool_calls.0.function.name",
    ]);
  });

  test("a result of another call is no text in one turn", () => {
    const result = (id: string) => ({ messages: [{ role: "tool", tool_call_id: id, content: [{ text: "sunny" }] }] });
    expect(missingOf(result("call_1"), result("call_2"), langchainOptions)).toEqual(["messages.0"]);
  });

  test("a block that the API knows is compared", () => {
    const result = (text: string) => ({
      messages: [{ role: "user", content: [{ type: "tool_result", tool_use_id: "c", content: [{ text }] }] }],
    });
    const given = { provider: "anthropic-messages" };
    const options = (all: object) => langchainOptions({ ...all, ...given } as Parameters<typeof langchainOptions>[0]);
    expect(keeps(result("sunny"), result("rainy"), options({ ours: result("rainy") })).missing).toHaveLength(1);
  });

  test("a description has the same words, but for what strict mode does not take", () => {
    const tool = (description: string) => ({
      tools: [{ type: "function", parameters: { properties: { q: { description } } } }],
    });
    expect(missingOf(tool("a\nNote: b"), tool("a"), mafOptions)).toEqual([
      "tools.0.parameters.properties.q.description",
    ]);
    expect(missingOf(tool("a\nminLength: 2"), tool("a\n\n{minLength: 3}"), mafOptions)).toHaveLength(1);
    expect(missingOf(tool("a\nminLength: 2"), tool("a\n\n{minLength: 2}"), mafOptions)).toEqual([]);
  });

  test("reasoning without words is no raw reasoning", () => {
    const item = (summary: object[]) => ({ input: [{ type: "reasoning", id: "rs", summary }] });
    const missing = missingOf(item([{ type: "summary_text", text: "" }]), item([{ type: "other" }]), mafOptions);
    expect(missing).not.toEqual([]);
  });

  test.each([
    ["in another order", ["assistant", "user"]],
    ["of another side", ["user", "user"]],
  ])("turns %s are not lost", (_, roles) => {
    const request = (sides: readonly string[]) => ({
      messages: sides.map((role, index) => ({ role, content: [{ type: "text", text: `${role} ${index % 2}` }] })),
    });
    const [theirs, ours] = [request(roles), request(["user", "assistant"])];
    const kept = keeps(theirs, ours, { allowances: [lostTurn({}, { theirs, ours })] });
    expect(kept.missing).not.toEqual([]);
  });

  test("an answer without words that calls a tool is no lost turn", () => {
    const call = { id: "c", type: "function", function: { name: "weather", arguments: "{}" } };
    const theirs = { messages: [{ role: "assistant", content: [], tool_calls: [call] }] };
    const ours = { messages: [] };
    const { missing } = keeps(theirs, ours, { allowances: [lostTurn({}, { theirs, ours })] });
    expect(missing.map(({ path }) => path.join("."))).toEqual(["messages.0"]);
  });

  test.each([
    ["behind what was said before it", ["one", "two"], []],
    ["before what was said before it", ["two", "one"], ["messages.2"]],
  ])("a turn behind a lost one stands %s", (_, texts, missing) => {
    const turn = (...said: readonly string[]) => ({
      role: "user",
      content: said.map(text => ({ type: "text", text })),
    });
    const lost = { role: "assistant", content: [] };
    const theirs = { messages: [turn("one"), lost, turn("two")] };
    const ours = { messages: texts.map(text => turn(text)) };
    const { missing: left } = keeps(theirs, ours, {
      places: path => (path.length === 1 ? [texts.indexOf("one"), -1, -1] : undefined),
      allowances: [lostTurn({}, { theirs, ours })],
    });
    expect(left.map(({ path }) => path.join("."))).toEqual(missing);
  });

  test.each([
    ["anthropic-messages", { type: "server_tool_use", id: "s" }],
    ["anthropic-messages", { type: "search_result", title: "t" }],
    ["bedrock-converse", { cachePoint: { type: "default" } }],
    ["bedrock-converse", { citationsContent: { content: [{ text: "t" }] } }],
    ["bedrock-converse", { guardContent: { text: { text: "t" } } }],
  ] as const)("%s knows its block %o", (provider, block) => {
    const [theirs, ours] = [[block], []].map(content => ({ messages: [{ role: "assistant", content }] }));
    const options = langchainOptions({ theirs, ours, provider, fitted, given: {} });
    expect(keeps(theirs, ours, options).missing).toHaveLength(1);
  });

  test.each([
    [{ name: "file" }, 0],
    [{ name: "" }, 1],
    [{}, 1],
  ])("a document is called otherwise, and not nothing: %o", (document, count) => {
    const request = (content: object) => ({ messages: [{ role: "user", content: [{ document: content }] }] });
    const [theirs, ours] = [request({ name: "<id-1>" }), request(document)];
    const options = langchainOptions({ theirs, ours, provider: "bedrock-converse", fitted, given: {} });
    expect(keeps(theirs, ours, options).missing).toHaveLength(count);
  });

  test("what a stream begins first stands first, a text or a call", () => {
    const text = { content: "hi" };
    const call = { content: "", tool_call_chunks: [{ index: 0, id: "c", name: "f", args: "{}" }] };
    expect(begunKinds([text, call])).toEqual(["other", "call"]);
    expect(begunKinds([call, text])).toEqual(["call", "other"]);
  });
});

describe("an excuse of an agent's run is for the difference that its reason names", () => {
  const call = { type: "tool-call", callId: "c1", name: "pay", input: { amount: 1 } } as const;
  const answered = (amount: number) =>
    mendedInput(
      [
        {
          role: "user",
          parts: [{ type: "approval-response", requestId: "r1", approved: true, call: { ...call, input: { amount } } }],
        },
      ],
      "approval/changed-call",
      { messages: [], pendingApprovals: [{ requestId: "r1", call }] },
    );

  test("an answer about the call that was asked about is refused by nobody", () => {
    expect(answered(2)?.input[0]?.parts[0]).toMatchObject({ call });
    expect(answered(1)).toBeUndefined();
  });

  const said = (text: string) => ({ role: "user", contents: [{ $type: "text", text }] });
  const paid = [
    { role: "assistant", contents: [{ $type: "functionCall", name: "pay", arguments: {}, callId: "c1" }] },
    { role: "tool", contents: [{ $type: "functionResult", result: "paid", callId: "c1" }] },
  ];
  const stored = (messages: readonly object[]) =>
    JSON.stringify({ stateBag: { InMemoryChatHistoryProvider: { messages } } });

  test.each([
    ["stands before what is said now", [...paid, said("go")], ["c1"], true],
    ["is not said twice", [...paid, ...paid, said("go")], ["c1"], false],
    ["is not lost", [said("go")], ["c1"], false],
    ["is rebuilt where no history has it", [...paid, said("go")], [], false],
  ])("an exchange that the original rebuilds %s", (_, messages, rebuilt, isAlike) => {
    const sides = { ours: stored(messages), theirs: stored([said("go"), ...paid]) };
    const why = comparedSession({ ...sides, isKept: () => false, isOpen: false, rebuilt }, new Set());
    expect(why === undefined).toBe(isAlike);
  });

  const nothing = { requests: [], invocations: [], completions: [] };

  test.each([
    ["another request is open", ["c1"], ["c2"], "maf forgotten approvals"],
    ["no request is open behind the answers", ["c1", "c2"], [], undefined],
    ["ours dropped the answer", ["c1"], ["c1", "c2"], undefined],
  ])("nothing is sent: %s", (_, answers, waiting, rule) => {
    const asked = (callId: string) => ({ requestId: `ficc_${callId}`, toolCall: { callId } });
    const session = JSON.stringify({ stateBag: { _pendingApprovalRequests: ["c1", "c2"].map(asked) } });
    const contents = answers.map(callId => ({ ...asked(callId), $type: "toolApprovalResponse", approved: true }));
    const step = { run: { input: [{ role: "user", contents }], session: { restore: session } } };
    const each = { name: "", out: {}, steps: [step] };
    const expected = { response: "No approval response was provided" };
    const seen = { ...nothing, each, expected, waiting };
    expect(sessionExcuse(each, step, seen, "requests: 0, expected 1")).toBe(rule);
  });

  test.each([
    ["other arguments", { name: "f", callId: "c1" }, "maf delegates"],
    ["another tool", { name: "g", callId: "c1" }, undefined],
    ["another call", { name: "f", callId: "c2" }, undefined],
  ])("a delegate is called with %s", (_, invocation, rule) => {
    const each = {
      name: "",
      out: {},
      options: { tools: [{ name: "f", factory: true, parameters: [{ name: "n" }] }] },
      input: [],
    };
    const expected = { requests: [], invocations: [{ ...invocation, arguments: { n: 1 } }] };
    const ours = [{ name: "f", callId: "c1", arguments: {} }];
    const seen = { ...nothing, each, expected, invocations: ours };
    expect(loopExcuse(each, seen, "request 1: at messages[2].contents[0].result: got 1")).toBe(rule);
  });
});
