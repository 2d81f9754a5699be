import { oneLine } from "../check/issue-text.ts";
import { paint } from "../io.ts";
import type { Meaning } from "./explained.ts";

/** A meaning for people. */
export function meaningText(meaning: Meaning, color: boolean): string {
  const { rule, endpoints, path, message, values, repair, source } = meaning;
  const named = Object.entries(values).map(([name, value]) => `${name} ${value}`);
  const facts: readonly (readonly [string, string | undefined])[] = [
    ["endpoints", endpoints.join(", ")],
    ["names", named.length > 0 ? named.join(", ") : undefined],
    ["path", path],
    ["what", message],
    ["repair", repair ?? "none: it is for whoever sends the request to mend"],
    ["source", source],
  ];
  const lines = facts.flatMap(([name, text]) =>
    text === undefined ? [] : [`  ${paint(color, "dim", name.padEnd(9))}  ${oneLine(text)}\n`],
  );
  return `${paint(color, "bold", rule)}\n${lines.join("")}`;
}
