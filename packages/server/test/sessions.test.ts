import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { type ClientMessage, resumeChat, sendChat } from "@translogue/testkit/clients";
import type { Generation } from "@translogue/testkit/generations";
import type { Conversation, Message } from "translogue";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { ErrorBody, SessionBody, SessionInFormat, SessionRow } from "../src/contract.ts";
import { bearerKeys, hashKey, type LogEntry, type Store, sqliteStore } from "../src/index.ts";
import { readerOf, until } from "./read.ts";
import { call, calls, type Fixture, heldAnswer, said, serverOf, text, toolOf } from "./scripted.ts";

const model = "demo/scripted";
const api = "http://server.test/api/v1/chat";
const open: Fixture[] = [];
let folder: string;

const start = async (...options: Parameters<typeof serverOf>): Promise<Fixture> => {
  const server = await serverOf(...options);
  open.push(server);
  return server;
};
const stored = (): Promise<Store> => sqliteStore({ path: join(folder, "sessions.db") });

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "translogue-sessions-"));
});
afterEach(async () => {
  await Promise.all(open.splice(0).map(server => server.close()));
  rmSync(folder, { recursive: true });
});

const user = (id: string, words: string): ClientMessage => ({
  id,
  role: "user",
  parts: [{ type: "text", text: words }],
});

/** A chat page: it has its messages, sends all of them, and keeps what it reads. */
class Page {
  messages: ClientMessage[] = [];
  readonly server: Fixture;
  readonly chatId: string;
  readonly generation: Generation;

  constructor(server: Fixture, chatId = "chat", generation: Generation = "v7") {
    this.server = server;
    this.chatId = chatId;
    this.generation = generation;
  }

  async say(
    id: string,
    words: string,
    more: { readonly body?: object; readonly signal?: AbortSignal } = {},
  ): Promise<readonly string[]> {
    this.messages = [...this.messages, user(id, words)];
    return this.send(more);
  }

