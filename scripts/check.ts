import { parseArgs } from "node:util";
import { biome } from "./checks/biome.ts";
import { boundaries } from "./checks/boundaries.ts";
import { bundles } from "./checks/bundles.ts";
import type { Check, Outcome } from "./checks/check.ts";
import { declarations } from "./checks/declarations.ts";
import { docs } from "./checks/docs.ts";
import { exports } from "./checks/exports.ts";
import { names } from "./checks/names.ts";
import { packed } from "./checks/packages.ts";
import { purity } from "./checks/purity.ts";
import { sizes } from "./checks/sizes.ts";
import { types } from "./checks/type-check.ts";

const checks: readonly Check[] = [
  names,
  biome,
  boundaries,
  purity,
  sizes,
  types,
  exports,
  docs,
  packed,
  declarations,
  bundles,
];

const usage = `npm run check -- [--only name,name] [--update]
  --only    ${checks.map(({ name }) => name).join(", ")}
  --update  pins the exported names as they are now`;

/** Runs the checks one after another, to the last whatever fails, and prints a line for each. */
async function main(): Promise<number> {
  const { values } = parseArgs({ options: { only: { type: "string" }, update: { type: "boolean", default: false } } });
  const chosen = choose(values.only);
  if (!chosen) {
    console.error(usage);
    return 2;
  }
  let failed = 0;
  for (const check of chosen) {
    const start = performance.now();
    const { problems, notes = [] } = await outcome(check, values.update);
    const seconds = ((performance.now() - start) / 1000).toFixed(1);
    const result = problems.length === 0 ? "ok" : `${problems.length} wrong`;
    console.log(
      `${check.name.padEnd(12)} ${result.padEnd(10)} ${seconds.padStart(5)} s  ${notes.join(" · ")}`.trimEnd(),
    );
    for (const problem of problems) console.log(`  ${problem.replaceAll("\n", "\n    ")}`);
    if (problems.length > 0) failed += 1;
  }
  console.log(failed === 0 ? "All checks hold." : `${failed} of ${chosen.length} checks failed.`);
  return failed === 0 ? 0 : 1;
}

/** Undefined where a name is none of ours. */
function choose(only: string | undefined): readonly Check[] | undefined {
  const wanted = only?.split(",");
  if (!wanted) return checks;
  const chosen = checks.filter(({ name }) => wanted.includes(name));
  return chosen.length === new Set(wanted).size ? chosen : undefined;
}

async function outcome(check: Check, update: boolean): Promise<Outcome> {
  try {
    return await check.run({ update });
  } catch (error) {
    return { problems: [`the check itself broke: ${error instanceof Error ? error.stack : error}`] };
  }
}

process.exitCode = await main();
