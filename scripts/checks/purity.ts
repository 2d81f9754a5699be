import ts from "typescript";
import { each, lineOf, readSources, type Source, syntax } from "../sources.ts";
import type { Check } from "./check.ts";

/** Calls that make the same input give another output, or reach outside. Ids and clocks are passed in (model.md, property 6). */
const impure: Readonly<Record<string, string>> = {
  "Date.now": "a clock",
  "performance.now": "a clock",
  "Math.random": "chance",
  "crypto.randomUUID": "chance",
  "crypto.getRandomValues": "chance",
  fetch: "the network",
  setTimeout: "a timer",
  setInterval: "a timer",
};

/** Core converts: no clock, no chance, no network. (The console is Biome's to find.) */
export const purity: Check = {
  name: "purity",
  async run() {
    const sources = readSources().filter(({ path }) => path.startsWith("packages/core/src/"));
    return { problems: sources.flatMap(impurities) };
  },
};

/** A sentence for every call of a clock, of chance or of the network. */
export function impurities(source: Source): string[] {
  const tree = syntax(source);
  const problems: string[] = [];
  each(tree, node => {
    const reach = impureReach(node);
    if (!reach) return;
    const { name, what } = reach;
    problems.push(
      `${source.path}:${lineOf(tree, node.getStart())} uses ${name}, ${what}: core gets it from its caller`,
    );
  });
  return problems;
}

function impureReach(node: ts.Node): { name: string; what: string } | undefined {
  if (ts.isNewExpression(node) && node.expression.getText() === "Date" && !node.arguments?.length) {
    return { name: "new Date()", what: "a clock" };
  }
  const named = ts.isCallExpression(node) ? node.expression.getText().replace(/^globalThis\./, "") : "";
  const what = Object.hasOwn(impure, named) ? impure[named] : undefined;
  return what === undefined ? undefined : { name: named, what };
}
