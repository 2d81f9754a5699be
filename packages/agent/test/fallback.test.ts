import type { Event } from "translogue";
import { describe, expect, test } from "vitest";
import { createAgent, fallbackModel, type Model, type RunError, retrying } from "../src/index.ts";
import { fixed } from "./scripted-model.ts";

const words = (text: string): Event[] => [
  { type: "message-start", message: 0, head: { role: "assistant" } },
  { type: "part-start", message: 0, part: 0, value: { type: "text", text: "" } },
  { type: "part-delta", message: 0, part: 0, of: "text", text },
  { type: "part-end", message: 0, part: 0 },
  { type: "message-set", message: 0, set: { finish: { reason: "stop" } } },
  { type: "message-end", message: 0 },
];
const failed = (error: RunError): Event[] => [
  { type: "message-start", message: 0, head: { role: "assistant" } },
  { type: "error", error },
];
const busy: RunError = { code: "model/unavailable", message: "busy", retryable: true };
const refused: RunError = { code: "model/refused", message: "no such parameter" };

/** A model that gives these answers in turn, or throws them. */
function scripted(
  id: string,
  answers: readonly (readonly Event[] | Error)[],
): Model & { readonly asked: () => number } {
  let count = 0;
  return {
    id,
    provider: "p",
    asked: () => count,
    async *stream({ report }) {
      const answer = answers[count++];
      report?.({ losses: [{ kind: "dropped", code: id, path: ["messages", 0], message: id }] });
      if (answer instanceof Error) throw answer;
      yield answer ?? [];
    },
  };
}

describe("a model with others behind it", () => {
  test("asks the next where one fails before any output, and says who answered and who did not", async () => {
    const [a, b, c] = [
      scripted("a", [failed(busy)]),
      scripted("b", [new Error("gone")]),
      scripted("c", [words("Hi.")]),
    ];
    const response = await createAgent({ ...fixed(), model: fallbackModel({ models: [a, b, c] }) }).run("Hello");
    expect([response.text, response.messages[0]?.model, response.error]).toEqual(["Hi.", "c", undefined]);
    expect(response.metadata?.["fallbacks"]).toEqual([
      { model: "a", provider: "p", error: busy },
      { model: "b", provider: "p", error: expect.objectContaining({ message: "gone" }) },
    ]);
    // What the others could not take is about requests that count no more.
    expect(JSON.stringify(response.metadata?.["losses"])).not.toMatch(/"(?:a|b)"/);
  });

  test.each([
    ["what the request itself says is refused by the next as well", failed(refused)],
    ["the key is refused", failed({ code: "model/unauthorised", message: "no" })],
    ["what has come out cannot be taken back", [...words("Hi").slice(0, 3), { type: "error", error: busy } as Event]],
  ])("stays with the first where %s", async (_, answer) => {
    const second = scripted("b", [words("Hi.")]);
    const response = await createAgent({
      ...fixed(),
      model: fallbackModel({ models: [scripted("a", [answer]), second] }),
    }).run("Hello");
    expect([response.finish?.reason, second.asked()]).toEqual(["error", 0]);
  });

  test("may be told when", async () => {
    const models = [scripted("a", [failed(refused)]), scripted("b", [words("Hi.")])];
    const model = fallbackModel({ models, when: ({ code }) => code === "model/refused" });
    expect((await createAgent({ ...fixed(), model }).run("Hello")).text).toBe("Hi.");
  });

  test("fails as the last of them does, and says how each of them did", async () => {
    const model = fallbackModel({ models: [scripted("a", [failed(busy)]), scripted("b", [failed(refused)])] });
    const { error } = await createAgent({ ...fixed(), model }).run("Hello");
    expect(error).toEqual({ ...refused, message: "all 2 models failed: p/a: busy; p/b: no such parameter" });
  });

  test("is refused at once where there is none", () => {
    expect(() => fallbackModel({ models: [] })).toThrow(expect.objectContaining({ code: "agent/invalid" }));
  });
});

describe("a model that is asked again", () => {
  const waited = (model: Model, retries?: number) => {
    const waits: number[] = [];
    const sleep = async (ms: number): Promise<void> => void waits.push(ms);
    const again = retrying(model, { sleep, random: () => 1, ...(retries !== undefined && { retries }) });
    return { agent: createAgent({ ...fixed(), model: again }), waits };
  };

  test.each([
    ["twice as long each time", [busy, busy], [500, 1000]],
    ["as long as its host asks", [{ ...busy, details: { retryAfterMs: 7000 } }], [7000]],
  ])("waits %s", async (_, errors, expected) => {
    const { agent, waits } = waited(scripted("a", [...errors.map(failed), words("Hi.")]));
    expect([(await agent.run("Hello")).text, waits]).toEqual(["Hi.", expected]);
  });

  test.each([
    ["the failure will not pass", [failed(refused)]],
    ["the host asks for more than anyone waits", [failed({ ...busy, details: { retryAfterMs: 3_600_000 } })]],
    ["the tries are used up", [failed(busy), failed(busy), failed(busy)]],
  ])("gives up where %s", async (_, answers) => {
    const model = scripted("a", answers);
    const { agent } = waited(model);
    expect((await agent.run("Hello")).error).toBeDefined();
    expect(model.asked()).toBe(answers.length);
  });
});

describe("an answer that its reader leaves", () => {
  /** A model whose answer stays open after these events. */
  function open(events: readonly Event[]) {
    let isClosed = false;
    const model: Model = {
      id: "open",
      provider: "p",
      async *stream() {
        try {
          yield events;
          yield events;
        } finally {
          isClosed = true;
        }
      },
    };
    return { model, isClosed: () => isClosed };
  }
  const request = { conversation: { messages: [] } };

  test.each([
    ["retrying", retrying],
    ["fallback", (model: Model) => fallbackModel({ models: [model] })],
    ["fallback of retrying", (model: Model) => fallbackModel({ models: [retrying(model), model] })],
  ])("is closed behind %s at its first events, and at later ones", async (_, around) => {
    for (const batches of [1, 2]) {
      const { model, isClosed } = open(words("Hello"));
      let seen = 0;
      for await (const _ of around(model).stream(request)) if (++seen === batches) break;
      expect([seen, isClosed()]).toEqual([batches, true]);
    }
  });
});
