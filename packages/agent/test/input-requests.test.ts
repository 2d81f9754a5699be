import { inputResponse, type Json, type Loss, type Message } from "translogue";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { type AgentOptions, type AgentSession, createAgent, defineTool } from "../src/index.ts";
import { fixed, scripted, type Turn } from "./scripted-model.ts";

const paint = defineTool({
  name: "paint",
  parameters: z.object({}),
  execute: async (_, { ask }) => {
    const colour = await ask({ message: "Which colour?", schema: { type: "string" } });
    if (colour === undefined) return "left as it is";
    const shade = await ask({ kind: "form", message: `Which ${colour}?` });
    return `painted ${shade} ${colour}`;
  },
});
const look = defineTool({ name: "look", parameters: z.object({}), execute: () => "nothing new" });
const calls: Turn = {
  calls: [
    ["c1", "paint", {}],
    ["c2", "look", {}],
  ],
};

async function paused(turns: readonly Turn[] = [calls, { text: "Done." }], options: Partial<AgentOptions> = {}) {
  const model = scripted(turns);
  const agent = createAgent({ ...fixed(), model, tools: [paint, look], ...options });
  const session = await agent.createSession();
  const response = await agent.run("Go", { session });
  return { model, agent, session, response };
}

const said = (session: AgentSession, value?: Json): Message => ({
  role: "user",
  parts: [inputResponse(session.pendingInputs[0]?.requestId ?? "", value)],
});
const results = ({ messages }: Pick<AgentSession, "messages">) =>
  messages.flatMap(({ parts }) =>
    parts.flatMap(part =>
      part.type === "tool-result" && part.output?.[0]?.type === "text"
        ? [`${part.callId}: ${part.output[0].text}`]
        : [],
    ),
  );

describe("a tool that asks a person", () => {
  test("is answered alone, whatever is queued or added by providers: other questions stay, and so does the run", async () => {
    const noon: Message = { role: "user", parts: [{ type: "text", text: "It is noon." }] };
    const context = [{ name: "clock", before: () => ({ messages: [noon] }) }];
    const two: Turn = {
      calls: [
        ["c1", "paint", {}],
        ["c2", "paint", {}],
      ],
    };
    const { agent, session, response } = await paused([two, { text: "Done." }], { context });
    session.inject("By the way");
    const next = await agent.run(said(session, "red"), { session });
    expect([next.finish, next.responseId]).toEqual([{ reason: "tool-calls" }, response.responseId]);
    expect(session.pendingInputs.map(({ call, message }) => [call.callId, message])).toEqual([
      ["c1", "Which red?"],
      ["c2", "Which colour?"],
    ]);
  });

  test("pauses the run with its question, once all that can run has", async () => {
    const { session, response } = await paused();
    expect(response.finish).toEqual({ reason: "tool-calls" });
    expect(session.pendingInputs).toEqual([
      {
        requestId: expect.any(String),
        call: { type: "tool-call", callId: "c1", name: "paint", input: {} },
        kind: "question",
        message: "Which colour?",
        schema: { type: "string" },
      },
    ]);
    expect([session.pendingApprovals, session.pendingCalls, results(session)]).toEqual([[], [], ["c2: nothing new"]]);
    expect(session.messages.at(-1)?.parts.at(-1)).toEqual({
      type: "input-request",
      requestId: session.pendingInputs[0]?.requestId,
      kind: "question",
      message: "Which colour?",
      schema: { type: "string" },
      callId: "c1",
    });
  });

  test("gets each answer in its order, over restarts; the model reads the result alone", async () => {
    const { agent, session, model, response } = await paused();
    let stored = session;
    for (const value of ["red", "dark"]) {
      stored = await agent.deserializeSession(await agent.serializeSession(stored));
      const again = await agent.run(said(stored, value), { session: stored });
      expect(again.responseId).toBe(response.responseId);
    }
    expect(results(stored)).toEqual(["c2: nothing new", "c1: painted dark red"]);
    expect(stored.pendingInputs).toEqual([]);
    const read = model.requests[1]?.conversation.messages ?? [];
    expect(read.flatMap(({ parts }) => parts.map(({ type }) => type))).toEqual([
      ...["text", "tool-call", "tool-call", "tool-result", "tool-result"],
    ]);
  });

  test("is a loss in the Microsoft Agent Framework's JSON, which carries its question for us", async () => {
    const { agent, session } = await paused();
    const told: Loss[] = [];
    const json = await agent.serializeSession(session, { as: "maf", report: losses => told.push(...losses) });
    const at = session.messages.length - 1;
    const part = (session.messages[at]?.parts.length ?? 0) - 1;
    expect(told).toContainEqual({
      code: "input-request",
      kind: "dropped",
      path: ["messages", at, "parts", part],
      message: expect.any(String),
      carried: true,
    });
    const again = await agent.deserializeSession(json);
    expect(again.pendingInputs).toEqual(session.pendingInputs);
    await agent.run(said(again), { session: again });
    expect(results(again)[1]).toBe("c1: left as it is");
  });

  test("asks several things at once, which are answered one by one in any order", async () => {
    const both = defineTool({
      name: "paint",
      parameters: z.object({}),
      execute: async (_, { ask }) => (await Promise.all([ask({ message: "a" }), ask({ message: "b" })])).join(" "),
    });
    const { agent, session } = await paused(undefined, { tools: [both, look] });
    const [, second] = session.pendingInputs;
    await agent.run({ role: "user", parts: [inputResponse(second?.requestId ?? "", "two")] }, { session });
    expect(session.pendingInputs.map(({ message }) => message)).toEqual(["a"]);
    await agent.run(said(session, "one"), { session });
    expect(results(session)).toEqual(["c2: nothing new", "c1: one two"]);
  });

  test("hears where a person will not say", async () => {
    const { agent, session } = await paused();
    await agent.run(said(session), { session });
    expect(results(session)).toEqual(["c2: nothing new", "c1: left as it is"]);
  });

  test("is given up where something else is said", async () => {
    const { agent, session } = await paused();
    await agent.run("Never mind", { session });
    expect(results(session)[1]).toBe("c1: The call was not finished: nobody answered what it asked.");
    expect(session.pendingInputs).toEqual([]);
  });

  test("cannot go on past its question, whatever it catches", async () => {
    const stubborn = defineTool({
      name: "paint",
      parameters: z.object({}),
      execute: async (_, { ask }) => ask({ message: "Sure?" }).catch(() => "sure"),
    });
    const { session } = await paused(undefined, { tools: [stubborn, look] });
    expect([session.pendingInputs.length, results(session)]).toEqual([1, ["c2: nothing new"]]);
  });

  test("inside an agent that is a tool asks in the outer session, and is answered there", async () => {
    const inner = createAgent({
      ...fixed(),
      name: "painter",
      model: scripted([{ calls: [["i1", "paint", {}]] }, { text: "It is painted." }]),
      tools: [paint],
    });
    const turns: Turn[] = [{ calls: [["c1", "painter", { query: "Paint" }]] }, { text: "Done." }];
    const { agent, session } = await paused(turns, { tools: [inner.asTool()] });
    expect(session.pendingInputs).toMatchObject([{ message: "Which colour?", call: { callId: "i1" } }]);
    expect(session.messages.at(-1)?.parts.at(-1)).toMatchObject({ type: "input-request", callId: "c1" });
    await agent.run(said(session, "red"), { session });
    const { text } = await agent.run(said(session, "dark"), { session });
    expect([text, results(session)]).toEqual(["Done.", ["c1: It is painted."]]);
  });
});

