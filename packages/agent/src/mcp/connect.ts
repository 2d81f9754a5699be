import { isError, isJsonObject } from "translogue";
import { failure } from "../errors.ts";
import { kindOf } from "../hooks.ts";
import type { AgentTool } from "../tools/tool.ts";
import type { ToolSource } from "../tools/toolset.ts";
import { McpClient } from "./client.ts";
import type { ClientSetup, Root } from "./link.ts";
import { type ToolPrefix, toolNames } from "./names.ts";
import type { QuestionHandlers } from "./questions.ts";
import type { SamplingOptions } from "./sampling.ts";
import { agentTool, type ToolOptions } from "./tools.ts";
import { type HttpServer, openChannel, type StdioServer, type TransportServer } from "./transport.ts";

interface PerServer extends ToolOptions {
  /** Nothing is joined without it: `connectMcp` throws. */
  readonly required?: boolean;
  /** Names of its tools, as it calls them, that are offered. Default: all. */
  readonly tools?: readonly string[] | ((name: string) => boolean);
}

/** Where a server is, and what holds for its tools: over what holds for all. */
export type McpServerOptions = (StdioServer | HttpServer | TransportServer) & PerServer;

export interface McpOptions extends ToolOptions {
  /** As servers see this program. */
  readonly clientInfo?: { readonly name: string; readonly version: string };
  /**
   * Whether names of tools begin with their server's: `collision` (default) where two would have one name, `always` where a
   * name must mean the same tool whichever servers can be joined.
   */
  readonly prefix?: ToolPrefix;
  /** Answers what servers ask a person. */
  readonly questions?: QuestionHandlers;
  /** Lets servers ask a model. Deprecated since 2026-07-28. */
  readonly sampling?: SamplingOptions;
  /** Where servers may work. Deprecated since 2026-07-28, and told to those that still ask. */
  readonly roots?: readonly Root[];
  /** Default: 30 seconds. */
  readonly connectTimeoutMs?: number;
  readonly signal?: AbortSignal;
}

export interface McpFailure {
  readonly server: string;
  readonly error: Error;
}

/**
 * Joins MCP servers, by the names given to them, all at once: those that work are there, `failures` has the rest. Throws
 * `mcp/invalid`, and the error of a required one.
 */
export async function connectMcp(
  servers: { readonly [name: string]: McpServerOptions },
  options: McpOptions = {},
): Promise<McpClients> {
  const clients = new McpClients(servers, options);
  await clients.joinAll();
  return clients;
}

/** The servers that were joined, as tools of agents, and one by one. */
export class McpClients {
  readonly #servers: ReadonlyMap<string, McpServerOptions>;
  readonly #options: McpOptions;
  readonly #clients = new Map<string, McpClient>();
  readonly #failures = new Map<string, Error>();
  readonly #joining = new Map<string, Promise<McpClient>>();
  readonly #closed = new AbortController();

  constructor(servers: { readonly [name: string]: McpServerOptions }, options: McpOptions) {
    if (!isJsonObject(servers)) {
      throw failure("mcp/invalid", `the servers are ${kindOf(servers)}: give an object with each by its name`);
    }
    this.#servers = new Map(Object.entries(servers));
    this.#options = options;
    for (const [name, server] of this.#servers) {
      if (!isJsonObject(server)) {
        throw failure("mcp/invalid", `server \`${name}\` is ${kindOf(server)}: give an object that says where it is`);
      }
      if ("url" in server && !URL.canParse(String(server.url))) {
        const text = `server \`${name}\` has the url ${JSON.stringify(server.url)}, which is none: give a whole one, as \`https://host/mcp\``;
        throw failure("mcp/invalid", text);
      }
      const ways = ["command", "url", "transport"].filter(way => way in server);
      if (ways.length === 1) continue;
      throw failure(
        "mcp/invalid",
        `server \`${name}\` has ${ways.join(" and ") || "no way to it"}: give \`command\`, \`url\` or \`transport\``,
      );
    }
  }

