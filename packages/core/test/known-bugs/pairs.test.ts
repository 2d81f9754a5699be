import { decode, type FormatRef, type Json } from "translogue";
import { prepare } from "translogue/targets";
import { describe, expect, test } from "vitest";
import { all, ask, called, chunk, read, request, to, transcoded } from "./wire.ts";

/** Calls and results that lost each other in other libraries, and signatures that lost their parts. */

const said = (role: string, content: Json): Json => ({ role, content });
const asks = (...ids: readonly string[]): Json => ({ role: "assistant", tool_calls: ids.map(id => called(id)) });
const tells = (id: string, content: Json = id): Json => ({ role: "tool", tool_call_id: id, content });

/** `role ids`, a line a message of a Chat history that was prepared for OpenAI. */
function outline(messages: readonly Json[]): string[] {
  const { conversation } = decode(ask([said("user", "q"), ...messages]), { from: "openai-chat", ...request });
  const { value, issues } = prepare(conversation, "openai-chat");
  expect(issues).toEqual([]);
  const { messages: sent } = value as unknown as { messages: (Json & Record<string, Json>)[] }; // a request
  return sent.slice(1).map(message => {
    const ids = [...all(message["tool_calls"] ?? null, "id"), message["tool_call_id"] ?? null].filter(
      id => id !== null,
    );
    const words = typeof message["content"] === "string" && ids.length === 0 ? [message["content"]] : [];
    return [String(message["role"]), ...ids, ...words].join(" ");
  });
}

test.each<[report: string, given: readonly Json[], sent: readonly string[]]>([
  [
    "whose result the client did not send again has one before the answer (CopilotKit 3884)",
    [asks("c"), said("assistant", "15 °C"), said("user", "next")],
    ["assistant c", "tool c", "assistant 15 °C", "user next"],
  ],
  [
    "that was aborted leaves no result without it (openclaw 9769, positron 15719, claude-code 14075)",
    [tells("x"), said("user", "next")],
    ["user next"],
  ],
  [
    "whose result stands before it has it behind (agent-framework 4946)",
    [tells("c"), asks("c"), said("user", "next")],
    ["assistant c", "tool c", "user next"],
  ],
  [
    "that was approved long after has its result behind it (dotnet/extensions 7533)",
    [asks("c", "d"), tells("c"), said("user", "hm"), said("assistant", "t"), tells("d")],
    ["assistant c d", "tool c", "tool d", "user hm", "assistant t"],
  ],
  [
    "of an id that comes again keeps its own result (oh-my-pi 2055)",
    [asks("f:1"), tells("f:1"), asks("f:1"), asks("f:2"), tells("f:2")],
    ["assistant f:1", "tool f:1", "assistant f:1", "tool f:1", "assistant f:2", "tool f:2"],
  ],
])("a call %s", (_, given, sent) => {
  expect(outline(given)).toEqual(sent);
});

test("two calls of one id in an answer are two, each with its result (charmbracelet/crush 3121, QwenLM/qwen-code 8382)", () => {
  const [call, , ...rest] = outline([asks("d", "d"), tells("d", "1"), tells("d", "2")]);
  const [, first, second] = call?.split(" ") ?? [];
  expect([first, first === second, rest]).toEqual(["d", false, [`tool ${second}`]]);
});

test("results of two turns that came together stand each behind its call, as many as there are calls (adk-python 1583)", () => {
  const answer = (id: string): Json => ({ functionResponse: { id, name: "f", response: { id } } });
  const call = (id: string): Json => ({ role: "model", parts: [{ functionCall: { id, name: "f", args: {} } }] });
  const contents: Json = [
    { role: "user", parts: [{ text: "q" }] },
    call("a"),
    { role: "user", parts: [{ text: "and?" }] },
    call("b"),
    { role: "user", parts: [answer("a"), answer("b")] },
  ];
  const { conversation } = decode({ contents }, { from: "gemini", ...request });
  const { value } = prepare(conversation, "gemini");
  expect(all(value as Json, "parts").map(parts => all(parts, "id").length)).toEqual([0, 1, 2, 0, 1, 2]);
});

