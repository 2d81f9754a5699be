import { expect, test, vi } from "vitest";

test("an agent asks another one over MCP, once a person lets it, and is told of the server that is away", async () => {
  vi.spyOn(console, "log").mockReturnValue();
  const { mcp, response } = await import("./main.ts");
  expect(mcp.failures.map(({ server }) => server)).toEqual(["away"]);
  expect(response.text).toContain("42");
});
