import { findFormat, formats, type Shape } from "translogue";
import { defineCommand, type Values } from "../command.ts";
import { type Conversion, Writer } from "../convert/writer.ts";
import { exitCodes, wrongUse } from "../failure.ts";
import { tellings } from "../reading/journal.ts";
import { readingOptions } from "../reading/options.ts";
import { readWith } from "../reading/read-with.ts";

const shapes = [
  "request",
  "answer",
  "messages",
  "message",
  "block",
  "stream",
  "log",
  "file",
] as const satisfies Shape[];

const options = {
  from: readingOptions.from,
  to: {
    type: "string",
    short: "t",
    value: "FORMAT",
    completes: "format",
    summary: "Format to write, or format:dialect",
  },
  output: readingOptions.output,
  input: readingOptions.input,
  shape: {
    type: "string",
    value: "SHAPE",
    choices: shapes,
    summary: `Shape to write: ${shapes.join(", ")} (default: as read)`,
  },
  recipient: {
    type: "string",
    value: "WHO",
    choices: ["provider", "client", "store"],
    summary:
      "Who will read it; a provider gets no seals but its own (default: provider for a request without --carry, else client)",
  },
  carry: {
    type: "boolean",
    summary:
      "Let what the format cannot hold travel in its slot for extensions; what is written so is for a client, also a request, and not to be sent to a provider",
  },
  strict: {
    type: "boolean",
    summary: "Exit with 1 if there is any loss or issue; what --carry takes along is no loss",
  },
  "on-error": readingOptions["on-error"],
  jobs: readingOptions.jobs,
  style: {
    type: "string",
    value: "STYLE",
    summary: "How the format writes its text, where it has several ways (`translogue formats`)",
  },
  losses: {
    type: "string",
    value: "HOW",
    choices: tellings,
    summary: "Say the first of each code and how many (default), all, only a summary, or none",
  },
  force: readingOptions.force,
  quiet: { type: "boolean", short: "q", summary: "Say nothing of losses, issues and progress" },
  json: { type: "boolean", summary: "Errors as JSON too" },
} as const;

type Given = Values<typeof options>;

export const convert = defineCommand({
  name: "convert",
  summary: "Convert conversations from one format to another",
  details: [
    "Without FILE, or for -, standard input is read. JSON, JSON Lines, server-sent events and gzip are told apart by content. Streams are converted as they arrive.",
    'What could not be kept is said on standard error, one JSON object a line: {"loss": …} or {"issue": …}, with file and line; after ten of one code only how many there were, at the end.',
    "Exit code: 0 fine, 1 losses or issues under --strict, 2 wrong use, 3 input that cannot be read, 130 interrupted.",
  ],
  operands: { value: "FILE", many: true },
  options,
  examples: [
    {
      does: "A stored history for another framework",
      line: "translogue convert -f lighter -t openai-chat history.json",
    },
    {
      does: "A log of requests, ten thousand lines or ten million",
      line: "translogue convert -t ai-sdk-ui -o converted.jsonl requests.jsonl.gz",
    },
    {
      does: "A provider's stream as it arrives, for a browser",
      line: "cat answer.sse | translogue convert -f openai-chat -t ai-sdk-ui",
    },
    {
      does: "Fail if anything would be lost",
      line: "translogue convert -t openai-chat --strict history.json > request.json",
    },
  ],
  async run({ values, operands, io }) {
    const { readAll, journal } = await readWith({ verb: "convert", conversion: conversionOf(values) }, values, {
      operands,
      io,
      telling: values.quiet ? "none" : (values.losses ?? "first"),
    });
    if (!readAll) return exitCodes.unreadable;
    return values.strict && journal.remarks > 0 ? exitCodes.lossy : exitCodes.fine;
  },
});

/** Checked before anything is read or written. */
function conversionOf({ from, to, shape, recipient, carry, style }: Given): Conversion {
  if (to === undefined) {
    throw wrongUse("`--to` is missing", `name the format to write, one of ${formats.map(({ id }) => id).join(", ")}`);
  }
  if (from !== undefined) findFormat(from);
  const conversion: Conversion = {
    to,
    ...(shape !== undefined && { shape }),
    ...(recipient !== undefined && { recipient }),
    ...(carry && { carry }),
    ...(style !== undefined && { style }),
  };
  new Writer(conversion);
  return conversion;
}
