import { type ChildProcess, spawn } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";

export const main = join(import.meta.dirname, "../src/main.ts");
export const nodeArguments = ["--conditions=translogue-source", main];

export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  readonly cwd?: string;
  readonly input?: string | Uint8Array;
  readonly env?: Readonly<Record<string, string | undefined>>;
}

/** The environment of a stranger's machine: no keys, no model, a home of its own. */
export const plainEnv = (env: RunOptions["env"] = {}): NodeJS.ProcessEnv => ({
  PATH: process.env["PATH"],
  NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"],
  HOME: join(tmpdir(), "translogue-no-home"),
  ...env,
});

export function start(args: readonly string[], { cwd, env }: RunOptions = {}): ChildProcess {
  return spawn(process.execPath, [...nodeArguments, ...args], {
    cwd,
    env: plainEnv(env),
    stdio: ["pipe", "pipe", "pipe"],
  });
}

/** Runs the real program to its end. */
export async function run(args: readonly string[], options: RunOptions = {}): Promise<Ended> {
  const child = start(args, options);
  const ended = collect(child);
  child.stdin?.on("error", () => {});
  child.stdin?.end(options.input ?? "");
  return ended;
}

/** What a process writes until it ends. */
export function collect(child: ChildProcess): Promise<Ended> {
  let [stdout, stderr] = ["", ""];
  child.stdout?.setEncoding("utf8").on("data", text => {
    stdout += text;
  });
  child.stderr?.setEncoding("utf8").on("data", text => {
    stderr += text;
  });
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", code => resolve({ code, stdout, stderr }));
  });
}

/** A folder that is gone after the test. */
export async function folder(files: Readonly<Record<string, string | Uint8Array>> = {}): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), "translogue-cli-"));
  onTestFinished(() => rm(path, { recursive: true, force: true }));
  for (const [name, content] of Object.entries(files)) await writeFile(join(path, name), content);
  return path;
}
