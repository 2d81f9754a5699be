import { stat } from "node:fs/promises";
import { join } from "node:path";
import { type Event, emit, type Message } from "translogue";
import { describe, expect, test } from "vitest";
import { AnswerView } from "../src/chat/answer-view.ts";
import { PastLines } from "../src/chat/past-lines.ts";
import { printable } from "../src/chat/printable.ts";
import { goesOn, type Line, readConsent, readLine } from "../src/chat/slash.ts";
import { Continued } from "../src/chat/typed.ts";
import { stateFolder } from "../src/state-folder.ts";
import { folder } from "./program.ts";

describe("a line", () => {
  test.for<readonly [text: string, line: Line]>([
    ["What is 19 + 23?", { kind: "say", text: "What is 19 + 23?" }],
    ["  ", { kind: "nothing" }],
    ["//etc is a folder", { kind: "say", text: "/etc is a folder" }],
    ["/etc/hosts\nsays what?", { kind: "say", text: "/etc/hosts\nsays what?" }],
    ["/model", { kind: "model", ref: undefined }],
    ["/model openai/gpt-5 ", { kind: "model", ref: "openai/gpt-5" }],
    ["/export openai-chat", { kind: "export", format: "openai-chat", file: undefined }],
    ["/export lighter my file.json", { kind: "export", format: "lighter", file: "my file.json" }],
    ["/export", { kind: "wrong", message: "`/export` needs a format, as in `/export openai-chat`" }],
    ["/undo", { kind: "undo" }],
    ["/help", { kind: "help" }],
    ["/exit", { kind: "exit" }],
    ["/udno", { kind: "wrong", message: "there is no `/udno`; did you mean `/undo`?" }],
    ["/xyzzy", { kind: "wrong", message: "there is no `/xyzzy`; `/help` lists what there is" }],
  ])("%j", ([text, line]) => {
    expect(readLine(text)).toEqual(line);
  });

  test.for<readonly [line: string, more: boolean]>([
    ["a\\", true],
    ["a\\\\", false],
    ["a\\\\\\", true],
    ["a", false],
    ["", false],
  ])("%j goes on: %s", ([line, more]) => {
    expect(goesOn(line)).toBe(more);
  });

  test("that goes on is one text with the next; what is pasted is whole only when it is sent", () => {
    const text = new Continued();
    expect([text.add("one\\"), text.add("two\\"), text.add("three")]).toEqual([
      undefined,
      undefined,
      "one\ntwo\nthree",
    ]);
    expect([text.add("a", true), text.add("b\\", true), text.isEmpty, text.add("c")]).toEqual([
      undefined,
      undefined,
      false,
      "a\nb\\\nc",
    ]);
    expect([text.isEmpty, text.rest()]).toEqual([true, undefined]);
  });

  test.for<readonly [text: string, consent: ReturnType<typeof readConsent>]>([
    ["y", { approved: true }],
    [" Yes ", { approved: true }],
    ["n", { approved: false }],
    ["no, it is too dear", { approved: false, reason: "it is too dear" }],
    ["n: wrong city\nand day", { approved: false, reason: "wrong city\nand day" }],
    ["是", { approved: true }],
    ["", undefined],
    ["maybe", undefined],
    ["nothing", undefined],
  ])("%j as an answer to an approval", ([text, consent]) => {
    expect(readConsent(text)).toEqual(consent);
  });
});

