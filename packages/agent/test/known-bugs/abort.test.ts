import { sseReply } from "@translogue/testkit/fake-host";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import {
  type AgentResponseUpdate,
  accumulateUpdates,
  createAgent,
  createModel,
  defineTool,
  type Model,
} from "../../src/index.ts";
import { chunks, content, toolCall } from "../chat-chunks.ts";
import { endpointOf, hosted } from "../hosted.ts";
import { fixed, scripted } from "../scripted-model.ts";
import { outline, resultsIn } from "./reading.ts";

/** What went wrong elsewhere with runs that are stopped, by the thread that tells it. */

const none = z.object({});
const turns = async (count: number): Promise<void> => {
  for (let turn = 0; turn < count; turn++) await new Promise<void>(resolve => setImmediate(resolve));
};

describe("a host that has begun and then says nothing more, deaf to its signal", () => {
  /** Gives `Hel`, `lo`, and stays open. */
  function deaf() {
    let isCancelled = false;
    const pieces = chunks("x", content("Hel", "lo"), null).map(chunk => `data: ${JSON.stringify(chunk)}\n\n`);
    const body = () =>
      new ReadableStream<Uint8Array>({
        start: controller => {
          for (const piece of pieces) controller.enqueue(new TextEncoder().encode(piece));
        },
        cancel: () => {
          isCancelled = true;
        },
      });
    const model = createModel({
      endpoint: endpointOf("openai"),
      model: "m",
      key: "k",
      fetch: async () => new Response(body(), { headers: { "content-type": "text/event-stream" } }),
    });
    return { model, isCancelled: () => isCancelled };
  }

  test("is let go: the run ends once, as stopped, with what there is (vercel/ai#16852)", async () => {
    const { model, isCancelled } = deaf();
    const agent = createAgent({ ...fixed(), model });
    const session = await agent.createSession();
    const stop = new AbortController();
    const updates: AgentResponseUpdate[] = [];
    for await (const update of agent.runStreaming("Go", { session, signal: stop.signal })) {
      updates.push(update);
      if (session.messages.at(-1)?.parts.some(part => part.type === "text" && part.text === "Hello")) stop.abort();
    }
    const ends = updates.filter(({ isFinal }) => isFinal).map(({ finish }) => finish);
    expect([ends, accumulateUpdates(updates).text]).toEqual([[{ reason: "aborted" }], "Hello"]);
    await turns(5);
    expect(isCancelled()).toBe(true);
    expect(outline(session.messages)).toEqual(["user: Go", "assistant: Hello"]);
    expect(session.messages.at(-1)?.finish).toEqual({ reason: "aborted" });
  });

  test("ends a run that is not streamed as well, and the next one is free (vercel/ai#16852)", async () => {
    const { model, isCancelled } = deaf();
    const agent = createAgent({ ...fixed(), model });
    const session = await agent.createSession();
    const stop = new AbortController();
    const run = agent.run("Go", { session, signal: stop.signal });
    await expect.poll(() => session.messages.at(-1)?.parts).toEqual([{ type: "text", text: "Hello", partial: true }]);
    stop.abort();
    expect(await run).toMatchObject({ text: "Hello", finish: { reason: "aborted" } });
    await turns(5);
    expect(isCancelled()).toBe(true);
    expect((await agent.run("And?", { session, model: scripted([{ text: "ok" }]) })).text).toBe("ok");
  });
});

