import { user } from "translogue";
import { decode, encode } from "translogue/convert";
import { expect, test } from "vitest";
import { notes } from "./notes.ts";

test("a format written by the ten steps reads and writes its values as they are", () => {
  const value = {
    title: "Mine",
    notes: [
      { by: "me", says: "hi", colour: "red" },
      { by: "you", says: "hello" },
      { by: "Ann", says: "hey" },
      5,
      { says: 7 },
    ],
  };
  const { conversation } = decode(notes, value);
  expect(conversation.messages.map(({ role }) => role)).toEqual(["user", "assistant", "user", "control", "control"]);
  expect(encode(notes, conversation).value).toEqual(value);
});

test("what the format has no place for is a loss by the table alone", () => {
  const call = { type: "tool-call", callId: "1", name: "add", input: {} } as const;
  const { value, losses } = encode(notes, {
    title: "Sums",
    messages: [user("go"), { role: "assistant", parts: [call] }],
  });
  expect(value).toEqual({
    notes: [
      { by: "me", says: "go" },
      { by: "you", says: "" },
    ],
  });
  expect(losses.map(({ code, path }) => [code, path.join(".")])).toEqual([
    ["conversation.title", "title"],
    ["tool-call", "messages.1.parts.0"],
    ["text-joined", "messages.1.parts"],
  ]);
});
