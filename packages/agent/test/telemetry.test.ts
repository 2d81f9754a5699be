import { context, trace } from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from "@opentelemetry/sdk-metrics";
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  type ReadableSpan,
  SimpleSpanProcessor,
} from "@opentelemetry/sdk-trace-base";
import { type Message, TranslogueError } from "translogue";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { z } from "zod";
import {
  type AgentOptions,
  agentResponse,
  approve,
  createAgent,
  defineTool,
  type Middleware,
  type RunOptions,
} from "../src/index.ts";
import { type TelemetryOptions, telemetry } from "../src/otel/index.ts";
import { fixed, scripted, type Turn } from "./scripted-model.ts";

const manager = new AsyncLocalStorageContextManager();
beforeEach(() => {
  context.setGlobalContextManager(manager.enable());
});
afterEach(() => context.disable());

function recording() {
  const exporter = new InMemorySpanExporter();
  const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
  const metricExporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
  const reader = new PeriodicExportingMetricReader({ exporter: metricExporter, exportIntervalMillis: 3_600_000 });
  const tracer = provider.getTracer("test");
  const meter = new MeterProvider({ readers: [reader] }).getMeter("test");
  const metrics = async () => {
    await reader.forceFlush();
    return metricExporter.getMetrics().flatMap(({ scopeMetrics }) => scopeMetrics.flatMap(scope => scope.metrics));
  };
  return { tracer, meter, spans: () => exporter.getFinishedSpans(), metrics };
}

/** `name > (children)` of the spans below a parent, by name: calls of one answer begin in any order. */
function tree(spans: readonly ReadableSpan[], parent?: string): string {
  return spans
    .filter(span => span.parentSpanContext?.spanId === parent)
    .map(span => {
      const below = tree(spans, span.spanContext().spanId);
      return below === "" ? span.name : `${span.name} > (${below})`;
    })
    .sort()
    .join(", ");
}

const nothing = z.object({});
const tell = defineTool({ name: "t", parameters: nothing, execute: () => "told" });
const gate = defineTool({ name: "gate", parameters: nothing, needsApproval: true, execute: () => "open" });
const calls = (...names: readonly string[]): Turn => ({
  calls: names.map((name, index) => [`${name}-${index}`, name, {}]),
  usage: { input: 10, cacheRead: 90, output: 4, reasoning: 6 },
});

async function toEnd(agent: ReturnType<typeof createAgent>, isStreamed: boolean, options: RunOptions = {}) {
  if (!isStreamed) return void (await agent.run("Go", options));
  for await (const _ of agent.runStreaming("Go", options));
}

