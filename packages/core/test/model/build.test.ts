import { describe, expect, it } from "vitest";
import * as build from "../../src/model/build.ts";
import { check } from "../../src/model/check.ts";
import { partShapes } from "../../src/model/part-shapes.ts";

const { assistant, conversation, dataPart, imageUrl, system, text, toolCall, toolMessage, toolResult, user } = build;

describe("Conversations built by hand", () => {
  it("are the plain objects that one would write", () => {
    expect(
      conversation(
        system("Be brief."),
        user(["What is this?", imageUrl("https://example.org/cat.png")]),
        assistant(toolCall({ callId: "c1", name: "look", input: { at: "cat" } }), { finish: { reason: "tool-calls" } }),
        toolMessage(toolResult("c1", dataPart({ animal: "cat" }), { outcome: "error" })),
        assistant("A cat.", { id: "m5" }),
      ),
    ).toEqual({
      messages: [
        { role: "system", parts: [{ type: "text", text: "Be brief." }] },
        {
          role: "user",
          parts: [
            { type: "text", text: "What is this?" },
            { type: "file", mediaType: "image/*", source: { url: "https://example.org/cat.png" } },
          ],
        },
        {
          role: "assistant",
          parts: [{ type: "tool-call", callId: "c1", name: "look", input: { at: "cat" } }],
          finish: { reason: "tool-calls" },
        },
        {
          role: "tool",
          parts: [
            {
              type: "tool-result",
              callId: "c1",
              output: [{ type: "data", data: { animal: "cat" } }],
              outcome: "error",
            },
          ],
        },
        { role: "assistant", parts: [{ type: "text", text: "A cat." }], id: "m5" },
      ],
    });
  });

  it("can hold every part, each valid as it is built", () => {
    const parts = [
      text("a", { phase: "final" }),
      build.reasoning("b"),
      build.reasoning(undefined, { seal: { maker: "openai", values: { encrypted_content: "x" } } }),
      build.refusal("c"),
      build.fileUrl("https://example.org/a.pdf", { mediaType: "application/pdf" }),
      build.fileData("AAAA", "audio/wav", { name: "a.wav" }),
      build.fileId("file_1", { source: { id: "file_1", provider: "openai" } } as never),
      build.fileText("words"),
      toolCall({ callId: "c1", name: "f", executedBy: "provider" }),
      toolResult("c1"),
      build.approvalRequest("r1", "c1", { automatic: true }),
      build.approvalResponse("r1", true),
      build.inputRequest("r2", "question", { message: "Why?" }),
      build.inputResponse("r2", "because"),
      build.inputResponse("r2"),
      build.sourcePart({ url: "https://example.org" }),
      dataPart(null, { name: "n" }),
      build.errorPart("failed", { code: "500" }),
      build.changePart({ model: "m" }),
      build.compactionPart(["a", "b"], { trigger: "auto" }),
      build.opaquePart("family", { x: 1 }),
    ];
    expect(new Set(parts.map(({ type }) => type))).toEqual(new Set(Object.keys(partShapes)));
    expect(check(conversation(assistant(parts), build.developer("d"), build.message("custom", []), user("")))).toEqual(
      [],
    );
  });
});
