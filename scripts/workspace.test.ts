import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { entries, formatIds, runNode, sourceCondition } from "./workspace.ts";

test("a format is a file, a folder, or both; the registry is none", () => {
  const core = mkdtempSync(join(tmpdir(), "core-"));
  onTestFinished(() => rmSync(core, { recursive: true }));
  for (const path of ["a.ts", "b.ts", "b/decode.ts", "c/index.ts", "registry.ts"]) {
    mkdirSync(dirname(join(core, "formats", path)), { recursive: true });
    writeFileSync(join(core, "formats", path), "");
  }
  expect(formatIds(core)).toEqual(["a", "b", "c"]);
});

test("a manifest's pattern stands for the formats that have no entry of their own", () => {
  const exports = {
    ".": { [sourceCondition]: "./src/index.ts", types: "./dist/index.d.ts", default: "./dist/index.js" },
    "./registry": null,
    "./b": { [sourceCondition]: "./src/formats/b/index.ts", default: "./dist/formats/b.js" },
    "./*": { [sourceCondition]: "./src/formats/*.ts", default: "./dist/formats/*.js" },
    "./package.json": "./package.json",
  };
  expect(entries({ name: "x", exports }, ["a", "b"])).toEqual([
    { subpath: ".", source: "src/index.ts", output: "index" },
    { subpath: "./b", source: "src/formats/b/index.ts", output: "formats/b" },
    { subpath: "./a", source: "src/formats/a.ts", output: "formats/a" },
  ]);
});

test("what a script prints comes back with its exit code, a signal as a failure", async () => {
  const script = `console.log("out"); console.error("err"); process.exitCode = 3`;
  const { code, output } = await runNode(["-e", script]);
  expect({ code, lines: output.trim().split("\n").sort() }).toEqual({ code: 3, lines: ["err", "out"] });
  expect(await runNode(["-e", "process.kill(process.pid, 'SIGKILL')"])).toEqual({ code: 1, output: "" });
});