describe.each([
  ["streamed", true],
  ["not streamed", false],
])("the spans of a run, %s,", (_, isStreamed) => {
  test("are a tree: model and tools below their agent, an agent as a tool below its tool, two runs apart (microsoft/agent-framework#5089)", async () => {
    const { tracer, meter, spans } = recording();
    const middleware = [telemetry({ tracer, meter })];
    const own = defineTool({
      name: "u",
      parameters: nothing,
      execute: () => tracer.startActiveSpan("mine", span => void span.end()),
    });
    const lead = () => {
      const b = createAgent({
        ...fixed(),
        name: "b",
        model: scripted([calls("u"), { text: "b" }]),
        tools: [own],
        middleware,
      });
      const turn: Turn = {
        calls: [
          ["t-0", "t", {}],
          ["b-1", "b", { query: "Go" }],
        ],
      };
      const model = scripted([turn, { text: "a" }]);
      return createAgent({ ...fixed(), name: "a", model, tools: [tell, b.asTool()], middleware });
    };
    const request = async (name: string): Promise<void> => {
      const agent = lead();
      const span = tracer.startSpan(name);
      // The consumer iterates later, outside of the request's span.
      const run = context.with(trace.setSpan(context.active(), span), () =>
        isStreamed ? agent.runStreaming("Go") : agent.run("Go"),
      );
      if (Symbol.asyncIterator in run) for await (const _ of run);
      else await run;
      span.end();
    };
    await Promise.all([request("one"), request("two")]);
    const below =
      "invoke_agent a > (chat script-1, chat script-1, execute_tool b > (invoke_agent b > (chat script-1, chat script-1, execute_tool u > (mine))), execute_tool t)";
    expect(tree(spans())).toBe(`one > (${below}), two > (${below})`);
  });

  test.each<[outcome: string, turns: readonly Turn[], tools: AgentOptions["tools"], more: { aborts?: true }]>([
    ["finished", [calls("t"), { text: "Done." }], [tell], {}],
    ["paused", [calls("t", "gate")], [tell, gate], {}],
    ["aborted", [{ text: "Wor", hangs: true }], [], { aborts: true }],
    ["failed", [{ error: { message: "gone", code: "model/unavailable" } }], [], {}],
  ])("end once each when it is %s (mastra-ai/mastra#17074)", async (outcome, turns, tools, { aborts }) => {
    const { tracer, meter, spans } = recording();
    const stop = new AbortController();
    const model = scripted(turns);
    const agent = createAgent({
      ...fixed(),
      name: "a",
      model,
      ...(tools && { tools }),
      middleware: [telemetry({ tracer, meter })],
    });
    const run = toEnd(agent, isStreamed, { signal: stop.signal });
    if (aborts) {
      await expect.poll(() => model.requests.length).toBe(1);
      stop.abort();
    }
    await run;
    const ended = spans();
    expect(new Set(ended.map(span => span.spanContext().spanId)).size).toBe(ended.length);
    const [root] = ended.filter(({ name }) => name === "invoke_agent a");
    expect(root?.attributes["translogue.run.outcome"]).toBe(outcome);
    expect(root?.status.code).toBe(outcome === "failed" ? 2 : 0);
    expect(ended.filter(({ name }) => name.startsWith("chat"))).toHaveLength(model.requests.length);
  });
});

test.each<[string, { readonly timeoutMs?: number }]>([
  ["the run is stopped", {}],
  ["its time is up", { timeoutMs: 20 }],
])("the span of a tool that is deaf to its signal ends once, as failed, where %s", async (_, time) => {
  const { tracer, meter, spans, metrics } = recording();
  const stop = new AbortController();
  let release = (): void => {};
  const deaf = defineTool({
    ...{ name: "deaf", parameters: nothing, ...time },
    execute: () => {
      if (time.timeoutMs === undefined) stop.abort(new Error("enough"));
      return new Promise<void>(resolve => (release = resolve));
    },
  });
  const agent = createAgent({
    ...{ ...fixed(), name: "a", tools: [deaf], sleep: async () => {}, middleware: [telemetry({ tracer, meter })] },
    model: scripted([calls("deaf"), { text: "Done." }]),
  });
  await toEnd(agent, false, { signal: stop.signal });
  const ended = () => spans().filter(({ name }) => name === "execute_tool deaf");
  expect(ended().map(({ status }) => status.code)).toEqual([2]);
  release();
  await new Promise<void>(resolve => setImmediate(resolve));
  expect(ended()).toHaveLength(1);
  const [took] = (await metrics()).filter(({ descriptor }) => descriptor.name.includes("tool"));
  expect(took?.dataPoints.length ?? 1).toBe(1);
});

test.each<[string, () => unknown, string | undefined]>([
  ["says so itself", () => ({ output: "no such city", isError: true }), "tool_error"],
  ["throws", () => Promise.reject(new TypeError("lost")), "TypeError"],
  ["gives a result", () => ({ output: "sunny", structured: 1 }), undefined],
])(
  "the span of a tool that %s has its error and its agent (open-telemetry/opentelemetry-python-genai#557)",
  async (...[, execute, code]) => {
    const { tracer, meter, spans } = recording();
    const tool = defineTool({ name: "t", parameters: nothing, execute: execute as () => string });
    const model = scripted([calls("t"), { text: "Done." }]);
    const middleware = [telemetry({ tracer, meter })];
    await createAgent({ ...fixed(), name: "a", model, tools: [tool], middleware }).run("Go");
    const span = spans().find(({ name }) => name === "execute_tool t");
    expect([span?.status.code, span?.attributes["error.type"]]).toEqual([code === undefined ? 0 : 2, code]);
    expect(span?.attributes["gen_ai.agent.name"]).toBe("a");
  },
);

