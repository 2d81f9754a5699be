import { defineCommand, type Values } from "../command.ts";
import { endpointOf, endpointOption, modelOption } from "../endpoints/endpoint.ts";
import { exitCodes } from "../failure.ts";
import { formatGiven } from "../input/format.ts";
import { fileSink } from "../output/file.ts";
import { tellings } from "../reading/journal.ts";
import { readingOptions } from "../reading/options.ts";
import { readWith } from "../reading/read-with.ts";

const options = {
  target: endpointOption,
  model: modelOption,
  from: readingOptions.from,
  to: {
    type: "string",
    value: "FORMAT",
    completes: "format",
    summary: "Format to write, or format:dialect (default: as read)",
  },
  shape: {
    type: "string",
    value: "SHAPE",
    choices: ["request", "messages"],
    summary: "Shape to write: request or messages (default: as read)",
  },
  output: readingOptions.output,
  input: readingOptions.input,
  calls: {
    type: "string",
    value: "HOW",
    choices: ["move", "error", "drop"],
    summary:
      "Calls without a result: move the one that stands elsewhere, else say interrupted (default); always say so; or drop the call",
  },
  results: {
    type: "string",
    value: "HOW",
    choices: ["move", "drop"],
    summary: "Results before their call: move (default) or drop them",
  },
  reasoning: {
    type: "string",
    value: "HOW",
    choices: ["drop", "text"],
    summary: "Reasoning that is not taken: drop it (default), or say it as text",
  },
  media: {
    type: "string",
    value: "HOW",
    choices: ["move", "placeholder"],
    summary: "Media that results may not have: move them behind the results (default), or name them",
  },
  system: {
    type: "string",
    value: "HOW",
    choices: ["user", "drop"],
    summary: "System text without a place: let the user say it (default), or drop it",
  },
  turns: {
    type: "string",
    value: "HOW",
    choices: ["join", "bridge"],
    summary: "Turns of one side in a row: join them (default), or put a made one between",
  },
  "dry-run": { type: "boolean", short: "n", summary: "Write nothing but what would be done" },
  report: { type: "string", value: "PATH", completes: "file", summary: "File for all that was done, a line each" },
  changes: {
    type: "string",
    value: "HOW",
    choices: tellings,
    summary: "Say the first of each repair and how many (default), all, only a summary, or none",
  },
  strict: { type: "boolean", summary: "Exit with 1 if anything had to be changed" },
  "on-error": readingOptions["on-error"],
  jobs: readingOptions.jobs,
  force: readingOptions.force,
  quiet: { type: "boolean", short: "q", summary: "Say nothing of changes, losses, issues and progress" },
  json: { type: "boolean", summary: "Errors as JSON too" },
} as const;

type Given = Values<typeof options>;

export const repair = defineCommand({
  name: "repair",
  summary: "Mend what a provider's endpoint would refuse, as little as can be",
  details: [
    "A conversation that needs no repair is written as it came, byte for byte; one that does is written anew in its own format, or in the one of --to, as what a model reads of it. A recorded stream is written as the answer that it makes.",
    'What was done is said on standard error, one JSON object a line: {"change": …}, with file and line; {"issue": …} is what no repair mends, {"loss": …} what the format cannot say. After ten of one kind only how many there were, at the end.',
    "Exit code: 0 fine, 1 an error is left that no repair mends (with --strict also: anything was changed), 2 wrong use, 3 input that cannot be read, 130 interrupted.",
  ],
  operands: { value: "FILE", many: true },
  options,
  examples: [
    {
      does: "A request that its provider takes",
      line: "translogue repair -t openai-chat request.json > repaired.json",
    },
    {
      does: "A stored history, for another provider",
      line: "translogue repair -t anthropic-messages --to anthropic-messages --shape request history.json",
    },
    { does: "What would be done to a log?", line: "translogue repair --dry-run --changes summary requests.jsonl.gz" },
  ],
  async run({ values, operands, io }) {
    const { target, model, to, shape, quiet, strict, changes } = values;
    if (values.from !== undefined) endpointOf(formatGiven(values.from), target);
    const report = values.report === undefined ? undefined : await fileSink(values.report, values);
    let unmended = 0;
    try {
      const order = {
        verb: "repair",
        target,
        model,
        to,
        shape,
        policies: policiesOf(values),
        dryRun: values["dry-run"],
      } as const;
      const output = values["dry-run"] ? undefined : values.output;
      const { readAll, journal } = await readWith(
        order,
        { ...values, output },
        {
          operands,
          io,
          telling: quiet ? "none" : (changes ?? (report ? "summary" : "first")),
          report,
          isSilent: values["dry-run"],
          onNote: note => {
            if (note.of === "repair") unmended += note.unmended;
          },
        },
      );
      await report?.finish();
      if (!readAll) return exitCodes.unreadable;
      return unmended > 0 || (strict && journal.remarks > 0) ? exitCodes.lossy : exitCodes.fine;
    } catch (error) {
      await report?.discard();
      throw error;
    }
  },
});

function policiesOf({ calls, results, reasoning, media, system, turns }: Given) {
  return {
    ...(calls && { calls }),
    ...(results && { results }),
    ...(reasoning && { reasoning }),
    ...(media && { media }),
    ...(system && { system }),
    ...(turns && { turns }),
  };
}
