import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { sql } from "kysely";
import type { Event, Message } from "translogue";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { sqliteStore } from "../src/store/sqlite.ts";
import { openSqlite } from "../src/store/sqlite-file.ts";
import type { Entry, Store } from "../src/store/store.ts";

const key = { owner: "", id: "s1" };
const user = (id: string, parent: string | null): Message => ({
  id,
  parent,
  role: "user",
  parts: [{ type: "text", text: id }],
});
const sent = (...messages: Message[]): Entry => ({ kind: "messages", messages });
const delta = (text: string): Event => ({ type: "part-delta", message: 0, part: 0, of: "text", text });
const streamed = (run: string, ...texts: string[]): Entry => ({ kind: "events", run, events: texts.map(delta) });
const ended = (run: string): Entry => ({
  kind: "end",
  run,
  outcome: "finished",
  messages: [user("m", null)],
  head: "m",
});

let folder: string;
let path: string;
const open: Store[] = [];

const store = async (options: { readonly now?: () => number; readonly path?: string } = {}): Promise<Store> => {
  const opened = await sqliteStore({ path, ...options });
  open.push(opened);
  return opened;
};

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "translogue-store-"));
  path = join(folder, "deeper", "sessions.db");
});

afterEach(async () => {
  await Promise.all(open.splice(0).map(opened => opened.close()));
  rmSync(folder, { recursive: true });
});

