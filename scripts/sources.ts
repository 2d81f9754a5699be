import { readdirSync, readFileSync } from "node:fs";
import { isBuiltin } from "node:module";
import { join, posix } from "node:path";
import ts from "typescript";
import { root } from "./workspace.ts";

/** A TypeScript file: its path from the root, with `/`, and its text. */
export interface Source {
  readonly path: string;
  readonly text: string;
}

export interface Import {
  readonly specifier: string;
  readonly line: number;
  /** Gone at run time. */
  readonly typeOnly: boolean;
}

const roots = ["packages", "scripts", "examples", "bench"];
const skipped = /^(node_modules|dist|coverage|\..*)$/;

/** All TypeScript files of the project, in the order of their paths. */
export function readSources(base = root): Source[] {
  const paths = roots.flatMap(folder => filesBelow(base, folder)).filter(path => /\.tsx?$/.test(path));
  return paths.sort().map(path => ({ path, text: readFileSync(join(base, path), "utf8") }));
}

/** Paths below a folder, from `base`; nothing where the folder is not there. */
export function filesBelow(base: string, folder: string): string[] {
  let entries: ReturnType<typeof list>;
  try {
    entries = list(join(base, folder));
  } catch {
    return [];
  }
  return entries
    .filter(entry => !skipped.test(entry.name))
    .flatMap(entry => {
      const path = posix.join(folder, entry.name);
      return entry.isDirectory() ? filesBelow(base, path) : [path];
    });
}

const list = (folder: string) => readdirSync(folder, { withFileTypes: true });

const parsed = new WeakMap<Source, ts.SourceFile>();

/** The syntax tree of a source, parsed once. */
export function syntax(source: Source): ts.SourceFile {
  const known = parsed.get(source);
  if (known) return known;
  const tree = ts.createSourceFile(source.path, source.text, ts.ScriptTarget.Latest, true);
  parsed.set(source, tree);
  return tree;
}

export const lineOf = (tree: ts.SourceFile, position: number) => tree.getLineAndCharacterOfPosition(position).line + 1;

/** Calls `visit` for every node below and including `node`. */
export function each(node: ts.Node, visit: (node: ts.Node) => void): void {
  visit(node);
  ts.forEachChild(node, child => each(child, visit));
}

/** Everything a source imports or exports from: statically, by `import()`, or inside a type. */
export function importsOf(source: Source): Import[] {
  const tree = syntax(source);
  const found: Import[] = [];
  each(tree, node => {
    const place = importedPlace(node);
    if (!place || !ts.isStringLiteralLike(place)) return;
    found.push({ specifier: place.text, line: lineOf(tree, place.getStart()), typeOnly: isTypeOnly(node) });
  });
  return found;
}

function importedPlace(node: ts.Node): ts.Node | undefined {
  if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) return node.moduleSpecifier;
  if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument)) return node.argument.literal;
  if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword) return node.arguments[0];
  return undefined;
}

function isTypeOnly(node: ts.Node): boolean {
  if (ts.isImportDeclaration(node)) return node.importClause?.phaseModifier === ts.SyntaxKind.TypeKeyword;
  if (ts.isExportDeclaration(node)) return node.isTypeOnly;
  return ts.isImportTypeNode(node);
}

/** The path of a relative import from the root; undefined for a package or a builtin. */
export function resolved(from: Source, specifier: string): string | undefined {
  return specifier.startsWith(".") ? posix.join(posix.dirname(from.path), specifier) : undefined;
}

export const isNodeBuiltin = (specifier: string) => specifier.startsWith("node:") || isBuiltin(specifier);

/** The package of a bare specifier: `@a/b` of `@a/b/c`, `x` of `x/y`. */
export function packageOf(specifier: string): string {
  return specifier.split("/", specifier.startsWith("@") ? 2 : 1).join("/");
}

/** Tests and what only they use; the rest of a package's `src` ships. */
export const isTest = (path: string) => /(^|\/)test\/|\.test\.tsx?$/.test(path);
