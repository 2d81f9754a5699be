import { join } from "node:path";
import ts from "typescript";
import { expect, test } from "vitest";
import { root } from "../workspace.ts";

/** What the compiler says of one module with the settings of a package. */
function errors(project: string, text: string): string[] {
  const folder = join(root, project);
  const { config } = ts.readConfigFile(join(folder, "tsconfig.json"), ts.sys.readFile);
  const { options, fileNames } = ts.parseJsonConfigFileContent(config, ts.sys, folder);
  const file = join(folder, "src/virtual.ts");
  const host = ts.createCompilerHost(options);
  const { fileExists, getSourceFile } = host;
  host.fileExists = path => path === file || fileExists(path);
  host.getSourceFile = (path, version) =>
    path === file ? ts.createSourceFile(path, text, version) : getSourceFile(path, version);
  const declarations = fileNames.filter(path => path.endsWith(".d.ts"));
  const program = ts.createProgram([file, ...declarations], options, host);
  const found = program.getSemanticDiagnostics(program.getSourceFile(file));
  return found.map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, "\n"));
}

const workers = `export const used = [new TextDecoder(), new TransformStream(), new URL("a:b"), AbortSignal.timeout(1), structuredClone(1)];`;
const storage = `import { AsyncLocalStorage } from "node:async_hooks"; export const s = new AsyncLocalStorage<string>();`;

test.each([
  ["packages/core", "what every runtime has", workers, undefined],
  ["packages/core", "a Node builtin", `export { readFileSync } from "node:fs";`, "Cannot find"],
  ["packages/core", "a global of Node", "export const b = Buffer.from([]);", "Cannot find name 'Buffer'"],
  ["packages/core", "the page", "export const d = document.title;", "Cannot find name 'document'"],
  ["packages/core", "AsyncLocalStorage", storage, "Cannot find"],
  ["packages/agent", "what every runtime has", workers, undefined],
  ["packages/agent", "AsyncLocalStorage", storage, undefined],
  ["packages/agent", "another builtin", `export { readFileSync } from "node:fs";`, "Cannot find"],
  ["packages/agent", "a global of Node", "export const e = process.env;", "Cannot find name 'process'"],
  ["packages/studio", "the page", "export const d = document.title;", undefined],
  ["packages/studio", "a global of Node", "export const b = Buffer.from([]);", "Cannot find name 'Buffer'"],
])("%s with %s", (project, _, text, error) => {
  const found = errors(project, text);
  if (error === undefined) expect(found).toEqual([]);
  else expect(found).toEqual([expect.stringContaining(error)]);
});
