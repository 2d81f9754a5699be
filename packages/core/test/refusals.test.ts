import {
  approvalRequest,
  approvalResponse,
  assistant,
  emit,
  encode,
  type FormatRef,
  type Json,
  type Message,
  runAll,
  streamEncoder,
  text,
  toolCall,
  toolMessage,
  toolResult,
  user,
} from "translogue";
import { describe, expect, test } from "vitest";

const said = "Tool call execution denied.";
const call = toolCall({ callId: "c", name: "t", input: {} });
const targets: readonly FormatRef[] = [
  "anthropic-messages",
  "gemini",
  "langchain:python",
  "langchain:js-lc",
  "langchain:openai",
  "langchain-events:protocol",
  "lighter",
  "maf",
  "openai-chat",
  "openai-responses",
];

describe.each(targets)("a call that was denied without a reason, in %s", to => {
  test.each([
    ["nothing", {}],
    ["an empty output", { output: [] }],
  ])("is told as denied where its result has %s, which is reported", (_, output) => {
    const denied: Message = {
      role: "tool",
      parts: [{ type: "tool-result", callId: "c", name: "t", ...output, outcome: "denied" }],
    };
    const { value, losses } = encode(
      { messages: [user("hi"), assistant([call]), denied] },
      { to, recipient: "client" },
    );
    expect(JSON.stringify(value)).toContain(said);
    expect(losses).toContainEqual(expect.objectContaining({ path: ["messages", 2, "parts", 0, "output"] }));
  });

  test("keeps the reason where there is one", () => {
    const denied = toolMessage(toolResult("c", "not now", { outcome: "denied" }));
    const { value } = encode({ messages: [user("hi"), assistant([call]), denied] }, { to, recipient: "client" });
    expect(JSON.stringify(value)).toContain("not now");
    expect(JSON.stringify(value)).not.toContain(said);
  });
});

test("a call that was refused for a blank reason is told of as denied, and never by a blank text", () => {
  const asked = assistant([call, approvalRequest("a", "c")]);
  const answer: Message = { role: "tool", parts: [approvalResponse("a", false, { callId: "c", reason: " " })] };
  const { value } = encode(
    { messages: [user("hi"), asked, answer] },
    { to: "anthropic-messages", shape: "request", recipient: "provider" },
  );
  expect(JSON.stringify(value)).toContain(said);
  expect(JSON.stringify(value)).not.toContain('" "');
});

describe("a provider is told of a refused call in a stream", () => {
  const asked = assistant([call, approvalRequest("a", "c")]);
  const refused = approvalResponse("a", false, { callId: "c", reason: "no!" });
  const answer: Message = { role: "tool", parts: [refused] };
  const next = assistant("then not");

  const stream = (messages: readonly Message[], recipient: "provider" | "client" = "provider") => {
    const encoder = streamEncoder("langchain:python", { recipient });
    const chunks = runAll(encoder, emit(messages)) as unknown as readonly {
      readonly type: string;
      readonly content: Json;
    }[]; // messages of this dialect
    const made = encoder.losses.filter(({ code }) => code === "refusal-result");
    return { told: chunks.filter(({ type }) => type === "tool"), kinds: chunks.map(({ type }) => type), made };
  };

  test.each<[where: string, messages: Message[]]>([
    ["before the next answer", [asked, answer, next]],
    ["at the end", [asked, answer]],
    ["of the first reason", [asked, { role: "tool", parts: [refused, { ...refused, reason: "never" }] }, next]],
    ["before what else the person says", [asked, { role: "user", parts: [refused, text("later")] }]],
  ])("by a result %s, which is reported at the answer", (_, messages) => {
    const { told, kinds, made } = stream(messages);
    expect(told).toMatchObject([{ content: "no!", tool_call_id: "c", status: "error" }]);
    expect(kinds.indexOf("tool")).toBeLessThan(kinds.includes("human") ? kinds.indexOf("human") : kinds.length);
    expect(made).toMatchObject([{ kind: "synthesised", path: ["messages", 1, "parts", 0] }]);
    if (messages.includes(next)) expect(kinds.at(-1)).toBe("AIMessageChunk");
  });

  test.each<[why: string, messages: Message[]]>([
    ["a result follows in the message", [asked, { role: "tool", parts: [refused, toolResult("c", "x")] }]],
    ["a result follows in another message", [asked, answer, toolMessage(toolResult("c", "x")), next]],
    ["it was allowed", [asked, { role: "tool", parts: [approvalResponse("a", true, { callId: "c" })] }]],
    ["it was allowed after all", [asked, { role: "tool", parts: [refused, approvalResponse("a", true)] }]],
    ["the provider runs it", [assistant([{ ...call, executedBy: "provider" }, approvalRequest("a", "c")]), answer]],
    ["it is held inside the question", [assistant([approvalRequest("a", "c", { call })]), answer]],
  ])("and by nothing of ours where %s", (_, messages) => {
    expect(stream(messages).made).toEqual([]);
  });

  test("and a client is not", () => {
    expect(stream([asked, answer, next], "client").made).toEqual([]);
  });
});
