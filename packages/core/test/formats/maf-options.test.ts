import type { JsonObject, Settings } from "translogue";
import { readChatOptions, readMaf, writeChatOptions, writeMaf } from "translogue/maf";
import { describe, expect, it } from "vitest";

describe("ChatOptions", () => {
  it.each<[string, JsonObject, JsonObject]>([
    [
      "sampling, in members of their own names",
      {
        temperature: 0.5,
        maxOutputTokens: 9,
        topP: 1,
        topK: 2,
        seed: 5_000_000_000,
        stopSequences: ["x"],
        modelId: "m",
      },
      {
        model: "m",
        settings: { temperature: 0.5, maxOutputTokens: 9, topP: 1, topK: 2, seed: 5_000_000_000, stopSequences: ["x"] },
      },
    ],
    ["no list of no stop sequences", { stopSequences: [] }, { native: { maf: { options: { stopSequences: [] } } } }],
    ["a tool mode", { toolMode: { $type: "none" } }, { settings: { toolChoice: "none" } }],
    [
      "a function that must be called",
      { toolMode: { $type: "required", requiredFunctionName: "f" }, allowMultipleToolCalls: false },
      { settings: { toolChoice: { name: "f" }, parallelToolCalls: false } },
    ],
    [
      "reasoning in the words that APIs know",
      { reasoning: { effort: "ExtraHigh", output: "Full" } },
      { settings: { reasoning: { effort: "xhigh", summary: "detailed" } } },
    ],
    [
      "an output of reasoning that has no setting, beside its effort",
      { reasoning: { effort: "None", output: "None" } },
      { settings: { reasoning: { effort: "none" } }, native: { maf: { options: { reasoning: { output: "None" } } } } },
    ],
    [
      "a format without a schema",
      { responseFormat: { $type: "json" } },
      { settings: { responseFormat: { type: "json" } } },
    ],
    [
      "a format with a schema, strict where the properties say so",
      {
        responseFormat: { $type: "json", schema: { type: "object" }, schemaName: "n", schemaDescription: "d" },
        additionalProperties: { strict: true, k: null },
      },
      {
        settings: {
          responseFormat: { type: "json", schema: { type: "object" }, name: "n", description: "d", strict: true },
        },
        native: { maf: { options: { additionalProperties: { strict: true, k: null } } } },
      },
    ],
    [
      "what no format knows but MAF",
      { conversationId: "c", allowBackgroundResponses: true },
      { native: { maf: { options: { conversationId: "c", allowBackgroundResponses: true } } } },
    ],
  ])("say %s, and come back as they were", (_, options, expected) => {
    const { instructions, ...asked } = readChatOptions(options);
    expect(instructions).toEqual([]);
    expect(asked).toEqual(expected);
    const written = { value: writeChatOptions(asked) };
    const { value } = readMaf(JSON.stringify(options), { type: "ChatOptions" });
    expect(writeMaf(written, { type: "ChatOptions" })).toBe(writeMaf({ value }, { type: "ChatOptions" }));
  });

  it("give their instructions as the first message, unless they are blank", () => {
    const system = { role: "system", parts: [{ type: "text", text: " be kind " }] };
    expect(readChatOptions({ instructions: " be kind " }).instructions).toEqual([system]);
    expect(readChatOptions({ instructions: " \n" }).instructions).toEqual([]);
  });

  it.each<[NonNullable<Settings["toolChoice"]>, JsonObject]>([
    ["auto", { $type: "auto" }],
    [{ name: "f" }, { $type: "required", requiredFunctionName: "f" }],
    [{ allowed: ["a", "b"], required: true }, { $type: "required" }],
  ])("write a choice of tools %o", (toolChoice, toolMode) => {
    expect(writeChatOptions({ settings: { toolChoice } })).toEqual({ toolMode });
  });
});
