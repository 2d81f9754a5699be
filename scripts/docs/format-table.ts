import type { Codec } from "../../packages/core/src/codec/codec.ts";
import { registry } from "../../packages/core/src/formats/registry.ts";
import { code, codes, table } from "./markdown.ts";

const formats: readonly Codec[] = Object.values(registry);

/** `formats`: what each format is and does. `losses`: what it cannot hold. */
export function formatTables(): Record<string, string> {
  return {
    formats: table(
      ["format", "what", "shapes", "dialects", "streams", "carry"],
      formats.map(format => [
        code(format.id),
        `[${format.title}](${format.spec})`,
        codes(format.shapes),
        codes(format.dialects),
        format.stream ? format.stream.framing : "–",
        format.slot ? "yes" : "–",
      ]),
    ),
    losses: table(["format", "what", "kind", "why"], formats.flatMap(losses)),
  };
}

/** First the parts that have no place, as a provider would be written to, then the format's own codes. */
function losses(format: Codec): string[][] {
  const context = {
    shape: format.shapes[0] ?? "messages",
    dialect: format.dialects[0],
    recipient: "provider",
  } as const;
  const parts = Object.entries(format.holds(context).parts).flatMap(([type, held]) =>
    "unsupported" in held ? [[code(format.id), `part ${code(type)}`, "dropped", held.unsupported]] : [],
  );
  const own = Object.entries(format.losses).map(([id, { kind, note }]) => [code(format.id), code(id), kind, note]);
  return [...parts, ...own];
}
