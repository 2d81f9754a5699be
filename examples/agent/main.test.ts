import { expect, test, vi } from "vitest";

test("the demo agent adds with a tool, streams its answer, and its history is a Chat history", async () => {
  vi.spyOn(console, "log").mockReturnValue();
  const write = vi.spyOn(process.stdout, "write").mockReturnValue(true);
  const { session, value } = await import("./main.ts");
  expect(write.mock.calls.map(([text]) => text).join("")).toContain("42");
  expect(session.messages.map(({ role }) => role)).toEqual(["user", "assistant", "tool", "assistant"]);
  expect(JSON.stringify(value)).toContain('"tool_calls"');
});
