import { defineCommand } from "../command.ts";
import { endpointOption, modelOption } from "../endpoints/endpoint.ts";
import { exitCodes } from "../failure.ts";
import { pagedSink } from "../output/pager.ts";
import { readingOptions } from "../reading/options.ts";
import { readWith } from "../reading/read-with.ts";

export const inspect = defineCommand({
  name: "inspect",
  summary: "Show conversations as people read them",
  details: [
    "A box a message: roles, parts, tool calls with their results, tokens (estimated). Reasoning, long texts and calls are folded. In the margin stand issues for the endpoint (E error, W warning, i information) and, with --to, what that format would lose (L).",
    "On a terminal it is paged, by PAGER or less.",
    "Exit code: 0 fine, 2 wrong use, 3 input that cannot be read, 130 interrupted.",
  ],
  operands: { value: "FILE", many: true },
  options: {
    from: readingOptions.from,
    target: endpointOption,
    model: modelOption,
    to: {
      type: "string",
      value: "FORMAT",
      completes: "format",
      summary: "Show what this format, or format:dialect, would lose",
    },
    output: readingOptions.output,
    input: readingOptions.input,
    full: { type: "boolean", summary: "Fold nothing" },
    "no-pager": { type: "boolean", summary: "Do not page" },
    "on-error": readingOptions["on-error"],
    force: readingOptions.force,
    json: { type: "boolean", summary: "One JSON object a conversation; errors as JSON too" },
  },
  examples: [
    { does: "What was said?", line: "translogue inspect request.json" },
    { does: "A recorded stream, unfolded", line: "translogue inspect --full answer.sse" },
    {
      does: "What would go wrong there?",
      line: "translogue inspect -t anthropic-messages --to anthropic-messages history.json",
    },
  ],
  async run({ values, operands, io }) {
    const { target, model, to, full, json, output = "-" } = values;
    const isScreen = output === "-";
    const order = {
      verb: "inspect",
      target,
      model,
      to,
      full,
      json,
      color: isScreen && io.colors.stdout,
      // Pagers do not agree on what a line that fills the screen is.
      columns: isScreen && io.stdout.columns ? io.stdout.columns - 1 : 100,
    } as const;
    const screen = !isScreen || json || values["no-pager"] ? undefined : pagedSink(io);
    const { readAll } = await readWith(order, { ...values, quiet: false }, { operands, io, telling: "first", screen });
    return readAll ? exitCodes.fine : exitCodes.unreadable;
  },
});
