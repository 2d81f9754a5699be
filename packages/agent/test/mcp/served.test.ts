import {
  Client,
  type ClientOptions,
  type ElicitResult,
  StreamableHTTPClientTransport,
} from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { Client as OlderClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as OlderTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { JsonObject } from "translogue";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { z } from "zod";
import { type Agent, createAgent, defineTool, type ModelRequest, type ToolContext } from "../../src/index.ts";
import { type McpServeOptions, mcpServer } from "../../src/mcp/server.ts";
import { scripted } from "../scripted-model.ts";
import { listening } from "./hosts.ts";
import { calls, joined, ran } from "./joined.ts";

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

describe.each(Object.entries(modes))("what a tool asks a person, for a client %s", (_, mode) => {
  const form = { type: "object", properties: { size: { type: "string", enum: ["S", "L"] } }, required: ["size"] };
  const several = {
    type: "object",
    properties: {
      tags: {
        type: "array",
        items: {
          anyOf: [
            { const: "a", title: "A" },
            { const: "b", title: "B" },
          ],
        },
      },
    },
  };
  const nested = { type: "object", properties: { to: { type: "object" } } };
  async function asked(question: Parameters<ToolContext["ask"]>[0], answer?: ElicitResult) {
    const order = defineTool({
      name: "order",
      parameters: z.object({}),
      execute: async (_, { ask }) => JSON.stringify((await ask(question)) ?? "nothing"),
    });
    const last = ({ conversation: { messages } }: ModelRequest) => messages.at(-1)?.parts[0];
    const model = scripted((request, call) => {
      const part = last(request);
      const [output] = part?.type === "tool-result" ? (part.output ?? []) : [];
      return call === 0 ? calls(["order", {}]) : { text: output?.type === "text" ? `Got ${output.text}` : "?" };
    });
    const made = new Client(info, { ...mode, capabilities: answer ? { elicitation: { form: {} } } : {} });
    const schemas: unknown[] = [];
    if (answer)
      made.setRequestHandler("elicitation/create", ({ params }) => {
        schemas.push([params.message, "requestedSchema" in params && params.requestedSchema]);
        return answer;
      });
    await made.connect(
      new StreamableHTTPClientTransport(new URL(await served(createAgent({ name: "shop", model, tools: [order] })))),
    );
    onTestFinished(() => made.close());
    return { result: await made.callTool({ name: "shop", arguments: { message: "order" } }), schemas };
  }

  test.each<[string, object, ElicitResult, string]>([
    ["a form", form, { action: "accept", content: { size: "L" } }, '{"size":"L"}'],
    ["a single value", { type: "integer" }, { action: "accept", content: { answer: 3 } }, "3"],
    ["several of some choices", several, { action: "accept", content: { tags: ["a"] } }, '{"tags":["a"]}'],
    ["a form that is declined", form, { action: "decline" }, '"nothing"'],
  ])("is put before the client's person: %s", async (_, schema, answer, got) => {
    const { result, schemas } = await asked({ message: "Which?", schema: schema as JsonObject }, answer);
    const shown =
      "properties" in schema ? schema : { type: "object", properties: { answer: schema }, required: ["answer"] };
    expect(schemas).toEqual([["Which?", expect.objectContaining(shown)]]);
    expect(words(result)).toBe(`Got ${got}`);
  });

  test.each<[string, Parameters<ToolContext["ask"]>[0], ElicitResult | undefined]>([
    ["the client has no person", { message: "Which?", schema: form }, undefined],
    ["no form can ask for it", { message: "Which?", schema: nested }, { action: "accept" }],
    [
      "one has to go to an address",
      { message: "Which?", kind: "auth", url: "https://example.com/in" },
      { action: "accept" },
    ],
  ])("is said with the result where %s", async (_, question, answer) => {
    const { result } = await asked(question, answer);
    const said = question.url === undefined ? "Which?" : `Which? (${question.url})`;
    expect(result.structuredContent).toMatchObject({ pendingInputs: [said] });
    expect(words(result)).toContain(`Waiting for a person to answer: ${said}`);
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

/** The listener for callers who are named by a header, as `client` or `client/person`. */
async function servedTo(options?: McpServeOptions) {
  const server = mcpServer(listener(), options);
  onTestFinished(() => server.close());
  const url = await listening(request => {
    const [clientId = "", sub] = (request.headers.get("x-caller") ?? "").split("|");
    return server.fetch(request, { authInfo: { token: "t", clientId, scopes: [], ...(sub && { extra: { sub } }) } });
  });
  return async (caller: string, mode: ClientOptions = {}, headers: Record<string, string> = {}) => {
    const made = new Client(info, mode);
    const requestInit = { headers: { "x-caller": caller, ...headers } };
    await made.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit }));
    onTestFinished(() => made.close());
    const said = async (session?: string) =>
      made.callTool({ name: "listener", arguments: { message: "hi", ...(session !== undefined && { session }) } });
    return { said, url, made };
  };
}

const sessionOf = ({ structuredContent }: object & { readonly structuredContent?: unknown }): string =>
  z.object({ session: z.string() }).parse(structuredContent).session;

describe.each(Object.entries(modes))("for a client %s", (_, mode) => {
  test.each([
    ["another client", "ann", "bob"],
    ["another person at the same client", "app|ann", "app|bob"],
    ["nobody in particular at the same client", "app|ann", "app"],
  ])("conversations of one caller are not found by %s", async (_, one, other) => {
    const as = await servedTo();
    const [ann, bob] = [await as(one, mode), await as(other, mode)];
    const session = sessionOf(await ann.said());
    expect(words(await bob.said(session))).toMatch(/no conversation/);
    expect(words(await ann.said(session))).toBe("heard 2");
  });

  test("no name of a caller and a conversation reads as those of another", async () => {
    const as = await servedTo();
    const [ann, bob] = [await as("a/b", mode), await as("a", mode)];
    const session = sessionOf(await ann.said());
    expect(words(await bob.said(`b/${session}`))).toMatch(/no conversation/);
  });

  test("who is one caller can be said", async () => {
    const as = await servedTo({ caller: ({ clientId }) => clientId });
    const [ann, bob] = [await as("app|ann", mode), await as("app|bob", mode)];
    expect(words(await bob.said(sessionOf(await ann.said())))).toBe("heard 2");
  });
});

test("an MCP session of one caller is none to another, who knows its id", async () => {
  const as = await servedTo({ conversation: "connection" });
  const ann = await as("app|ann", modes["older"]);
  expect(words(await ann.said())).toBe("heard 1");
  const id = ann.made.transport?.sessionId ?? "";
  const post = (caller: string) =>
    fetch(ann.url, {
      method: "POST",
      headers: {
        "x-caller": caller,
        "mcp-session-id": id,
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
      },
      body: JSON.stringify({
        jsonrpc: "2.0",
        id: 7,
        method: "tools/call",
        params: { name: "listener", arguments: { message: "hi" } },
      }),
    });
  expect((await post("app|bob")).status).toBe(404);
  expect((await post("app|ann")).status).toBe(200);
  expect(words(await ann.said())).toBe("heard 3");
});

/** Waits for yes or no to two calls at once. */
const gates = () => {
  const opened: string[] = [];
  const open = defineTool({
    name: "open",
    parameters: z.object({ gate: z.string() }),
    needsApproval: true,
    execute: ({ gate }) => void opened.push(gate),
  });
  const model = scripted([calls(["open", { gate: "north" }], ["open", { gate: "south" }]), { text: "Done." }]);
  return { agent: createAgent({ name: "gate", model, tools: [open] }), opened };
};

test("a person may take longer than the protocol's own patience", async () => {
  const { agent, opened } = gates();
  const made = new Client(info, { ...modes["older"], capabilities: { elicitation: { form: {} } } });
  const asked = Promise.withResolvers<void>();
  const answer = Promise.withResolvers<void>();
  made.setRequestHandler("elicitation/create", async () => {
    asked.resolve();
    await answer.promise;
    return { action: "accept", content: { allow: true } };
  });
  await made.connect(new StreamableHTTPClientTransport(new URL(await served(agent))));
  onTestFinished(() => made.close());
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
  const called = made.callTool({ name: "gate", arguments: { message: "open" } }, { timeout: 2 ** 31 - 1 });
  await asked.promise;
  await vi.advanceTimersByTimeAsync(3_600_000);
  answer.resolve();
  expect(words(await called)).toBe("Done.");
  expect(opened).toEqual(["north", "south"]);
});

test("where the client's person cannot be asked after all, the call says what waits, and it can be gone on with", async () => {
  const { agent, opened } = gates();
  const made = new Client(info, { ...modes["older"], capabilities: { elicitation: { form: {} } } });
  made.setRequestHandler("elicitation/create", () => {
    throw new Error("no window to ask in");
  });
  await made.connect(new StreamableHTTPClientTransport(new URL(await served(agent))));
  onTestFinished(() => made.close());
  const result = await made.callTool({ name: "gate", arguments: { message: "open" } });
  expect(result.structuredContent).toMatchObject({ pendingApprovals: ["open", "open"] });
  expect(opened).toEqual([]);
  const again = await made.callTool({ name: "gate", arguments: { message: "And now?", session: sessionOf(result) } });
  expect([words(again), opened]).toEqual(["Done.", []]);
});

test("a call made again without an answer is asked again, and nothing is refused in the person's name", async () => {
  const { agent, opened } = gates();
  const url = await served(agent);
  const meta = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": info,
    "io.modelcontextprotocol/clientCapabilities": { elicitation: { form: {} } },
  };
  const call = async (more: object) => {
    const response = await fetch(url, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        "mcp-protocol-version": "2026-07-28",
        "mcp-method": "tools/call",
        "mcp-name": "gate",
      },
      body: JSON.stringify({
        jsonrpc: "2.0",
        id: 1,
        method: "tools/call",
        params: { name: "gate", arguments: { message: "open" }, _meta: meta, ...more },
      }),
    });
    const text = await response.text();
    const data = text.startsWith("{") ? text : (/^data: (.+)$/m.exec(text)?.[1] ?? "{}");
    return JSON.parse(data).result;
  };
  const asked = await call({});
  const ids = Object.keys(asked.inputRequests);
  expect(ids).toHaveLength(2);
  const { requestState } = asked;
  expect(Object.keys((await call({ requestState })).inputRequests)).toEqual(ids);
  const yes = { action: "accept", content: { allow: true } };
  const half = await call({ requestState, inputResponses: { [ids[0] ?? ""]: yes } });
  expect(Object.keys(half.inputRequests)).toEqual(ids.slice(1));
  const done = await call({ requestState, inputResponses: { [ids[1] ?? ""]: yes } });
  expect(words(done)).toBe("Done.");
  expect(opened.toSorted()).toEqual(["north", "south"]);
});

test("an agent uses another agent through it, like any tool, and reads by what it would go on with it", async () => {
  const mcp = await joined({ office: { url: await served(listener()) } });
  const { results } = await ran(mcp, [calls(["listener", { message: "hello" }]), { text: "done" }]);
  expect(results[0]?.output).toMatchObject([
    { type: "text", text: "heard 1" },
    { type: "data", data: { session: expect.any(String) } },
  ]);
});
