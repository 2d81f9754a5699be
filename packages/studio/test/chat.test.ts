import { type Agent, createModelRouter, type Model } from "@translogue/agent";
import { demoAgent, demoModel } from "@translogue/agent/demo";
import { createServer, type Server, sqliteStore } from "@translogue/server";
import { createClient } from "@translogue/server/client";
import { type Message, type Part, user } from "translogue";
import { afterEach, describe, expect, test } from "vitest";
import { Chat, type ChatView } from "../src/chat/chat.ts";
import { entriesOf, factsOf, textOf } from "../src/transcript/entries.ts";
import { askingAgent, painter } from "./asking-agent.ts";
import { failing } from "./scripted-models.ts";

const servers: Server[] = [];
afterEach(() => Promise.all(servers.splice(0).map(server => server.close())));

interface Fixture {
  readonly server: Server;
  /** The bodies that were sent to the chat's address. */
  readonly asked: { readonly [member: string]: unknown }[];
  /** Ends connections after so many bytes; undefined = none. */
  cutAfter: number | undefined;
  /** They end as one that is over does. */
  isCleanCut: boolean;
  isDown: boolean;
  open(id: string, options?: { readonly isStored?: boolean }): Chat;
}

interface FixtureOptions {
  readonly agent?: Agent;
  readonly model?: Model;
  readonly paceMs?: number;
  readonly models?: readonly string[];
  readonly onFrame?: (draw: () => void) => void;
}

async function fixture({ agent, model, paceMs = 0, models = [], onFrame }: FixtureOptions = {}): Promise<Fixture> {
  const store = await sqliteStore({ path: ":memory:" });
  const router = createModelRouter({ models, demo: ref => model ?? demoModel(ref, { paceMs }) });
  const server = createServer({ agent: agent ?? demoAgent({ paceMs }), models: router, store, busyWaitMs: 0 });
  servers.push(server);
  const made: Fixture = {
    server,
    asked: [],
    cutAfter: undefined,
    isCleanCut: false,
    isDown: false,
    open: (id, { isStored = false } = {}) =>
      new Chat({
        id,
        isStored,
        client: createClient({ baseUrl: "http://studio.test", fetch: send }),
        onFrame: onFrame ?? (draw => setImmediate(draw)),
        wait: () => new Promise(resolve => setImmediate(resolve)),
      }),
  };
  const send: typeof fetch = async (input, init) => {
    if (made.isDown) throw new TypeError("fetch failed");
    if (String(input).includes("/api/v1/chat?")) made.asked.push(JSON.parse(String(init?.body)));
    const response = await server.fetch(new Request(input, init));
    const { cutAfter } = made;
    if (!response.body || cutAfter === undefined || !String(input).includes("/chat")) return response;
    return new Response(response.body.pipeThrough(cut(cutAfter, made.isCleanCut)), response);
  };
  return made;
}

/** A network that breaks. */
function cut(bytes: number, isClean: boolean): TransformStream<Uint8Array, Uint8Array> {
  let left = bytes;
  return new TransformStream({
    transform(chunk, controller) {
      left -= chunk.length;
      if (left < 0 && isClean) controller.terminate();
      else if (left < 0) controller.error(new TypeError("network error"));
      else controller.enqueue(chunk);
    },
  });
}

const say = (words: string): Message => user(words, { id: `u${words}` });
const until = (chat: Chat, holds: (view: ChatView) => boolean): Promise<void> =>
  new Promise(resolve => {
    const check = (): void => {
      if (!holds(chat.view())) return;
      leave();
      resolve();
    };
    const leave = chat.subscribe(check);
    check();
  });
const hasUsage = ({ settled }: ChatView): boolean => factsOf(settled).usage !== undefined;
const partsOf = ({ settled }: ChatView): readonly Part[] => settled.flatMap(({ parts }) => parts);
const typesOf = (view: ChatView): string[] => partsOf(view).map(({ type }) => type);
const answer = (view: ChatView): string => textOf(view.settled);
const requestIn = (view: ChatView) => {
  const part = partsOf(view).find(({ type }) => type === "approval-request");
  if (part?.type !== "approval-request") throw new Error("nothing was asked");
  return part;
};

