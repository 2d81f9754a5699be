import { readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { targets } from "translogue/targets";
import { describe, expect, test } from "vitest";
import { fine, jsonLine, linesOf, recording, unanswered } from "./conversations.ts";
import { folder, run } from "./program.ts";

describe("check", () => {
  test("says where what is broken, what the provider says, and what mends it", async () => {
    const at = await folder({ "log.jsonl": `${fine}\n${jsonLine(unanswered)}` });
    const { code, stdout, stderr } = await run(["check", "log.jsonl"], { cwd: at });
    expect(code).toBe(1);
    expect(stdout).toMatch(
      /^log\.jsonl:2: messages\[1\]\.parts\[0\]\.callId: error calls-answered: is `call_1`, .*\n {4}provider {2}An assistant message with 'tool_calls' .*: call_1\n {4}repair {4}answer-calls\n {4}source {4}.*\d{4}-\d\d-\d\d\n$/,
    );
    expect(stderr).toBe("openai-chat: 1 error in 1 of 2 conversations; `translogue repair` mends 1\n");
  });

  test("says once what the model and a rule of the endpoint find in one place", async () => {
    const messages = [
      { role: "user", content: "a\ud800" },
      { role: "tool", tool_call_id: "none", content: "b" },
    ];
    const { stdout } = await run(["check", "--json", "-f", "openai-chat"], { input: jsonLine(messages) });
    const codes = linesOf(stdout).map(line => (line as { readonly issue: { readonly code: string } }).issue.code);
    expect(codes.toSorted()).toEqual(["results-called", "well-formed-text"]);
  });

  test("as JSON is a line an issue, the counts too", async () => {
    const input = jsonLine(unanswered);
    const { code, stdout, stderr } = await run(["check", "--json", "-t", "mistral"], { input });
    const endpoint = "mistral";
    expect(code).toBe(1);
    const issues = linesOf(stdout);
    expect(issues[0]).toMatchObject({ issue: { severity: "error" }, line: 1, endpoint });
    const errors = issues.length;
    expect(linesOf(stderr)).toMatchObject([{ summary: { conversations: 1, found: 1, errors, endpoints: [endpoint] } }]);
  });

  test.for<readonly [name: string, args: readonly string[], input: string | Uint8Array]>([
    ["a request that is taken", [], fine],
    ["one in gzip", [], gzipSync(fine)],
    ["a recorded answer, whose calls are answered later", [], recording],
    [
      "a history that goes on before it is sent",
      ["-t", "anthropic-messages"],
      '[{"role":"user","content":"hi"},{"role":"assistant","content":"ho"}]',
    ],
    ["what is below the severity asked for", ["-t", "mistral", "--severity", "error"], fine],
  ])("has no error to say of %s", async ([, args, input]) => {
    const { code, stdout } = await run(["check", ...args], { input });
    expect([code, stdout]).toEqual([0, ""]);
  });

  test.for<readonly [args: readonly string[], says: string]>([
    [["-t", "antropic-messages"], "`-t` does not take `antropic-messages`; did you mean `anthropic-messages`?"],
    [["-f", "lighter"], "`lighter` is no provider's format; name the endpoint with `-t`, one of openai-chat, "],
    [["--severity", "fatal"], "`--severity` does not take `fatal`"],
  ])("says of %j what is meant", async ([args, says]) => {
    const ended = await run(["check", ...args]);
    expect(ended).toMatchObject({ code: 2, stdout: "" });
    expect(ended.stderr).toContain(`translogue: ${says}`);
  });

  test.for(
    targets.filter(({ format }) => format === "openai-chat").map(({ id, dialect }) => [id, dialect ?? "openai"]),
  )("knows the endpoint %s by its format's dialect", async ([id, dialect]) => {
    if (id === "chat") return;
    const { stderr } = await run(["check", "-f", `openai-chat:${dialect}`], { input: fine });
    expect(stderr).toContain(`${id}: `);
  });

  test("in several threads says the same, in order", async () => {
    const input = `${fine}\n${jsonLine(unanswered)}`.repeat(400);
    const [one, two] = await Promise.all([run(["check"], { input }), run(["check", "--jobs", "2"], { input })]);
    expect(two).toEqual(one);
    expect(one.stdout.match(/^standard input:\d+:/gm)).toHaveLength(400);
  });

  test("passes over lines that cannot be read, says so, and still finds the rest", async () => {
    const { code, stdout, stderr } = await run(["check", "--on-error", "skip", "-q"], {
      input: `{oh\n${jsonLine(unanswered)}`,
    });
    expect([code, stderr]).toEqual([1, ""]);
    expect(stdout).toContain("standard input:2: ");
  });

  test("writes to a file like any other command", async () => {
    const at = await folder({ "r.json": jsonLine(unanswered), "old.txt": "" });
    expect(await run(["check", "-q", "-o", "issues.txt", "r.json"], { cwd: at })).toEqual({
      code: 1,
      stdout: "",
      stderr: "",
    });
    expect(readFileSync(join(at, "issues.txt"), "utf8")).toContain("r.json:1: ");
    expect(await run(["check", "-o", "old.txt", "r.json"], { cwd: at })).toMatchObject({ code: 2 });
  });

  test("keeps what would be a command to a terminal as text", async () => {
    const input = jsonLine({ model: "m", messages: [{ role: "no\u001b[2Jne", content: "hi" }] });
    const { stdout } = await run(["check", "-f", "openai-chat", "--color", "never"], { input });
    expect(stdout).not.toContain("\u001b");
  });
});
