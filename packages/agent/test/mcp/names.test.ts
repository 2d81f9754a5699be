import { describe, expect, test } from "vitest";
import { type ToolPrefix, toolNames } from "../../src/mcp/names.ts";

const named = (prefix: ToolPrefix, tools: readonly string[], taken: readonly string[] = []) =>
  toolNames(
    tools.map(each => {
      const [server = "", tool = ""] = each.split("/");
      return { server, tool };
    }),
    prefix,
    taken,
  );

const long = "x".repeat(100);

describe("names of servers' tools", () => {
  test.each([
    { rule: "alone a tool keeps its name", tools: ["files/read"], expected: ["read"] },
    { rule: "of two none keeps it", tools: ["a/read", "b/read", "b/list"], expected: ["a_read", "b_read", "list"] },
    { rule: "one's own tools keep theirs", tools: ["a/read"], taken: ["read"], expected: ["a_read"] },
    { rule: "always means always", prefix: "always", tools: ["a/read", "b/list"], expected: ["a_read", "b_list"] },
    {
      rule: "what providers refuse is written otherwise",
      tools: ["a/get.weather", "a/ünï/x", "a/9lives"],
      expected: ["get_weather", "_n_", "_9lives"],
    },
  ] as const)("$rule", ({ tools, expected, ...rest }) => {
    const { prefix = "collision", taken = [] } = { prefix: undefined, taken: undefined, ...rest };
    expect(named(prefix, tools, taken)).toEqual(expected);
  });

  test.each([
    [["a/get.it", "a/get_it"]],
    [["a_b/c", "a/b_c", "x/c", "y/b_c"]],
    [["a/b", "a_b/c", "x/b", "a/b_c", "z/a_b_c"]],
    [[`a/${long}1`, `a/${long}2`, `b/${long}1`]],
    [["/", "a/", "a/_"]],
  ])("of %j every one has its own, which providers take, whatever their order", tools => {
    for (const prefix of ["collision", "always"] as const) {
      const names = named(prefix, tools);
      expect(new Set(names).size).toBe(tools.length);
      for (const name of names) expect(name).toMatch(/^[A-Za-z_][A-Za-z0-9_-]{0,63}$/);
      const turned = named(prefix, tools.toReversed()).toReversed();
      expect(turned).toEqual(names);
    }
  });
});
