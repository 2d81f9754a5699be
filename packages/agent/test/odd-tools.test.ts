import type { ToolResultPart } from "translogue";
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from "vitest";
import { z } from "zod";
import { type AgentTool, createAgent, defineTool, type Model, StateBag, type ToolReturn } from "../src/index.ts";
import { setTimer } from "../src/time.ts";
import { fixed, scripted } from "./scripted-model.ts";

const unheard: unknown[] = [];
const hear = (reason: unknown): void => void unheard.push(reason);
beforeAll(() => void process.on("unhandledRejection", hear));
afterAll(async () => {
  await new Promise<void>(resolve => setImmediate(resolve));
  process.off("unhandledRejection", hear);
  expect(unheard).toEqual([]);
});

async function resultOf(tool: AgentTool): Promise<ToolResultPart> {
  const model = scripted([{ calls: [["c1", tool.name, {}]] }, { text: "done" }]);
  const response = await createAgent({ ...fixed(), model, tools: [tool] }).run("Go");
  expect(response.text).toBe("done");
  const part = response.messages[1]?.parts[0];
  if (part?.type !== "tool-result") throw new Error("the call has no result");
  return part;
}

/** A tool of any behaviour, with and without a time limit. */
const odd = (execute: () => unknown, timeoutMs?: number): AgentTool =>
  defineTool({
    name: "odd",
    parameters: z.object({}),
    execute: execute as () => ToolReturn, // wrong on purpose
    ...(timeoutMs !== undefined && { timeoutMs }),
  });

const badGetter = Object.defineProperty(new Error("x"), "message", {
  get() {
    throw new Error("no message either");
  },
});
const proxy = new Proxy(
  {},
  {
    getPrototypeOf: () => {
      throw new Error("no");
    },
    get: () => {
      throw new Error("no");
    },
    has: () => {
      throw new Error("no");
    },
  },
);
const unspeakable: [string, unknown][] = [
  ["an object without a prototype", Object.create(null)],
  ["an error whose message throws", badGetter],
  ["an error whose message is no text", Object.assign(new Error("x"), { message: Object.create(null) })],
  ["a proxy that throws at everything", proxy],
  ["a symbol", Symbol("s")],
  ["null", null],
  ["undefined", undefined],
];

describe.each([undefined, 60_000])("a tool with the time limit %s", timeoutMs => {
  test.each(unspeakable)("may throw %s: the call has a result, and the run goes on", async (_, thrown) => {
    const throws = () => {
      throw thrown;
    };
    // biome-ignore lint/suspicious/noThenProperty: a thenable is what is tried
    const rejects = { then: (_: unknown, reject: (reason: unknown) => void) => reject(thrown) };
    // biome-ignore lint/suspicious/noThenProperty: as above
    const hidden = Object.defineProperty({}, "then", { get: throws });
    for (const execute of [throws, () => rejects, () => hidden, () => ({ toJSON: throws })]) {
      const { outcome, output } = await resultOf(odd(execute, timeoutMs));
      expect(outcome).toBe("error");
      expect(output).toEqual([{ type: "text", text: expect.stringMatching(/\S/) }]);
    }
  });
});

test.each([Number.POSITIVE_INFINITY, 30 * 24 * 3_600_000])(
  "a tool may take longer than any timer: %s ms",
  async timeoutMs => {
    const later = () => new Promise<string>(resolve => setImmediate(() => setImmediate(resolve, "in time")));
    expect((await resultOf(odd(later, timeoutMs))).output).toEqual([{ type: "text", text: "in time" }]);
  },
);

test("a timer that is longer than the largest there is ends when it is over, or not at all", () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
  const ended: string[] = [];
  setTimer(() => ended.push("over"), 2 ** 31 + 10);
  const stop = setTimer(() => ended.push("stopped"), 2 ** 31 + 10);
  vi.advanceTimersByTime(2 ** 31);
  expect(ended).toEqual([]);
  stop();
  vi.advanceTimersByTime(20);
  expect(ended).toEqual(["over"]);
});

