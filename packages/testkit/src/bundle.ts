import { build } from "vite";

/** A module and all that it imports as one script for a browser, its exports under a global name. A Node builtin anywhere in it is an error. */
export async function bundle(entry: string, name: string): Promise<string> {
  const result = await build({
    configFile: false,
    logLevel: "error",
    resolve: { conditions: ["translogue-source", "browser", "import", "default"] },
    build: {
      write: false,
      minify: true,
      lib: { entry, name, formats: ["iife"], fileName: "bundle" },
    },
    plugins: [
      {
        name: "no-node-builtins",
        enforce: "pre",
        resolveId(source) {
          if (source.startsWith("node:")) throw new Error(`${source} is imported by what a browser must run`);
          return null;
        },
      },
    ],
  });
  const [output] = Array.isArray(result) ? result : [result];
  const chunk = output && "output" in output ? output.output[0] : undefined;
  if (chunk?.type !== "chunk") throw new Error(`bundling ${entry} gave no script`);
  return chunk.code;
}
