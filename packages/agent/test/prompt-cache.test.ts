import type { Message, Part } from "translogue";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { languageModel } from "../src/ai-sdk/index.ts";
import { createAgent, defineTool } from "../src/index.ts";
import { withCacheMarks } from "../src/models/cache-marks.ts";
import { hosted } from "./hosted.ts";
import { providers, replyOf } from "./provider-answers.ts";
import { fixed } from "./scripted-model.ts";

const add = defineTool({
  name: "add",
  parameters: z.object({ a: z.number(), b: z.number() }),
  execute: ({ a, b }) => a + b,
});
const marks = (value: unknown): number =>
  JSON.stringify(value).match(/"(?:cache_control|cachePoint|cacheControl|prompt_cache_breakpoint)"/g)?.length ?? 0;

describe("a prompt that is to be cached", () => {
  test.each(Object.entries(providers))("is marked for %s as its host caches, in every step", async (name, provider) => {
    const { endpoint, model: id, call, words } = provider;
    for (const promptCache of [false, true, { ttl: "1h" }]) {
      const { host, model } = await hosted([replyOf(name, call), replyOf(name, words)], { endpoint, model: id });
      const agent = createAgent({ ...fixed(), model, tools: [add], instructions: "Be brief.", promptCache });
      const { metadata } = await agent.run("19 + 23?");
      const takesMarks = endpoint.id === "anthropic" || endpoint.id === "bedrock";
      const expected = takesMarks && promptCache !== false ? 3 : 0;
      expect(host.requests.map(({ body }) => marks(body))).toEqual([expected, expected]);
      expect(JSON.stringify(host.requests[1]?.body).includes('"1h"')).toBe(expected > 0 && promptCache !== true);
      expect(JSON.stringify(metadata ?? null)).not.toContain("cache");
    }
  });

  test("is marked for a provider of the AI SDK in the options of those that take marks", async () => {
    const calls: unknown[] = [];
    const doStream = async (call: unknown) => {
      calls.push(call);
      throw new Error("no answer");
    };
    const model = languageModel({ specificationVersion: "v3", provider: "anthropic.messages", modelId: "m", doStream });
    await createAgent({ ...fixed(), model, tools: [add], instructions: "Be brief.", promptCache: true }).run("Hi");
    expect(marks(calls[0])).toBe(3);
  });
});

describe("cache marks", () => {
  const text = (text: string, more: Partial<Part> = {}): Part => ({ type: "text", text, ...more }) as Part; // a text, marked
  const message = (role: Message["role"], ...parts: Part[]): Message => ({ role, parts });
  const marked = ({ messages, tools = [] }: ReturnType<typeof withCacheMarks>) => [
    ...tools.flatMap((tool, index) => (tool.cache ? [`tool ${index}`] : [])),
    ...messages.flatMap(({ parts }, index) =>
      parts.flatMap((part, place) => ("cache" in part && part.cache ? [`${index}.${place}`] : [])),
    ),
  ];
  const tools = [{ name: "a" }, { name: "b" }];

  test.each<[string, Message[], string[]]>([
    [
      "stand behind tools, instructions and history",
      [message("system", text("s")), message("user", text("u"))],
      ["tool 1", "0.0", "1.0"],
    ],
    ["stand once where there are instructions alone", [message("system", text("s"))], ["tool 1", "0.0"]],
    [
      "stand on nothing empty, and on no thought",
      [message("user", text("u")), message("assistant", { type: "reasoning", text: "r" }, text(" "))],
      ["tool 1", "0.0"],
    ],
    [
      "are four at most, with those of the history",
      [
        message("system", text("s")),
        ...[1, 2, 3].map(() => message("user", text("u", { cache: {} }))),
        message("user", text("u")),
      ],
      ["1.0", "2.0", "3.0", "4.0"],
    ],
    [
      "are none where the history has four",
      [...[1, 2, 3, 4].map(() => message("user", text("u", { cache: {} }))), message("user", text("u"))],
      ["0.0", "1.0", "2.0", "3.0"],
    ],
    [
      "stay what they are where they stand already",
      [message("user", text("u", { cache: { ttl: "1h" } }))],
      ["tool 1", "0.0"],
    ],
  ])("%s", (_, messages, expected) => {
    const given = { messages, tools };
    expect(marked(withCacheMarks(given, {}))).toEqual(expected);
    expect(marked(withCacheMarks({ messages: [] }, {}))).toEqual([]);
  });
});
