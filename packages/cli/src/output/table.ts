import { paint } from "../io.ts";

/** Columns under their heads, as wide as their widest cell; the last one is not padded. */
export function table(heads: readonly string[], rows: readonly (readonly string[])[], color: boolean): string {
  const widths = heads.map((head, column) => Math.max(head.length, ...rows.map(row => row[column]?.length ?? 0)));
  const line = (cells: readonly string[]): string =>
    cells
      .map((cell, column) => (column === cells.length - 1 ? cell : cell.padEnd(widths[column] ?? 0)))
      .join("  ")
      .trimEnd();
  return [paint(color, "bold", line(heads)), ...rows.map(line), ""].join("\n");
}
