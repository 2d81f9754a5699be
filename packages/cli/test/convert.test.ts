import { once } from "node:events";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { collect, folder, run, start } from "./program.ts";

const question = { role: "user", content: "What is 1.0 + 1.0?" };
const call = {
  role: "assistant",
  content: "",
  toolCalls: [{ callId: "c1", toolName: "add", arguments: '{"a":1.0,"b":1.0}' }],
};
const result = { role: "tool", callId: "c1", toolName: "add", toolOutput: "2", isError: false };
const answer = { role: "assistant", content: "2 ☃", toolCalls: [] };
const history = [question, call, result, answer];
const line = `${JSON.stringify(history)}\n`;
const toLighter = ["convert", "-f", "lighter", "-t", "lighter"];

const lines = (text: string): unknown[] => {
  expect(text === "" || text.endsWith("\n")).toBe(true);
  return text
    .split("\n")
    .slice(0, -1)
    .map(each => JSON.parse(each));
};

describe("what is read", () => {
  test("several inputs are not written into one file of JSON", async () => {
    const at = await folder({ "a.json": "[]", "b.json": "[]" });
    const said = await run(["convert", "-f", "openai-chat", "-t", "lighter", "-o", "x.json", "a.json", "b.json"], {
      cwd: at,
    });
    expect(said).toMatchObject({ code: 2, stderr: expect.stringContaining("name a folder (`out/`)") });
  });

  test("what is nothing but NUL bytes is refused at once, not read to an end that never comes", async () => {
    const { code, stderr } = await run(["convert", "-t", "ai-sdk-ui", "/dev/zero"]);
    expect([code, stderr]).toEqual([3, expect.stringContaining("NUL")]);
  });

  test("is standard input, `-`, files and gzip, all the same, and found to be what it is", async () => {
    const at = await folder({ "h.jsonl": line, "h.gz": gzipSync(line) });
    const all = await Promise.all([
      run(["convert", "-t", "lighter"], { input: line }),
      run(["convert", "-t", "lighter", "-"], { input: line }),
      run(["convert", "-t", "lighter", "h.jsonl"], { cwd: at }),
      run(["convert", "-t", "lighter", "h.gz"], { cwd: at }),
      run(["convert", "-t", "lighter"], { input: gzipSync(line) }),
    ]);
    for (const ended of all) expect(ended).toEqual({ code: 0, stdout: line, stderr: "" });
  });

  test("several files come one after another, a value a line", async () => {
    const at = await folder({ "a.json": JSON.stringify([question], undefined, 2), "b.jsonl": line + line });
    const { stdout, code } = await run([...toLighter, "a.json", "-", "b.jsonl"], { cwd: at, input: line });
    expect([code, stdout]).toEqual([0, `${JSON.stringify([question])}\n${line}${line}${line}`]);
  });

  test("a JSON text over several lines is written over several lines", async () => {
    const text = `${JSON.stringify(history, undefined, 2)}\n`;
    expect(await run(toLighter, { input: text })).toMatchObject({ code: 0, stdout: text });
  });

  test("blank lines, a byte order mark and the line ends of Windows do no harm", async () => {
    const input = `\ufeff\r\n${line.trim()}\r\n\r\n${line.trim()}`;
    expect(await run(toLighter, { input })).toMatchObject({ code: 0, stdout: line + line });
  });

  test("lines may be of several formats, each found by itself", async () => {
    const request = JSON.stringify({ model: "m", messages: [{ role: "user", content: "hi" }] });
    const { stdout, code } = await run(["convert", "-t", "lighter", "-q"], { input: `${line}${request}\n${line}` });
    expect([code, stdout]).toEqual([0, `${line}[{"role":"user","content":"hi"}]\n${line}`]);
  });

  test("one message that becomes several is a list, unless one is asked for", async () => {
    const part = { type: "tool-f", toolCallId: "c", state: "output-available", input: {}, output: 1 };
    const input = `${JSON.stringify({ id: "m", role: "assistant", parts: [part] })}\n`;
    const ended = await run(["convert", "-t", "openai-chat"], { input });
    expect([ended.code, lines(ended.stdout)]).toMatchObject([0, [[{ role: "assistant" }, { role: "tool" }]]]);
    const asked = await run(["convert", "-t", "openai-chat", "--shape", "message"], { input });
    expect([asked.code === 0, asked.stderr]).toEqual([false, expect.stringContaining("ask for `messages`")]);
  });

  test("numbers keep their spelling, and objects the order of their keys", async () => {
    const input = '[{"role":"user","content":"hi","x":{"b":1.0,"2":12345678901234567890,"1":1e400}}]\n';
    expect(await run(toLighter, { input })).toEqual({ code: 0, stdout: input, stderr: "" });
  });

  test("no lines at all are no values, where lines are what was asked for", async () => {
    expect(await run([...toLighter, "--input", "jsonl"])).toEqual({ code: 0, stdout: "", stderr: "" });
  });
});

