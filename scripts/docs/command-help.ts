import { loadCommands } from "../../packages/cli/src/commands.ts";
import { commandHelp } from "../../packages/cli/src/help-text.ts";
import { code, table } from "./markdown.ts";

const commands = await loadCommands();

/** `commands`: what each command does. `command-<name>`: the help of one. */
export function commandPages(): Record<string, string> {
  const layout = { color: false, columns: 100 };
  return {
    commands: table(
      ["command", "what it does"],
      commands.map(({ name, summary }) => [code(name), summary]),
    ),
    ...Object.fromEntries(
      commands.map(command => [`command-${command.name}`, `\`\`\`text\n${commandHelp(command, layout)}\`\`\``]),
    ),
  };
}