  async send(more: object = {}): Promise<readonly string[]> {
    const { messages } = this;
    const answer = await sendChat(this.generation, { ...this.#call, messages, ...more });
    this.#keep(answer.message);
    return answer.errors;
  }

  async regenerate(): Promise<void> {
    const last = this.messages.at(-1);
    this.messages = this.messages.slice(0, -1);
    await this.send({ trigger: "regenerate-message", ...(last && { messageId: last.id }) });
  }

  async resume(): Promise<boolean> {
    const answer = await resumeChat(this.generation, this.#call);
    if (answer) this.#keep(answer.message);
    return answer !== undefined;
  }

  get text(): string {
    const parts = this.messages.at(-1)?.parts ?? [];
    return parts.map(part => (part.type === "text" ? String(part["text"]) : "")).join("");
  }

  /** The generation goes in a header: the SDK makes the address of a resumed stream by adding to that of the chat. */
  get #call() {
    const { server, chatId, generation } = this;
    return { api, fetch: server.fetch, chatId, headers: { "X-AI-SDK-Version": generation.slice(1) } };
  }

  #keep(message: ClientMessage | undefined): void {
    if (!message) return;
    const last = this.messages.at(-1);
    const isSame = last?.id === message.id;
    this.messages = [...(isSame ? this.messages.slice(0, -1) : this.messages), message];
  }
}

const data = async <Data>(response: Response): Promise<Data> => ((await response.json()) as { data: Data }).data;
const conversation = async (server: Fixture, id = "chat"): Promise<Conversation> =>
  (await data<SessionBody>(await server.get(`/api/v1/sessions/${id}`))).conversation;
const words = ({ parts }: Message): string =>
  parts.map(part => (part.type === "text" ? part.text : `[${part.type}]`)).join("");
const asked = (server: Fixture, index: number): string[] => (server.model.asked[index]?.messages ?? []).map(words);
const branch = (whole: Conversation): string[] => {
  const list: string[] = [];
  for (let id: string | null | undefined = whole.head; id; ) {
    const message = whole.messages.find(one => one.id === id);
    if (!message) break;
    list.unshift(words(message));
    id = message.parent;
  }
  return list;
};

/** Waits until the run of a session has said something, and is gone again. */
async function heard(server: Fixture, sought: string): Promise<void> {
  const reader = readerOf(await server.get("/api/v1/chat/chat/stream"));
  await until(reader, sought);
  await reader.cancel();
}
const turn = (id: string, chat = "chat") => ({ id: chat, trigger: "submit-message", messages: [user(id, id)] });

describe("a session that the AI SDK's client names", () => {
  it("has the turns in order, and the model reads all of them, without a model being named", async () => {
    const server = await start({ script: [said(text("Hi.")), said(text("Fine."))] });
    const page = new Page(server);
    await page.say("u1", "Hello");
    await page.say("u2", "How are you?");
    expect(page.text).toBe("Fine.");
    expect(asked(server, 1)).toEqual(["Hello", "Hi.", "How are you?"]);
    expect(branch(await conversation(server))).toEqual(["Hello", "Hi.", "How are you?", "Fine."]);
  });

  it("is the truth: what the client does not have of it reaches the model all the same", async () => {
    const seal = { maker: "test", values: { signature: "s1" } };
    const server = await start({
      script: [said({ type: "reasoning", text: "hm", seal }, text("Hi.")), said(text("Fine."))],
    });
    const page = new Page(server);
    await page.say("u1", "Hello");
    page.messages = page.messages.map(message => ({
      ...message,
      parts: message.parts.filter(({ type }) => type === "text"),
    }));
    await page.say("u2", "And now?");
    expect(server.model.asked[1]?.messages[1]?.parts).toMatchObject([
      { type: "reasoning", seal },
      { type: "text", text: "Hi." },
    ]);
  });

  it("branches where an answer is asked for again, and where a turn is edited; the newest counts", async () => {
    const server = await start({ script: ["one", "two", "three"].map(answer => said(text(answer))) });
    const page = new Page(server);
    await page.say("u1", "Count");
    await page.regenerate();
    expect(page.text).toBe("two");
    expect(asked(server, 1)).toEqual(["Count"]);
    page.messages = [];
    await page.say("u1", "Count on");
    const whole = await conversation(server);
    expect(whole.messages.map(words).sort()).toEqual(["Count", "Count on", "one", "three", "two"]);
    expect(branch(whole)).toEqual(["Count on", "three"]);
  });

  it("takes one turn alone at its end", async () => {
    const server = await start({ script: [said(text("Hi.")), said(text("Fine.")), said(text("Bye."))] });
    await new Page(server).say("u1", "Hello");
    const single = await server.post("/api/v1/chat", { model, stream: false, id: "chat", message: user("u2", "More") });
    expect(single.status).toBe(200);
    expect(asked(server, 1)).toEqual(["Hello", "Hi.", "More"]);
    const header = { "translogue-session": "chat" };
    const named = await server.post(
      "/api/v1/chat",
      { model, stream: false, message: { role: "user", content: "End" } },
      header,
    );
    expect(named.status).toBe(200);
    expect(branch(await conversation(server))).toEqual(["Hello", "Hi.", "More", "Fine.", "End", "Bye."]);
  });

  it("drops what the client keeps of an answer that never began, and says so", async () => {
    const server = await start({ script: [said(text("Hi."))] });
    const messages = [user("u1", "Hello"), { id: "a1", role: "assistant", parts: [] }, user("u2", "Hello?")];
    const response = await server.post("/api/v1/chat", { id: "chat", trigger: "submit-message", messages });
    expect([response.status, response.headers.get("x-messages-dropped")]).toEqual([200, "1"]);
    await response.text();
    expect(asked(server, 0)).toEqual(["Hello", "Hello?"]);
  });

  it("goes on after a model that failed before it said anything", async () => {
    const server = await start();
    const page = new Page(server);
    expect(await page.say("u1", "Hello")).toEqual(["the model's host refused the request"]);
    server.model.answer(said(text("Now I am here.")));
    expect(await page.say("u2", "Hello?")).toEqual([]);
    expect(page.text).toBe("Now I am here.");
    expect(asked(server, 1)).toEqual(["Hello", "Hello?"]);
  });

  it("is listed with a title, shown in any format, and gone when deleted", async () => {
    let now = Date.parse("2026-01-01T00:00:00Z");
    const store = await sqliteStore({ path: ":memory:", now: () => (now += 1000) });
    const server = await start({ store, script: [said(text("Hi.")), said(text("Hi."))] });
    await new Page(server, "a/1").say("u1", `Hello\n${"x".repeat(200)}`);
    await new Page(server, "second").say("u1", "Hello");
    const { sessions } = await data<{ sessions: SessionRow[] }>(await server.get("/api/v1/sessions"));
    expect(sessions.map(({ id }) => id)).toEqual(["second", "a/1"]);
    expect(sessions[1]?.title).toMatch(/^Hello x+…$/);
    const path = `/api/v1/sessions/${encodeURIComponent("a/1")}`;
    const shown = await data<SessionInFormat>(await server.get(`${path}?format=ai-sdk-ui`));
    expect(shown.value).toMatchObject([
      { role: "user" },
      { role: "assistant", parts: expect.arrayContaining([expect.objectContaining({ text: "Hi." })]) },
    ]);
    expect((await server.get(`${path}?format=none`)).status).toBe(400);
    const remove = () => server.fetch(new Request(`http://server.test${path}`, { method: "DELETE" }));
    expect([(await remove()).status, (await remove()).status, (await server.get(path)).status]).toEqual([
      200, 404, 404,
    ]);
  });

  it("belongs to its owner: others have a session of that name for themselves", async () => {
    const keys = ["ann", "bob"].map(name => ({ name, sha256: hashKey(name) }));
    const server = await start({
      authenticate: bearerKeys(keys),
      script: [said(text("Hi Ann.")), said(text("Hi Bob."))],
    });
    const ask = (key: string) =>
      server.post("/api/v1/chat", { ...turn("u1"), stream: false }, { authorization: `Bearer ${key}` });
    expect([(await ask("ann")).status, (await ask("bob")).status]).toEqual([200, 200]);
    expect(asked(server, 1)).toEqual(["u1"]);
    const listed = async (key: string) =>
      data<{ sessions: SessionRow[] }>(await server.get("/api/v1/sessions", { authorization: `Bearer ${key}` }));
    expect((await listed("ann")).sessions).toHaveLength(1);
    expect((await server.get("/api/v1/sessions/chat")).status).toBe(401);
  });
});

describe("a run", () => {
  it("goes on when its client is gone, and is stored", async () => {
    const held = heldAnswer();
    const server = await start({ script: [held.answer] });
    const response = await server.post("/api/v1/chat", turn("u1"));
    const reader = readerOf(response);
    held.say("It ");
    await until(reader, "It ");
    await reader.cancel();
    held.say("goes on.");
    const resumed = readerOf(await server.get("/api/v1/chat/chat/stream"));
    held.end();
    await until(resumed, "[DONE]");
    expect(branch(await conversation(server))).toEqual(["u1", "It goes on."]);
  });

  it("is taken up again from its start while it is under way, by any number of clients; then there is nothing", async () => {
    const held = heldAnswer();
    const server = await start({ script: [held.answer] });
    const first = server.post("/api/v1/chat?ui=7", turn("u1"));
    await held.begun;
    held.say("Half ");
    await first;
    const pages = (["v5", "v6", "v7"] as const).map(generation => new Page(server, "chat", generation));
    const resumed = pages.map(page => page.resume());
    held.say("and half.");
    held.end();
    expect(await Promise.all(resumed)).toEqual([true, true, true]);
    expect(pages.map(page => page.text)).toEqual(["Half and half.", "Half and half.", "Half and half."]);
    await (await first).text();
    expect(await new Page(server).resume()).toBe(false);
    expect(await new Page(server, "other").resume()).toBe(false);
  });

  it("is stopped by the client's word, and what it said is kept and marked", async () => {
    const held = heldAnswer();
    const server = await start({ script: [held.answer, said(text("Fresh."))] });
    const page = new Page(server);
    const reading = page.say("u1", "Tell me");
    await held.begun;
    held.say("Once upon");
    await heard(server, "Once upon");
    expect(await data(await server.post("/api/v1/chat/chat/stop", {}))).toMatchObject({ stopped: true });
    await reading;
    expect(page.text).toBe("Once upon");
    const whole = await conversation(server);
    expect(whole.messages.at(-1)).toMatchObject({ finish: { reason: "aborted" } });
    expect(await data(await server.post("/api/v1/chat/chat/stop", {}))).toEqual({ stopped: false });
    await page.say("u2", "Again");
    expect(page.text).toBe("Fresh.");
    expect(asked(server, 1)).toEqual(["Tell me", "Once upon", "Again"]);
  });

  it("refuses a second request for its session while it runs, and no other", async () => {
    const held = heldAnswer();
    const server = await start({ script: [held.answer, said(text("Elsewhere."))] });
    const first = await server.post("/api/v1/chat", turn("u1"));
    const second = await server.post("/api/v1/chat", turn("u2"));
    const body = (await second.json()) as ErrorBody;
    expect([second.status, body.error, body.message]).toEqual([409, "Conflict", expect.stringContaining("`chat`")]);
    expect((await server.post("/api/v1/chat", { ...turn("u1", "other"), stream: false })).status).toBe(200);
    const remove = await server.fetch(new Request("http://server.test/api/v1/sessions/chat", { method: "DELETE" }));
    expect(remove.status).toBe(409);
    held.end();
    await first.text();
    expect((await conversation(server)).messages).toHaveLength(2);
  });

  it("makes place for a chat client that left its stream and says the next thing", async () => {
    const held = heldAnswer();
    const server = await start({ script: [held.answer, said(text("Yes?"))] });
    const page = new Page(server);
    const leave = new AbortController();
    const reading = page.say("u1", "Tell me", { signal: leave.signal }).catch(() => undefined);
    await held.begun;
    held.say("Once upon");
    await heard(server, "Once upon");
    leave.abort();
    await reading;
    await page.say("u2", "Wait");
    expect(page.text).toBe("Yes?");
  });

  it("has its results on disk before any client reads them", async () => {
    const server = await start({
      store: await stored(),
      agentTools: [toolOf("look", () => "found-it")],
      script: [calls(call("c1", "look", {})), said(text("Done."))],
    });
    const reader = readerOf(await server.post("/api/v1/chat", turn("u1")));
    await until(reader, "found-it");
    const file = new DatabaseSync(join(folder, "sessions.db"), { readOnly: true });
    const rows = file.prepare("select body from event").all();
    file.close();
    expect(rows.map(row => String(row["body"])).join("\n")).toContain("found-it");
    await until(reader, "[DONE]");
  });
});

describe("a store that breaks", () => {
  /** The store, but the n-th thing that a run adds fails, as on a disk that is full. */
  const breaking = (store: Store, nth: number): Store => ({
    ...bound(store),
    claim: async (key, run) => {
      const claim = await store.claim(key, run);
      let count = 0;
      return {
        ...claim,
        append: async (...given) => (++count === nth ? Promise.reject(new Error("disk full")) : claim.append(...given)),
      };
    },
  });
  const bound = (store: Store): Store => ({
    list: (...given) => store.list(...given),
    read: key => store.read(key),
    claim: (...given) => store.claim(...given),
    remove: key => store.remove(key),
    probe: () => store.probe(),
    close: () => store.close(),
  });

  it.each([1, 2, 3, 4, 5])(
    "at the %sth thing that a run adds, is said to the client, and the session is free again",
    async nth => {
      const log: LogEntry[] = [];
      const store = breaking(await sqliteStore({ path: ":memory:" }), nth);
      const server = await start({
        store,
        log: entry => log.push(entry),
        script: [said(text("Hi.")), said(text("Hi."))],
      });
      const response = await server.post("/api/v1/chat", turn("u1"));
      const answer = await response.text();
      if (response.status === 200) expect(answer).toContain('"type":"error"');
      else expect(response.status).toBe(500);
      expect(answer).not.toContain("disk full");
      expect(log.filter(({ event }) => event === "failure")).toHaveLength(1);
      const { sessions } = await data<{ sessions: SessionRow[] }>(await server.get("/api/v1/sessions"));
      for (const session of sessions) expect(session.run).toBeUndefined();
    },
  );
});

describe("approvals", () => {
  const approving = async (store?: Store) =>
    start({
      ...(store && { store }),
      agentTools: [{ ...toolOf("wipe", () => "wiped"), needsApproval: true }],
      script: [calls(call("c1", "wipe", { disk: "a" })), said(text("It is done."))],
    });
  const answer = (page: Page, members: object): void => {
    page.messages = page.messages.map(message => ({
      ...message,
      parts: message.parts.map(part =>
        part["state"] === "approval-requested"
          ? { ...part, state: "approval-responded", approval: { ...(part["approval"] as object), ...members } }
          : part,
      ),
    }));
  };
  const states = (page: Page) => page.messages.at(-1)?.parts.flatMap(part => ("state" in part ? [part["state"]] : []));

  it.each(["v6", "v7"] as const)(
    "given by a client of ai %s let the call through, in the same message (vercel/ai#10196)",
    async generation => {
      const server = await approving();
      const page = new Page(server, "chat", generation);
      await page.say("u1", "Wipe it");
      expect(states(page)).toEqual(["approval-requested"]);
      answer(page, { approved: true });
      expect(await page.send()).toEqual([]);
      expect(page.messages).toHaveLength(2);
      expect(states(page)).toEqual(["output-available", "done"]);
      expect(page.text).toBe("It is done.");
    },
  );

  it("refused reach the model with the reason", async () => {
    const server = await approving();
    const page = new Page(server);
    await page.say("u1", "Wipe it");
    answer(page, { approved: false, reason: "Not today." });
    await page.send();
    const results = server.model.asked[1]?.messages.flatMap(({ parts }) =>
      parts.filter(({ type }) => type === "tool-result"),
    );
    expect(JSON.stringify(results)).toContain("Not today.");
  });

  it("are answered after a restart (mastra-ai/mastra#20600)", async () => {
    const server = await approving(await stored());
    const page = new Page(server);
    await page.say("u1", "Wipe it");
    answer(page, { approved: true });
    await server.close();
    const next = await approving(await stored());
    const [, ...rest] = [said(), said(text("It is done."))];
    next.model.answer(...rest);
    const again = new Page(next);
    again.messages = page.messages;
    expect(await again.send()).toEqual([]);
    expect(states(again)?.[0]).toBe("output-available");
  });

  it("given before a client came back are heard from the start of their answer", async () => {
    const held = heldAnswer();
    const server = await start({
      agentTools: [{ ...toolOf("wipe", () => "wiped"), needsApproval: true }],
      script: [calls(text("May I?"), call("c1", "wipe", {})), held.answer],
    });
    const page = new Page(server);
    await page.say("u1", "Wipe it");
    answer(page, { approved: true });
    const reading = page.send();
    await held.begun;
    const again = new Page(server);
    again.messages = [user("u1", "Wipe it")];
    const resuming = again.resume();
    held.say("It is done.");
    held.end();
    await Promise.all([reading, resuming]);
    expect(again.messages).toEqual(page.messages);
    expect(page.text).toBe("May I?It is done.");
  });

  it("that nobody asked for are refused, and leave no trace", async () => {
    const server = await approving();
    const page = new Page(server);
    await page.say("u1", "Wipe it");
    const before = await conversation(server);
    answer(page, { approved: true, id: "forged" });
    await expect(page.send()).rejects.toThrow();
    expect(await conversation(server)).toEqual(before);
    answer(page, { approved: true, id: "forged" });
  });
});

describe("tools that the client runs itself", () => {
  it.each(["v5", "v6", "v7"] as const)(
    "give their results with the next request of ai %s, and the answer goes on",
    async generation => {
      const { execute: _, ...asking } = toolOf("ask", () => "");
      const server = await start({
        agentTools: [asking],
        script: [calls(call("c1", "ask", { what: "age" })), said(text("So you are 7."))],
      });
      const page = new Page(server, "chat", generation);
      await page.say("u1", "Guess");
      page.messages = page.messages.map(message => ({
        ...message,
        parts: message.parts.map(part =>
          part.type === "dynamic-tool" ? { ...part, state: "output-available", output: 7 } : part,
        ),
      }));
      expect(await page.send()).toEqual([]);
      expect(page.messages).toHaveLength(2);
      expect(page.text).toBe("So you are 7.");
      expect(asked(server, 1)).toEqual(["Guess", "[tool-call]", "[tool-result]"]);
      expect(branch(await conversation(server))).toEqual(["Guess", "[tool-call]", "[tool-result]", "So you are 7."]);
    },
  );
});

describe("a server that comes back", () => {
  it("goes on with the sessions that it had", async () => {
    const first = await start({ store: await stored(), script: [said(text("Hi."))] });
    const page = new Page(first);
    await page.say("u1", "Hello");
    await first.close();
    const second = await start({ store: await stored(), script: [said(text("Fine."))] });
    const again = new Page(second);
    again.messages = page.messages;
    await again.say("u2", "And now?");
    expect(asked(second, 0)).toEqual(["Hello", "Hi.", "And now?"]);
  });

  it("closes what a process that died left open: its words stand as incomplete, its calls as interrupted (cloudflare/agents#1691)", async () => {
    const store = await stored();
    const claim = await store.claim({ owner: "", id: "chat" }, "r1");
    await claim.append(
      [
        { kind: "messages", messages: [{ id: "u1", parent: null, role: "user", parts: [text("Hello")] }] },
        { kind: "run", run: "r1", parent: "u1" },
        {
          kind: "events",
          run: "r1",
          events: [
            { type: "message-start", message: 0, head: { id: "a1", parent: "u1", run: "a1", role: "assistant" } },
            { type: "part", message: 0, part: 0, value: text("I look") },
            { type: "part", message: 0, part: 1, value: call("c1", "look", {}) },
          ],
        },
      ],
      "now",
    );
    await store.close();
    const server = await start({ store: await stored(), script: [said(text("Here I am."))] });
    expect((await conversation(server)).messages.map(words)).toEqual(["Hello", "I look[tool-call]"]);
    const page = new Page(server);
    page.messages = [user("u1", "Hello")];
    await page.say("u2", "Are you there?");
    const whole = await conversation(server);
    expect(whole.messages.find(({ id }) => id === "a1")).toMatchObject({ finish: { reason: "incomplete" } });
    expect(whole.messages.flatMap(({ parts }) => parts).find(({ type }) => type === "tool-result")).toMatchObject({
      callId: "c1",
      outcome: "interrupted",
    });
  });

  it("lets runs end when it shuts down, and at the deadline stops the rest, which keep what they said", async () => {
    const quick = heldAnswer();
    const slow = heldAnswer();
    const server = await start({ store: await stored(), script: [quick.answer, slow.answer], drainMs: 50 });
    const quickly = readerOf(await server.post("/api/v1/chat", turn("u1", "quick")));
    const slowly = readerOf(await server.post("/api/v1/chat", turn("u1", "slow")));
    quick.say("Quick");
    slow.say("Slow");
    await until(quickly, "Quick");
    await until(slowly, "Slow");
    const closed = server.close();
    expect((await server.post("/api/v1/chat", turn("u2", "late"))).status).toBe(503);
    quick.end();
    await until(quickly, "[DONE]");
    await until(slowly, "[DONE]");
    await closed;
    const again = await start({ store: await stored() });
    expect((await conversation(again, "quick")).messages.at(-1)).toMatchObject({ finish: { reason: "stop" } });
    expect((await conversation(again, "slow")).messages.at(-1)).toMatchObject({
      parts: [{ text: "Slow" }],
      finish: { reason: "aborted" },
    });
  });
});
