import { getEventListeners } from "node:events";
import { expect, test } from "vitest";
import type { ToolContext } from "../../src/index.ts";
import { connectMcp } from "../../src/mcp/index.ts";
import { listening, modernToy, olderToy, toyProcess } from "./hosts.ts";
import { calls, joined, ran, wordsOf } from "./joined.ts";
import { newJournal } from "./toy-server.ts";

const done = { text: "done" };
const add = calls(["add", { a: 1, b: 1 }]);

/** A toy with sessions, and what may go wrong with it. */
async function restarting(broken: { initialize?: boolean; everything?: boolean } = {}) {
  const journal = newJournal();
  const toy = olderToy(journal);
  let isDown = false;
  const url = await listening(async request => {
    const method = request.method === "POST" ? String((await request.clone().json()).method) : request.method;
    if (isDown && broken.initialize && method === "initialize") return new Response("no", { status: 503 });
    if (isDown && broken.everything && method === "tools/call") return new Response("no such session", { status: 404 });
    return toy.fetch(request);
  });
  const restart = (): void => {
    isDown = true;
    toy.forget();
  };
  return { journal, toy, url, restart };
}

test("a server that forgot its session is joined once more, and the call repeated once (modelcontextprotocol/typescript-sdk#1708)", async () => {
  const { journal, toy, url, restart } = await restarting();
  const mcp = await joined({ toy: { url } });
  const { results, response } = await ran(mcp, [add, add, done], { onModel: [() => {}, () => restart()] });
  expect(results.map(wordsOf)).toEqual(["2", "2"]);
  expect(response.text).toBe("done");
  expect(journal.entries.filter(entry => entry === "call add")).toHaveLength(2);
  expect(toy.begun).toEqual(["s1", "s2"]);
  expect(toy.requests.filter(({ method }) => method === "initialize").map(({ session }) => session)).toEqual([
    null,
    null,
  ]);
});

test("calls that fail together join the server once", async () => {
  const { toy, url, restart } = await restarting();
  const mcp = await joined({ toy: { url } });
  const three = calls(["add", { a: 1, b: 1 }], ["add", { a: 2, b: 2 }], ["show"]);
  const { results } = await ran(mcp, [three, done], { onModel: [() => restart()] });
  expect(results.map(({ outcome }) => outcome)).toEqual([undefined, undefined, undefined]);
  expect(toy.begun).toEqual(["s1", "s2"]);
});

test.each([
  ["it takes no new session", { initialize: true }, /`toy` cannot be joined/, 1],
  ["it forgets the new one too", { everything: true }, /404|no such session/, 2],
])(
  "where %s the call fails once, clearly, and the run goes on (modelcontextprotocol/typescript-sdk#1708)",
  async (_, broken, words, sessions) => {
    const { journal, toy, url, restart } = await restarting(broken);
    const mcp = await joined({ toy: { url } });
    const { results, response } = await ran(mcp, [add, add, done], { onModel: [() => {}, () => restart()] });
    expect(results.map(({ outcome }) => outcome)).toEqual([undefined, "error"]);
    expect(wordsOf(results[1])).toMatch(words);
    expect(response.text).toBe("done");
    expect(journal.entries.filter(entry => entry === "call add")).toHaveLength(1);
    expect(toy.begun).toHaveLength(sessions);
  },
);

test("a list that is another after the restart is read before the next step (modelcontextprotocol/typescript-sdk#1708)", async () => {
  const { journal, url, restart } = await restarting();
  const mcp = await joined({ toy: { url } });
  const onModel = [
    () => {
      journal.tools = ["second"];
      restart();
    },
  ];
  const { offered } = await ran(mcp, [add, done], { onModel });
  expect(offered[0]).toContain("first");
  expect(offered[1]).toContain("second");
  expect(offered[1]).not.toContain("first");
});

test("a child process that ended is started again when it is next needed", async () => {
  const mcp = await joined({ toy: toyProcess() });
  const before = mcp.get("toy")?.sdk;
  await before?.close();
  const { results } = await ran(mcp, [add, done]);
  expect(wordsOf(results[0])).toBe("2");
  expect(mcp.get("toy")?.sdk).not.toBe(before);
});

