import { Client, type ClientOptions, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { Client as OlderClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as OlderTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { z } from "zod";
import { type Agent, createAgent, defineTool } from "../../src/index.ts";
import { type McpServeOptions, mcpServer } from "../../src/mcp/server.ts";
import { scripted } from "../scripted-model.ts";
import { listening } from "./hosts.ts";
import { calls, joined, ran, wordsOf } from "./joined.ts";

const info = { name: "test", version: "1.0.0" };
const modes: Readonly<Record<string, ClientOptions>> = {
  "of 2026-07-28": { versionNegotiation: { mode: { pin: "2026-07-28" } } },
  older: { versionNegotiation: { mode: "legacy" } },
};

/** Answers how often it was spoken to. */
const listener = (): Agent =>
  createAgent({
    name: "listener",
    description: "Counts what it heard",
    model: scripted(({ conversation: { messages } }) => {
      const heard = messages.filter(({ role }) => role === "user").length;
      return { chunks: ["heard ", String(heard)] };
    }),
  });

async function served(agent: Agent, options?: McpServeOptions): Promise<string> {
  const server = mcpServer(agent, options);
  onTestFinished(() => server.close());
  return listening(request => server.fetch(request));
}

async function client(url: string, options: ClientOptions): Promise<Client> {
  const made = new Client(info, options);
  await made.connect(new StreamableHTTPClientTransport(new URL(url)));
  onTestFinished(() => made.close());
  return made;
}

const words = ({ content }: object & { readonly content?: unknown }): string =>
  z
    .array(z.object({ text: z.string() }))
    .parse(content)
    .map(({ text }) => text)
    .join("\n");

describe.each(Object.entries(modes))("an agent as a server, for a client %s", (_, mode) => {
  test("is one tool, which tells its text as it is written", async () => {
    const made = await client(await served(listener()), mode);
    const { tools } = await made.listTools();
    expect(tools).toMatchObject([{ name: "listener", description: "Counts what it heard" }]);
    const told: (string | undefined)[] = [];
    const result = await made.callTool(
      { name: "listener", arguments: { message: "hi" } },
      { onprogress: ({ message }) => void told.push(message) },
    );
    expect(words(result)).toBe("heard 1");
    expect(result.structuredContent).toMatchObject({ session: expect.any(String), finish: "stop" });
    expect(told[0]).toBe("heard ");
  });

  test("goes on with the conversation that is named, and with no other", async () => {
    const made = await client(await served(listener()), mode);
    const say = async (session?: unknown) => {
      const result = await made.callTool({
        name: "listener",
        arguments: { message: "hi", ...(session !== undefined && { session }) },
      });
      return { result, session: (result.structuredContent as { session?: string } | undefined)?.session };
    };
    const first = await say();
    expect(words((await say()).result)).toBe("heard 1");
    const again = await say(first.session);
    expect(words(again.result)).toBe("heard 2");
    expect(again.session).toBe(first.session);
    const { result } = await say("nobody's");
    expect(result.isError).toBe(true);
    expect(words(result)).toMatch(/no conversation `nobody's`/);
  });

  test("stops its run when the call is cancelled", async () => {
    const { promise: stopped, resolve } = Promise.withResolvers<void>();
    const hang = defineTool({
      name: "hang",
      parameters: z.object({}),
      execute: (_, { signal }) =>
        new Promise<string>(() => signal.addEventListener("abort", () => resolve(), { once: true })),
    });
    const model = scripted([{ text: "Let me see.", ...calls(["hang"]) }]);
    const made = await client(await served(createAgent({ name: "slow", model, tools: [hang] })), mode);
    const cancel = new AbortController();
    const options = { signal: cancel.signal, onprogress: () => cancel.abort() };
    await expect(made.callTool({ name: "slow", arguments: { message: "hi" } }, options)).rejects.toThrow();
    await stopped;
  });

  test.each([
    ["a failed run", {}, "hi", /broken lamp/],
    ["a blank message", {}, " ", /blank/],
  ])("tells of %s as a failed call", async (_, __, message, expected) => {
    const model = scripted([{ error: { message: "broken lamp" } }]);
    const made = await client(await served(createAgent({ name: "lamp", model })), mode);
    const result = await made.callTool({ name: "lamp", arguments: { message } });
    expect(result.isError).toBe(true);
    expect(words(result)).toMatch(expected);
  });

  const gate = (): { agent: Agent; opened: string[] } => {
    const opened: string[] = [];
    const open = defineTool({
      name: "open",
      parameters: z.object({ gate: z.string() }),
      needsApproval: true,
      approvalReason: "Wolves.",
      execute: ({ gate }) => void opened.push(gate),
    });
    const asks = calls(["open", { gate: "north" }]);
    const model = scripted([asks, { text: "Done." }]);
    return { agent: createAgent({ name: "gate", model, tools: [open] }), opened };
  };

  test("says what waits for a person where the client has none", async () => {
    const { agent, opened } = gate();
    const made = await client(await served(agent), mode);
    const result = await made.callTool({ name: "gate", arguments: { message: "open" } });
    expect(result.structuredContent).toMatchObject({ pendingApprovals: ["open"], finish: "tool-calls" });
    expect(words(result)).toMatch(/approve: open/);
    expect(opened).toEqual([]);
  });

  test.each([
    [{ action: "accept", content: { allow: true } }, ["north"]],
    [{ action: "accept", content: { allow: false } }, []],
    [{ action: "decline" }, []],
    [{ action: "cancel" }, []],
  ] as const)("asks the client's person, and takes %j for what it is", async (answer, expected) => {
    const { agent, opened } = gate();
    const made = new Client(info, { ...mode, capabilities: { elicitation: { form: {} } } });
    const asked: string[] = [];
    made.setRequestHandler("elicitation/create", ({ params }) => {
      asked.push(params.message);
      return { ...answer };
    });
    await made.connect(new StreamableHTTPClientTransport(new URL(await served(agent))));
    const result = await made.callTool({ name: "gate", arguments: { message: "open" } });
    await made.close();
    expect(asked).toEqual(['Allow the tool open to run with {"gate":"north"}? Wolves.']);
    expect(words(result)).toBe("Done.");
    expect(opened).toEqual(expected);
  });
});

test("a client made with the older SDK talks to it, and may leave its session", async () => {
  const made = new OlderClient(info);
  const transport = new OlderTransport(new URL(await served(listener(), { conversation: "connection" })));
  await made.connect(transport as Parameters<OlderClient["connect"]>[0]); // its own types differ in what may be undefined
  const say = () => made.callTool({ name: "listener", arguments: { message: "hi" } });
  const heard = await Promise.all([say(), say(), say()]);
  expect(heard.map(result => words(result)).toSorted()).toEqual(["heard 1", "heard 2", "heard 3"]);
  await transport.terminateSession();
  await expect(say()).rejects.toThrow();
  await made.close();
});

test("over stdio one connection is one conversation, where that is wanted", async () => {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: ["--conditions=translogue-source", new URL("served-stdio.ts", import.meta.url).pathname],
  });
  const made = new Client(info, { versionNegotiation: { mode: "auto" } });
  await made.connect(transport);
  const say = () => made.callTool({ name: "listener", arguments: { message: "hi" } });
  expect(words(await say())).toBe("heard 1");
  expect(words(await say())).toBe("heard 2");
  const { pid } = transport;
  await made.close();
  await vi.waitFor(() => expect(() => process.kill(pid ?? 0, 0)).toThrow(/ESRCH/), { timeout: 30_000 });
});

