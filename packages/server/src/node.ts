import { randomUUID } from "node:crypto";
import type { Server as HttpServer } from "node:http";
import type { AddressInfo } from "node:net";
import { createAdaptorServer, type HttpBindings } from "@hono/node-server";
import { correlationIdOf } from "./correlation.ts";
import { errorResponse, HttpError } from "./http-error.ts";
import type { Server } from "./server.ts";

export interface ServeOptions {
  /** Default 0: one that is free. */
  readonly port?: number;
  /** Default 127.0.0.1: this machine alone. */
  readonly host?: string;
  /**
   * Names by which it may be called. Default on a loopback address: those of this machine, so that a page whose name was made
   * to point here cannot speak to it; elsewhere any.
   */
  readonly hosts?: readonly string[];
  /** Whether SIGTERM and SIGINT shut down gracefully and end the process with 0. Default true. */
  readonly signals?: boolean;
}

export interface Listening {
  readonly url: string;
  readonly port: number;
  /** Takes no more connections, lets streams end up to the server's deadline, stops the rest, and closes the store. */
  close(): Promise<void>;
  /** Resolves when all is closed. */
  readonly closed: Promise<void>;
}

/** Puts a server on a port of this machine. */
export async function serve(server: Server, options: ServeOptions = {}): Promise<Listening> {
  const host = options.host ?? "127.0.0.1";
  // Globals stay as they are: an application's own `Response` is not ours to replace.
  const answer = onlyFor(options.hosts ?? (loopback.has(host) ? [...loopback] : undefined), server.fetch);
  const fetch = (request: Request, env: unknown): Response | Promise<Response> => {
    const { incoming } = env as HttpBindings; // HTTP/1 alone is spoken
    return climbs(incoming.url ?? "") ? nothingThere(request) : answer(request);
  };
  const http = createAdaptorServer({ fetch, overrideGlobalObjects: false }) as HttpServer; // no other kind was asked for
  await listen(http, host, options.port ?? 0);
  const { port } = http.address() as AddressInfo; // it listens on TCP
  const { promise: closed, resolve, reject } = Promise.withResolvers<void>();

  let closing: Promise<void> | undefined;
  const close = (): Promise<void> => {
    closing ??= shutDown(http, server).then(resolve, reject);
    return closing;
  };
  if (options.signals ?? true) endWith(close);
  return { url: `http://${host.includes(":") ? `[${host}]` : host}:${port}`, port, close, closed };
}

const loopback: ReadonlySet<string> = new Set(["127.0.0.1", "localhost", "::1"]);

function onlyFor(hosts: readonly string[] | undefined, fetch: Server["fetch"]): Server["fetch"] {
  if (!hosts) return fetch;
  const names = new Set(hosts);
  return async request => {
    const name = new URL(request.url).hostname.replace(/^\[|\]$/g, "");
    if (names.has(name)) return fetch(request);
    const error = new HttpError(421, `this server is not \`${name}\`; name that in \`hosts\` if it is to be`);
    return errorResponse(error, correlationIdOf(request, { now: Date.now(), random: randomUUID() }));
  };
}

/** Whether an address has steps that a URL would resolve: no client of ours sends them, and what they mean is nobody's page. */
const climbs = (address: string): boolean => /(?:^|\/)(?:\.|%2e){1,2}(?:\/|$)/i.test(address.split("?", 1)[0] ?? "");

const nothingThere = (request: Request): Response =>
  errorResponse(
    new HttpError(404, "there is nothing at an address with `.` or `..` as a step"),
    correlationIdOf(request, { now: Date.now(), random: randomUUID() }),
  );

function listen(http: HttpServer, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    http.once("error", reject);
    http.listen(port, host, () => {
      http.off("error", reject);
      resolve();
    });
  });
}

/** How long clients have to take the end of their streams. */
const flushMs = 2000;

async function shutDown(http: HttpServer, server: Server): Promise<void> {
  const gone = new Promise<void>(resolve => http.close(() => resolve()));
  const sweep = setInterval(() => http.closeIdleConnections(), 20);
  await server.close();
  const deadline = setTimeout(() => http.closeAllConnections(), flushMs);
  await gone;
  clearTimeout(deadline);
  clearInterval(sweep);
}

function endWith(close: () => Promise<void>): void {
  const end = (): void => {
    close().then(
      () => process.exit(0),
      () => process.exit(1),
    );
  };
  process.once("SIGTERM", end);
  process.once("SIGINT", end);
}
