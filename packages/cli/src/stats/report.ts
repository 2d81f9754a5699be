import { printable } from "../chat/printable.ts";
import { placeText } from "../failure.ts";
import { paint } from "../io.ts";
import { size } from "../output/progress.ts";
import type { Tally } from "./facts.ts";
import type { Most, Totals } from "./totals.ts";

/** So many rows of one kind are shown. */
const mostRows = 20;

/** Totals for people. */
export function statsReport(totals: Totals, color: boolean): string {
  const { conversations, sums, tallies, longest } = totals;
  const head: readonly Row[] = [
    ["conversations", number(conversations)],
    ["messages", number(sums.messages)],
    ["tokens", `${number(sums.tokens)} (estimated)`],
    ["size", size(sums.bytes)],
    ...(sums.issues > 0 ? [["issues", number(sums.issues)] as const] : []),
  ];
  const sections = [
    rows(head),
    section("Formats", counts(tallies.formats), color),
    section("Messages by role", counts(tallies.roles), color),
    section("Parts by type", counts(tallies.parts), color),
    section("Tool calls", callRows(totals), color),
    section("Models", counts(tallies.models), color),
    section("Seals by home", counts(tallies.seals), color),
    section("Tokens that providers counted", counts(tallies.usage), color),
    section("Longest", mostOf(longest), color),
  ];
  return sections.filter(text => text !== "").join("\n");
}

type Row = readonly [name: string, ...cells: readonly string[]];

const number = (value: number): string => value.toLocaleString("en");

const counts = (tally: Tally): readonly Row[] => tally.sorted().map(([name, times]) => [name, number(times)]);

function callRows({ tallies: { calls, failed } }: Totals): readonly Row[] {
  const names = new Set([...calls.sorted(), ...failed.sorted()].map(([name]) => name));
  return [...names].map(name => {
    const bad = failed.counts.get(name);
    return [name, number(calls.counts.get(name) ?? 0), ...(bad === undefined ? [] : [`${number(bad)} failed`])];
  });
}

const mostOf = (longest: Totals["longest"]): readonly Row[] =>
  Object.entries(longest).map(([name, most]: [string, Most]) => [
    name,
    name === "bytes" ? size(most.count) : number(most.count),
    placeText(most),
  ]);

function section(title: string, all: readonly Row[], color: boolean): string {
  if (all.length === 0) return "";
  const more = all.length - mostRows;
  const shown = rows(all.slice(0, mostRows).map(row => [`  ${row[0]}`, ...row.slice(1)]));
  return `${paint(color, "bold", title)}\n${shown}${more > 0 ? `  and ${number(more)} more\n` : ""}`;
}

/** Names to the left, numbers to the right of their column. */
function rows(all: readonly Row[]): string {
  const clean = all.map(row => row.map(cell => printable(cell).replaceAll("\n", " ")));
  const left = Math.max(...clean.map(([name = ""]) => name.length));
  const right = Math.max(...clean.map(([, value = ""]) => value.split(" ")[0]?.length ?? 0));
  return clean
    .map(([name = "", value = "", ...rest]) => {
      const [digits = "", ...unit] = value.split(" ");
      return `${[name.padEnd(left), [digits.padStart(right), ...unit].join(" "), ...rest].join("  ")}\n`;
    })
    .join("");
}