describe("what cannot be read", () => {
  const broken = `${line}{"role": user}\n${line}`;

  test("stops the run with its place and what was expected; what came before is out", async () => {
    const at = await folder({ "h.jsonl": broken });
    expect(await run([...toLighter, "h.jsonl"], { cwd: at })).toEqual({
      code: 3,
      stdout: line,
      stderr: 'translogue: h.jsonl:2:10: found "user"; expected a value\n',
    });
  });

  test("is left out and said on request, and then counts as an issue", async () => {
    const skip = [...toLighter, "--on-error", "skip"];
    const [plain, strict] = await Promise.all([
      run(skip, { input: broken }),
      run([...skip, "--strict", "--quiet"], { input: broken }),
    ]);
    expect(plain).toMatchObject({ code: 0, stdout: line + line });
    expect(lines(plain.stderr)).toMatchObject([{ issue: { code: "input/unreadable", severity: "error" }, line: 2 }]);
    expect(strict).toEqual({ code: 1, stdout: line + line, stderr: "" });
  });

  test("what --carry takes along is a loss in the report, and none for --strict", async () => {
    const input = JSON.stringify([{ role: "user", name: "ann", content: "hi" }]);
    const lossy = ["convert", "-f", "openai-chat", "-t", "ai-sdk-ui", "--strict"];
    const [without, carried] = await Promise.all([run(lossy, { input }), run([...lossy, "--carry"], { input })]);
    expect([without.code, carried.code]).toEqual([1, 0]);
    expect(carried.stderr).toContain('"carried":true');
  });

  test.for<readonly [name: string, input: string | Uint8Array, stderr: string]>([
    ["nothing", "", "standard input:1:1: the text ends; expected a value"],
    ["a cut text", "[\n{", 'standard input:2:2: the text ends; expected a member name or "}"'],
    ["no text", Buffer.from([0x5b, 0x0a, 0xff, 0x0a]), "standard input:2:1: found the byte 0xff; expected UTF-8 text"],
    [
      "half a gzip",
      gzipSync(line).subarray(0, 40),
      "standard input: the gzip data ends early; expected whole gzip data",
    ],
    ["no messages", "7\n", "standard input:1: "],
    ["too deep a nesting", `${"[".repeat(5000)}${"]".repeat(5000)}\n`, "standard input:1:1001: more than 1000 lists"],
  ])("%s", async ([, input, stderr]) => {
    const ended = await run(toLighter, { input });
    expect(ended).toMatchObject({ code: 3, stdout: "" });
    expect(ended.stderr.startsWith(`translogue: ${stderr}`)).toBe(true);
  });

  test("is JSON for a program", async () => {
    const { code, stderr } = await run([...toLighter, "--json"], { input: "[\n7" });
    expect([code, JSON.parse(stderr)]).toEqual([
      3,
      {
        error: {
          code: "input/unreadable",
          message: 'the text ends; expected "," or "]"',
          file: "standard input",
          line: 2,
          column: 2,
        },
      },
    ]);
  });

  test("a file that is not there stops the run, or is passed over and remembered", async () => {
    const at = await folder({ "h.jsonl": line });
    const files = ["nothing.json", "h.jsonl"];
    const [stop, skip] = await Promise.all([
      run([...toLighter, ...files], { cwd: at }),
      run([...toLighter, "--on-error", "skip", ...files], { cwd: at }),
    ]);
    expect(stop).toEqual({ code: 3, stdout: "", stderr: "translogue: nothing.json: there is no such file\n" });
    expect(skip).toMatchObject({ code: 3, stdout: line });
    expect(lines(skip.stderr)).toMatchObject([
      { issue: { message: "left out: there is no such file" }, file: "nothing.json" },
    ]);
  });
});

