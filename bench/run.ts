import { type Cell, exponent, measure } from "./measure.ts";
import { rows } from "./rows.ts";

const show = ({ perItem, foretold }: Cell): string => {
  if (perItem !== undefined) return perItem >= 100 ? perItem.toFixed(0) : perItem.toPrecision(2);
  return foretold === undefined
    ? "> 20 s"
    : `> 20 s (${foretold >= 100 ? foretold.toFixed(0) : foretold.toPrecision(2)})`;
};

for (const row of rows) {
  console.log(`\n${row.name}, ${row.unit}; exp = growth of that with size (0: linear in total, 1: quadratic)`);
  console.log(
    ["", ...row.sizes.map(String), "exp"]
      .map((cell, index) => (index === 0 ? cell.padEnd(36) : cell.padStart(15)))
      .join(""),
  );
  for (const contender of row.contenders) {
    const cells = await measure(contender, row.sizes);
    const slope = exponent(cells.filter(({ size }) => size >= 4000));
    const line = [contender.name, ...cells.map(show), slope === undefined ? "–" : slope.toFixed(2)];
    console.log(line.map((cell, index) => (index === 0 ? cell.padEnd(36) : cell.padStart(15))).join(""));
  }
}
