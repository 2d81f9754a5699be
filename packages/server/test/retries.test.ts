import { createModelRouter, defineTool } from "@translogue/agent";
import { demoModel } from "@translogue/agent/demo";
import type { Json } from "translogue";
import { afterEach, describe, expect, it } from "vitest";
import { z } from "zod";
import type { ErrorBody } from "../src/contract.ts";
import { type Answer, call, calls, type Fixture, said, serverOf, text, toolOf } from "./scripted.ts";

type Wire = { readonly [member: string]: Json };
interface Answered {
  readonly status: number;
  readonly message: string;
  readonly messages: readonly Wire[];
  readonly headers: Headers;
}

const open: Fixture[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map(server => server.close()));
});

const start = async (...options: Parameters<typeof serverOf>): Promise<Fixture> => {
  const server = await serverOf(...options);
  open.push(server);
  return server;
};
const send = async (server: Fixture, body: object): Promise<Answered> => {
  const request = { id: "s1", trigger: "submit-message", stream: false, ...body };
  const response = await server.post("/api/v1/chat", request);
  const { data, message = "" } = (await response.json()) as ErrorBody & { data?: { messages: readonly Wire[] } };
  return { status: response.status, message, messages: data?.messages ?? [], headers: response.headers };
};
const user = (id: string, ...parts: readonly Wire[]): Wire => ({ id, role: "user", parts });
const words = (said: string): Wire => ({ type: "text", text: said });
const refused: Answer = async function* () {
  yield [{ type: "error", error: { code: "model/failed", message: "no" } }];
};

