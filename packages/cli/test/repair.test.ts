import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { fine, jsonLine, linesOf, recording, unanswered } from "./conversations.ts";
import { folder, run } from "./program.ts";

describe("repair", () => {
  test("mends what is refused, leaves the rest as its bytes are, and says what it did", async () => {
    const input = `${fine}\n${jsonLine(unanswered)}`;
    const { code, stdout, stderr } = await run(["repair"], { input });
    const [untouched, repaired = ""] = stdout.split("\n");
    expect([code, untouched]).toEqual([0, fine]);
    const { messages } = JSON.parse(repaired);
    expect(messages.map(({ role }: { role: string }) => role)).toEqual(["user", "assistant", "tool", "user"]);
    expect(messages[0]).toEqual(unanswered.messages[0]);
    expect(linesOf(stderr)[0]).toMatchObject({
      change: { repair: "answer-calls", path: ["messages", 1, "parts", 0] },
      line: 2,
    });
    const again = await run(["repair", "--strict"], { input: stdout });
    expect(again).toEqual({ code: 0, stdout, stderr: "" });
    expect(await run(["check", "-q"], { input: stdout })).toMatchObject({ code: 0, stdout: "" });
  });

  test("by another policy does otherwise", async () => {
    const { stdout } = await run(["repair", "-q", "--calls", "drop", "--turns", "join"], {
      input: jsonLine(unanswered),
    });
    expect(stdout).not.toContain("call_1");
  });

  test("writes another provider's request where that is asked for", async () => {
    const input = jsonLine(unanswered.messages);
    const args = [
      "-q",
      "-f",
      "openai-chat",
      "-t",
      "anthropic-messages",
      "--to",
      "anthropic-messages",
      "--shape",
      "request",
    ];
    const { code, stdout } = await run(["repair", ...args], { input });
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      messages: [
        { role: "user" },
        { role: "assistant" },
        { role: "user", content: [{ type: "tool_result" }] },
        { role: "user" },
      ],
      tools: [{ name: "add" }],
    });
  });

  test("of a JSON text over several lines leaves what needs nothing as it is", async () => {
    const input = JSON.stringify(JSON.parse(fine), undefined, 4);
    expect(await run(["repair"], { input })).toEqual({ code: 0, stdout: input, stderr: "" });
  });

  test("of a recording is the answer that it makes", async () => {
    const { code, stdout } = await run(["repair", "-q"], { input: recording });
    expect([code, JSON.parse(stdout)]).toMatchObject([
      0,
      { choices: [{ message: { tool_calls: [{ id: "call_1" }] } }] },
    ]);
  });

  test("in a dry run writes nothing but what it would do, by --report into a file", async () => {
    const at = await folder({ "r.jsonl": jsonLine(unanswered).repeat(20) });
    const dry = await run(["repair", "-n", "-o", "no.jsonl", "--report", "done.jsonl", "r.jsonl"], { cwd: at });
    expect([dry.code, dry.stdout, linesOf(dry.stderr)]).toMatchObject([
      0,
      "",
      [{ summary: { counts: [{ times: 20 }, {}] } }],
    ]);
    const done = linesOf(readFileSync(join(at, "done.jsonl"), "utf8"));
    expect(done.filter(line => typeof line === "object" && line !== null && "change" in line)).toHaveLength(20);
    expect(readdirSync(at).sort()).toEqual(["done.jsonl", "r.jsonl"]);
  });

  test("exits with 1 by --strict where anything was done", async () => {
    const input = jsonLine(unanswered);
    const [strict, none] = await Promise.all([
      run(["repair", "-q", "--strict"], { input }),
      run(["repair", "-q"], { input }),
    ]);
    expect([strict.code, none.code]).toEqual([1, 0]);
  });

  test("in several threads comes out the same", async () => {
    const input = `${fine}\n${jsonLine(unanswered)}`.repeat(300);
    const [one, two] = await Promise.all([run(["repair"], { input }), run(["repair", "--jobs", "2"], { input })]);
    expect(two).toEqual(one);
  });
});