test("those that work are there, the rest is reported in the words of whoever failed", async () => {
  const gone = await listening(() => new Response("gone fishing", { status: 500 }));
  const mcp = await joined({
    dead: toyProcess("broken"),
    missing: { command: "no-such-command-anywhere" },
    toy: toyProcess(),
    gone: { url: gone },
    http: { url: await listening(modernToy(newJournal())), tools: ["show"] },
  });
  expect(mcp.failures.map(({ server }) => server).toSorted()).toEqual(["dead", "gone", "missing"]);
  const words = Object.fromEntries(mcp.failures.map(({ server, error }) => [server, error.message]));
  expect(words["dead"]).toMatch(/`dead` cannot be joined: .*no licence found/s);
  expect(words["missing"]).toMatch(/ENOENT/);
  const { results } = await ran(mcp, [add, done]);
  expect(wordsOf(results[0])).toBe("2");
});

test("a required server that cannot be joined fails all, and leaves nothing running", async () => {
  const servers = { toy: toyProcess(), dead: { ...toyProcess("broken"), required: true } };
  await expect(connectMcp(servers)).rejects.toMatchObject({ code: "mcp/unreachable" });
});

test("joins of one server that come together are one", async () => {
  const toy = olderToy(newJournal());
  let isDown = true;
  const url = await listening(request => (isDown ? new Response("not yet", { status: 503 }) : toy.fetch(request)));
  const mcp = await joined({ toy: { url } });
  isDown = false;
  const [one, other] = await Promise.all([mcp.join("toy"), mcp.join("toy")]);
  expect([one === other, mcp.get("toy") === one, toy.begun]).toEqual([true, true, ["s1"]]);
});

test("a server that is being joined when all are closed is left, and none can be joined any more", async () => {
  const toy = olderToy(newJournal());
  const begun = Promise.withResolvers<void>();
  let isDown = true;
  const url = await listening(async request => {
    if (isDown) return new Response("not yet", { status: 503 });
    begun.resolve();
    await new Promise(() => {});
    return toy.fetch(request);
  });
  const mcp = await joined({ toy: { url } });
  isDown = false;
  const joining = mcp.join("toy");
  const settled = expect(joining).rejects.toThrow(/closed/);
  await begun.promise;
  await mcp.close();
  await settled;
  expect(mcp.get("toy")).toBeUndefined();
  await expect(mcp.join("toy")).rejects.toMatchObject({ code: "mcp/closed" });
});

test("the signal of a joining is that one's alone: whatever becomes of it later, the server is joined again", async () => {
  const { toy, url, restart } = await restarting();
  const begin = new AbortController();
  const mcp = await joined({ toy: { url } }, { signal: begin.signal });
  begin.abort();
  const { results } = await ran(mcp, [add, done], { onModel: [() => restart()] });
  expect(results.map(wordsOf)).toEqual(["2"]);
  expect(toy.begun).toEqual(["s1", "s2"]);
});

test("nothing of a joining or a call goes on listening to its signal", async () => {
  const begin = new AbortController();
  const mcp = await joined({ toy: { url: await listening(modernToy(newJournal())) } }, { signal: begin.signal });
  const stop = new AbortController();
  const context = { ...({} as ToolContext), signal: stop.signal, progress: () => {} }; // all that a call looks at
  await mcp.get("toy")?.call({ name: "add", inputSchema: { type: "object" } }, { a: 1, b: 1 }, context);
  expect(listeners(begin.signal)).toBe(0);
  expect(listeners(stop.signal)).toBe(0);
});

const listeners = (signal: AbortSignal): number => getEventListeners(signal, "abort").length;

test.each([[{}], [{ command: "x", url: "http://localhost" }]])("%j is no way to a server", async server => {
  // What JavaScript may pass all the same.
  await expect(connectMcp({ toy: server as { url: string } })).rejects.toMatchObject({ code: "mcp/invalid" });
});

test("closing ends the child process and the session, and later calls say so", async () => {
  const journal = newJournal();
  const toy = olderToy(journal);
  const mcp = await connectMcp({
    child: toyProcess("older"),
    http: { url: await listening(toy.fetch), tools: ["show"] },
  });
  const transport = mcp.get("child")?.sdk.transport;
  const pid = transport && "pid" in transport ? Number(transport.pid) : 0;
  expect(process.kill(pid, 0)).toBe(true);
  await mcp.close();
  expect(() => process.kill(pid, 0)).toThrow(/ESRCH/);
  expect(toy.requests.at(-1)).toEqual({ session: "s1", method: "DELETE" });
  await expect(mcp.get("child")?.prompts()).rejects.toMatchObject({ code: "mcp/closed" });
});
