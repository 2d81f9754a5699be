/** One cell: the same work at growing sizes, per item, with the exponent that fits. */
export interface Cell {
  readonly size: number;
  /** Microseconds per item, median of the runs; undefined = not run, because it would take longer than the limit. */
  readonly perItem: number | undefined;
  readonly foretold?: number;
}

export interface Contender {
  readonly name: string;
  /** Does the work once at a size; what is not part of the work is done before the returned function is called. */
  prepare(size: number): () => unknown;
}

const cellLimitMs = 20_000;

/** Runs a contender at each size until one run is longer than the limit; what is left is foretold by its exponent. */
export async function measure(contender: Contender, sizes: readonly number[], runs = 5): Promise<Cell[]> {
  const cells: Cell[] = [];
  let stopped = false;
  for (const size of sizes) {
    const foretold = foretell(cells, size);
    if (stopped || (foretold !== undefined && (foretold * size) / 1000 > cellLimitMs)) {
      stopped = true;
      cells.push({ size, perItem: undefined, ...(foretold !== undefined && { foretold }) });
      continue;
    }
    const times: number[] = [];
    let spent = 0;
    for (let run = 0; run < runs + 1 && spent < cellLimitMs; run++) {
      const work = contender.prepare(size);
      globalThis.gc?.();
      const start = performance.now();
      await work();
      const time = performance.now() - start;
      spent += time;
      if (run > 0 || spent > cellLimitMs / 4) times.push(time); // the first run warms up
    }
    cells.push({ size, perItem: (median(times) * 1000) / size });
  }
  return cells;
}

/** How the time per item grows with size: 0 = linear in total, 1 = quadratic in total. Least squares over logarithms. */
export function exponent(cells: readonly Cell[]): number | undefined {
  const points = cells.flatMap(({ size, perItem }) =>
    perItem === undefined ? [] : [[Math.log(size), Math.log(perItem)] as const],
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

const median = (times: readonly number[]): number =>
  [...times].sort((a, b) => a - b)[Math.floor(times.length / 2)] ?? Number.NaN;
