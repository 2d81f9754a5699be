import { expect, test, vi } from "vitest";

test("lighter's own sample runs with only its import path changed, and prints what it says", async () => {
  const log = vi.spyOn(console, "log").mockReturnValue();
  await import("./main.ts");
  expect(log.mock.calls).toEqual([
    ["user", "计算 19 + 23。"],
    ["assistant", ""],
    ["tool", "42"],
    ["assistant", "19 + 23 = 42。"],
  ]);
});
