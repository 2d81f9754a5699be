import { defineConfig } from "tsdown";
import { builderEntries } from "../../scripts/workspace.ts";

export default defineConfig({
  entry: builderEntries(import.meta.dirname),
  platform: "node",
  target: "es2024",
  fixedExtension: false,
  // The workspace's own, for its Node types: what cannot be resolved would be published as `any`.
  tsconfig: "../../tsconfig.json",
  dts: true,
  hash: false,
});
