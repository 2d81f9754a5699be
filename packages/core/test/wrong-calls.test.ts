import {
  check,
  context,
  convert,
  decode,
  emit,
  encode,
  isError,
  mapParts,
  pairResults,
  type TranslogueError,
  user,
  walk,
} from "translogue";
import {
  addMessages,
  applyDiff,
  bufferString,
  compact,
  countTokens,
  diff,
  estimate,
  filter,
  fork,
  groupsOf,
  keepNewest,
  mergeRuns,
  prune,
  pruneToTarget,
  redact,
  restore,
  summarise,
  trim,
} from "translogue/history";
import { checkTarget, explain, prepare, repair } from "translogue/targets";
import { describe, expect, test } from "vitest";

/** Whatever a caller of plain JavaScript gives. */
type Call = (given: never) => unknown;

async function errorOf(call: () => unknown): Promise<TranslogueError> {
  try {
    await call();
  } catch (error) {
    if (isError(error)) return error;
    throw new Error(`a bare ${String(error)}`, { cause: error });
  }
  throw new Error("nothing was thrown");
}

const ofMessages: { readonly [name: string]: Call } = {
  trim: given => trim(given),
  filter: given => filter(given),
  prune: given => prune(given),
  pruneToTarget: given => pruneToTarget(given),
  mergeRuns: given => mergeRuns(given),
  addMessages: given => addMessages(given, []),
  "addMessages' updates": given => addMessages([], given),
  bufferString: given => bufferString(given),
  diff: given => diff(given, []),
  "diff after": given => diff([], given),
  applyDiff: given => applyDiff(given, []),
  redact: given => redact(given),
  restore: given => restore(given, {}),
  compact: given => compact(given, groups => groups),
  groupsOf: given => groupsOf(given),
  summarise: given => summarise(given, { model: () => "", targetCount: 1 }),
  keepNewest: given => keepNewest(given, 1),
  countTokens: given => countTokens(given),
  emit: given => emit(given),
  pairResults: given => pairResults(given),
};
const ofConversations: { readonly [name: string]: Call } = {
  encode: given => encode(given, "openai-chat"),
  prepare: given => prepare(given, "anthropic-messages"),
  repair: given => repair(given, "anthropic-messages"),
  checkTarget: given => checkTarget(given, "anthropic-messages"),
  explain: given => explain("nothing", { conversation: given }),
  context: given => context(given),
  walk: given => walk(given, {}),
  mapParts: given => mapParts(given, part => part),
  fork: given => fork(given, 0),
};
const foreign = [{ role: "user", content: "hi" }];

