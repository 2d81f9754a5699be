import type { Plugin } from "rolldown";
import { parseSync } from "rolldown/utils";

/**
 * Every statement at the top of a minified file on a line of its own: a stack trace then tells the place within one function,
 * and Node prints that function, not the whole file, above an error that nobody caught. Costs a byte a statement.
 */
export const statementLines: Plugin = {
  name: "statement-lines",
  generateBundle(_, bundle) {
    for (const file of Object.values(bundle)) {
      if (file.type === "chunk" && file.fileName.endsWith(".js")) file.code = withLines(file.code);
    }
  },
};

/** The code of a module with a line break before each of its statements. */
export function withLines(code: string): string {
  const { program, errors } = parseSync("chunk.js", code, { sourceType: "module" });
  if (errors[0]) throw new Error(errors[0].message);
  const starts = program.body.map(({ start }) => start).filter(start => start > 0 && code[start - 1] !== "\n");
  return [0, ...starts].map((start, index) => code.slice(start, starts[index])).join("\n");
}
