import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { PassThrough, Writable } from "node:stream";
import { describe, expect, test } from "vitest";
import { processIo, type Screen } from "../src/io.ts";
import { displayWidth, fitted, wrapped } from "../src/output/display-width.ts";
import { pagedSink } from "../src/output/pager.ts";
import { jsonLine, recording, unanswered } from "./conversations.ts";
import { folder, run } from "./program.ts";

describe("inspect", () => {
  test("shows messages as boxes, calls with their results, tokens, and what is wrong in the margin", async () => {
    const at = await folder({ "r.json": jsonLine(unanswered) });
    const { code, stdout, stderr } = await run(["inspect", "r.json"], { cwd: at });
    expect([code, stderr]).toEqual([0, ""]);
    expect(stdout.split("\n")).toEqual([
      "r.json:1",
      expect.stringMatching(
        /^openai-chat:openai request · gpt-5\.2 · 3 messages · ~\d+ tokens · checked for openai-chat$/,
      ),
      expect.stringMatching(/^ {2}╭─ 0 user ─+ ~\d+ tokens$/),
      "  │ What is 19 + 23?",
      expect.stringMatching(/^ {2}├─ 1 assistant ─+ ~\d+ tokens$/),
      '  │ ▸ add {"a":19,"b":23} (no result)',
      expect.stringMatching(/^E │ calls-answered: /),
      expect.stringMatching(/^ {2}│ /),
      expect.stringMatching(/^ {2}│ .*\(repair: answer-calls\)$/),
      expect.stringMatching(/^ {2}├─ 2 user ─+ ~\d+ tokens$/),
      "  │ Well?",
      "  ╰",
      "",
    ]);
  });

  test("folds what is long, and unfolds it on request", async () => {
    const text = Array.from({ length: 40 }, (_, index) => `line ${index}`).join("\n");
    const input = jsonLine([
      { role: "user", content: text },
      { role: "assistant", content: "", toolCalls: [{ callId: "c", toolName: "look", arguments: '{"at":"sky"}' }] },
      { role: "tool", callId: "c", toolName: "look", toolOutput: text, isError: false },
    ]);
    const [folded, full] = await Promise.all([run(["inspect"], { input }), run(["inspect", "--full"], { input })]);
    expect(folded.stdout).toContain("  │ … 29 more lines\n");
    expect(folded.stdout).toContain('  │ ▸ look {"at":"sky"} → line 0 line 1 ');
    expect(folded.stdout).toContain("  │ (results, shown with their calls)\n");
    expect(full.stdout).toContain("line 39");
    expect(full.stdout).toContain('  │     "at": "sky"\n');
    expect(full.stdout).not.toContain("more lines");
  });

  test("shows what another format would lose", async () => {
    const input = jsonLine([{ role: "user", name: "ann", content: "hi" }]);
    const { stdout } = await run(["inspect", "-f", "openai-chat", "--to", "lighter"], { input });
    expect(stdout).toMatch(/^L │ dropped message\.author: /m);
  });

  test("as JSON is one object a conversation, of a recording too", async () => {
    const { stdout } = await run(["inspect", "--json"], { input: recording });
    expect(JSON.parse(stdout)).toMatchObject({
      format: "openai-chat:openai",
      messages: [{ path: "messages[0]", role: "assistant", parts: [{ type: "tool-call" }], issues: [], losses: [] }],
    });
  });

  test("lets nothing of the input command the terminal", async () => {
    const input = jsonLine([{ role: "us\u001b[1mer", content: "\u001b]0;x\u0007\u009b2J\r\n" }]);
    const { stdout } = await run(["inspect", "-f", "openai-chat"], { input });
    for (const control of ["\u0007", "\u001b", "\u009b", "\r"]) expect(stdout).not.toContain(control);
  });

  test("fits the width, whatever the text is", async () => {
    const words = ["中文字符，", "emoji 👩‍👩‍👧 🎉 🇩🇪", "ｆｕｌｌ", "e\u0301a\u0300", "한국어", "x".repeat(70)];
    const input = jsonLine([{ role: "user", content: words.join(" ").repeat(20) }]);
    const { stdout } = await run(["inspect", "--full", "-f", "openai-chat"], { input });
    for (const line of stdout.split("\n")) expect(displayWidth(line)).toBeLessThanOrEqual(100);
  });
});

describe("a pager", () => {
  const io = (stdout: Screen, env: NodeJS.ProcessEnv) => ({
    ...processIo("never", new URL(import.meta.url)),
    stdout,
    env,
  });

  test("is not asked where the output is no terminal", async () => {
    const stdout = new PassThrough();
    const sink = pagedSink(io(stdout, { PAGER: "exit 1" }));
    await sink.write("one\n");
    await sink.finish();
    expect(String(stdout.read())).toBe("one\n");
  });

  test("gets all of it on one, and is waited for", async () => {
    const at = await folder();
    const stdout = Object.assign(new Writable(), { isTTY: true });
    const sink = pagedSink(io(stdout, { ...process.env, PAGER: `cat > ${join(at, "paged")}`, TERM: "xterm" }));
    for (const text of ["one\n", "two\n"]) await sink.write(text);
    await sink.finish();
    expect(readFileSync(join(at, "paged"), "utf8")).toBe("one\ntwo\n");
  });

  test("is not started where nothing is written", async () => {
    const at = await folder();
    const stdout = Object.assign(new Writable(), { isTTY: true });
    const sink = pagedSink(io(stdout, { ...process.env, PAGER: `cat > ${join(at, "paged")}`, TERM: "xterm" }));
    await sink.discard();
    expect(readdirSync(at)).toEqual([]);
  });
});

describe("width", () => {
  test.for<readonly [text: string, columns: number]>([
    ["", 0],
    ["abc", 3],
    ["中文", 4],
    ["한국", 4],
    ["ｱ", 1],
    ["Ａ", 2],
    ["é", 1],
    ["e\u0301", 1],
    ["👩‍👩‍👧", 2],
    ["🇩🇪", 2],
    ["❤️", 2],
    ["❤", 1],
    ["1️⃣", 2],
    ["\u200b", 0],
    ["「」", 4],
    ["─│╭", 3],
  ])("of %j is %i", ([text, columns]) => {
    expect(displayWidth(text)).toBe(columns);
  });

  test.for<readonly [text: string, columns: number, lines: readonly string[]]>([
    ["one two three", 7, ["one two", "three"]],
    ["one two  three", 8, ["one two", "three"]],
    ["abcdefgh", 3, ["abc", "def", "gh"]],
    ["a 中文中文", 4, ["a", "中文", "中文"]],
    ["  indented text", 10, ["  indented", "text"]],
    ["one\n\ntwo", 9, ["one", "", "two"]],
  ])("%j in %i columns is %j", ([text, columns, lines]) => {
    expect(wrapped(text, columns)).toEqual(lines);
  });

  test.for<readonly [text: string, columns: number, is: string]>([
    ["abc", 3, "abc"],
    ["abcd", 3, "ab…"],
    ["中文字", 5, "中文…"],
    ["中文字", 6, "中文字"],
    ["中文字", 4, "中…"],
  ])("%j fitted to %i is %s", ([text, columns, is]) => {
    expect(fitted(text, columns)).toBe(is);
  });
});
