import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { Engine } from "@translogue/agent";
import { expect, vi } from "vitest";
import {
  answer,
  type Course,
  comparable,
  type EngineStorage,
  idOf,
  messagesOf,
  Reader,
  runScenario,
} from "./cut-runs.ts";
import { isAsking, unhurried } from "./engine-moments.ts";
import type { WorkerOrder } from "./engine-process.ts";
import { countsIn, Worker } from "./engine-workers.ts";
import type { Scenario } from "./scenarios.ts";
import { chooser, isSoak } from "./seeded.ts";

/** Some of the numbers from 1 to `most`, in order: all under soak. */
export function share(name: string, most: number, count: number): readonly number[] {
  const all = Array.from({ length: most }, (_, index) => index + 1);
  if (isSoak) return all;
  const choose = chooser(name);
  const chosen = new Set(Array.from({ length: count }, () => 1 + choose(most)));
  return all.filter(number => chosen.has(number));
}

/** Cut after updates and taken up by another engine, a scenario says the same, and what had ended is not run again. */
export async function expectCutsToHeal(
  scenario: Scenario,
  storage: () => EngineStorage,
  cuts = Number.POSITIVE_INFINITY,
) {
  await using whole = storage();
  const expected = await runScenario(scenario, whole);
  for (const cutAt of share(scenario.title, expected.updates, Math.min(cuts, expected.updates))) {
    await using kept = storage();
    expectSame(await runScenario(scenario, kept, cutAt), expected, `cut after update ${cutAt}`);
  }
}

/** Every cut: for storages that cost nothing. */
export async function expectAllCutsToHeal(scenario: Scenario, storage: () => EngineStorage) {
  const expected = await runScenario(scenario, storage());
  for (let cutAt = 1; cutAt <= expected.updates; cutAt++)
    expectSame(await runScenario(scenario, storage(), cutAt), expected, `cut after update ${cutAt}`);
}

function expectSame(course: Course, expected: Course, about: string): void {
  expect(comparable(course.messages), about).toEqual(comparable(expected.messages));
  const again = course.seen.filter(operation => course.counts.get(operation) !== expected.counts.get(operation));
  expect(again, `run again, ${about}`).toEqual([]);
  expectHeard(course.heard, course.messages, about);
}

/** A reader who stayed has heard the very messages that the session keeps, each once. */
export function expectHeard(heard: Course["heard"], messages: Course["messages"], about: string): void {
  const kept = new Map(messages.map(message => [message.id, message]));
  const reader = new Reader();
  for (const [run, events] of heard) reader.hear(run, events);
  const made = reader.messages();
  expect(made, `heard, ${about}`).toEqual(made.map(({ id }) => kept.get(id)));
}

const opened = { parts: [{ text: "All done." }] };

/** A worker that is in the middle of an operation of `unhurried`. */
async function workerAt(operation: string, order: WorkerOrder, reader: Reader): Promise<Worker> {
  const worker = new Worker(order, reader);
  await vi.waitFor(() => expect(countsIn(order.counts).get(operation)).toBe(1), { timeout: 60_000, interval: 20 });
  expect(worker.isAtWork, "it is at work").toBe(true);
  return worker;
}

/** One that stands still just as it writes to its SQLite file keeps all others out until it goes on: it is let to finish that. */
async function standStill(worker: Worker, { kind, place }: WorkerOrder): Promise<void> {
  for (;;) {
    worker.signal("SIGSTOP");
    if (kind !== "sqlite" || isWritable(place)) return;
    worker.signal("SIGCONT");
    await new Promise(resolve => setImmediate(resolve));
  }
}

function isWritable(file: string): boolean {
  const database = new DatabaseSync(file, { timeout: 0 });
  try {
    database.exec("begin immediate; rollback");
    return true;
  } catch {
    return false;
  } finally {
    database.close();
  }
}

/** What was under way was begun once more, and all else once. */
function expectOneRepeated(cut: string, counts: ReadonlyMap<string, number>): void {
  expect([...counts].filter(([, count]) => count !== 1)).toEqual([[cut, 2]]);
}

/** Another process goes on with what a killed one left in the middle. */
export async function expectKilledAt(operation: string, place: Place): Promise<void> {
  const reader = new Reader();
  const order = orderOf(unhurried, place);
  const first = await workerAt(operation, order, reader);
  await first.kill();
  reader.begin();
  const messages = await new Worker(order, reader).messages;
  expect(messages?.at(-1)).toMatchObject(opened);
  expectOneRepeated(operation, countsIn(order.counts));
  expectHeard(reader.heard, messages ?? [], "after the kill");
}

