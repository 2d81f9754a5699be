import { type FormatId, formats } from "translogue";
import { passage } from "../../packages/testkit/src/matrix.ts";
import { corpus } from "../../packages/testkit/src/wire-samples.ts";
import { code, table } from "./markdown.ts";

/** `matrix`: how many conversations of the corpus come from each format into each other one kept, carried, lost. */
export function matrixTable(): Record<string, string> {
  const ids = formats.map(({ id }) => id as FormatId); // formats are the registered ones
  return {
    matrix: table(
      ["from ↓ to →", ...ids.map(code)],
      ids.map(from => [code(from), ...ids.map(to => (from === to ? "" : cell(from, to)))]),
    ),
  };
}

function cell(from: FormatId, to: FormatId): string {
  const times = { kept: 0, carried: 0, lost: 0 };
  for (const [, conversation] of corpus) times[passage(from, to, conversation).came]++;
  return `${times.kept} · ${times.carried} · ${times.lost}`;
}
