import { spawn } from "node:child_process";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { root } from "./workspace.ts";

/** Runs whole what `npm test` runs a share of: every cut and every kill on every engine, and all of the suite of MCP. */
const vitest = join(dirname(createRequire(import.meta.url).resolve("vitest/package.json")), "vitest.mjs");
const args = process.argv.slice(2);
const run = spawn(process.execPath, [vitest, "run", ...(args.length > 0 ? args : ["engine", "mcp/conformance"])], {
  cwd: root,
  stdio: "inherit",
  env: { ...process.env, TRANSLOGUE_SOAK: "1" },
});
run.on("exit", code => (process.exitCode = code ?? 1));