  /** For `connectMcp`. */
  async joinAll(): Promise<void> {
    await Promise.all([...this.#servers.keys()].map(name => this.join(name).catch(() => undefined)));
    const failed = [...this.#failures].find(([name]) => this.#servers.get(name)?.required);
    if (!failed) return;
    await this.close();
    throw failed[1];
  }

  /**
   * Tries a server again that could not be joined; whoever asks while that is under way waits for the same. Throws
   * `mcp/invalid`, `mcp/unreachable`, `mcp/unauthorised`, `mcp/closed`.
   */
  async join(name: string): Promise<McpClient> {
    const server = this.#server(name);
    this.#closed.signal.throwIfAborted();
    const joined = this.#clients.get(name);
    if (joined) return joined;
    const joining = this.#joining.get(name) ?? this.#join(name, server).finally(() => this.#joining.delete(name));
    this.#joining.set(name, joining);
    return joining;
  }

  async #join(name: string, server: McpServerOptions): Promise<McpClient> {
    const { signal: given } = this.#options;
    const signal = AbortSignal.any([this.#closed.signal, ...(given ? [given] : [])]);
    try {
      const client = await McpClient.connect(name, server, setupOf(this.#options), signal);
      await client.tools();
      if (this.#closed.signal.aborted) await client.close();
      this.#closed.signal.throwIfAborted();
      this.#clients.set(name, client);
      this.#failures.delete(name);
      return client;
    } catch (error) {
      this.#failures.set(name, isError(error) ? error : new Error(String(error)));
      throw error;
    }
  }

  /** Ends the sign-in that a server asked for, with the parameters its answer came back with, and joins it. */
  async finishAuth(name: string, params: URLSearchParams): Promise<McpClient> {
    const { finishAuth, transport } = await openChannel(this.#server(name));
    if (!finishAuth) throw failure("mcp/invalid", `server \`${name}\` is joined without HTTP: nobody signs in there`);
    try {
      await finishAuth(params);
    } finally {
      await transport.close();
    }
    return this.join(name);
  }

  #server(name: string): McpServerOptions {
    const server = this.#servers.get(name);
    if (server) return server;
    throw failure("mcp/invalid", `no server is named \`${name}\`: there are ${[...this.#servers.keys()].join(", ")}`);
  }

  /** Those that could not be joined, or whose tools could not be read when they were last needed. */
  get failures(): readonly McpFailure[] {
    const read = [...this.#clients.values()].flatMap(({ name, problem }) =>
      problem ? [{ server: name, error: problem }] : [],
    );
    return [...[...this.#failures].map(([server, error]) => ({ server, error })), ...read];
  }

  get(name: string): McpClient | undefined {
    return this.#clients.get(name);
  }

  /** What servers tell a model about their use, for an agent's instructions. */
  get instructions(): string {
    return this.#inOrder()
      .flatMap(({ name, instructions }) => (instructions?.trim() ? [`${name}: ${instructions.trim()}`] : []))
      .join("\n");
  }

  /** All tools of all servers, as they are now: an agent's `tools`. */
  tools: ToolSource = () => this.#tools([]);

  /** The same beside tools of one's own, whose names no server's tool gets. */
  toolsBeside(own: readonly AgentTool[]): ToolSource {
    return async () => [...own, ...(await this.#tools(own.map(({ name }) => name)))];
  }

  async #tools(taken: readonly string[]): Promise<readonly AgentTool[]> {
    const lists = await Promise.all(this.#inOrder().map(client => this.#toolsOf(client)));
    const all = lists.flat();
    const names = toolNames(
      all.map(({ client, tool }) => ({ server: client.name, tool: tool.name })),
      this.#options.prefix ?? "collision",
      taken,
    );
    const { timeoutMs, needsApproval } = this.#options;
    return all.map(({ client, tool }, index) => {
      const server = this.#servers.get(client.name);
      const limit = server?.timeoutMs ?? timeoutMs;
      const approval = server?.needsApproval ?? needsApproval;
      return agentTool(client, tool, {
        name: names[index] ?? tool.name,
        ...(limit !== undefined && { timeoutMs: limit }),
        ...(approval !== undefined && { needsApproval: approval }),
      });
    });
  }

  async #toolsOf(client: McpClient) {
    const chosen = this.#servers.get(client.name)?.tools ?? (() => true);
    const isChosen = typeof chosen === "function" ? chosen : (name: string) => chosen.includes(name);
    const listed = await client.tools();
    const byName = new Map(listed.map(tool => [tool.name, tool]));
    return [...byName.values()].filter(({ name }) => isChosen(name)).map(tool => ({ client, tool }));
  }

  /** As they were given, whichever answered first. */
  #inOrder(): readonly McpClient[] {
    return [...this.#servers.keys()].flatMap(name => this.#clients.get(name) ?? []);
  }

  /** Leaves all sessions and ends all child processes. */
  async close(): Promise<void> {
    this.#closed.abort(failure("mcp/closed", "all connections to MCP servers were closed"));
    await Promise.allSettled(this.#joining.values());
    await Promise.allSettled([...this.#clients.values()].map(client => client.close()));
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}

const setupOf = ({
  clientInfo,
  questions = {},
  sampling,
  roots,
  connectTimeoutMs = 30_000,
}: McpOptions): ClientSetup => ({
  clientInfo: clientInfo ?? { name: "translogue", version: "0.1.0" },
  questions,
  sampling,
  roots,
  connectTimeoutMs,
});
