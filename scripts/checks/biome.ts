import { runNode, tool } from "../workspace.ts";
import type { Check } from "./check.ts";

/** Format and lint, nothing written. */
export const biome: Check = {
  name: "biome",
  async run() {
    const options = ["--reporter=concise", "--error-on-warnings", "--max-diagnostics=none"];
    const { code, output } = await runNode([tool("@biomejs/biome", "biome"), "check", ...options, "."]);
    return { problems: code === 0 ? [] : [output.trim()] };
  },
};
