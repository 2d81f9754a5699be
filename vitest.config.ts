import { availableParallelism } from "node:os";
import { join } from "node:path";
import { defaultServerConditions } from "vite";
import { defineConfig } from "vitest/config";
import { sourceCondition } from "./scripts/workspace.ts";

const packages = ["core", "agent", "server", "cli", "studio", "testkit"];
// Not `module`: packages keep scripts for bundlers there, which Node cannot load.
const conditions = [sourceCondition, ...defaultServerConditions.filter(name => name !== "module")];

/** Tests run on the sources of every package, not on what is built. */
export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    projects: [
      ...packages.map(name => ({
        extends: true as const,
        test: { name, include: [`packages/${name}/test/**/*.test.{ts,tsx}`] },
      })),
      { extends: true as const, test: { name: "examples", include: ["examples/**/*.test.ts"] } },
      { extends: true as const, test: { name: "scripts", include: ["scripts/**/*.test.ts"] } },
    ],
    execArgv: [`--conditions=${sourceCondition}`],
    // Hundreds of processes that tests start load the same sources.
    env: { NODE_COMPILE_CACHE: join(import.meta.dirname, "node_modules/.cache/compiled") },
    // vitest leaves a processor to itself, which halves the pace where there are two.
    maxWorkers: availableParallelism(),
    testTimeout: 60_000,
    hookTimeout: 120_000,
  },
});
