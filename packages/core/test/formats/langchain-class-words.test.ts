import { decode, encode, type FormatRef, type Json } from "translogue";
import { describe, expect, test } from "vitest";

const lc = (name: string, kwargs: Json): Json => ({
  lc: 1,
  type: "constructor",
  id: ["langchain", "schema", "messages", name],
  kwargs,
});
const write = (wire: Json, dialect?: string) => {
  const read = decode([wire], "langchain");
  const to = `langchain:${dialect ?? read.dialect}` as FormatRef;
  const { value, losses } = encode(read.conversation, { to, shape: "messages", recipient: "store", carry: false });
  return { value: value as readonly Json[], losses }; // as asked
};

/** What is put where a class is told, and tells none. */
const words: readonly Json[] = [5, null, { a: 1 }, ["human"]];

describe.each(words)("a word of %j where the class is told", word => {
  test.each<[name: string, wire: Json]>([
    ["the type of a dict of the user's", { role: "user", content: "x", type: word }],
    ["the type of a dict of a role of its own", { role: "wizard", content: "x", type: word }],
    ["the type of a dict of a tool's", { role: "tool", content: "x", tool_call_id: "c", type: word }],
    ["the type of a dict with others behind it", { role: "user", content: "x", foo: 1, type: word, bar: 2 }],
    ["the role of a chat message", { type: "chat", content: "x", role: word }],
    ["the role of a human's", { type: "human", content: "x", role: word, additional_kwargs: {} }],
    ["the type in stored data", { type: "ai", data: { content: "x", type: word } }],
    ["the type in a constructor's members", lc("HumanMessage", { content: "x", type: word })],
  ])("comes back as it was: %s", (_, wire) => {
    expect(write(wire)).toEqual({ value: [wire], losses: [] });
  });

  const readable = ["python", "python-stored", "python-lc", "js-lc", "js-stored", "js-flat"];
  test.each(readable)("is reported of a dict where %s has its own there", dialect => {
    const { value, losses } = write({ role: "wizard", content: "x", type: word }, dialect);
    expect(losses).toMatchObject([{ code: "class-word", path: ["messages", 0, "native", "langchain", "type"] }]);
    expect(decode(value, "langchain").conversation.messages).toMatchObject([{ role: "wizard" }]);
  });

  test("is reported of a chat message where a dict has its own there", () => {
    const { losses } = write({ type: "chat", content: "x", role: word }, "openai");
    expect(losses).toMatchObject([{ code: "class-word", path: ["messages", 0, "native", "langchain", "role"] }]);
  });
});

test("a dict that has a type of LangChain's as well is one of its role", () => {
  const wire = { role: "user", content: "x", type: "human" };
  expect(decode([wire], "langchain").dialect).toBe("openai");
  expect(write(wire)).toEqual({ value: [wire], losses: [] });
});