describe("wrong use", () => {
  test.for<readonly [args: readonly string[], stderr: string]>([
    [["convert"], "`--to` is missing; name the format to write, one of "],
    [["convert", "-t", "ligther"], "there is no format `ligther`; did you mean `lighter`?"],
    [["convert", "-f", "ligther", "-t", "lighter"], "there is no format `ligther`; did you mean `lighter`?"],
    [["convert", "-t", "lighter:x"], "`lighter` has no dialect `x`; it has "],
    [
      ["convert", "-t", "lighter", "--shap", "file"],
      "`translogue convert` has no option `--shap`; did you mean `--shape`?",
    ],
    [["convert", "-t", "lighter", "--shape", "answr"], "`--shape` does not take `answr`; did you mean `answer`?"],
    [["convert", "-t", "lighter", "--shape", "stream"], "`lighter` has no streams"],
    [["convert", "-t", "lighter", "--jobs", "0"], "`--jobs` does not take `0`; it is a number from 1 to 64"],
    [["covnert"], "there is no command `covnert`; did you mean `convert`?"],
    [["--hlep"], "`translogue` has no option `--hlep`; did you mean `--help`?"],
    [["detect", "--jsno"], "`translogue detect` has no option `--jsno`; did you mean `--json`?"],
    [["completion", "bsh"], "`SHELL` does not take `bsh`; did you mean `bash`?"],
    [["help", "convrt"], "`COMMAND` does not take `convrt`; did you mean `convert`?"],
  ])("%j", async ([args, stderr]) => {
    const ended = await run(args);
    expect(ended).toMatchObject({ code: 2, stdout: "" });
    expect(ended.stderr.startsWith(`translogue: ${stderr}`), ended.stderr).toBe(true);
  });
});

describe("an output file", () => {
  test("is written whole, and nothing is overwritten without force", async () => {
    const at = await folder({ "h.jsonl": line, "old.jsonl": "old" });
    const one = await run([...toLighter, "-o", "new.jsonl", "h.jsonl", "h.jsonl"], { cwd: at });
    expect(one).toEqual({ code: 0, stdout: "", stderr: "" });
    expect(readFileSync(join(at, "new.jsonl"), "utf8")).toBe(line + line);
    const two = await run([...toLighter, "-o", "old.jsonl", "h.jsonl"], { cwd: at });
    expect(two).toEqual({
      code: 2,
      stdout: "",
      stderr: "translogue: `old.jsonl` is there already; `--force` replaces it\n",
    });
    expect(readFileSync(join(at, "old.jsonl"), "utf8")).toBe("old");
    const three = await run([...toLighter, "-o", "h.jsonl", "--force", "h.jsonl"], { cwd: at });
    expect(three.code).toBe(0);
    expect(readFileSync(join(at, "h.jsonl"), "utf8")).toBe(line);
  });

  test("is not there after a failure", async () => {
    const at = await folder({ "h.jsonl": `${line}{` });
    expect(await run([...toLighter, "-o", "new.jsonl", "h.jsonl"], { cwd: at })).toMatchObject({ code: 3 });
    expect(readdirSync(at)).toEqual(["h.jsonl"]);
  });

  test("is one an input in a folder, without the end that says gzip", async () => {
    const at = await folder({ "a.jsonl": line, "b.jsonl.gz": gzipSync(line + line) });
    expect(await run([...toLighter, "-o", "out/", "a.jsonl", "b.jsonl.gz"], { cwd: at })).toMatchObject({ code: 0 });
    expect(readFileSync(join(at, "out/a.jsonl"), "utf8")).toBe(line);
    expect(readFileSync(join(at, "out/b.jsonl"), "utf8")).toBe(line + line);
    const twice = await run([...toLighter, "-o", "two/", "a.jsonl", "./a.jsonl"], { cwd: at });
    expect(twice).toMatchObject({
      code: 2,
      stderr: "translogue: `a.jsonl` and `./a.jsonl` would both be `two/a.jsonl`\n",
    });
    expect(existsSync(join(at, "two"))).toBe(false);
  });
});