describe("a run of two turns (openai/openai-agents-python#1895)", () => {
  const host = () =>
    hosted((_, count) =>
      count === 0
        ? sseReply(chunks("one", toolCall("1", "step", ["{}"]), "tool_calls"))
        : { ...sseReply(chunks("two", content("part one"), null)), pieces: speaking, end: "hold" },
    );
  const speaking = chunks("two", content("part one"), null).map(chunk => `data: ${JSON.stringify(chunk)}\n\n`);
  const usage = { input: 16, cacheRead: 4, output: 7 };

  test("that is stopped in the second keeps the first, with its usage, and leaves no connection open", async () => {
    const { host: at, model } = await host();
    const step = defineTool({ name: "step", parameters: none, execute: () => "k" });
    const agent = createAgent({ ...fixed(), model, tools: [step] });
    const session = await agent.createSession();
    const stop = new AbortController();
    const updates: AgentResponseUpdate[] = [];
    for await (const update of agent.runStreaming("Go", { session, signal: stop.signal })) {
      updates.push(update);
      if (update.text === "part one") stop.abort();
    }
    expect(updates.at(-1)).toMatchObject({ finish: { reason: "aborted" }, usage });
    expect(outline(session.messages)).toEqual([
      "user: Go",
      "assistant: tool-call 1",
      "tool: tool-result 1",
      "assistant: part one",
    ]);
    await expect.poll(() => at.open).toBe(0);
  });

  test("that is to end after its first has the tool's result, asks no more, and can be gone on with", async () => {
    const { host: at, model } = await host();
    const stop = new AbortController();
    const step = defineTool({ name: "step", parameters: none, execute: () => stop.abort() ?? "k" });
    const agent = createAgent({ ...fixed(), model, tools: [step] });
    const session = await agent.createSession();
    const { finish, usage } = await agent.run("Go", { session, stopSignal: stop.signal });
    expect([finish?.reason, usage, at.requests.length]).toEqual(["pause", usage, 1]);
    expect(resultsIn(session.messages)).toEqual([["1", "ok", "k"]]);
    await expect.poll(() => at.open).toBe(0);
    expect((await agent.run(undefined, { session, model: scripted([{ text: "on" }]) })).text).toBe("on");
  });
});

describe("what goes on although it was stopped (pydantic/pydantic-ai#6426)", () => {
  test.each(["model", "tool"])("is not waited for: a %s that is deaf to its signal", async what => {
    const stop = new AbortController();
    const asked: string[] = [];
    const over = Promise.withResolvers<void>();
    const survive = async (): Promise<string> => {
      stop.abort(new Error("enough"));
      await turns(3);
      over.resolve();
      return "finished anyway";
    };
    const script = scripted(() => (what === "tool" ? { calls: [["1", "stubborn", {}]] } : { text: "finished anyway" }));
    const model: Model = {
      ...script,
      async *stream(request) {
        asked.push("model");
        if (what === "model") await survive();
        yield* script.stream(request);
      },
    };
    const stubborn = defineTool({ name: "stubborn", parameters: none, execute: survive });
    const agent = createAgent({ ...fixed(), model, tools: [stubborn] });
    const session = await agent.createSession();
    const { finish } = await agent.run("Go", { session, signal: stop.signal });
    const then = JSON.stringify(await agent.serializeSession(session));
    stop.abort();
    await over.promise;
    await turns(5);
    expect([finish, asked.length]).toEqual([{ reason: "aborted" }, 1]);
    expect(JSON.stringify(await agent.serializeSession(session))).toBe(then);
    expect(then).not.toContain("finished anyway");
  });
});

test("leaving a stream stops the agents below it too (anthropics/claude-agent-sdk-typescript#132)", async () => {
  let chips = 0;
  const chip = defineTool({ name: "chip", parameters: none, execute: () => `${++chips}` });
  const endless = scripted((_, call) => ({ calls: [[`w${call}`, "chip", {}]] }));
  const worker = createAgent({ ...fixed(), model: endless, tools: [chip] });
  const ask = defineTool({
    name: "worker",
    parameters: none,
    execute: async (_, { signal, progress }) => {
      for await (const { text } of worker.runStreaming("Work", { signal })) progress(text);
      return "worked";
    },
  });
  const boss = createAgent({ ...fixed(), model: scripted([{ calls: [["b1", "worker", {}]] }]), tools: [ask] });
  for await (const { events } of boss.runStreaming("Go")) {
    if (events.some(event => event.type === "part" && event.value.type === "tool-result")) break;
  }
  const [calledThen, askedThen] = [chips, endless.requests.length];
  await turns(20);
  expect(chips - calledThen).toBeLessThanOrEqual(1);
  expect(endless.requests.length - askedThen).toBeLessThanOrEqual(1);
});