/** Another process takes over from one that stands still in the middle, which finds that when it comes back. */
export async function expectStoppedAt(operation: string, place: Place): Promise<void> {
  const order = orderOf(unhurried, place);
  const first = await workerAt(operation, order, new Reader());
  await standStill(first, order);
  const messages = await new Worker(order, new Reader()).messages;
  expect(messages?.at(-1)).toMatchObject(opened);
  expectOneRepeated(operation, countsIn(order.counts));
  first.signal("SIGCONT");
  await expect(first.messages).resolves.toEqual(messages);
  expectOneRepeated(operation, countsIn(order.counts));
}

/** The process goes on by itself once what it keeps its runs in has come back. */
export async function expectOutlivesAt(operation: string, place: Place, restart: () => Promise<void>): Promise<void> {
  const reader = new Reader();
  const order = orderOf(unhurried, place);
  const worker = await workerAt(operation, order, reader);
  await restart();
  const messages = await worker.messages;
  expect(messages?.at(-1)).toMatchObject(opened);
  const counts = countsIn(order.counts);
  expect([...counts].filter(([name, count]) => name !== operation && count !== 1)).toEqual([]);
  expectHeard(reader.heard, messages ?? [], "after the restart");
}

/** An approval waits, something happens to the process that asked, and the answer is honoured all the same. */
export async function expectHonoured(
  place: Place,
  openKeeper: (place: string) => Promise<Engine>,
  meanwhile: { readonly signal: "SIGKILL" | "SIGSTOP" } | { readonly restart: () => Promise<void> },
): Promise<void> {
  const reader = new Reader();
  const order = orderOf(unhurried, place, { does: "ask" });
  const first = new Worker(order, reader);
  await Promise.race([reader.hears(isAsking), first.messages]);
  await using keeper = disposable(await openKeeper(order.place));
  await keeper.engine.result(idOf(0));
  if (!("signal" in meanwhile)) await meanwhile.restart();
  else if (meanwhile.signal === "SIGSTOP") await standStill(first, order);
  else first.signal(meanwhile.signal);
  await answer(unhurried, keeper.engine, { to: 0, in: reader.messages() });
  const worker = "signal" in meanwhile ? new Worker({ ...order, does: "recover" }, reader) : first;
  const messages = await worker.messages;
  expect(messages?.at(-1)).toMatchObject(opened);
  expect(messages).toEqual(messagesOf(await keeper.engine.result(idOf(1))));
  expect([...countsIn(order.counts).values()].every(count => count === 1)).toBe(true);
  if (!("signal" in meanwhile) || meanwhile.signal === "SIGKILL") return;
  first.signal("SIGCONT");
  await expect(first.messages).resolves.toEqual(messages);
}

const disposable = (engine: Engine) => ({ engine, [Symbol.asyncDispose]: () => engine.close() });

/** Where workers keep the runs of one scenario. */
export interface Place extends Pick<WorkerOrder, "kind" | "place" | "times"> {
  readonly folder: string;
}

let orders = 0;

export const orderOf = (
  scenario: Scenario,
  { folder, ...place }: Place,
  more: Partial<WorkerOrder> = {},
): WorkerOrder => {
  const counts = join(folder, `counts-${++orders}`);
  writeFileSync(counts, "");
  return { ...place, counts, scenario: scenario.title, does: "all", ...more };
};

/** Killed at moments of its course and started again, a worker comes to the messages of one that nobody killed. */
export async function expectKillsToHeal(scenario: Scenario, place: () => Promise<Place>, kills: number): Promise<void> {
  const whole = new Reader();
  const order = orderOf(scenario, await place());
  const undisturbed = new Worker(order, whole);
  const expected = await undisturbed.messages;
  if (!expected) throw new Error("the worker ended before its time");
  const counts = countsIn(order.counts);
  const choose = chooser(`${scenario.title} kills`);
  for (const killAt of share(`${scenario.title} kills`, undisturbed.updates, kills)) {
    const about = `killed ${killAt} updates on`;
    const reader = new Reader();
    const order = orderOf(scenario, await place());
    const first = new Worker(order, reader);
    await first.told(killAt);
    await new Promise(resolve => setTimeout(resolve, choose(20)));
    await first.kill();
    const seen = reader.finished();
    reader.begin();
    const messages = await new Worker(order, reader).messages;
    expect(messages && comparable(messages), about).toEqual(comparable(expected));
    const again = seen.filter(operation => countsIn(order.counts).get(operation) !== counts.get(operation));
    expect(again, `run again, ${about}`).toEqual([]);
    expectHeard(reader.heard, messages ?? [], about);
  }
}
