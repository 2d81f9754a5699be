import {
  type Conversation,
  convert,
  decode,
  encode,
  type FormatRef,
  type Json,
  type Part,
  stringifyJson,
} from "translogue";
import { describe, expect, test } from "vitest";

const asText = (value: unknown): Json => JSON.parse(stringifyJson(value as Json)) as Json; // codecs write JSON

/** From one format to another with carry, as text, and back. */
function thereAndBack(value: Json, from: FormatRef, to: FormatRef): Json {
  const carried = convert(value, { from, to, recipient: "store", carry: true });
  return asText(convert(asText(carried.value), { from: to, to: from, recipient: "store", carry: false }).value);
}

describe("what is carried", () => {
  test("does not hold what stands elsewhere in the value", () => {
    const request = { model: "gpt-5", instructions: "Be brief.", input: [{ role: "user", content: "hi" }] };
    const stored = convert(request, { from: "openai-responses", to: "openai-responses", recipient: "store" });
    const { value } = convert(asText(stored.value), { from: "openai-responses", to: "openai-chat", as: "messages" });
    expect(value).toEqual([
      { role: "system", content: "Be brief." },
      { role: "user", content: "hi" },
    ]);
  });

  test("is not put into a message that is read as a whole", () => {
    const removed = [
      { content: "a", additional_kwargs: {}, response_metadata: {}, type: "human", id: "h" },
      { content: [], additional_kwargs: {}, response_metadata: {}, type: "remove", id: "x" },
    ];
    const [, remove] = thereAndBack(removed, "langchain:js-flat", "langchain:python") as readonly Json[];
    expect(remove).toMatchObject({ additional_kwargs: {}, type: "remove", id: "x" });
  });

  test("does not take in an item of a list that is no message", () => {
    const list = [{ role: "user", content: "a" }, null, { role: "tool", tool_call_id: "c", content: "r" }];
    expect(thereAndBack(list, "langchain:openai", "langchain:python-lc")).toEqual(list);
  });
});

test.each<readonly [name: string, edit: (message: { [member: string]: unknown }) => unknown, kept: object]>([
  ["metadata", message => Object.assign(message, { response_metadata: { foo: 1 } }), { response_metadata: { foo: 1 } }],
  [
    "arguments for the application",
    message => Object.assign(message["additional_kwargs"] as object, { mine: "x" }),
    { additional_kwargs: { mine: "x" } },
  ],
  [
    "members of a block",
    message => Object.assign(message, { content: [{ type: "text", text: "hi", zz: 1 }] }),
    { content: [{ type: "text", text: "hi", zz: 1 }] },
  ],
])("%s that the application added since stand beside what is carried", (_, edit, kept) => {
  const given = [
    {
      role: "assistant",
      contents: [{ $type: "text", text: "hi", additionalProperties: { a: 1 } }],
      additionalProperties: { b: 2 },
    },
  ];
  const { value } = convert(given, { from: "maf", to: "langchain", carry: true, recipient: "store" });
  const [message] = asText(value) as { [member: string]: unknown }[];
  if (!message) throw new Error("no message was written");
  edit(message);
  const { conversation } = decode([message], "langchain");
  expect(encode(conversation, { to: "langchain", recipient: "store", carry: false }).value).toMatchObject([kept]);
  const back = encode(conversation, { to: "maf", recipient: "store", carry: false }).value;
  expect(back).toMatchObject([{ additionalProperties: { b: 2 } }]);
});

describe("a history in the dialect of a host", () => {
  const asked: Conversation = {
    messages: [
      {
        role: "user",
        parts: [
          { type: "text", text: "hi" },
          { type: "file", mediaType: "application/pdf", source: { id: "file-abc", provider: "azure" } },
        ],
      },
      {
        role: "assistant",
        parts: [
          { type: "reasoning", text: "hm" },
          { type: "text", text: "yo" },
        ],
      },
    ],
  };
  const written = (conversation: Conversation) =>
    encode(conversation, { to: "openai-chat:azure", shape: "messages", recipient: "store", carry: true });

  test("is read as that host's, though it looks like another's", () => {
    const noted = { messages: asked.messages.map(message => ({ ...message, metadata: { a: 1 } })) };
    const { value, losses } = written(noted);
    expect(losses.every(({ carried }) => carried)).toBe(true);
    const { conversation, dialect, issues } = decode(asText(value), "openai-chat");
    expect({ dialect, issues }).toEqual({ dialect: "azure", issues: [] });
    expect(conversation.messages).toMatchObject(noted.messages);
  });

  test("says so even where nothing else is carried", () => {
    const bare = { messages: asked.messages.map(({ role, parts }) => ({ role, parts: parts.map(withoutType) })) };
    expect(decode(asText(written(bare).value), "openai-chat").conversation.messages).toMatchObject(bare.messages);
  });

  test("is what the caller says it is, and what it looks like to whoever believes no carry", () => {
    const { value } = written(asked);
    const read = (options: Partial<Parameters<typeof decode>[1] & object>) =>
      decode(asText(value), { from: "openai-chat", ...options }).dialect;
    expect(read({ dialect: "openai" })).toBe("openai");
    expect(read({ carry: false })).toBe("deepseek");
  });

  const withoutType = (part: Part): Part => {
    const { mediaType: _, ...others } = { mediaType: undefined, ...part };
    return others as Part; // without an optional member
  };
});

describe("system text in a place without a slot", () => {
  const spoken: Conversation = {
    messages: [
      { role: "system", parts: [{ type: "text", text: "Be brief." }], metadata: { a: 1 } },
      { role: "developer", parts: [{ type: "text", text: "In French." }], author: { name: "n" } },
      { role: "user", parts: [{ type: "text", text: "hi" }] },
    ],
  };

  test.each([
    "gemini",
    "gemini-interactions",
    "anthropic-messages",
    "bedrock-converse",
    "openai-responses",
    "huajuan",
  ] as const)("comes back from a request of %s by what the message after it carries", to => {
    const { value, losses } = encode(spoken, { to, shape: "request", recipient: "store", carry: true });
    expect(losses.length).toBeGreaterThan(0);
    expect(losses.filter(({ carried }) => !carried)).toEqual([]);
    expect(decode(asText(value), to).conversation.messages).toMatchObject(spoken.messages);
  });

  test("is not said to be carried where no message could carry it", () => {
    const alone = { messages: spoken.messages.slice(0, 2) };
    const { losses } = encode(alone, { to: "gemini", shape: "request", recipient: "store", carry: true });
    expect(losses.filter(({ carried }) => carried)).toEqual([]);
  });

  test("that was edited since is what it is now", () => {
    const { value } = encode(spoken, { to: "gemini", shape: "request", recipient: "store", carry: true });
    const edited = { ...(asText(value) as object), systemInstruction: { parts: [{ text: "Be long." }] } };
    const { conversation, issues } = decode(edited, "gemini");
    expect(issues.map(({ code }) => code)).toEqual(["carry-void"]);
    expect(conversation.messages.map(({ role }) => role)).toEqual(["system", "user"]);
  });
});
