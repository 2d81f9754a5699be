import { expect, test, vi } from "vitest";

test("a durable run is done once under its id, whichever process asks for it", async () => {
  vi.spyOn(process.stdout, "write").mockReturnValue(true);
  const { again, ran, result } = await import("./main.ts");
  vi.restoreAllMocks();
  expect(ran).toEqual(["add, attempt 1"]);
  expect(again).toEqual(result);
  expect(JSON.stringify(result)).toContain("42");
});
