import { defineCommand } from "../command.ts";
import { exitCodes } from "../failure.ts";
import { fileSink } from "../output/file.ts";
import { streamSink } from "../output/sink.ts";
import { readingOptions } from "../reading/options.ts";
import { readWith } from "../reading/read-with.ts";
import { statsReport } from "../stats/report.ts";
import { Totals } from "../stats/totals.ts";

export const stats = defineCommand({
  name: "stats",
  summary: "Count what files hold",
  details: [
    "Conversations, messages by role, parts by type, tool calls and how many failed, models, whose the seals are, tokens (estimated, and as providers counted them), sizes, and where the longest conversation is.",
    "Exit code: 0 fine, 1 issues under --strict, 2 wrong use, 3 input that cannot be read, 130 interrupted.",
  ],
  operands: { value: "FILE", many: true },
  options: {
    from: readingOptions.from,
    output: { ...readingOptions.output, summary: "File to write (default: standard output)" },
    input: readingOptions.input,
    strict: { type: "boolean", summary: "Exit with 1 if anything was wrong with the input" },
    "on-error": readingOptions["on-error"],
    jobs: readingOptions.jobs,
    force: readingOptions.force,
    quiet: { type: "boolean", short: "q", summary: "Say nothing of issues and progress" },
    json: { type: "boolean", summary: "One JSON object; errors as JSON too" },
  },
  examples: [
    { does: "What is in a log?", line: "translogue stats requests.jsonl.gz" },
    { does: "For a program", line: "translogue stats --json request.json history.json" },
  ],
  async run({ values, operands, io }) {
    const { output = "-", quiet, json, strict, ...reading } = values;
    const totals = new Totals();
    const sink = output === "-" ? streamSink(io.stdout) : await fileSink(output, values);
    try {
      const { readAll, journal } = await readWith(
        { verb: "stats" },
        { ...reading, quiet, json },
        {
          operands,
          io,
          telling: quiet ? "none" : "first",
          isSilent: true,
          onNote: (note, place) => {
            if (note.of === "stats") totals.add(note.facts, place);
          },
        },
      );
      const color = io.colors.stdout && output === "-";
      await sink.write(json ? `${JSON.stringify(totals.data())}\n` : statsReport(totals, color));
      await sink.finish();
      if (!readAll) return exitCodes.unreadable;
      return strict && journal.remarks > 0 ? exitCodes.lossy : exitCodes.fine;
    } catch (error) {
      await sink.discard();
      throw error;
    }
  },
});
