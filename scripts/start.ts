import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { constants } from "node:os";
import { join } from "node:path";
import { buildStudio, studioDist, studioIsFresh } from "./studio.ts";
import { root, sourceCondition } from "./workspace.ts";

const command = join(root, "packages/cli/src/main.ts");

/** The studio of the present sources, built where it is stale. */
async function prepare(): Promise<void> {
  if (studioIsFresh()) return;
  process.stdout.write("Building the studio… ");
  const start = performance.now();
  await buildStudio();
  console.log(`${((performance.now() - start) / 1000).toFixed(1)} s`);
}

/** Serves it with the command's own `serve`, from the sources, until a signal or the server itself ends it. */
function serve(args: readonly string[]): void {
  const run = [`--conditions=${sourceCondition}`, command, "serve", "--studio", studioDist, ...args];
  const server = spawn(process.execPath, run, { stdio: "inherit" });

  // A terminal sends Ctrl-C to every process of its group: the server has it already, and a second one would mean "at once".
  process.on("SIGINT", () => process.stdin.isTTY || server.kill("SIGINT"));
  for (const signal of ["SIGTERM", "SIGHUP"] as const) process.on(signal, () => server.kill(signal));
  whenOrphaned(() => server.kill("SIGTERM"));

  server.on("exit", (code, signal) => {
    process.exitCode = signal ? 128 + constants.signals[signal] : (code ?? 1);
    console.log(process.exitCode === 0 ? "Stopped." : `The server ended with ${signal ?? code}.`);
  });
}

/** npm passes a signal to the shell that it runs a script in, and most shells die of it without telling the script. */
function whenOrphaned(stop: () => void): void {
  if (process.env["npm_lifecycle_event"] === undefined) return;
  const parent = process.ppid;
  const watch = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(watch);
    stop();
  }, 250).unref();
}

try {
  if (!existsSync(command)) throw new Error("packages/cli/src/main.ts is not there");
  await prepare();
  serve(process.argv.slice(2));
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