describe("a question that was answered", () => {
  const turn = user("u1", words("Count"));
  const asked = async (...script: readonly Answer[]) => {
    const effects: Json[] = [];
    const asker = defineTool({
      name: "asker",
      parameters: z.object({}),
      execute: async (_, { ask }) => {
        const given = (await ask({ message: "How many?", schema: { type: "object" } })) as Json;
        effects.push(given);
        return "counted";
      },
    });
    const server = await start({ agentTools: [asker], script: [calls(call("c1", "asker", {})), ...script] });
    const [question] = (await send(server, { messages: [turn] })).messages;
    const part = (question?.["parts"] as readonly Wire[] | undefined)?.find(
      ({ type }) => type === "data-input-request",
    );
    const { requestId = null } = (part?.["data"] ?? {}) as { readonly requestId?: Json };
    const word = (id: string, n: number): Wire =>
      user(id, { type: "data-input-response", data: { requestId, value: { n } } });
    return { server, effects, word, history: [turn, question ?? {}] };
  };

  it.each<[string, string, number]>([
    ["the same message, sent again", "u2", 7],
    ["a message of another id", "u3", 7],
    ["another value", "u2", 8],
    ["another value under another id", "u3", 8],
  ])("is not answered again by %s", async (_title, id, value) => {
    const { server, effects, word, history } = await asked(said(text("Done.")), said(text("Again.")));
    expect((await send(server, { messages: [...history, word("u2", 7)] })).status).toBe(200);
    const before = server.model.asked.length;
    const again = await send(server, { messages: [...history, word(id, value)] });
    expect([again.status, again.message]).toEqual([409, expect.stringContaining("was answered before")]);
    expect(effects).toEqual([{ n: 7 }]);
    expect(server.model.asked).toHaveLength(before);
  });

  it.each<[string, (history: readonly Wire[]) => readonly Wire[]]>([
    ["behind a turn that was edited", ([, question = {}]) => [user("u1", words("Count on")), question]],
    ["behind another turn", history => [...history, user("u9", words("Well"))]],
    ["with words beside it", history => history],
  ])("is not answered again %s", async (title, before) => {
    const { server, effects, word, history } = await asked(said(text("Done.")), said(text("Again.")));
    await send(server, { messages: [...history, word("u2", 7)] });
    const { parts } = word("u2", 8) as unknown as { readonly parts: readonly Wire[] };
    const last = user("u2", ...parts, ...(title.startsWith("with") ? [words("Quick")] : []));
    expect((await send(server, { messages: [...before(history), last] })).status).toBe(409);
    expect(effects).toEqual([{ n: 7 }]);
  });

  it("keeps its answer in a history whose copy says another, and the client is told", async () => {
    const { server, effects, word, history } = await asked(said(text("Done.")), said(text("Next.")));
    const { messages } = await send(server, { messages: [...history, word("u2", 7)] });
    const rest = [...messages, user("u3", words("And now?"))];
    const next = await send(server, { messages: [...history, word("u2", 8), ...rest] });
    expect([next.status, next.headers.get("x-answers-ignored")]).toEqual([200, expect.stringContaining("input")]);
    expect(effects).toEqual([{ n: 7 }]);
    const told = JSON.stringify(server.model.asked.at(-1));
    expect([told.includes("Done."), told.includes("And now?")]).toEqual([true, true]);
  });

  it("goes on behind what its tool gave where the model failed then", async () => {
    const { server, effects, word, history } = await asked(refused, said(text("Done.")));
    const body = { messages: [...history, word("u2", 7)] };
    expect((await send(server, body)).status).toBe(502);
    expect((await send(server, body)).status).toBe(200);
    expect(effects).toEqual([{ n: 7 }]);
    expect(JSON.stringify(server.model.asked.at(-1))).toContain("counted");
    expect((await send(server, body)).status).toBe(409);
  });

  it("is not acted on again where the model failed then, and the person says the next thing", async () => {
    const { server, effects, word, history } = await asked(refused, said(text("Well.")));
    const body = [...history, word("u2", 7)];
    expect((await send(server, { messages: body })).status).toBe(502);
    expect((await send(server, { messages: [...body, user("u3", words("Go on"))] })).status).toBe(200);
    expect(effects).toEqual([{ n: 7 }]);
    const told = JSON.stringify(server.model.asked.at(-1));
    expect([told.includes("counted"), told.includes("Go on")]).toEqual([true, true]);
  });

  it("is not answered again where it is said alone, and goes on so where the model failed", async () => {
    const { server, effects, word } = await asked(refused, said(text("Done.")));
    const statuses: number[] = [];
    for (const message of [word("u2", 7), word("u3", 8), word("u2", 7), word("u2", 7), word("u3", 8)]) {
      statuses.push((await send(server, { message })).status);
    }
    expect(statuses).toEqual([502, 409, 200, 409, 409]);
    expect(effects).toEqual([{ n: 7 }]);
  });

  it("is not answered again beside an approval that is new", async () => {
    const effects: Json[] = [];
    const asker = defineTool({
      name: "asker",
      parameters: z.object({}),
      execute: async (_, { ask }) => {
        effects.push((await ask({ message: "How many?" })) as Json);
        return "counted";
      },
    });
    const server = await start({
      generation: 7,
      agentTools: [asker, { ...toolOf("wipe", () => "wiped"), needsApproval: true }],
      script: [calls(call("c1", "asker", {}), call("c2", "wipe", {})), said(text("Done.")), said(text("Again."))],
    });
    const [question = {}] = (await send(server, { messages: [turn] })).messages;
    const requestId = /"requestId":"([^"]+)"/.exec(JSON.stringify(question))?.[1] ?? "";
    const word = user("u2", { type: "data-input-response", data: { requestId, value: 7 } });
    await send(server, { messages: [turn, question, word] });
    const approved = {
      ...question,
      parts: (question["parts"] as readonly Wire[]).map(part =>
        part["approval"]
          ? { ...part, state: "approval-responded", approval: { ...(part["approval"] as object), approved: true } }
          : part,
      ),
    };
    await send(server, { messages: [turn, approved, word] });
    await send(server, { messages: [turn, approved, word] });
    expect(effects).toEqual([7]);
  });

  it("is not answered again where its tool was stopped at its work", async () => {
    const begun = Promise.withResolvers<void>();
    const works: Json[] = [];
    const asker = defineTool({
      name: "asker",
      parameters: z.object({}),
      execute: async (_, { ask }) => {
        works.push((await ask({ message: "How many?" })) as Json);
        begun.resolve();
        return new Promise<string>(() => {});
      },
    });
    const server = await start({ agentTools: [asker], script: [calls(call("c1", "asker", {})), said(text("Done."))] });
    const [question = {}] = (await send(server, { messages: [turn] })).messages;
    const requestId = /"requestId":"([^"]+)"/.exec(JSON.stringify(question))?.[1] ?? "";
    const word = user("u2", { type: "data-input-response", data: { requestId, value: 7 } });
    const body = { messages: [turn, question, word] };
    const first = send(server, body);
    await begun.promise;
    await server.post("/api/v1/chat/s1/stop", {});
    await first;
    expect((await send(server, body)).status).toBe(200);
    expect(works).toEqual([7]);
  });

  it("keeps its answer in a copy behind a turn that was edited", async () => {
    const { server, effects, word, history } = await asked(said(text("Done.")), said(text("Next.")));
    const { messages } = await send(server, { messages: [...history, word("u2", 7)] });
    const [, question = {}] = history;
    const edited = [user("u1", words("Count on")), question, word("u2", 7), ...messages, user("u3", words("Now?"))];
    const next = await send(server, { messages: edited });
    expect([next.status, next.headers.get("x-answers-ignored")]).toEqual([200, null]);
    expect(JSON.stringify(server.model.asked.at(-1))).toContain("counted");
    expect(effects).toEqual([{ n: 7 }]);
  });

  it("is not answered again where its tool asks the next thing", async () => {
    const works: Json[] = [];
    const asker = defineTool({
      name: "asker",
      parameters: z.object({}),
      execute: async (_, { ask }) => {
        works.push((await ask({ message: "First?" })) as Json);
        works.push((await ask({ message: "Second?" })) as Json);
        return "counted";
      },
    });
    const server = await start({ agentTools: [asker], script: [calls(call("c1", "asker", {})), said(text("Done."))] });
    const question = async (at: number): Promise<string> => {
      const session = await (await server.get("/api/v1/sessions/s1")).text();
      return [...session.matchAll(/"type":"input-request","requestId":"([^"]+)"/g)][at]?.[1] ?? "";
    };
    const word = (id: string, requestId: string): Wire =>
      user(id, { type: "data-input-response", data: { requestId, value: id } });
    const first = (await send(server, { messages: [turn] })).messages;
    const once = [turn, ...first, word("u2", await question(0))];
    const next = await send(server, { messages: once });
    expect(next.status).toBe(200);
    expect(JSON.stringify(next.messages)).toContain("Second?");
    expect((await send(server, { messages: once })).status).toBe(409);
    const twice = [...once, word("u3", await question(1))];
    expect((await send(server, { messages: twice })).status).toBe(200);
    expect((await send(server, { messages: twice })).status).toBe(409);
    expect(works).toEqual(["u2", "u2", "u3"]);
  });
});

