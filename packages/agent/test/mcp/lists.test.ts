import { createMcpHandler } from "@modelcontextprotocol/server";
import { expect, test, vi } from "vitest";
import { createAgent } from "../../src/index.ts";
import { hosted, olderProcess, toyProcess } from "./hosts.ts";
import { calls, joined, ran, wordsOf } from "./joined.ts";
import { newJournal, toyServer } from "./toy-server.ts";

const done = { text: "done" };
const patience = { timeout: 30_000 };

test.each([
  ["of 2026-07-28", () => toyProcess(), "first"],
  ["older", () => toyProcess("older"), "first"],
  ["made with the older SDK", () => olderProcess(), "both"],
] as const)(
  "a server %s that changes its tools is read again before the next step, and once for two notifications (anthropics/claude-code#79826)",
  async (_, server, gone) => {
    const mcp = await joined({ toy: server() });
    const { offered, results } = await ran(mcp, [
      calls(["grow"]),
      calls(["second"]),
      calls([gone]),
      calls(["journal"]),
      done,
    ]);
    expect(offered[0]).toContain(gone);
    for (const names of offered.slice(1)) {
      expect(names).toEqual(expect.arrayContaining(["second", "third"]));
      expect(names).not.toContain(gone);
    }
    expect(results.map(wordsOf)).toMatchObject([
      expect.stringMatching(/^grow/),
      "second is done",
      expect.stringMatching(`Requested function "${gone}" not found`),
      expect.anything(),
    ]);
    // Once as it was joined, and once after both notifications.
    expect(wordsOf(results[3]).match(/list( 0)?\b(?! \d)/g)).toHaveLength(2);
  },
);

test("tools of one's own keep their names beside a server's, and a list may be narrowed", async () => {
  const own = {
    name: "add",
    input: { type: "object" },
    validate: () => ({ ok: true as const, value: {} }),
    execute: () => "mine",
  };
  const mcp = await joined({ toy: { ...toyProcess(), tools: ["add", "show"] } });
  const { offered, results } = await ran(mcp, [calls(["add"]), calls(["toy_add", { a: 1, b: 2 }]), done], {
    agent: model => createAgent({ model, tools: mcp.toolsBeside([own]) }),
  });
  expect(offered[0]).toEqual(["add", "toy_add", "show"]);
  expect(results.map(wordsOf)).toEqual(["mine", "3"]);
});

test("of two servers with one tool each says whose it is", async () => {
  const mcp = await joined({
    one: { ...toyProcess(), tools: ["add"] },
    two: { ...toyProcess("older"), tools: ["add", "fail"] },
  });
  const { offered } = await ran(mcp, [done]);
  expect(offered[0]).toEqual(["one_add", "two_add", "fail"]);
});

test("over HTTP too a change is heard, also after the stream that tells of it was cut", async () => {
  const journal = newJournal();
  const handler = createMcpHandler(({ era }) => toyServer(journal, era));
  const { url, drop } = await hosted(request => handler.fetch(request));
  const mcp = await joined({ toy: { url } });
  const last = async () => (await mcp.tools()).at(-1)?.name;
  expect(await last()).toBe("first");
  for (const name of ["second", "third"]) {
    journal.tools = [name];
    handler.notify.toolsChanged();
    await vi.waitFor(async () => expect(await last()).toBe(name), patience);
    drop();
    journal.tools = [`${name}-unheard`];
    // What was missed while nobody listened is read as the stream is found to be cut.
    await vi.waitFor(async () => expect(await last()).toBe(`${name}-unheard`), patience);
  }
});

test("a list that changes while it is read is read once more, and the newer one stays (anthropics/claude-code#79826)", async () => {
  const journal = newJournal();
  const handler = createMcpHandler(({ era }) => toyServer(journal, era));
  let asked = 0;
  let isChanging = false;
  const { promise: isHeard, resolve: heard } = Promise.withResolvers<void>();
  const { url } = await hosted(async request => {
    const { method, params } = request.method === "POST" ? await request.clone().json() : {};
    if (method !== "tools/list" || params?.cursor) return handler.fetch(request);
    asked++;
    const old = await handler.fetch(request);
    const text = await old.text();
    if (isChanging) {
      isChanging = false;
      journal.tools = ["second"];
      handler.notify.toolsChanged();
      await isHeard; // the answer is late, and older than the news
    }
    return new Response(text, old);
  });
  const mcp = await joined({ toy: { url } });
  const toy = mcp.get("toy");
  toy?.sdk.setNotificationHandler("notifications/tools/list_changed", () => {
    toy.changed("tools");
    heard();
  });
  isChanging = true;
  toy?.changed("tools");
  const lists = await Promise.all([mcp.tools(), mcp.tools()]);
  expect(lists.map(tools => tools.at(-1)?.name)).toEqual(["second", "second"]);
  expect(asked).toBe(3);
});

test.each([
  ["a page that fails", (): Response => new Response("out of order", { status: 500 })],
  ["pages without end", (cursor: string): Record<string, unknown> => ({ tools: [], nextCursor: `${cursor}x` })],
] as const)(
  "where a list is %s the tools known before hold, and it is read as soon as it can be",
  async (_, broken) => {
    const journal = newJournal();
    const handler = createMcpHandler(({ era }) => toyServer(journal, era));
    let isBroken = false;
    const { url } = await hosted(async request => {
      const { id, method, params } = request.method === "POST" ? await request.clone().json() : {};
      if (!isBroken || method !== "tools/list") return handler.fetch(request);
      const answer = broken(String(params?.cursor ?? ""));
      const result = { resultType: "complete", ttlMs: 0, cacheScope: "private", ...answer };
      return answer instanceof Response ? answer : Response.json({ jsonrpc: "2.0", id, result });
    });
    const mcp = await joined({ toy: { url } });
    isBroken = true;
    journal.tools = ["second"];
    mcp.get("toy")?.changed("tools");
    expect((await mcp.tools()).at(-1)?.name).toBe("first");
    expect(mcp.failures).toMatchObject([{ server: "toy" }]);
    isBroken = false;
    expect((await mcp.tools()).at(-1)?.name).toBe("second");
    expect(mcp.failures).toEqual([]);
  },
);