describe("an answer to a question", () => {
  test("counts once", async () => {
    const { agent, session } = await paused();
    const answer = said(session, "red");
    const [part] = answer.parts;
    if (part === undefined) throw new Error("it has a part");
    const twice = agent.run({ role: "user", parts: [part, part] }, { session });
    await expect(twice).rejects.toMatchObject({ code: "input-request/answered" });
    await agent.run(answer, { session });
    await expect(agent.run(answer, { session })).rejects.toMatchObject({ code: "input-request/answered" });
  });

  test("to what nobody asked is refused, unless its question comes along", async () => {
    const { agent, session } = await paused();
    const parts = [inputResponse("none", "x")];
    const unasked = agent.run({ role: "user", parts }, { session });
    await expect(unasked).rejects.toMatchObject({ code: "input-request/unknown" });
    const other = createAgent({ ...fixed(), model: scripted([{ text: "ok" }]) });
    const history: Message[] = [
      { role: "assistant", parts: [{ type: "input-request", requestId: "none", kind: "question" }] },
      { role: "user", parts },
    ];
    expect((await other.run(history)).text).toBe("ok");
  });

  test("that is not what it asks for is refused, with its place, and the question stays open", async () => {
    const schema = {
      type: "object",
      properties: { colour: { enum: ["red", "blue"] }, layers: { type: "integer", minimum: 1 } },
      required: ["colour"],
    };
    const asking = defineTool({
      name: "paint",
      parameters: z.object({}),
      execute: async (_, { ask }) => JSON.stringify(await ask({ message: "How?", schema })),
    });
    const { agent, session } = await paused(undefined, { tools: [asking, look] });
    const before = await agent.serializeSession(session);
    const answer = (value: Json) => agent.run(said(session, value), { session });
    await expect(answer({ colour: "green" })).rejects.toMatchObject({
      code: "input-request/invalid",
      message: expect.stringContaining('colour: expected one of "red", "blue"; answer again'),
    });
    await expect(answer("red")).rejects.toThrow("expected object");
    expect(await agent.serializeSession(session)).toEqual(before);
    await answer({ colour: "blue", layers: 2 });
    expect(results(session)[1]).toBe('c1: {"colour":"blue","layers":2}');
  });
});
