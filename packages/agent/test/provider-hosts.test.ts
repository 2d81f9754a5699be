import type { Reply } from "@translogue/testkit/fake-host";
import type { Json } from "translogue";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { createAgent, createModel, defineTool } from "../src/index.ts";
import { ask, hosted } from "./hosted.ts";
import { providers, replyOf } from "./provider-answers.ts";
import { fixed } from "./scripted-model.ts";

const add = defineTool({
  name: "add",
  description: "Adds.",
  parameters: z.object({ a: z.number(), b: z.number() }),
  execute: ({ a, b }) => a + b,
});

describe.each(Object.entries(providers))("%s", (name, provider) => {
  const { endpoint, model: id } = provider;
  const reply = (events: readonly Json[]): Reply => replyOf(name, events);
  const options = { endpoint, model: id, retries: 0 };

  test("runs an agent's loop: the key in its header, seal and result at home by the next request", async () => {
    const { host, model } = await hosted([reply(provider.call), reply(provider.words)], options);
    const response = await createAgent({ ...fixed(), id: "ada", model, tools: [add] }).run("19 + 23?");
    expect([response.text, response.usage]).toEqual(["42.", { input: 18, output: 10 }]);
    const [first, second] = host.requests;
    expect(first).toMatchObject({ path: provider.path, headers: provider.headers });
    expect(first?.headers["authorization"]).toBeUndefined();
    expect(second?.body).toMatchObject(provider.home);
    expect(Object.hasOwn(second?.body as object, "model")).toBe(!endpoint.path.includes("{model}")); // a body is an object
  });

  test("may answer as a whole", async () => {
    const whole: Reply = { headers: { "content-type": "application/json" }, pieces: [JSON.stringify(provider.whole)] };
    const { model } = await hosted([whole], options);
    const { response } = await ask(model);
    expect([response.text, response.usage]).toEqual(["42.", { input: 9, output: 5 }]);
  });

  test("says in our words that it cannot, and is asked again", async () => {
    const { status, body } = provider.busy;
    const busy: Reply = { status, pieces: [JSON.stringify(body)] };
    const { model, host } = await hosted([busy, busy], { ...options, retries: 1 });
    const { error } = (await ask(model)).response;
    expect(host.requests).toHaveLength(2);
    expect(error).toMatchObject({ code: "model/unavailable", retryable: true, details: { status } });
    expect(error?.message).toMatch(/overloaded/i);
  });

  test("that breaks off is a failure of the run", async () => {
    const { model } = await hosted([reply(provider.words.slice(0, -1))], options);
    expect((await ask(model)).response.error).toBeDefined();
  });

  test("needs a key, and a setting says which", () => {
    expect(() => createModel({ endpoint, model: id })).toThrow(String(endpoint.keyVariable));
  });
});
