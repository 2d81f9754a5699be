import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { Readable } from "node:stream";
import {
  createMcpHandler,
  isLegacyRequest,
  WebStandardStreamableHTTPServerTransport,
} from "@modelcontextprotocol/server";
import { onTestFinished } from "vitest";
import type { McpServerOptions } from "../../src/mcp/index.ts";
import { type Journal, newJournal, toyServer } from "./toy-server.ts";

type Fetch = (request: Request) => Response | Promise<Response>;

/** The handler behind a real socket of this machine, until the test is over. */
export const listening = async (handle: Fetch): Promise<string> => (await hosted(handle)).url;

/** `drop` cuts every connection, as a proxy may. */
export async function hosted(handle: Fetch): Promise<{ readonly url: string; readonly drop: () => void }> {
  const server = createServer((request, response) => void answer(handle, request, response));
  await new Promise<void>(resolve => server.listen(0, "127.0.0.1", resolve));
  const drop = (): void => server.closeAllConnections();
  onTestFinished(() => {
    drop();
    server.close();
  });
  const { port } = server.address() as AddressInfo; // it listens on a port
  return { url: `http://127.0.0.1:${port}`, drop };
}

async function answer(handle: Fetch, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const gone = new AbortController();
  response.on("close", () => gone.abort());
  const hasBody = request.method === "POST";
  const asked = new Request(`http://${request.headers.host}${request.url}`, {
    method: request.method ?? "GET",
    headers: new Headers(request.headers as Record<string, string>), // those of the tests come once each
    signal: gone.signal,
    ...(hasBody && { body: Readable.toWeb(request) as ReadableStream<Uint8Array>, duplex: "half" }), // Node's own twin types
  });
  const { status, headers, body } = await Promise.resolve(asked)
    .then(handle)
    .catch(error => new Response(String(error), { status: 500 }));
  response.writeHead(status, Object.fromEntries(headers));
  response.flushHeaders();
  if (!body) return void response.end();
  try {
    for await (const chunk of body) response.write(chunk);
  } catch {
    // the reader has gone
  }
  response.end();
}

/** Serves the toy to clients of 2026-07-28. */
export function modernToy(journal: Journal): Fetch {
  const { fetch } = createMcpHandler(({ era }) => toyServer(journal, era), { legacy: "reject" });
  return request => fetch(request);
}

export interface OlderToy {
  readonly fetch: Fetch;
  /** As a restart would. */
  forget(): void;
  /** Ids of the sessions that were begun. */
  readonly begun: readonly string[];
  /** Headers and methods of JSON-RPC that came in. */
  readonly requests: readonly { readonly session: string | null; readonly method: string }[];
}

/** Serves the toy to older clients, with sessions. */
export function olderToy(journal: Journal): OlderToy {
  const sessions = new Map<string, WebStandardStreamableHTTPServerTransport>();
  const begun: string[] = [];
  const requests: { session: string | null; method: string }[] = [];
  return {
    begun,
    requests,
    forget: () => sessions.clear(),
    async fetch(request) {
      const session = request.headers.get("mcp-session-id");
      const body = request.method === "POST" ? await request.clone().json() : {};
      requests.push({ session, method: String(body.method ?? request.method) });
      if (!(await isLegacyRequest(request))) return new Response("not this century", { status: 400 });
      const known = session === null ? undefined : sessions.get(session);
      if (session !== null && !known) return new Response("no such session", { status: 404 });
      if (known) return known.handleRequest(request);
      const transport = new WebStandardStreamableHTTPServerTransport({
        sessionIdGenerator: () => `s${begun.length + 1}`,
        onsessioninitialized: id => {
          begun.push(id);
          sessions.set(id, transport);
        },
      });
      await toyServer(journal, "legacy").connect(transport);
      return transport.handleRequest(request);
    },
  };
}

const script = (name: string): string => new URL(name, import.meta.url).pathname;

export const toyProcess = (...args: string[]): McpServerOptions => ({
  command: process.execPath,
  args: [script("toy-stdio.ts"), ...args],
});

export const olderProcess = (): McpServerOptions => ({ command: process.execPath, args: [script("older-stdio.ts")] });

/** Every way to the toy. */
export const ways: Readonly<Record<string, () => Promise<McpServerOptions>>> = {
  "stdio, 2026-07-28": async () => toyProcess(),
  "stdio, older": async () => toyProcess("older"),
  "HTTP, 2026-07-28": async () => ({ url: await listening(modernToy(newJournal())) }),
  "HTTP, older": async () => ({ url: await listening(olderToy(newJournal()).fetch) }),
};