test("calls of Responses without ids of items keep their own (pi 9057)", () => {
  const input: Json = ["a", "b"].flatMap(id => [
    { type: "function_call", call_id: id, name: "f", arguments: "{}" },
    { type: "function_call_output", call_id: id, output: id },
  ]);
  const { wire } = to({ model: "m", input }, "openai-responses", "openai-responses");
  expect([all(wire, "call_id"), all(wire, "id")]).toEqual([["a", "a", "b", "b"], []]);
});

describe("a part of the AI SDK's that failed", () => {
  const ui = (...parts: readonly Json[]): Json => [
    { id: "1", role: "user", parts: [{ type: "text", text: "q" }] },
    { id: "2", role: "assistant", parts },
  ];
  test.each<[report: string, part: Json, input: Json]>([
    ["vercel/ai 11407", { state: "output-error", rawInput: '{"a":', errorText: "bad" }, { input: '{"a":' }],
    ["opencode 32966", { state: "output-error", errorText: "bad" }, {}],
  ])("has an input that is an object, and its error as result (%s)", (_, part, input) => {
    const value = ui({ type: "tool-f", toolCallId: "c", ...(part as object) } as Json);
    const { conversation } = decode(value, "ai-sdk-ui" satisfies FormatRef);
    const { value: wire, issues } = prepare(conversation, "anthropic-messages");
    expect([issues, all(wire as Json, "input")[0], all(wire as Json, "is_error")]).toEqual([[], input, [true]]);
  });
});

describe("a signature of Google's", () => {
  const answer = (parts: readonly Json[], more: object = {}): Json => ({
    candidates: [{ content: { role: "model", parts }, index: 0, ...more }],
    modelVersion: "gemini-3-pro",
    responseId: "r",
  });
  const end = { finishReason: "STOP" };
  const seal = (thoughtSignature: string) => ({ maker: "google", values: { thoughtSignature } });

  test("on an empty last text is kept, and that text stays a part of its own (vercel/ai 12402, strands-agents 3306)", () => {
    const wire = [answer([{ text: "hi" }]), answer([{ text: "", thoughtSignature: "S" }], end)];
    expect(read(wire, "gemini")[0]?.parts).toEqual([
      { type: "text", text: "hi" },
      { type: "text", text: "", seal: seal("S") },
    ]);
    const contents: Json = [{ role: "model", parts: [{ text: "hi" }, { text: "", thoughtSignature: "S" }] }];
    expect(to({ contents }, "gemini", "gemini").wire).toEqual({ contents });
  });

  test("on a text that is shown stays on that piece of it, and is no thought (opencode 43984, goose 7204)", () => {
    const wire = [answer([{ text: "hi", thoughtSignature: "S" }]), answer([{ text: " you" }], end)];
    expect(read(wire, "gemini")[0]?.parts).toEqual([
      { type: "text", text: "hi", seal: seal("S") },
      { type: "text", text: " you" },
    ]);
  });

  test("makes no thinking block behind the text for an Anthropic client (claude-code-router 1275)", () => {
    const wire = [answer([{ text: "hi" }]), answer([{ text: "", thoughtSignature: "S" }], end)];
    const blocks = all(transcoded(wire, "gemini", "anthropic-messages") as Json, "content_block");
    expect(new Set(all(blocks, "type"))).toEqual(new Set(["text"]));
  });
});

test("a finish that stands on the last text, is blank before the end, or has nothing around it, is read", () => {
  const bare: Json = { id: "", object: "", created: 0, model: "", choices: [], prompt_filter_results: [] };
  const wires: Json[][] = [
    [chunk({ content: "a" }, "stop")],
    [chunk({ content: "a" }, ""), chunk({}, "stop")],
    [bare, chunk({ role: "assistant", content: "a" }), chunk({ role: "", content: "" }, "stop")],
    [{ ...(chunk(null) as object) } as Json, chunk({ content: "a", tool_calls: [] }), chunk({}, "stop")],
  ];
  for (const wire of wires)
    expect(read(wire, "openai-chat")).toMatchObject([
      { parts: [{ type: "text", text: "a" }], finish: { reason: "stop" } },
    ]);
});
