import { inspect } from "node:util";
import { convert, decode, encode, isError, user } from "translogue";
import {
  addMessages,
  bufferString,
  filter,
  fork,
  mergeRuns,
  prune,
  pruneToTarget,
  redact,
  restore,
  trim,
} from "translogue/history";
import { checkTarget, prepare, repair } from "translogue/targets";
import { describe, expect, test } from "vitest";

const messages = [user("hi"), user("you")];
const conversation = { messages };
const chat = [{ role: "user", content: "hi" }];

/** Whatever a caller of plain JavaScript gives. */
type Call = (options: never) => unknown;

const entries: { readonly [name: string]: readonly [Call, base?: object] } = {
  trim: [options => trim(messages, options)],
  filter: [options => filter(messages, options)],
  prune: [options => prune(messages, options)],
  pruneToTarget: [options => pruneToTarget(messages, options)],
  mergeRuns: [options => mergeRuns(messages, options)],
  bufferString: [options => bufferString(messages, options)],
  addMessages: [options => addMessages(messages, [], options)],
  fork: [options => fork(conversation, 0, options)],
  prepare: [options => prepare(conversation, "anthropic-messages", options)],
  repair: [options => repair(conversation, "anthropic-messages", options)],
  checkTarget: [options => checkTarget(conversation, "anthropic-messages", options)],
  encode: [options => encode(conversation, options), { to: "openai-chat" }],
  decode: [options => decode(chat, options), { from: "openai-chat" }],
  convert: [options => convert(chat, options), { from: "openai-chat", to: "openai-chat" }],
};

function codeOf(call: () => unknown): string | undefined {
  try {
    call();
  } catch (error) {
    if (isError(error)) return `${error.code} ${String(error.data["option"])}`;
    throw error;
  }
  return undefined;
}

test.each(Object.entries(entries))(
  "%s refuses an option that there is none of, and what are no options",
  (_, entry) => {
    const [call, base] = entry;
    const code = /^(?:options\/invalid|history\/bad-option) bogus$/;
    expect(codeOf(() => call({ ...base, bogus: 1 } as never))).toMatch(code);
    expect(codeOf(() => call({ ...base } as never))).toBe(undefined);
    for (const none of [null, 5, []]) expect(codeOf(() => call(none as never))).toMatch(/ undefined$/);
  },
);

describe("a value that an option cannot have is refused", () => {
  const table: readonly (readonly [name: string, options: object, valid?: object])[] = [
    ["trim", { maxTokens: Number.NaN }, { maxTokens: Number.POSITIVE_INFINITY }],
    ["trim", { maxTokens: -1 }, { maxTokens: 0 }],
    ["trim", { maxTokens: "5" }],
    ["trim", { maxMessages: -1 }],
    ["trim", { strategy: "newest" }],
    ["trim", { startOn: 5 }, { startOn: ["user"] }],
    ["filter", { includeRoles: 5 }, { includeRoles: "user" }],
    ["filter", { excludeIds: "a" }],
    ["filter", { pairs: "alone" }],
    ["prune", { reasoning: "some" }, { reasoning: undefined }],
    ["prune", { toolCalls: "before-last-messages" }, { toolCalls: "before-last-2-messages" }],
    ["prune", { toolCalls: [{ type: "some" }] }, { toolCalls: [{ type: "all" }] }],
    ["pruneToTarget", { targetTokens: Number.NaN }],
    ["mergeRuns", { separator: 5 }],
    ["bufferString", { format: "html" }],
    ["addMessages", { mode: "loose" }],
    ["fork", { pairs: "alone" }],
    ["prepare", { calls: "bogus" }, { calls: "drop" }],
    ["repair", { turns: "bogus" }],
    ["checkTarget", { model: 5 }],
    ["encode", { carry: "yes" }],
    ["decode", { newId: "a" }],
    ["convert", { carry: "yes" }, { carry: undefined }],
  ];
  for (const [name, options, valid] of table) {
    test(`${name}: ${inspect(options)}`, () => {
      const [call, base] = entries[name] ?? [() => undefined];
      expect(codeOf(() => call({ ...base, ...options } as never))).toMatch(/(?:invalid|bad-option) /);
      if (valid) expect(codeOf(() => call({ ...base, ...valid } as never))).toBe(undefined);
    });
  }
});

describe("a list in which nothing changes is the list itself", () => {
  const same: { readonly [name: string]: () => readonly unknown[] } = {
    trim: () => trim(messages, { maxMessages: 5 }),
    filter: () => filter(messages),
    "filter by nothing that is there": () => filter(messages, { excludeRoles: "tool", excludeParts: ["file"] }),
    "filter by all that is there": () => filter(messages, { includeRoles: "user", includeParts: ["text"] }),
    prune: () => prune(messages),
    "prune of all that is not there": () => prune(messages, { reasoning: "all", toolCalls: "all" }),
    pruneToTarget: () => pruneToTarget(messages).messages,
    addMessages: () => addMessages(messages, []),
    redact: () => redact(messages).messages,
    restore: () => restore(messages, {}),
  };
  test.each(Object.entries(same))("%s", (_, call) => {
    expect(call()).toBe(messages);
  });
});
