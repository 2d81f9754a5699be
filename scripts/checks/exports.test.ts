import ts from "typescript";
import { expect, test } from "vitest";
import { difference, exportLists } from "./exports.ts";

/** A host that knows only these files. */
function memory(files: Readonly<Record<string, string>>): ts.CompilerHost {
  const host = ts.createCompilerHost({});
  return {
    ...host,
    fileExists: path => path in files,
    readFile: path => files[path],
    getSourceFile: (path, options) => {
      const text = files[path];
      return text === undefined ? undefined : ts.createSourceFile(path, text, options);
    },
  };
}

test("values and types are told apart, through every way of exporting", () => {
  const files = {
    "/a.ts": `export * from "./b.ts"; export type { C } from "./b.ts"; export { D, type E as F } from "./b.ts"; export const own = 1;`,
    "/b.ts": `export interface I { x: 1 } export function f() {} class C {} class D {} class E {} export { C, D, E };`,
  };
  expect(exportLists({ core: "/a.ts" }, memory(files))).toEqual({
    core: ["type C", "type F", "type I", "value D", "value E", "value f", "value own"],
  });
});

test("a list that changed is told by its lines", () => {
  expect(difference(["value a", "value b"], ["type c", "value b"])).toEqual(["- value a", "+ type c"]);
  expect(difference(["value a"], ["value a"])).toEqual([]);
});
