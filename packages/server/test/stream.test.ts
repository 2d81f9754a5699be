import { sendChat } from "@translogue/testkit/clients";
import { generations } from "@translogue/testkit/generations";
import type { Event } from "translogue";
import { afterEach, describe, expect, it } from "vitest";
import type { ChatAnswer } from "../src/contract.ts";
import { readerOf, until } from "./read.ts";
import { type Answer, call, calls, type Fixture, heldAnswer, said, serverOf, text, toolOf } from "./scripted.ts";

const model = "demo/scripted";
const open: Fixture[] = [];
const start = async (...options: Parameters<typeof serverOf>): Promise<Fixture> => {
  const server = await serverOf(...options);
  open.push(server);
  return server;
};
afterEach(() => Promise.all(open.splice(0).map(server => server.close())));

const hello = { role: "user", content: "hello" };
const stream = (server: Fixture, body: object = {}, query = "", headers = {}) =>
  server.post(`/api/v1/chat${query}`, { model, messages: [hello], ...body }, headers);

const chunksOf = async (
  response: Response,
): Promise<{ readonly type: string; readonly [member: string]: unknown }[]> => {
  const blocks = (await response.text()).split("\n\n").filter(block => block.startsWith("data: "));
  expect(blocks.at(-1)).toBe("data: [DONE]");
  return blocks.slice(0, -1).map(block => JSON.parse(block.slice(6)));
};

const deltas = (...words: string[]): Answer =>
  async function* () {
    const at = { message: 0, part: 0 };
    yield [
      { type: "message-start", message: 0, head: { role: "assistant" } },
      { type: "part-start", ...at, value: { type: "text", text: "" } },
    ];
    for (const word of words) yield [{ type: "part-delta", ...at, of: "text", text: word } satisfies Event];
    yield [
      { type: "part-end", ...at },
      { type: "message-set", message: 0, set: { usage: { input: 1, output: 2 }, finish: { reason: "stop" } } },
      { type: "message-end", message: 0 },
    ];
  };