describe("an end from outside", () => {
  test.for<readonly [signal: NodeJS.Signals, code: number]>([
    ["SIGINT", 130],
    ["SIGTERM", 143],
  ])("%s leaves whole lines and exits with %i", async ([signal, code]) => {
    const child = start(toLighter);
    const ended = collect(child);
    child.stdin?.on("error", () => {});
    const many = line.repeat(500);
    const feed = setInterval(() => child.stdin?.write(many), 1);
    await once(child.stdout ?? child, "data");
    child.kill(signal);
    const { code: exit, stdout, stderr } = await ended;
    clearInterval(feed);
    expect([exit, stderr]).toEqual([code, ""]);
    expect(stdout.length % line.length).toBe(0);
    expect(stdout.slice(-line.length)).toBe(line);
  });

  test("while nothing comes is an end too, and leaves no file", async () => {
    const at = await folder();
    const child = start([...toLighter, "-o", "out.jsonl"], { cwd: at });
    const ended = collect(child);
    child.stdin?.write(line);
    while (readdirSync(at).length === 0) await new Promise(resolve => setImmediate(resolve));
    child.kill("SIGINT");
    expect((await ended).code).toBe(130);
    expect(readdirSync(at)).toEqual([]);
  });

  test("a reader that has enough is no failure", async () => {
    const child = start(toLighter);
    const ended = collect(child);
    child.stdin?.on("error", () => {});
    const feed = setInterval(() => child.stdin?.write(line.repeat(500)), 1);
    await once(child.stdout ?? child, "data");
    child.stdout?.destroy();
    expect(await ended).toMatchObject({ code: 0, stderr: "" });
    clearInterval(feed);
  });
});

describe("many lines", () => {
  /** Runs beside the program: what is alive, looked at ten times a second, and the most that the process ever held. */
  const watch = `
    import { setFlagsFromString } from "node:v8";
    import { runInNewContext } from "node:vm";
    setFlagsFromString("--expose-gc");
    const gc = runInNewContext("gc");
    let live = 0;
    setInterval(() => {
      gc();
      const { heapUsed, external } = process.memoryUsage();
      live = Math.max(live, heapUsed + external);
    }, 100).unref();
    process.on("exit", () => process.stderr.write(JSON.stringify({ live, held: process.resourceUsage().maxRSS * 1024 })));`;

  /** Lines that are made while they are written, through the program. Bytes. */
  const memory = async (megabytes: number): Promise<{ live: number; held: number }> => {
    const at = await folder({ "watch.mjs": watch });
    const child = start(toLighter, { env: { NODE_OPTIONS: `--import=${join(at, "watch.mjs")}` } });
    let read = 0;
    child.stdout?.on("data", (chunk: Buffer) => {
      read += chunk.length;
    });
    let stderr = "";
    child.stderr?.on("data", text => {
      stderr += text;
    });
    const block = Buffer.from(line.repeat(200));
    const blocks = Math.ceil((megabytes * 1e6) / block.length);
    for (let count = 0; count < blocks; count++) {
      if (!child.stdin?.write(block)) await once(child.stdin ?? child, "drain");
    }
    child.stdin?.end();
    const [code] = await once(child, "close");
    expect([code, read]).toEqual([0, blocks * block.length]);
    return JSON.parse(stderr);
  };

  test("take no more memory than a few", async () => {
    const [few, many] = [await memory(3), await memory(30)];
    expect(many.live - few.live).toBeLessThan(8e6);
    expect(many.held - few.held).toBeLessThan(150e6);
  }, 240_000);

  test("in several threads come out as in one, order and remarks too", async () => {
    const numbered = Array.from({ length: 3000 }, (_, index) =>
      index % 1000 === 999
        ? "{broken\n"
        : `${JSON.stringify([{ ...question, content: `${index} ${"x".repeat(200)}` }])}\n`,
    ).join("");
    const args = [...toLighter, "--on-error", "skip"];
    const [one, three] = await Promise.all([
      run(args, { input: numbered }),
      run([...args, "--jobs", "3"], { input: numbered }),
    ]);
    expect(three).toEqual(one);
    expect(lines(one.stdout)).toHaveLength(2997);
    expect(lines(one.stderr)).toMatchObject([{ line: 1000 }, { line: 2000 }, { line: 3000 }]);
    const stopped = await run([...toLighter, "--jobs", "2"], { input: numbered });
    expect(stopped).toMatchObject({
      code: 3,
      stderr: expect.stringMatching(/^translogue: standard input:1000:2: found "broken"/),
    });
    expect(lines(stopped.stdout)).toHaveLength(999);
  });
});

