import { Hono } from "hono";
import { cors } from "hono/cors";
import { ownerOf, unauthorized } from "./auth.ts";
import type { ServerConfig } from "./config.ts";
import { correlationIdOf } from "./correlation.ts";
import { asHttpError, errorResponse, HttpError } from "./http-error.ts";
import { failureFields } from "./log.ts";
import type { Call } from "./routes/call.ts";
import { listModels, listPromptTypes, listTools, readConfigSchema } from "./routes/catalog.ts";
import { chat } from "./routes/chat.ts";
import { checkHistory, repairHistory } from "./routes/check.ts";
import { convertHistory } from "./routes/convert.ts";
import { readHealth, readReadiness } from "./routes/health.ts";
import { deleteSession, listSessions, readSession, resumeChat, stopChat } from "./routes/sessions.ts";
import { createServices, type Services } from "./services.ts";
import { type StaticFiles, staticFiles } from "./static-files.ts";

export interface Server {
  readonly fetch: (request: Request) => Promise<Response>;
  /** Takes no more requests, lets runs end up to `drainMs`, stops the rest, and closes the store. */
  close(): Promise<void>;
}

interface Route {
  readonly method: "GET" | "POST" | "DELETE";
  readonly path: string;
  readonly handle: (call: Call) => Response | Promise<Response>;
  /** Anyone may ask. */
  readonly isPublic?: true;
}

const routes: readonly Route[] = [
  { method: "POST", path: "/api/v1/chat", handle: chat },
  { method: "GET", path: "/api/v1/chat/:id/stream", handle: resumeChat },
  { method: "POST", path: "/api/v1/chat/:id/stop", handle: stopChat },
  { method: "GET", path: "/api/v1/models", handle: listModels },
  { method: "GET", path: "/api/v1/tools", handle: listTools },
  { method: "GET", path: "/api/v1/prompt-types", handle: listPromptTypes },
  { method: "GET", path: "/api/v1/config-schema", handle: readConfigSchema },
  { method: "GET", path: "/api/v1/sessions", handle: listSessions },
  { method: "GET", path: "/api/v1/sessions/:id", handle: readSession },
  { method: "DELETE", path: "/api/v1/sessions/:id", handle: deleteSession },
  { method: "POST", path: "/api/v1/convert", handle: convertHistory },
  { method: "POST", path: "/api/v1/check", handle: checkHistory },
  { method: "POST", path: "/api/v1/repair", handle: repairHistory },
  { method: "GET", path: "/healthz", handle: readHealth, isPublic: true },
  { method: "GET", path: "/readyz", handle: readReadiness, isPublic: true },
];

const exposedHeaders = [
  "X-Correlation-Id",
  "X-Tools-Skipped",
  "X-Messages-Dropped",
  "X-Message-Pruned",
  "X-Options-Ignored",
  "X-Answers-Ignored",
  "X-Detected",
  "X-Losses",
  "X-Issues",
  "X-Repairs",
  "Translogue-Run",
];
const aDay = 86_400;

/**
 * An agent behind HTTP. `fetch` needs no port: mount it wherever a `Request` is answered with a `Response`. Throws
 * `server/config` for options that cannot be meant.
 */
export function createServer(config: ServerConfig): Server {
  const services = createServices(config);
  const app = new Hono();
  if (config.cors) app.use("/api/*", corsOf(config.cors));
  for (const route of routes) {
    app.on(route.method, route.path, ({ req }) =>
      answer(route, services, { request: req.raw, id: req.param("id") ?? "" }),
    );
  }
  for (const path of new Set(routes.map(route => route.path))) {
    app.all(path, ({ req }) => answer(notAllowed(path), services, { request: req.raw, id: "" }));
  }
  const studio = config.studioDir === undefined ? undefined : staticFiles(config.studioDir);
  app.notFound(({ req }) => answer(pageOrNothing(studio), services, { request: req.raw, id: "" }));

  const answering = new Set<Promise<Response>>();
  const fetch = (request: Request): Promise<Response> => {
    const response = Promise.resolve(app.fetch(request)).finally(() => answering.delete(response));
    answering.add(response);
    return response;
  };
  let closing: Promise<void> | undefined;
  const close = async (): Promise<void> => {
    services.config.log({ level: "info", event: "shutdown" });
    await services.runs.drain(services.config.drainMs);
    await Promise.allSettled(answering);
    await services.store.close();
  };
  return {
    fetch,
    close: () => {
      closing ??= close();
      return closing;
    },
  };
}

