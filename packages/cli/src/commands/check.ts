import { severities } from "../check/check-work.ts";
import { defineCommand } from "../command.ts";
import { endpointOf, endpointOption, modelOption } from "../endpoints/endpoint.ts";
import { exitCodes } from "../failure.ts";
import { formatGiven } from "../input/format.ts";
import { writeText } from "../output/sink.ts";
import { readingOptions } from "../reading/options.ts";
import { readWith } from "../reading/read-with.ts";
import type { Note } from "../reading/work.ts";

export const check = defineCommand({
  name: "check",
  summary: "Say what a provider's endpoint would refuse",
  details: [
    "Every issue is a line with the place in the file, the path in the conversation, how bad it is and which rule it breaks; below it stand what the provider answers, the repair that mends it and where the rule was learned.",
    "A request is checked whole. A history that is kept is checked as one that goes on: its last turn and its tools are not asked for; nor, of an answer alone, what stands before and behind it.",
    "Exit code: 0 nothing that is refused, 1 an error stands (with --strict also a warning), 2 wrong use, 3 input that cannot be read, 130 interrupted.",
  ],
  operands: { value: "FILE", many: true },
  options: {
    target: endpointOption,
    model: modelOption,
    from: readingOptions.from,
    output: readingOptions.output,
    input: readingOptions.input,
    severity: {
      type: "string",
      value: "LEAST",
      choices: severities,
      summary: "The least to tell and count: error, warning or info (default: info)",
    },
    strict: { type: "boolean", summary: "Exit with 1 if there is a warning, too" },
    "on-error": readingOptions["on-error"],
    jobs: readingOptions.jobs,
    force: readingOptions.force,
    quiet: { type: "boolean", short: "q", summary: "No counts at the end, and no progress" },
    json: { type: "boolean", summary: "One JSON object an issue; counts and errors as JSON too" },
  },
  examples: [
    { does: "Will this be taken?", line: "translogue check -t openai-chat request.json" },
    {
      does: "A log, for the endpoint of whose format it is",
      line: "translogue check --severity error requests.jsonl.gz",
    },
    { does: "Every issue for a program", line: "translogue check --json requests.jsonl.gz > issues.jsonl" },
  ],
  async run({ values, operands, io }) {
    const { target, model, severity = "info", json, quiet, strict, output = "-" } = values;
    // Where the caller names both, a mistake is said before anything is read.
    if (values.from !== undefined) endpointOf(formatGiven(values.from), target);
    const counts = new Counts();
    const order = { verb: "check", target, model, severity, json, color: io.colors.stdout && output === "-" } as const;
    try {
      const { readAll } = await readWith(order, values, {
        operands,
        io,
        telling: quiet ? "none" : "first",
        onNote: note => counts.add(note),
      });
      if (!readAll) return exitCodes.unreadable;
    } finally {
      if (!quiet && counts.some) await writeText(io.stderr, json ? counts.json() : counts.text());
    }
    return counts.errors > 0 || (strict && counts.warnings > 0) ? exitCodes.lossy : exitCodes.fine;
  },
});

class Counts {
  errors = 0;
  warnings = 0;
  #infos = 0;
  #mended = 0;
  #conversations = 0;
  /** Conversations with an issue. */
  #found = 0;
  readonly #targets = new Set<string>();

  get some(): boolean {
    return this.#conversations > 0;
  }

  add(note: Note): void {
    if (note.of !== "check") return;
    this.#conversations++;
    this.errors += note.errors;
    this.warnings += note.warnings;
    this.#infos += note.infos;
    this.#mended += note.mended;
    if (note.errors + note.warnings + note.infos > 0) this.#found++;
    this.#targets.add(note.target);
  }

  json(): string {
    const { errors, warnings } = this;
    const counts = { conversations: this.#conversations, found: this.#found, errors, warnings, infos: this.#infos };
    return `${JSON.stringify({ summary: { ...counts, mended: this.#mended, endpoints: [...this.#targets] } })}\n`;
  }

  text(): string {
    const endpoints = [...this.#targets].join(", ");
    const all = counted(this.#conversations, "conversation");
    const kinds = [
      ...(this.errors > 0 ? [counted(this.errors, "error")] : []),
      ...(this.warnings > 0 ? [counted(this.warnings, "warning")] : []),
      ...(this.#infos > 0 ? [counted(this.#infos, "remark")] : []),
    ];
    if (kinds.length === 0) return `${endpoints}: nothing to say of ${all}\n`;
    const mended = this.#mended > 0 ? `; \`translogue repair\` mends ${this.#mended.toLocaleString("en")}` : "";
    return `${endpoints}: ${kinds.join(", ")} in ${this.#found.toLocaleString("en")} of ${all}${mended}\n`;
  }
}

const counted = (count: number, name: string): string =>
  `${count.toLocaleString("en")} ${name}${count === 1 ? "" : "s"}`;
