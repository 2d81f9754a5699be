/**
 * A worker in a process of its own, for tests that end it: runs a scenario, or goes on with what others left. Every update it
 * tells is a line, `{ run, events }`, and the end of the scenario is one, `{ messages }`; operations are counted in a file.
 */
import { appendFileSync, writeSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import type { Engine, RunBody } from "@translogue/agent";
import { dbosEngine, sqliteEngine } from "@translogue/server";
import { isError, type Json } from "translogue";
import { answerAll, begin, bodyOf, idOf, messagesOf } from "./cut-runs.ts";
import { unhurried } from "./engine-moments.ts";
import { scenarios } from "./scenarios.ts";

export interface WorkerOrder {
  readonly kind: "sqlite" | "dbos";
  /** A file, or the address of a database. */
  readonly place: string;
  readonly scenario: string;
  readonly counts: string;
  /** `recover`: only goes on with what was left, until the scenario's last run has ended. `ask`: begins the first, and stays. */
  readonly does: "all" | "recover" | "ask";
  readonly times?: { readonly leaseMs: number; readonly beatMs: number };
}

/** Counts in the file, before the operation is begun. */
class FileCounts extends Map<string, number> {
  override set(name: string, count: number): this {
    if (order) appendFileSync(order.counts, `${name}\n`);
    return super.set(name, count);
  }
}

const order = process.argv[2] === undefined ? undefined : (JSON.parse(process.argv[2]) as WorkerOrder); // as the test gave it
async function work({ scenario: title, does, ...place }: WorkerOrder): Promise<void> {
  const scenario = [unhurried, ...scenarios].find(each => each.title === title);
  if (!scenario) throw new Error(`there is no scenario ${title}`);
  const body = bodyOf(scenario, new FileCounts(), ({ events }, run) => say({ run, events }));
  const engine = await open(place, body);
  await engine.recover();
  const last = idOf(scenario.answers?.length ?? 0);
  if (does === "ask") await begin(scenario, engine);
  say({ messages: does === "all" ? await answerAll(scenario, engine) : messagesOf(await resultOf(engine, last)) });
  await engine.close();
}

/** Of a run that somebody else starts, at some time. */
async function resultOf(engine: Engine, run: string): Promise<Json> {
  for (;;) {
    try {
      return await engine.result(run);
    } catch (error) {
      if (isError(error, "engine/failed")) throw error;
      await sleep(50);
    }
  }
}

function open({ kind, place, times }: Pick<WorkerOrder, "kind" | "place" | "times">, body: RunBody): Promise<Engine> {
  return kind === "sqlite" ? sqliteEngine({ path: place, body, ...times }) : dbosEngine({ url: place, body, ...times });
}

/** At once: what a line says must be out before the process is killed. */
const say = (line: object): void => void writeSync(1, `${JSON.stringify(line)}\n`);

if (order) await work(order);
