import {
  approvalRequest,
  approvalResponse,
  assistant,
  type Conversation,
  convert,
  encode,
  type FormatRef,
  type Json,
  type Message,
  type Part,
  toolCall,
  toolMessage,
  toolResult,
  user,
} from "translogue";
import { describe, expect, test } from "vitest";

const call = toolCall({ callId: "c", name: "t", input: {} });
const asked = assistant([call, approvalRequest("a", "c")]);
const refused = (more: { readonly reason?: string } = {}): Part =>
  approvalResponse("a", false, { callId: "c", ...more });
const answers = (...parts: Part[]): Message => ({ role: "tool", parts });
const history = (...messages: Message[]): Conversation => ({ messages: [user("hi"), ...messages] });
const write = (to: FormatRef, conversation: Conversation, recipient: "provider" | "client" = "provider") =>
  encode(conversation, { to, shape: "messages", recipient });
const made = ({ losses }: ReturnType<typeof write>) => losses.filter(({ code }) => code === "refusal-result");

describe("a model is told of a refused call by a result", () => {
  const conversation = history(asked, answers(refused({ reason: "no!" })));

  test.each<[to: FormatRef, last: Json]>([
    ["openai-chat", { role: "tool", tool_call_id: "c", content: "no!" }],
    ["openai-responses", { type: "function_call_output", call_id: "c", output: "no!" }],
    ["ai-sdk-prompt:v4", { role: "tool", content: [{ output: { type: "execution-denied", reason: "no!" } }] }],
    ["ai-sdk-prompt:v2", { role: "tool", content: [{ output: { type: "error-text", value: "no!" } }] }],
    ["ai-sdk-model:v7", { content: [{ approved: false }, { output: { type: "execution-denied", reason: "no!" } }] }],
    ["maf", { contents: [{ $type: "toolApprovalResponse" }, { $type: "functionResult", callId: "c", result: "no!" }] }],
    ["langchain", { type: "tool", tool_call_id: "c", content: "no!", status: "error" }],
  ])("in %s", (to, last) => {
    const written = write(to, conversation);
    expect((written.value as Json[]).at(-1)).toMatchObject(last as object);
    expect(made(written)).toMatchObject([{ kind: "synthesised", path: ["messages", 2, "parts", 0] }]);
    expect(made(write(to, conversation, "client"))).toEqual([]);
  });

  test("without a reason it is told as denied", () => {
    const { value } = write("openai-chat", history(asked, answers(refused())));
    expect(value).toMatchObject([{}, {}, { role: "tool", content: "Tool call execution denied." }]);
  });

  test("as one of the SDK's messages says it", () => {
    const part = {
      type: "tool-t",
      toolCallId: "c",
      state: "approval-responded",
      input: {},
      approval: { id: "a", approved: false, reason: "no!" },
    };
    const messages = [{ id: "m", role: "assistant", parts: [part] }];
    const { value } = convert(messages, { from: "ai-sdk-ui:v6", to: "openai-chat", recipient: "provider" });
    expect(value).toMatchObject([{ role: "assistant" }, { role: "tool", content: "no!" }]);
  });

  test("behind its call, before what else the person says", () => {
    const answer: Message = { role: "user", parts: [approvalResponse("a", false), { type: "text", text: "later" }] };
    const { value } = write("openai-chat", history(asked, answer));
    expect(value).toMatchObject([{}, { role: "assistant" }, { role: "tool", tool_call_id: "c" }, { role: "user" }]);
  });

  test.each<[why: string, messages: Message[]]>([
    ["it has a result", [asked, answers(refused(), toolResult("c", "x"))]],
    ["its answer is to come", [asked]],
    ["it was allowed", [asked, answers(approvalResponse("a", true, { callId: "c" }))]],
    [
      "the provider runs it",
      [assistant([{ ...call, executedBy: "provider" }, approvalRequest("a", "c")]), answers(refused())],
    ],
    ["it is held inside the question", [assistant([approvalRequest("a", "c", { call })]), answers(refused())]],
  ])("and by nothing where %s", (_, messages) => {
    expect(made(write("ai-sdk-model:v7", history(...messages)))).toEqual([]);
  });

  test("of two calls of one id each is told of its own answer", () => {
    const written = write("openai-chat", history(asked, answers(refused()), asked, toolMessage(toolResult("c", "x"))));
    expect((written.value as { role: string }[]).map(({ role }) => role)).toEqual([
      ...["user", "assistant", "tool"],
      ...["assistant", "tool"],
    ]);
  });
});
