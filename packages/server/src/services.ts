import { randomUUID } from "node:crypto";
import { type Agent, type AgentTool, ModelAgent } from "@translogue/agent";
import type { ServerConfig, ToolOffer } from "./config.ts";
import { checkConfig, invalid } from "./config-check.ts";
import { toStderr } from "./log.ts";
import { Runs } from "./runs/runs.ts";
import type { Store } from "./store/store.ts";

const defaults = {
  generation: 5,
  tools: [],
  promptTypes: [],
  contextFields: {},
  clientSystem: "allow",
  maxBodyBytes: 10 * 1024 * 1024,
  maxBodyDepth: 256,
  maxMessages: 10_000,
  busyWaitMs: 1000,
  drainMs: 30_000,
  keepAliveMs: 15_000,
  log: toStderr,
  now: Date.now,
  newId: randomUUID,
} as const satisfies Partial<ServerConfig>;

export type ResolvedConfig = ServerConfig & Required<Pick<ServerConfig, keyof typeof defaults>>;

/** What routes work with. */
export interface Services {
  readonly config: ResolvedConfig;
  /** All tools that requests may be given. */
  readonly offers: readonly ToolOffer[];
  readonly store: Store;
  readonly runs: Runs;
}

/** Throws `server/config` where a configuration does not hold together. */
export function createServices(config: ServerConfig): Services {
  checkConfig(config);
  const given = Object.fromEntries(Object.entries(config).filter(([, value]) => value !== undefined));
  const resolved: ResolvedConfig = { ...defaults, ...(given as unknown as ServerConfig) }; // the same without members that are undefined
  const offers = offersOf(resolved);
  const names = new Set(offers.map(({ tool }) => tool.name));
  for (const { id, tools = [] } of resolved.promptTypes) {
    const missing = tools.filter(name => !names.has(name));
    if (missing.length > 0)
      throw invalid(`prompt type \`${id}\` names tools that there are not: ${missing.join(", ")}`);
  }
  return { config: resolved, offers, store: config.store, runs: new Runs() };
}

/** The tools that an agent has by itself. */
export const ownTools = (agent: Agent): readonly AgentTool[] => (agent instanceof ModelAgent ? agent.tools : []);

function offersOf({ agent, tools }: ResolvedConfig): ToolOffer[] {
  const byName = new Map<string, ToolOffer>();
  for (const offer of tools) {
    if (byName.has(offer.tool.name)) throw invalid(`two tools are named \`${offer.tool.name}\``);
    byName.set(offer.tool.name, offer);
  }
  const others = ownTools(agent).filter(({ name }) => !byName.has(name));
  return [...tools, ...others.map(tool => ({ tool }))];
}
