import { expect, test, vi } from "vitest";

test("a durable run outlives its process, and is done once under its id, whichever process asks for it", async () => {
  vi.spyOn(process.stdout, "write").mockReturnValue(true);
  const { killed, next, again, ran } = await import("./main.ts");
  vi.restoreAllMocks();
  expect(killed).toMatchObject({ signal: "SIGKILL", said: expect.not.stringContaining("session") });
  expect(ran).toEqual(["add, attempt 1"]);
  expect([next.signal, next.said]).toEqual([null, expect.stringContaining("42")]);
  const result = (said: string) => said.trim().split("\n").at(-1);
  expect(JSON.parse(result(again.said) ?? "")).toEqual(JSON.parse(result(next.said) ?? ""));
}, 180_000);