describe("a chat", () => {
  test("shows a message at once, then its answer as it comes, then all of it", async () => {
    // A display that is always free: else a whole answer may come between two of its frames.
    const { open } = await fixture({ onFrame: draw => queueMicrotask(draw) });
    const chat = open("c");
    const seen: ChatView[] = [];
    chat.subscribe(() => seen.push(chat.view()));
    await chat.send(say("19 + 23"));
    expect(seen[0]).toMatchObject({ status: "sending", settled: [{ role: "user" }], live: [] });
    expect(seen.some(({ status, live }) => status === "streaming" && live.length > 0)).toBe(true);
    expect(chat.view()).toMatchObject({ status: "ready", live: [] });
    expect(typesOf(chat.view())).toEqual(expect.arrayContaining(["reasoning", "tool-call", "tool-result", "text"]));
    expect(answer(chat.view())).toContain("42");
  });

  test("gets usage and model from the stored history, which says the same otherwise", async () => {
    const { open } = await fixture();
    const chat = open("c");
    await chat.send(say("19 + 23"));
    const streamed = chat.view();
    await until(chat, hasUsage);
    const facts = factsOf(chat.view().settled);
    expect(facts).toMatchObject({ isDemo: true, usage: { input: expect.any(Number) } });
    expect(typesOf(chat.view())).toEqual(typesOf(streamed));
    const keys = ({ settled }: ChatView) => entriesOf(settled).map(({ items }) => items.map(({ key }) => key));
    expect(keys(chat.view())).toEqual(keys(streamed));
  });

  test("sends only what is new, and the model that was chosen", async () => {
    const { open, asked } = await fixture();
    const chat = open("c");
    await chat.send(say("19 + 23"), "demo/one");
    await chat.send(say("1 + 1"), "demo/two");
    expect(asked).toMatchObject([
      { id: "c", trigger: "submit-message", model: "demo/one", message: { role: "user" } },
      { id: "c", model: "demo/two", message: { parts: [{ type: "text", text: "1 + 1" }] } },
    ]);
    expect(answer(chat.view())).toMatch(/42[\s\S]*2/);
    expect(chat.view().settled.filter(({ role }) => role === "user")).toHaveLength(2);
  });

  test("draws once a frame, however much comes", async () => {
    const frames: (() => void)[] = [];
    const { open } = await fixture({ onFrame: draw => void frames.push(draw) });
    const chat = open("c");
    let shown = 0;
    chat.subscribe(() => shown++);
    await chat.send(say("write 500 words"));
    expect(frames).toHaveLength(1);
    expect(shown).toBeLessThanOrEqual(2);
    expect(answer(chat.view()).split(" ").length).toBeGreaterThan(400);
  });

  test("that is opened again has what it had", async () => {
    const { open } = await fixture();
    const chat = open("c");
    await chat.send(say("weather in Beijing and London"));
    await until(chat, hasUsage);
    const again = open("c", { isStored: true });
    expect(again.view().status).toBe("loading");
    await again.open();
    expect(again.view()).toEqual(chat.view());
  });

  test("that is nowhere says so", async () => {
    const { open } = await fixture();
    const chat = open("none", { isStored: true });
    await chat.open();
    expect(chat.view()).toEqual({ status: "missing", settled: [], live: [] });
  });
});

describe("an approval", () => {
  test.each([
    [true, "ada@example.com is on its way", "tool-result"],
    [false, "not tonight", "approval-response"],
  ])("that is answered with %s goes on with the same answer", async (approved, words, type) => {
    const { open } = await fixture();
    const chat = open("c");
    await chat.send(say("send an email to ada@example.com"));
    expect(chat.view().status).toBe("ready");
    expect(entriesOf(chat.view().settled)).toHaveLength(2);
    await chat.decide(requestIn(chat.view()), { approved, reason: approved ? "" : "not tonight" });
    expect(chat.view().failure).toBeUndefined();
    const entries = entriesOf(chat.view().settled);
    expect(entries).toHaveLength(2);
    expect(entries[1]?.items.find(({ part }) => part.type === "tool-call")?.response).toMatchObject({ approved });
    expect(typesOf(chat.view())).toContain(type);
    expect(answer(chat.view())).toContain(words);
    const again = open("c", { isStored: true });
    await again.open();
    expect(entriesOf(again.view().settled).map(({ side }) => side)).toEqual(["user", "answer"]);
    expect(typesOf(again.view())).toEqual(expect.arrayContaining(["approval-response", type]));
  });

  test("is answered for itself: another one goes on waiting", async () => {
    const { open } = await fixture();
    const chat = open("c");
    await chat.send(say("send an email to ada@example.com and delete the note Groceries"));
    const requests = partsOf(chat.view()).filter(part => part.type === "approval-request");
    expect(requests).toHaveLength(2);
    for (const [index, { requestId }] of requests.entries()) {
      const request = partsOf(chat.view()).find(
        part => part.type === "approval-request" && part.requestId === requestId,
      );
      if (request?.type !== "approval-request") throw new Error("the request is gone");
      await chat.decide(request, { approved: index === 0 });
      expect(chat.view().failure).toBeUndefined();
      const items = entriesOf(chat.view().settled)[1]?.items.filter(({ part }) => part.type === "tool-call");
      expect(items?.map(({ response }) => response?.approved)).toEqual([true, index === 0 ? undefined : false]);
    }
    expect(answer(chat.view())).toContain("is on its way");
    expect(answer(chat.view())).toContain("did not run `delete_note`");
  });

  test("that was loaded can be answered, and is not asked again", async () => {
    const { open } = await fixture();
    await open("c").send(say("send an email to ada@example.com"));
    const again = open("c", { isStored: true });
    await again.open();
    await again.decide(requestIn(again.view()), { approved: true });
    expect(answer(again.view())).toContain("is on its way");
    await again.send(say("19 + 23"));
    expect(answer(again.view())).toContain("42");
  });

  test("that the server does not take is not answered", async () => {
    const made = await fixture();
    const chat = made.open("c");
    await chat.send(say("send an email to ada@example.com"));
    made.isDown = true;
    await chat.decide(requestIn(chat.view()), { approved: true });
    expect(typesOf(chat.view())).not.toContain("approval-response");
    expect(chat.view().failure).toMatchObject({ kind: "network" });
    made.isDown = false;
    await chat.decide(requestIn(chat.view()), { approved: true });
    expect(answer(chat.view())).toContain("is on its way");
  });
});

