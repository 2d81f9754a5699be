import { readdirSync, readFileSync, statSync } from "node:fs";
import { join, relative, sep } from "node:path";
import type { FixtureFile } from "./case.ts";

/** Every file below a folder of fixtures but its documents, in the order of their paths. */
export function fixtureFiles(root: string): FixtureFile[] {
  const paths = statSync(root).isDirectory() ? below(root) : [];
  return paths.sort().map(path => fixtureFile(root, path));
}

function below(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap(entry => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return below(path);
    return entry.name.endsWith(".md") ? [] : [path];
  });
}

function fixtureFile(root: string, path: string): FixtureFile {
  const name = relative(root, path).split(sep).join("/");
  let text: string | undefined;
  const read = (): string => {
    text ??= readFileSync(path, "utf8");
    return text;
  };
  return { root, path: name, folder: name.split("/")[0] ?? "", kind: kindOf(name, read), read };
}

/** A file's own word for its kind. Streams and lists of lines have none. */
function kindOf(name: string, read: () => string): string | undefined {
  if (!name.endsWith(".json") || /^(recordings|exchanges|traces|samples)\//.test(name)) return undefined;
  try {
    const value: unknown = JSON.parse(read());
    const kind = typeof value === "object" && value !== null && "kind" in value ? value.kind : undefined;
    return typeof kind === "string" ? kind : undefined;
  } catch {
    return undefined; // a runner that reads it will say what is wrong; else no rule names it, and it fails as unread
  }
}
