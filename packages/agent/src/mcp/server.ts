/** Agents as MCP servers. */

import {
  type AuthInfo,
  type CallToolResult,
  createMcpHandler,
  fromJsonSchema,
  type InputRequiredResult,
  isLegacyRequest,
  McpServer,
  type ServerContext,
} from "@modelcontextprotocol/server";
import { isJsonObject, type JsonObject } from "translogue";
import type { Agent, RunInput } from "../agent.ts";
import { messageOf } from "../errors.ts";
import { type AgentResponse, type AgentResponseUpdate, accumulateUpdates } from "../response.ts";
import type { AgentSession } from "../session.ts";
import { blocksOf } from "./content.ts";
import { HttpSessions } from "./http-sessions.ts";
import { toolNames } from "./names.ts";
import { askAll, askingResult, asksIn, canAsk, givenAnswers } from "./serve-requests.ts";

/** Keeps conversations between calls, by a key made of who calls and the conversation's id. */
export interface SessionStore {
  get(key: string): AgentSession | undefined | Promise<AgentSession | undefined>;
  set(key: string, session: AgentSession): void | Promise<void>;
}

export interface McpServeOptions {
  /** Of the tool that runs the agent. Default: the agent's name. */
  readonly name?: string;
  readonly title?: string;
  /** Default: the agent's. */
  readonly description?: string;
  /** Of the server. Default `1.0.0`. */
  readonly version?: string;
  /**
   * What a call goes on with that names no conversation: nothing, it begins its own (`call`, the default); or what was said
   * before over the same connection or MCP session (`connection`), one call after the other.
   */
  readonly conversation?: "call" | "connection";
  /** Default: the last 1000 in memory. */
  readonly sessions?: SessionStore;
  /**
   * Names the person who calls, of what was checked: another finds neither their conversations nor their MCP sessions.
   * Default: the client, and the subject (`extra.sub`) where the token names one.
   */
  readonly caller?: (authInfo: AuthInfo) => string;
}

export interface ServeRequestOptions {
  /** Who calls, as checked by whoever passes the request on: conversations of others are not found. */
  readonly authInfo?: AuthInfo;
  readonly parsedBody?: unknown;
}

/** An agent as an MCP server, of the newest specification and of older ones. */
export interface McpAgentServer {
  /** Serves one HTTP request. Check its origin and its token before. */
  fetch(request: Request, options?: ServeRequestOptions): Promise<Response>;
  /** Serves the standard input and output of this process, to their end or until closed. */
  stdio(): Promise<{ close(): Promise<void> }>;
  /** Ends all that is served by HTTP; runs under way are stopped. */
  close(): Promise<void>;
}

/**
 * An agent as an MCP server with one tool, which runs it: `message` goes in, its answer comes out, its text as it is
 * written is told by progress. A cancelled call stops the run. Results name their conversation (`structuredContent.session`);
 * a call that gives it as `session` goes on there. What needs approval, and what tools ask people, is asked of the client's
 * person, where the client has one (elicitation); else the result says what waits.
 */
export function mcpServer(agent: Agent, options: McpServeOptions = {}): McpAgentServer {
  const served = new ServedAgent(agent, options);
  const modern = createMcpHandler(({ era }) => served.server(era), { legacy: "reject" });
  const older = new HttpSessions(
    () => served.server("legacy"),
    given => served.callerOf(given.authInfo),
  );
  return {
    async fetch(request, given = {}) {
      const isOlder = await ("parsedBody" in given
        ? isLegacyRequest(request, given.parsedBody)
        : isLegacyRequest(request));
      return isOlder ? older.fetch(request, given) : modern.fetch(request, given);
    },
    async stdio() {
      const { serveStdio } = await import("@modelcontextprotocol/server/stdio");
      return serveStdio(({ era }) => served.server(era));
    },
    async close() {
      await Promise.allSettled([modern.close(), older.close()]);
    },
  };
}

const toolInput: JsonObject = {
  type: "object",
  properties: {
    message: { type: "string", description: "What to say to the agent." },
    session: { type: "string", description: "The conversation to go on with, as an earlier result named it." },
  },
  required: ["message"],
};

/** What one connection has said so far. */
interface Connection {
  readonly server: McpServer;
  readonly isModern: boolean;
  session?: AgentSession;
  last: Promise<unknown>;
}

class ServedAgent {
  readonly #agent: Agent;
  readonly #options: McpServeOptions;
  readonly #sessions: SessionStore;

  constructor(agent: Agent, options: McpServeOptions) {
    this.#agent = agent;
    this.#options = options;
    this.#sessions = options.sessions ?? memoryStore(1000);
  }