test("the span of a tool that asks a person is no failure: it waits, and goes on in another", async () => {
  const { tracer, meter, spans } = recording();
  const tool = defineTool({
    name: "t",
    parameters: nothing,
    execute: async (_, { ask }) => (await ask({ message: "Which?" })) ?? "none",
  });
  const model = scripted([calls("t"), { text: "Done." }]);
  const agent = createAgent({
    ...fixed(),
    name: "a",
    model,
    tools: [tool],
    middleware: [telemetry({ tracer, meter })],
  });
  const session = await agent.createSession();
  await agent.run("Go", { session });
  const [asked] = session.pendingInputs;
  if (!asked) throw new Error("nobody is asked");
  await agent.run(
    { role: "user", parts: [{ type: "input-response", requestId: asked.requestId, value: "x" }] },
    { session },
  );
  const tools = spans().filter(({ name }) => name === "execute_tool t");
  expect(tools.map(({ status, attributes }) => [status.code, attributes["error.type"]])).toEqual([
    [0, undefined],
    [0, undefined],
  ]);
});

test("a consumer that leaves a stream ends all its spans (mastra-ai/mastra#17074)", async () => {
  const { tracer, meter, spans } = recording();
  const model = scripted([{ chunks: ["a", "b", "c"], hangs: true }]);
  const agent = createAgent({ ...fixed(), name: "a", model, middleware: [telemetry({ tracer, meter })] });
  for await (const { text } of agent.runStreaming("Go")) if (text === "b") break;
  expect(spans().map(({ name, attributes }) => [name, attributes["translogue.run.outcome"]])).toEqual([
    ["chat script-1", undefined],
    ["invoke_agent a", "left"],
  ]);
});

test("a run that is gone on with elsewhere is a trace of its own, which names the run (mastra-ai/mastra#17074)", async () => {
  const { tracer, meter, spans } = recording();
  const agent = (turns: readonly Turn[]) =>
    createAgent({
      ...fixed(),
      name: "a",
      model: scripted(turns),
      tools: [gate],
      middleware: [telemetry({ tracer, meter })],
    });
  const first = agent([calls("gate")]);
  const before = await first.createSession();
  await first.run("Go", { session: before });
  const next = agent([{ text: "Done." }]);
  const session = await next.deserializeSession(await first.serializeSession(before));
  const [request] = session.pendingApprovals;
  if (!request) throw new Error("nothing waits");
  await next.run({ role: "user", parts: [approve(request)] }, { session });
  const roots = spans().filter(({ name }) => name === "invoke_agent a");
  expect(roots.map(({ attributes }) => attributes["translogue.run.outcome"])).toEqual(["paused", "finished"]);
  expect(new Set(roots.map(({ attributes }) => attributes["translogue.run.id"])).size).toBe(1);
  expect(new Set(roots.map(span => span.spanContext().traceId)).size).toBe(2);
  expect(roots.every(({ parentSpanContext }) => parentSpanContext === undefined)).toBe(true);
});

test.each<[string, Middleware["run"], string, string | undefined]>([
  [
    "answers in the agent's place",
    async function* ({ agent }) {
      const finish = { reason: "content-filter" } as const;
      const refused: Message = { role: "assistant", parts: [{ type: "refusal", text: "Not that." }], finish };
      yield* agentResponse([refused], { agentId: agent.id, responseId: "guard", finish }).toUpdates();
    },
    "blocked",
    undefined,
  ],
  [
    "throws",
    () => {
      throw new TranslogueError("input/blocked", "not that");
    },
    "failed",
    "input/blocked",
  ],
])(
  "a guard before the run that %s ends its spans, with the outcome (mastra-ai/mastra#17074)",
  async (_, run, outcome, code) => {
    const { tracer, meter, spans } = recording();
    const middleware: Middleware[] = [telemetry({ tracer, meter }), { ...(run && { run }) }];
    const agent = createAgent({ ...fixed(), name: "a", model: scripted([]), middleware });
    await agent.run("Go").catch(() => undefined);
    expect(
      spans().map(({ name, attributes }) => [name, attributes["translogue.run.outcome"], attributes["error.type"]]),
    ).toEqual([["invoke_agent a", outcome, code]]);
  },
);

