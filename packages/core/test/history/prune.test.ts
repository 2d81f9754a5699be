import { type ModelMessage, pruneMessages } from "ai";
import {
  approvalRequest,
  approvalResponse,
  assistant,
  dataPart,
  decode,
  imageUrl,
  type Message,
  reasoning,
  system,
  text,
  toolCall,
  toolMessage,
  toolResult,
  user,
} from "translogue";
import { type PruneOptions, prune, pruneToTarget } from "translogue/history";
import { describe, expect, test } from "vitest";

describe("prune", () => {
  const call = (callId: string, name: string) => toolCall({ callId, name, input: {} });
  const talk: readonly Message[] = [
    user("q1"),
    assistant([reasoning("r1"), text("t1"), call("c1", "a"), call("c2", "b")]),
    toolMessage(toolResult("c1", "1", { name: "a" }), toolResult("c2", "2", { name: "b" })),
    assistant([reasoning("r2"), text("ans")]),
    user("q2"),
    assistant([reasoning("r3"), call("c3", "a"), approvalRequest("p3", "c3")]),
    { role: "tool", parts: [approvalResponse("p3", true)] },
    toolMessage(toolResult("c3", "3", { name: "a" })),
  ];
  const shape = (messages: readonly Message[]) =>
    messages.map(({ parts }) =>
      parts.map(part => ("callId" in part ? `${part.type}:${part.callId}` : part.type)).join("+"),
    );

  test("without options nothing goes", () => expect(prune(talk)).toEqual(talk));
  test("a call goes with its result and its approval, and reasoning with what it was for", () => {
    expect(shape(prune(talk, { toolCalls: "all" }))).toEqual(["text", "reasoning+text", "reasoning+text", "text"]);
  });
  test("what the last messages speak of stays, wherever it stands", () => {
    const kept = shape(prune(talk, { toolCalls: "before-last-message" }));
    expect(kept).toContain("tool-result:c3");
    expect(kept.join(" ")).toContain("tool-call:c3");
    expect(kept.join(" ")).not.toContain("c1");
  });
  test("of some tools only", () => {
    expect(shape(prune(talk, { toolCalls: [{ type: "all", tools: ["b"] }] })).join(" ")).not.toContain("c2");
    expect(shape(prune(talk, { toolCalls: [{ type: "all", tools: ["b"] }] })).join(" ")).toContain("tool-result:c1");
  });
  test("empty messages may be kept", () => {
    expect(prune([assistant([call("c", "a")])], { toolCalls: "all", emptyMessages: "keep" })).toEqual([assistant([])]);
  });

  const wire: ModelMessage[] = [
    { role: "system", content: "s" },
    { role: "user", content: "q1" },
    {
      role: "assistant",
      content: [
        { type: "reasoning", text: "r1" },
        { type: "tool-call", toolCallId: "c1", toolName: "a", input: {} },
        { type: "reasoning", text: "r2" },
        { type: "text", text: "t1" },
        { type: "tool-call", toolCallId: "c2", toolName: "b", input: { x: 1 } },
      ],
    },
    {
      role: "tool",
      content: [
        { type: "tool-result", toolCallId: "c1", toolName: "a", output: { type: "text", value: "1" } },
        { type: "tool-result", toolCallId: "c2", toolName: "b", output: { type: "json", value: { y: 2 } } },
      ],
    },
    { role: "assistant", content: "answer" },
    { role: "user", content: "q2" },
    {
      role: "assistant",
      content: [
        { type: "reasoning", text: "r3" },
        { type: "tool-call", toolCallId: "c3", toolName: "a", input: {} },
        { type: "tool-approval-request", approvalId: "p", toolCallId: "c3" },
      ],
    },
    { role: "tool", content: [{ type: "tool-approval-response", approvalId: "p", approved: true }] },
  ];
  const reasonings = ["none", "all", "before-last-message"] as const;
  const calls: readonly PruneOptions["toolCalls"][] = [
    "none",
    "all",
    "before-last-message",
    "before-last-2-messages",
    "before-last-5-messages",
    [{ type: "all", tools: ["a"] }],
    [{ type: "all", tools: ["b"] }, { type: "before-last-message" }],
    [],
  ];
  const cases = reasonings.flatMap(reason =>
    calls.flatMap(toolCalls =>
      (["keep", "remove"] as const).map(emptyMessages => ({ reasoning: reason, toolCalls, emptyMessages })),
    ),
  );
  test.each(cases)("as the AI SDK does with %o", options => {
    const read = (messages: readonly ModelMessage[]) =>
      decode(structuredClone(messages), { from: "ai-sdk-model", shape: "messages" }).conversation.messages;
    const theirs = pruneMessages({
      messages: structuredClone(wire),
      reasoning: options.reasoning,
      emptyMessages: options.emptyMessages,
      toolCalls: options.toolCalls as "all", // the same options, but for readonly lists
    });
    expect(prune(read(wire), options as PruneOptions)).toEqual(read(theirs));
  });
});

