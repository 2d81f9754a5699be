import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { RunBody } from "@translogue/agent";
import type { EngineStorage } from "@translogue/testkit/cut-runs";
import {
  expectCutsToHeal,
  expectHonoured,
  expectKilledAt,
  expectKillsToHeal,
  expectStoppedAt,
  type Place,
} from "@translogue/testkit/engine-checks";
import { moments } from "@translogue/testkit/engine-moments";
import { expectFailedGivesWay, expectInnerKept, expectOneGoesOn } from "@translogue/testkit/engine-parts";
import { killWorkers } from "@translogue/testkit/engine-workers";
import { type Scenario, scenarios } from "@translogue/testkit/scenarios";
import { isSoak, seed } from "@translogue/testkit/seeded";
import type { Json } from "translogue";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { sqliteEngine } from "../src/index.ts";

console.info(`engines: TRANSLOGUE_SEED=${seed}`);

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "translogue-engine-"));
});
afterEach(killWorkers);
afterAll(() => rmSync(folder, { recursive: true }));

let files = 0;
const newFile = (): string => join(folder, `${++files}.db`);

const storage = (): EngineStorage => {
  const path = newFile();
  return {
    open: (body: RunBody) => sqliteEngine({ path, body }),
    [Symbol.asyncDispose]: async () => {},
  };
};
const place = async (): Promise<Place> => ({ kind: "sqlite", place: newFile(), folder });

const slow = scenarios.find(({ title }) => title === "tools that take their time, and a call that waits") as Scenario; // it is there

describe("on SQLite a run cut after an update and taken up by another engine says the same, and repeats nothing that had ended", () => {
  it.each(scenarios)("$title", scenario => expectCutsToHeal(scenario, storage, 3), 600_000);
});

describe("on SQLite", () => {
  it("a run cut inside an agent that is a tool repeats nothing that had ended in there", () =>
    expectInnerKept(storage()));
  it("of two runs after one that waits, one goes on, and the other is told which", () => expectOneGoesOn(storage()));
  it("a run that failed gives way to another after the same one", () => expectFailedGivesWay(storage()));
});

describe("on SQLite a process that waits", () => {
  it("for the result of a run that another process does gets it, with nothing else to live for", async () => {
    const path = newFile();
    const goesOn = Promise.withResolvers<Json>();
    const engine = await sqliteEngine({ path, body: () => goesOn.promise });
    await engine.start("r", null);
    const waiting = program(`
      const engine = await sqliteEngine({ path: ${JSON.stringify(path)} });
      console.log("waiting");
      console.log(JSON.stringify(await engine.result("r")));
      await engine.close();
    `);
    const lines: string[] = [];
    for await (const line of waiting.lines) if (lines.push(line) === 1) goesOn.resolve({ text: "done" });
    expect([lines, await waiting.exit]).toEqual([["waiting", '{"text":"done"}'], 0]);
    await engine.close();
  });

  it("for what dead processes leave stays until it is closed", async () => {
    const path = newFile();
    const watching = program(`
      const engine = await sqliteEngine({ path: ${JSON.stringify(path)}, beatMs: 20, body: async input => {
        console.log(JSON.stringify(input));
        setImmediate(() => engine.close());
        return null;
      } });
      await engine.recover();
      console.log("watching");
    `);
    const lines: string[] = [];
    for await (const line of watching.lines) {
      if (lines.push(line) > 1) continue;
      const keeper = await sqliteEngine({ path });
      await keeper.start("r", "left");
      await keeper.close();
    }
    expect([lines, await watching.exit]).toEqual([["watching", '"left"'], 0]);
  });
});

/** A process of its own that runs a program over the sources. */
function program(text: string): { readonly lines: AsyncIterable<string>; readonly exit: Promise<unknown> } {
  const index = JSON.stringify(new URL("../src/index.ts", import.meta.url));
  const source = `import { sqliteEngine } from ${index};${text}`;
  const args = ["--conditions=translogue-source", "--input-type=module", "-e", source];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  return { lines: createInterface({ input: child.stdout }), exit: once(child, "exit").then(([code]) => code) };
}

describe("on SQLite a process killed at any moment, and started again, comes to the same", () => {
  it.each(isSoak ? scenarios : [slow])("$title", scenario => expectKillsToHeal(scenario, place, 3), 3_600_000);

  const keeper = (path: string) => sqliteEngine({ path });
  const all = Object.entries(moments);

  it.each(all)("in the middle of %s", async (_, operation) => expectKilledAt(operation, await place()), 300_000);

  it.each(all)(
    "and one that stands still in the middle of %s loses its run to another, and finds that it has none",
    async (_, operation) => {
      await expectStoppedAt(operation, { ...(await place()), times: { leaseMs: 400, beatMs: 100 } });
    },
    300_000,
  );

  it.each(["SIGKILL", "SIGSTOP"] as const)(
    "and an approval is honoured that is given after a %s",
    async signal => {
      await expectHonoured({ ...(await place()), times: { leaseMs: 400, beatMs: 100 } }, keeper, { signal });
    },
    300_000,
  );
});
