import { user } from "translogue";
import { describe, expect, test } from "vitest";
import { createAgent } from "../src/index.ts";
import { connectMcp } from "../src/mcp/index.ts";
import { fixed, scripted } from "./scripted-model.ts";

describe("a wrong call throws an error with a code, that says what to give", () => {
  test("an agent of nothing", () => {
    for (const given of [undefined, null, "gpt-5", []]) {
      expect(() => createAgent(given as never)).toThrow(
        expect.objectContaining({ code: "agent/invalid", message: expect.stringContaining("`model`") }),
      );
    }
  });

  test("a session of nothing that was stored", async () => {
    const agent = createAgent({ ...fixed(), model: scripted(() => ({ text: "ok" })) });
    for (const given of [undefined, null, [], 5, { id: "a" }, { messages: [] }]) {
      await expect(agent.deserializeSession(given as never)).rejects.toMatchObject({ code: "session/invalid" });
    }
  });

  const servers: readonly (readonly [given: unknown, says: string])[] = [
    [undefined, "the servers are"],
    [5, "the servers are a number"],
    [["a"], "the servers are"],
    [{ x: null }, "server `x` is null"],
    [{ x: "https://host/mcp" }, "server `x` is"],
    [{ x: { url: "nope" } }, 'server `x` has the url "nope"'],
    [{ x: { url: "/mcp" } }, 'server `x` has the url "/mcp"'],
  ];
  test.each(servers)("servers: %o", async (given, says) => {
    await expect(connectMcp(given as never)).rejects.toMatchObject({
      code: "mcp/invalid",
      message: expect.stringContaining(says),
    });
  });
});

describe("the history that a session begins with is read as the input of a run", () => {
  const agent = createAgent({ ...fixed(), model: scripted(() => ({ text: "ok" })) });

  test("messages of lighter's become ours", async () => {
    const { messages } = await agent.createSession({ messages: [{ role: "user", content: "hi" }] as never });
    expect(messages).toEqual([user("hi")]);
  });

  test("what is no message is told with its place", async () => {
    for (const wrong of [null, "hi", { role: "user", parts: 5 }, { parts: [] }]) {
      await expect(agent.createSession({ messages: [user("a"), wrong] as never })).rejects.toMatchObject({
        code: "input/invalid",
        message: expect.stringMatching(/\[1\]/),
      });
    }
  });
});