describe("a streamed answer", () => {
  it("is what a request gets that does not say how, with the headers of the AI SDK's own server", async () => {
    const response = await stream(await start({ script: [deltas("Hel", "lo")] }));
    expect(response.status).toBe(200);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      "content-type": "text/event-stream",
      "cache-control": "no-cache",
      "x-vercel-ai-ui-message-stream": "v1",
      "x-accel-buffering": "no",
      "x-correlation-id": expect.stringMatching(/^req-/),
    });
    const chunks = await chunksOf(response);
    expect(chunks.map(({ type }) => type)).toEqual([
      "start",
      "start-step",
      "text-start",
      "text-delta",
      "text-delta",
      "text-end",
      "finish-step",
      "finish",
    ]);
    expect(chunks[0]?.["messageId"]).toEqual(expect.any(String));
  });

  it("tells tools as dynamic ones", async () => {
    const script = [calls(call("c1", "look", { at: "sea" })), said(text("Blue."))];
    const chunks = await chunksOf(await stream(await start({ agentTools: [toolOf("look", () => "blue")], script })));
    const ofTools = chunks.filter(({ type }) => type.startsWith("tool-"));
    expect(ofTools.map(({ type }) => type)).toContain("tool-output-available");
    for (const chunk of ofTools) if (chunk.type !== "tool-input-delta") expect(chunk).toMatchObject({ dynamic: true });
  });

  it("comes as it is said, not at the end", async () => {
    const held = heldAnswer();
    const response = await stream(await start({ script: [held.answer] }));
    const reader = readerOf(response);
    for (const words of ["one", "two", "three"]) {
      held.say(words);
      expect(await until(reader, words)).not.toContain("[DONE]");
    }
    held.end();
    await until(reader, "[DONE]");
  });

  const scripts: { readonly [title: string]: () => Answer[] } = {
    "a text": () => [deltas("It", " is", " fine.")],
    "reasoning, a call and its result": () => [
      calls({ type: "reasoning", text: "Hm." }, text("I look."), call("c1", "look", { at: "sea" })),
      said(text("Blue.")),
    ],
    "a call that fails": () => [calls(call("c1", "break", {})), said(text("It broke."))],
    "two calls at once, one of an unknown tool": () => [
      calls(call("c1", "look", {}), call("c2", "none", { a: [1, null] })),
      said(text("Half.")),
    ],
    "calls in three steps": () => [
      calls(call("c1", "look", {})),
      calls(text("Again."), call("c2", "look", {})),
      said(text("Done.")),
    ],
  };
  const tools = () => [
    toolOf("look", () => ({ colour: "blue", depth: [1, 2.5, null] })),
    toolOf("break", () => {
      throw new Error("no light");
    }),
  ];

  for (const generation of generations) {
    it.each(Object.entries(scripts))(
      `has for ai ${generation} the parts of the same run not streamed: %s`,
      async (_title, script) => {
        const plain = await start({ agentTools: tools(), script: script() });
        const whole = (await (await stream(plain, { stream: false })).json()) as { data: ChatAnswer };
        const server = await start({ agentTools: tools(), script: script() });
        const { message, errors } = await sendChat(generation, {
          api: `http://server.test/api/v1/chat?ui=${generation.slice(1)}`,
          fetch: server.fetch,
          chatId: "c",
          messages: [{ id: "u1", role: "user", parts: [{ type: "text", text: "hello" }] }],
          body: { model },
        });
        expect(errors).toEqual([]);
        const parts = message?.parts.filter(({ type }) => type !== "step-start");
        expect(plainJson(parts)).toEqual(whole.data.messages.flatMap(answer => answer.parts));
      },
    );
  }

  it("is written for the generation that the client says it is, by address or header, else for the configured one", async () => {
    const approving = () => ({
      agentTools: [{ ...toolOf("wipe", () => "gone"), needsApproval: true as const }],
      script: [calls(call("c1", "wipe", {}))],
    });
    const typesOf = async (options: object, query = "", headers = {}) =>
      (await chunksOf(await stream(await start({ ...approving(), ...options }), {}, query, headers))).map(
        ({ type }) => type,
      );
    expect(await typesOf({})).toContain("data-approval");
    expect(await typesOf({}, "?ui=6")).toContain("tool-approval-request");
    expect(await typesOf({}, "", { "x-ai-sdk-version": "7.0.173" })).toContain("tool-approval-request");
    expect(await typesOf({ generation: 6 })).toContain("tool-approval-request");
    expect(await typesOf({ generation: 6 }, "?ui=5")).not.toContain("tool-approval-request");
    const refused = await stream(await start(approving()), {}, "?ui=4");
    expect([refused.status, await refused.json()]).toMatchObject([
      400,
      { message: expect.stringContaining("5, 6 or 7") },
    ]);
  });

  it("says in itself that the model failed, before or in the middle, and ends", async () => {
    const none = await chunksOf(await stream(await start()));
    expect(none.at(0)).toMatchObject({ type: "start" });
    expect(none.filter(({ type }) => type === "error")).toMatchObject([
      { errorText: "the model's host refused the request" },
    ]);
    const server = await start({
      script: [
        async function* () {
          yield [
            { type: "message-start", message: 0, head: { role: "assistant" } },
            { type: "part-start", message: 0, part: 0, value: { type: "text", text: "" } },
            { type: "part-delta", message: 0, part: 0, of: "text", text: "Half a" },
          ];
          throw new TypeError("connection lost");
        },
      ],
    });
    const cut = await chunksOf(await stream(server));
    expect(cut.map(({ type }) => type)).toContain("text-delta");
    expect(cut.filter(({ type }) => type === "error")).toHaveLength(1);
  });

  it("tells an agent's own failure by the id under which the log has it, and nothing else", async () => {
    const server = await start({ script: [said(text("x"))], newId: () => "same" });
    const response = await stream(server);
    expect(await response.text()).toContain("[DONE]");
  });

  it("without a session stops with its last reader", async () => {
    const held = heldAnswer();
    const stopped = Promise.withResolvers<void>();
    const server = await start({
      script: [
        async function* (signal, report) {
          signal.addEventListener("abort", () => stopped.resolve());
          yield* typeof held.answer === "function" ? held.answer(signal, report) : [];
        },
      ],
    });
    const response = await stream(server);
    held.say("one");
    const reader = response.body?.getReader();
    await reader?.read();
    await reader?.cancel();
    await stopped.promise;
  });

  it("keeps an idle connection alive", async () => {
    const held = heldAnswer();
    const response = await stream(await start({ script: [held.answer], keepAliveMs: 5 }));
    const reader = readerOf(response);
    await until(reader, ": keep-alive\n\n");
    held.end();
    await reader.cancel();
  });
});

const plainJson = (value: unknown): unknown => JSON.parse(JSON.stringify(value));
