import { existsSync, statSync } from "node:fs";
import { resolve } from "node:path";
import type { CaseResult, FixtureFile, Rule, Runner, World } from "./case.ts";
import { fixtureFiles } from "./files.ts";
import { Report } from "./report.ts";
import { fileRules } from "./rules.ts";
import { runners } from "./runners.ts";

/** Runs everything that applies over folders of fixtures, prints what came of it, and says by its exit code whether all held. */
async function main(folders: readonly string[]): Promise<number> {
  const missing = folders.filter(folder => !existsSync(folder) || !statSync(folder).isDirectory());
  if (folders.length === 0 || missing.length > 0) {
    const what =
      folders.length === 0 ? "give one or more folders of fixtures" : `no such folder: ${missing.join(", ")}`;
    process.stderr.write(`${what}\nusage: npm run conformance -- DIR…\n`);
    return 2;
  }
  const report = new Report();
  const roots = folders.map(folder => resolve(folder));
  const world: World = { roots: [...roots, ...[resolve("../shared/fixtures")].filter(folder => existsSync(folder))] };
  for (const root of roots) {
    const before = report.ran;
    for (const file of fixtureFiles(root)) await runFile(file, world, report);
    if (report.ran === before) report.fault(root, "nothing here is run: no runner reads any file of this folder");
  }
  process.stdout.write(report.print());
  return report.failed ? 1 : 0;
}

async function runFile(file: FixtureFile, world: World, report: Report): Promise<void> {
  const readers = runners.filter(each => each.reads(file));
  const rule = readers.length > 0 ? undefined : fileRules.find(each => each.matches?.(file));
  if (rule) report.setAside(rule, countOf(rule, file));
  else if (readers.length === 0) {
    const kind = file.kind === undefined ? "" : ` (kind \`${file.kind}\`)`;
    report.fault(file.path, `no runner reads it${kind} and no rule names it`);
  } else {
    process.stderr.isTTY && process.stderr.write(`\r\u001b[K${file.path}`);
    for (const runner of readers) await runWith(runner, file, { world, report });
  }
}

async function runWith(
  runner: Runner,
  file: FixtureFile,
  { world, report }: { readonly world: World; readonly report: Report },
): Promise<void> {
  try {
    for await (const result of runner.run(file, world)) report.add(file, result);
  } catch (error) {
    const failure: CaseResult = {
      format: runner.name,
      name: "(file)",
      outcome: { status: "failed", reason: error instanceof Error ? (error.stack ?? error.message) : String(error) },
    };
    report.add(file, failure);
  }
}

const countOf = (rule: Rule, file: FixtureFile): number => rule.count?.(file) ?? 1;

process.exitCode = await main(process.argv.slice(2));
