import { isError } from "translogue";
import { defineCommand, type Values } from "../command.ts";
import { exitCodeOfSignal, exitCodes, wrongUse } from "../failure.ts";
import type { Io } from "../io.ts";
import { writeText } from "../output/sink.ts";
import type { ServeConfig } from "../serve/config.ts";

const options = {
  port: { type: "string", short: "p", value: "N", summary: "Port (default: 3000; 0 takes one that is free)" },
  host: { type: "string", value: "HOST", summary: "Address to listen at (default: 127.0.0.1, this machine alone)" },
  model: {
    type: "string",
    short: "m",
    value: "PROVIDER/MODEL",
    summary: "Who answers (default: TRANSLOGUE_MODEL, else the demo model)",
  },
  store: {
    type: "string",
    value: "FILE|URL",
    completes: "file",
    summary:
      "SQLite file for the sessions, :memory:, or postgres://… (default: TRANSLOGUE_STORE, else a file in the user's state folder)",
  },
  studio: {
    type: "string",
    value: "DIR",
    completes: "directory",
    summary: "The studio's files (default: those that came with the command)",
  },
  config: {
    type: "string",
    short: "c",
    value: "FILE",
    completes: "file",
    summary: "Configuration as JSON; options stand above it",
  },
} as const;

export const serve = defineCommand({
  name: "serve",
  summary: "Serve the agent over HTTP, with the studio",
  details: [
    "TRANSLOGUE_MODEL names the model, keys are read from the environment and used only for a model that is named. TRANSLOGUE_MODEL=demo stands above all else.",
    "TRANSLOGUE_STORE takes what `--store` takes, so that an address with a password stands in no list of processes.",
    "SIGTERM and Ctrl-C end it when open streams have ended; a second one ends it at once.",
  ],
  options,
  examples: [
    { does: "The demo, at an address that is printed", line: "translogue serve --port 0 --store :memory:" },
    { does: "As a file says", line: "translogue serve --config translogue.json" },
  ],
  async run({ values, io }) {
    const [{ readConfig }, { startServer }] = await Promise.all([
      import("../serve/config.ts"),
      import("../serve/start.ts"),
    ]);
    const config = values.config === undefined ? {} : readConfig(values.config);
    const server = await startServer(overruled(config, values), {
      io,
      named: values.model === undefined ? (values.config ?? "") : "--model",
    });
    await print(io, server.lines);
    closeBySignal(() => void server.close());
    await print(io, await server.more);
    await server.closed;
    return exitCodes.fine;
  },
});

/** Who reads what is printed may leave: the server stays. */
async function print({ stdout }: Io, lines: readonly string[]): Promise<void> {
  await writeText(stdout, lines.map(line => `${line}\n`).join("")).catch((error: unknown) => {
    if (!isError(error, "output/closed")) throw error;
  });
}

/** Options stand above the file. */
function overruled(config: ServeConfig, { port, host, model, store, studio }: Values<typeof options>): ServeConfig {
  return {
    ...config,
    ...(port !== undefined && { port: portOf(port) }),
    ...(host !== undefined && { host }),
    ...(model !== undefined && { model }),
    ...(store !== undefined && { store }),
    ...(studio !== undefined && { studio }),
  };
}

function portOf(text: string): number {
  const port = Number(text);
  if (/^\d+$/.test(text) && port <= 65_535) return port;
  throw wrongUse(`\`--port\` does not take \`${text}\``, "it is a number from 0 to 65535");
}

/** The first signal closes, and waits for what is under way; the second does not. */
function closeBySignal(close: () => void): void {
  let isClosing = false;
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    process.on(signal, () => {
      if (isClosing) process.exit(exitCodeOfSignal(signal));
      isClosing = true;
      close();
    });
  }
}
