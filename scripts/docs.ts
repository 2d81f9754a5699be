import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { commandPages } from "./docs/command-help.ts";
import { fill } from "./docs/fill.ts";
import { formatTables } from "./docs/format-table.ts";
import { matrixTable } from "./docs/matrix-table.ts";
import { modelTables } from "./docs/model-tables.ts";
import { filesBelow } from "./sources.ts";
import { root } from "./workspace.ts";

const read = (path: string) => (existsSync(join(root, path)) ? readFileSync(join(root, path), "utf8") : undefined);

/** The documents that have generated pieces: those at the root, in docs and beside each package. */
function documents(): string[] {
  const top = ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md"].filter(path => existsSync(join(root, path)));
  const below = ["docs", "packages", "examples"].flatMap(folder => filesBelow(root, folder));
  return [...top, ...below.filter(path => path.endsWith(".md"))];
}

/** The pieces link from the root; a document below it has further to go. */
function linkedFrom(path: string, blocks: Record<string, string>): Record<string, string> {
  const up = "../".repeat(path.split("/").length - 1);
  return Object.fromEntries(
    Object.entries(blocks).map(([name, text]) => [name, text.replaceAll("](docs/", `](${up}docs/`)]),
  );
}

/** Fills the documents, or with `--check` says which of them are not as their sources are now. */
function main(): number {
  const { values } = parseArgs({ options: { check: { type: "boolean", default: false } } });
  const blocks = { ...formatTables(), ...matrixTable(), ...modelTables(), ...commandPages() };
  const unused = new Set(Object.keys(blocks));
  const problems: string[] = [];
  for (const path of documents()) {
    const text = readFileSync(join(root, path), "utf8");
    for (const name of Object.keys(blocks)) if (text.includes(`<!-- generated:${name} -->`)) unused.delete(name);
    const filled = fill(text, { blocks: linkedFrom(path, blocks), file: read });
    problems.push(...filled.problems.map(problem => `${path}: ${problem}`));
    if (filled.text === text) continue;
    if (values.check) problems.push(`${path} is stale: \`npm run docs\``);
    else writeFileSync(join(root, path), filled.text);
  }
  problems.push(...[...unused].map(name => `no document shows \`<!-- generated:${name} -->\``));
  for (const problem of problems) console.error(problem);
  return problems.length === 0 ? 0 : 1;
}

process.exitCode = main();