describe("messages of a format, given as they are, are told apart with their place and what to do", () => {
  test.each(Object.entries(ofMessages))("%s", async (_, call) => {
    const error = await errorOf(() => call([user("a"), ...foreign] as never));
    expect(error.code).toBe("input/invalid");
    expect(error.message).toMatch(
      /`(messages|updates|before|after)\[1\]` has no list of `parts`.*decode\(value, \{ from/,
    );
    expect(error.data["path"]).toEqual([expect.any(String), 1]);
  });
  test.each(Object.entries(ofConversations))("%s", async (_, call) => {
    const error = await errorOf(() => call({ messages: [user("a"), ...foreign] } as never));
    expect(error.code).toBe("input/invalid");
    expect(error.message).toMatch(/`messages\[1\]` has no list of `parts`.*decode\(value, \{ from/);
  });
  test("an estimator, of the one message that it is asked about", async () => {
    expect((await errorOf(() => estimate(foreign[0] as never))).code).toBe("input/invalid");
  });
});

const nothings: readonly (readonly [what: string, given: unknown])[] = [
  ["undefined", undefined],
  ["null", null],
  ["text", "hi"],
  ["a number", 5],
  ["an empty object", {}],
  ["a function", () => []],
];

describe("what is no list of messages, and no conversation, is told as what it is", () => {
  test.each(Object.entries(ofMessages))("%s", async (_, call) => {
    for (const [, given] of nothings) {
      expect((await errorOf(() => call(given as never))).code).toBe("input/invalid");
    }
  });
  test.each(Object.entries(ofConversations))("%s", async (name, call) => {
    for (const [, given] of nothings) {
      if (given === undefined && name === "explain") continue; // it need not be told
      expect((await errorOf(() => call(given as never))).code).toBe("input/invalid");
    }
  });
  test("a list is no conversation, and a conversation no list: each is told what to give", async () => {
    const messages = [user("hi")];
    expect((await errorOf(() => encode(messages as never, "openai-chat"))).message).toContain("`{ messages }`");
    expect((await errorOf(() => trim({ messages } as never))).message).toContain("`context(conversation).messages`");
  });
  test("items that are none", async () => {
    const items: readonly (readonly [unknown, string])[] = [
      [null, "`messages[0]` is null"],
      ["hi", "`messages[0]` is a text"],
      [[], "`messages[0]` is a list"],
      [{ parts: [] }, "`messages[0]` has no `role`"],
      [{ role: "user" }, "`messages[0]` has no list of `parts`"],
      [{ role: "user", parts: "hi" }, "`messages[0]` has no list of `parts`"],
    ];
    for (const [item, says] of items) {
      expect((await errorOf(() => encode({ messages: [item] } as never, "openai-chat"))).message).toContain(says);
    }
  });
});

describe("wrong calls throw an error with a code", () => {
  const calls: readonly (readonly [what: string, code: string, call: () => unknown])[] = [
    ["convert without options", "format/unknown", () => convert(foreign, undefined as never)],
    ["convert without a target", "format/unknown", () => convert(foreign, { from: "openai-chat" } as never)],
    ["encode without a format", "format/unknown", () => encode({ messages: [] }, undefined as never)],
    ["decode without a format", "format/unknown", () => decode(foreign, undefined as never)],
    ["decode from a number", "format/unknown", () => decode(foreign, 5 as never)],
    ["prepare without a target", "target/no-such-target", () => prepare({ messages: [] }, undefined as never)],
    ["checkTarget without a target", "target/no-such-target", () => checkTarget({ messages: [] }, undefined as never)],
    ["repair for a target that is none", "target/no-such-target", () => repair({ messages: [] }, {} as never)],
  ];
  test.each(calls)("%s", async (_, code, call) => {
    expect((await errorOf(call)).code).toBe(code);
  });
});

describe("what is wrong with data is told by issues, or by an error with a code", () => {
  test("a hole in a list of messages, or of content", async () => {
    const holed: unknown[] = [];
    holed[1] = { role: "user", content: "hi" };
    const told = await errorOf(() => convert(holed, { from: "openai-chat", to: "openai-chat" }));
    expect([told.code, told.data["path"]]).toEqual(["input/not-json", [0]]);
    const { losses } = convert(holed, { from: "anthropic-messages", to: "openai-chat" });
    expect(losses).not.toEqual([]);
    const inside = [{ role: "user", content: holed }];
    const error = await errorOf(() => convert(inside, { from: "openai-chat", to: "anthropic-messages" }));
    expect(error.code).toBe("input/not-json");
    expect((await errorOf(() => convert(holed, { to: "openai-chat" }))).code).toBe("input/not-json");
  });
  test("a BigInt, which JSON cannot say", async () => {
    const big = [{ role: "user", content: [{ type: "text", text: "a", extra: 10n }] }];
    const called = [
      {
        role: "assistant",
        content: "",
        tool_calls: [{ id: "1", type: "function", function: { name: "a", arguments: 5n } }],
      },
    ];
    for (const value of [big, called])
      for (const to of ["openai-chat", "anthropic-messages", "ai-sdk-ui:v7"] as const) {
        try {
          convert(value, { from: "openai-chat", to, carry: true });
        } catch (error) {
          if (!isError(error)) throw new Error(`a bare ${String(error)}`, { cause: error });
        }
      }
  });
  test("whatever is given to `check`", () => {
    expect(check(foreign).length).toBeGreaterThan(0);
  });
});
