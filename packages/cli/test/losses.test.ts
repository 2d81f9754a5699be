import { describe, expect, test } from "vitest";
import { run } from "./program.ts";

const named = `${JSON.stringify([{ role: "user", name: "ann", content: "hi" }])}\n`;
const toLighter = ["convert", "-f", "openai-chat", "-t", "lighter"];
const many = named.repeat(25);

const said = (stderr: string): readonly { readonly [member: string]: unknown }[] =>
  stderr
    .split("\n")
    .filter(line => line !== "")
    .map(line => JSON.parse(line));

const summary = {
  summary: { messages: 25, counts: [{ what: "loss", code: "message.author", sort: "dropped", times: 25, carried: 0 }] },
};

describe("losses of many values", () => {
  test.for<readonly [name: string, options: readonly string[], lines: number, last: object]>([
    ["are said singly up to ten of a code, and then counted", [], 11, summary],
    ["are all said on request", ["--losses", "all"], 25, { line: 25 }],
    ["are only counted on request", ["--losses", "summary"], 1, summary],
    ["are the same from several threads", ["--jobs", "2"], 11, summary],
  ])("%s", async ([, options, lines, last]) => {
    const { code, stderr } = await run([...toLighter, ...options], { input: many });
    const all = said(stderr);
    expect([code, all.length]).toEqual([0, lines]);
    expect(all.at(-1)).toMatchObject(last);
  });

  test.for([["--losses", "none"], ["--quiet"]])("are not said with %j, and yet count for --strict", async options => {
    expect(await run([...toLighter, ...options, "--strict"], { input: many })).toMatchObject({ code: 1, stderr: "" });
  });
});

test("what only a format's own text cannot hold is a loss too: .NET's has no half characters", async () => {
  const input = '[{"role":"user","content":"a\\ud800b"}]';
  const { code, stdout, stderr } = await run(["convert", "-f", "openai-chat", "-t", "maf", "--strict"], { input });
  expect([code, stdout]).toEqual([1, '[{"role":"user","contents":[{"$type":"text","text":"a\\uFFFDb"}]}]\n']);
  expect(said(stderr)).toMatchObject([
    { loss: { code: "half-character", kind: "approximated", wirePath: [0, "contents", 0, "text"] } },
  ]);
});

test("a style that the format has not is wrong use", async () => {
  expect(await run([...toLighter, "--style", "indented"], { input: named })).toEqual({
    code: 2,
    stdout: "",
    stderr: "translogue: `lighter` has no style `indented`; it writes plain JSON\n",
  });
});
