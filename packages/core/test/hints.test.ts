import { wireValues } from "@translogue/testkit/wire-samples";
import {
  type Conversation,
  convert,
  decode,
  encode,
  type FormatId,
  formats,
  type Json,
  type JsonObject,
  type Part,
} from "translogue";
import { describe, expect, test } from "vitest";

const ids = formats.map(({ id }) => id as FormatId); // formats are the registered ones

const isObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);

describe("a hint that holds content", () => {
  const hint = (name: string) => ({ native: { "a-family": { [name]: { word: "told" }, $spelled: "so" } } });
  const parts: readonly Part[] = [
    { type: "text", text: "a", ...hint("$$text") },
    { type: "tool-call", callId: "c", name: "f", input: {}, ...hint("$$call") },
  ];
  const conversation: Conversation = {
    messages: [
      { role: "user", parts: [{ type: "text", text: "q" }], ...hint("$$message") },
      { role: "assistant", parts },
      { role: "tool", parts: [{ type: "tool-result", callId: "c", output: [{ type: "text", text: "r" }] }] },
    ],
    tools: [{ name: "f", input: { type: "object" }, ...hint("$$tool") }],
    ...hint("$$conversation"),
  };

  test.each(ids)("is reported by its name and place where %s does not know it", to => {
    const losses = encode(conversation, { to, recipient: "client", carry: false }).losses.filter(({ path }) =>
      path.includes("a-family"),
    );
    const named = losses.map(({ message, path }) => [
      /`(\w+)\.word`/.exec(message)?.[1],
      path.slice(0, path.indexOf("native")),
    ]);
    const ofTool = losses.some(({ path: [root] }) => root === "tools") || !encode(conversation, { to }).losses.length;
    expect(named).toEqual(
      expect.arrayContaining([
        ["conversation", []],
        ["message", ["messages", 0]],
        ["text", ["messages", 1, "parts", 0]],
        ["call", ["messages", 1, "parts", 1]],
      ]),
    );
    expect(ofTool || losses.length === 4).toBe(true);
  });

  test.each(ids)("is told from one of spelling, of which %s says nothing", to => {
    const { losses } = encode(conversation, { to, recipient: "client", carry: false });
    expect(losses.filter(({ message }) => message.includes("spelled"))).toEqual([]);
  });
});

interface Given {
  readonly of: FormatId;
  readonly wire: Json;
  readonly says: string | RegExp;
}

const human = { type: "human", content: "hi", additional_kwargs: {}, response_metadata: {} };
const counted = { inputTokenCount: 1, outputTokenCount: 2, totalTokenCount: 3 };
const asked = { role: "user", content: "hi" };
const answered = (members: JsonObject): JsonObject => ({
  id: "c",
  object: "chat.completion",
  created: 1,
  model: "m",
  choices: [{ index: 0, message: { role: "assistant", content: "yo" }, finish_reason: "stop" }],
  ...members,
});

const contents: readonly (readonly [string, Given])[] = [
  [
    "what runs next in a graph",
    { of: "langchain", wire: { values: { messages: [human] }, next: ["n"] }, says: "next" },
  ],
  [
    "what came out of a run that is no continuation",
    {
      of: "langchain",
      wire: {
        input: { messages: [human, { ...human, content: "b" }] },
        output: { messages: [{ ...human, content: "b" }] },
      },
      says: "output",
    },
  ],
  [
    "why a call is invalid",
    {
      of: "langchain",
      wire: [
        {
          type: "ai",
          content: "",
          additional_kwargs: {},
          response_metadata: {},
          invalid_tool_calls: [{ type: "invalid_tool_call", name: "f", args: "{", id: "1", error: "it is cut" }],
        },
      ],
      says: "error",
    },
  ],
  [
    "counts of .NET's that are no tokens of ours",
    {
      of: "maf",
      wire: [
        {
          role: "assistant",
          contents: [{ $type: "usage", details: { ...counted, additionalCounts: { pictures: 3 } } }],
        },
      ],
      says: "usage",
    },
  ],
  [
    "such counts in an envelope",
    {
      of: "maf",
      wire: {
        messages: [{ role: "assistant", contents: [{ $type: "text", text: "yo" }] }],
        usage: { ...counted, additionalCounts: { pictures: 3 } },
      },
      says: "additionalCounts",
    },
  ],
  [
    "a total that is less than its summands",
    {
      of: "openai-chat",
      wire: answered({ usage: { prompt_tokens: 5, completion_tokens: 5, total_tokens: 7 } }),
      says: "usage.total_tokens",
    },
  ],
  [
    "an annotation that nobody knows",
    {
      of: "openai-responses",
      wire: [
        {
          type: "message",
          role: "assistant",
          content: [{ type: "output_text", text: "yo", annotations: [{ type: "moon_citation", phase: "full" }] }],
        },
      ],
      says: /citation/,
    },
  ],
  [
    "a member that begins with a dollar, in lighter",
    { of: "lighter", wire: [{ ...asked, $note: "n" }], says: "$note" },
  ],
  [
    "such a member of a UI message",
    {
      of: "ai-sdk-ui",
      wire: [{ id: "1", role: "user", parts: [{ type: "text", text: "hi", $note: "n" }] }],
      says: "$note",
    },
  ],
  ["such a member of Huajuan's", { of: "huajuan", wire: [{ ...asked, $note: "n" }], says: "$note" }],
  [
    "such a member of Anthropic's",
    { of: "anthropic-messages", wire: { messages: [{ ...asked, $note: "n" }] }, says: "$note" },
  ],
];

