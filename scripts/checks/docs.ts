import { runNode, sourceCondition } from "../workspace.ts";
import type { Check } from "./check.ts";

/** Tables and snippets in the documents are those of the sources. */
export const docs: Check = {
  name: "docs",
  async run() {
    const { code, output } = await runNode([`--conditions=${sourceCondition}`, "scripts/docs.ts", "--check"]);
    return { problems: code === 0 ? [] : [output.trim()] };
  },
};
