import { spawn } from "node:child_process";
import { mkdtemp, readFile, realpath, rm } from "node:fs/promises";
import { createRequire } from "node:module";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import type { McpServerOptions } from "../../src/mcp/index.ts";
import { calls, joined, ran, wordsOf } from "./joined.ts";

/** Servers that others made and publish, as their users start them. */
const program = (name: string): string => {
  const manifest = createRequire(import.meta.url).resolve(`@modelcontextprotocol/${name}/package.json`);
  return join(dirname(manifest), "dist/index.js");
};

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>(resolve => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  await new Promise(resolve => server.close(resolve));
  return typeof address === "object" && address ? address.port : 0;
}

async function overHttp(): Promise<McpServerOptions> {
  const port = await freePort();
  const child = spawn(process.execPath, [program("server-everything"), "streamableHttp"], {
    env: { ...process.env, PORT: String(port) },
    stdio: ["ignore", "ignore", "pipe"],
  });
  onTestFinished(() => void child.kill());
  await new Promise<void>((resolve, reject) => {
    child.once("exit", code => reject(new Error(`the server ended with ${code}`)));
    child.stderr.on("data", chunk => /listening/.test(String(chunk)) && resolve());
  });
  return { url: `http://127.0.0.1:${port}/mcp` };
}

const ways: Readonly<Record<string, () => Promise<McpServerOptions>>> = {
  stdio: async () => ({ command: process.execPath, args: [program("server-everything"), "stdio"] }),
  HTTP: overHttp,
};

describe.each(Object.entries(ways))("the protocol's demonstration server over %s", (_, way) => {
  test("does every kind of call for an agent", async () => {
    const questions = { form: () => ({ action: "accept" as const, content: { name: "Ann", check: true } }) };
    const mcp = await joined({ everything: await way() }, { questions });
    expect(mcp.failures).toEqual([]);
    const { results, shown } = await ran(mcp, [
      calls(
        ["echo", { message: "hello" }],
        ["get-sum", { a: 2, b: 3 }],
        ["get-structured-content", { location: "Chicago" }],
        ["get-tiny-image"],
        ["get-resource-reference", { resourceType: "Text", resourceId: 1 }],
        ["trigger-long-running-operation", { duration: 0.2, steps: 2 }],
        ["trigger-elicitation-request"],
        ["get-sum", { a: "two", b: 3 }],
      ),
      { text: "done" },
    ]);
    const of = (tool: string, nth = 0) => results.filter(({ name }) => name === tool)[nth];
    expect(wordsOf(of("echo"))).toBe("Echo: hello");
    expect(wordsOf(of("get-sum"))).toContain("5");
    expect(of("get-structured-content")?.structured).toMatchObject({ temperature: expect.any(Number) });
    expect(of("get-tiny-image")?.output?.map(({ type }) => type)).toContain("file");
    expect(of("get-resource-reference")?.output?.map(({ type }) => type)).toContain("source");
    expect(wordsOf(of("trigger-long-running-operation"))).toMatch(/completed/i);
    expect(shown.filter(({ name }) => name === "trigger-long-running-operation").length).toBeGreaterThan(0);
    expect(wordsOf(of("trigger-elicitation-request"))).toContain("Ann");
    expect(of("get-sum", 1)?.outcome).toBe("error");
  }, 120_000);

  test("gives its resources and prompts", async () => {
    const client = (await joined({ everything: await way() })).get("everything");
    expect((await client?.resources())?.length).toBeGreaterThan(0);
    expect(await client?.resourceTemplates()).toHaveLength(2);
    const [text] = (await client?.readResource("demo://resource/dynamic/text/1")) ?? [];
    expect(text).toMatchObject({ type: "source" });
    const messages = await client?.getPrompt("args-prompt", { city: "Oslo" });
    expect(JSON.stringify(messages)).toContain("Oslo");
  }, 120_000);
});

test("the file server writes and reads where it may, and an agent is told where it may not", async () => {
  const folder = await realpath(await mkdtemp(join(tmpdir(), "translogue-files-")));
  onTestFinished(() => rm(folder, { recursive: true }));
  const mcp = await joined({ files: { command: process.execPath, args: [program("server-filesystem"), folder] } });
  const path = join(folder, "note.txt");
  const { results } = await ran(mcp, [
    calls(["write_file", { path, content: "milk\n" }]),
    calls(
      ["read_text_file", { path }],
      ["list_directory", { path: folder }],
      ["read_text_file", { path: "/etc/hosts" }],
    ),
    { text: "done" },
  ]);
  expect(await readFile(path, "utf8")).toBe("milk\n");
  expect(results.slice(1, 3).map(wordsOf)).toEqual(["milk\n", "[FILE] note.txt"]);
  expect([results[3]?.outcome, wordsOf(results[3])]).toEqual(["error", expect.stringMatching(/denied|outside/)]);
}, 120_000);
