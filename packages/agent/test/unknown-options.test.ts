import { describe, expect, test } from "vitest";
import { createAgent } from "../src/index.ts";
import { fixed, scripted } from "./scripted-model.ts";

describe("an option that there is none of is refused, with those that there are", () => {
  const model = scripted(() => ({ text: "ok" }));

  test("of an agent, where it is defined", () => {
    const misspelled = { ...fixed(), model, instruction: "Be brief." };
    expect(() => createAgent(misspelled)).toThrow(
      expect.objectContaining({
        code: "agent/invalid",
        message: expect.stringMatching(/options have no `instruction`: there are .*`instructions`/),
      }),
    );
  });

  test.each(["run", "runStreaming"] as const)("of a run, before it begins: %s", async way => {
    const agent = createAgent({ ...fixed(), model });
    const session = await agent.createSession();
    const misspelled = { session, abortSignal: new AbortController().signal };
    const begun = way === "run" ? agent.run("Go", misspelled) : agent.runStreaming("Go", misspelled).next();
    await expect(begun).rejects.toMatchObject({
      code: "options/invalid",
      message: expect.stringMatching(/no option `abortSignal`: there are .*`signal`/),
    });
    expect(session.messages).toEqual([]);
  });

  test("of a session", async () => {
    const misspelled: object = { message: [] };
    await expect(createAgent({ ...fixed(), model }).createSession(misspelled)).rejects.toThrow("no option `message`");
  });
});
