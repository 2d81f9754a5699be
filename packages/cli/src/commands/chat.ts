import { join } from "node:path";
import { defineCommand } from "../command.ts";
import { exitCodes } from "../failure.ts";
import { paint } from "../io.ts";
import { writeText } from "../output/sink.ts";
import { stateFolder } from "../state-folder.ts";

/** About as fast as a quick reader reads. */
const demoPaceMs = 15;

export const chat = defineCommand({
  name: "chat",
  summary: "Talk to an agent in the terminal",
  details: [
    "Answers stream, with reasoning and tool calls; tools ask for approval, and for what else they need to know. /help lists what else can be said: /model, /export, /undo, /exit. Ctrl-C stops an answer, twice leaves.",
    "Without a terminal every line of standard input is a turn. Answers go to standard output, all else to standard error.",
    "TRANSLOGUE_MODEL names the model, keys are read from the environment. Without one the demo model answers, which needs no key.",
  ],
  options: {
    model: {
      type: "string",
      short: "m",
      value: "PROVIDER/MODEL",
      summary: "Who answers (default: TRANSLOGUE_MODEL, else the demo model)",
    },
  },
  examples: [
    { does: "Talk to the demo model", line: "translogue chat --model demo" },
    { does: "Ask one thing", line: 'echo "What is 19 + 23?" | translogue chat' },
  ],
  async run({ values, io }) {
    const [{ chooseModels, localServers, namedModel }, { Chat }, { typedLines }, { PastLines }, { agentOf }] =
      await Promise.all([
        import("../models/choose.ts"),
        import("../chat/chat.ts"),
        import("../chat/typed.ts"),
        import("../chat/past-lines.ts"),
        import("../models/agent.ts"),
      ]);
    const paceMs = io.stdin.isTTY ? demoPaceMs : 0;
    const { models, lines } = chooseModels(io.env, { model: values.model, by: "--model", paceMs });
    const past = new PastLines(join(stateFolder(io.env), "chat-history.jsonl"));
    await past.load();
    const typed = typedLines(io, () => past.lines);
    const model = models.resolve();
    const screen = typed.isPerson ? "stdout" : "stderr";
    const hints = typed.isPerson ? [...(await localServers(models, io.env)), "/help says what else can be done."] : [];
    await writeText(io[screen], `${paint(io.colors[screen], "dim", [...lines, ...hints].join("\n"))}\n`);
    if (!typed.isPerson) process.on("SIGINT", () => process.exit(exitCodes.interrupted));
    const talk = await Chat.begin({
      io,
      agent: agentOf(models, { paceMs }),
      model,
      findModel: async ref => namedModel(io.env, ref, paceMs),
      typed,
      onTyped: text => past.add(text),
    });
    try {
      await talk.talk();
    } finally {
      typed.close();
    }
    return exitCodes.fine;
  },
});
