import { existsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { compatibleEndpoint, type Endpoint } from "@translogue/agent";
import { bearerKeys, createServer, type LogEntry, serve } from "@translogue/server";
import { wrongUse } from "../failure.ts";
import type { Io } from "../io.ts";
import { agentOf } from "../models/agent.ts";
import { chooseModels, localServers } from "../models/choose.ts";
import type { ServeConfig } from "./config.ts";
import { openSessions } from "./sessions.ts";

export interface Started {
  /** What is served where, and what answers and why: for people. */
  readonly lines: readonly string[];
  /** What was found later. */
  readonly more: Promise<readonly string[]>;
  /** Lets streams end, then closes everything. */
  close(): Promise<void>;
  readonly closed: Promise<void>;
}

interface StartOptions {
  readonly io: Io;
  /** What named the model: a flag or a file. */
  readonly named: string;
}

const defaultPort = 3000;
const defaultHost = "127.0.0.1";
/** So that a stream of the demo can be seen to be one, and stopped. */
const demoPaceMs = 8;

/** Throws `command/wrong-use` for a port that is taken and settings that do not hold together. */
export async function startServer(config: ServeConfig, { io, named }: StartOptions): Promise<Started> {
  const { models, lines } = chooseModels(io.env, {
    model: config.model,
    models: config.models,
    endpoints: endpointsOf(config),
    by: named,
    paceMs: demoPaceMs,
  });
  const studioDir = studioOf(config.studio, io.entry);
  const sessions = await openSessions(config.store, io.env);
  const server = createServer({
    agent: agentOf(models, { instructions: config.instructions, paceMs: demoPaceMs }),
    models,
    store: sessions.store,
    log: entry => logTo(io, entry),
    ...(studioDir !== undefined && { studioDir }),
    ...pick(config, ["generation", "clientSystem", "promptTypes", "cors", "maxBodyBytes", "drainMs"]),
    ...(config.keys && { authenticate: bearerKeys(config.keys) }),
  });
  const { port = defaultPort, host = defaultHost } = config;
  const listening = await serve(server, { port, host, signals: false }).catch(async (error: NodeJS.ErrnoException) => {
    await server.close();
    throw notListening(error, host, port);
  });
  return {
    lines: [
      `Translogue listens at ${listening.url}`,
      ...lines,
      sessions.line,
      studioDir === undefined ? "Studio: its files are not there; the API alone answers." : `Studio: ${listening.url}`,
    ],
    more: localServers(models, io.env),
    close: () => listening.close(),
    closed: listening.closed,
  };
}

/** Hosts of the configuration's own. */
function endpointsOf({ providers = {} }: ServeConfig): Endpoint[] {
  return Object.entries(providers).map(([id, { baseUrl, keyVariable }]) => ({
    ...compatibleEndpoint(id, baseUrl),
    ...(keyVariable !== undefined && { keyVariable, needsKey: true }),
  }));
}

/** The folder that is named, else the one beside the program, else the workspace's. */
function studioOf(named: string | undefined, entry: URL): string | undefined {
  const isThere = (folder: string): boolean => existsSync(join(folder, "index.html"));
  if (named !== undefined) {
    if (isThere(named)) return named;
    throw wrongUse(`\`${named}\` has no index.html`, "`--studio DIR` names the folder of the studio's built files");
  }
  return ["./studio", "../../studio/dist"].map(path => fileURLToPath(new URL(path, entry))).find(isThere);
}

function notListening(error: NodeJS.ErrnoException, host: string, port: number): Error {
  if (error.code === "EADDRINUSE") {
    return wrongUse(`port ${port} of ${host} is taken`, "`--port N` names another, `--port 0` takes one that is free");
  }
  if (error.code === "EACCES") return wrongUse(`port ${port} may not be used`, "`--port N` names another");
  return wrongUse(
    `there is no listening at ${host}, port ${port}: ${error.message}`,
    "`--host HOST` names another address",
  );
}

/** What an operator must know goes to standard error, a JSON object a line. */
function logTo({ stderr }: Io, entry: LogEntry): void {
  if (entry.level !== "info") stderr.write(`${JSON.stringify(entry)}\n`);
}

/** The members that are there. */
function pick<T extends object, K extends keyof T>(from: T, keys: readonly K[]): Pick<T, K> {
  // Members of T that T has.
  return Object.fromEntries(keys.flatMap(key => (key in from ? [[key, from[key]]] : []))) as Pick<T, K>;
}
