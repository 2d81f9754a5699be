import { expectAllCutsToHeal } from "@translogue/testkit/engine-checks";
import { scenarios } from "@translogue/testkit/scenarios";
import { scripted, type Turn } from "@translogue/testkit/scripted-model";
import type { Json, JsonObject } from "translogue";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import {
  type AgentOptions,
  type AgentRun,
  agentRun,
  agentRuns,
  createAgent,
  defineTool,
  type MemoryRuns,
  memoryEngine,
  type RunBody,
} from "../src/index.ts";

/** Between two processes the runs are JSON. */
const memory = () => {
  let runs: MemoryRuns = {};
  return {
    open: async (body: RunBody) => {
      runs = JSON.parse(JSON.stringify(runs)) as MemoryRuns; // a copy of them
      return memoryEngine({ body, runs });
    },
    [Symbol.asyncDispose]: async () => {},
  };
};

describe("a run cut after any update and taken up by another engine says the same, and repeats nothing that had ended", () => {
  test.each(scenarios)("$title", scenario => expectAllCutsToHeal(scenario, memory));
});

describe("an engine", () => {
  const adds =
    (log: string[] = [], cut?: () => Promise<void>): RunBody =>
    async (input, { operation }) => {
      const one = await operation("one", async ({ number }) => log.push(`one, attempt ${number}`) + Number(input));
      await operation("wait", async ({ number }) => {
        log.push(`wait, attempt ${number}`);
        await cut?.();
        return null;
      });
      return one;
    };

  test("runs the same id once, whoever starts it again", async () => {
    const log: string[] = [];
    const engine = memoryEngine({ body: adds(log) });
    await Promise.all([engine.start("r", 5), engine.start("r", 5)]);
    await engine.start("r", 7);
    expect([await engine.result("r"), log]).toEqual([6, ["one, attempt 1", "wait, attempt 1"]]);
  });

  test("goes on where another stopped: what had ended is not run again, what was cut is a new attempt", async () => {
    const runs: MemoryRuns = {};
    const log: string[] = [];
    const cut = Promise.withResolvers<void>();
    const first = memoryEngine({
      runs,
      body: adds(log, async () => {
        cut.resolve();
        await new Promise(() => {});
      }),
    });
    await first.start("r", 5);
    await cut.promise;
    await first.close();
    const next = memoryEngine({ runs, body: adds(log) });
    expect([await next.recover(), await next.result("r"), await next.recover()]).toEqual([["r"], 6, []]);
    expect(log).toEqual(["one, attempt 1", "wait, attempt 1", "wait, attempt 2"]);
  });

  test("keeps nothing of what throws, and says why a run failed", async () => {
    const runs: MemoryRuns = {};
    const engine = memoryEngine({
      runs,
      body: async (_, { operation }) => operation<Json>("one", () => Promise.reject(new Error("no disk"))),
    });
    await engine.start("r", null);
    await expect(engine.result("r")).rejects.toMatchObject({ code: "engine/failed", data: { run: "r" } });
    await expect(engine.result("r")).rejects.toThrow("no disk");
    await expect(engine.result("s")).rejects.toMatchObject({ code: "engine/unknown-run" });
  });

  test("that is closed keeps nothing more, stops what is under way, and is done with", async () => {
    const runs: MemoryRuns = {};
    const begun = Promise.withResolvers<AbortSignal>();
    const late = Promise.withResolvers<Json>();
    const engine = memoryEngine({
      runs,
      body: async (_, { operation }) =>
        operation("one", ({ signal }) => {
          begun.resolve(signal);
          return late.promise;
        }),
    });
    await engine.start("r", null);
    const signal = await begun.promise;
    await engine.close();
    late.resolve(1);
    await new Promise(resolve => setImmediate(resolve));
    expect([signal.aborted, runs["r"]]).toEqual([true, { input: "null", operations: { one: { attempts: 1 } } }]);
    await expect(engine.start("s", null)).rejects.toMatchObject({ code: "engine/lost" });
  });
});

/** The runs of an agent whose second answer is cut. */
const cutAtSecondCall = async (
  options: Partial<AgentOptions>,
  turns: readonly Turn[],
  runOptions: Partial<AgentRun> = {},
) => {
  const runs: MemoryRuns = {};
  const cut = Promise.withResolvers<void>();
  let isCut = false;
  const model = scripted(({ conversation: { messages } }) => {
    const turn = turns[messages.filter(({ role }) => role === "assistant").length];
    if (!isCut && turn === turns[1]) {
      isCut = true;
      cut.resolve();
      return { chunks: ["Hal"], hangs: true };
    }
    return turn ?? { text: "no such turn" };
  });
  const body = agentRuns({ agents: [createAgent({ id: "ada", model, ...options })] });
  const first = memoryEngine({ runs, body });
  const messages = [{ role: "user", parts: [{ type: "text", text: "Go" }] }] as const;
  await first.start("r", agentRun({ messages, ...runOptions }));
  await cut.promise;
  await first.close();
  const next = memoryEngine({ runs, body });
  await next.recover();
  return (await next.result("r")) as { readonly session: JsonObject; readonly finish?: JsonObject }; // as `agentRuns` gives it
};

describe("a durable run", () => {
  test("finds in its state bag what the tools of the process before it put there", async () => {
    const note = defineTool({
      name: "note",
      parameters: z.object({ text: z.string() }),
      execute: ({ text }, { session }) => {
        session.stateBag.set("note", text);
        session.stateBag.remove("old");
        return "noted";
      },
    });
    const stateBag = { old: 1, kept: true };
    const session = { kind: "translogue.session", version: 1, id: "s", stateBag, messages: [] };
    const turns: Turn[] = [{ calls: [["c1", "note", { text: "milk" }]] }, { text: "Done." }];
    const result = await cutAtSecondCall({ tools: [note] }, turns, { session });
    expect(result.session["stateBag"]).toEqual({ note: "milk", kept: true });
  });

  test("asks providers of context for what they gave once, and lets them settle once", async () => {
    let asked = 0;
    let settled = 0;
    const clock = {
      name: "clock",
      before: () => ({ messages: [{ role: "user" as const, parts: [{ type: "text" as const, text: `${++asked}` }] }] }),
      after: () => void settled++,
    };
    const add = defineTool({ name: "add", parameters: z.object({}), execute: () => 3 });
    const turns: Turn[] = [{ calls: [["c1", "add", {}]] }, { text: "Done." }];
    const result = await cutAtSecondCall({ tools: [add], context: [clock] }, turns);
    const texts = JSON.stringify(result.session["messages"]);
    expect([texts.includes('"text":"1"'), texts.includes('"text":"2"'), settled]).toEqual([true, false, 1]);
  });
});
