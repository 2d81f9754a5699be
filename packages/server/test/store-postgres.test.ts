import { type AddressInfo, connect, createServer } from "node:net";
import { startPostgres, type TestPostgres } from "@translogue/testkit/postgres";
import { Client } from "pg";
import type { Event, Message } from "translogue";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
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

  /** What the server does to connections whose last query was this one. */
  const onConnections = async (doing: "pg_terminate_backend(pid)" | "pid", query: string): Promise<number> => {
    const client = new Client({ connectionString: url });
    await client.connect();
    const where = "where datname = current_database() and pid <> pg_backend_pid() and query like $1";
    const { rows } = await client.query(`select ${doing} from pg_stat_activity ${where}`, [`${query}%`]);
    await client.end();
    return rows.length;
  };

  /** A watcher, and its next call. */
  const heard = () => {
    let next = Promise.withResolvers<void>();
    const call = () => {
      next.resolve();
      next = Promise.withResolvers<void>();
    };
    return { call, next: () => next.promise };
  };

  it("tells a watcher whose connection broke that it may have missed something, and goes on telling", async () => {
    const opened = await store();
    const claim = await opened.claim(key, "r1");
    const { call, next } = heard();
    await opened.watch(key, call);
    const again = next();
    expect(await onConnections("pg_terminate_backend(pid)", "listen")).toBe(1);
    await again;
    const added = next();
    await claim.append([begun("r1")], "now");
    await added;
  });

  it("listens for all who watch by one connection, and by none once they have left", async () => {
    const opened = await store();
    await opened.claim(key, "r1");
    const leave = await Promise.all([1, 2, 3].map(() => opened.watch(key, () => {})));
    expect(await onConnections("pid", "listen")).toBe(1);
    for (const each of leave) await each();
    await vi.waitFor(async () => expect(await onConnections("pid", "listen")).toBe(0));
  });

  it("tells all who watch a session once for each change, and asks the database nothing for it", async () => {
    const [writer, reader] = [await store(), await store()];
    const claim = await writer.claim(key, "r1");
    const calls = [0, 0, 0];
    const told = calls.map(() => Promise.withResolvers<void>());
    for (const [index, { resolve }] of told.entries()) {
      const call = () => {
        calls[index] = (calls[index] ?? 0) + 1;
        resolve();
      };
      await reader.watch(key, call);
    }
    const before = await onConnections("pid", 'select "key" from "session"');
    await claim.append([begun("r1")], "now");
    await Promise.all(told.map(({ promise }) => promise));
    expect(calls).toEqual([1, 1, 1]);
    expect([before, await onConnections("pid", 'select "key" from "session"')]).toEqual([0, 0]);
  });

  it("goes on telling who came while the connection of those who left was being made anew", async () => {
    await using doors = await doorsTo(url);
    const opened = await store({ url: doors.url });
    await opened.claim(key, "r1");
    const leave = await opened.watch(key, () => {});
    doors.close();
    await onConnections("pg_terminate_backend(pid)", "listen");
    await vi.waitFor(() => expect(doors.waiting).toHaveLength(1));
    const left = leave();
    const { call, next } = heard();
    const watching = opened.watch(key, call);
    await vi.waitFor(() => expect(doors.waiting).toHaveLength(2));
    doors.let(1);
    const leaveAgain = await watching;
    doors.let(0);
    await left;
    doors.open();
    expect(await onConnections("pid", "listen")).toBe(1);
    const again = next();
    await onConnections("pg_terminate_backend(pid)", "listen");
    await again;
    await leaveAgain();
    await vi.waitFor(async () => expect(await onConnections("pid", "listen")).toBe(0));
  });

  it("tells of a session that was made after somebody watched, and of one that was removed and made again", async () => {
    const opened = await store();
    const { call, next } = heard();
    await opened.watch(key, call);
    for (const run of ["r1", "r2"]) {
      const added = next();
      await (await opened.claim(key, run)).append([begun(run), ended(run)], "now");
      await added;
      const removed = next();
      await opened.remove(key);
      await removed;
    }
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

/** A way to a database on which connections can be made to wait. */
async function doorsTo(url: string) {
  const { hostname, port } = new URL(url);
  const waiting: (() => void)[] = [];
  let isOpen = true;
  const server = createServer(socket => {
    const pass = (): void => {
      const inner = connect(Number(port), hostname);
      for (const [from, to] of [
        [socket, inner],
        [inner, socket],
      ] as const)
        from.on("error", () => to.destroy()).pipe(to);
    };
    if (isOpen) pass();
    else waiting.push(pass);
  });
  await new Promise<void>(resolve => server.listen(0, "127.0.0.1", resolve));
  const outer = new URL(url);
  outer.port = String((server.address() as AddressInfo).port); // it listens on TCP
  return {
    url: outer.href,
    waiting,
    close: () => {
      isOpen = false;
    },
    open: () => {
      isOpen = true;
    },
    let: (index: number) => waiting[index]?.(),
    [Symbol.asyncDispose]: async () => void server.close(),
  };
}