test("text that is more than JSON is read where its format is named", async () => {
  const input =
    '{"content": "caf\\u00e9", "additional_kwargs": {"x": NaN}, "response_metadata": {}, "type": "human", "name": null, "id": null}\n';
  const ended = await run(["convert", "-f", "langchain:python", "-t", "langchain:python", "--style", "dumps"], {
    input,
  });
  expect(ended).toEqual({ code: 0, stdout: input, stderr: "" });
});

describe("a value of which nothing is a message of the format that was named", () => {
  const snapshots = JSON.stringify([{ values: { messages: [] }, next: [], foo: 1 }, { next: ["a"] }]);
  const args = ["convert", "-f", "langchain", "-t", "openai-chat"];

  test("cannot be read, and is not an empty history", async () => {
    const { code, stdout, stderr } = await run(args, { input: JSON.stringify([{ foo: 1 }, { bar: 2 }]) });
    expect([code, stdout]).toEqual([3, ""]);
    expect(stderr).toMatch(/^translogue: standard input:1: nothing in this is a message of `langchain`: /);
  });

  test("is left out where the run goes on, and said", async () => {
    const input = `${JSON.stringify([{ foo: 1 }])}\n[{"type":"human","content":"hi"}]\n`;
    const { code, stdout, stderr } = await run([...args, "--on-error", "skip"], { input });
    expect([code, lines(stdout)]).toEqual([0, [[{ role: "user", content: "hi" }]]]);
    expect(lines(stderr)).toMatchObject([{ line: 1, issue: { severity: "error" } }]);
  });

  test("is no silence, whatever its items are", async () => {
    const { code, stdout } = await run(args, { input: snapshots });
    expect(code === 0 && stdout === "[]\n").toBe(false);
  });
});

describe("a dialect that is read and not written", () => {
  const ui = '[{"id":"1","role":"user","content":"hi","parts":[{"type":"text","text":"hi"}]}]';

  test("is wrong use as the one to write", async () => {
    const ended = await run(["convert", "-t", "ai-sdk-ui:v4"], { input: ui });
    expect(ended).toMatchObject({ code: 2, stdout: "" });
    expect(ended.stderr).toMatch(/^translogue: `ai-sdk-ui:v4` is read only: .* name the dialect `v5`/);
  });

  test("has a follower where none is named", async () => {
    const { code, stdout } = await run(["convert", "-f", "ai-sdk-ui:v4", "-t", "ai-sdk-ui"], { input: ui });
    expect([code, JSON.parse(stdout)]).toMatchObject([0, [{ role: "user", parts: [{ type: "text", text: "hi" }] }]]);
  });
});

test("an output in a folder that is not there cannot be written", async () => {
  const at = await folder();
  expect(await run([...toLighter, "-o", "no/out.jsonl"], { cwd: at, input: line })).toEqual({
    code: 74,
    stdout: "",
    stderr: "translogue: `no/out.jsonl` cannot be written: there is no folder `no`\n",
  });
});

describe("a line that may be of several formats", () => {
  const unclear = '{"messages":[]}\n';
  const clear = `${JSON.stringify([result])}\n`;

  test("stops the run, and says where it is", async () => {
    const ended = await run(["convert", "-t", "lighter"], { input: unclear + clear });
    expect(ended).toMatchObject({ code: 2, stdout: "" });
    expect(ended.stderr).toMatch(/^translogue: standard input:1: this may be .*; name one of them with `--from`\n$/);
  });

  test("is left out where the run goes on", async () => {
    const { code, stdout, stderr } = await run(["convert", "-t", "lighter", "--on-error", "skip"], {
      input: unclear + clear,
    });
    expect([code, stdout]).toEqual([0, clear]);
    expect(lines(stderr)).toMatchObject([{ line: 1, issue: { code: "format/ambiguous" } }]);
  });
});
