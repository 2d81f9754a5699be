import ts from "typescript";
import { each, isTest, lineOf, readSources, type Source, syntax } from "../sources.ts";
import type { Check } from "./check.ts";

/** Over `wanted` is counted, over `most` is a problem. */
const budgets = {
  lines: { source: 400, format: 600, test: 600 },
  functionLines: 60,
  nesting: { wanted: 3, most: 4 },
  parameters: { wanted: 3, most: 4 },
};

interface Finding {
  readonly line: number;
  readonly message: string;
}

/** Files, functions, nesting and parameters within their budgets; casts without a reason are counted. */
export const sizes: Check = {
  name: "sizes",
  async run() {
    const sources = readSources().filter(({ path }) => !path.endsWith(".d.ts"));
    const casts = sources
      .filter(({ path }) => !isTest(path))
      .reduce((sum, source) => sum + bareCasts(source).length, 0);
    const near = sources.reduce((sum, source) => sum + deep(source, budgets.nesting.wanted).length, 0);
    return {
      problems: sources.flatMap(oversizes),
      notes: [
        `${casts} casts without a reason beside them, ${near} places nested deeper than ${budgets.nesting.wanted}`,
      ],
    };
  },
};

/** A sentence for each budget that a source goes over. */
export function oversizes(source: Source): string[] {
  const lines = source.text.replace(/\n$/, "").split("\n").length;
  const most = lineBudget(source);
  const file = lines > most ? [`${source.path} has ${lines} lines: at most ${most}`] : [];
  const inside = [...longFunctions(source), ...deep(source, budgets.nesting.most), ...wideFunctions(source)];
  return [...file, ...inside.map(({ line, message }) => `${source.path}:${line} ${message}`)];
}

/** A table of data, which says so in its first line, may be as long as its data. */
function lineBudget({ path, text }: Source): number {
  if (/^\/\/ table\b/.test(text)) return Number.POSITIVE_INFINITY;
  if (isTest(path)) return budgets.lines.test;
  return path.includes("/src/formats/") ? budgets.lines.format : budgets.lines.source;
}

type FunctionNode = ts.SignatureDeclaration & { readonly body: ts.Node };

const isFunction = (node: ts.Node): node is FunctionNode =>
  ts.isFunctionLike(node) && "body" in node && node.body !== undefined;

/** Declarations, methods, and functions that are given to a name; not callbacks, which belong to the code around them. */
function isNamed(node: FunctionNode): boolean {
  if (!ts.isArrowFunction(node) && !ts.isFunctionExpression(node)) return true;
  return (
    ts.isVariableDeclaration(node.parent) ||
    ts.isPropertyAssignment(node.parent) ||
    ts.isPropertyDeclaration(node.parent)
  );
}

function longFunctions(source: Source): Finding[] {
  const tree = syntax(source);
  const found: Finding[] = [];
  each(tree, node => {
    if (!isFunction(node) || (!isNamed(node) && (isInsideFunction(node) || isSuite(node)))) return;
    const lines = ownLines(tree, node);
    if (lines <= budgets.functionLines) return;
    const line = lineOf(tree, node.getStart());
    found.push({ line, message: `${nameOf(node)} has ${lines} lines: at most ${budgets.functionLines}` });
  });
  return found;
}

/** The lines of a function without those of the named functions inside it: a factory counts by what it does itself. */
function ownLines(tree: ts.SourceFile, node: FunctionNode): number {
  let inner = 0;
  const subtract = (child: ts.Node): void => {
    if (isFunction(child) && isNamed(child)) inner += span(tree, child);
    else ts.forEachChild(child, subtract);
  };
  ts.forEachChild(node, subtract);
  return span(tree, node) - inner;
}

const span = (tree: ts.SourceFile, node: ts.Node) => lineOf(tree, node.end) - lineOf(tree, node.getStart()) + 1;

function isInsideFunction(node: ts.Node): boolean {
  for (let at = node.parent; at && !ts.isSourceFile(at); at = at.parent) {
    if (isFunction(at) && !isSuite(at)) return true;
  }
  return false;
}

/** `describe("…", () => { … })` is a chapter, not a function. */
function isSuite(node: ts.Node): boolean {
  return ts.isCallExpression(node.parent) && /^describe\b/.test(node.parent.expression.getText());
}

function nameOf(node: FunctionNode): string {
  const named = node.name ?? ("name" in node.parent ? (node.parent.name as ts.Node | undefined) : undefined); // a declaration's own name
  return named ? named.getText() : "a function";
}

/** Places where more than `most` control structures stand inside each other, the outermost of each. */
function deep(source: Source, most: number): Finding[] {
  const tree = syntax(source);
  const found: Finding[] = [];
  const visit = (node: ts.Node, depth: number): void => {
    const inside = isFunction(node) && isNamed(node) ? 0 : depth + (isControl(node) ? 1 : 0);
    if (inside > most) {
      found.push({ line: lineOf(tree, node.getStart()), message: `nests ${inside} deep: at most ${most}` });
      return;
    }
    ts.forEachChild(node, child => visit(child, inside));
  };
  visit(tree, 0);
  return found;
}

/** `else if` stays on the level of its `if`. */
function isControl(node: ts.Node): boolean {
  if (ts.isIfStatement(node)) return !(ts.isIfStatement(node.parent) && node.parent.elseStatement === node);
  return ts.isIterationStatement(node, false) || ts.isSwitchStatement(node) || ts.isTryStatement(node);
}

function wideFunctions(source: Source): Finding[] {
  const tree = syntax(source);
  const found: Finding[] = [];
  each(tree, node => {
    if (!isFunction(node) || node.parameters.length <= budgets.parameters.most) return;
    const line = lineOf(tree, node.getStart());
    found.push({
      line,
      message: `${nameOf(node)} has ${node.parameters.length} parameters: at most ${budgets.parameters.wanted}`,
    });
  });
  return found;
}

/** Casts (`as const` aside) with no comment on their line or the one before. */
export function bareCasts(source: Source): number[] {
  const tree = syntax(source);
  const lines = source.text.split("\n");
  const found = new Set<number>();
  each(tree, node => {
    if (!isCast(node)) return;
    const line = lineOf(tree, node.type.getStart());
    const reason = /\/[/*]/.test(lines[line - 1] ?? "") || /^\s*(\/[/*]|\*)/.test(lines[line - 2] ?? "");
    if (!reason) found.add(line);
  });
  return [...found];
}

function isCast(node: ts.Node): node is ts.AsExpression | ts.TypeAssertion {
  return (ts.isAsExpression(node) || ts.isTypeAssertionExpression(node)) && !ts.isConstTypeReference(node.type);
}
