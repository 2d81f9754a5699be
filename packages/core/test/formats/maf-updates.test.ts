import { deepFreeze } from "@translogue/testkit";
import { type Json, type JsonObject, parseJson, stringifyJson } from "translogue";
import { agentResponseBuilder, responseBuilder, toAgentResponse, toChatResponse } from "translogue/maf";
import { describe, expect, it } from "vitest";

const text = (value: string, more: JsonObject = {}): JsonObject => ({ $type: "text", text: value, ...more });
const reasoning = (value: string, protectedData?: string): JsonObject => ({
  $type: "reasoning",
  text: value,
  ...(protectedData !== undefined && { protectedData }),
});
const usage = (details: JsonObject): JsonObject => ({ $type: "usage", details });
const cited = { annotations: [{ $type: "citation", title: "T" }] };
const picture = (callId: string, uri: string): JsonObject => ({
  $type: "imageGenerationToolResult",
  outputs: [{ $type: "data", uri }],
  callId,
});
const search = (queries: Json, more: JsonObject = {}): JsonObject => ({
  $type: "webSearchToolCall",
  queries,
  callId: "w",
  ...more,
});
const code = (outputs: Json, callId = "k"): JsonObject => ({ $type: "codeInterpreterToolResult", outputs, callId });
const file = (base64: string, name?: string): JsonObject => ({
  $type: "data",
  uri: `data:text/csv;base64,${base64}`,
  ...(name !== undefined && { name }),
});

const combine = (...updates: readonly JsonObject[]): JsonObject => toChatResponse(deepFreeze(updates));
const messagesOf = (response: JsonObject): readonly JsonObject[] => response["messages"] as readonly JsonObject[]; // a response has them
const contentsOf = (...items: readonly Json[]): Json | undefined =>
  messagesOf(combine({ contents: items }))[0]?.["contents"];

describe("updates make a new message", () => {
  it.each<[string, readonly JsonObject[], readonly string[]]>([
    ["at another id", [{ messageId: "a" }, { messageId: "a" }, { messageId: "b" }], ["a", "b"]],
    [
      "at an id that was there before, too",
      [{ messageId: "a" }, { messageId: "b" }, { messageId: "a" }],
      ["a", "b", "a"],
    ],
    ["at no id that is missing or empty", [{ messageId: "a" }, {}, { messageId: "" }, { messageId: null }], ["a"]],
    ["at no id that comes late", [{}, { messageId: "a" }], ["a"]],
    ["at an id of blanks", [{ messageId: "a" }, { messageId: " " }], ["a", " "]],
  ])("%s", (_, updates, ids) => {
    expect(messagesOf(combine(...updates)).map(({ messageId }) => messageId)).toEqual(ids);
  });

  it.each<[string, readonly JsonObject[], readonly string[]]>([
    ["at another role", [{ role: "user" }, { role: "tool" }], ["user", "tool"]],
    [
      "at no role that differs in case alone, and the last spelling stays",
      [{ role: "USER" }, { role: "user" }],
      ["user"],
    ],
    [
      "at a role after none, for a message is the assistant's until it says otherwise",
      [{}, { role: "user" }],
      ["assistant", "user"],
    ],
    ["at no missing role", [{ role: "tool" }, {}, { role: null }], ["tool"]],
  ])("%s", (_, updates, roles) => {
    expect(messagesOf(combine(...updates)).map(({ role }) => role)).toEqual(roles);
  });

  it.each<[string, readonly JsonObject[], readonly (string | undefined)[]]>([
    ["at another author", [{ authorName: "A" }, { authorName: "B" }], ["A", "B"]],
    ["at no blank author, which is none", [{ authorName: "A" }, { authorName: " \u0085" }, {}], ["A"]],
    ["at an author that is only spelt otherwise", [{ authorName: "é" }, { authorName: "e\u0301" }], ["é", "e\u0301"]],
  ])("%s", (_, updates, authors) => {
    expect(messagesOf(combine(...updates)).map(({ authorName }) => authorName)).toEqual(authors);
  });
});

