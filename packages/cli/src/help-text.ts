import { type Command, commonOptions, type Option, type Options } from "./command.ts";
import { type Io, paint } from "./io.ts";

interface Layout {
  readonly color: boolean;
  readonly columns: number;
}

/** As wide as the terminal, and no wider than is easy to read; in a pipe as on a common terminal. */
export const layoutOf = (io: Io, screen: "stdout" | "stderr"): Layout => ({
  color: io.colors[screen],
  columns: Math.min(io[screen].columns || 100, 120),
});

const titles = (layout: Layout, text: string): string => paint(layout.color, "bold", text);

/** What there is, for someone who names no verb. */
export function overview(commands: readonly Command[], layout: Layout): string {
  return [
    "Translogue carries a conversation from any model, framework or client to any other.",
    "",
    `${titles(layout, "Usage")}  translogue COMMAND [OPTION…] [FILE…]`,
    "",
    titles(layout, "Commands"),
    ...rows(
      commands.map(({ name, summary }) => [name, summary]),
      layout,
    ),
    "",
    titles(layout, "Options"),
    ...rows([["--version", "Print the version"], ...optionRows(commonOptions)], layout),
    "",
    "`translogue help COMMAND` says more about one of them, with examples.",
    "",
  ].join("\n");
}

/** All of one command. */
export function commandHelp(command: Command, layout: Layout): string {
  const { name, summary, details = [], options, examples } = command;
  const own =
    Object.keys(options).length > 0
      ? [...optionRows(options), ...optionRows(commonOptions)]
      : optionRows(commonOptions);
  return [
    `${summary}.`,
    "",
    `${titles(layout, "Usage")}  translogue ${name}${Object.keys(options).length > 0 ? " [OPTION…]" : ""}${operandText(command)}`,
    ...details.flatMap(paragraph => ["", ...wrap(paragraph, layout.columns)]),
    "",
    titles(layout, "Options"),
    ...rows(own, layout),
    ...(examples.length > 0 ? ["", titles(layout, "Examples")] : []),
    ...examples.flatMap(({ does, line }) => [`  ${does}`, `    ${paint(layout.color, "cyan", line)}`]),
    "",
  ].join("\n");
}

function operandText({ operands }: Command): string {
  if (!operands) return "";
  const name = operands.choices?.join("|") ?? operands.value;
  const text = `${name}${operands.many ? "…" : ""}`;
  return operands.required ? ` ${text}` : ` [${text}]`;
}

const optionRows = (options: Options): [string, string][] =>
  Object.entries(options).map(([name, option]) => [optionText(name, option), option.summary]);

function optionText(name: string, { short, type, value = "VALUE" }: Option): string {
  return `${short ? `-${short}, ` : "    "}--${name}${type === "string" ? ` ${value}` : ""}`;
}

/** Two columns; the second is wrapped, or below where the terminal is narrow. */
function rows(entries: readonly (readonly [string, string])[], { columns }: Layout): string[] {
  const left = Math.max(...entries.map(([name]) => name.length));
  const indent = left + 4;
  return entries.flatMap(([name, text]) => {
    const lines = wrap(text, Math.max(columns - indent, 30));
    return lines.map((line, index) => `  ${(index === 0 ? name : "").padEnd(left)}  ${line}`);
  });
}

function wrap(text: string, columns: number): string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(" ")) {
    if (line !== "" && line.length + 1 + word.length > columns) {
      lines.push(line);
      line = word;
    } else line = line === "" ? word : `${line} ${word}`;
  }
  return [...lines, line];
}
