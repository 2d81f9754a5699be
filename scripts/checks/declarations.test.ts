import { expect, test } from "vitest";
import { looseTypes } from "./declarations.ts";

test("a declaration that says any is told, a name that only contains the word is not", () => {
  const text = "export declare const many: string;\nexport declare const current: any;\n";
  expect(looseTypes({ path: "dist/index.d.ts", text })).toEqual(["dist/index.d.ts:2 says any: current: any"]);
});
