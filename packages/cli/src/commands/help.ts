import { defineCommand } from "../command.ts";
import { loadCommand, loadCommands, verbs } from "../commands.ts";
import { commandHelp, layoutOf, overview } from "../help-text.ts";
import { writeText } from "../output/sink.ts";

export const help = defineCommand({
  name: "help",
  summary: "Say what the commands do",
  operands: { value: "COMMAND", choices: verbs },
  options: {},
  examples: [{ does: "Everything about convert", line: "translogue help convert" }],
  async run({ operands: [verb], io }) {
    const layout = layoutOf(io, "stdout");
    const text =
      verb === undefined ? overview(await loadCommands(), layout) : commandHelp(await loadCommand(verb), layout);
    await writeText(io.stdout, text);
    return 0;
  },
});
