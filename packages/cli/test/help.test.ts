import { spawn } from "node:child_process";
import { chmod, mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { formats } from "translogue";
import { describe, expect, test } from "vitest";
import { commonOptions } from "../src/command.ts";
import { loadCommands } from "../src/commands.ts";
import { shells } from "../src/completion-script.ts";
import { collect, type Ended, folder, nodeArguments, plainEnv, run } from "./program.ts";

const commands = await loadCommands();
const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

/** A shell in a folder, where `translogue` is this program. */
async function shell(line: string, at: string): Promise<Ended> {
  const bin = join(at, "bin");
  await mkdir(bin, { recursive: true });
  const program = [process.execPath, ...nodeArguments].map(quoted).join(" ");
  await writeFile(join(bin, "translogue"), `#!/bin/sh\nexec ${program} "$@"\n`);
  await chmod(join(bin, "translogue"), 0o755);
  const env = plainEnv({ PATH: `${bin}:${process.env["PATH"] ?? ""}`, HOME: at });
  const child = spawn("bash", ["-c", line], { cwd: at, env, stdio: ["ignore", "pipe", "pipe"] });
  return collect(child);
}

describe("help", () => {
  test("without a command is an overview, on standard error because something is missing", async () => {
    const [none, asked, long] = await Promise.all([run([]), run(["help"]), run(["--help"])]);
    expect([none.code, none.stdout, asked.code, asked.stderr]).toEqual([2, "", 0, ""]);
    expect(none.stderr).toBe(asked.stdout);
    expect(long).toEqual(asked);
    for (const { name, summary } of commands) expect(asked.stdout).toContain(`${name.padEnd(11)} ${summary}`.trimEnd());
  });

  test.for(commands.map(({ name }) => name))("of %s says each of its options and examples", async name => {
    const command = commands.find(each => each.name === name);
    const [long, short] = await Promise.all([run([name, "--help"]), run(["help", name])]);
    expect(long).toEqual(short);
    expect([long.code, long.stderr]).toEqual([0, ""]);
    for (const option of Object.keys({ ...command?.options, ...commonOptions }))
      expect(long.stdout).toContain(`--${option}`);
    for (const { does, line } of command?.examples ?? []) expect(long.stdout).toContain(`  ${does}\n    ${line}\n`);
  });

  test("is in colour where that is asked for, and never by itself in a pipe", async () => {
    const [plain, colored] = await Promise.all([run(["help", "detect"]), run(["help", "detect", "--color", "always"])]);
    expect(plain.stdout).not.toContain("\u001b");
    expect(colored.stdout).toContain("\u001b[1mOptions\u001b[22m");
  });

  test("fits the columns that there are", async () => {
    const { stdout } = await run(["help", "convert"]);
    for (const line of stdout.split("\n")) expect(line.length).toBeLessThanOrEqual(100);
  });
});

test("the version is the package's", async () => {
  const { version } = JSON.parse(await readFile(join(import.meta.dirname, "../package.json"), "utf8"));
  expect(await run(["--version"])).toEqual({ code: 0, stdout: `${version}\n`, stderr: "" });
});

test("the README has every command with its summary", async () => {
  const readme = await readFile(join(import.meta.dirname, "../README.md"), "utf8");
  for (const { name, summary } of commands) expect(readme).toContain(`| \`${name}\` | ${summary} |\n`);
});

describe("an example of the help", () => {
  const history = [
    { role: "user", content: "What is 19 + 23?" },
    { role: "assistant", content: "It is 42.", toolCalls: [] },
  ];
  const request = {
    model: "gpt-5.2",
    messages: [
      { role: "user", content: "What is 19 + 23?" },
      {
        role: "assistant",
        content: null,
        tool_calls: [{ id: "call_1", type: "function", function: { name: "add", arguments: '{"a":19,"b":23}' } }],
      },
      { role: "tool", tool_call_id: "call_1", content: "42" },
    ],
  };
  const chunk = (delta: object, finish: string | null = null): string =>
    `data: ${JSON.stringify({ id: "x", object: "chat.completion.chunk", created: 1, model: "gpt-5.2", choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;
  const stream = `${chunk({ role: "assistant", content: "" })}${chunk({ content: "42" })}${chunk({}, "stop")}data: [DONE]\n\n`;
  const files = {
    "history.json": JSON.stringify(history, undefined, 2),
    "request.json": JSON.stringify(request),
    "requests.jsonl.gz": gzipSync(`${JSON.stringify(request)}\n`.repeat(3)),
    "answer.sse": stream,
    "error.json": JSON.stringify({
      error: {
        message:
          "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: call_1",
      },
    }),
    "translogue.json": '{ "port": 0, "store": ":memory:" }',
  };
  const endless = new Set(["serve"]);

  test.for(commands.flatMap(({ name, examples }) => (endless.has(name) ? [] : examples.map(({ line }) => line))))(
    "works as it stands: %s",
    async line => {
      const ended = await shell(line, await folder(files));
      expect(ended).toMatchObject({ code: 0 });
      expect(ended.stderr).not.toContain("translogue:");
    },
  );
});

describe("completion", () => {
  /** What bash offers for a line that is typed so far. */
  const offered = async (words: readonly string[]): Promise<string[]> => {
    const list = words.map(quoted).join(" ");
    const line = `eval "$(translogue completion bash)"; COMP_WORDS=(${list}); COMP_CWORD=${words.length - 1}; _translogue; printf '%s\\n' "\${COMPREPLY[@]}"`;
    const { stdout } = await shell(line, await folder({ "my.json": "" }));
    return stdout.split("\n").filter(Boolean);
  };
  const ids = formats.map(({ id }) => id);

  test.for<readonly [words: readonly string[], offers: readonly string[]]>([
    [
      ["translogue", "c"],
      ["convert", "check", "chat", "completion"],
    ],
    [["translogue", "convert", "--fo"], ["--force"]],
    [
      ["translogue", "convert", "--input", ""],
      ["json", "jsonl", "sse", "coded"],
    ],
    [["translogue", "convert", "-t", "ligh"], ["lighter"]],
    [["translogue", "convert", "my"], ["my.json"]],
    [["translogue", "check", "-t", "anth"], ["anthropic-messages"]],
    [["translogue", "help", "det"], ["detect"]],
    [["translogue", "completion", ""], [...shells]],
    [["translogue", "formats", "x"], []],
  ])("of %j in bash offers %j", async ([words, offers]) => {
    expect(await offered(words)).toEqual(offers);
  });

  test("in bash goes on behind the colon of a dialect", async () => {
    const codec = formats.find(({ dialects }) => dialects.length > 1);
    const [first = ""] = codec?.dialects ?? [];
    expect(await offered(["translogue", "convert", "--to", codec?.id ?? "", ":", first.slice(0, 1)])).toContain(first);
  });

  test.for(shells)("for %s knows every command, option and format", async shellName => {
    const { stdout, code } = await run(["completion", shellName]);
    expect(code).toBe(0);
    for (const { name, options } of commands) {
      expect(stdout).toContain(name);
      for (const option of Object.keys(options))
        expect(stdout).toContain(shellName === "fish" ? `-l ${option}` : `--${option}`);
    }
    for (const id of ids) expect(stdout).toContain(id);
  });
});
