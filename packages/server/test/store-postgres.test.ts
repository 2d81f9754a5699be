import { startPostgres, type TestPostgres } from "@translogue/testkit/postgres";
import type { Event, Message } from "translogue";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type Entry, type PostgresStore, type PostgresStoreOptions, postgresStore } from "../src/index.ts";

const key = { owner: "", id: "s1" };
const user = (id: string): Message => ({ id, parent: null, role: "user", parts: [{ type: "text", text: id }] });
const sent = (id: string): Entry => ({ kind: "messages", messages: [user(id)] });
const delta = (text: string): Event => ({ type: "part-delta", message: 0, part: 0, of: "text", text });
const streamed = (run: string, ...texts: string[]): Entry => ({ kind: "events", run, events: texts.map(delta) });
const begun = (run: string): Entry => ({ kind: "run", run, parent: null });
const ended = (run: string): Entry => ({ kind: "end", run, outcome: "finished", messages: [user("m")], head: "m" });

let postgres: TestPostgres | undefined;
let url: string;
const open: PostgresStore[] = [];
const store = async (options: Partial<PostgresStoreOptions> = {}): Promise<PostgresStore> => {
  const opened = await postgresStore({ url, ...options });
  open.push(opened);
  return opened;
};

beforeAll(async () => {
  postgres = await startPostgres();
});
afterAll(() => postgres?.stop());
beforeEach(async () => {
  url = (await postgres?.database()) ?? "";
});
afterEach(() => Promise.all(open.splice(0).map(opened => opened.close())));

const kinds = async (of: PostgresStore) => (await of.read(key))?.entries.map(({ kind }) => kind);

describe("a Postgres store", () => {
  it("gives back what was appended, in order, to another process too", async () => {
    const claim = await (await store()).claim(key, "r1");
    await claim.append([sent("u1"), { kind: "title", title: "Hello" }], "now");
    await claim.append([begun("r1"), streamed("r1", "a")], "soon");
    await claim.append([ended("r1")], "now");
    const read = await (await store()).read(key);
    expect(read?.session).toMatchObject({ key, title: "Hello", createdAt: expect.any(Number) });
    expect(read?.entries).toEqual([
      sent("u1"),
      { kind: "title", title: "Hello" },
      begun("r1"),
      streamed("r1", "a"),
      ended("r1"),
    ]);
  });

  it("is one run's at a time, and of many that come at once one has it", async () => {
    const stores = await Promise.all([store(), store(), store()]);
    const claims = await Promise.allSettled(stores.map((each, index) => each.claim(key, `r${index}`)));
    expect(claims.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    for (const claim of claims)
      if (claim.status === "rejected") expect(claim.reason).toMatchObject({ code: "session/busy" });
    await expect(stores[0]?.remove(key)).rejects.toMatchObject({ code: "session/busy" });
  });

  it("gives a session whose holder is silent for too long to the next, and refuses what the first still writes", async () => {
    let now = 1_000_000;
    const [one, other] = [await store({ now: () => now }), await store({ now: () => now })];
    const late = await one.claim(key, "r1");
    await late.append([sent("u1")], "now");
    now += 60_000;
    const next = await other.claim(key, "r2");
    await expect(late.append([ended("r1")], "now")).rejects.toMatchObject({ code: "store/fenced" });
    await next.append([ended("r2")], "now");
    expect(await kinds(other)).toEqual(["messages", "end"]);
  });

  it("forgets the stream of a run when the next one begins, and keeps its messages", async () => {
    const opened = await store();
    const first = await opened.claim(key, "r1");
    await first.append([begun("r1"), streamed("r1", "a"), ended("r1")], "now");
    await (await opened.claim(key, "r2")).append([begun("r2")], "now");
    expect(await kinds(opened)).toEqual(["run", "end", "run"]);
  });

  it("tells who watches a session what another process adds, when it can be read", async () => {
    const [writer, reader] = [await store(), await store()];
    const claim = await writer.claim(key, "r1");
    await claim.append([begun("r1")], "now");
    const other = await writer.claim({ owner: "", id: "other" }, "r2");
    const heard = Promise.withResolvers<void>();
    let calls = 0;
    const leave = await reader.watch(key, () => {
      calls++;
      heard.resolve();
    });
    await other.append([begun("r2")], "now");
    await claim.append([streamed("r1", "a", "b")], "soon");
    await heard.promise;
    expect(await kinds(reader)).toEqual(["run", "events"]);
    expect(calls).toBe(1);
    await leave();
  });

  it("keeps owners apart, and lists the last changed first", async () => {
    let now = 1;
    const opened = await store({ now: () => now++ });
    for (const [owner, id] of [
      ["ann", "x"],
      ["bob", "x"],
      ["ann", "y"],
    ] as const)
      await (await opened.claim({ owner, id }, "r")).append([ended("r")], "now");
    expect((await opened.list("ann", { limit: 9 })).map(({ key }) => key.id)).toEqual(["y", "x"]);
    expect(await opened.remove({ owner: "ann", id: "x" })).toBe(true);
    expect(await opened.read({ owner: "bob", id: "x" })).toBeDefined();
  });

  it("has no session for a claim that was given back unused", async () => {
    const opened = await store();
    await (await opened.claim(key, "r1")).release();
    expect(await opened.read(key)).toBeUndefined();
  });
});
