import { gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { fine, jsonLine, recording, unanswered } from "./conversations.ts";
import { folder, run } from "./program.ts";

const failed = {
  role: "tool",
  callId: "c1",
  toolName: "add",
  toolOutput: "no",
  isError: true,
};
const lighter = [
  { role: "user", content: "hi" },
  { role: "assistant", content: "", toolCalls: [{ callId: "c1", toolName: "add", arguments: "{}" }] },
  failed,
];

describe("stats", () => {
  test("adds up what is in files of any kind", async () => {
    const at = await folder({
      "log.jsonl.gz": gzipSync(`${fine}\n${jsonLine(unanswered)}`),
      "history.json": JSON.stringify(lighter, undefined, 2),
      "answer.sse": recording,
    });
    const { code, stdout, stderr } = await run(["stats", "--json", "log.jsonl.gz", "history.json", "answer.sse"], {
      cwd: at,
    });
    expect([code, stderr]).toEqual([0, ""]);
    expect(JSON.parse(stdout)).toMatchObject({
      conversations: 4,
      files: 3,
      messages: 8,
      roles: { user: 4, assistant: 3, tool: 1 },
      parts: { text: 4, "tool-call": 3, "tool-result": 1 },
      calls: { add: 3 },
      failed: { add: 1 },
      models: { "gpt-5.2": 3 },
      formats: { "openai-chat:openai": 3, lighter: 1 },
      longest: { messages: { count: 3, file: "log.jsonl.gz", line: 2 } },
    });
  });

  test("for people says the same, and in several threads", async () => {
    const input = `${fine}\n${jsonLine(unanswered)}`.repeat(300);
    const [one, two] = await Promise.all([run(["stats"], { input }), run(["stats", "--jobs", "2"], { input })]);
    expect(two).toEqual(one);
    expect(one.stdout).toMatch(/^conversations +600\nmessages +1,200\n/);
    expect(one.stdout).toContain("\nTool calls\n  add  300\n");
  });

  test("says what is wrong with the input, and by --strict fails", async () => {
    const input = `[{"type":"human","content":"hi"},{"foo":1}]\n`;
    const ended = await run(["stats", "-f", "langchain", "--strict", "--json"], { input });
    expect([ended.code, JSON.parse(ended.stdout).issues]).toEqual([1, 1]);
    expect(JSON.parse(ended.stderr)).toMatchObject({ issue: {}, line: 1 });
  });
});
