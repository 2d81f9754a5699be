import { expect, test, vi } from "vitest";

test("the second model answers where the first is overloaded, and a recording of both answers again without them", async () => {
  vi.spyOn(console, "log").mockReturnValue();
  const { again, first, kept } = await import("./main.ts");
  expect([first.text, first.model]).toEqual(["Hello.", "gpt-5.2"]);
  expect(first.metadata?.["fallbacks"]).toMatchObject([
    { provider: "anthropic", error: { code: "model/unavailable" } },
  ]);
  expect(again.text).toBe(first.text);
  expect(kept.exchanges.map(({ response }) => response.status)).toEqual([529, 200]);
});
