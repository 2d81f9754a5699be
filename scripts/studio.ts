import { createHash } from "node:crypto";
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { filesBelow } from "./sources.ts";
import { root, runNode, tool } from "./workspace.ts";

export const studioDist = join(root, "packages/studio/dist");
const stamp = join(root, "node_modules/.cache/translogue/studio");

/** What the browser's files are made of. */
const inputs = ["packages/studio", "packages/core/src", "packages/server/src", "package-lock.json"];

export const hasStudio = () => existsSync(join(root, "packages/studio/index.html"));

/** Whether the built files are those of the present sources. */
export const studioIsFresh = () =>
  existsSync(join(studioDist, "index.html")) && existsSync(stamp) && readFileSync(stamp, "utf8") === inputHash();

/** Builds the studio into its dist; throws with Vite's own words. */
export async function buildStudio(): Promise<void> {
  const hash = inputHash();
  rmSync(stamp, { force: true });
  const { code, output } = await runNode([tool("vite"), "build"], join(root, "packages/studio"));
  if (code !== 0) throw new Error(`The studio does not build:\n${output}`);
  mkdirSync(dirname(stamp), { recursive: true });
  writeFileSync(stamp, hash);
}

/** Puts the built files where the command finds them. */
export function copyStudio(): void {
  const target = join(root, "packages/cli/dist/studio");
  rmSync(target, { recursive: true, force: true });
  cpSync(studioDist, target, { recursive: true });
}

function inputHash(): string {
  const hash = createHash("sha256");
  for (const input of inputs) {
    const files = filesBelow(root, input);
    for (const path of files.length > 0 ? files.sort() : [input]) {
      if (!existsSync(join(root, path))) continue;
      hash
        .update(`${path}\0`)
        .update(readFileSync(join(root, path)))
        .update("\0");
    }
  }
  return hash.digest("hex");
}
