import { join } from "node:path";
import { publint } from "publint";
import { formatMessage } from "publint/utils";
import { packages, published, readManifest, root, runNode, sourceCondition, tool } from "../workspace.ts";
import { built } from "./built.ts";
import type { Check } from "./check.ts";

/** What is published, built and seen as an installer and as TypeScript of a user see it. */
export const packed: Check = {
  name: "packages",
  async run() {
    const problems: string[] = [];
    for (const name of published) problems.push(...(await brokenPackage(name)));
    return { problems };
  },
};

async function brokenPackage(name: string): Promise<string[]> {
  const folder = join(root, "packages", name);
  if (!packages().some(known => known.folder === name)) return [`packages/${name} is not there`];
  const unbuilt = await built(name);
  if (unbuilt) return [unbuilt];
  return [...(await lint(folder)), ...(await wrongTypes(name, folder))];
}

async function lint(folder: string): Promise<string[]> {
  const manifest = readManifest(join(folder, "package.json"));
  const { messages } = await publint({ pkgDir: folder, level: "warning", strict: true, pack: "npm" });
  // The sources are the workspace's own and are not shipped (docs/decisions/027).
  const shipped = messages.filter(({ path }) => !path.includes(sourceCondition));
  return shipped.map(
    message => `publint, ${manifest.name}: ${formatMessage(message, { ...manifest }, { color: false })}`,
  );
}

/** A package that only brings a command has no types to be wrong. */
async function wrongTypes(name: string, folder: string): Promise<string[]> {
  const { exports = {} } = readManifest(join(folder, "package.json"));
  if (Object.keys(exports).every(subpath => subpath === "./package.json")) return [];
  const options = ["--profile", "esm-only", "--format", "ascii", "--no-definitely-typed", "--no-emoji", "--no-color"];
  const { code, output } = await runNode([tool("@arethetypeswrong/cli", "attw"), "--pack", ".", ...options], folder);
  return code === 0 ? [] : [`attw, ${name}:\n${output.trim()}`];
}