/** Formats that write each other's hints. */
const kin: readonly (readonly FormatId[])[] = [
  ["langchain", "langchain-events"],
  ["ai-sdk-ui", "ai-sdk-model", "ai-sdk-prompt", "huajuan"],
  ["openai-chat", "mistral"],
];

const strangersTo = (format: FormatId): readonly FormatId[] => {
  const own = kin.find(near => near.includes(format)) ?? [format];
  return ids.filter(id => !own.includes(id));
};

describe.each(contents)("%s", (_, { of, wire, says }) => {
  test("comes home", () => {
    const { conversation, shape, dialect } = decode(wire, of);
    const { value, losses } = encode(conversation, { to: of, shape, dialect, recipient: "store", carry: false });
    expect(JSON.parse(JSON.stringify(value))).toEqual(wire);
    expect(losses).toEqual([]);
  });

  test.each(strangersTo(of))("is said or reported by %s", to => {
    const { conversation } = decode(wire, of);
    const { value, losses } = encode(conversation, { to, recipient: "client", carry: false });
    expect(`${JSON.stringify(value)}\n${losses.map(({ message }) => message).join("\n")}`).toMatch(says);
  });

  test.each(["langchain", "maf", "ai-sdk-ui"] as const)("comes home by the carry of %s, if it is a message's", via => {
    const there = convert(wire, { from: of, to: via, recipient: "store", carry: true });
    const lost = there.losses.filter(({ carried }) => !carried);
    expect(lost.every(({ path: [root] }) => root !== "messages")).toBe(true);
    if (lost.length > 0) return;
    const { shape, dialect } = decode(wire, of);
    const { conversation } = decode(JSON.parse(JSON.stringify(there.value)), via);
    const { value } = encode(conversation, { to: of, shape, dialect, recipient: "store", carry: false });
    expect(JSON.parse(JSON.stringify(value))).toEqual(wire);
  });
});

describe("a hint of spelling", () => {
  test.each(ids)("says no text that the conversation of %s does not say", format => {
    for (const wire of wireValues(format)) {
      const { conversation } = decode(wire, format);
      const said = new Set<string>();
      collect(conversation, { into: said, takes: key => !key.startsWith("$") });
      const spelled = new Set<string>();
      collect(spellings(conversation), { into: spelled, takes: () => true });
      const alone = [...spelled].filter(text => /[^{["]\s/.test(text) && !isSaid(text, said));
      expect(alone).toEqual([]);
    }
  });
});

/** A text that is said, or JSON of what is. */
function isSaid(text: string, said: ReadonlySet<string>): boolean {
  if (said.has(text) || [...said].some(other => other.includes(text))) return true;
  if (!/^[{[]/.test(text)) return false;
  const inner = new Set<string>();
  collect(JSON.parse(text), { into: inner, takes: () => true });
  return [...inner].every(word => said.has(word));
}

/** All hints of spelling. */
function spellings(value: unknown): readonly Json[] {
  if (Array.isArray(value)) return value.flatMap(spellings);
  if (!isObject(value)) return [];
  const families = isObject(value["native"]) ? Object.values(value["native"]) : [];
  const own = families.flatMap(members =>
    Object.entries(isObject(members) ? members : {}).flatMap(([key, hint]) => (/^\$[^$]/.test(key) ? [hint] : [])),
  );
  return [...own, ...Object.entries(value).flatMap(([key, inner]) => (key.startsWith("$") ? [] : spellings(inner)))];
}

function collect(value: unknown, to: { readonly into: Set<string>; readonly takes: (key: string) => boolean }): void {
  if (typeof value === "string") to.into.add(value);
  if (typeof value !== "object" || value === null) return;
  for (const [key, inner] of Object.entries(value)) if (to.takes(key)) collect(inner, to);
}

test("why a call is invalid is reported where LangChain's own form of OpenAI's dicts has no place for it", () => {
  const call = { type: "invalid_tool_call", id: "b1", name: "bad", args: "{", error: "too long" };
  const message = { type: "ai", content: "", tool_calls: [], invalid_tool_calls: [call] };
  const { losses } = convert([message], { from: "langchain:python", to: "langchain:openai" });
  expect(losses).toMatchObject([{ code: "call-native", path: ["messages", 0, "parts", 0, "native", "langchain"] }]);
});
