import type { CaseResult, FixtureFile, Rule } from "./case.ts";
import { caseRules, fileRules } from "./rules.ts";

interface Row {
  cases: number;
  passed: number;
  setAside: number;
  failed: number;
}

/** Gathers results and prints them: by format, the rules that set cases aside and those that did not, losses by code, and every failure with its path. */
export class Report {
  readonly #rows = new Map<string, Row>();
  readonly #rules = new Map<string, { reason: string; cases: number }>();
  readonly #losses = new Map<string, number>();
  readonly #failures: string[] = [];
  #ran = 0;

  /** How many cases have been run so far. */
  get ran(): number {
    return this.#ran;
  }

  get failed(): boolean {
    return this.#failures.length > 0;
  }

  add(file: FixtureFile, result: CaseResult): void {
    this.#ran++;
    const row = this.#rows.get(result.format) ?? { cases: 0, passed: 0, setAside: 0, failed: 0 };
    this.#rows.set(result.format, row);
    row.cases++;
    for (const loss of result.losses ?? []) count(this.#losses, `${result.format} ${loss.code} (${loss.kind})`);
    if (result.outcome.status === "passed") row.passed++;
    else if (result.outcome.status === "set-aside") {
      row.setAside++;
      this.#aside(result.outcome.rule, caseRules[result.outcome.rule as keyof typeof caseRules] ?? "", 1); // an unknown rule prints no reason
    } else {
      row.failed++;
      this.#failures.push(`${file.path} · ${result.name}\n    ${result.outcome.reason}`);
    }
  }

  setAside(rule: Rule, cases: number): void {
    this.#aside(rule.name, rule.reason, cases);
  }

  /** Something wrong with the run itself. */
  fault(path: string, reason: string): void {
    this.#failures.push(`${path}\n    ${reason}`);
  }

  print(): string {
    const rows = [...this.#rows].sort(([a], [b]) => (a < b ? -1 : 1));
    const sections = [
      table(
        ["format", "cases", "passed", "set aside", "failed"],
        rows.map(([name, row]) => [name, row.cases, row.passed, row.setAside, row.failed]),
      ),
      table(
        ["set aside by rule", "cases", "reason"],
        [...this.#rules].map(([name, { cases, reason }]) => [name, cases, reason]),
      ),
      table(
        ["losses met", "times"],
        [...this.#losses].sort(([, a], [, b]) => b - a).map(([code, times]) => [code, times]),
      ),
    ];
    const idle = [...Object.keys(caseRules), ...fileRules.map(({ name }) => name)].filter(
      name => !this.#rules.has(name),
    );
    if (idle.length > 0) sections.push(`rules that set nothing aside: ${idle.join(", ")}\n`);
    if (this.#failures.length > 0)
      sections.push(`failed:\n${this.#failures.map(failure => `  ${failure}`).join("\n")}\n`);
    const sum = rows.reduce(
      (total, [, row]) => ({ passed: total.passed + row.passed, failed: total.failed + row.failed }),
      { passed: 0, failed: 0 },
    );
    return `${sections.join("\n")}\n${sum.passed} cases hold, ${sum.failed} do not; ${this.#failures.length} failures in all\n`;
  }

  #aside(name: string, reason: string, cases: number): void {
    const known = this.#rules.get(name);
    this.#rules.set(name, { reason, cases: (known?.cases ?? 0) + cases });
  }
}

const count = (counts: Map<string, number>, key: string): void => void counts.set(key, (counts.get(key) ?? 0) + 1);

function table(head: readonly string[], rows: readonly (readonly (string | number)[])[]): string {
  const cells = [head, ...rows.map(row => row.map(String))];
  const widths = head.map((_, column) => Math.min(60, Math.max(...cells.map(row => row[column]?.length ?? 0))));
  const line = (row: readonly string[]): string =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join("  ")
      .trimEnd();
  return `${cells.map(line).join("\n")}\n`;
}