describe("a SQLite store", () => {
  it("gives back what was appended, in order, after it was opened again", async () => {
    const first = await store();
    const claim = await first.claim(key, "r1");
    await claim.append([sent(user("u1", null)), { kind: "title", title: "Hello" }], "now");
    await claim.append([{ kind: "run", run: "r1", parent: "u1" }, streamed("r1", "a")], "soon");
    await claim.append([ended("r1")], "now");
    await first.close();

    const read = await (await store()).read(key);
    expect(read?.session).toMatchObject({ key, title: "Hello" });
    expect(read?.session.run).toBeUndefined();
    expect(read?.entries.map(entry => entry.kind)).toEqual(["messages", "title", "run", "events", "end"]);
    expect(read?.entries[0]).toEqual(sent(user("u1", null)));
  });

  it("writes what runs stream within a moment in one row each, numbered without gaps", async () => {
    const opened = await store();
    const claims = await Promise.all(["a", "b"].map(id => opened.claim({ owner: "", id }, `run-${id}`)));
    await Promise.all(
      claims.flatMap(claim => ["1", "2", "3"].map(text => claim.append([streamed(claim.run, text)], "soon"))),
    );
    await Promise.all(claims.map(claim => claim.append([ended(claim.run)], "now")));
    await opened.close();
    const rows = new DatabaseSync(path).prepare("select kind, seq, count from event order by session, seq").all();
    const ofOne = [
      { kind: "events", seq: 0, count: 3 },
      { kind: "end", seq: 3, count: 1 },
    ];
    expect(rows.map(row => ({ ...row }))).toEqual([...ofOne, ...ofOne]);
  });

  it("forgets the stream of a run when the next one begins, and keeps its messages", async () => {
    const opened = await store();
    const first = await opened.claim(key, "r1");
    await first.append([{ kind: "run", run: "r1", parent: null }, streamed("r1", "a"), ended("r1")], "now");
    const second = await opened.claim(key, "r2");
    await second.append([{ kind: "run", run: "r2", parent: "m" }], "now");
    expect((await opened.read(key))?.entries.map(entry => entry.kind)).toEqual(["run", "end", "run"]);
  });

  it("is one run's at a time, also for another process", async () => {
    const [one, other] = [await store(), await store()];
    const claim = await one.claim(key, "r1");
    await claim.append([sent(user("u1", null))], "now");
    for (const opened of [one, other]) {
      await expect(opened.claim(key, "r2")).rejects.toMatchObject({ code: "session/busy", data: { run: "r1" } });
      await expect(opened.remove(key)).rejects.toMatchObject({ code: "session/busy" });
      expect((await opened.read(key))?.session.run).toBe("r1");
    }
    await claim.append([ended("r1")], "now");
    await expect(other.claim(key, "r2")).resolves.toMatchObject({ run: "r2" });
  });

  it("gives a session whose holder is silent for too long to the next, and refuses what the first still writes (danny-avila/LibreChat#14552)", async () => {
    let now = 1_000_000;
    const [one, other] = [await store({ now: () => now }), await store({ now: () => now })];
    const late = await one.claim(key, "r1");
    await late.append([sent(user("u1", null))], "now");
    now += 60_000;
    const next = await other.claim(key, "r2");
    await expect(late.append([ended("r1")], "now")).rejects.toMatchObject({ code: "store/fenced" });
    await next.append([ended("r2")], "now");
    expect((await other.read(key))?.entries.map(entry => entry.kind)).toEqual(["messages", "end"]);
  });

  it("gives a session that is held by a process that is gone to the next at once", async () => {
    const one = await store();
    await (await one.claim(key, "r1")).append([sent(user("u1", null))], "now");
    await one.close();
    const file = new DatabaseSync(path);
    const holder = file.prepare("select holder from session").get()?.["holder"];
    const [host] = String(holder).split("/");
    // Process numbers end at 2^22.
    file.prepare("update session set holder = ?").run(`${host}/${2 ** 22 + 1}/x`);
    file.close();
    await expect((await store()).claim(key, "r2")).resolves.toMatchObject({ run: "r2" });
  });

  it("keeps owners apart, and lists the last changed first", async () => {
    let now = 1;
    const opened = await store({ now: () => now++ });
    for (const [owner, id] of [
      ["ann", "x"],
      ["bob", "x"],
      ["ann", "y"],
    ] as const) {
      const claim = await opened.claim({ owner, id }, "r");
      await claim.append([ended("r")], "now");
    }
    expect((await opened.list("ann", { limit: 9 })).map(({ key }) => key.id)).toEqual(["y", "x"]);
    const [last] = await opened.list("ann", { limit: 1 });
    const rest = await opened.list("ann", { limit: 9, before: last?.updatedAt ?? 0 });
    expect(rest.map(({ key }) => key.id)).toEqual(["x"]);
    expect(await opened.remove({ owner: "ann", id: "x" })).toBe(true);
    expect(await opened.remove({ owner: "ann", id: "x" })).toBe(false);
    expect(await opened.read({ owner: "bob", id: "x" })).toBeDefined();
  });

  it("has no session for a claim that was given back unused", async () => {
    const opened = await store();
    const claim = await opened.claim(key, "r1");
    await claim.release();
    expect(await opened.read(key)).toBeUndefined();
    const again = await opened.claim(key, "r2");
    await again.append([sent(user("u1", null))], "now");
    await again.release();
    expect((await opened.read(key))?.session.run).toBeUndefined();
  });

  it("commits what is waiting before it closes", async () => {
    const first = await store();
    const claim = await first.claim(key, "r1");
    const written = claim.append([sent(user("u1", null))], "soon");
    await first.close();
    await written;
    expect((await (await store()).read(key))?.entries).toHaveLength(1);
  });

  it("refuses a file that a later version made, in words", async () => {
    await (await store()).close();
    const file = new DatabaseSync(path);
    file.exec("insert into kysely_migration (name, timestamp) values ('0099_later', '2099-01-01')");
    file.close();
    await expect(sqliteStore({ path })).rejects.toMatchObject({ code: "store/newer" });
  });

  it.each<[what: string, make: () => string, code: string, words: string]>([
    [
      "no database",
      () => {
        writeFileSync(path, "Dear diary, this is no database. ".repeat(100));
        return path;
      },
      "store/not-a-database",
      "is no SQLite database: name another file",
    ],
    ["a folder", () => dirname(path), "store/not-opened", "it is a folder"],
    [
      "in a folder that can't be made",
      () => {
        writeFileSync(path, "");
        return join(path, "in-a-file", "a.db");
      },
      "store/not-opened",
      "can't be made",
    ],
  ])("refuses a file that is %s, with its name and what to do", async (_, make, code, words) => {
    mkdirSync(dirname(path));
    const file = make();
    await expect(sqliteStore({ path: file })).rejects.toMatchObject({ code, message: expect.stringContaining(words) });
    await expect(sqliteStore({ path: file })).rejects.toMatchObject({
      message: expect.stringContaining(dirname(file)),
    });
  });

  it("says that the disk is full, keeps what was there, and goes on once there is room", async () => {
    const opened = await store();
    const claim = await opened.claim(key, "r1");
    await claim.append([sent(user("u1", null))], "now");
    const { db, close } = await openSqlite(path); // the connection that the store has
    const pages = (most: number) => sql`pragma max_page_count = ${sql.lit(most)}`.execute(db);
    await pages(1);
    const long = { ...user("u2", "u1"), parts: [{ type: "text" as const, text: "x".repeat(1_000_000) }] };
    await expect(claim.append([sent(long)], "now")).rejects.toMatchObject({ code: "store/full" });
    await pages(1_000_000);
    await claim.append([sent(user("u3", "u1"))], "now");
    expect((await opened.read(key))?.entries).toHaveLength(2);
    await close();
  });

  it("syncs every commit to the disk, in WAL mode", async () => {
    await (await store()).close();
    const file = new DatabaseSync(path);
    expect(file.prepare("pragma journal_mode").get()?.["journal_mode"]).toBe("wal");
    file.close();
  });
});
