import { assistant, type Message, text, toolCall, toolMessage, toolResult, user } from "translogue";
import { describe, expect, test } from "vitest";
import { languages } from "../src/shell/words.ts";
import { Narrator } from "../src/transcript/announcer.tsx";
import { entriesOf } from "../src/transcript/entries.ts";
import { sentenceEnd, spoken } from "../src/transcript/sentences.ts";

const { en } = languages;

describe("sentences", () => {
  test.each([
    ["One. Two", "One."],
    ["One.", ""],
    ["It is 3.5 now. And", "It is 3.5 now."],
    ["He said “yes.” Then", "He said “yes.”"],
    ["Really?! Yes", "Really?!"],
    ["一句。二", "一句。"],
    ["他说“好。”然后", "他说“好。”"],
    ["line\nnext", "line\n"],
    ["no end in sight", ""],
  ])("of %j end behind %j", (words, sentence) => {
    expect(words.slice(0, sentenceEnd(words, 0))).toBe(sentence);
  });

  test("are told without the marks of Markdown", () => {
    const markdown =
      "# Title\n\n**Bold** and [a link](https://x.example) with `code`.\n\n```ts\nx\n```\n| a | b |\n|---|---|\n";
    expect(spoken(markdown)).toBe("Title Bold and a link with code . x a b");
  });
});

describe("a screen reader", () => {
  const told = (narrator: Narrator, messages: readonly Message[], status: Parameters<Narrator["listen"]>[1]) =>
    narrator.listen(entriesOf(messages), status, en);
  const call = toolCall({ callId: "a", name: "add", input: {} });
  /** One that heard a question being sent. */
  const begun = (): Narrator => {
    const narrator = new Narrator();
    told(narrator, [user("x")], "sending");
    return narrator;
  };

  test("is told nothing of a history that was there before", () => {
    const narrator = new Narrator();
    expect(told(narrator, [], "loading")).toEqual([]);
    expect(told(narrator, [user("Hi"), assistant("Hello. You.")], "ready")).toEqual([]);
  });

  test("hears an answer by sentences, each once, the rest at its end", () => {
    const narrator = new Narrator();
    const before = [user("Hi"), assistant("Old."), user("Again")];
    expect(told(narrator, before, "sending")).toEqual([]);
    expect(told(narrator, [...before, assistant("One. Tw")], "streaming")).toEqual(["One."]);
    expect(told(narrator, [...before, assistant("One. Two")], "streaming")).toEqual([]);
    expect(told(narrator, [...before, assistant("One. Two. Three")], "streaming")).toEqual(["Two."]);
    expect(told(narrator, [...before, assistant("One. Two. Three")], "ready")).toEqual(["Three", en.saysDone]);
  });

  test("that comes to an answer under way hears what is said from then on", () => {
    const narrator = new Narrator();
    const before = [user("Hi"), assistant("One. Two")];
    expect(told(narrator, before, "reconnecting")).toEqual([]);
    expect(told(narrator, before, "streaming")).toEqual([]);
    expect(told(narrator, [user("Hi"), assistant("One. Two. Three. F")], "streaming")).toEqual(["Three."]);
  });

  test("hears what has no sentences in pieces", () => {
    const narrator = begun();
    const words = "word ".repeat(300);
    expect(told(narrator, [user("x"), assistant(words)], "streaming")).toEqual([words.trim()]);
  });

  test("hears calls by their states, and what they wait for", () => {
    const narrator = begun();
    const asked = [user("x"), assistant([call])];
    expect(told(narrator, asked, "streaming")).toEqual([en.saysCalling("add")]);
    expect(told(narrator, [...asked, toolMessage(toolResult("a", "2"))], "streaming")).toEqual([en.saysResult("add")]);
    const approval = [user("x"), assistant([call, { type: "approval-request", requestId: "r", callId: "a" }])];
    expect(told(begun(), approval, "streaming")).toEqual([en.saysApproval("add")]);
  });

  test("hears only what is new where an answer goes on", () => {
    const narrator = begun();
    const waiting = [
      user("x"),
      assistant([text("I ask."), call, { type: "approval-request", requestId: "r", callId: "a" }]),
    ];
    told(narrator, waiting, "streaming");
    told(narrator, waiting, "ready");
    const decided = [
      ...waiting,
      { role: "tool", parts: [{ type: "approval-response" as const, requestId: "r", approved: true }] },
    ];
    expect(told(narrator, decided, "sending")).toEqual([en.saysCalling("add")]);
    const done = [...decided, toolMessage(toolResult("a", "ok")), assistant("Sent.")];
    expect(told(narrator, done, "ready")).toEqual([en.saysResult("add"), "Sent.", en.saysDone]);
  });

  test("is told that an answer was stopped or broke off", () => {
    const narrator = begun();
    told(narrator, [user("x"), assistant("One")], "streaming");
    told(narrator, [user("x"), assistant("One")], "stopping");
    expect(told(narrator, [user("x"), assistant("One")], "ready")).toEqual(["One", en.saysStopped]);
    const failed = [user("x"), assistant([{ type: "error", message: "no model" }])];
    expect(told(begun(), failed, "streaming")).toEqual([`${en.failedAnswer}: no model`]);
  });
});
