import { formats as known } from "translogue";
import { defineCommand } from "../command.ts";
import { paint } from "../io.ts";
import { writeText } from "../output/sink.ts";
import { table } from "../output/table.ts";

export const formats = defineCommand({
  name: "formats",
  summary: "List the formats that are known",
  options: { json: { type: "boolean", summary: "As a JSON array" } },
  examples: [
    { does: "All formats", line: "translogue formats" },
    { does: "For a program", line: "translogue formats --json" },
  ],
  async run({ values, io }) {
    await writeText(io.stdout, values.json ? `${JSON.stringify(facts(), undefined, 2)}\n` : listing(io.colors.stdout));
    return 0;
  },
});

const facts = () =>
  known.map(({ id, title, shapes, dialects, stream, text, spec }) => ({
    id,
    title,
    shapes,
    dialects,
    streams: stream?.framing ?? null,
    styles: text?.styles ?? [],
    spec,
  }));

/** A row each, and below it what would make the row too long. */
function listing(color: boolean): string {
  const all = facts();
  const rows = all.map(({ id, title, streams, shapes }) => [id, title, streams ?? "-", shapes.join(",")]);
  const [head = "", ...lines] = table(["FORMAT", "TITLE", "STREAMS", "SHAPES"], rows, color).trimEnd().split("\n");
  const indent = " ".repeat(Math.max(...all.map(({ id }) => id.length), "FORMAT".length) + 2);
  const more = all.map(({ dialects, styles, spec }) => [
    ...(dialects.length > 1 ? [`dialects ${dialects.join(",")}`] : []),
    ...(styles.length > 1 ? [`styles ${styles.join(",")}`] : []),
    spec,
  ]);
  const below = more.map(texts => texts.map(text => `${indent}${paint(color, "dim", text)}`));
  return `${[head, ...lines.flatMap((line, index) => [line, ...(below[index] ?? [])])].join("\n")}\n`;
}
