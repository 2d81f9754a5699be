import ts from "typescript";
import {
  each,
  type Import,
  importsOf,
  isNodeBuiltin,
  isTest,
  lineOf,
  packageOf,
  readSources,
  resolved,
  type Source,
  syntax,
} from "../sources.ts";
import { formatIds, type Package, packages } from "../workspace.ts";
import type { Check } from "./check.ts";

/** What the sources of a package may import of the others; its tests may import more (`mayTest`). */
const mayImport: Readonly<Record<string, readonly string[]>> = {
  core: [],
  agent: ["translogue"],
  server: ["translogue", "@translogue/agent"],
  cli: ["translogue", "@translogue/agent", "@translogue/server"],
  studio: ["translogue", "@translogue/server/contract", "@translogue/server/client"],
  testkit: ["translogue", "@translogue/agent", "@translogue/server"],
};
const publishedNames = ["translogue", "@translogue/agent", "@translogue/server", "@translogue/cli"];
const mayTest: Readonly<Record<string, readonly string[]>> = {
  core: publishedNames.slice(0, 1),
  agent: publishedNames.slice(0, 2),
  server: publishedNames.slice(0, 3),
  cli: publishedNames,
  studio: publishedNames,
  testkit: publishedNames,
};
const testkit = "@translogue/testkit";

/** Node builtins by package; a package that is not here may use all. */
const builtins: Readonly<Record<string, readonly string[]>> = { core: [], studio: [], agent: ["node:async_hooks"] };
/** Modules of the server that run in the browser too. */
const browserEntries = ["packages/server/src/contract.ts", "packages/server/src/client.ts"];

/** The folders of core: each may import itself and those before it. */
const coreOrder = ["model", "stream", "codec", "blocks", "formats", "targets", "history"];
/** The folders of core in which no format may be named. */
const nameless = ["model", "stream", "codec"];

const core = "packages/core/src/";
const formatsFolder = `${core}formats/`;

/** Who may import whom, in the whole tree. */
export const boundaries: Check = {
  name: "boundaries",
  async run() {
    const ids = formatIds();
    return { problems: brokenBoundaries(readSources(), packages(), ids) };
  },
};

/** A sentence for every import that crosses a border, and for every format that shared code names. */
export function brokenBoundaries(
  sources: readonly Source[],
  workspaces: readonly Package[],
  formats: readonly string[],
): string[] {
  const manifests = new Map(workspaces.map(({ folder, manifest }) => [folder, manifest]));
  const problems = sources.flatMap(source => {
    const broken = importsOf(source).flatMap(imported => {
      const sentence = brokenImport(source, imported, manifests);
      return sentence ? [`${source.path}:${imported.line} imports ${shown(source, imported)}: ${sentence}`] : [];
    });
    return [...broken, ...namedFormats(source, formats)];
  });
  return [...problems, ...browserReach(sources)];
}

/** As a reader of the package would name it. */
function shown(source: Source, { specifier }: Import): string {
  const home = `packages/${packageFolder(source)}/src/`;
  const target = resolved(source, specifier) ?? specifier;
  return target.startsWith(home) ? target.slice(home.length) : target;
}

const packageFolder = (source: Source) => /^packages\/([^/]+)\//.exec(source.path)?.[1];

type Manifests = ReadonlyMap<string, Package["manifest"]>;

function brokenImport(source: Source, imported: Import, manifests: Manifests): string | undefined {
  const folder = packageFolder(source);
  const target = resolved(source, imported.specifier);
  if (folder === undefined) return brokenOutside(source, imported.specifier);
  if (target !== undefined) return brokenPath(source, folder, target);
  if (isNodeBuiltin(imported.specifier)) return brokenBuiltin(source, folder, imported.specifier);
  const workspace = [...manifests.values()].some(({ name }) => name === packageOf(imported.specifier));
  return workspace
    ? brokenPackage(source, folder, imported.specifier)
    : undeclared(source, imported.specifier, manifests.get(folder));
}

/** Scripts and bench may import anything; an example shows what a user can write. */
function brokenOutside(source: Source, specifier: string): string | undefined {
  if (!source.path.startsWith("examples/") || isTest(source.path)) return undefined;
  if (packageOf(specifier) === testkit) return "an example imports only what is published";
  return resolved(source, specifier)?.startsWith("packages/") ? "an example imports packages by name" : undefined;
}

const shipped = (path: string) => /^packages\/[^/]+\/src\//.test(path);

