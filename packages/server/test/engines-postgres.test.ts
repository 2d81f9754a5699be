import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DBOSClient } from "@dbos-inc/dbos-sdk";
import type { RunBody } from "@translogue/agent";
import type { EngineStorage } from "@translogue/testkit/cut-runs";
import {
  expectCutsToHeal,
  expectHonoured,
  expectKilledAt,
  expectKillsToHeal,
  expectOutlivesAt,
  expectStoppedAt,
  type Place,
} from "@translogue/testkit/engine-checks";
import { moments } from "@translogue/testkit/engine-moments";
import { expectFailedGivesWay, expectInnerKept, expectOneGoesOn } from "@translogue/testkit/engine-parts";
import { killWorkers } from "@translogue/testkit/engine-workers";
import { startPostgres, type TestPostgres } from "@translogue/testkit/postgres";
import { type Scenario, scenarios } from "@translogue/testkit/scenarios";
import { isSoak, seed } from "@translogue/testkit/seeded";
import { Client } from "pg";
import type { Json } from "translogue";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { forgetRuns } from "../src/engines/forgetting.ts";
import { dbosEngine } from "../src/index.ts";
import { openPostgres } from "../src/store/postgres-database.ts";

console.info(`engines on Postgres: TRANSLOGUE_SEED=${seed}`);

let folder: string;
let postgres: TestPostgres | undefined;
let shared: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "translogue-engine-"));
  postgres = await startPostgres();
  shared = await newDatabase();
});
afterEach(killWorkers);
afterAll(async () => {
  await postgres?.stop();
  rmSync(folder, { recursive: true });
});

const newDatabase = async (): Promise<string> => {
  if (!postgres) throw new Error("Postgres did not start");
  return postgres.database();
};
let storages = 0;
const storage = (): EngineStorage => ({
  prefix: `${++storages}-`,
  open: (body: RunBody) => dbosEngine({ url: shared, body }),
  [Symbol.asyncDispose]: async () => {},
});
const place = async (): Promise<Place> => ({
  kind: "dbos",
  place: await newDatabase(),
  folder,
  times: { leaseMs: 1500, beatMs: 100 },
});
const slow = scenarios.find(({ title }) => title === "tools that take their time, and a call that waits") as Scenario; // it is there

describe("on Postgres a run cut after an update and taken up by another engine says the same, and repeats nothing that had ended", () => {
  it.each(scenarios)("$title", scenario => expectCutsToHeal(scenario, storage, 1), 600_000);
});

describe("on Postgres", () => {
  it("a run cut inside an agent that is a tool repeats nothing that had ended in there", () =>
    expectInnerKept(storage()));
  it("of two runs after one that waits, one goes on, and the other is told which", () => expectOneGoesOn(storage()));
  it("a run that failed gives way to another after the same one", () => expectFailedGivesWay(storage()));
});

describe("on Postgres an engine", () => {
  const inexact = (): Json => ({ sizes: [1n] }) as unknown as Json; // what JavaScript may give all the same
  const one: RunBody = (_, { operation }) => operation("one", async ({ number }) => number);

  it("is one a process, of two that are opened at once too, and leaves nothing open where it cannot begin", async () => {
    const url = await newDatabase();
    const opened = await Promise.allSettled([dbosEngine({ url, body: one }), dbosEngine({ url, body: one })]);
    expect(opened).toMatchObject([{ status: "fulfilled" }, { status: "rejected", reason: { code: "engine/failed" } }]);
    for (const each of opened) if (each.status === "fulfilled") await each.value.close();
    await expect(dbosEngine({ url: await mayNotMakeSchemas(url), body: one })).rejects.toThrow(/permission denied/);
    const engine = await dbosEngine({ url, body: one });
    await engine.start("r", null);
    expect(await engine.result("r")).toBe(1);
    await engine.close();
  });

  it("lets a run that it finds waiting as it is launched read what another gave", async () => {
    const url = await newDatabase();
    const after: RunBody = async (input, { operation, result }) =>
      typeof input === "string" ? result(input) : operation("one", async () => "of the first");
    const first = await dbosEngine({ url, body: after });
    await first.start("r", null);
    await first.result("r");
    await first.close();
    const keeper = await dbosEngine({ url });
    await Promise.all(["a", "b", "c"].map(run => keeper.start(run, "r")));
    const engine = await dbosEngine({ url, body: after });
    const found = await Promise.all(["a", "b", "c"].map(run => engine.result(run)));
    expect(found).toEqual(["of the first", "of the first", "of the first"]);
    await Promise.all([keeper.close(), engine.close()]);
  });

  it("takes up an operation whose connection broke before it began, and does not keep that as its end", async () => {
    const url = await newDatabase();
    const engine = await dbosEngine({ url, body: one });
    const [locking, watching] = [await connected(url), await connected(url)];
    await locking.query("begin; lock table attempt in access exclusive mode");
    await engine.start("r", null);
    const cut = `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database()
      and wait_event_type = 'Lock' and query like 'insert into "attempt"%'`;
    await vi.waitFor(async () => expect((await watching.query(cut)).rowCount).toBe(1), { timeout: 30_000 });
    await locking.query("rollback");
    expect(await engine.result("r")).toBe(1);
    await Promise.all([locking.end(), watching.end(), engine.close()]);
  });

  it.each<[string, RunBody]>([
    ["a result", async () => inexact()],
    ["an outcome", (_, { operation }) => operation("one", async () => inexact())],
  ])(
    "ends a run by %s that cannot be kept with an error that names the place, and takes no such input",
    async (_, body) => {
      const engine = await dbosEngine({ url: await newDatabase(), body });
      await engine.start("r", null);
      const result = engine.result("r");
      await expect(result).rejects.toMatchObject({ code: "engine/failed" });
      await expect(result).rejects.toThrow(/`sizes\[0\]` is no JSON value: a bigint/);
      await expect(engine.start("s", inexact())).rejects.toMatchObject({ code: "engine/not-json" });
      await engine.close();
    },
  );

  it("forgets results after their time, and what it kept beside them", async () => {
    const url = await newDatabase();
    const first = await dbosEngine({ url, body: one });
    await first.start("r", null);
    await first.result("r");
    await first.close();
    const engine = await dbosEngine({ url, body: one, keepMs: 1 });
    await engine.recover();
    await expect(engine.result("r")).rejects.toMatchObject({ code: "engine/unknown-run" });
    await engine.start("r", null);
    expect(await engine.result("r")).toBe(1);
    await engine.close();
  });
});

