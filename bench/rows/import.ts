import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { repeat } from "../inputs.ts";
import { median, type Row } from "../measure.ts";

const dist = new URL("../../packages/core/dist/", import.meta.url);
const bench = fileURLToPath(new URL("..", import.meta.url));

const wall = (code: string): number => {
  const start = performance.now();
  const { status, stderr } = spawnSync(process.execPath, ["--input-type=module", "-e", code], { cwd: bench });
  if (status !== 0) throw new Error(String(stderr));
  return performance.now() - start;
};

/** Empty processes in between, so that a busy moment counts for both. */
function cold(specifier: string, times: number): number {
  const pairs = repeat(times, () => [wall(""), wall(`await import(${JSON.stringify(specifier)})`)] as const);
  return median(pairs.map(([, with_]) => with_)) - median(pairs.map(([empty]) => empty));
}

const modules: readonly (readonly [name: string, specifier: string])[] = [
  ["translogue", new URL("index.js", dist).href],
  ["translogue/convert and two formats", "./two-formats.mjs"],
  ["llm-bridge", "llm-bridge"],
  ["eventsource-parser", "eventsource-parser"],
  ["openai", "openai"],
  ["@anthropic-ai/sdk", "@anthropic-ai/sdk"],
  ["ai", "ai"],
  ["@langchain/core/messages", "@langchain/core/messages"],
  ["@tanstack/ai", "@tanstack/ai"],
  ["pi-ai", "@mariozechner/pi-ai"],
];

export const importRow: Row = {
  id: "import",
  name: "import in a cold process, over an empty one",
  unit: "ms, by runs that the median is of",
  sizes: [9],
  value: true,
  contenders: modules.map(([name, specifier]) => ({ name, prepare: times => () => cold(specifier, times) })),
};