test.each(unspeakable)("a model may throw %s: the run ends with an error", async (_, thrown) => {
  const model = scripted([]);
  model.stream = async function* () {
    yield [];
    throw thrown;
  };
  const { finish, error } = await createAgent({ ...fixed(), model }).run("Go");
  expect(finish).toEqual({ reason: "error" });
  expect(error).toMatchObject({ code: "model/failed", message: expect.stringMatching(/\S/) });
});

test.each<[string, unknown, string]>([
  [
    "the error of a client, with its request",
    { status: 401, config: { headers: { Authorization: "Bearer sk-secret" } } },
    "status 401",
  ],
  ["an answer's body", { error: { message: "no such city", key: "sk-secret" } }, "no such city"],
  ["a refusal in words", { error: "no such city", status: 404 }, "no such city (status 404)"],
  ["an error without words", Object.assign(new Error(""), { code: "ECONNREFUSED" }), "code ECONNREFUSED"],
  ["an object whose message is none", { message: { key: "sk-secret" }, name: "Lost" }, "Lost"],
  ["an object whose message has one", { message: { message: "too late", key: "sk-secret" } }, "too late"],
  ["a problem's detail", { title: "Bad", detail: "quota exceeded", status: 429 }, "quota exceeded (status 429)"],
  ["several errors", new AggregateError([new Error("one"), new Error("two")]), "one (AggregateError)"],
  ["an error that only has a cause", new Error("", { cause: new Error("no disk") }), "no disk"],
  ["a list", ["sk-secret"], "Error: Function failed."],
  ["what is no JSON", { toJSON: () => undefined }, "Error: Function failed."],
  ["an endless text", "a".repeat(20_005), `${"a".repeat(20_000)}… (5 more characters)`],
  ["an endless text of emoji", `a${"😀".repeat(10_000)}`, `a${"😀".repeat(9999)}… (2 more characters)`],
])("of %s that a tool throws, only what says what went wrong is told", async (_, thrown, told) => {
  const result = await resultOf(odd(() => Promise.reject(thrown)));
  expect(result.output).toEqual([{ type: "text", text: told }]);
});

test.each<[string, Partial<AgentTool>]>([
  ["validates to nothing", { validate: () => undefined as never }],
  [
    "fails to validate",
    {
      validate: () => {
        throw Object.create(null);
      },
    },
  ],
  [
    "cannot be looked at",
    {
      get execute(): never {
        throw Object.create(null);
      },
    },
  ],
])("a tool by hand that %s settles its run", async (_, members) => {
  const tool: AgentTool = { name: "odd", input: {}, validate: value => ({ ok: true, value }), execute: () => "x" };
  Object.defineProperties(tool, Object.getOwnPropertyDescriptors(members));
  const model = scripted([{ calls: [["c1", "odd", {}]] }, { text: "done" }]);
  const response = await createAgent({ ...fixed(), model, tools: [tool] }).run("Go");
  expect(response.finish?.reason).toMatch(/^(?:stop|tool-calls)$/);
});

test("a value that cannot be shown as progress does not hurt the tool", async () => {
  const tool = defineTool({
    name: "odd",
    parameters: z.object({}),
    execute: (_, { progress }) => {
      progress(new Map() as never); // wrong on purpose
      return "fine";
    },
  });
  expect((await resultOf(tool)).output).toEqual([{ type: "text", text: "fine" }]);
});

