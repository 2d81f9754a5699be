import { describe, expect, test } from "vitest";
import { parseArguments } from "../src/arguments.ts";
import { type Command, defineCommand } from "../src/command.ts";
import { nearest } from "../src/nearest.ts";

const toast = defineCommand({
  name: "toast",
  summary: "Make toast",
  operands: { value: "BREAD", many: true },
  options: {
    to: { type: "string", short: "t", value: "COLOUR", choices: ["white", "brown"], summary: "How far" },
    butter: { type: "boolean", short: "b", summary: "With butter" },
    "on-fire": { type: "string", value: "ACT", summary: "What to do then" },
  },
  examples: [],
  run: async () => 0,
});
const plain: Command = { ...toast, operands: { value: "BREAD", required: true, choices: ["rye", "wheat"] } };

describe("arguments", () => {
  test.for<readonly [argv: readonly string[], values: object, operands?: readonly string[]]>([
    [[], { to: undefined, butter: false, help: false }],
    [["--to", "white", "rye", "--butter"], { to: "white", butter: true }, ["rye"]],
    [["--to=brown", "-b"], { to: "brown", butter: true }],
    [["-bt", "brown"], { to: "brown", butter: true }],
    [["-tbrown"], { to: "brown" }],
    [["--to", "white", "--to", "brown"], { to: "brown" }],
    [["--on-fire", "run", "-"], { "on-fire": "run" }, ["-"]],
    [["--on-fire=--run"], { "on-fire": "--run" }],
    [["--on-fire", "-"], { "on-fire": "-" }],
    [["--", "--butter"], { butter: false }, ["--butter"]],
  ])("%j", ([argv, values, operands = []]) => {
    const parsed = parseArguments(toast, argv);
    expect(parsed.values).toMatchObject(values);
    expect(parsed.operands).toEqual(operands);
  });

  test.for<readonly [argv: readonly string[], message: string]>([
    [["--buter"], "`translogue toast` has no option `--buter`; did you mean `--butter`?"],
    [["--zzzzzz"], "`translogue toast` has no option `--zzzzzz`; `translogue toast --help` lists its options"],
    [["-x"], "`translogue toast` has no option `-x`; `translogue toast --help` lists its options"],
    [["--__proto__"], "`translogue toast` has no option `--__proto__`; `translogue toast --help` lists its options"],
    [["--to"], "`--to` needs a COLOUR; it is one of white, brown"],
    [["--to", "--butter"], "`--to` needs a COLOUR; it is one of white, brown"],
    [["--on-fire", "-b"], "`--on-fire` needs an ACT"],
    [["--to", "brwon"], "`--to` does not take `brwon`; did you mean `brown`? it is one of white, brown"],
    [["--butter=yes"], "`--butter` takes no value"],
    [["--color", "sometimes"], "`--color` does not take `sometimes`; it is one of auto, always, never"],
  ])("%j is refused", ([argv, message]) => {
    expect(() => parseArguments(toast, argv)).toThrow(expect.objectContaining({ code: "command/wrong-use", message }));
  });

  test.for<readonly [argv: readonly string[], message: string]>([
    [[], "`translogue toast` needs a BREAD; it is one of rye, wheat"],
    [["rye", "wheat"], "`translogue toast` takes one BREAD, and got `wheat` too"],
    [["wheet"], "`BREAD` does not take `wheet`; did you mean `wheat`? it is one of rye, wheat"],
  ])("operands %j are refused", ([argv, message]) => {
    expect(() => parseArguments(plain, argv)).toThrow(message);
  });

  test("whoever asks for help need not have the rest right", () => {
    expect(parseArguments(plain, ["--help"]).values).toMatchObject({ help: true });
  });
});

test.for<readonly [name: string, known: readonly string[], near: string | undefined]>([
  ["convrt", ["convert", "chat"], "convert"],
  ["ocnvert", ["convert", "chat"], "convert"],
  ["CHAT", ["convert", "chat"], "chat"],
  ["x", ["convert", "serve"], undefined],
  ["", [], undefined],
])("the nearest to %j among %j is %j", ([name, known, near]) => {
  expect(nearest(name, known)).toBe(near);
});
