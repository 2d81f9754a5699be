import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { gzipSync } from "node:zlib";
import react from "@vitejs/plugin-react";
import { defaultClientConditions, defineConfig, type Plugin } from "vite";

/** Where `npm start` listens. */
const server = process.env["TRANSLOGUE_SERVER"] ?? "http://127.0.0.1:3000";
const firstLoadBudget = 200_000;

export default defineConfig({
  root: import.meta.dirname,
  plugins: [react(), firstLoad()],
  // Core is bundled from its sources, so that the build needs no other build before it.
  resolve: { conditions: ["translogue-source", ...defaultClientConditions] },
  build: {
    outDir: "dist",
    emptyOutDir: true,
    target: "es2023",
    modulePreload: { polyfill: false },
    // What counts is the first load, below.
    chunkSizeWarningLimit: 1000,
  },
  worker: { format: "es" },
  server: { proxy: { "/api": server, "/v1": server } },
});

/** Prints what a browser loads before anything is clicked. Fails where it is more than the budget. */
function firstLoad(): Plugin {
  let folder = "";
  return {
    name: "first-load",
    apply: "build",
    configResolved: config => {
      folder = resolve(config.root, config.build.outDir);
    },
    closeBundle() {
      const page = readFileSync(join(folder, "index.html"), "utf8");
      const named = [...page.matchAll(/<(?:script|link)\b[^>]*\b(?:src|href)="\/([^"]+\.(?:js|css))"/g)];
      const bytes = ["index.html", ...named.flatMap(([, path]) => path ?? [])].reduce(
        (sum, path) => sum + gzipSync(readFileSync(join(folder, path)), { level: 9 }).length,
        0,
      );
      const size = `${(bytes / 1000).toFixed(1)} kB gzip of ${firstLoadBudget / 1000} kB`;
      if (bytes > firstLoadBudget) this.error(`first load: ${size}`);
      this.info(`first load: ${size}`);
    },
  };
}