interface Asked {
  readonly request: Request;
  readonly id: string;
}

async function answer(route: Route, services: Services, { request, id }: Asked): Promise<Response> {
  const { log, now, newId } = services.config;
  const begun = now();
  const correlationId = correlationIdOf(request, { now: begun, random: newId() });
  const url = new URL(request.url);
  let response: Response;
  try {
    const owner = route.isPublic ? "" : await authenticate(services, request);
    if (!isOwnPage(services, request, url)) throw foreignPage();
    if (services.runs.isDraining && !route.isPublic) throw shuttingDown();
    response = await route.handle({ request, url, id, correlationId, owner, services });
  } catch (error) {
    const known = asHttpError(error);
    if (known.status >= 500)
      log({ level: "error", event: "failure", correlationId, ...failureFields(known.cause ?? known) });
    response = errorResponse(known, correlationId);
  }
  response.headers.set("x-correlation-id", correlationId);
  const took = { status: response.status, durationMs: now() - begun };
  log({ level: "info", event: "request", correlationId, method: request.method, route: route.path, ...took });
  return response;
}

async function authenticate({ config }: Services, request: Request): Promise<string> {
  if (!config.authenticate) return "";
  const identity = await config.authenticate(request);
  if (!identity) throw unauthorized("Invalid or expired API key");
  return ownerOf(identity);
}

/**
 * A page of another origin may send some requests without asking first, and a browser adds what it knows of the user. Only
 * pages that are configured may change anything.
 */
function isOwnPage({ config }: Services, { method, headers }: Request, url: URL): boolean {
  const origin = headers.get("origin");
  if (origin === null || method === "GET" || method === "HEAD" || method === "OPTIONS") return true;
  const allowed = config.cors?.origins ?? [];
  const host = headers.get("host") ?? url.host;
  return allowed === "*" || allowed.includes(origin) || (URL.canParse(origin) && new URL(origin).host === host);
}

const foreignPage = (): HttpError =>
  new HttpError(403, "pages of this origin may not call the server; name the origin in `cors` if it is to");

const shuttingDown = (): HttpError =>
  new HttpError(503, "the server shuts down; send the request again in a moment", {
    headers: { "retry-after": "1", connection: "close" },
  });

const notAllowed = (path: string): Route => ({
  method: "GET",
  path,
  isPublic: true,
  handle: ({ request }) => {
    const allowed = routes
      .filter(route => route.path === path)
      .map(route => route.method)
      .join(", ");
    throw new HttpError(405, `${request.method} is not for this address; it takes ${allowed}`, {
      headers: { allow: allowed },
    });
  },
});

const pageOrNothing = (studio: StaticFiles | undefined): Route => ({
  method: "GET",
  path: "*",
  isPublic: true,
  handle: async ({ request, url }) => {
    const isPage =
      (request.method === "GET" || request.method === "HEAD") && !/^\/(?:api|v1)(?:\/|$)/.test(url.pathname);
    const page = isPage ? await studio?.respond(request) : undefined;
    if (page) return page;
    throw new HttpError(404, `there is nothing at ${url.pathname}`);
  },
});

const corsOf = ({ origins, maxAge }: NonNullable<ServerConfig["cors"]>) =>
  cors({
    origin: origins === "*" ? "*" : [...origins],
    exposeHeaders: exposedHeaders,
    maxAge: maxAge ?? aDay,
  });