describe("a question", () => {
  const asking = () => fixture({ agent: askingAgent(), model: painter });
  const questionIn = (view: ChatView) => {
    const part = partsOf(view).findLast(({ type }) => type === "input-request");
    if (part?.type !== "input-request") throw new Error("nothing was asked");
    return part;
  };
  const value = { title: "Sea", count: 2, colour: "red" };

  test.each([
    [value, `painted {"title":"Sea","count":2,"colour":"red"}`],
    [undefined, "painted undefined"],
  ])("that is answered with %j goes on with the same answer, and is not asked again", async (given, words) => {
    const { open } = await asking();
    const chat = open("c");
    await chat.send(say("paint"));
    expect(questionIn(chat.view())).toMatchObject({ message: "What shall I paint?", kind: "question" });
    await chat.answer(questionIn(chat.view()), given);
    expect(chat.view().failure).toBeUndefined();
    expect(answer(chat.view())).toContain(words);
    const again = open("c", { isStored: true });
    await again.open();
    for (const { view } of [chat, again]) {
      const entries = entriesOf(view().settled);
      expect(entries.map(({ side }) => side)).toEqual(["user", "answer"]);
      expect(entries[1]?.items.find(({ part }) => part.type === "input-request")).toHaveProperty("answer");
    }
    await again.send(say("more"));
    expect(again.view().failure).toBeUndefined();
  });

  test("that was loaded can be answered; what the server does not take was not", async () => {
    const { open } = await asking();
    await open("c").send(say("paint"));
    const again = open("c", { isStored: true });
    await again.open();
    await again.answer(questionIn(again.view()), { title: "Sea", count: "two", colour: "red" });
    expect(again.view().failure).toBeDefined();
    expect(typesOf(again.view())).not.toContain("input-response");
    await again.answer(questionIn(again.view()), value);
    expect(answer(again.view())).toContain("painted");
    // The whole history is sent, and matched with what the server has.
    await again.retry();
    expect(again.view().failure).toBeUndefined();
    // What the tool did with the answer is not done again: it asks again.
    expect(typesOf(again.view())).not.toContain("input-response");
    expect(typesOf(again.view()).filter(type => type === "input-request")).toHaveLength(1);
  });
});

