import { spawn } from "node:child_process";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { root } from "./workspace.ts";

/** Runs whole what `npm test` runs a seeded share of: every cut and every kill, of every scenario, on every engine. */
const vitest = join(dirname(createRequire(import.meta.url).resolve("vitest/package.json")), "vitest.mjs");
const args = process.argv.slice(2);
const run = spawn(process.execPath, [vitest, "run", ...(args.length > 0 ? args : ["engine"])], {
  cwd: root,
  stdio: "inherit",
  env: { ...process.env, TRANSLOGUE_SOAK: "1" },
});
run.on("exit", code => (process.exitCode = code ?? 1));
