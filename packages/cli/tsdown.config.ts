import { defineConfig } from "tsdown";

/** One program; its commands are chunks that load when they are called. The studio's files, copied in later, stay. */
export default defineConfig({
  entry: ["src/main.ts"],
  platform: "node",
  target: "es2024",
  fixedExtension: false,
  dts: false,
  hash: false,
  clean: ["dist/*", "!dist/studio"],
});
