import { spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { hostHeaderValidationResponse, localhostAllowedHostnames } from "@modelcontextprotocol/server";
import { isSoak } from "@translogue/testkit/seeded";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createAgent } from "../../src/index.ts";
import { mcpServer } from "../../src/mcp/server.ts";
import { scripted } from "../scripted-model.ts";
import { conformanceServer } from "./conformance-server.ts";
import { listening } from "./hosts.ts";

/**
 * The protocol's own suite, which is a command: each scenario is one run of it, in a process of its own. `npm test` runs one
 * of each kind, and `npm run soak conformance` all.
 */
const manifest = createRequire(import.meta.url).resolve("@modelcontextprotocol/conformance/package.json");
const suite = join(dirname(manifest), "dist/index.js");
const client = fileURLToPath(new URL("conformance-client.ts", import.meta.url));

let results: string;
beforeAll(async () => {
  results = await mkdtemp(join(tmpdir(), "translogue-conformance-"));
});
afterAll(() => rm(results, { recursive: true }));

/** Its verdict, and its words for a test that fails. */
async function run(
  mode: "client" | "server",
  ...args: readonly string[]
): Promise<{ code: number | null; said: string }> {
  const child = spawn(process.execPath, [suite, mode, ...args, "--output-dir", results], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  let said = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", chunk => (said += String(chunk)));
  const code = await new Promise<number | null>(resolve => child.on("close", resolve));
  return { code, said };
}

const passed = { code: 0, said: expect.stringMatching(/Passed: ([1-9]\d*)\/\1, 0 failed/) };

const everywhere = (scenarios: readonly string[], chosen: readonly string[]) => (isSoak ? scenarios : chosen);

describe("a client by `connectMcp`, under the protocol's own suite, does what is asked of clients", () => {
  const scenarios = [
    "initialize",
    "tools_call",
    "elicitation-sep1034-client-defaults",
    "sse-retry",
    "auth/metadata-default",
    "auth/metadata-var1",
    "auth/metadata-var2",
    "auth/metadata-var3",
    "auth/basic-cimd",
    "auth/scope-from-www-authenticate",
    "auth/scope-from-scopes-supported",
    "auth/scope-omitted-when-undefined",
    "auth/scope-step-up",
    "auth/scope-retry-limit",
    "auth/token-endpoint-auth-basic",
    "auth/token-endpoint-auth-post",
    "auth/token-endpoint-auth-none",
    "auth/pre-registration",
    "auth/2025-03-26-oauth-endpoint-fallback",
    "auth/resource-mismatch",
    "auth/offline-access-scope",
    "auth/offline-access-not-supported",
    "auth/client-credentials-jwt",
    "auth/client-credentials-basic",
    "auth/cross-app-access-complete-flow",
  ];
  const command = `${process.execPath} --no-warnings --conditions=translogue-source ${client}`;
  test.each(everywhere(scenarios, ["tools_call", "auth/scope-step-up"]))(
    "%s",
    async scenario => {
      expect(await run("client", "--command", command, "--scenario", scenario)).toMatchObject(passed);
    },
    120_000,
  );

  test.runIf(isSoak)(
    "refuses the suite's one sign-in server that gives itself out as another (RFC 8414, 3.3)",
    async () => {
      const result = await run(
        "client",
        "--command",
        command,
        "--scenario",
        "auth/2025-03-26-oauth-metadata-backcompat",
      );
      expect(result).toMatchObject({ code: 1, said: expect.stringContaining("Issuer mismatch") });
    },
    120_000,
  );
});

const listener = () =>
  createAgent({ name: "listener", description: "Listens", model: scripted(() => ({ chunks: ["heard"] })) });

describe("a served agent, under the protocol's own suite, does what is asked of any server", () => {
  const scenarios = [
    "server-initialize",
    "ping",
    "tools-list",
    "server-sse-multiple-streams",
    "dns-rebinding-protection",
  ];
  test.each(everywhere(scenarios, ["server-sse-multiple-streams"]))(
    "%s",
    async scenario => {
      const server = mcpServer(listener());
      // Origin and token are checked by whoever passes the request on.
      const url = await listening(
        async request => hostHeaderValidationResponse(request, localhostAllowedHostnames()) ?? server.fetch(request),
      );
      expect(await run("server", "--url", `${url}/mcp`, "--scenario", scenario)).toMatchObject(passed);
      await server.close();
    },
    120_000,
  );
});

describe("a server behind the sessions of served agents passes the protocol's own suite", () => {
  test("whole", async () => {
    const server = conformanceServer();
    const url = await listening(
      async request => hostHeaderValidationResponse(request, localhostAllowedHostnames()) ?? server.fetch(request, {}),
    );
    expect(await run("server", "--url", `${url}/mcp`)).toMatchObject({
      code: 0,
      said: expect.stringMatching(/0 failed/),
    });
    await server.close();
  }, 240_000);
});
