import { expectAllCutsToHeal } from "@translogue/testkit/engine-checks";
import { expectFailedGivesWay, expectInnerKept, expectOneGoesOn } from "@translogue/testkit/engine-parts";
import { scenarios } from "@translogue/testkit/scenarios";
import { fixed, scripted, type Turn } from "@translogue/testkit/scripted-model";
import { type Json, type JsonObject, TranslogueError } from "translogue";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import {
  type AgentOptions,
  type AgentRun,
  agentRun,
  agentRuns,
  createAgent,
  defineTool,
  type Journal,
  journalEngine,
  type MemoryRuns,
  memoryEngine,
  type Operations,
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

test("a run cut inside an agent that is a tool repeats nothing that had ended in there", () =>
  expectInnerKept(memory()));

test("of two runs after one that waits, one goes on, and the other is told which", () => expectOneGoesOn(memory()));

test("a run that failed gives way to another after the same one", () => expectFailedGivesWay(memory()));

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

  test("does an operation once that is asked for twice in one execution, within another too", async () => {
    const log: string[] = [];
    const noted = ({ operation }: Pick<Operations, "operation">) => operation("note", async () => log.push("note"));
    const engine = memoryEngine({
      body: async (_, operations) => [
        ...[await noted(operations), await noted(operations)],
        ...(await operations.operation("outer", async ({ operations: inside }) => [
          await noted(inside),
          await noted(inside),
        ])),
      ],
    });
    await engine.start("r", null);
    expect([await engine.result("r"), log]).toEqual([
      [1, 1, 2, 2],
      ["note", "note"],
    ]);
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

  const circle: { self?: unknown } = {};
  circle.self = circle;
  const unkeepable: readonly (readonly [what: string, value: unknown, place: RegExp])[] = [
    ["a BigInt", { sizes: [1n] }, /`sizes\[0\]` is no JSON value: a bigint/],
    ["a cycle", circle, /`self` is no JSON value: an object that it stands in itself/],
    ["nothing", undefined, /undefined is no JSON value/],
    ["a Map, which JSON would empty", { seen: new Map([["a", 1]]) }, /`seen` is no JSON value: a Map/],
    ["a number that JSON would turn into null", [Number.NaN], /`\[0\]` is no JSON value: NaN/],
  ];

  test.each(unkeepable)("ends a run whose result is %s with an error that names the place", async (_, value, place) => {
    const runs: MemoryRuns = {};
    const engine = memoryEngine({ runs, body: async () => value as Json });
    await engine.start("r", null);
    const result = engine.result("r");
    await expect(result).rejects.toMatchObject({ code: "engine/failed" });
    await expect(result).rejects.toThrow(place);
    expect(runs["r"]?.ending).toHaveProperty("error");
  });

  test.each(unkeepable)(
    "refuses an outcome that is %s, by its operation and place, and keeps nothing of it",
    async (_, value, place) => {
      const runs: MemoryRuns = {};
      const caught: unknown[] = [];
      const engine = memoryEngine({
        runs,
        body: async (_, { operation }) => {
          await operation("one", async () => value).catch(error => caught.push(error));
          return runs["r"]?.operations["one"]?.outcome ?? null;
        },
      });
      await engine.start("r", null);
      expect(await engine.result("r")).toBeNull();
      expect(caught).toEqual([
        expect.objectContaining({ code: "engine/not-json", message: expect.stringMatching(place) }),
      ]);
      expect(caught).toEqual([expect.objectContaining({ message: expect.stringContaining("`one`") })]);
    },
  );

  test.each(unkeepable)("takes no input that is %s", async (_, value, place) => {
    const runs: MemoryRuns = {};
    const engine = memoryEngine({ runs, body: async () => null });
    const started = engine.start("r", value as Json);
    await expect(started).rejects.toMatchObject({ code: "engine/not-json" });
    await expect(started).rejects.toThrow(place);
    expect(runs).toEqual({});
  });

  test("ends a run whose body throws before it gives a promise", async () => {
    const engine = memoryEngine({
      body: () => {
        throw new Error("no such agent");
      },
    });
    await engine.start("r", null);
    await expect(engine.result("r")).rejects.toThrow("no such agent");
  });

  /** A journal that takes neither ends nor runs back, as on a disk that is full; its beats are the test's. */
  const broken = () => {
    const renewed: (readonly string[])[] = [];
    const beats: (() => void)[] = [];
    const full = () => Promise.reject(new Error("the disk is full"));
    const journal: Journal = {
      add: async () => true,
      take: async () => [],
      begin: async () => 1,
      keep: async () => true,
      end: full,
      continueFrom: async (_, by) => by,
      ending: async () => undefined,
      renew: async runs => {
        renewed.push(runs);
        return new Set(runs);
      },
      release: full,
      close: async () => {},
    };
    const beat = async () => {
      for (const callback of beats.splice(0)) callback();
      await new Promise(resolve => setImmediate(resolve));
    };
    const setTimer = (callback: () => void) => {
      beats.push(callback);
      return () => void beats.splice(beats.indexOf(callback), 1);
    };
    return { journal, setTimer, renewed, beats, beat };
  };

  test("renews the lease of what it does, and not of a run that it could neither end nor give back", async () => {
    const { journal, setTimer, renewed, beat } = broken();
    const goesOn = Promise.withResolvers<Json>();
    const body: RunBody = async (_, { run }) => (run === "long" ? goesOn.promise : null);
    const engine = journalEngine({ journal, setTimer, body });
    await engine.start("long", null);
    await engine.start("left", null);
    await beat();
    await beat();
    expect(renewed.at(-1)).toEqual(["long"]);
  });

  test("beats while it has runs or watches for those of others, and else holds no process", async () => {
    const { journal, setTimer, beats, beat } = broken();
    const done = Promise.withResolvers<Json>();
    const whole = { ...journal, end: async () => true };
    const engine = journalEngine({ journal: whole, setTimer, body: () => done.promise });
    expect(beats).toEqual([]);
    await engine.start("r", null);
    await beat();
    expect(beats).toHaveLength(1);
    done.resolve(null);
    await beat();
    await beat();
    expect(beats).toEqual([]);
    await engine.recover();
    expect(beats).toHaveLength(1);
    await engine.close();
    expect(beats).toEqual([]);
  });

  test.each(["begin", "keep", "end"] as const)(
    "goes on with a run that it gave back, once its journal can %s again",
    async failing => {
      const { journal, setTimer, beats, beat } = broken();
      const log: string[] = [];
      const kept = new Map<string, string>();
      let isBroken = true;
      let ending: Awaited<ReturnType<Journal["ending"]>>;
      const writes = async <T>(value: T, of?: string): Promise<T> => {
        if (isBroken && of === failing) throw new Error("the disk is full");
        return value;
      };
      const mending: Journal = {
        ...journal,
        begin: () => writes(1, "begin"),
        keep: async (_, operation, outcome) => (await writes(true, "keep")) && kept.set(operation, outcome).size > 0,
        end: async (_, how) => {
          await writes(true, "end");
          ending = how;
          return true;
        },
        take: async () => (isBroken || ending ? [] : [{ run: "r", input: "2", kept }]),
        release: () => writes(undefined, failing),
        ending: async () => ending,
      };
      const engine = journalEngine({ journal: mending, setTimer, body: adds(log) });
      await engine.start("r", 2);
      await beat();
      await beat();
      expect([ending, beats.length]).toEqual([undefined, 1]);
      isBroken = false;
      await beat();
      await beat();
      expect(ending).toEqual({ result: failing === "keep" ? "4" : "3" }); // what was not kept is done once more
      if (failing === "end") expect(log).toEqual(["one, attempt 1", "wait, attempt 1"]);
      await beat();
      expect(beats).toEqual([]);
    },
  );

  test("looks no more for a run that it gave back, and that was forgotten since", async () => {
    const { journal, setTimer, beats, beat } = broken();
    const unknown = new TranslogueError("engine/unknown-run", "gone");
    const forgetful: Journal = { ...journal, release: async () => {}, ending: () => Promise.reject(unknown) };
    const engine = journalEngine({ journal: forgetful, setTimer, body: async () => null });
    await engine.start("r", null);
    await beat();
    await beat();
    expect(beats).toEqual([]);
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

test.each<[string, Json, RegExp]>([
  ["null", null, /is null/],
  ["a text", "x", /is a string/],
  ["no run that says anything", {}, /says nothing/],
  ["messages that are no list", { messages: "Hi" }, /no list/],
])("a run of an agent whose stored input is %s fails before its model is asked", async (_, input, words) => {
  const model = scripted([{ text: "Hello." }]);
  const engine = memoryEngine({ runs: {}, body: agentRuns({ agents: [createAgent({ ...fixed(), model })] }) });
  await engine.start("r", input);
  await expect(engine.result("r")).rejects.toThrow(words);
  expect(model.requests).toEqual([]);
});
