import type { Conversation, Part, ToolResultPart } from "translogue";
import { checkTarget, prepare } from "translogue/targets";
import { expect, it } from "vitest";
import { assistant, call, result, text, user } from "./samples.ts";

/** Anthropic refuses an empty text inside of a result as it does beside it; a result without any content it takes. */

const resultOf = (output: readonly Part[] | undefined, more: Partial<ToolResultPart> = {}): Conversation => ({
  messages: [
    user("Go"),
    assistant(call("c1")),
    { role: "tool", parts: [result("c1", { ...(output && { output }), ...more })] },
  ],
  tools: [{ name: "weather" }],
});
const said = (value: unknown): unknown => {
  const { messages } = value as { messages: { content: unknown[] }[] }; // of Anthropic's API
  return messages.at(-1)?.content;
};
const shell = { type: "tool_result", tool_use_id: "c1" };
const picture: Part = { type: "file", mediaType: "image/png", source: { data: "iVBORw0KGgo=" } };

it.each<[string, readonly Part[], object]>([
  ["alone", [text("")], shell],
  ["twice", [text(""), text("")], shell],
  ["beside words", [text(""), text("a")], { ...shell, content: [{ type: "text", text: "a" }] }],
  ["beside a picture", [picture, text("")], { ...shell, content: [{ type: "image" }] }],
])("an empty text %s in a result is not sent to Anthropic", (_, output, wanted) => {
  const conversation = resultOf(output);
  const issues = checkTarget(conversation, "anthropic-messages");
  expect(new Set(issues.map(({ code }) => code))).toEqual(new Set(["text-not-empty"]));
  expect(issues[0]?.path.slice(0, 5)).toEqual(["messages", 2, "parts", 0, "output"]);
  const prepared = prepare(conversation, "anthropic-messages");
  expect(prepared.issues).toEqual([]);
  expect(new Set(prepared.changes.map(({ repair }) => repair))).toEqual(new Set(["trim-text"]));
  expect(said(prepared.value)).toMatchObject([wanted]);
  if (wanted === shell) expect(said(prepared.value)).toEqual([shell]);
});

it("an error without words in a result says that the tool failed", () => {
  const conversation = resultOf([{ type: "error", message: "" }]);
  expect(checkTarget(conversation, "anthropic-messages").map(({ code, path }) => [code, path.at(-1)])).toEqual([
    ["text-not-empty", "message"],
  ]);
  const { value, issues, changes } = prepare(conversation, "anthropic-messages");
  expect([issues, changes.map(({ repair }) => repair)]).toEqual([[], ["trim-text"]]);
  expect(said(value)).toMatchObject([{ content: [{ text: "The tool failed and said nothing." }] }]);
});

it("a failed result of an empty text says that it failed", () => {
  const { value, issues } = prepare(resultOf([text("")], { outcome: "error" }), "anthropic-messages");
  expect(issues).toEqual([]);
  expect(said(value)).toMatchObject([{ is_error: true, content: [{ text: expect.stringMatching(/failed/) }] }]);
});

it.each<[string, Conversation, string]>([
  ["no content", resultOf(undefined), "anthropic-messages"],
  ["white space", resultOf([text("\n")]), "anthropic-messages"],
  ["an empty text at Bedrock, which was seen to take it", resultOf([text("")]), "bedrock-converse"],
])("a result of %s is sent as it is", (_, conversation, target) => {
  expect(checkTarget(conversation, target)).toEqual([]);
  expect(prepare(conversation, target).changes).toEqual([]);
});
