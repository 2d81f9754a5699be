/** Prints every row: ours, the peers, the floor, side by side. `run.ts [row…]` prints those rows alone. */
import { execFile } from "node:child_process";
import { cpus } from "node:os";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { type Cell, type Contender, exponent, type Row } from "./measure.ts";
import { rows } from "./rows.ts";

const run = promisify(execFile);
const started = performance.now();
const asked = process.argv.slice(2);
const unknown = asked.filter(id => !rows.some(row => row.id === id));
if (unknown.length > 0) {
  throw new Error(`no row ${unknown.join(", ")}; there are ${rows.map(({ id }) => id).join(", ")}`);
}
console.log(`Node ${process.version}, ${cpus().length} × ${cpus()[0]?.model}. Only ratios of one run mean anything.`);

const chosen = rows.filter(({ id }) => asked.length === 0 || asked.includes(id));
/** The whole run ends in this time: a row has its share, and what those before it left; a peer that comes too late is left out. */
const limitMs = Number(process.env["TRANSLOGUE_BENCH_MINUTES"] ?? 28) * 60_000;
const late = "not run: the row's time was over";
const isPeer = ({ name }: Contender): boolean => !/^(?:floor|translogue)/.test(name);

for (const [place, row] of chosen.entries()) {
  const until = started + (limitMs * (place + 1)) / chosen.length;
  console.log(`\n[${row.id}] ${row.name}: ${row.unit}`);
  console.log(line(["", ...row.sizes.map(String), ...(row.value ? [] : ["exp", "× floor"])]));
  let floor: readonly Cell[] | undefined;
  for (const contender of row.contenders) {
    const leftMs = isPeer(contender) ? until - performance.now() : limitMs;
    const cells = leftMs > 0 ? await cellsOf(row, contender, leftMs) : late;
    if (typeof cells === "string") {
      console.log(line([contender.name, cells]));
      continue;
    }
    floor ??= cells;
    const slope = exponent(cells.filter(({ size }) => size >= (row.sizes[1] ?? 0)));
    const growth = row.value ? [] : [slope === undefined ? "–" : slope.toFixed(2), ratio(cells, floor)];
    console.log(line([contender.name, ...cells.map(show), ...growth]));
  }
}
console.log(`\n${Math.round((performance.now() - started) / 1000)} s`);

/** Each in a process of its own, so that no one's garbage and no one's compiled code is another's. */
async function cellsOf(row: Row, contender: Contender, leftMs: number): Promise<readonly Cell[] | string> {
  const batches = row.value ? row.sizes.map(size => [size]) : [row.sizes];
  try {
    const cells: Cell[] = [];
    for (const sizes of batches) {
      const file = fileURLToPath(new URL("cell.ts", import.meta.url));
      const args = ["--expose-gc", "--no-warnings", file, row.id, contender.name, ...sizes.map(String)];
      const { stdout } = await run(process.execPath, args, { maxBuffer: 1 << 24, timeout: Math.ceil(leftMs) });
      cells.push(...(JSON.parse(stdout) as Cell[])); // what cell.ts prints
    }
    return cells;
  } catch (error) {
    if (error instanceof Error && "killed" in error && error.killed === true) return late;
    return `failed: ${error instanceof Error ? error.message.split("\n").find(text => text.includes("Error")) : error}`;
  }
}

/** At the largest size that both reached. */
function ratio(cells: readonly Cell[], floor: readonly Cell[]): string {
  const index = cells.findLastIndex(({ perItem }) => perItem !== undefined);
  const [ours, least] = [cells[index]?.perItem, floor[index]?.perItem];
  return ours === undefined || least === undefined ? "–" : (ours / least).toFixed(1);
}

function show({ perItem, foretold }: Cell): string {
  if (perItem !== undefined) return number(perItem);
  return foretold === undefined ? "> 20 s" : `> 20 s (${number(foretold)})`;
}

function number(value: number): string {
  return Math.abs(value) >= 100 ? value.toFixed(0) : value.toPrecision(2);
}

function line([name = "", ...cells]: readonly string[]): string {
  return name.padEnd(38) + cells.map(cell => cell.padStart(14)).join("");
}