describe("prune to a target", () => {
  const count = ({ parts }: Message): number =>
    parts.reduce(
      (sum, part) =>
        sum +
        (part.type === "text"
          ? part.text.length
          : part.type === "file"
            ? 1000
            : part.type === "tool-result"
              ? JSON.stringify(part.output).length
              : 5),
      0,
    );
  const long = "x".repeat(3000);
  const pair = (callId: string, output: string): readonly Message[] => [
    assistant([toolCall({ callId, name: "look", input: {} })]),
    toolMessage(toolResult(callId, output)),
  ];
  const recent = [user("a"), assistant("b"), user("c")];
  const fit = (messages: readonly Message[], targetTokens: number) =>
    pruneToTarget([...messages, ...recent], { targetTokens, tokenCounter: count });

  test("what fits is left as it is", () => {
    const messages = [user("a"), ...recent];
    expect(pruneToTarget(messages)).toMatchObject({ messages, steps: [] });
    expect(pruneToTarget(messages).messages).toBe(messages);
  });
  test("where pictures weigh most, old ones go first and leave their name", () => {
    const { messages, steps, tokensAfter } = fit([user([text("see"), imageUrl("u")]), user(imageUrl("v"))], 500);
    expect(steps).toEqual(["old-images"]);
    expect(messages[0]?.parts).toEqual([text("see"), text("[image/* removed]")]);
    expect(tokensAfter).toBeLessThanOrEqual(500);
  });
  test("a little too much is cut from long results, whose calls keep them", () => {
    const { messages, steps } = fit([system("s"), ...pair("c", long), user("y".repeat(30_000))], 32_000);
    expect(steps).toEqual(["tool-results"]);
    expect(messages[2]?.parts).toEqual([toolResult("c", `${"x".repeat(500)}...[truncated]`)]);
  });
  test("no character is cut in half", () => {
    const smiles = `a${"😀".repeat(long.length / 2)}`;
    const { messages } = fit([system("s"), ...pair("c", smiles), user("y".repeat(30_000))], 32_000);
    expect(messages[2]?.parts).toEqual([toolResult("c", `a${"😀".repeat(249)}...[truncated]`)]);
  });
  test("JSON of a result is cut as its text", () => {
    const result = toolMessage(toolResult("c", [dataPart({ a: long })]));
    const { messages } = fit([...pair("c", "").slice(0, 1), result, user("y".repeat(30_000))], 32_000);
    expect(messages[1]?.parts).toMatchObject([{ output: [{ type: "text" }] }]);
  });
  test("far too much is dropped from the oldest on, calls with their results, the system's never", () => {
    const history = [system("s"), user(long), ...pair("c1", long), ...pair("c2", long), user("end")];
    const { messages, steps, tokensAfter } = fit(history, 3500);
    expect(steps).toEqual(["oldest-messages"]);
    expect(messages).toEqual([history[0], history[4], history[5], history[6], ...recent]);
    expect(tokensAfter).toBeLessThanOrEqual(3500);
  });
  test("the newest messages and sealed parts are not touched, even where there are too many still", () => {
    const seal = { maker: "m", values: { signature: "s" } };
    const sealed = assistant([text(long, { seal })]);
    const kept = pruneToTarget([system(long), sealed], {
      targetTokens: 10,
      preserveRecentMessages: 1,
      tokenCounter: count,
    });
    expect(kept.messages).toEqual([system(long), sealed]);
    expect(kept.tokensAfter).toBeGreaterThan(10);
  });
});
