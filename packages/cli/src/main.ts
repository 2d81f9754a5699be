#!/usr/bin/env node
import { enableCompileCache } from "node:module";
import { isMainThread } from "node:worker_threads";

// Most of a start is compiling: this halves it from the second start on, for whatever is imported behind it.
enableCompileCache();
if (isMainThread) await (await import("./program.ts")).main(process.argv.slice(2), new URL(import.meta.url));
else (await import("./reading/line-worker.ts")).workOnLines();