describe("what a tool returns", () => {
  class Row {
    readonly id = 1;
    readonly #secret = 2;
    get sum() {
      return this.id + this.#secret;
    }
  }
  class Hidden {
    readonly #n = 1;
    get n() {
      return this.#n;
    }
  }
  const date = new Date("2026-11-30T08:00:00Z");

  test.each<[string, unknown, unknown]>([
    ["dates are their ISO text", { at: date }, { at: "2026-11-30T08:00:00.000Z" }],
    ["members that are undefined are left out", { a: undefined, b: 1 }, { b: 1 }],
    ["own members of a class's instance are its JSON", new Row(), { id: 1 }],
    ["objects without a prototype are objects", Object.assign(Object.create(null), { a: 1 }), { a: 1 }],
    ["one object may stand in two places", (a => [a, a])({ n: 1 }), [{ n: 1 }, { n: 1 }]],
    ["boxed values are values", [new Number(1), new String("a")], [1, "a"]],
    ["`__proto__` is a name as any", JSON.parse('{"__proto__":1}'), JSON.parse('{"__proto__":1}')],
    ["empty objects and lists are empty", [{}, []], [{}, []]],
  ])("says in JSON what it said: %s", async (_, value, expected) => {
    expect((await resultOf(odd(() => value))).output).toEqual([{ type: "data", data: expected }]);
  });

  test.each<[string, unknown]>([
    ["a Uint8Array", new Uint8Array([1, 2, 255])],
    ["a Buffer", Buffer.from([1, 2, 255])],
    ["a part of a larger buffer", new Uint8Array([0, 1, 2, 255, 0]).subarray(1, 4)],
    ["an ArrayBuffer", new Uint8Array([1, 2, 255]).buffer],
    ["one with another face", { output: new Uint8Array([1, 2, 255]), structured: 1 }],
  ])("is a file where it is bytes: %s", async (_, value) => {
    const file = { type: "file", mediaType: "application/octet-stream", source: { data: "AQL/" } };
    expect((await resultOf(odd(() => value))).output).toEqual([file]);
  });

  test.each<[string, unknown, RegExp]>([
    ["NaN", { rows: [1, Number.NaN] }, /`rows\[1\]` .*NaN/],
    ["Infinity", Number.POSITIVE_INFINITY, /Infinity is no JSON/],
    ["a bigint", { n: 1n }, /`n` .*bigint/],
    ["undefined in a list", [1, undefined], /`\[1\]` .*undefined/],
    ["a hole in a list", Array(1), /`\[0\]` .*undefined/],
    ["a function", { f: () => 1 }, /`f` .*function/],
    ["a symbol", { s: Symbol("s") }, /`s` .*symbol/],
    ["a Map", { m: new Map([[1, 2]]) }, /`m` .*a Map/],
    ["a Set", new Set([1]), /a Set is no JSON/],
    ["a RegExp", [/a/], /a RegExp/],
    ["an Error", Object.assign(new Error("lost"), { code: 1 }), /an Error/],
    ["a promise inside", { p: Promise.resolve(1) }, /`p` .*a Promise/],
    ["bytes inside", { b: new Uint8Array(1) }, /`b` .*a Uint8Array.*base64/],
    ["a date that is none", { at: new Date(Number.NaN) }, /`at` .*a Date/],
    ["hidden members only", new Hidden(), /a Hidden/],
    ["itself", (a => Object.assign(a, { a }))({}), /`a` .*stands in itself/],
    ["too deep", JSON.parse(`${"[".repeat(3000)}${"]".repeat(3000)}`), /deeper than 1000/],
    ["a Map for programs", { output: "x", structured: new Map() }, /a Map/],
  ])("is an error that says what cannot be JSON, and where: %s", async (_, value, words) => {
    const { outcome, output } = await resultOf(odd(() => value));
    expect(outcome).toBe("error");
    expect(output).toEqual([{ type: "text", text: expect.stringMatching(words) }]);
  });
});

test("a state bag refuses the same values", () => {
  expect(() => new StateBag().set("seen", { m: new Map() } as never)).toThrow(
    expect.objectContaining({ code: "state/not-json", message: expect.stringContaining("a Map") }),
  );
});

test("arguments that a model gives as text alone are read, and stand in the history as they were read", async () => {
  const got: unknown[] = [];
  const tool = defineTool({
    name: "t",
    parameters: z.object({ n: z.number() }),
    execute: input => void got.push(input),
  });
  const value = { type: "tool-call", callId: "c1", name: "t", inputText: '{"n": 1}' } as const;
  const told = scripted([{ calls: [["c1", "t", {}]] }, { text: "Done." }]);
  const model: Model = {
    ...told,
    async *stream(request) {
      for await (const events of told.stream(request)) {
        if (!events.some(event => "part" in event) || told.requests.length > 1) yield events;
        else if (events.some(({ type }) => type === "part-start")) yield [{ type: "part", message: 0, part: 0, value }];
      }
    },
  };
  const { messages } = await createAgent({ ...fixed(), model, tools: [tool] }).run("Go");
  expect(got).toEqual([{ n: 1 }]);
  expect(messages[0]?.parts).toEqual([{ ...value, input: { n: 1 } }]);
});
