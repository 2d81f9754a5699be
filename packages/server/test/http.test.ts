import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { bearerKeys, hashKey, type LogEntry } from "../src/index.ts";
import { type Fixture, serverOf, toolOf } from "./scripted.ts";

const noTool = () => toolOf("look", () => "seen");

describe("the API's shape", () => {
  let server: Fixture;
  const log: LogEntry[] = [];
  beforeAll(async () => {
    server = await serverOf({
      log: entry => log.push(entry),
      agentTools: [noTool()],
      tools: [
        { tool: toolOf("bash", () => ""), category: "sandbox", requiresSandbox: true },
        { tool: toolOf("reply", () => ""), requiredContext: ["configData"], byDefault: false },
      ],
      promptTypes: [{ id: "recruiter", description: "Answers candidates", tools: ["reply"] }],
      contextFields: { configData: { type: "object", required: false, description: "Shops" } },
    });
  });
  afterAll(() => server.close());

  it("lists models, tools with what they need, prompt types and context fields", async () => {
    const data = async (path: string) => (await (await server.get(path)).json()) as unknown;
    expect(await data("/api/v1/models")).toEqual({
      success: true,
      data: { models: [{ id: "demo/scripted", name: "demo/scripted", categories: ["chat", "demo"] }] },
    });
    const row = { description: expect.any(String), category: "general", requiresSandbox: false, requiredContext: [] };
    expect(await data("/api/v1/tools")).toEqual({
      success: true,
      data: {
        tools: [
          { ...row, name: "bash", category: "sandbox", requiresSandbox: true },
          { ...row, name: "reply", requiredContext: ["configData"] },
          { ...row, name: "look" },
        ],
      },
    });
    expect(await data("/api/v1/prompt-types")).toEqual({
      success: true,
      data: { promptTypes: [{ id: "recruiter", description: "Answers candidates" }] },
    });
    expect(await data("/api/v1/config-schema")).toMatchObject({
      data: { context: { configData: { type: "object", required: false, description: "Shops" } } },
    });
  });

  it("answers what is not there, and methods that are not taken, in the shape of errors", async () => {
    const missing = await server.get("/api/v1/nothing");
    expect([missing.status, await missing.json()]).toEqual([
      404,
      {
        error: "NotFound",
        message: "there is nothing at /api/v1/nothing",
        statusCode: 404,
        correlationId: missing.headers.get("x-correlation-id"),
      },
    ]);
    const wrong = await server.get("/api/v1/chat");
    expect([wrong.status, wrong.headers.get("allow")]).toEqual([405, "POST"]);
    expect(await wrong.json()).toMatchObject({ error: "MethodNotAllowed", statusCode: 405 });
    expect((await server.get("/api/v1/sessions/none")).status).toBe(404);
    expect((await server.get("/")).status).toBe(404);
  });

  it("keeps a client's correlation id where it is well formed, and makes one where it is not", async () => {
    const idOf = async (given?: string) =>
      (await server.get("/healthz", given === undefined ? {} : { "x-correlation-id": given })).headers.get(
        "x-correlation-id",
      );
    expect(await idOf("trace-1.2:3")).toBe("trace-1.2:3");
    expect(await idOf()).toMatch(/^req-\d+-[0-9a-z]{7}$/);
    expect(await idOf("two words")).toMatch(/^req-/);
    expect(await idOf("x".repeat(200))).toMatch(/^req-/);
  });

  it("logs requests by route and status, and never what they say", async () => {
    log.length = 0;
    await server.post("/api/v1/chat?token=secret-in-query", '{"messages": "secret-in-body"');
    expect(log).toMatchObject([{ event: "request", route: "/api/v1/chat", status: 400, method: "POST" }]);
    expect(JSON.stringify(log)).not.toContain("secret");
  });

  it("says that it lives and that it is ready, until it shuts down", async () => {
    const other = await serverOf();
    expect((await other.get("/healthz")).status).toBe(200);
    expect(await (await other.get("/readyz")).json()).toEqual({ status: "ok" });
    await other.close();
    expect((await other.get("/healthz")).status).toBe(200);
    expect([(await other.get("/readyz")).status, (await other.get("/api/v1/models")).status]).toEqual([503, 503]);
  });

  it("answers pages of other origins only where it is configured", async () => {
    const origin = "https://app.example";
    expect((await server.get("/api/v1/models", { origin })).headers.get("access-control-allow-origin")).toBeNull();
    const posted = await server.post("/api/v1/chat", {}, { origin });
    expect([posted.status, await posted.json()]).toMatchObject([403, { error: "Forbidden" }]);
    expect((await server.post("/api/v1/chat", {}, { origin: "http://server.test" })).status).toBe(400);
    const open = await serverOf({ cors: { origins: [origin] } });
    const answer = await open.get("/api/v1/models", { origin });
    expect(answer.headers.get("access-control-allow-origin")).toBe(origin);
    expect(answer.headers.get("access-control-expose-headers")).toContain("X-Correlation-Id");
    expect(
      (await open.get("/api/v1/models", { origin: "https://other.example" })).headers.get(
        "access-control-allow-origin",
      ),
    ).toBeNull();
    const preflight = await open.fetch(
      new Request("http://server.test/api/v1/chat", {
        method: "OPTIONS",
        headers: { origin, "access-control-request-method": "POST", "access-control-request-headers": "content-type" },
      }),
    );
    expect([preflight.status, preflight.headers.get("access-control-allow-methods")]).toEqual([
      204,
      expect.stringContaining("POST"),
    ]);
    await open.close();
  });
});