  /** A server of its own for each connection. */
  server(era: "legacy" | "modern"): McpServer {
    const {
      name = this.#agent.name ?? "agent",
      title,
      description = this.#agent.description,
      version = "1.0.0",
    } = this.#options;
    const server = new McpServer({ name, version }, { capabilities: { tools: {} } });
    const connection: Connection = { server, isModern: era === "modern", last: Promise.resolve() };
    const [tool = "agent"] = toolNames([{ server: name, tool: name }], "collision");
    server.registerTool(
      tool,
      {
        ...(title !== undefined && { title }),
        description: description ?? `Runs the agent ${name}.`,
        inputSchema: fromJsonSchema(toolInput),
      },
      (input, context) => this.#call(isJsonObject(input) ? input : {}, context, connection),
    );
    return server;
  }

  /** As one name, which no other caller has. */
  callerOf(authInfo: AuthInfo | undefined): string {
    if (!authInfo) return "";
    const { caller = ({ clientId, extra }: AuthInfo) => JSON.stringify([clientId, extra?.["sub"]]) } = this.#options;
    return JSON.stringify(caller(authInfo));
  }

  /** Conversations of one caller are none of another's. */
  #keyOf(id: string, { http }: ServerContext): string {
    return JSON.stringify([this.callerOf(http?.authInfo), id]);
  }

  async #call(input: JsonObject, context: ServerContext, connection: Connection): Promise<Answer> {
    const { message, session: id } = input;
    const run = (session: AgentSession, said: RunInput) => this.#run(said, session, { context, connection });
    try {
      const asked = context.mcpReq.requestState();
      if (typeof asked === "string") {
        const session = await this.#found(asked, context);
        const answers = givenAnswers(session, context);
        return answers ? await run(session, answers) : askingResult(session);
      }
      if (typeof id === "string") return await run(await this.#found(id, context), String(message));
      if (this.#options.conversation !== "connection")
        return await run(await this.#agent.createSession(), String(message));
      const turn = connection.last.then(async () => {
        connection.session ??= await this.#agent.createSession();
        return run(connection.session, String(message));
      });
      connection.last = turn.catch(() => undefined);
      return await turn;
    } catch (error) {
      return { content: [{ type: "text", text: messageOf(error) || "the agent failed" }], isError: true };
    }
  }

  async #found(id: string, context: ServerContext): Promise<AgentSession> {
    const session = await this.#sessions.get(this.#keyOf(id, context));
    if (session) return session;
    throw new Error(`there is no conversation \`${id}\`: leave \`session\` out to begin one`);
  }

  /** To its end, asking the client's person for what the agent may not do by itself. */
  async #run(
    input: RunInput,
    session: AgentSession,
    { context, connection }: { readonly context: ServerContext; readonly connection: Connection },
  ): Promise<Answer> {
    const { server, isModern } = connection;
    for (let said = input; ; ) {
      const response = await this.#told(said, session, context);
      // Kept before anyone is asked: whoever cannot or will not answer now may do so later.
      await this.#sessions.set(this.#keyOf(session.id, context), session);
      if (asksIn(session).length === 0 || !canAsk(server, context)) return resultOf(response, session);
      if (isModern) return askingResult(session);
      const answers = await askAll(session, context);
      if (!answers) return resultOf(response, session);
      said = answers;
    }
  }

  async #told(input: RunInput, session: AgentSession, context: ServerContext): Promise<AgentResponse> {
    const { signal, _meta, notify } = context.mcpReq;
    const token = _meta?.progressToken;
    const updates: AgentResponseUpdate[] = [];
    let progress = 0;
    for await (const update of this.#agent.runStreaming(input, { session, signal })) {
      updates.push(update);
      if (token === undefined || update.text === "") continue;
      progress += 1;
      const params = { progressToken: token, progress, message: update.text };
      await notify({ method: "notifications/progress", params });
    }
    return accumulateUpdates(updates);
  }
}

type Answer = CallToolResult | InputRequiredResult;

function resultOf({ messages, finish, error }: AgentResponse, session: AgentSession): CallToolResult {
  const answer = messages.findLast(({ role }) => role === "assistant");
  const waiting = session.pendingApprovals.map(({ call }) => call.name);
  const questions = session.pendingInputs.map(({ call, message = call.name, url }) =>
    url === undefined ? message : `${message} (${url})`,
  );
  const structuredContent = {
    session: session.id,
    ...(finish && { finish: finish.reason }),
    ...(waiting.length > 0 && { pendingApprovals: waiting }),
    ...(questions.length > 0 && { pendingInputs: questions }),
  };
  if (error) return { content: [{ type: "text", text: error.message }], structuredContent, isError: true };
  const content = blocksOf(answer?.parts ?? []);
  if (waiting.length > 0) {
    content.push({ type: "text", text: `Waiting for a person to approve: ${waiting.join(", ")}.` });
  }
  if (questions.length > 0) {
    content.push({ type: "text", text: `Waiting for a person to answer: ${questions.join("; ")}` });
  }
  return { content, structuredContent };
}

function memoryStore(most: number): SessionStore {
  const sessions = new Map<string, AgentSession>();
  return {
    get: key => sessions.get(key),
    set(key, session) {
      sessions.delete(key);
      sessions.set(key, session);
      const [oldest] = sessions.keys();
      if (sessions.size > most && oldest !== undefined) sessions.delete(oldest);
    },
  };
}
