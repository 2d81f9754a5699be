import { describe, expect, it } from "vitest";
import { check, checkEvent, checkMessage } from "../../src/model/check.ts";
import { eventShapes } from "../../src/model/event-shapes.ts";
import { partShapes } from "../../src/model/part-shapes.ts";
import { conversationExamples, eventExamples, messageExamples, modelText, partExamples } from "./doc-examples.ts";

describe("The specification, docs/model.md", () => {
  it("has an example of every part and every event", () => {
    const types = (examples: readonly { readonly type: string }[]) => new Set(examples.map(({ type }) => type));
    expect(types(partExamples)).toEqual(new Set(Object.keys(partShapes)));
    expect(types(eventExamples)).toEqual(new Set(Object.keys(eventShapes)));
  });

  it.each([
    ["conversation", conversationExamples.map(check)],
    ["message", messageExamples.map(checkMessage)],
    ["part", partExamples.map(part => checkMessage({ role: "assistant", parts: [part] }))],
    ["event", eventExamples.map(checkEvent)],
  ])("has no %s that check finds anything in", (_, issues) => {
    expect(issues.length).toBeGreaterThan(0);
    expect(issues.flat()).toEqual([]);
  });

  it("has every rule, once", () => {
    const rules = [...modelText.matchAll(/^- \*\*([RE]\d+) · /gm)].map(([, rule]) => rule);
    const numbered = (letter: string, count: number) =>
      Array.from({ length: count }, (_, index) => `${letter}${index + 1}`);
    expect(rules).toEqual([...numbered("R", 27), ...numbered("E", 9)]);
  });
});
