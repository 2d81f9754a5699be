import { describe, expect, it } from "vitest";
import { withLines } from "./statement-lines.ts";

describe("statements of a minified file", () => {
  it.each([
    [
      "stand on a line each",
      `import{a}from"./a.js";const b=1;function f(){return a;b}export{f};`,
      `import{a}from"./a.js";\nconst b=1;\nfunction f(){return a;b}\nexport{f};`,
    ],
    ["keep line breaks inside of texts", "const a=`x\ny`;const b=2;", "const a=`x\ny`;\nconst b=2;"],
    ["have one break where one was", "const a=1;\nconst b=2;\n", "const a=1;\nconst b=2;\n"],
    ["keep the marks before their calls", "const a=/* @__PURE__ */ f();f();", "const a=/* @__PURE__ */ f();\nf();"],
    ["may be none", "", ""],
  ])("%s", (_, code, expected) => {
    expect(withLines(code)).toBe(expected);
  });

  it("are refused where they are no JavaScript", () => {
    expect(() => withLines("const a=;")).toThrow();
  });
});
