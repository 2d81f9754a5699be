import { readFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";
import { each, filesBelow, lineOf, type Source, syntax } from "../sources.ts";
import { published, root } from "../workspace.ts";
import { unbuilt } from "./built.ts";
import type { Check } from "./check.ts";

/** The published declarations, compiled as a user's compiler sees them: built files only, nothing skipped. */
export const declarations: Check = {
  name: "declarations",
  async run() {
    const unknown = await unbuilt(published);
    if (unknown.length > 0) return { problems: unknown };
    const paths = published
      .flatMap(name => filesBelow(root, `packages/${name}/dist`))
      .filter(path => path.endsWith(".d.ts"));
    const sources = paths.map(path => ({ path, text: readFileSync(join(root, path), "utf8") }));
    const none = paths.length === 0 ? ["no package has declarations"] : [];
    return { problems: [...none, ...sources.flatMap(looseTypes), ...compiled(paths)] };
  },
};

/** Every `any`: mostly a type that the builder could not find. */
export function looseTypes(source: Source): string[] {
  const tree = syntax(source);
  const problems: string[] = [];
  each(tree, node => {
    if (node.kind !== ts.SyntaxKind.AnyKeyword) return;
    problems.push(`${source.path}:${lineOf(tree, node.getStart())} says any: ${node.parent.getText().split("\n")[0]}`);
  });
  return problems;
}

function compiled(paths: readonly string[]): string[] {
  const program = ts.createProgram(
    paths.map(path => join(root, path)),
    {
      strict: true,
      module: ts.ModuleKind.NodeNext,
      target: ts.ScriptTarget.ES2024,
      lib: ["lib.es2024.d.ts", "lib.dom.d.ts", "lib.dom.iterable.d.ts", "lib.dom.asynciterable.d.ts"],
      types: ["node"],
      noEmit: true,
    },
  );
  return paths.flatMap(path => {
    const file = program.getSourceFile(join(root, path));
    const found = [...program.getSyntacticDiagnostics(file), ...program.getSemanticDiagnostics(file)];
    return found.map(({ messageText, start = 0 }) => {
      const line = file ? lineOf(file, start) : 0;
      return `${path}:${line} ${ts.flattenDiagnosticMessageText(messageText, "\n")}`;
    });
  });
}
