import type { Json, ToolResultPart } from "translogue";
import * as v from "valibot";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import {
  type AgentTool,
  createAgent,
  defineTool,
  type Parameters,
  type ToolContext,
  type ToolReturn,
} from "../src/index.ts";
import { fixed, scripted, type Turn } from "./scripted-model.ts";

/** The result of one call of one tool. */
async function resultOf(tool: AgentTool, input: Json | { readonly raw: string } = {}): Promise<ToolResultPart> {
  const model = scripted([{ calls: [["c1", tool.name, input]] }, { text: "done" }]);
  const { messages } = await createAgent({ ...fixed(), model, tools: [tool], sleep: at(50) }).run("Go");
  const [result] = messages.flatMap(({ parts }) => parts.filter(part => part.type === "tool-result"));
  if (!result) throw new Error("the call has no result");
  return result;
}

/** Time passes at once up to a moment, and not beyond. */
const at = (now: number) => (ms: number) => (ms <= now ? Promise.resolve() : new Promise<void>(() => {}));

const returning = (value: ToolReturn) => defineTool({ name: "give", parameters: z.object({}), execute: () => value });

describe("the parameters of a tool", () => {
  test("give the model their JSON Schema, without the name of its draft", () => {
    const tool = defineTool({ name: "add", parameters: z.object({ a: z.number(), b: z.number().optional() }) });
    expect(tool.input).toEqual({
      type: "object",
      properties: { a: { type: "number" }, b: { type: "number" } },
      required: ["a"],
    });
  });

  test("may be a Standard Schema with the JSON Schema beside it", async () => {
    const tool = defineTool({
      name: "greet",
      parameters: {
        schema: v.object({ name: v.pipe(v.string(), v.toUpperCase()) }),
        jsonSchema: { type: "object", properties: { name: { type: "string" } }, required: ["name"] },
      },
      execute: ({ name }) => `Hello ${name}`,
    });
    expect((await resultOf(tool, { name: "ada" })).output).toEqual([{ type: "text", text: "Hello ADA" }]);
  });

  test.each<[string, unknown, RegExp]>([
    ["a Standard Schema without JSON Schema", v.object({}), /give no JSON Schema.*with the JSON Schema beside/],
    ["a JSON Schema alone", { type: "object" }, /no Standard Schema.*with the JSON Schema beside/],
    ["nothing", undefined, /no Standard Schema/],
    ["a schema that is no object", z.string(), /must be an object/],
    ["a schema that JSON cannot say", z.object({ at: z.date() }), /cannot be said as JSON Schema/],
  ])("are an error at the definition where they are %s", (_, parameters, message) => {
    const define = () => defineTool({ name: "t", parameters: parameters as Parameters }); // wrong on purpose
    expect(define).toThrow(expect.objectContaining({ code: "tool/invalid", message: expect.stringMatching(message) }));
  });

  test.each(["", "with space", "a".repeat(65), "名字"])("go with a name that providers take, not `%s`", name => {
    expect(() => defineTool({ name, parameters: z.object({}) })).toThrow(
      expect.objectContaining({ code: "tool/invalid" }),
    );
  });

  test("are one tool's of that name only", () => {
    const tool = returning("x");
    expect(() => createAgent({ model: scripted([]), tools: [tool, tool] })).toThrow(
      expect.objectContaining({ code: "tool/duplicate-name" }),
    );
  });
});

