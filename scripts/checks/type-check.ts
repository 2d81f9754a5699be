import { existsSync } from "node:fs";
import { join } from "node:path";
import { root, runNode, tool } from "../workspace.ts";
import type { Check } from "./check.ts";

/**
 * The whole tree, then the packages that must compile with less: core and the agent without Node's types and without a
 * document, the studio without Node's.
 */
const projects = [".", "packages/core", "packages/agent", "packages/studio"];

export const types: Check = {
  name: "types",
  async run() {
    const problems: string[] = [];
    for (const project of projects) problems.push(...(await typeCheck(project)));
    return { problems };
  },
};

async function typeCheck(project: string): Promise<string[]> {
  if (!existsSync(join(root, project, "tsconfig.json"))) return [`${project} has no tsconfig.json`];
  const info = join(root, "node_modules/.cache/tsc", `${project.replaceAll("/", "-")}.tsbuildinfo`);
  const cached = ["--incremental", "--tsBuildInfoFile", info];
  const { code, output } = await runNode([tool("typescript", "tsc"), "-p", project, "--pretty", "false", ...cached]);
  const lines = output.split("\n").filter(line => line.trim() !== "");
  return code === 0 ? [] : [[`tsc -p ${project}`, ...lines].join("\n")];
}
