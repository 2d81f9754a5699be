import {
  type Conversation,
  decode,
  encode,
  type FormatRef,
  type Json,
  type Loss,
  type Message,
  type Part,
  text,
  toolResult,
} from "translogue";
import { langchain } from "translogue/langchain";
import { describe, expect, test } from "vitest";

const losses = (messages: readonly Message[], dialect: string): readonly Loss[] =>
  encode({ messages }, { to: `langchain:${dialect}` as FormatRef, shape: "messages", recipient: "store", carry: false })
    .losses;
const assistant = (...parts: readonly Part[]): Message => ({ role: "assistant", parts });
const call = (members: Partial<Part> = {}): Part =>
  ({ type: "tool-call", callId: "c", name: "f", input: {}, ...members }) as Part;
const tool = (...parts: readonly Part[]): Message => ({ role: "tool", parts });

describe("each loss of a message", () => {
  test.each<[code: string, message: Message, path: readonly (string | number)[], dialect?: string]>([
    ["control", { role: "control", parts: [text("label")] }, []],
    ["author", { role: "user", author: { name: "a", kind: "person" }, parts: [] }, ["author"]],
    ["split", tool(toolResult("a", [text("1")]), toolResult("b", [text("2")])), ["parts"]],
    ["no-result", tool(), []],
    ["misplaced", tool(text("x"), toolResult("a", [text("1")])), ["parts", 0]],
    ["result-role", { role: "user", parts: [toolResult("a", [text("1")])] }, ["parts", 0]],
    ["result-member", tool({ ...toolResult("a", [text("1")]), cache: {} }), ["parts", 0, "cache"]],
    ["outcome", tool({ ...toolResult("a", [text("1")]), outcome: "denied" }), ["parts", 0, "outcome"]],
    ["denied-text", tool({ type: "tool-result", callId: "a", outcome: "denied" }), ["parts", 0, "output"]],
    ["data", tool(toolResult("a", [{ type: "data", data: { a: 1 } }])), ["parts", 0, "output", 0]],
    ["error-text", tool(toolResult("a", [{ type: "error", message: "no" }])), ["parts", 0, "output", 0]],
    ["no-arguments", assistant({ type: "tool-call", callId: "c", name: "f" }), ["parts", 0, "input"]],
    ["no-arguments", assistant({ type: "tool-call", callId: "c", name: "f" }), ["parts", 0, "input"], "openai"],
    ["custom-input", assistant(call({ kind: "custom", input: "SELECT 1" } as Partial<Part>)), ["parts", 0, "kind"]],
    [
      "custom-input",
      assistant(call({ kind: "custom", input: "SELECT 1" } as Partial<Part>)),
      ["parts", 0, "kind"],
      "openai",
    ],
    ["tool-kind", assistant(call({ kind: "computer" } as Partial<Part>)), ["parts", 0, "kind"]],
    ["call-order", assistant({ type: "tool-call", callId: "a", name: "f", inputText: "{" }, call()), ["parts", 1]],
    ["finish", { ...assistant(text("x")), finish: { reason: "stop", raw: "done-ish" } }, ["finish"]],
    ["usage", { ...assistant(text("x")), usage: { input: 1 } }, ["usage"]],
    ["usage-place", { role: "user", parts: [text("x")], usage: { input: 1, output: 1 } }, ["usage"]],
  ])("%s", (code, message, path, dialect = "python") => {
    const found = losses([message], dialect).filter(loss => loss.code === code);
    expect(found.map(loss => loss.path)).toEqual([["messages", 0, ...path]]);
  });

  test("there is none for what its own wire said", () => {
    const wire: Json = [
      { role: "user", content: "x", whatever: 1 },
      { type: "human", content: 5, other: null },
    ];
    const { conversation }: { conversation: Conversation } = decode(wire, "langchain");
    for (const dialect of langchain.dialects) expect(losses(conversation.messages, dialect)).toEqual([]);
  });
});
