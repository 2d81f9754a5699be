import { formats } from "translogue";
import { describe, expect, test } from "vitest";
import { folder, run } from "./program.ts";

const result = { role: "tool", callId: "c1", toolName: "add", toolOutput: "2", isError: false };
const lighter = JSON.stringify([result]);
const request = JSON.stringify({ model: "m", messages: [{ role: "user", content: "hi" }] });
const chunk = JSON.stringify({
  id: "x",
  object: "chat.completion.chunk",
  created: 1,
  model: "m",
  choices: [{ index: 0, delta: { content: "hi" }, finish_reason: null }],
});

describe("detect", () => {
  test.for<readonly [name: string, input: string, container: string, found: object]>([
    ["a value", lighter, "jsonl", { format: "lighter", shape: "messages" }],
    ["a value over several lines", JSON.stringify([result], undefined, 2), "json", { format: "lighter" }],
    ["lines", `${lighter}\n{broken\n`, "jsonl", { format: "lighter" }],
    ["lines of which the first is broken", `{"a":1,"b\n${lighter}\n`, "jsonl", { format: "lighter" }],
    ["server-sent events", `: hello\n\ndata: ${chunk}\n\ndata: [DONE]\n\n`, "sse", { format: "openai-chat" }],
    ["events a line", `${chunk}\n${chunk}\n`, "jsonl", { format: "openai-chat" }],
  ])("finds the format of %s", async ([, input, container, found]) => {
    const { code, stdout, stderr } = await run(["detect", "--json"], { input });
    expect([code, stderr]).toEqual([0, ""]);
    const { input: told, detected } = JSON.parse(stdout);
    expect([told, detected[0]]).toMatchObject([container, found]);
    expect(detected[0].confidence).toBeGreaterThan(0.5);
    expect(detected[0].keys.length).toBeGreaterThan(0);
  });

  test("is a table for people, one a file", async () => {
    const at = await folder({ "a.json": lighter, "b.json": '{"nothing":"known"}' });
    const [one, two] = await Promise.all([
      run(["detect", "a.json"], { cwd: at }),
      run(["detect", "a.json", "b.json"], { cwd: at }),
    ]);
    expect(one.code).toBe(0);
    expect(one.stdout).toMatch(/^FORMAT +DIALECT +SHAPE +CONFIDENCE +KEYS\nlighter +- +messages +\d+% +role,\S+\n/);
    expect(two.code).toBe(1);
    expect(two.stdout).toContain("a.json (jsonl)\nFORMAT");
    expect(two.stdout).toContain("b.json (jsonl)\nno format fits\n");
  });

  test.for<readonly [input: string, stderr: string]>([
    ["[\n{", 'standard input:2:2: the text ends; expected a member name or "}"'],
    ["", "standard input:1:1: the text ends; expected a value"],
  ])("says of %j where it cannot be read", async ([input, stderr]) => {
    expect(await run(["detect"], { input })).toEqual({ code: 3, stdout: "", stderr: `translogue: ${stderr}\n` });
  });

  test("does not wait for the end of a stream", async () => {
    const { code, stdout } = await run(["detect", "--json"], { input: `${request}\n`.repeat(200_000) });
    expect([code, JSON.parse(stdout).detected[0].format]).toEqual([0, "openai-chat"]);
  });
});

describe("formats", () => {
  test("as JSON are the registry", async () => {
    const { code, stdout } = await run(["formats", "--json"]);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toEqual(
      formats.map(({ id, title, shapes, dialects, stream, text, spec }) => ({
        id,
        title,
        shapes,
        dialects,
        streams: stream?.framing ?? null,
        styles: text?.styles ?? [],
        spec,
      })),
    );
  });

  test("for people say the same", async () => {
    const { stdout } = await run(["formats"]);
    for (const { id, title, shapes, dialects, stream, spec } of formats) {
      const row = stdout.split("\n").find(each => each.startsWith(`${id} `));
      for (const text of [title, shapes.join(","), stream?.framing ?? "-"]) expect(row).toContain(text);
      expect(stdout).toContain(`  ${spec}\n`);
      if (dialects.length > 1) expect(stdout).toContain(`dialects ${dialects.join(",")}\n`);
    }
  });
});
