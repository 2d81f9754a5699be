import { describe, expect, test } from "vitest";
import { bareCasts, oversizes } from "./sizes.ts";

const lines = (count: number) => "a();\n".repeat(count);
const found = (text: string, path = "packages/core/src/model/x.ts") => oversizes({ path, text });

describe("files", () => {
  test.each([
    ["packages/core/src/model/x.ts", 400],
    ["packages/core/src/formats/x.ts", 600],
    ["packages/core/src/formats/x/decode.ts", 600],
    ["packages/core/test/x.test.ts", 600],
    ["scripts/x.ts", 400],
  ])("%s may have %i lines", (path, most) => {
    expect(found(lines(most), path)).toEqual([]);
    expect(found(lines(most + 1), path)).toEqual([`${path} has ${most + 1} lines: at most ${most}`]);
  });
  test("a table that says so may be longer", () => {
    expect(found(`// table: prices\n${lines(900)}`)).toEqual([]);
  });
});

describe("functions", () => {
  test("have 60 lines, wherever they stand", () => {
    expect(found(`function f() {\n${lines(58)}}`)).toEqual([]);
    const tooLong = (name: string) => [expect.stringContaining(`:1 ${name} has 61 lines: at most 60`)];
    expect(found(`function f() {\n${lines(59)}}`)).toEqual(tooLong("f"));
    expect(found(`const f = () => {\n${lines(59)}};`)).toEqual(tooLong("f"));
    expect(found(`class A { f() {\n${lines(59)}} }`)).toEqual(tooLong("f"));
    expect(found(`run(() => {\n${lines(59)}});`)).toEqual(tooLong("a function"));
  });
  test("a factory counts without the functions it makes", () => {
    const inner = `const inner = () => {\n${lines(30)}};\n`;
    expect(found(`function make() {\n${inner}${inner}return { push() {\n${lines(30)}} };\n}`)).toEqual([]);
  });
  test("a callback belongs to the code around it, and is told once", () => {
    expect(found(`function f() {\nlist.map(() => {\n${lines(60)}});\n}`)).toHaveLength(1);
  });
  test("a chapter of tests is no function", () => {
    expect(found(`describe("a", () => {\n${lines(80)}});`, "packages/core/test/x.test.ts")).toEqual([]);
    const long = `describe("a", () => {\ntest("b", () => {\n${lines(80)}});\n});`;
    expect(found(long, "packages/core/test/x.test.ts")).toHaveLength(1);
  });
  test("have four positional parameters at most", () => {
    expect(found("const f = (a, b, c, d) => a;")).toEqual([]);
    expect(found("const f = (a, b, c, d, e) => a;")).toEqual([
      "packages/core/src/model/x.ts:1 f has 5 parameters: at most 3",
    ]);
  });
});

describe("nesting", () => {
  const nest = (depth: number) => `function f() {${"if (a) {".repeat(depth)}${"}".repeat(depth)}}`;
  test("goes four deep", () => {
    expect(found(nest(4))).toEqual([]);
    expect(found(nest(5))).toEqual(["packages/core/src/model/x.ts:1 nests 5 deep: at most 4"]);
  });
  test("counts through a callback and starts again in a function", () => {
    expect(found("for (;;) for (;;) for (;;) for (;;) list.map(() => { if (a) b(); });")).toHaveLength(1);
    expect(found("for (;;) for (;;) for (;;) for (;;) { const f = () => { if (a) b(); } }")).toEqual([]);
  });
  test("a chain of else if is one level", () => {
    expect(found(`if (a) {} ${"else if (b) {} ".repeat(9)}`)).toEqual([]);
  });
});

test("a cast without a reason beside it is counted, `as const` is none", () => {
  const casts = (text: string) => bareCasts({ path: "x.ts", text });
  expect(casts("const a = b as C;")).toEqual([1]);
  expect(casts("const a = b as C; // read by d")).toEqual([]);
  expect(casts("// read by d\nconst a = b as C;")).toEqual([]);
  expect(casts("const a = [b] as const;")).toEqual([]);
});
