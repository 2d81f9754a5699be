import { deepFreeze } from "@translogue/testkit";
import type { Json, JsonObject } from "translogue";
import {
  addResponse,
  addUpdate,
  addUpdates,
  asAgentResponse,
  asAgentResponseUpdate,
  asChatResponse,
  asChatResponseUpdate,
  toAgentResponse,
  toAgentResponseUpdates,
  toChatResponse,
  toChatResponseUpdates,
} from "translogue/maf";
import { describe, expect, it } from "vitest";

const text = (value: string, more: JsonObject = {}): JsonObject => ({ $type: "text", text: value, ...more });
const _reasoning = (value: string, protectedData?: string): JsonObject => ({
  $type: "reasoning",
  text: value,
  ...(protectedData !== undefined && { protectedData }),
});
const usage = (details: JsonObject): JsonObject => ({ $type: "usage", details });
const _cited = { annotations: [{ $type: "citation", title: "T" }] };
const _picture = (callId: string, uri: string): JsonObject => ({
  $type: "imageGenerationToolResult",
  outputs: [{ $type: "data", uri }],
  callId,
});
const _search = (queries: Json, more: JsonObject = {}): JsonObject => ({
  $type: "webSearchToolCall",
  queries,
  callId: "w",
  ...more,
});
const _code = (outputs: Json, callId = "k"): JsonObject => ({ $type: "codeInterpreterToolResult", outputs, callId });
const _file = (base64: string, name?: string): JsonObject => ({
  $type: "data",
  uri: `data:text/csv;base64,${base64}`,
  ...(name !== undefined && { name }),
});

const combine = (...updates: readonly JsonObject[]): JsonObject => toChatResponse(deepFreeze(updates));
const messagesOf = (response: JsonObject): readonly JsonObject[] => response["messages"] as readonly JsonObject[]; // a response has them
const _contentsOf = (...items: readonly Json[]): Json | undefined =>
  messagesOf(combine({ contents: items }))[0]?.["contents"];

describe("a response is split", () => {
  const response: JsonObject = deepFreeze({
    messages: [
      {
        authorName: " ",
        createdAt: "2025-01-02T00:00:00Z",
        messageId: "a",
        contents: null,
        additionalProperties: { m: 1 },
      },
      { role: "tool", contents: [text("x"), null] },
    ],
    responseId: "r",
    createdAt: "2025-01-01T00:00:00Z",
    finishReason: "stop",
    usage: { inputTokenCount: 1 },
    continuationToken: "AQID",
    additionalProperties: { p: null },
  });
  const last = { contents: [usage({ inputTokenCount: 1 })], additionalProperties: { p: null } };
  const [first, second] = [{ createdAt: "2025-01-02T00:00:00Z" }, { createdAt: "2025-01-01T00:00:00Z" }];

  it("into one update a message and one for usage and properties", () => {
    const shared = {
      finishReason: "stop",
      modelId: "m",
      continuationToken: "AQID",
      responseId: "r",
      conversationId: "c",
    };
    expect(toChatResponseUpdates({ ...response, modelId: "m", conversationId: "c" })).toEqual([
      { role: "user", contents: [], additionalProperties: { m: 1 }, messageId: "a", ...shared, ...first },
      { role: "tool", contents: [text("x"), null], ...shared, ...second },
      last,
    ]);
  });

  it("into those of an agent without the token", () => {
    const shared = { agentId: "g", responseId: "r", finishReason: "stop" };
    expect(toAgentResponseUpdates({ ...response, agentId: "g" })).toEqual([
      { role: "user", contents: [], additionalProperties: { m: 1 }, messageId: "a", ...shared, ...first },
      { role: "tool", contents: [text("x"), null], ...shared, ...second },
      last,
    ]);
  });

  it("into nothing where it has no messages, whatever its ids", () => {
    expect(toChatResponseUpdates({ messages: null, responseId: "r", modelId: "m" })).toEqual([]);
  });

  it("in members of a fixed order", () => {
    const [update] = toChatResponseUpdates({
      modelId: "m",
      responseId: "r",
      messages: [{ messageId: "a", role: "user" }],
    });
    expect(Object.keys(update ?? {})).toEqual(["role", "contents", "responseId", "messageId", "modelId"]);
  });
});

describe("agent and chat forms", () => {
  const chat = {
    messages: [],
    responseId: "r",
    conversationId: "c",
    modelId: "m",
    finishReason: "stop",
    continuationToken: "AQ==",
  };
  it("differ in the agent's id, the conversation and the model", () => {
    expect(asAgentResponse({ ...chat, agentId: "g" })).toEqual({
      messages: [],
      agentId: "g",
      responseId: "r",
      continuationToken: "AQ==",
      finishReason: "stop",
    });
    expect(asChatResponse({ ...chat, agentId: "g" })).toEqual(chat);
    const update = { contents: [], messageId: "a", modelId: "m", agentId: "g", continuationToken: "AQ==" };
    expect(asChatResponseUpdate(update)).toEqual({
      contents: [],
      messageId: "a",
      modelId: "m",
      continuationToken: "AQ==",
    });
    expect(asAgentResponseUpdate(update)).toEqual({
      contents: [],
      messageId: "a",
      agentId: "g",
      continuationToken: "AQ==",
    });
  });
});

describe("messages are added to a new list", () => {
  const list = deepFreeze([{ role: "user", contents: [text("q")] }]);

  it("of a response as they are, null too", () => {
    const messages = [null, { role: "assistant", contents: [text("a"), text("b")] }];
    expect(addResponse(list, { messages })).toEqual([...list, ...messages]);
    expect(addResponse(list, {})).toEqual(list);
  });

  it("of updates together", () => {
    expect(addUpdates(list, [{ contents: [text("a")] }, { contents: [text("b")] }])).toEqual([
      ...list,
      { role: "assistant", contents: [text("ab")] },
    ]);
    expect(addUpdates(list, [])).toEqual(list);
  });

  it("of one update with just the contents that are wanted, and without its id", () => {
    const update = {
      messageId: "a",
      createdAt: "1970-01-01T00:00:00Z",
      contents: [text("a"), text("b"), usage({}), null],
    };
    const [, message] = addUpdate(list, update) as readonly JsonObject[]; // the one that was added
    expect(message).toEqual({ createdAt: update.createdAt, role: "assistant", contents: update.contents });
    expect(addUpdate(list, update, content => content === null)[1]).toMatchObject({ contents: [null] });
    expect(addUpdate(list, update, () => false)).toEqual(list);
  });
});

it.each<[string, () => unknown]>([
  ["an update that is null", () => toChatResponse([{}, null as unknown as JsonObject])],
  ["an update that is a list", () => toAgentResponse([[] as unknown as JsonObject])],
  ["a blank role", () => combine({ role: " " })],
  ["a blank reason to finish", () => combine({ finishReason: "" })],
  ["usage without details", () => combine({ contents: [{ $type: "usage" }] })],
  ["a count that is no whole number", () => combine({ contents: [usage({ inputTokenCount: 1.5 })] })],
  ["a count beyond 64 bits", () => combine({ contents: [usage({ additionalCounts: { a: "9223372036854775808" } })] })],
  ["a message that is null", () => toChatResponseUpdates({ messages: [null] })],
  ["a response that is null", () => addResponse([], null as unknown as JsonObject)],
  ["a list that is null", () => addUpdates(null as unknown as Json[], [])],
])("%s is refused", (_, make) => {
  expect(make).toThrow(expect.objectContaining({ code: "decode/not-this-format" }));
});
