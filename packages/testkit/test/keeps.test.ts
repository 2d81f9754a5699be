import { describe, expect, it } from "vitest";
import { keeps, lacks, placesByKey } from "../src/keeps.ts";

describe("keeps", () => {
  it.each([
    ["equal values", { a: [1, { b: null }] }, { a: [1, { b: null }] }],
    ["more members and more items at the end", { a: [1] }, { a: [1, 2], b: 3 }],
    ["the same members in another order", { a: 1, b: 2 }, { b: 2, a: 1 }],
    ["a made id that ours has, has otherwise, or has not", ["<guid-1>", "msg_<guid-2>"], ["x", "msg_y"]],
    ["no value for a made one", { id: "<guid-1>", at: "<now>" }, {}],
    ["one text for one mask", ["<guid-1>", "c-<guid-1>"], ["x", "c-x"]],
  ])("takes %s", (_, theirs, ours) => {
    expect(keeps(theirs, ours)).toEqual({ missing: [], rules: [] });
  });

  it.each([
    ["a member", { a: { b: 1 } }, { a: {} }, ["a", "b"]],
    ["an item", [1, 2], [1], [1]],
    ["an item that moved", ["a", "b"], ["x", "a"], [0]],
    ["a null", { a: null }, {}, ["a"]],
    ["a type", { a: 1 }, { a: "1" }, ["a"]],
    ["a whole object", { a: { b: 1 } }, { a: [1] }, ["a"]],
    ["a member that only the prototype has", { toString: "x" }, {}, ["toString"]],
    ["two texts for one mask", ["<guid-1>", "<guid-1>"], ["x", "y"], [1]],
    ["one text for two masks", ["<guid-1>", "<guid-2>"], ["x", "x"], [1]],
    ["the text around a mask", "msg_<guid-1>", "x", []],
  ])("finds the loss of %s", (_, theirs, ours, path) => {
    expect(keeps(theirs, ours).missing[0]?.path).toEqual(path);
  });

  it("names a rule once, asks the leaf before the object around it, and lets an object cover what is below", () => {
    const theirs = {
      a: { b: 1, c: 2 },
      d: [
        { e: 1, f: 1 },
        { e: 2, f: 2 },
      ],
    };
    const { missing, rules } = keeps(
      theirs,
      { d: [{ f: 1 }, { f: 2 }] },
      {
        allowances: [
          path => (path[0] === "a" ? "no a" : undefined),
          path => (path.at(-1) === "e" ? "no e" : undefined),
          path => (path.at(-1) === "d" ? "never asked" : undefined),
        ],
      },
    );
    expect({ missing, rules }).toEqual({ missing: [], rules: ["no a", "no e"] });
  });

  it("looks for items where it is told to", () => {
    const type = (item: unknown): unknown =>
      typeof item === "object" && item && "type" in item ? item.type : undefined;
    const { missing } = keeps(
      [{ type: "text", text: "a" }, { type: "call" }, { type: "file" }],
      [{ type: "reasoning" }, { type: "text", text: "a" }, { type: "call" }],
      { places: (_, theirs, ours) => placesByKey(theirs, ours, type) },
    );
    expect(missing).toEqual([{ path: [2], theirs: { type: "file" }, ours: undefined }]);
  });

  it("says the first place and how many follow", () => {
    expect(lacks(keeps({ a: [1, 2], b: "x" }, { a: [1, 3] }))).toBe("at a[1]: got 3, theirs has 2 (and 1 more)");
    expect(lacks(keeps(1, 1))).toBeUndefined();
  });
});