describe("a response takes from its updates", () => {
  it.each<[string, readonly JsonObject[], JsonObject]>([
    [
      "the last ids that are not empty",
      [{ responseId: "a" }, { responseId: "b" }, { responseId: "" }],
      { responseId: "b" },
    ],
    [
      "the last model and conversation, be they empty",
      [
        { modelId: "a", conversationId: "c" },
        { modelId: "", conversationId: "" },
      ],
      { conversationId: "", modelId: "" },
    ],
    [
      "the last reason to finish",
      [{ finishReason: "stop" }, { finishReason: "SAFETY" }, { finishReason: null }],
      { finishReason: "SAFETY" },
    ],
    [
      "no continuation token, and nothing that the type does not have",
      [{ continuationToken: "AQID", isFinal: true }],
      {},
    ],
    [
      "properties without a message id, by keys of any case",
      [{ additionalProperties: { Ä: 1, x: null } }, { additionalProperties: { ä: 2, y: 3 } }],
      { additionalProperties: { Ä: 2, x: null, y: 3 } },
    ],
    ["an empty bag of properties", [{ additionalProperties: {} }], { additionalProperties: {} }],
  ])("%s", (_, updates, expected) => {
    expect(combine(...updates)).toEqual({ messages: [{ role: "assistant", contents: [] }], ...expected });
  });

  it("properties with a message id for that message", () => {
    const { messages, additionalProperties } = combine(
      { messageId: "m", additionalProperties: { a: 1 } },
      { additionalProperties: { late: true } },
    );
    expect(messages).toEqual([{ role: "assistant", contents: [], messageId: "m", additionalProperties: { a: 1 } }]);
    expect(additionalProperties).toEqual({ late: true });
  });

  it.each([
    ["1970-01-01T00:00:00Z", false],
    ["1970-01-01T08:00:00+08:00", false],
    ["1970-01-01T00:00:00.00000009Z", false],
    ["1969-12-31T23:59:59.9Z", false],
    ["0001-01-01T00:00:00Z", false],
    ["1970-01-01T00:00:00.0000001Z", true],
    ["1970-01-01T00:00:00-01", true],
    ["2025-01-01", true],
  ])("the first date after 1970: %s is one = %s", (createdAt, isOne) => {
    const date = isOne ? createdAt : "2026-01-01T00:00:00Z";
    const { messages, ...response } = combine(
      { createdAt },
      { createdAt: "2026-01-01T00:00:00Z" },
      { createdAt: "2027-01-01" },
    );
    expect(response).toEqual({ createdAt: date });
    expect(messages).toEqual([{ createdAt: date, role: "assistant", contents: [] }]);
  });

  it("usage, added up wherever it stands, 64 bits wide", () => {
    const exact = parseJson(
      `[{"contents":[{"$type":"usage","details":{"totalTokenCount":"5","inputTokenCount":9007199254740993,"additionalCounts":{"Ω":1}}}]},
        {"contents":[{"$type":"usage","details":{"inputTokenCount":2,"outputTokenCount":null,"totalTokenCount":9223372036854775807,"additionalCounts":{"ω":-3,"n":1}}}]}]`,
    );
    const response = toChatResponse(exact.value as readonly JsonObject[], exact.exact); // the list above
    expect(stringifyJson(response["usage"], exact.exact)).toBe(
      '{"inputTokenCount":9007199254740995,"totalTokenCount":-9223372036854775804,"additionalCounts":{"Ω":-2,"n":1}}',
    );
  });

  it("the spelling of numbers and the order of keys in its properties", () => {
    const { value, exact } = parseJson(
      '[{"additionalProperties":{"b":1.0,"1":{"x":1e400}}},{"additionalProperties":{"B":2.50}}]',
    );
    const response = toChatResponse(value as readonly JsonObject[], exact); // the list above
    expect(stringifyJson(response, exact)).toContain('"additionalProperties":{"b":2.50,"1":{"x":1e400}}');
  });
});