describe("what was said", () => {
  const secrets = ["SECRET-1", "SECRET-2", "SECRET-3", "SECRET-4", "SECRET-5", "SECRET-6"];

  async function exported(options: TelemetryOptions): Promise<string> {
    const { tracer, meter, spans, metrics } = recording();
    const middleware = [telemetry({ tracer, meter, ...options })];
    const text = z.object({ text: z.string() });
    const b = createAgent({
      ...fixed(),
      name: "b",
      instructions: "SECRET-2",
      model: scripted([{ text: "SECRET-5" }]),
      middleware,
    });
    const throws = defineTool({
      name: "t",
      parameters: text,
      execute: input => {
        throw new Error(`bad key ${input.text}`);
      },
    });
    const turn: Turn = {
      calls: [
        ["1", "b", { query: "SECRET-3" }],
        ["2", "t", { text: "SECRET-4" }],
      ],
    };
    const model = scripted([turn, { text: "SECRET-6" }]);
    const agent = createAgent({
      ...fixed(),
      name: "a",
      instructions: "SECRET-1",
      model,
      tools: [b.asTool(), throws],
      middleware,
    });
    await agent.run("Go");
    const told = spans().map(({ name, attributes, events, status }) => ({ name, attributes, events, status }));
    return JSON.stringify([told, await metrics()]);
  }

  test("is in no span and no metric unless it is asked for (openai/openai-agents-python#1492)", async () => {
    expect(await exported({})).not.toContain("SECRET-");
  });

  test("is in the spans where it is asked for", async () => {
    const text = await exported({ content: true });
    expect(secrets.filter(secret => !text.includes(secret))).toEqual([]);
  });
});

test("the counts, times and names are those of the conventions", async () => {
  const { tracer, meter, spans, metrics } = recording();
  const agent = createAgent({
    ...fixed(),
    name: "a",
    model: scripted([calls("t"), { text: "Done.", usage: { input: 5, output: 1 } }]),
    tools: [tell],
    settings: { temperature: 0.5, maxOutputTokens: 100 },
    middleware: [telemetry({ tracer, meter })],
  });
  await agent.run("Go");
  const [chat] = spans();
  expect(chat?.attributes).toMatchObject({
    "gen_ai.operation.name": "chat",
    "gen_ai.provider.name": "test",
    "gen_ai.request.model": "script-1",
    "gen_ai.request.temperature": 0.5,
    "gen_ai.request.max_tokens": 100,
    "gen_ai.response.finish_reasons": ["tool-calls"],
    // What is read from a cache is read, and reasoning is written.
    "gen_ai.usage.input_tokens": 100,
    "gen_ai.usage.cache_read.input_tokens": 90,
    "gen_ai.usage.output_tokens": 10,
    "gen_ai.usage.reasoning.output_tokens": 6,
  });
  const root = spans().find(({ name }) => name === "invoke_agent a");
  expect(root?.attributes).toMatchObject({ "gen_ai.usage.input_tokens": 105, "gen_ai.usage.output_tokens": 11 });
  const points = (await metrics()).map(({ descriptor, dataPoints }) => [
    descriptor.name,
    descriptor.unit,
    dataPoints.length,
  ]);
  expect(points.toSorted()).toEqual([
    ["gen_ai.client.inference.duration", "s", 1],
    ["gen_ai.client.inference.time_to_first_chunk", "s", 1],
    ["gen_ai.client.inference.usage.cache_read.input_tokens", "{token}", 1],
    ["gen_ai.client.inference.usage.input_tokens", "{token}", 1],
    ["gen_ai.client.inference.usage.output_tokens", "{token}", 1],
    ["gen_ai.client.inference.usage.reasoning.output_tokens", "{token}", 1],
    ["gen_ai.execute_tool.duration", "s", 1],
    ["gen_ai.invoke_agent.duration", "s", 1],
  ]);
});