it("on Postgres all that is old is forgotten, and what a process ended in is forgotten by the next", async () => {
  const url = await newDatabase();
  const engine = await dbosEngine({ url, body: (_, { operation }) => operation("one", async () => 1) });
  for (const run of ["a", "b", "c", "d", "e"]) {
    await engine.start(run, null);
    await engine.result(run);
  }
  await engine.close();
  const { db, close } = await openPostgres(url);
  const client = await DBOSClient.create({ systemDatabaseUrl: url, applicationName: "translogue" });
  await db.insertInto("continuation").values({ run: "a", next: "b" }).execute();
  const left = async () => [
    (await client.listWorkflows({})).length,
    (await db.selectFrom("attempt").select("run").execute()).length,
    (await db.selectFrom("continuation").select("run").execute()).length,
  ];
  const until = new AbortController().signal;
  const options = { db, client, workflow: "translogue.run", keepMs: 0, until, most: 2 };
  const ends = async () => {
    throw new Error("the process ended");
  };
  const cut: DBOSClient = Object.create(client, { deleteWorkflows: { value: ends } });
  await expect(forgetRuns({ ...options, client: cut })).rejects.toThrow("the process ended");
  expect(await left()).toEqual([5, 3, 1]);
  await forgetRuns(options);
  expect(await left()).toEqual([0, 0, 0]);
  await client.destroy();
  await close();
});

async function connected(url: string): Promise<Client> {
  const client = new Client({ connectionString: url });
  await client.connect();
  return client;
}

/** The same database, by a user who finds the tables there and may make nothing new. */
async function mayNotMakeSchemas(url: string): Promise<string> {
  const client = await connected(url);
  await client.query("drop schema dbos cascade");
  await client.query("create role reader login password 'reader'");
  await client.query("grant all on all tables in schema public to reader");
  await client.query("grant all on schema public to reader");
  await client.end();
  return url.replace("postgres:postgres@", "reader:reader@");
}

describe("on Postgres a process killed at any moment, and started again, comes to the same", () => {
  it.each(isSoak ? scenarios : [slow])("$title", scenario => expectKillsToHeal(scenario, place, 3), 3_600_000);

  const keeper = (url: string) => dbosEngine({ url });
  const all = Object.entries(moments);

  it.each(all)("in the middle of %s", async (_, operation) => expectKilledAt(operation, await place()), 300_000);

  it.each(all)(
    "and one that stands still in the middle of %s loses its run to another, and finds that it has none",
    async (_, operation) => {
      await expectStoppedAt(operation, await place());
    },
    300_000,
  );

  it.each(["SIGKILL", "SIGSTOP"] as const)(
    "and an approval is honoured that is given after a %s",
    async signal => {
      await expectHonoured(await place(), keeper, { signal });
    },
    300_000,
  );

  const restart = async () => postgres?.restart();

  it.each(all)(
    "and goes on where the database ended in the middle of %s, and came back",
    async (_, operation) => {
      await expectOutlivesAt(operation, await place(), restart);
    },
    300_000,
  );

  it("and honours an approval that is given after the database ended and came back", async () => {
    await expectHonoured(await place(), keeper, { restart });
  }, 300_000);
});
