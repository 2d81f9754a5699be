import { defineCommand } from "../command.ts";
import { loadCommands } from "../commands.ts";
import { completionScript, shells } from "../completion-script.ts";
import { writeText } from "../output/sink.ts";

export const completion = defineCommand({
  name: "completion",
  summary: "Print a script that lets a shell complete commands, options and formats",
  details: [
    'bash: eval "$(translogue completion bash)" in ~/.bashrc. zsh: the same in ~/.zshrc, after compinit. fish: translogue completion fish > ~/.config/fish/completions/translogue.fish.',
  ],
  operands: { value: "SHELL", required: true, choices: shells },
  options: {},
  examples: [{ does: "For this bash", line: 'eval "$(translogue completion bash)"' }],
  async run({ operands: [shell], io }) {
    const script = completionScript(shell === "zsh" || shell === "fish" ? shell : "bash", await loadCommands());
    await writeText(io.stdout, script);
    return 0;
  },
});
