import { defineConfig } from "tsdown";
import { statementLines } from "../../scripts/statement-lines.ts";
import { builderEntries } from "../../scripts/workspace.ts";

/**
 * One entry for each subpath, so one a format. The bundler cuts its chunks by who needs them, so a format brings no code
 * that it does not need: not to a browser and not to a cold start. What many formats need is one chunk, for each file costs
 * a start a third of a millisecond (measured: a format is 6 files, 10 where 13 had to need it; a browser gets no byte more).
 * Comments and blanks stay in the sources; names are as they were written (docs/decisions/027).
 */
export default defineConfig({
  entry: builderEntries(import.meta.dirname),
  platform: "neutral",
  target: "es2024",
  dts: true,
  hash: false,
  minify: { compress: false, mangle: false, codegen: { removeWhitespace: true } },
  plugins: [statementLines],
  outputOptions: {
    codeSplitting: {
      // Declarations have chunks of their own.
      groups: [{ name: "base", minShareCount: 7, test: /(?<!\.d)\.ts$/ }],
    },
  },
});
