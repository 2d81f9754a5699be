import { readFileSync } from "node:fs";
import { isError } from "translogue";
import { parseArguments } from "./arguments.ts";
import type { commonOptions } from "./command.ts";
import { loadCommand, loadCommands, verbs } from "./commands.ts";
import { describe, describeAsJson, exitCodeOf, exitCodes, wrongUse } from "./failure.ts";
import { commandHelp, layoutOf, overview } from "./help-text.ts";
import { processIo } from "./io.ts";
import { nearest } from "./nearest.ts";
import { flush, rememberFailure, writeText } from "./output/sink.ts";

/** Runs a command line. What goes wrong is thrown. */
async function run([verb, ...rest]: readonly string[], entry: URL): Promise<number> {
  if (verb === undefined) {
    await writeText(process.stderr, overview(await loadCommands(), layoutOf(processIo("auto", entry), "stderr")));
    return exitCodes.wrongUse;
  }
  if (verb === "--version") return await print(`${version(entry)}\n`);
  if (verb.startsWith("-") && verb !== "--help" && verb !== "-h") throw unknownOption(verb);
  const command = await loadCommand(verb.startsWith("-") ? "help" : verb);
  const { values, operands } = parseArguments(command, rest);
  // The table of common options has these three words and no others.
  const io = processIo((values["color"] as (typeof commonOptions.color.choices)[number] | undefined) ?? "auto", entry);
  if (values["help"] === true) return await print(commandHelp(command, layoutOf(io, "stdout")));
  return await command.run({ values, operands, io });
}

async function print(text: string): Promise<number> {
  await writeText(process.stdout, text);
  return exitCodes.fine;
}

/** The manifest lies one folder up from the sources and from what is built of them. */
const version = (entry: URL): string => JSON.parse(readFileSync(new URL("../package.json", entry), "utf8")).version;

function unknownOption(option: string): Error {
  const near = nearest(option, ["--help", "--version"]);
  const hint = near ? `did you mean \`${near}\`?` : `name a command first: ${verbs.join(", ")}`;
  return wrongUse(`\`translogue\` has no option \`${option}\``, hint);
}

/** Runs a command line to the end of the process. `entry` is the program's own file. */
export async function main(argv: readonly string[], entry: URL): Promise<never> {
  rememberFailure(process.stdout);
  rememberFailure(process.stderr);
  const code = await run(argv, entry).catch(async (error: unknown) => {
    const isSilent = isError(error, "output/closed") || isError(error, "command/interrupted");
    const text = argv.includes("--json") ? describeAsJson(error) : describe(error);
    if (!isSilent) await writeText(process.stderr, `${text}\n`).catch(() => {});
    return exitCodeOf(error);
  });
  await Promise.all([flush(process.stdout), flush(process.stderr)]);
  process.exit(code);
}
