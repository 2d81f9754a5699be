import {
  accumulate,
  approvalRequest,
  approvalResponse,
  assistant,
  decode,
  emit,
  isJsonObject,
  type Json,
  type JsonObject,
  type Message,
  type Part,
  runAll,
  streamDecoder,
  streamEncoder,
  text,
  toolCall,
  toolMessage,
  toolResult,
} from "translogue";
import { toChatResponse } from "translogue/maf";
import { describe, expect, test } from "vitest";

const call = toolCall({ callId: "c", name: "f", input: { a: 1 } });
const hosted: Part = { ...call, executedBy: "provider" };
const question = approvalRequest("q", "c");
const yes = approvalResponse("q", true, { callId: "c" });
const no = approvalResponse("q", false, { callId: "c", reason: "no!" });
const done = toolResult("c", "done");
const denied = toolResult("c", "no!", { outcome: "denied" });
const user = (...parts: Part[]): Message => ({ role: "user", parts });

const written = (messages: readonly Message[]) => {
  const encoder = streamEncoder("maf", { recipient: "store" });
  const updates = runAll(encoder, emit(messages)) as JsonObject[]; // updates are objects
  return { updates, codes: encoder.losses.map(({ code }) => code) };
};

/** Who says which contents; of a question or an answer what it holds. */
const told = (updates: readonly JsonObject[]): string[] =>
  updates.map(({ role, contents }) => {
    const words = (contents as JsonObject[]).map(
      (
        { $type, toolCall: about }, // contents are objects
      ) => (isJsonObject(about) ? `${$type}(${about["$type"]})` : String($type)),
    );
    return `${role}: ${words.join(" ")}`;
  });

const asked = "toolApprovalRequest(functionCall)";
const answered = "user: toolApprovalResponse(functionCall)";

describe("a call that waits for its approval is told only inside the question (R22)", () => {
  test.each<[what: string, held: number, messages: Message[], updates: string[]]>([
    ["asked", 1, [assistant([call, question])], [`assistant: ${asked}`]],
    [
      "one of two calls asked about",
      1,
      [assistant([call, toolCall({ callId: "d", name: "g", input: {} }), question])],
      [`assistant: functionCall ${asked}`],
    ],
    ["answered", 1, [assistant([call, question]), user(yes)], [`assistant: ${asked}`, answered]],
    [
      "answered and run: it is told again for its result, as MAF's loop does",
      2,
      [assistant([call, question]), user(yes), toolMessage(done)],
      [`assistant: ${asked}`, answered, "assistant: functionCall", "tool: functionResult"],
    ],
    [
      "refused, which its result says",
      2,
      [assistant([call, question]), user(no), toolMessage(denied)],
      [`assistant: ${asked}`, answered, "assistant: functionCall", "tool: functionResult"],
    ],
    [
      "answered in the message of its result",
      2,
      [assistant([call, question]), { role: "tool", parts: [yes, done] }],
      [`assistant: ${asked}`, "assistant: functionCall", "tool: toolApprovalResponse(functionCall) functionResult"],
    ],
    [
      "run by the provider, who says so beside it",
      0,
      [assistant([hosted, question, done]), user(yes)],
      [`assistant: functionCall ${asked} functionResult`, answered],
    ],
    [
      "run by the provider, who says so in the next answer",
      2,
      [assistant([hosted, question]), user(yes), assistant([done])],
      [`assistant: ${asked}`, answered, "assistant: functionCall functionResult"],
    ],
    ["not asked about", 0, [assistant([call]), toolMessage(done)], ["assistant: functionCall", "tool: functionResult"]],
  ])("%s", (_, held, messages, updates) => {
    const { updates: all, codes } = written(messages);
    expect(told(all)).toEqual(updates);
    expect(codes.filter(code => code === "held-call")).toHaveLength(held);
  });

  test("nothing waits for a question behind another part", () => {
    const encoder = streamEncoder("maf", { recipient: "store" });
    const events = emit([assistant([call, text("so"), text("it is")])]);
    const steps = events.map(event => encoder.push(event).length);
    expect(steps.indexOf(1)).toBe(events.findIndex(event => event.type === "part-delta" && event.text === "so"));
  });
});

describe("a result that follows a refusal is read as a denial, as it comes", () => {
  test.each<[what: string, messages: Message[]]>([
    ["refused", [assistant([question]), user(no), assistant([call]), toolMessage(denied)]],
    ["allowed", [assistant([question]), user(yes), assistant([call]), toolMessage(done)]],
  ])("%s", (_, messages) => {
    const { updates } = written(messages);
    const read = accumulate(runAll(streamDecoder("maf"), updates as Json[])); // updates are JSON
    expect(read.at(-1)?.parts[0]).toEqual(messages.at(-1)?.parts[0]);
    const whole = decode(toChatResponse(updates), { from: "maf", shape: "answer", dialect: "chat" });
    expect(read.map(({ parts }) => parts)).toEqual(whole.conversation.messages.map(({ parts }) => parts));
  });
});