describe("arguments", () => {
  const seen: unknown[] = [];
  const find = defineTool({
    name: "find",
    parameters: z.object({ q: z.string(), top: z.number().default(3) }),
    execute: input => {
      seen.push(input);
      return "found";
    },
  });
  const ping = defineTool({ name: "ping", parameters: z.object({}), execute: input => JSON.stringify(input) });

  test("reach the tool as its schema gives them", async () => {
    seen.length = 0;
    expect((await resultOf(find, { q: "tea" })).outcome).toBeUndefined();
    expect(seen).toEqual([{ q: "tea", top: 3 }]);
  });

  test.each(["", "  ", "\n"])("that are blank (%j) read as none, and are validated", async raw => {
    expect((await resultOf(ping, { raw })).output).toEqual([{ type: "text", text: "{}" }]);
    expect(await resultOf(find, { raw })).toMatchObject({ outcome: "error" });
  });

  test.each<[string, Json | { readonly raw: string }, RegExp]>([
    ["do not parse", { raw: '{"q": "te' }, /no JSON: \{"q": "te/],
    ["are null", { raw: "null" }, /expected object/i],
    ["are a list", [1], /expected object/i],
    ["are of a wrong type", { q: 1 }, /q: .*expected string/i],
    ["are long and do not parse", { raw: `{${"x".repeat(5000)}` }, /^.{100,320}$/],
  ])("that %s are an error the model can read, and never run", async (_, input, words) => {
    seen.length = 0;
    const { outcome, output = [] } = await resultOf(find, input);
    expect(outcome).toBe("error");
    expect(output).toEqual([{ type: "text", text: expect.stringMatching(words) }]);
    expect(seen).toEqual([]);
  });

  test("stand in the history as JSON once they were blank", async () => {
    const model = scripted([{ calls: [["c1", "ping", { raw: "  " }]] }, { text: "done" }]);
    const { messages } = await createAgent({ ...fixed(), model, tools: [ping] }).run("Go");
    expect(messages[0]?.parts).toEqual([{ type: "tool-call", callId: "c1", name: "ping", input: {} }]);
  });

  test("come to the tool as text too, digits that JavaScript rounds included", async () => {
    const exact = defineTool({
      name: "exact",
      parameters: z.object({ n: z.number() }),
      execute: (_, { inputText }) => inputText,
    });
    const raw = '{"n": 12345678901234567890}';
    expect((await resultOf(exact, { raw })).output).toEqual([{ type: "text", text: raw }]);
  });
});

describe("what a tool returns", () => {
  test.each<[string, ToolReturn, Partial<ToolResultPart>]>([
    ["a text, without quotes", "42", { output: [{ type: "text", text: "42" }] }],
    ["a number, as data", 42, { output: [{ type: "data", data: 42 }] }],
    ["an object, as data", { reply: "hi" }, { output: [{ type: "data", data: { reply: "hi" } }] }],
    ["null, as data", null, { output: [{ type: "data", data: null }] }],
    ["nothing", undefined, { output: [{ type: "text", text: "Success: Function completed." }] }],
    ["a list, as data", [1, { type: "x" }], { output: [{ type: "data", data: [1, { type: "x" }] }] }],
    [
      "parts, as they are",
      [
        { type: "text", text: "a map" },
        { type: "file", mediaType: "image/png", source: { data: "AAAA" } },
      ],
      {
        output: [
          { type: "text", text: "a map" },
          { type: "file", mediaType: "image/png", source: { data: "AAAA" } },
        ],
      },
    ],
    [
      "faces for programs and people beside it",
      { output: "3 rows", structured: [1, 2, 3], display: [{ type: "text", text: "| 1 |" }] },
      { output: [{ type: "text", text: "3 rows" }], structured: [1, 2, 3], display: [{ type: "text", text: "| 1 |" }] },
    ],
    [
      "a failure in its own words",
      { output: "no such row", isError: true },
      { output: [{ type: "text", text: "no such row" }], outcome: "error" },
    ],
    ["an object that only has an output, as data", { output: 5 }, { output: [{ type: "data", data: { output: 5 } }] }],
    [
      "an object with an output and more, as data",
      { output: 5, exit: 0 },
      { output: [{ type: "data", data: { output: 5, exit: 0 } }] },
    ],
  ])("is %s", async (_, value, result) => {
    expect(await resultOf(returning(value))).toEqual({ type: "tool-result", callId: "c1", name: "give", ...result });
  });

  test("is copied: what the tool does with it afterwards changes no history", async () => {
    const rows = [1];
    const tool = defineTool({ name: "rows", parameters: z.object({}), execute: () => rows });
    const result = await resultOf(tool);
    rows.push(2);
    expect(result.output).toEqual([{ type: "data", data: [1] }]);
  });

  test.each<[string, () => unknown]>([
    ["a function", () => () => 1],
    ["a bigint", () => 1n],
    ["itself inside of itself", () => { const a: Record<string, unknown> = {}; a["a"] = a; return a; }], // biome-ignore format: one idea
  ])("is an error where it is no JSON: %s", async (_, value) => {
    const tool = defineTool({ name: "odd", parameters: z.object({}), execute: () => value() as ToolReturn }); // wrong on purpose
    expect(await resultOf(tool)).toMatchObject({ outcome: "error" });
  });
});

describe("a tool that fails", () => {
  const throwing = (error: unknown) =>
    defineTool({
      name: "bad",
      parameters: z.object({}),
      execute: () => {
        throw error;
      },
    });

  test.each<[string, unknown, string]>([
    ["an error, in its message", new Error("no disk"), "no disk"],
    ["a text", "no luck", "no luck"],
    ["nothing to say", new Error(""), "Error: Function failed."],
    ["an abort that nobody asked for", new DOMException("I stop", "AbortError"), "I stop"],
  ])("gives a result: %s", async (_, error, words) => {
    const result = await resultOf(throwing(error));
    expect(result).toMatchObject({ outcome: "error", output: [{ type: "text", text: words }] });
    expect(JSON.stringify(result)).not.toContain(".test.ts");
  });

  test("by taking too long is stopped, and its signal says so", async () => {
    let signal: AbortSignal | undefined;
    const tool = defineTool({
      name: "sleepy",
      parameters: z.object({}),
      timeoutMs: 50,
      execute: (_, context) => {
        signal = context.signal;
        return new Promise<string>(() => {});
      },
    });
    const { outcome, output } = await resultOf(tool);
    expect([outcome, output]).toEqual(["error", [{ type: "text", text: expect.stringMatching(/longer than 50 ms/) }]]);
    expect(signal?.aborted).toBe(true);
  });

  test("in time does not know that it had a limit", async () => {
    const tool = defineTool({ name: "quick", parameters: z.object({}), timeoutMs: 51, execute: () => "in time" });
    expect((await resultOf(tool)).output).toEqual([{ type: "text", text: "in time" }]);
  });

  test("because nobody knows it is told which there are", async () => {
    const model = scripted([{ calls: [["c1", "batch.parallel", {}]] }, { text: "done" }]);
    const { messages } = await createAgent({ ...fixed(), model, tools: [returning("x")] }).run("Go");
    expect(messages[1]?.parts[0]).toMatchObject({
      outcome: "error",
      output: [{ text: 'Error: Requested function "batch.parallel" not found. Available functions: give.' }],
    });
  });
});

describe("what a tool knows", () => {
  test("is the call, the run, the session, and what the run was given", async () => {
    let known: ToolContext | undefined;
    const tool = defineTool({
      name: "know",
      parameters: z.object({}),
      execute: (_, context) => {
        known = context;
        context.session.stateBag.set("seen", true);
      },
    });
    const agent = createAgent({
      ...fixed(),
      model: scripted([{ calls: [["c1", "know", {}]] }, { text: "x" }]),
      tools: [tool],
    });
    const session = await agent.createSession();
    const { responseId } = await agent.run("Go", { session, additionalProperties: { tenant: "t1" } });
    expect(known).toMatchObject({ callId: "c1", toolName: "know", step: 1, attempt: 1, run: responseId });
    expect(known?.agent).toBe(agent);
    expect(known?.session).toBe(session);
    expect(known?.additionalProperties).toEqual({ tenant: "t1" });
    expect(known?.messages.map(({ role }) => role)).toEqual(["user", "assistant", "tool"]);
    expect(session.stateBag.get("seen")).toBe(true);
  });

  test("it may show while it runs; only the result stays", async () => {
    const tool = defineTool({
      name: "load",
      parameters: z.object({}),
      execute: async (_, { progress }) => {
        progress({ done: 1 });
        await new Promise<void>(resolve => setImmediate(resolve));
        return "all";
      },
    });
    const agent = createAgent({
      ...fixed(),
      model: scripted([{ calls: [["c1", "load", {}]] }, { text: "x" }]),
      tools: [tool],
    });
    const results: ToolResultPart[] = [];
    for await (const { events } of agent.runStreaming("Go")) {
      for (const event of events)
        if (event.type === "part" && event.value.type === "tool-result") results.push(event.value);
    }
    expect(results.map(({ output, preliminary }) => [output, preliminary])).toEqual([
      [[{ type: "data", data: { done: 1 } }], true],
      [[{ type: "text", text: "all" }], undefined],
    ]);
  });

  test("it may show fast: of what nobody has seen yet only the newest is kept", async () => {
    const tool = defineTool({
      name: "noisy",
      parameters: z.object({}),
      execute: (_, { progress }) => {
        for (let done = 0; done < 100_000; done++) progress(done);
        return "quiet now";
      },
    });
    const agent = createAgent({
      ...fixed(),
      model: scripted([{ calls: [["c1", "noisy", {}]] }, { text: "x" }]),
      tools: [tool],
    });
    let shown = 0;
    for await (const { events } of agent.runStreaming("Go"))
      shown += events.filter(({ type }) => type === "part").length;
    expect(shown).toBeLessThanOrEqual(3);
  });
});

describe("calls of one answer", () => {
  const order: string[] = [];
  const slow = defineTool({
    name: "slow",
    parameters: z.object({ turns: z.number() }),
    execute: async ({ turns }, { callId }) => {
      order.push(`${callId} begins`);
      for (let turn = 0; turn < turns; turn++) await new Promise<void>(resolve => setImmediate(resolve));
      order.push(`${callId} ends`);
      return callId;
    },
  });
  const turns: Turn[] = [{ calls: [["a", "slow", { turns: 5 }], ["b", "slow", { turns: 1 }]] }, { text: "done" }]; // biome-ignore format: one answer

  test.each<["parallel" | "serial", string[]]>([
    ["parallel", ["a begins", "b begins", "b ends", "a ends"]],
    ["serial", ["a begins", "a ends", "b begins", "b ends"]],
  ])("run %s, and have their results in the order of the calls", async (toolExecution, expected) => {
    order.length = 0;
    const model = scripted(turns);
    await createAgent({ ...fixed(), model, tools: [slow], toolExecution }).run("Go");
    expect(order).toEqual(expected);
    const read = model.requests[1]?.conversation.messages.at(-1)?.parts ?? [];
    expect(read.map(part => part.type === "tool-result" && part.callId)).toEqual(["a", "b"]);
  });

  test("that the provider ran itself, or that are handled, are left alone", async () => {
    const model = scripted([]);
    model.stream = async function* () {
      yield [
        { type: "message-start", message: 0, head: { role: "assistant" } },
        {
          type: "part",
          message: 0,
          part: 0,
          value: { type: "tool-call", callId: "w", name: "web_search", executedBy: "provider" },
        },
        { type: "part", message: 0, part: 1, value: { type: "tool-result", callId: "w", output: [] } },
        {
          type: "part",
          message: 0,
          part: 2,
          value: { type: "tool-call", callId: "h", name: "slow", input: {}, handled: true },
        },
        { type: "part", message: 0, part: 3, value: { type: "text", text: "Found." } },
        { type: "message-set", message: 0, set: { finish: { reason: "tool-calls" } } },
        { type: "message-end", message: 0 },
      ];
    };
    const response = await createAgent({ ...fixed(), model, tools: [slow] }).run("Go");
    expect(response.messages).toHaveLength(1);
    expect(response.finish?.reason).toBe("stop");
  });
});