describe("bearer keys", () => {
  it("let in who has one, and tell the others what is missing", async () => {
    const keys = [
      { name: "ann", sha256: hashKey("key-of-ann") },
      { name: "bob", sha256: hashKey("key-of-bob") },
    ];
    const server = await serverOf({ authenticate: bearerKeys(keys) });
    const ask = (authorization?: string) =>
      server.get("/api/v1/models", authorization === undefined ? {} : { authorization });
    expect((await ask("Bearer key-of-bob")).status).toBe(200);
    const messages: [string | undefined, string][] = [
      [undefined, "Missing authorization header"],
      ["Basic abc", "Invalid authorization format. Use: Bearer <token>"],
      ["Bearer nope", "Invalid or expired API key"],
    ];
    for (const [header, message] of messages) {
      const refused = await ask(header);
      expect([refused.status, refused.headers.get("www-authenticate")]).toEqual([401, "Bearer"]);
      expect(await refused.json()).toMatchObject({ error: "Unauthorized", message, statusCode: 401 });
    }
    expect((await server.get("/healthz")).status).toBe(200);
    await server.close();
  });
});

describe("the studio's files", () => {
  let folder: string;
  let server: Fixture;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "translogue-studio-"));
    mkdirSync(join(folder, "assets"));
    writeFileSync(join(folder, "index.html"), "<!doctype html><title>Studio</title>");
    writeFileSync(join(folder, "assets", "index-Ab12Cd34.js"), "console.log(1)".repeat(50));
    writeFileSync(join(folder, "favicon.svg"), "<svg/>");
    server = await serverOf({ studioDir: folder });
  });
  afterAll(async () => {
    await server.close();
    rmSync(folder, { recursive: true });
  });

  it("are the page at every address of the app, asked for again each time", async () => {
    for (const path of ["/", "/index.html", "/s/some-session", "/inspect"]) {
      const page = await server.get(path);
      expect(await page.text()).toContain("<title>Studio</title>");
      expect(page.headers.get("cache-control")).toBe("no-cache");
      expect(page.headers.get("content-security-policy")).toContain("script-src 'self'");
      expect(page.headers.get("x-content-type-options")).toBe("nosniff");
    }
  });

  it("are kept for good where their name has a hash, and come compressed to who takes that", async () => {
    const path = "/assets/index-Ab12Cd34.js";
    const plain = await server.get(path);
    expect(plain.headers.get("cache-control")).toBe("public, max-age=31536000, immutable");
    expect(plain.headers.get("content-type")).toBe("text/javascript; charset=utf-8");
    const packed = await server.get(path, { "accept-encoding": "br, gzip" });
    expect(packed.headers.get("content-encoding")).toBe("gzip");
    const unpacked = new Response(packed.body?.pipeThrough(new DecompressionStream("gzip")));
    expect(await unpacked.text()).toBe(await plain.text());
    const again = await server.get(path, { "if-none-match": plain.headers.get("etag") ?? "" });
    expect([again.status, await again.text()]).toEqual([304, ""]);
  });

  it("end at the folder, and never stand in for the API or for files that are missing", async () => {
    writeFileSync(join(folder, "..", "translogue-outside.txt"), "outside");
    const paths = [
      "/../translogue-outside.txt",
      "/%2e%2e/translogue-outside.txt",
      "/..%2ftranslogue-outside.txt",
      "/assets/none.js",
      "/api/v1/none",
      "/v1/none",
    ];
    mkdirSync(join(folder, ".git"));
    writeFileSync(join(folder, ".git", "config"), "secret");
    const noPages = [
      "/.git/config",
      "/.git",
      "/%00",
      "/s/%00",
      "/s/",
      "/s/a/b",
      "/inspect/x",
      "/elsewhere",
      "/wp-admin",
    ];
    for (const path of [...paths, ...noPages]) expect([path, (await server.get(path)).status]).toEqual([path, 404]);
    rmSync(join(folder, "..", "translogue-outside.txt"));
    expect((await server.post("/", {})).status).toBe(404);
  });
});
