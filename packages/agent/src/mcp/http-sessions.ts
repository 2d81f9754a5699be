import { type McpServer, WebStandardStreamableHTTPServerTransport } from "@modelcontextprotocol/server";
import type { ServeRequestOptions } from "./server.ts";

const most = 1000;

interface OpenSession {
  readonly transport: WebStandardStreamableHTTPServerTransport;
  /** Who began it: a session's id is no secret, and opens it for nobody else. */
  readonly caller: string;
}

/**
 * The sessions of clients before 2026-07-28, each with a server of its own: only so does a cancellation, which comes as a
 * request of its own, find the call it is about.
 */
export class HttpSessions {
  readonly #server: () => McpServer;
  readonly #callerOf: (options: ServeRequestOptions) => string;
  readonly #open = new Map<string, OpenSession>();

  constructor(server: () => McpServer, callerOf: (options: ServeRequestOptions) => string) {
    this.#server = server;
    this.#callerOf = callerOf;
  }

  async fetch(request: Request, options: ServeRequestOptions): Promise<Response> {
    const id = request.headers.get("mcp-session-id");
    if (id === null) return this.#begin(request, options);
    const open = this.#open.get(id);
    if (!open || open.caller !== this.#callerOf(options)) return forgotten();
    // The last used is the last to go.
    this.#open.delete(id);
    this.#open.set(id, open);
    return open.transport.handleRequest(request, options);
  }

  async #begin(request: Request, options: ServeRequestOptions): Promise<Response> {
    const caller = this.#callerOf(options);
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => globalThis.crypto.randomUUID(),
      onsessioninitialized: id => void this.#open.set(id, { transport, caller }),
      onsessionclosed: id => void this.#open.delete(id),
    });
    const server = this.#server();
    await server.connect(transport);
    const response = await transport.handleRequest(request, options);
    if (transport.sessionId === undefined) await server.close(); // it was no handshake, and is answered
    await this.#makeRoom();
    return response;
  }

  async #makeRoom(): Promise<void> {
    const [oldest] = this.#open;
    if (!oldest || this.#open.size <= most) return;
    this.#open.delete(oldest[0]);
    await oldest[1].transport.close();
  }

  async close(): Promise<void> {
    const open = [...this.#open.values()];
    this.#open.clear();
    await Promise.allSettled(open.map(({ transport }) => transport.close()));
  }
}

/** Of JSON-RPC, as the specification has it for a session that is no more. */
const forgotten = (): Response =>
  Response.json({ jsonrpc: "2.0", error: { code: -32_001, message: "Session not found" }, id: null }, { status: 404 });
