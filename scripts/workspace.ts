import { spawn } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { stripVTControlCharacters } from "node:util";

export const root = dirname(import.meta.dirname);

/** The packages that are published, in the order in which they are built: each may import those before it. */
export const published = ["core", "agent", "server", "cli"] as const;

/** Under this condition packages resolve to their sources (docs/decisions/003-source-condition.md). */
export const sourceCondition = "translogue-source";

export interface Manifest {
  readonly name: string;
  readonly private?: boolean;
  readonly bin?: Readonly<Record<string, string>>;
  readonly exports?: Readonly<Record<string, string | null | Readonly<Record<string, string>>>>;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
}

export interface Package {
  /** Its folder's name below packages/. */
  readonly folder: string;
  readonly manifest: Manifest;
}

export const readManifest = (file: string): Manifest => JSON.parse(readFileSync(file, "utf8"));

/** Every folder of packages/ that has a manifest. */
export function packages(): Package[] {
  return readdirSync(join(root, "packages"))
    .filter(folder => existsSync(join(root, "packages", folder, "package.json")))
    .map(folder => ({ folder, manifest: readManifest(join(root, "packages", folder, "package.json")) }));
}

/** The formats: `formats/<id>.ts` of core, or a folder `formats/<id>`, or both. */
export function formatIds(core = join(root, "packages/core/src")): string[] {
  const folder = join(core, "formats");
  const found = existsSync(folder) ? readdirSync(folder, { withFileTypes: true }) : [];
  const ids = found.map(entry => (entry.isDirectory() ? entry.name : entry.name.replace(/\.ts$/, "")));
  return [...new Set(ids)].filter(id => id !== "registry").sort();
}

/** The script behind a command of an installed package, to be run by this same Node whatever the PATH says. */
export function tool(dependency: string, command = dependency): string {
  const folder = join(root, "node_modules", dependency);
  const { bin } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  const file = typeof bin === "string" ? bin : bin?.[command];
  if (typeof file !== "string") throw new Error(`\`${dependency}\` has no command \`${command}\``);
  return join(folder, file);
}

export interface Entry {
  /** As it is imported: `.`, `./convert`. */
  readonly subpath: string;
  /** From the package's folder: `src/convert.ts`. */
  readonly source: string;
  /** From dist, without the extension: `convert`. */
  readonly output: string;
}

/** What a package exports from its sources; the pattern `./*` as one entry for each format that has none of its own. */
export function entries(manifest: Manifest, formats: readonly string[]): Entry[] {
  const all = Object.entries(manifest.exports ?? {}).flatMap(([subpath, target]): Entry[] => {
    const source = typeof target === "object" ? target?.[sourceCondition] : undefined;
    const built = typeof target === "object" ? target?.["default"] : undefined;
    if (source === undefined || built === undefined) return [];
    return [{ subpath, source: source.replace("./", ""), output: built.replace("./dist/", "").replace(/\.js$/, "") }];
  });
  const own = new Set(all.map(({ subpath }) => subpath));
  return all.flatMap(entry => {
    if (!entry.subpath.includes("*")) return [entry];
    const ids = formats.filter(id => !own.has(entry.subpath.replace("*", id)));
    return ids.map(id => mapEntry(entry, text => text.replace("*", id)));
  });
}

const mapEntry = ({ subpath, source, output }: Entry, map: (text: string) => string): Entry => ({
  subpath: map(subpath),
  source: map(source),
  output: map(output),
});

/** The entries of a package by output, as a builder takes them. */
export function builderEntries(folder: string): Record<string, string> {
  const manifest = readManifest(join(folder, "package.json"));
  return Object.fromEntries(entries(manifest, formatIds()).map(({ output, source }) => [output, source]));
}

export interface Ran {
  readonly code: number;
  /** What it wrote to stdout and stderr, as it came. */
  readonly output: string;
}

/** Runs a script with this Node and collects what it prints. */
export function runNode(args: readonly string[], cwd = root): Promise<Ran> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, args, { cwd, stdio: ["ignore", "pipe", "pipe"], env: plainEnv() });
    let output = "";
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding("utf8").on("data", text => {
        output += text;
      });
    }
    child.on("error", reject);
    child.on("close", code => resolve({ code: code ?? 1, output: stripVTControlCharacters(output) }));
  });
}

/** Without colours, and with the pinned Node first for what the tools start in turn. */
function plainEnv(): NodeJS.ProcessEnv {
  const { FORCE_COLOR: _, ...env } = process.env;
  const separator = process.platform === "win32" ? ";" : ":";
  return { ...env, NO_COLOR: "1", PATH: `${join(root, "node_modules/.bin")}${separator}${env["PATH"] ?? ""}` };
}