test("conversations of one caller are not found by another", async () => {
  const server = mcpServer(listener());
  onTestFinished(() => server.close());
  const url = await listening(request => {
    const clientId = request.headers.get("x-caller") ?? "";
    return server.fetch(request, { authInfo: { token: "t", clientId, scopes: [] } });
  });
  const of = async (caller: string) => {
    const made = new Client(info, modes["of 2026-07-28"]);
    await made.connect(
      new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers: { "x-caller": caller } } }),
    );
    return made;
  };
  const [ann, bob] = [await of("ann"), await of("bob")];
  const { structuredContent } = await ann.callTool({ name: "listener", arguments: { message: "hi" } });
  const { session } = z.object({ session: z.string() }).parse(structuredContent);
  const asked = { name: "listener", arguments: { message: "hi", session } };
  expect(words(await bob.callTool(asked))).toMatch(/no conversation/);
  expect(words(await ann.callTool(asked))).toBe("heard 2");
  await Promise.all([ann.close(), bob.close()]);
});

test("an agent uses another agent through it, like any tool", async () => {
  const mcp = await joined({ office: { url: await served(listener()) } });
  const { results } = await ran(mcp, [calls(["listener", { message: "hello" }]), { text: "done" }]);
  expect(wordsOf(results[0])).toBe("heard 1");
});