describe("contents", () => {
  it.each<[string, readonly Json[], readonly Json[]]>([
    [
      "joins texts, with the properties of the first",
      [text("a", { additionalProperties: { n: 1 } }), text("b", { additionalProperties: { n: 2 } })],
      [text("ab", { additionalProperties: { n: 1 } })],
    ],
    [
      "leaves a cited text alone",
      [text("a"), text("b", cited), text("c"), text("d")],
      [text("a"), text("b", cited), text("cd")],
    ],
    ["takes an empty list of annotations for none", [text("a", { annotations: [] }), text("b")], [text("ab")]],
    ["joins halves of a surrogate pair", [text("\ud83e"), text("\udd16")], [text("🤖")]],
    [
      "separates texts by null, not reasoning",
      [text("a"), null, text("b"), reasoning("c"), null, reasoning("d")],
      [text("a"), text("b"), reasoning("cd")],
    ],
    [
      "ends a reasoning with its protected data",
      [reasoning("a"), reasoning("b", "s"), reasoning("c"), reasoning("d", "")],
      [reasoning("ab", "s"), reasoning("cd", "")],
    ],
    ["takes out usage before it looks for neighbours", [text("a"), usage({}), text("b")], [text("ab")]],
    [
      "never joins calls or their results",
      [
        { $type: "functionCall", name: "f", callId: "c" },
        { $type: "functionCall", name: "f", callId: "c" },
      ],
      [
        { $type: "functionCall", name: "f", callId: "c" },
        { $type: "functionCall", name: "f", callId: "c" },
      ],
    ],
    [
      "keeps the last picture of a call at the place of the first, cited or not",
      [picture("i", "data:,1"), text("a"), { ...picture("i", "data:,2"), ...cited }, text("b")],
      [{ ...picture("i", "data:,2"), ...cited }, text("a"), text("b")],
    ],
    [
      "takes an empty id of a call for one, as .NET does, and none for none",
      [picture("", "data:,1"), { $type: "imageGenerationToolResult" }, picture("", "data:,2")],
      [picture("", "data:,2"), { $type: "imageGenerationToolResult" }],
    ],
    ["leaves a search without queries so", [search(null), search([])], [{ $type: "webSearchToolCall", callId: "w" }]],
    ["keeps an empty list of queries", [search([]), search(null)], [search([])]],
    [
      "strings the queries of a search together",
      [
        search(null),
        text("a"),
        search(["x"], cited),
        search([]),
        search(["x", null], { additionalProperties: { p: 1 } }),
      ],
      [
        {
          $type: "webSearchToolCall",
          queries: ["x", "x", null],
          callId: "w",
          ...cited,
          additionalProperties: { p: 1 },
        },
        text("a"),
      ],
    ],
    [
      "joins the bytes of one text file",
      [file("4g==", "t"), file("gqw=", "t"), file("eA==", "u")],
      [file("4oKs", "t"), file("eA==", "u")],
    ],
    [
      "joins them behind a picture that went",
      [picture("i", "data:,1"), file("YQ=="), picture("i", "data:,2"), file("Yg==")],
      [picture("i", "data:,2"), file("YWI=")],
    ],
    [
      "decodes a file that is not base64",
      [
        { $type: "data", uri: "data:,a%C3%a9" },
        { $type: "data", uri: "DATA:;BASE64,Yg==" },
      ],
      [{ $type: "data", uri: "data:text/plain;charset=US-ASCII;base64,YcOpYg==" }],
    ],
    [
      "leaves files alone that are no text or no base64",
      [
        { $type: "data", uri: "data:image/png;base64,YQ==" },
        { $type: "data", uri: "data:image/png;base64,YQ==" },
        file("!"),
        file("YQ=="),
      ],
      [
        { $type: "data", uri: "data:image/png;base64,YQ==" },
        { $type: "data", uri: "data:image/png;base64,YQ==" },
        file("!"),
        file("YQ=="),
      ],
    ],
    [
      "joins the outputs of neighbours of one run of code",
      [code([text("a")]), code(null), code([text("b"), text("c")]), code([text("d")], "l")],
      [code([text("abc")]), code([text("d")], "l")],
    ],
    [
      "goes into the outputs of one run, at any depth",
      [code([code([text("a"), text("b")]), null])],
      [code([code([text("ab")])])],
    ],
    [
      "keeps usage inside of outputs",
      [code([usage({ inputTokenCount: 1 }), null])],
      [code([usage({ inputTokenCount: 1 })])],
    ],
    [
      "leaves the outputs of other tools alone",
      [{ $type: "mcpServerToolResult", outputs: [text("a"), text("b")], callId: "m" }],
      [{ $type: "mcpServerToolResult", outputs: [text("a"), text("b")], callId: "m" }],
    ],
  ])("%s", (_, items, expected) => {
    expect(contentsOf(...items)).toEqual(expected);
  });

  it("are put together in time that grows with their number", () => {
    const updates = Array.from({ length: 200_000 }, (_, index) => ({ contents: [text(String(index % 10))] }));
    const [message] = messagesOf(toChatResponse(updates));
    expect(JSON.stringify(message).length).toBe(
      200_000 + '{"role":"assistant","contents":[{"$type":"text","text":""}]}'.length,
    );
  });

  it("that are nested as no real answer are left as they are", () => {
    let deep: JsonObject = text("a");
    for (let level = 0; level < 5_000; level++) deep = code([deep, null]);
    expect(() => contentsOf(deep)).not.toThrow();
  });
});

describe("a builder", () => {
  const updates: readonly JsonObject[] = deepFreeze([
    { role: "assistant", messageId: "a", agentId: "x", contents: [text("1"), usage({ inputTokenCount: 1 })] },
    { messageId: "a", contents: [text("2")], additionalProperties: { p: 1 } },
    {
      messageId: "b",
      agentId: "",
      contents: [usage({ inputTokenCount: 2 })],
      finishReason: "stop",
      conversationId: "c",
    },
  ]);

  it.each([
    ["chat", responseBuilder, toChatResponse],
    ["agent", agentResponseBuilder, toAgentResponse],
  ] as const)("tells the %s response of all updates so far, as often as it is asked", (_, start, whole) => {
    const builder = start();
    for (const [index, update] of updates.entries()) {
      builder.push(update);
      expect(builder.response()).toEqual(whole(updates.slice(0, index + 1)));
      expect(builder.response()).toEqual(builder.response());
    }
  });

  it("keeps the agent's last id, and neither conversation nor model", () => {
    expect(toAgentResponse(updates)).toEqual({
      messages: [
        { role: "assistant", contents: [text("12")], messageId: "a", additionalProperties: { p: 1 } },
        { role: "assistant", contents: [], messageId: "b" },
      ],
      agentId: "x",
      finishReason: "stop",
      usage: { inputTokenCount: 3 },
    });
  });
});
