import type { Json } from "translogue";
import { describe, expect, test, vi } from "vitest";
import { clientModel, createAgent, fallbackModel, type Model, type Operations } from "../src/index.ts";
import { chunks, content } from "./chat-chunks.ts";
import { endpointOf, hosted } from "./hosted.ts";
import { fixed, scripted } from "./scripted-model.ts";

/** What a host has told of tokens by the time that its answer is stopped, or breaks off, is what the run spent. */

const started = (usage: Json) => ({
  type: "message_start",
  message: { id: "msg_1", type: "message", role: "assistant", model: "claude", content: [], usage },
});
const anthropic: readonly Json[] = [
  started({ input_tokens: 900, cache_read_input_tokens: 100, cache_creation_input_tokens: 0, output_tokens: 3 }),
  { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
  { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "Once" } },
];
const counting = (values: readonly Json[], usage: Json): readonly Json[] =>
  values.map(value => ({ ...(value as object), usage }) as Json);
const chat = counting(chunks("chatcmpl-1", content("Once"), null), {
  prompt_tokens: 900,
  completion_tokens: 3,
  total_tokens: 903,
});
const gemini: readonly Json[] = [
  {
    candidates: [{ content: { role: "model", parts: [{ text: "Once" }] }, index: 0 }],
    usageMetadata: { promptTokenCount: 900, candidatesTokenCount: 3, totalTokenCount: 903 },
  },
];

type Host = readonly [host: string, values: readonly Json[], usage: object];
const hosts: readonly Host[] = [
  ["anthropic", anthropic, { input: 900, cacheRead: 100, output: 3 }],
  ["openai", chat, { input: 900, output: 3 }],
  ["google", gemini, { input: 900, output: 3 }],
];

/** A stream that stays open, or breaks, behind these. */
const stream = (values: readonly Json[], end: "hold" | "cut") => ({
  headers: { "content-type": "text/event-stream" },
  pieces: values.map(value => `data: ${JSON.stringify(value)}\n\n`),
  end,
});

async function stopped(model: Model) {
  const agent = createAgent({ ...fixed(), model });
  const session = await agent.createSession();
  const stop = new AbortController();
  let last: Awaited<ReturnType<typeof agent.run>> | undefined;
  for await (const update of agent.runStreaming("Tell", { session, signal: stop.signal })) {
    if (update.events.some(({ type }) => type === "part-delta" || type === "part")) stop.abort();
    if (update.isFinal) last = update as never; // its facts are those of a response
  }
  return { last, session };
}

describe.each(hosts)("a stopped answer of %s", (id, values, usage) => {
  test("has its usage, in the run's account and in the history", async () => {
    const { model } = await hosted([stream(values, "hold")], { endpoint: endpointOf(id) });
    const { last, session } = await stopped(model);
    expect([last?.finish, last?.usage]).toEqual([{ reason: "aborted" }, expect.objectContaining(usage)]);
    expect(session.messages.at(-1)).toMatchObject({ parts: [{ text: "Once" }], usage });
  });

  test("has it where one of several models gave it", async () => {
    const { model } = await hosted([stream(values, "hold")], { endpoint: endpointOf(id) });
    const { last } = await stopped(fallbackModel({ models: [model] }));
    expect(last?.usage).toMatchObject(usage);
  });

  test("has it where a client of the user's brings it", async () => {
    const model = clientModel({
      endpoint: endpointOf(id),
      model: "m",
      client: async () =>
        (async function* () {
          yield* values;
          await new Promise(() => {});
        })(),
    });
    expect((await stopped(model)).last?.usage).toMatchObject(usage);
  });

  test("has it where its connection broke", async () => {
    const { model } = await hosted([stream(values, "cut")], { endpoint: endpointOf(id) });
    const response = await createAgent({ ...fixed(), model }).run("Tell");
    expect([response.error?.code, response.usage]).toEqual(["model/cut", expect.objectContaining(usage)]);
  });
});

test("an answer that is stopped before its first word has spent what it read, and leaves no message", async () => {
  let heard = (): void => {};
  const begun = new Promise<void>(resolve => (heard = resolve));
  const model = clientModel({
    endpoint: endpointOf("anthropic"),
    model: "m",
    client: async () =>
      (async function* () {
        yield started({ input_tokens: 900, output_tokens: 1 });
        heard();
        await new Promise(() => {});
      })(),
  });
  const agent = createAgent({ ...fixed(), model });
  const session = await agent.createSession();
  const stop = new AbortController();
  const running = agent.run("Tell", { session, signal: stop.signal });
  await begun;
  stop.abort();
  const { finish, usage, messages } = await running;
  expect([finish, usage, messages]).toEqual([{ reason: "aborted" }, expect.objectContaining({ input: 900 }), []]);
  expect(session.messages.map(({ role }) => role)).toEqual(["user"]);
});

test("what such an answer has spent is in the account of a durable run that is replayed, too", async () => {
  const { model } = await hosted([stream([started({ input_tokens: 900, output_tokens: 1 })], "hold")], {
    endpoint: endpointOf("anthropic"),
  });
  let usageSoFar: (() => unknown) | undefined;
  const heard: Model = {
    ...model,
    stream: request =>
      model.stream({
        ...request,
        report: told => {
          usageSoFar = told.usageSoFar ?? usageSoFar;
          request.report?.(told);
        },
      }),
  };
  const kept = new Map<string, string>();
  const operations: Operations = {
    run: "r",
    operation: async (name, work) => {
      const found = kept.get(name);
      if (found !== undefined) return JSON.parse(found);
      const outcome = await work({ number: 1, signal: new AbortController().signal, operations });
      kept.set(name, JSON.stringify(outcome));
      return outcome;
    },
    result: async () => null,
    continueFrom: async () => {},
  };
  const stop = new AbortController();
  const running = createAgent({ ...fixed(), model: heard }).run("Tell", { operations, signal: stop.signal });
  await vi.waitFor(() => expect(usageSoFar?.()).toBeDefined());
  stop.abort();
  const { usage } = await running;
  expect(usage).toMatchObject({ input: 900 });
  await vi.waitFor(() => expect(kept.size).toBe(1));
  const again = await createAgent({ ...fixed(), model: scripted([]) }).run("Tell", { operations });
  expect([again.finish, again.usage]).toEqual([{ reason: "aborted" }, usage]);
});