describe("a turn that was answered whole", () => {
  const hello = user("u1", words("Hello"));
  const answered = async (...more: readonly Answer[]): Promise<Fixture> => {
    const server = await start({
      agentTools: [toolOf("look", () => "blue")],
      script: [calls(call("c1", "look", {})), said(text("Hi.")), ...more],
    });
    expect((await send(server, { messages: [hello] })).status).toBe(200);
    return server;
  };

  it.each<[string, object]>([
    ["the same history", { messages: [hello] }],
    ["the same turn alone", { message: hello }],
    ["a history without ids", { messages: [{ role: "user", content: "Hello" }] }],
  ])("is not answered again for %s", async (_title, body) => {
    const server = await answered(said(text("Again.")));
    const again = await send(server, body);
    expect([again.status, again.message]).toEqual([409, expect.stringContaining("nothing new to answer")]);
    expect(server.model.asked).toHaveLength(2);
  });

  it.each<[string, object]>([
    ["it is asked for anew", { messages: [hello], trigger: "regenerate-message" }],
    ["it is edited under its id", { messages: [user("u1", words("Hello?"))], messageId: "u1" }],
    ["it is said again under an id of its own", { messages: [user("u9", words("Hello"))] }],
    ["it is said again alone, under an id of its own", { message: user("u9", words("Hello")) }],
    ["it is said again alone, without an id", { message: { role: "user", content: "Hello" } }],
    ["its id has other words", { message: user("u1", words("Bye")) }],
  ])("is answered again where %s", async (_title, body) => {
    const server = await answered(said(text("Again.")));
    expect((await send(server, body)).status).toBe(200);
    expect(server.model.asked).toHaveLength(3);
  });

  it("is answered again where it is edited back, and not a second time then", async () => {
    const server = await answered(said(text("Other.")), said(text("Back.")));
    const edited = { messages: [user("u1", words("Hello?"))], messageId: "u1" };
    const back = { messages: [hello], messageId: "u1" };
    const statuses: number[] = [];
    for (const body of [edited, edited, back, back]) statuses.push((await send(server, body)).status);
    expect(statuses).toEqual([200, 409, 200, 409]);
  });

  it("is waited for where its answer asks for approval", async () => {
    const server = await start({
      agentTools: [{ ...toolOf("wipe", () => "wiped"), needsApproval: true }],
      script: [calls(call("c1", "wipe", {})), said(text("Again."))],
    });
    await send(server, { messages: [hello] });
    const again = await send(server, { messages: [hello] });
    expect([again.status, again.message]).toEqual([409, expect.stringContaining("waits for a decision")]);
  });

  it.each<[string, object]>([
    ["the same history", { messages: [hello] }],
    ["the same turn alone", { message: hello }],
  ])("is answered for %s where no answer came", async (_title, body) => {
    const server = await start({ script: [refused, said(text("Hi."))] });
    expect((await send(server, body)).status).toBe(502);
    expect((await send(server, body)).status).toBe(200);
    const asked = JSON.stringify(server.model.asked[1]);
    expect(asked.split("Hello")).toHaveLength(2);
  });
});

describe("a model that a request names where there is only the demo", () => {
  const demo = createModelRouter({ demo: ref => demoModel(ref) });
  it.each([
    ["nope/x", 403],
    ["openai/gpt-5.2", 403],
    ["demo/demo", 200],
    ["demo/standard", 200],
    [undefined, 200],
  ])("%s is a %s", async (model, status) => {
    const server = await start({ models: demo, script: [said(text("Hi."))] });
    const found = await send(server, { messages: [user("u1", words("Hi"))], ...(model && { model }) });
    expect([found.status, found.message]).toEqual([
      status,
      status === 200 ? "" : expect.stringMatching(/^Model '.*' is not in the allowed list.*TRANSLOGUE_MODEL/),
    ]);
  });
});
