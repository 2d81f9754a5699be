/** One way to do a row's work: ours, a peer's, or the least that anyone could do (the floor). */
export interface Contender {
  readonly name: string;
  /**
   * Gets ready for one size, outside of the clock, and gives back the work: done once for a time, or what measures itself
   * where the row says `value`.
   */
  prepare(size: number): Work | Promise<Work>;
}

export type Work = () => unknown;

export interface Row {
  readonly id: string;
  readonly name: string;
  readonly unit: string;
  readonly sizes: readonly number[];
  readonly contenders: readonly Contender[];
  /** The work gives the number that is shown. Each size runs in a process of its own. */
  readonly value?: true;
  /** What the microseconds of one run are divided by. Default: the size. */
  readonly divisor?: (size: number) => number;
}

/** One cell: what an item costs at a size. */
export interface Cell {
  readonly size: number;
  /** Undefined = not run, because it would take longer than the limit. */
  readonly perItem: number | undefined;
  readonly foretold?: number;
}

const cellLimitMs = 20_000;
/** Enough for a stable median, where one run is short. */
const enoughMs = 1200;
const [fewest, most] = [3, 200];

/** Runs a contender at each size until one run is longer than the limit; what is left is foretold by its exponent. */
export async function measure(row: Row, contender: Contender, sizes: readonly number[]): Promise<Cell[]> {
  const cells: Cell[] = [];
  let stopped = false;
  for (const size of sizes) {
    const foretold = row.value ? undefined : foretell(cells, size);
    const items = row.divisor?.(size) ?? size;
    if (stopped || (foretold !== undefined && (foretold * items) / 1000 > cellLimitMs)) {
      stopped = true;
      cells.push({ size, perItem: undefined, ...(foretold !== undefined && { foretold }) });
      continue;
    }
    cells.push({ size, perItem: row.value ? await value(contender, size) : (await time(contender, size)) / items });
  }
  return cells;
}

/**
 * Microseconds of one run: the median of the later half, so that what is short is measured as compiled code. Memory is
 * cleared before the first run only: a full collection also throws away the compiled code of all objects whose shapes have
 * died, which no process sees between two calls.
 */
async function time(contender: Contender, size: number): Promise<number> {
  const times: number[] = [];
  let spent = 0;
  globalThis.gc?.();
  for (let run = 0; run < most && spent < (run < fewest ? cellLimitMs / 4 : enoughMs); run++) {
    const work = await contender.prepare(size);
    const start = performance.now();
    await work();
    const took = performance.now() - start;
    spent += took;
    times.push(took);
  }
  return median(times.slice(Math.floor(times.length / 2))) * 1000;
}

async function value(contender: Contender, size: number): Promise<number> {
  const work = await contender.prepare(size);
  globalThis.gc?.();
  const measured = await work();
  if (typeof measured !== "number") throw new TypeError(`\`${contender.name}\` gave no number at ${size}`);
  return measured;
}

/** How the time per item grows with size: 0 = linear in total, 1 = quadratic in total. Least squares over logarithms. */
export function exponent(cells: readonly Cell[]): number | undefined {
  const points = cells.flatMap(({ size, perItem }) =>
    perItem === undefined || perItem <= 0 ? [] : [[Math.log(size), Math.log(perItem)] as const],
  );
  if (points.length < 2) return undefined;
  const mean = (index: 0 | 1): number => points.reduce((sum, point) => sum + point[index], 0) / points.length;
  const [mx, my] = [mean(0), mean(1)];
  const across = points.reduce((sum, [x, y]) => sum + (x - mx) * (y - my), 0);
  return across / points.reduce((sum, [x]) => sum + (x - mx) ** 2, 0);
}

function foretell(cells: readonly Cell[], size: number): number | undefined {
  const known = cells.filter(({ perItem }) => perItem !== undefined);
  const last = known.at(-1);
  if (!last?.perItem) return undefined;
  const slope = exponent(known.slice(-3)) ?? 1;
  return last.perItem * (size / last.size) ** Math.max(0, slope);
}

export const median = (numbers: readonly number[]): number =>
  [...numbers].sort((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? Number.NaN;
