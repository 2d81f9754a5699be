import { convert, type FormatId, type JsonObject } from "translogue";
import { describe, expect, test } from "vitest";

const request = (more: JsonObject): JsonObject => ({
  model: "m",
  messages: [{ role: "user", content: "Hi" }],
  ...more,
});
const told = (to: FormatId, more: JsonObject, options: object = {}) =>
  convert(request(more), { from: "openai-chat", to, shape: "request", ...options }).issues.map(({ code, path }) => [
    code,
    path.join("."),
  ]);

describe("a setting that the provider does not take so", () => {
  test("is written as it was asked for, and an issue tells what is taken", () => {
    const { value, issues } = convert(request({ temperature: 1.8 }), { from: "openai-chat", to: "anthropic-messages" });
    expect(value).toMatchObject({ temperature: 1.8 });
    expect(issues).toMatchObject([
      {
        code: "setting-ranges",
        severity: "warning",
        path: ["settings", "temperature"],
        message: "`settings.temperature` is 1.8, and 0 to 1 is taken. Set it so.",
        repair: "fit-settings",
      },
    ]);
  });

  test.each<[FormatId, JsonObject, string]>([
    ["bedrock-converse", { temperature: 1.8 }, "temperature"],
    ["cohere", { top_p: 1 }, "topP"],
    ["gemini", { stop: ["a", "b", "c", "d", "e", "f"] }, "stopSequences"],
    ["mistral", { temperature: 1.8 }, "temperature"],
    ["openai-responses", { top_p: 1.5 }, "topP"],
  ])("is told for %s", (to, more, name) => {
    expect(told(to, more)).toEqual([["setting-ranges", `settings.${name}`]]);
  });

  test.each<[why: string, FormatId, JsonObject, object]>([
    ["one that is taken", "anthropic-messages", { temperature: 1 }, {}],
    ["one that does not go there", "anthropic-messages", { frequency_penalty: 9 }, {}],
    ["a store", "anthropic-messages", { temperature: 1.8 }, { recipient: "store" }],
    ["a host with ranges of its own", "openai-chat", { temperature: 2.5 }, { toDialect: "llama.cpp" }],
  ])("is none: %s", (_, to, more, options) => {
    expect(told(to, more, options)).toEqual([]);
  });
});
