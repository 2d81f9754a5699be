import { spawn } from "node:child_process";
import { once } from "node:events";
import { createWriteStream, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { pipeline } from "node:stream/promises";
import { fileURLToPath } from "node:url";
import { chatHistory, repeat, uiHistory } from "../inputs.ts";
import type { Contender, Row } from "../measure.ts";

const megabyte = 1024 * 1024;

/** Of two formats and of many sizes, as exports are: 2, 8, 40 and 200 messages. */
const mixed: readonly Buffer[] = [2, 8, 40, 200].flatMap(count => [
  Buffer.from(`${JSON.stringify({ model: "gpt-5.2", messages: chatHistory(count) })}\n`),
  Buffer.from(`${JSON.stringify(uiHistory(count))}\n`),
]);

/** Whole lines of so many megabytes. */
function* linesOf(megabytes: number): Generator<Buffer> {
  const all = Buffer.concat(mixed);
  for (let size = 0; size < megabytes * megabyte; size += all.length) yield all;
}

/** Tells on a channel of its own, at its end, the most memory that the process has had, in kilobytes. */
const tellsMost = `data:text/javascript,${encodeURIComponent(
  'import { writeSync } from "node:fs"; import { isMainThread } from "node:worker_threads";' +
    'if (isMainThread) process.on("exit", () => writeSync(3, String(process.resourceUsage().maxRSS)));',
)}`;

const cli = fileURLToPath(new URL("../../packages/cli/dist/main.js", import.meta.url));
const asked = [cli, "convert", "--to", "anthropic-messages", "--quiet"];
const byHand = fileURLToPath(new URL("../peers/parse-lines.mjs", import.meta.url));

interface Told {
  readonly seconds: number;
  readonly megabytes: number;
}

async function over(file: string, args: readonly string[]): Promise<Told> {
  const start = performance.now();
  const child = spawn(process.execPath, ["--import", tellsMost, ...args, file], {
    stdio: ["ignore", "ignore", "ignore", "pipe"],
  });
  const told = child.stdio[3];
  if (!(told instanceof Readable)) throw new Error("the child has no channel");
  const [most, [code]] = await Promise.all([text(told), once(child, "exit")]);
  if (code !== 0) throw new Error(`${args.join(" ")} ended with ${code}`);
  return { seconds: (performance.now() - start) / 1000, megabytes: Number(most) / 1024 };
}

const contenders = (value: (told: Told, megabytes: number) => number): Contender[] =>
  (
    [
      ["floor: JSON.parse and stringify", [byHand]],
      ["translogue convert", asked],
      ["translogue convert --jobs 2", [...asked, "--jobs", "2"]],
    ] as const
  ).map(([name, args]) => ({
    name,
    prepare: megabytes => async () => {
      const folder = mkdtempSync(join(tmpdir(), "translogue-bench-"));
      try {
        const file = join(folder, "lines.jsonl");
        await pipeline(Readable.from(linesOf(megabytes)), createWriteStream(file));
        return value(await over(file, args), megabytes);
      } finally {
        rmSync(folder, { recursive: true });
      }
    },
  }));

/** `TRANSLOGUE_BENCH_MEGABYTES=1024` shows one larger size: more than the limit of the whole run allows. */
const larger = process.env["TRANSLOGUE_BENCH_MEGABYTES"];
const sizes = [1, 10, 100, ...repeat(larger ? 1 : 0, () => Number(larger))];

export const linesRow: Row = {
  id: "lines",
  name: "JSON lines of mixed conversations through the command",
  unit: "MB/s, by MB",
  sizes,
  value: true,
  contenders: contenders(({ seconds }, megabytes) => megabytes / seconds),
};

export const linesMemoryRow: Row = {
  id: "lines-memory",
  name: "the same: the most memory that the process had",
  unit: "MB, by MB",
  sizes,
  value: true,
  contenders: contenders(told => told.megabytes),
};
