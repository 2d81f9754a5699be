import { targets } from "translogue/targets";
import { describe, expect, test } from "vitest";
import { errorTextsOf } from "../src/explain/error-text.ts";
import { meaningsOf } from "../src/explain/explained.ts";
import { jsonLine, linesOf, unanswered } from "./conversations.ts";
import { folder, run } from "./program.ts";

const words =
  "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: call_1";
const body = JSON.stringify({ error: { message: words, type: "invalid_request_error", code: null } });

describe("explain", () => {
  test("says the rule, who says so, the repair and the source, of words, a body, a file or standard input", async () => {
    const at = await folder({ "error.json": body });
    const all = await Promise.all([
      run(["explain", words]),
      run(["explain", body]),
      run(["explain", "error.json"], { cwd: at }),
      run(["explain"], { input: `400 Bad Request ${body}` }),
    ]);
    for (const { code, stdout, stderr } of all) {
      expect([code, stderr]).toEqual([0, ""]);
      expect(stdout).toMatch(
        /^calls-answered\n {2}endpoints {2}openai-chat.*\n {2}names {6}ids call_1\n {2}repair {5}answer-calls\n {2}source .*\d{4}-\d\d-\d\d\n/,
      );
    }
  });

  test("says with a conversation where it is", async () => {
    const at = await folder({ "request.json": jsonLine(unanswered) });
    const { code, stdout } = await run(["explain", "--json", "-c", "request.json", body], { cwd: at });
    expect(code).toBe(0);
    expect(linesOf(stdout)).toMatchObject([
      {
        rule: "calls-answered",
        endpoints: ["openai-chat"],
        path: "messages[1].parts[0].callId",
        repair: "answer-calls",
      },
    ]);
  });

  test.for<readonly [args: readonly string[], code: number, says: string]>([
    [["Rate limit reached for gpt-5.2"], 1, "nothing is known of this error: no endpoint says it about messages."],
    [["-t", "mistral", words], 1, "nothing is known of this error: `mistral` says nothing of it about messages."],
    [["-t", "mistrl", words], 2, "translogue: `-t` does not take `mistrl`; did you mean `mistral`?"],
    [[""], 2, "translogue: there is no error text"],
    [["-c", "no.json", words], 3, "translogue: no.json: there is no such file"],
  ])("of %j exits with %i and says why", async ([args, code, says]) => {
    const ended = await run(["explain", ...args]);
    expect(ended).toMatchObject({ code, stdout: "" });
    expect(ended.stderr).toContain(says);
  });

  test("knows each text of each endpoint that has no blanks", () => {
    for (const { id, rules } of targets) {
      for (const [name, learned] of Object.entries(rules)) {
        for (const text of learned.says ?? []) {
          if (text.includes("{")) continue;
          expect(meaningsOf(text, { target: id }).length, `${id} ${name}: ${text}`).toBeGreaterThan(0);
        }
      }
    }
  });
});

test.for<readonly [text: string, first: string]>([
  ['{"message":"a"}', "a"],
  ['{"detail":[{"loc":["body"],"msg":"a"}]}', "a"],
  ['{"error":{"message":"Provider returned error","metadata":{"raw":"{\\"error\\":{\\"message\\":\\"a\\"}}"}}}', "a"],
  ['Error code: 400 - {"error":"a"}', "a"],
  ["a", "a"],
  ["{a", "{a"],
])("%s is read for what it says", ([text, said]) => {
  expect(errorTextsOf(text)).toContain(said);
});
