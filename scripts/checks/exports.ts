import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, posix } from "node:path";
import ts from "typescript";
import { entries, formatIds, type Package, packages, published, root } from "../workspace.ts";
import type { Check } from "./check.ts";

const folder = join(root, "scripts/exports");

/** What each subpath of a published package exports, pinned in scripts/exports: a change is seen in the diff. */
export const exports: Check = {
  name: "exports",
  async run({ update }) {
    const found = publishedEntries(packages());
    const lists = exportLists(found.entries);
    if (update) write(lists);
    const pinned = readPinned();
    const names = [...new Set([...Object.keys(lists), ...Object.keys(pinned)])].sort();
    const changed = names.flatMap(name => {
      const lines = pinned[name]
        ? difference(pinned[name], lists[name] ?? [])
        : [`+ ${lists[name]?.length} names, all new`];
      return lines.length === 0 ? [] : [[`${name}: \`npm run check -- --update\` if it is meant`, ...lines].join("\n")];
    });
    const sum = Object.values(lists).reduce((total, list) => total + list.length, 0);
    return {
      problems: [...found.problems, ...changed],
      notes: [`${sum} names in ${Object.keys(lists).length} entries`],
    };
  },
};

interface Entries {
  /** List name (`core.convert`) to source path. */
  readonly entries: Readonly<Record<string, string>>;
  readonly problems: readonly string[];
}

/** What the manifests export from sources, and a sentence for each source that is missing. */
function publishedEntries(workspaces: readonly Package[]): Entries {
  const found: Record<string, string> = {};
  const problems: string[] = [];
  for (const name of published) {
    const manifest = workspaces.find(({ folder }) => folder === name)?.manifest;
    if (!manifest) problems.push(`packages/${name} is not there`);
    for (const { subpath, source } of manifest ? entries(manifest, formatIds()) : []) {
      const path = posix.join("packages", name, source);
      if (existsSync(join(root, path))) found[listName(name, subpath)] = path;
      else problems.push(`packages/${name}/package.json exports ${subpath} from ${source}, which is not there`);
    }
  }
  return { entries: found, problems };
}

const listName = (name: string, subpath: string) =>
  subpath === "." ? name : `${name}.${subpath.slice(2).replaceAll("/", ".")}`;

/** Names by list, each with its side of the language: `value x` (which may be a type too) or `type X`. */
export function exportLists(paths: Readonly<Record<string, string>>, host?: ts.CompilerHost): Record<string, string[]> {
  const program = ts.createProgram(Object.values(paths), compilerOptions(), host);
  const checker = program.getTypeChecker();
  return Object.fromEntries(
    Object.entries(paths).map(([name, path]) => {
      const file = program.getSourceFile(path);
      const module = file && checker.getSymbolAtLocation(file);
      const symbols = module ? checker.getExportsOfModule(module) : [];
      return [name, symbols.map(symbol => exportLine(symbol, checker)).sort()];
    }),
  );
}

function compilerOptions(): ts.CompilerOptions {
  const file = join(root, "tsconfig.json");
  return ts.parseJsonConfigFileContent(ts.readConfigFile(file, ts.sys.readFile).config, ts.sys, root).options;
}

function exportLine(symbol: ts.Symbol, checker: ts.TypeChecker): string {
  const meant = symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
  const value = meant.flags & ts.SymbolFlags.Value && !symbol.declarations?.some(isTypeOnly);
  return `${value ? "value" : "type"} ${symbol.name}`;
}

const isTypeOnly = (node: ts.Declaration) =>
  ts.isExportSpecifier(node) && (node.isTypeOnly || node.parent.parent.isTypeOnly);

/** Lines that only one of two lists has: `-` of the pinned, `+` of the new. */
export function difference(pinned: readonly string[], now: readonly string[]): string[] {
  const [was, is] = [new Set(pinned), new Set(now)];
  return [
    ...pinned.filter(line => !is.has(line)).map(line => `- ${line}`),
    ...now.filter(line => !was.has(line)).map(line => `+ ${line}`),
  ];
}

function readPinned(): Record<string, string[]> {
  const files = existsSync(folder) ? readdirSync(folder).filter(file => file.endsWith(".txt")) : [];
  return Object.fromEntries(
    files.map(file => [
      file.slice(0, -".txt".length),
      readFileSync(join(folder, file), "utf8").split("\n").filter(Boolean),
    ]),
  );
}

function write(lists: Readonly<Record<string, readonly string[]>>): void {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  for (const [name, lines] of Object.entries(lists))
    writeFileSync(join(folder, `${name}.txt`), `${lines.join("\n")}\n`);
}
