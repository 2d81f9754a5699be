import { defineTool } from "@translogue/agent";
import { type ClientMessage, sendChat } from "@translogue/testkit/clients";
import type { Generation } from "@translogue/testkit/generations";
import type { Json } from "translogue";
import { afterEach, describe, expect, it } from "vitest";
import { z } from "zod";
import type { ErrorBody } from "../src/contract.ts";
import { call, calls, type Fixture, said, serverOf, text } from "./scripted.ts";

const api = "http://server.test/api/v1/chat";
const open: Fixture[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map(server => server.close()));
});

const schema = { type: "object", properties: { colour: { enum: ["red", "blue"] } }, required: ["colour"] };
const asking = async (): Promise<Fixture> => {
  const paint = defineTool({
    name: "paint",
    parameters: z.object({}),
    execute: async (_, { ask }) => `painted ${JSON.stringify(await ask({ message: "Which colour?", schema }))}`,
  });
  const script = [calls(call("c1", "paint", {})), said(text("It is done."))];
  const server = await serverOf({ agentTools: [paint], script });
  open.push(server);
  return server;
};
const user = (id: string, ...parts: ClientMessage["parts"]): ClientMessage => ({ id, role: "user", parts });
const words = { type: "text", text: "Paint" } as const;

describe("a tool that asks a person", () => {
  it.each<Generation>(["v5", "v6", "v7"])(
    "is shown to a client of ai %s as data, and goes on with the answer that comes as data",
    async generation => {
      const server = await asking();
      const messages: ClientMessage[] = [user("u1", words)];
      const headers = { "X-AI-SDK-Version": generation.slice(1) };
      const send = async (): Promise<readonly string[]> => {
        const { message, errors } = await sendChat(generation, {
          api,
          fetch: server.fetch,
          chatId: "chat",
          headers,
          messages,
        });
        if (message) messages.push(message);
        return errors;
      };
      expect(await send()).toEqual([]);
      const question = messages.at(-1)?.parts.find(part => part["type"] === "data-input-request");
      expect(question).toMatchObject({ data: { kind: "question", message: "Which colour?", schema, callId: "c1" } });
      const { requestId = null } = (question?.["data"] ?? {}) as { readonly requestId?: Json };
      messages.push(user("u2", { type: "data-input-response", data: { requestId, value: { colour: "red" } } }));
      expect(await send()).toEqual([]);
      expect(JSON.stringify(server.model.asked[1])).toContain('painted {\\"colour\\":\\"red\\"}');
      expect(JSON.stringify(messages.at(-1))).toContain("It is done.");
    },
  );

  it("hears of an answer that does not fit, and is asked still", async () => {
    const server = await asking();
    const session = { "translogue-session": "s1" };
    const send = (...parts: ClientMessage["parts"]) =>
      server.post(
        "/api/v1/chat",
        {
          id: "s1",
          model: "demo/scripted",
          stream: false,
          message: user(`u${parts.length}${JSON.stringify(parts).length}`, ...parts),
        },
        session,
      );
    const { data } = (await (await send(words)).json()) as { data: { messages: readonly ClientMessage[] } };
    const question = data.messages.flatMap(({ parts }) => parts).find(({ type }) => type === "data-input-request");
    const { requestId } = (question?.["data"] ?? {}) as { readonly requestId?: string };
    const answer = async (value: object) => {
      const response = await send({ type: "data-input-response", data: value });
      return [response.status, ((await response.json()) as ErrorBody).message] as const;
    };
    expect(await answer({ value: "red" })).toEqual([
      400,
      expect.stringContaining("names the question that it answers"),
    ]);
    expect(await answer({ requestId, value: { colour: "green" } })).toEqual([
      400,
      expect.stringContaining('colour: expected one of "red", "blue"'),
    ]);
    expect(await answer({ requestId: "other", value: "red" })).toEqual([
      400,
      expect.stringContaining("none that this session"),
    ]);
    expect((await answer({ requestId, value: { colour: "blue" } }))[0]).toBe(200);
    expect((await answer({ requestId, value: { colour: "red" } }))[0]).toBe(409);
  });

  it("is not made to do again what it did with an answer: the turn that led to the question is answered anew", async () => {
    const server = await asking();
    const done: Json[] = [];
    const send = async (messages: readonly ClientMessage[], trigger: string) => {
      const body = { id: "s1", model: "demo/scripted", stream: false, messages, trigger };
      const response = await server.post("/api/v1/chat", body, { "translogue-session": "s1" });
      const { data } = (await response.json()) as { data: { messages: readonly ClientMessage[] } };
      done.push(data.messages.flatMap(({ parts }) => parts.map(({ type }) => type)));
      return data.messages;
    };
    const turn = user("u1", words);
    const [asked] = await send([turn], "submit-message");
    const question = asked?.parts.find(({ type }) => type === "data-input-request");
    const { requestId = null } = (question?.["data"] ?? {}) as { readonly requestId?: Json };
    const word = user("u2", { type: "data-input-response", data: { requestId, value: { colour: "red" } } });
    const history = [turn, asked, word].filter(message => message !== undefined);
    await send(history, "submit-message");
    server.model.answer(calls(call("c2", "paint", {})));
    await send(history, "regenerate-message");
    expect(server.model.asked.filter(each => JSON.stringify(each).includes("painted"))).toHaveLength(1);
    expect(done.at(-1)).toContain("data-input-request");
  });
});
