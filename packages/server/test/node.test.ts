import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { sendChat } from "@translogue/testkit/clients";
import { generations } from "@translogue/testkit/generations";
import type { Message } from "translogue";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createClient, RequestError } from "../src/client.ts";
import type { SessionBody } from "../src/contract.ts";
import { type Listening, serve, sqliteStore } from "../src/index.ts";
import { type Reader, readerOf, until } from "./read.ts";
import { type Answer, call, calls, type Fixture, heldAnswer, said, serverOf, text, toolOf } from "./scripted.ts";

const open: Listening[] = [];
const listen = async (...options: Parameters<typeof serverOf>): Promise<{ server: Fixture; url: string }> => {
  const server = await serverOf(...options);
  const listening = await serve(server, { signals: false });
  open.push(listening);
  return { server, url: listening.url };
};
afterEach(() => Promise.all(open.splice(0).map(listening => listening.close())));

const words = async (stream: ReadableStream<Uint8Array>): Promise<string> => new Response(stream).text();
const messages = [{ role: "user", content: "hello" }] as const;
const model = "demo/scripted";
const json = { "content-type": "application/json" };

describe("the typed client, over a port", () => {
  it("chats, streams, takes up, stops, lists and deletes", async () => {
    const held = heldAnswer();
    const { url } = await listen({ script: [said(text("Hi.")), said(text("Hello.")), held.answer] });
    const client = createClient({ baseUrl: url });
    expect((await client.models()).map(({ id }) => id)).toEqual([model]);
    expect([await client.tools(), await client.promptTypes()]).toEqual([[], []]);
    expect((await client.configSchema()).context).toEqual({});
    expect((await client.validate({ model, messages })).valid).toBe(true);
    expect((await client.chat({ model, messages })).messages[0]?.parts).toMatchObject([{ type: "text", text: "Hi." }]);
    expect(await words(await client.stream({ model, messages }, { ui: 7 }))).toContain("Hello.");

    const turn = {
      id: "a b/ü",
      trigger: "submit-message",
      messages: [{ id: "u", role: "user", parts: [{ type: "text", text: "hello" }] }],
    } as const;
    const first = await client.stream(turn);
    held.say("Half");
    const second = await client.resume(turn.id);
    expect(await client.stop(turn.id)).toMatchObject({ stopped: true });
    expect(await words(first)).toContain("Half");
    expect(second && (await words(second))).toContain("Half");
    expect(await client.resume(turn.id)).toBeUndefined();
    expect((await client.sessions({ limit: 5 })).map(({ id }) => id)).toEqual([turn.id]);
    expect((await client.session(turn.id)).conversation.messages).toHaveLength(2);
    expect((await client.sessionAs(turn.id, "huajuan")).format).toBe("huajuan");
    await client.deleteSession(turn.id);
    const gone = await client.session(turn.id).catch((error: unknown) => error);
    expect(gone).toBeInstanceOf(RequestError);
    expect(gone).toMatchObject({ status: 404, body: { error: "NotFound" } });
  });
});