describe("an answer", () => {
  const answer: readonly Message[] = [
    {
      role: "assistant",
      parts: [
        { type: "reasoning", text: "Two numbers." },
        { type: "text", text: "I add them." },
        { type: "tool-call", callId: "1", name: "add", input: { a: 19, b: 23 } },
      ],
    },
    {
      role: "tool",
      parts: [
        { type: "tool-result", callId: "1", name: "add", output: [{ type: "data", data: 42 }] },
        {
          type: "tool-result",
          callId: "2",
          name: "sub",
          outcome: "error",
          output: [{ type: "text", text: "no\nnumber" }],
        },
      ],
    },
    {
      role: "assistant",
      parts: [
        { type: "text", text: "It is 42.\nReally." },
        { type: "file", mediaType: "image/png", name: "42.png", source: { data: "" } },
        { type: "source", url: "https://example.org", title: "Sums" },
        { type: "error", message: "the line broke" },
      ],
    },
  ];

  /** All that is shown, the answer and what stands around it. */
  const shown = (events: readonly Event[], color = false): { both: string; answer: string; aside: string } => {
    const view = new AnswerView({ color });
    const pieces = [...events.map(event => view.push(event)), view.end()];
    return {
      both: pieces.map(piece => piece.answer + piece.aside).join(""),
      answer: pieces.map(piece => piece.answer).join(""),
      aside: pieces.map(piece => piece.aside).join(""),
    };
  };

  test("shows reasoning, calls with input, results with output, files, sources and errors, a line each", () => {
    expect(shown(emit(answer)).both).toBe(
      [
        "Two numbers.",
        "I add them.",
        '→ add {"a":19,"b":23}',
        "← add 42",
        "← sub error no",
        "number",
        "It is 42.",
        "Really.",
        "[file image/png 42.png]",
        "[source Sums https://example.org]",
        "error: the line broke",
        "",
      ].join("\n"),
    );
  });

  test("has its own text apart from all else", () => {
    expect(shown(emit(answer)).answer).toBe("I add them.\nIt is 42.\nReally.\n");
  });

  test("shows text as it comes, reasoning dim, and arguments when they are whole", () => {
    const view = new AnswerView({ color: true });
    const events: readonly Event[] = [
      { type: "message-start", message: 0, head: { role: "assistant" } },
      { type: "part-start", message: 0, part: 0, value: { type: "reasoning", text: "" } },
      { type: "part-delta", message: 0, part: 0, of: "reasoning", text: "hm" },
      { type: "part-end", message: 0, part: 0 },
      { type: "part-start", message: 0, part: 1, value: { type: "text", text: "" } },
      { type: "part-delta", message: 0, part: 1, of: "text", text: "So" },
      { type: "part-delta", message: 0, part: 1, of: "text", text: " it" },
      { type: "part-start", message: 0, part: 2, value: { type: "tool-call", callId: "1", name: "add" } },
      { type: "part-delta", message: 0, part: 2, of: "tool-call", text: '{"a":' },
      { type: "part-delta", message: 0, part: 2, of: "tool-call", text: "1}" },
      { type: "part-end", message: 0, part: 2 },
    ];
    expect(events.map(event => view.push(event)).map(({ answer: text, aside }) => text + aside)).toEqual([
      "",
      "",
      "\u001b[2mhm\u001b[22m",
      "\n",
      "",
      "So",
      " it",
      "",
      "",
      "",
      '\n\u001b[36m→ add {"a":1}\u001b[39m\n',
    ]);
  });

  test("that is cut shows what came, and its line ends", () => {
    const events: readonly Event[] = [
      { type: "message-start", message: 0, head: { role: "assistant" } },
      { type: "part-start", message: 0, part: 0, value: { type: "text", text: "" } },
      { type: "part-delta", message: 0, part: 0, of: "text", text: "half" },
      { type: "part-start", message: 0, part: 1, value: { type: "tool-call", callId: "1", name: "add" } },
      { type: "part-delta", message: 0, part: 1, of: "tool-call", text: '{"a":' },
      { type: "error", error: { message: "gone" } },
    ];
    expect(shown(events).both).toBe('half\nerror: gone\n→ add {"a":\n');
  });

  test("shows long arguments in part", () => {
    const message: Message = {
      role: "assistant",
      parts: [{ type: "tool-call", callId: "1", name: "add", input: "x".repeat(5000) }],
    };
    const { aside } = shown(emit([message]));
    expect(aside.length).toBeLessThan(2100);
    expect(aside).toContain("… (5,002 characters)");
  });

  test("cannot steer the terminal", () => {
    expect(printable("a\u001b[2Jb\u0007\u009b31m\r\nc\td\re")).toBe(
      "a\ufffd[2Jb\ufffd\ufffd31m\nc\td\ufffde".replace("\ufffde", "e"),
    );
    const message: Message = { role: "assistant", parts: [{ type: "text", text: "\u001b]0;title\u0007" }] };
    expect(shown(emit([message])).answer).not.toContain("\u001b");
  });
});

describe("what was typed before", () => {
  test("is there in the next chat, several lines too, once each in a row, and for its owner only", async () => {
    const file = join(await folder(), "new", "history.jsonl");
    const first = new PastLines(file);
    await first.load();
    for (const line of ["one", "two\nlines", "two\nlines", "three"]) await first.add(line);
    const second = new PastLines(file);
    await second.load();
    expect(second.lines).toEqual(["one", "two\nlines", "three"]);
    expect((await stat(file)).mode & 0o077).toBe(0);
  });

  test("is the newest thousand, and lines that are damaged are passed over", async () => {
    const lines = Array.from({ length: 2500 }, (_, index) => JSON.stringify(String(index)));
    const at = await folder({ "history.jsonl": ["{broken", "7", ...lines].join("\n") });
    const past = new PastLines(join(at, "history.jsonl"));
    await past.load();
    expect([past.lines.length, past.lines[0], past.lines.at(-1)]).toEqual([1000, "1500", "2499"]);
    expect((await stat(join(at, "history.jsonl"))).size).toBe(1000 * 7);
  });

  test("is forgotten where it cannot be written", async () => {
    const at = await folder({ file: "" });
    const past = new PastLines(join(at, "file", "history.jsonl"));
    await past.load();
    await past.add("one");
    expect(past.lines).toEqual(["one"]);
  });
});

test.for<readonly [env: Record<string, string>, platform: NodeJS.Platform, path: string]>([
  [{ XDG_STATE_HOME: "/state", HOME: "/home/a" }, "linux", "/state/translogue"],
  [{ XDG_STATE_HOME: "relative", HOME: "/home/a" }, "linux", "/home/a/.local/state/translogue"],
  [{ HOME: "/home/a" }, "darwin", "/home/a/.local/state/translogue"],
  [{ HOME: "/home/a", LOCALAPPDATA: "/local" }, "win32", "/local/translogue"],
])("with %j on %s things are kept in %s", ([env, platform, path]) => {
  expect(stateFolder(env, platform)).toBe(path);
});
