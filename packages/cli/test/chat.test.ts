import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { describe, expect, test } from "vitest";
import { typedLines } from "../src/chat/typed.ts";
import { processIo } from "../src/io.ts";
import { collect, folder, run, start } from "./program.ts";

const chat = (input: string, options: { args?: readonly string[]; cwd?: string } = {}) =>
  run(["chat", "--model", "demo", ...(options.args ?? [])], { input, ...(options.cwd && { cwd: options.cwd }) });

describe("a chat with a script", () => {
  test("takes a line for a turn; the answer is all that comes out, and who answers is said beside it", async () => {
    const { code, stdout, stderr } = await chat("What is 19 + 23?\n");
    expect([code, stdout.split("\n")[0]]).toEqual([0, "19 + 23 = 42."]);
    expect(stderr).toMatch(/^Model: the demo, named by --model\. It needs no key\.\n/);
    expect(stderr).toContain('→ add {"a":19,"b":23}\n← add 42\n');
  });

  test("says the demo answers where nothing is named, and which keys would do", async () => {
    const { stderr } = await run(["chat"], { input: "", env: { OPENAI_API_KEY: "secret" } });
    expect(stderr).toBe(
      "Model: the demo, because none is named (--model PROVIDER/MODEL or TRANSLOGUE_MODEL does). It needs no key.\n" +
        "OPENAI_API_KEY is set: --model openai/MODEL would have OpenAI answer.\n",
    );
  });

  test.for<readonly [args: readonly string[], env: Record<string, string>, message: string]>([
    [["--model", "gpt"], {}, "`gpt` names no model"],
    [["--model", "nobody/gpt"], {}, "no endpoint is known for `nobody`"],
    [["--model", "openai/gpt-5.2"], {}, "OpenAI needs a key: set OPENAI_API_KEY"],
    [[], { TRANSLOGUE_MODEL: "openai/gpt-5.2" }, "OpenAI needs a key: set OPENAI_API_KEY"],
    [["hello"], {}, "`translogue chat` takes no operand, and got `hello`"],
  ])("%j with %j is wrong use", async ([args, env, message]) => {
    const { code, stdout, stderr } = await run(["chat", ...args], { env });
    expect([code, stdout]).toEqual([2, ""]);
    expect(stderr).toContain(`translogue: ${message}`);
  });

  test("asks the next line for an approval, and tells the model why not", async () => {
    const { stdout, stderr } = await chat("send an email to ada@example.com\nwhat?\nno, not today\n");
    expect(stdout).toContain("not today");
    expect(stderr).toContain("It would send an e-mail in your name.");
    expect(stderr).toContain("`y` lets it run; `n` does not");
    expect(stderr).toContain("← send_email denied");
  });

  test("lets a call run that is approved, and none that nobody is there to approve", async () => {
    const [yes, nobody] = await Promise.all([
      chat("send an email to ada@example.com\ny\n"),
      chat("send an email to ada@example.com\n"),
    ]);
    expect(yes.stderr).toMatch(/← send_email (?!denied)/);
    expect(nobody.stderr).toContain("← send_email denied");
    expect([yes.code, nobody.code]).toEqual([0, 0]);
  });

  test("exports the conversation so far, which can be converted on", async () => {
    const at = await folder({ "there.json": "mine" });
    const input =
      "What is 19 + 23?\n/export openai-chat\n/export openai-chat out.json\n/export openai-chat there.json\n";
    const { stdout, stderr, code } = await chat(input, { cwd: at });
    const exported = JSON.parse(stdout.slice(stdout.indexOf("[\n")));
    expect(exported).toMatchObject([
      { role: "user", content: "What is 19 + 23?" },
      { role: "assistant", tool_calls: [{ function: { name: "add", arguments: '{"a":19,"b":23}' } }] },
      { role: "tool", content: "42" },
      { role: "assistant" },
    ]);
    expect(JSON.parse(readFileSync(join(at, "out.json"), "utf8"))).toEqual(exported);
    expect(readFileSync(join(at, "there.json"), "utf8")).toBe("mine");
    expect(stderr).toContain("Written to out.json.\n");
    expect(stderr).toContain("`there.json` cannot be written: it is there already");
    expect(code).toBe(0);
    const back = await run(["convert", "-f", "openai-chat", "-t", "lighter", "out.json"], { cwd: at });
    expect(JSON.parse(back.stdout)[2]).toMatchObject({ role: "tool", callId: exported[2].tool_call_id });
  });

  test("takes the last turn back", async () => {
    const { stdout, stderr } = await chat("one\ntwo\n/undo\n/export openai-chat\n/undo\n/undo\n/export openai-chat\n");
    const exports = stdout.split(/^(?=\[)/m).slice(1);
    expect(exports.map(text => JSON.parse(text).map(({ role }: { role: string }) => role))).toEqual([
      ["user", "assistant"],
      [],
    ]);
    expect(stderr).toContain("The last turn is taken back");
    expect(stderr).toContain("There is nothing to take back.");
  });

  test("has another model answer from now on, and goes on after what it does not understand", async () => {
    const { stdout, stderr, code } = await chat(
      "/model\n/model other/model\n/model openai/gpt\n/model demo/other\n/model x\n/modle\n/help\n/export nothing\nWhat is 1 + 1?\n/exit\nno more\n",
    );
    expect(stderr).toContain("demo/standard answers.");
    expect(stderr).toContain("no endpoint is known for `other`");
    expect(stderr).toContain("OpenAI needs a key: set OPENAI_API_KEY");
    expect(stderr).toContain("demo/other answers.");
    expect(stderr).toContain("`x` names no model");
    expect(stderr).toContain("there is no `/modle`; did you mean `/model`?");
    expect(stderr).toContain("/export FORMAT [FILE]");
    expect(stderr).toContain("there is no format `nothing`");
    expect([code, stdout.split("\n")[0]]).toEqual([0, "1 + 1 = 2."]);
    expect(stdout).not.toContain("no more");
  });

  test("joins lines that go on", async () => {
    expect((await chat("one\\\ntwo\n")).stdout).toContain("one\ntwo");
  });

  test("says what failed, and is there for the next turn", async () => {
    const { stdout, stderr, code } = await chat("model error\nWhat is 2 + 2?\n");
    expect(stderr).toContain("error: the demo model broke off");
    expect([code, stdout.includes("2 + 2 = 4.")]).toEqual([0, true]);
  });

  test("streams: the beginning of an answer is there before its end, and Ctrl-C ends it with 130", async () => {
    const child = start(["chat", "--model", "demo"]);
    const ended = collect(child);
    child.stdin?.write("What is 19 + 23?\n");
    await once(child.stdout ?? child, "data");
    child.kill("SIGINT");
    expect((await ended).code).toBe(130);
  });
});

describe("a person at a terminal", () => {
  /** What a terminal sends, and the texts that come of it. */
  const typing = (past: readonly string[] = []) => {
    const stdin = Object.assign(new PassThrough(), { isTTY: true });
    const stdout = new PassThrough();
    let screen = "";
    stdout.setEncoding("utf8").on("data", text => {
      screen += text;
    });
    const io = { ...processIo("never", new URL(import.meta.url)), stdin, stdout };
    const typed = typedLines(io, () => past);
    return {
      typed,
      screen: () => screen,
      next: async (keys: string): Promise<string | undefined> => {
        const text = typed.next("> ");
        stdin.write(keys);
        return text;
      },
    };
  };
  const enter = "\r";
  const interrupt = "\u0003";

  test("sends a line by Enter, and a line that ends in a backslash with the next", async () => {
    const { next } = typing();
    expect(await next(`hello${enter}`)).toBe("hello");
    expect(await next(`one\\${enter}two${enter}`)).toBe("one\ntwo");
  });

  test("pastes several lines, which are sent only by Enter", async () => {
    const { next } = typing();
    expect(await next(`see: \u001b[200~a${enter}b\\${enter}c\u001b[201~ end${enter}`)).toBe("see: a\nb\\\nc end");
  });

  test("finds earlier texts by the arrow up, the newest first, several lines too", async () => {
    const { next } = typing(["one", "two\nlines", "three"]);
    expect(await next(`\u001b[A${enter}`)).toBe("three");
    expect(await next(`\u001b[A\u001b[A${enter}`)).toBe("two\nlines");
  });

  test("drops what is typed by Ctrl-C, leaves by two on an empty line, or by Ctrl-D", async () => {
    const first = typing();
    expect(await first.next(`nonsense${interrupt}better${enter}`)).toBe("better");
    expect(first.typed.wasInterrupted).toBe(false);
    expect(await first.next(`a\\${enter}${interrupt}b${enter}`)).toBe("b");
    const second = typing();
    expect(await second.next(interrupt + interrupt)).toBe(undefined);
    expect(second.typed.wasInterrupted).toBe(true);
    expect(second.screen()).toContain("Ctrl-C once more leaves.");
    const third = typing();
    expect(await third.next("\u0004")).toBe(undefined);
    expect(third.typed.wasInterrupted).toBe(false);
  });

  test("has the terminal mark what is pasted only while a text is typed", async () => {
    const { next, screen } = typing();
    await next(`x${enter}`);
    expect(screen().startsWith("\u001b[?2004h")).toBe(true);
    expect(screen().endsWith("\u001b[?2004l")).toBe(true);
  });
});
