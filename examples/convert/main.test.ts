import { expect, test, vi } from "vitest";

test("a Chat history becomes the AI SDK's messages and comes back as it was", async () => {
  const log = vi.spyOn(console, "log").mockReturnValue();
  const { again, history, ui } = await import("./main.ts");
  expect(again.value).toEqual(history);
  expect(JSON.stringify(ui.value)).toContain('"toolCallId":"call_1"');
  expect(log).toHaveBeenCalledOnce();
});