function brokenPath(source: Source, folder: string, target: string): string | undefined {
  const other = /^packages\/([^/]+)\//.exec(target)?.[1];
  if (other !== undefined && other !== folder) return "another package is imported by its name";
  if (!shipped(source.path)) return undefined;
  const home = `packages/${folder}/`;
  if (!target.startsWith(`${home}src/`) && target !== `${home}package.json`) return "src holds all that ships";
  return folder === "core" ? brokenCoreOrder(source.path, target) : undefined;
}

function brokenCoreOrder(from: string, to: string): string | undefined {
  const [here, there] = [coreFolder(from), coreFolder(to)];
  if (here === undefined) return undefined;
  const rank = coreOrder.indexOf(here);
  if (rank < 0) return `${here} is no folder of core's order (${coreOrder.join(", ")})`;
  if (there === undefined || coreOrder.indexOf(there) > rank || !coreOrder.includes(there)) {
    return `${here} may import only ${coreOrder.slice(0, rank + 1).join(", ")}`;
  }
  return here === "formats" && there === "formats" ? brokenFormat(from, to) : undefined;
}

/** Undefined for the files at the top, which stand above all folders. */
const coreFolder = (path: string) => /^([^/]+)\//.exec(path.slice(core.length))?.[1];

const formatOf = (path: string) => path.slice(formatsFolder.length).split("/")[0]?.replace(/\.ts$/, "");

function brokenFormat(from: string, to: string): string | undefined {
  const [here, there] = [formatOf(from), formatOf(to)];
  if (here === there || here === "registry") return undefined;
  if (there === "registry") return "the registry imports the formats, not they it";
  return "a format never imports another format; what they share is a module of blocks";
}

function brokenBuiltin(source: Source, folder: string, specifier: string): string | undefined {
  const may = builtins[folder];
  if (!shipped(source.path) || may === undefined || may.includes(specifier)) return undefined;
  return may.length === 0 ? `${folder} may use no Node builtin` : `${folder} may use only ${may.join(", ")}`;
}

const covers = (names: readonly string[], specifier: string) =>
  names.some(name => specifier === name || specifier.startsWith(`${name}/`));

function brokenPackage(source: Source, folder: string, specifier: string): string | undefined {
  const test = isTest(source.path);
  if (covers([testkit], specifier)) {
    return test || folder === "testkit" ? undefined : "testkit is only for tests, conformance, bench and scripts";
  }
  if (!test && !shipped(source.path)) return undefined;
  const may = (test ? mayTest : mayImport)[folder] ?? [];
  return covers(may, specifier) ? undefined : `${folder} may import only ${may.join(", ") || "itself, by path"}`;
}

/** Of other people's packages the sources import only what a user gets with ours. */
function undeclared(source: Source, specifier: string, manifest: Package["manifest"] | undefined): string | undefined {
  if (!shipped(source.path) || manifest?.private) return undefined;
  const name = packageOf(specifier);
  if (name in { ...manifest?.dependencies, ...manifest?.peerDependencies }) return undefined;
  return `${name} is no dependency of ${manifest?.name ?? source.path}`;
}

/** Literals of shared code that are a format's id. */
function namedFormats(source: Source, formats: readonly string[]): string[] {
  if (!source.path.startsWith(core) || !nameless.includes(coreFolder(source.path) ?? "")) return [];
  const tree = syntax(source);
  const problems: string[] = [];
  each(tree, node => {
    if (ts.isStringLiteralLike(node) && formats.includes(node.text)) {
      problems.push(`${source.path}:${lineOf(tree, node.getStart())} names ${node.text}: shared code knows no format`);
    }
  });
  return problems;
}

/** Builtins that the browser's modules reach through other modules of their package. */
function browserReach(sources: readonly Source[]): string[] {
  const byPath = new Map(sources.map(source => [source.path, source]));
  const seen = new Set<string>();
  const reach = (path: string, way: readonly string[]): string[] => {
    const source = byPath.get(path);
    if (!source || seen.has(path)) return [];
    seen.add(path);
    return importsOf(source).flatMap(({ specifier, line, typeOnly }) => {
      if (typeOnly) return [];
      const target = resolved(source, specifier);
      if (target !== undefined) return reach(target, [...way, path]);
      if (!isNodeBuiltin(specifier)) return [];
      const by = way[0] === undefined ? "it runs" : `${way[0]} imports it and runs`;
      return [`${path}:${line} imports ${specifier}: ${by} in the browser too`];
    });
  };
  return browserEntries.flatMap(entry => reach(entry, []));
}
