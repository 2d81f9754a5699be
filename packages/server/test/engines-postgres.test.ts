import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { RunBody } from "@translogue/agent";
import { answer, comparable, type EngineStorage, idOf, messagesOf, Reader } from "@translogue/testkit/cut-runs";
import { expectCutsToHeal, expectKillsToHeal, orderOf, type Place } from "@translogue/testkit/engine-checks";
import { countsIn, killWorkers, Worker } from "@translogue/testkit/engine-workers";
import { startPostgres, type TestPostgres } from "@translogue/testkit/postgres";
import { type Scenario, scenarios } from "@translogue/testkit/scenarios";
import { isSoak, seed } from "@translogue/testkit/seeded";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { dbosEngine } from "../src/index.ts";

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

describe("on Postgres a process killed at any moment, and started again, comes to the same", () => {
  it.each(isSoak ? scenarios : [slow])("$title", scenario => expectKillsToHeal(scenario, place, 3), 3_600_000);

  it("and honours the approval that was given while there was none", async () => {
    const [reader, order] = [new Reader(), orderOf(slow, await place())];
    const first = new Worker(order, reader);
    const asked = new Promise<void>(resolve => (reader.onRequest = resolve));
    await Promise.race([asked, first.messages]);
    await first.kill();
    const keeper = await dbosEngine({ url: order.place });
    await answer(slow, keeper, { to: 0, in: reader.messages() });
    reader.begin();
    const messages = await new Worker({ ...order, does: "recover" }, reader).messages;
    expect(messages?.at(-1)).toMatchObject({ parts: [{ text: "All done." }] });
    expect(messages).toEqual(messagesOf(await keeper.result(idOf(1))));
    await keeper.close();
  }, 300_000);

  it("and one that stands still loses its runs to another, and finds that it has none", async () => {
    const [reader, lost] = [new Reader(), new Reader()];
    const order = orderOf(slow, await place());
    const first = new Worker(order, lost);
    await first.told(12);
    first.signal("SIGSTOP");
    const messages = await new Worker(order, reader).messages;
    expect(messages?.at(-1)).toMatchObject({ parts: [{ text: "All done." }] });
    const counts = countsIn(order.counts);
    first.signal("SIGCONT");
    await expect(first.messages).resolves.toEqual(messages);
    expect(countsIn(order.counts)).toEqual(counts);
  }, 300_000);

  it("and goes on where the database itself was ended and came back", async () => {
    const [reader, order] = [new Reader(), orderOf(slow, await place())];
    const worker = new Worker(order, reader);
    await worker.told(12);
    await postgres?.restart();
    const messages = await worker.messages;
    expect(messages?.at(-1)).toMatchObject({ parts: [{ text: "All done." }] });
    expect([...countsIn(order.counts).values()].every(count => count <= 2)).toBe(true);
    expect(comparable(reader.messages())).not.toEqual([]);
  }, 300_000);
});