describe("what goes wrong", () => {
  test("a model that fails is an error in the answer, and can be tried again", async () => {
    const { open } = await fixture({ model: failing(1) });
    const chat = open("c");
    await chat.send(say("hello"));
    expect(typesOf(chat.view())).toEqual(["text", "text", "error"]);
    await chat.retry();
    expect(answer(chat.view())).toBe("A whole answer.");
    expect(typesOf(chat.view())).toEqual(["text", "text"]);
    const again = open("c", { isStored: true });
    await again.open();
    expect(answer(again.view())).toBe("A whole answer.");
  });

  test("a message that was not sent is kept, and goes with the next", async () => {
    const made = await fixture();
    const chat = made.open("c");
    made.isDown = true;
    await chat.send(say("19 + 23"));
    expect(chat.view()).toMatchObject({ status: "ready", settled: [{ role: "user" }], failure: { kind: "network" } });
    made.isDown = false;
    await chat.send(say("weather in London"));
    expect(chat.view().failure).toBeUndefined();
    const again = made.open("c", { isStored: true });
    await again.open();
    expect(again.view().settled.filter(({ role }) => role === "user")).toHaveLength(2);
  });

  test("a message that was not sent can be sent again", async () => {
    const made = await fixture();
    const chat = made.open("c");
    made.isDown = true;
    await chat.send(say("19 + 23"));
    made.isDown = false;
    await chat.retry();
    expect(answer(chat.view())).toContain("42");
    expect(chat.view().settled.filter(({ role }) => role === "user")).toHaveLength(1);
  });

  test("a model that is not allowed is told apart", async () => {
    const { open } = await fixture({ models: ["demo/one"] });
    const chat = open("c");
    await chat.send(say("hello"), "other/model");
    expect(chat.view().failure).toMatchObject({ kind: "model", correlationId: expect.any(String) });
    await chat.retry("demo/one");
    expect(chat.view().failure).toBeUndefined();
    expect(answer(chat.view())).not.toBe("");
  });

  test("a stopped answer keeps what it said", async () => {
    const { open } = await fixture({ paceMs: 5 });
    const chat = open("c");
    const sending = chat.send(say("write 5000 words"));
    await until(chat, ({ live }) => textOf(live).length > 20);
    const before = textOf(chat.view().live);
    await chat.stop();
    await sending;
    expect(chat.view().status).toBe("ready");
    expect(answer(chat.view()).startsWith(before)).toBe(true);
    await until(chat, ({ settled }) => settled.at(-1)?.id !== undefined);
    const again = open("c", { isStored: true });
    await again.open();
    expect(answer(again.view()).startsWith(before)).toBe(true);
    await again.send(say("19 + 23"));
    expect(answer(again.view())).toContain("42");
  });

  test.each([
    ["breaks", false],
    ["is closed in mid-answer, as if all were said", true],
  ])(
    "a connection that %s is taken up again, and nothing is lost or doubled (recoupable/app#1924)",
    async (_, isClean) => {
      const made = await fixture({ paceMs: 2 });
      made.isCleanCut = isClean;
      const chat = made.open("c");
      made.cutAfter = 2_000;
      const statuses = new Set<string>();
      chat.subscribe(() => {
        statuses.add(chat.view().status);
        if (chat.view().status === "reconnecting") made.cutAfter = undefined;
      });
      await chat.send(say("write 300 words"));
      expect(statuses).toContain("reconnecting");
      const again = made.open("c", { isStored: true });
      await again.open();
      expect(answer(chat.view())).toBe(answer(again.view()));
      expect(typesOf(chat.view())).toEqual(typesOf(again.view()));
    },
  );

  test("a connection that stays broken is said to be lost, and what came is kept", async () => {
    const made = await fixture({ paceMs: 2 });
    const chat = made.open("c");
    made.cutAfter = 2_000;
    await chat.send(say("write 300 words"));
    expect(chat.view()).toMatchObject({ status: "ready", failure: { kind: "lost" } });
    made.cutAfter = undefined;
    await chat.load();
    await until(chat, ({ status }) => status === "ready");
    expect(answer(chat.view()).split(" ").length).toBeGreaterThan(250);
  });
});

describe("an answer that is under way", () => {
  test("is taken up by whoever opens the chat, from its start", async () => {
    const { open } = await fixture({ paceMs: 3 });
    const chat = open("c");
    const sending = chat.send(say("write 300 words"));
    await until(chat, ({ live }) => textOf(live).length > 20);
    const other = open("c", { isStored: true });
    await other.open();
    expect(other.view().settled.map(({ role }) => role)).toEqual(["user"]);
    await Promise.all([sending, until(other, ({ status }) => status === "ready")]);
    expect(answer(other.view())).toBe(answer(chat.view()));
    expect(typesOf(other.view())).toEqual(typesOf(chat.view()));
  });

  test("goes on when nobody looks", async () => {
    const { open } = await fixture({ paceMs: 1 });
    const chat = open("c");
    void chat.send(say("write 200 words"));
    await until(chat, ({ live }) => textOf(live).length > 20);
    chat.leave();
    const again = open("c", { isStored: true });
    await again.open();
    await until(again, ({ status }) => status === "ready");
    expect(answer(again.view()).split(" ").length).toBeGreaterThan(150);
  });
});
