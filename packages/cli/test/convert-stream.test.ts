import { once } from "node:events";
import { gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { collect, run, start } from "./program.ts";

type Delta = Readonly<Record<string, unknown>>;

const chunk = (delta: Delta, finish: string | null = null): string =>
  JSON.stringify({
    id: "chatcmpl-1",
    object: "chat.completion.chunk",
    created: 1,
    model: "m",
    choices: [{ index: 0, delta, finish_reason: finish }],
  });
const chunks = [
  chunk({ role: "assistant", content: "" }),
  chunk({ content: "It is" }),
  chunk({ content: " 42 ☃." }),
  chunk({ tool_calls: [{ index: 0, id: "c1", type: "function", function: { name: "add", arguments: "" } }] }),
  chunk({ tool_calls: [{ index: 0, function: { arguments: '{"a":' } }] }),
  chunk({ tool_calls: [{ index: 0, function: { arguments: "19}" } }] }),
  chunk({}, "tool_calls"),
];
const lines = chunks.map(each => `${each}\n`).join("");
const sse = `${chunks.map(each => `data: ${each}\n\n`).join("")}data: [DONE]\n\n`;
const message = {
  role: "assistant",
  content: "It is 42 ☃.",
  tool_calls: [{ id: "c1", type: "function", function: { name: "add", arguments: '{"a":19}' } }],
};
const convert = ["convert", "-f", "openai-chat"];

/** The JSON of each event; what ends the stream is left out. */
const data = (text: string): { choices?: { delta?: Delta }[]; type?: string }[] =>
  text
    .split("\n")
    .filter(line => line.startsWith("data: {"))
    .map(line => JSON.parse(line.slice(6)));

describe("a stream", () => {
  test("is told by its content, found to be of its format, and becomes a stream", async () => {
    const all = await Promise.all([
      run(["convert", "-t", "openai-chat"], { input: sse }),
      run(["convert", "-t", "openai-chat"], { input: lines }),
      run(["convert", "-t", "openai-chat"], { input: gzipSync(sse) }),
      run([...convert, "-t", "openai-chat", "--input", "jsonl"], { input: lines }),
    ]);
    for (const { code, stdout, stderr } of all) {
      expect([code, stderr]).toEqual([0, ""]);
      expect(stdout.endsWith("data: [DONE]\n\n")).toBe(true);
      const text = data(stdout).map(({ choices }) => choices?.[0]?.delta?.["content"] ?? "");
      expect(text.join("")).toBe("It is 42 ☃.");
    }
    expect(new Set(all.map(({ stdout }) => stdout)).size).toBe(1);
  });

  test("may begin with events that say nothing", async () => {
    const empty = '{"choices":[],"created":0,"id":"","model":"","object":""}';
    const { code, stdout } = await run(["convert", "-t", "openai-chat"], { input: `${empty}\n${lines}` });
    expect([code, stdout.includes("It is")]).toEqual([0, true]);
  });

  test("may stand in a list, one a value", async () => {
    const list = `[${chunks.join(",")}]`;
    const { code, stdout } = await run(["convert", "-t", "openai-chat"], { input: `${list}\n${list}\n` });
    const text = data(stdout).map(({ choices }) => choices?.[0]?.delta?.["content"] ?? "");
    expect([code, text.join("")]).toEqual([0, "It is 42 ☃.It is 42 ☃."]);
  });

  test("is converted as it comes, event by event", async () => {
    const child = start([...convert, "-t", "openai-chat"]);
    const ended = collect(child);
    for (const each of chunks.slice(0, 2)) child.stdin?.write(`data: ${each}\n\n`);
    let early = "";
    while (!early.includes("It is")) early += String((await once(child.stdout ?? child, "data"))[0]);
    expect(early).not.toContain("42");
    child.stdin?.end(sse.slice(sse.indexOf("data:", 300)));
    expect((await ended).code).toBe(0);
  });

  test("becomes the whole that it makes, where that is asked for or the format has no streams", async () => {
    const [answer, messages, lighter] = await Promise.all([
      run([...convert, "-t", "openai-chat", "--shape", "answer"], { input: sse }),
      run([...convert, "-t", "openai-chat", "--shape", "messages"], { input: lines }),
      run([...convert, "-t", "lighter"], { input: sse }),
    ]);
    expect(JSON.parse(answer.stdout)).toMatchObject({
      object: "chat.completion",
      choices: [{ message, finish_reason: "tool_calls" }],
    });
    expect(JSON.parse(messages.stdout)).toMatchObject([message]);
    expect(JSON.parse(lighter.stdout)).toMatchObject([
      { content: "It is 42 ☃.", toolCalls: [{ arguments: '{"a":19}' }] },
    ]);
    expect([answer.code, messages.code, lighter.code]).toEqual([0, 0, 0]);
  });

  test("comes of a whole, and makes it again", async () => {
    const whole = {
      id: "x",
      object: "chat.completion",
      created: 1,
      model: "m",
      choices: [{ index: 0, message, finish_reason: "tool_calls" }],
    };
    const streamed = await run([...convert, "-t", "openai-chat", "--shape", "stream"], {
      input: JSON.stringify(whole),
    });
    expect(data(streamed.stdout).length).toBeGreaterThan(2);
    const again = await run([...convert, "-t", "openai-chat", "--shape", "answer"], { input: streamed.stdout });
    expect(JSON.parse(again.stdout)).toMatchObject(whole);
  });

  test("that is cut is a valid message of what came; half an event is no JSON, like any other that is not", async () => {
    const toMessages = [...convert, "-t", "openai-chat", "--shape", "messages"];
    const between = sse.slice(0, sse.indexOf(`data: ${chunks[2]}`));
    const within = sse.slice(0, sse.indexOf(" 42"));
    const [one, two, stop] = await Promise.all([
      run(toMessages, { input: between }),
      run([...toMessages, "--on-error", "skip"], { input: within }),
      run(toMessages, { input: within }),
    ]);
    expect(one.code).toBe(0);
    expect(JSON.parse(one.stdout)).toMatchObject([{ role: "assistant", content: "It is" }]);
    expect([two.code, two.stdout]).toEqual([0, one.stdout]);
    expect(stop).toMatchObject({ code: 3, stdout: "", stderr: expect.stringContaining("standard input:5:") });
  });

  test("with an event that is no JSON stops there, or goes on without it", async () => {
    const input = sse.replace(chunks[2] ?? "", '{"choices":[}');
    const [stop, skip] = await Promise.all([
      run([...convert, "-t", "openai-chat"], { input }),
      run([...convert, "-t", "openai-chat", "--on-error", "skip"], { input }),
    ]);
    expect([stop.code, stop.stderr]).toEqual([3, 'translogue: standard input:5:13: found "}"; expected a value\n']);
    expect(stop.stdout).toContain("It is");
    expect(stop.stdout).not.toContain("[DONE]");
    expect(skip.code).toBe(0);
    expect(JSON.parse(skip.stderr)).toMatchObject({ issue: { code: "input/unreadable" }, line: 5 });
    expect(data(skip.stdout).length).toBe(data(sse).length - 1);
  });

  test("says what it loses with the line of the event, and fails by it where it should", async () => {
    const { code, stderr } = await run([...convert, "-t", "lighter", "--strict"], { input: sse });
    expect(code).toBe(1);
    for (const line of stderr.trimEnd().split("\n")) expect(JSON.parse(line)).toHaveProperty("loss.kind");
  });

  test.each(["gemini", "maf", "ollama", "ai-sdk-ui"])(
    "keeps the numbers of a call as they are spelled, for %s",
    async to => {
      const large = "12345678901234567890";
      const args = `{"n":${large},"f":1.0}`;
      const call = { index: 0, id: "c1", type: "function", function: { name: "add", arguments: args } };
      const events = [
        chunk({ role: "assistant", content: "x" }),
        chunk({ tool_calls: [call] }),
        chunk({}, "tool_calls"),
      ];
      const input = `${events.map(each => `data: ${each}\n\n`).join("")}data: [DONE]\n\n`;
      const [streamed, whole] = await Promise.all([
        run([...convert, "-t", to], { input }),
        run([...convert, "-t", to, "--shape", "messages"], { input }),
      ]);
      for (const { stdout } of [streamed, whole]) {
        expect(stdout).toContain(`"n":${large},"f":1.0`);
        expect(stdout).not.toContain(String(Number(large)));
      }
    },
  );
});