describe("a server on a port", () => {
  it.each(generations)("is read by the client of ai %s", async generation => {
    const { url } = await listen({
      agentTools: [toolOf("look", () => "blue")],
      script: [calls(call("c1", "look", {})), said(text("It is blue."))],
    });
    const { message, errors } = await sendChat(generation, {
      api: `${url}/api/v1/chat?ui=${generation.slice(1)}`,
      fetch: request => fetch(request),
      chatId: "c",
      messages: [{ id: "u1", role: "user", parts: [{ type: "text", text: "hello" }] }],
    });
    expect(errors).toEqual([]);
    expect(message?.parts.filter(({ type }) => type !== "step-start")).toMatchObject([
      { type: "dynamic-tool", state: "output-available", output: "blue" },
      { type: "text", text: "It is blue." },
    ]);
  });

  it("refuses a body that is too large before it is read, and one that grows too large while it is", async () => {
    const { url } = await listen({ maxBodyBytes: 1000, script: [said(text("ok"))] });
    const post = (body: string | ReadableStream, init: RequestInit = {}) =>
      fetch(`${url}/api/v1/chat`, { method: "POST", headers: json, body, ...init });
    const large = await post(JSON.stringify({ model, messages: [{ role: "user", content: "x".repeat(2000) }] }));
    expect([large.status, await large.json()]).toMatchObject([413, { error: "PayloadTooLarge" }]);
    const chunk = new TextEncoder().encode("x".repeat(400));
    const endless = new ReadableStream({ pull: controller => controller.enqueue(chunk) });
    const grown = await post(endless, { duplex: "half" } as RequestInit).catch(() => undefined);
    expect(grown === undefined || grown.status === 413).toBe(true);
    expect((await post(JSON.stringify({ model, stream: false, messages }))).status).toBe(200);
  });

  it("takes ten megabytes", async () => {
    const { url, server } = await listen({ script: [said(text("read"))] });
    const content = "字".repeat(3_400_000);
    const response = await fetch(`${url}/api/v1/chat`, {
      method: "POST",
      headers: json,
      body: JSON.stringify({ model, stream: false, messages: [{ role: "user", content }] }),
    });
    expect(response.status).toBe(200);
    expect(server.model.asked[0]?.messages[0]?.parts).toEqual([{ type: "text", text: content }]);
  });

  it("has nothing at addresses that climb", async () => {
    const { url } = await listen({ studioDir: import.meta.dirname });
    for (const path of ["/../..", "/s/../../x", "/%2e%2e/x", "/api/v1/../../x"]) {
      const socket = connect(Number(new URL(url).port), "127.0.0.1");
      socket.end(`GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n`);
      expect([path, (await socket.setEncoding("utf8").toArray()).join("").slice(0, 12)]).toEqual([
        path,
        "HTTP/1.1 404",
      ]);
    }
  });

  it("answers what is no HTTP request, and lives on", async () => {
    const { url } = await listen();
    const socket = connect(Number(new URL(url).port), "127.0.0.1");
    socket.end("\0\x01garbage\r\n\r\n");
    socket.resume();
    await once(socket, "close");
    expect((await fetch(`${url}/healthz`)).status).toBe(200);
    expect((await fetch(`${url}/healthz`)).headers.get("x-correlation-id")).toMatch(/^req-/);
  });

  it("on a loopback address is nobody else: a page whose name was made to point there gets nothing", async () => {
    const { url } = await listen();
    const socket = connect(Number(new URL(url).port), "127.0.0.1");
    socket.write("GET /api/v1/sessions HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n");
    const [answer] = (await once(socket, "data")) as [Buffer];
    expect(answer.toString()).toMatch(/^HTTP\/1.1 421 /);
    expect((await fetch(url.replace("127.0.0.1", "localhost"))).status).toBe(404);
  });

  it("leaves the globals of its process alone", async () => {
    const [request, response] = [globalThis.Request, globalThis.Response];
    await listen();
    expect([globalThis.Request, globalThis.Response]).toEqual([request, response]);
  });
});

describe("a process that ends", () => {
  const script = fileURLToPath(new URL("process.ts", import.meta.url));
  let folder: string;
  let path: string;
  let child: ChildProcess;
  let reader: Reader;
  let exit: Promise<unknown>;

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), "translogue-process-"));
    path = join(folder, "sessions.db");
    child = spawn(process.execPath, ["--conditions=translogue-source", script, path], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    exit = once(child, "exit");
    const lines = createInterface({ input: child.stdout ?? process.stdin });
    const [url] = (await once(lines, "line")) as [string];
    const client = createClient({ baseUrl: url });
    const messages = [{ role: "user", content: "hello" }] as const;
    reader = readerOf(new Response(await client.stream({ id: "chat", trigger: "submit-message", messages })));
    await until(reader, "Without end");
  });
  afterEach(() => {
    child.kill("SIGKILL");
    rmSync(folder, { recursive: true });
  });

  const reopened = async (...script: Answer[]) => {
    const server = await serverOf({ store: await sqliteStore({ path }), script });
    const read = async (): Promise<readonly Message[]> => {
      const { data } = (await (await server.get("/api/v1/sessions/chat")).json()) as { data: SessionBody };
      return data.conversation.messages;
    };
    return { server, read };
  };

  it("because it is told to, ends with 0, and what was under way keeps what it said", async () => {
    child.kill("SIGTERM");
    await until(reader, "data: [DONE]");
    expect(await exit).toEqual([0, null]);
    const { server, read } = await reopened();
    expect((await read()).at(-1)).toMatchObject({ parts: [{ text: "Without end" }], finish: { reason: "aborted" } });
    await server.close();
  });

  it("without warning, leaves what clients were told of results, and a session that goes on at once", async () => {
    child.kill("SIGKILL");
    await exit;
    const { server, read } = await reopened(said(text("Here I am.")));
    expect((await read()).flatMap(({ parts }) => parts)).toContainEqual(
      expect.objectContaining({ type: "tool-result", callId: "c1" }),
    );
    const answer = await server.post("/api/v1/chat", {
      id: "chat",
      model,
      stream: false,
      message: { role: "user", content: "Still there?" },
    });
    expect(answer.status).toBe(200);
    expect((await read()).at(-1)?.parts).toEqual([text("Here I am.")]);
    await server.close();
  });
});
