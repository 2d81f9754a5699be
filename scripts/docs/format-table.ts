import type { Codec, Holds } from "../../packages/core/src/codec/codec.ts";
import { registry } from "../../packages/core/src/formats/registry.ts";
import { code, codes, table } from "./markdown.ts";

const formats: readonly Codec[] = Object.values(registry);

/** `formats`: what each format is and does. `format-<id>`: what one holds and what it cannot. */
export function formatTables(): Record<string, string> {
  return {
    formats: table(
      ["format", "what", "shapes", "dialects", "streams", "carry"],
      formats.map(format => [
        `[${code(format.id)}](docs/formats.md#${format.id})`,
        `[${format.title}](${format.spec})`,
        codes(format.shapes),
        codes(format.dialects),
        format.stream ? format.stream.framing : "–",
        format.slot ? "yes" : "–",
      ]),
    ),
    ...Object.fromEntries(formats.map(format => [`format-${format.id}`, page(format)])),
  };
}

function page(format: Codec): string {
  const { spec, shapes, dialects, stream, text, slot } = format;
  const facts = [
    ["specified", `<${spec}>`],
    ["shapes", codes(shapes)],
    ["dialects", codes(dialects)],
    ["streams as", stream ? stream.framing : "–"],
    ["writes its text", text ? codes(text.styles) : "as plain JSON"],
    [
      "carries what it cannot hold",
      slot ? (slot.hidden ? "hidden in its objects" : "in its slot for extensions") : "no",
    ],
  ];
  const holds = format.holds({ shape: shapes[0] ?? "messages", dialect: dialects[0], recipient: "store" });
  const losses = Object.entries(format.losses).map(([id, { kind, note }]) => [code(id), kind, note]);
  return [
    table(["", ""], facts),
    `Has a place for, in its first dialect, for a store:`,
    table(["node", "members"], [...parts(holds.parts), ...others(holds)]),
    ...(holds.output ? [`In a tool's output:`, table(["part", "members"], parts(holds.output))] : []),
    ...(losses.length > 0 ? [`And where it depends on the place:`, table(["loss", "kind", "why"], losses)] : []),
  ].join("\n\n");
}

/** A row for each part that has a place, then one for all that have none for the same reason. */
function parts(held: Holds["parts"]): string[][] {
  const rows: string[][] = [];
  const without = new Map<string, string[]>();
  for (const [type, members] of Object.entries(held)) {
    if ("unsupported" in members) without.set(members.unsupported, [...(without.get(members.unsupported) ?? []), type]);
    else rows.push([code(type), codes(members)]);
  }
  return [...rows, ...[...without].map(([why, types]) => [codes(types), `none: ${why}`])];
}

const others = ({ conversation, message, citation, tool, settings, usage }: Holds): string[][] =>
  Object.entries({ conversation, message, citation, tool, settings, usage })
    .filter(([, members]) => members.length > 0)
    .map(([node, members]) => [`_${node}_`, codes(members)]);
