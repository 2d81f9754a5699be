import { existsSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { buildStudio, copyStudio, hasStudio } from "./studio.ts";
import { published, root, runNode, tool } from "./workspace.ts";

/** Builds one package into its dist; throws with tsdown's own words. */
export async function buildPackage(name: string): Promise<void> {
  const folder = join(root, "packages", name);
  const run = [tool("tsdown"), "--log-level", "warn"];
  const { code, output } = await runNode(run, folder);
  if (code !== 0) throw new Error(`packages/${name} does not build:\n${output}`);
}

async function step(name: string, work: () => Promise<void>): Promise<boolean> {
  const start = performance.now();
  try {
    await work();
    console.log(`${name.padEnd(8)} ${((performance.now() - start) / 1000).toFixed(1)} s`);
    return true;
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    return false;
  }
}

/** All packages in their order, then the studio; goes on after a failure, so that one run shows all of them. */
async function main(): Promise<number> {
  const { values } = parseArgs({ options: { studio: { type: "boolean", default: false } } });
  let fine = true;
  for (const name of values.studio ? [] : published) fine = (await step(name, () => buildPackage(name))) && fine;
  if (!hasStudio()) {
    console.error("packages/studio has no index.html");
    return 1;
  }
  fine = (await step("studio", buildStudio)) && fine;
  if (fine && existsSync(join(root, "packages/cli/dist"))) copyStudio();
  return fine ? 0 : 1;
}

if (import.meta.main) process.exitCode = await main();
