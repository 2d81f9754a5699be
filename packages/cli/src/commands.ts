import type { Command } from "./command.ts";
import { wrongUse } from "./failure.ts";
import { nearest } from "./nearest.ts";

/** Every verb. A command loads when it is called, so that `convert` does not wait for a server. */
const loaders: { readonly [name: string]: () => Promise<Command> } = {
  convert: async () => (await import("./commands/convert.ts")).convert,
  check: async () => (await import("./commands/check.ts")).check,
  repair: async () => (await import("./commands/repair.ts")).repair,
  inspect: async () => (await import("./commands/inspect.ts")).inspect,
  detect: async () => (await import("./commands/detect.ts")).detect,
  explain: async () => (await import("./commands/explain.ts")).explain,
  stats: async () => (await import("./commands/stats.ts")).stats,
  formats: async () => (await import("./commands/formats.ts")).formats,
  chat: async () => (await import("./commands/chat.ts")).chat,
  serve: async () => (await import("./commands/serve.ts")).serve,
  completion: async () => (await import("./commands/completion.ts")).completion,
  help: async () => (await import("./commands/help.ts")).help,
};

export const verbs: readonly string[] = Object.keys(loaders);

/** The command of a verb. Throws `command/wrong-use` naming the nearest. */
export async function loadCommand(verb: string): Promise<Command> {
  const load = Object.hasOwn(loaders, verb) ? loaders[verb] : undefined;
  if (load) return await load();
  const near = nearest(verb, verbs);
  throw wrongUse(
    `there is no command \`${verb}\``,
    near ? `did you mean \`${near}\`?` : `there are ${verbs.join(", ")}`,
  );
}

export const loadCommands = (): Promise<Command[]> => Promise.all(verbs.map(loadCommand));
