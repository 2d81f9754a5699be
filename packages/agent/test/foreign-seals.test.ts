import { ChatAnthropic } from "@langchain/anthropic";
import { ChatOpenAI } from "@langchain/openai";
import { createOpenAI } from "ai-openai-v4";
import type { Conversation, Json, Loss, Message, Part, Seal } from "translogue";
import { decode } from "translogue/convert";
import { langchain } from "translogue/langchain";
import { describe, expect, test } from "vitest";
import { languageModel } from "../src/ai-sdk/index.ts";
import type { Model } from "../src/index.ts";
import { type ChatModel, chatModel } from "../src/langchain/index.ts";

/** What only its maker reads goes to nobody else, also where somebody else's library speaks to the host. */

const seals = {
  anthropic: { maker: "anthropic", values: { signature: "Zm9yQW50aHJvcGlj" } },
  openai: { maker: "openai", values: { id: "rs_forOpenai", encrypted_content: "Zm9yT3BlbmFp" } },
  google: { maker: "google", values: { thoughtSignature: "Zm9yR29vZ2xl" } },
  vertex: { maker: "google", route: "vertex", values: { thoughtSignature: "Zm9yVmVydGV4" } },
  azure: { maker: "openai", route: "azure", values: { id: "rs_forAzure", encrypted_content: "Zm9yQXp1cmU=" } },
  bedrock: { maker: "anthropic", route: "bedrock", values: { signature: "Zm9yQmVkcm9jaw==" } },
  unknown: { values: { signature: "Zm9yU29tZWJvZHk=" } },
} satisfies { readonly [name: string]: Seal };
type Name = keyof typeof seals;
const names = Object.keys(seals) as Name[];

/** An answer with reasoning of each, a call that is sealed too, and its result. */
const history: Conversation = {
  messages: [
    { role: "user", parts: [{ type: "text", text: "Go" }] },
    ...names.map((name, index) => ({
      role: "assistant" as const,
      parts: [
        { type: "reasoning" as const, text: `Thought ${index}`, seal: seals[name] },
        { type: "text" as const, text: `Said ${index}` },
      ],
    })),
    {
      role: "assistant",
      parts: [{ type: "tool-call", callId: "c1", name: "add", input: {}, seal: seals.google }],
    },
    {
      role: "tool",
      parts: [{ type: "tool-result", callId: "c1", name: "add", output: [{ type: "text", text: "3" }] }],
    },
  ],
};

/** Whose seals stand in what was sent. */
const sealsIn = (sent: string): readonly Name[] =>
  names.filter(name => Object.values(seals[name].values).some(value => sent.includes(value)));

async function asked(model: Model, conversation: Conversation): Promise<readonly Loss[]> {
  const losses: Loss[] = [];
  const report = (facts: { readonly losses?: readonly Loss[] }): void => void losses.push(...(facts.losses ?? []));
  try {
    for await (const _ of model.stream({ conversation, report })); // what it answers is no matter
  } catch {}
  return losses;
}

/** A chat model of that type; what it was given is put into the list. */
const fake = (type: string, given: unknown[]): ChatModel => ({
  _llmType: () => type,
  stream: async messages => {
    given.push(messages);
    throw new Error("no host");
  },
});

test.each<[string, readonly Name[]]>([
  ["openai", ["openai"]],
  ["azure_openai", ["azure"]],
  ["anthropic", ["anthropic", "bedrock"]],
  ["chat_bedrock_converse", ["anthropic", "bedrock"]],
  ["googlegenerativeai", ["google"]],
  ["vertexai", ["vertex"]],
  ["xai", []],
  ["groq", []],
])("a chat model of the type %s gets the seals of %j", async (type, own) => {
  const given: unknown[] = [];
  const losses = await asked(chatModel(fake(type, given)), history);
  expect(sealsIn(JSON.stringify(given))).toEqual(own);
  expect(losses.filter(({ code }) => code === "foreign-seal")).toHaveLength(
    names.length - own.length + (own.includes("google") ? 0 : 1),
  );
  expect(JSON.stringify(given)).toContain("Said 0");
});

test("a chat model gets the seals of the provider that it is said to be of", async () => {
  const given: unknown[] = [];
  await asked(chatModel(fake("openai", given), { provider: "openrouter" }), history);
  await asked(chatModel(fake("my-own", given), { provider: "anthropic" }), history);
  expect(given.map(each => sealsIn(JSON.stringify(each)))).toEqual([[], ["anthropic", "bedrock"]]);
});

test.each([
  ["openai", true],
  ["anthropic", false],
])("what LangChain keeps of OpenAI's beside its messages: to a chat model of the type %s, %s", async (type, isSent) => {
  const wire: Json = [
    { type: "human", data: { content: "Go" } },
    {
      type: "ai",
      data: {
        content: [{ type: "text", text: "Said" }],
        additional_kwargs: { __openai_function_call_ids__: { c1: "fc_forOpenai" } },
        response_metadata: { model_provider: "openai" },
      },
    },
  ];
  const { conversation } = decode(langchain, wire, { shape: "messages" });
  const given: unknown[] = [];
  const losses = await asked(chatModel(fake(type, given)), conversation);
  expect(JSON.stringify(given).includes("fc_forOpenai")).toBe(isSent);
  expect(losses.some(({ code }) => code === "kept-seal")).toBe(!isSent);
});

describe("the request of a provider's own software has no other's seals", () => {
  const doors: { readonly [name: string]: readonly [(fetch: typeof globalThis.fetch) => Model, readonly Name[]] } = {
    "LangChain, ChatOpenAI by Responses": [
      fetch =>
        chatModel(
          new ChatOpenAI({
            apiKey: "k",
            model: "gpt-5.2",
            maxRetries: 0,
            useResponsesApi: true,
            configuration: { fetch },
          }),
        ),
      ["openai"],
    ],
    "LangChain, ChatAnthropic": [
      fetch =>
        chatModel(
          new ChatAnthropic({ apiKey: "k", model: "claude-opus-5-5", maxRetries: 0, clientOptions: { fetch } }),
        ),
      ["anthropic"],
    ],
    "AI SDK, OpenAI Responses": [
      fetch => languageModel(createOpenAI({ apiKey: "k", fetch }).responses("gpt-5.2"), { retries: 0 }),
      ["openai"],
    ],
  };
  test.each(Object.entries(doors))("%s", async (_, [door, own]) => {
    const sent: string[] = [];
    const model = door(async (_, init) => {
      sent.push(String(init?.body));
      return new Response("{}", { status: 400, headers: { "content-type": "application/json" } });
    });
    await asked(model, history);
    expect(sent).toHaveLength(1);
    expect(sealsIn(sent.join(""))).toEqual(own);
  });
});

describe("reasoning without a seal goes to nobody who refuses it", () => {
  const said = (parts: readonly Part[], provider?: string): Message => ({
    role: "assistant",
    parts,
    ...(provider !== undefined && { provider }),
  });
  const thought = (text: string, seal?: Seal): Part => ({ type: "reasoning", text, ...(seal && { seal }) });
  const user: Message = { role: "user", parts: [{ type: "text", text: "Go" }] };
  const bare: Conversation = {
    messages: [
      user,
      said([thought("Alone")], "anthropic"),
      user,
      ...["anthropic", "openai", undefined].map(provider =>
        said(
          [thought(`Bare of ${provider}`), { type: "text", text: `Said by ${provider}`, citations: [{ url: "u" }] }],
          provider,
        ),
      ),
      said([thought("Sealed by Anthropic", seals.anthropic), { type: "text", text: "A" }], "anthropic"),
      said([thought("Sealed by OpenAI", seals.openai), { type: "text", text: "O" }], "openai"),
      user,
    ],
  };

  test.each<[string, number, string | undefined]>([
    ["openai", 5, "Sealed by OpenAI"],
    ["anthropic", 5, "Sealed by Anthropic"],
    ["chat_bedrock_converse", 5, "Sealed by Anthropic"],
    ["groq", 0, undefined],
  ])("a chat model of the type %s, %d parts left out", async (type, count, kept) => {
    const given: unknown[] = [];
    const losses = await asked(chatModel(fake(type, given)), bare);
    const left = losses.filter(({ code }) => code === "bare-reasoning");
    expect(left).toHaveLength(count);
    for (const { path } of left) expect(at(bare, path)).toMatchObject({ type: "reasoning" });
    const sent = JSON.stringify(given);
    expect(sent.includes("Alone")).toBe(count === 0);
    expect(sent.includes("Bare of")).toBe(count === 0);
    if (kept !== undefined) expect(sent).toContain(kept);
    for (const whose of ["anthropic", "openai", undefined]) expect(sent).toContain(`Said by ${whose}`);
    // What else is lost is told by where it stands in the conversation given.
    for (const { path } of losses) expect(at(bare, path.slice(0, 4))).toBeDefined();
  });

  test("what LangChain keeps beside an answer of OpenAI's seals its reasoning", async () => {
    const item = { id: "rs_1", type: "reasoning", summary: [], encrypted_content: "Zm9yT3BlbmFp" };
    const wire: Json = [
      { type: "human", data: { content: "Go" } },
      {
        type: "ai",
        data: {
          content: [{ type: "reasoning", reasoning: "Hm" }],
          additional_kwargs: { reasoning: item },
          response_metadata: { model_provider: "openai" },
        },
      },
    ];
    const { conversation } = decode(langchain, wire, { shape: "messages" });
    const given: unknown[] = [];
    expect(await asked(chatModel(fake("openai", given)), conversation)).toEqual([]);
    expect(JSON.stringify(given)).toContain("rs_1");
  });

  test.each([
    [
      "ChatAnthropic",
      (fetch: typeof globalThis.fetch): ChatModel =>
        new ChatAnthropic({ apiKey: "k", model: "claude-opus-5-5", maxRetries: 0, clientOptions: { fetch } }),
      /"signature":"undefined"/,
    ],
    [
      "ChatOpenAI by Responses",
      (fetch: typeof globalThis.fetch): ChatModel =>
        new ChatOpenAI({
          apiKey: "k",
          model: "gpt-5.2",
          maxRetries: 0,
          useResponsesApi: true,
          configuration: { fetch },
        }),
      /"type":"reasoning","summary"/,
    ],
  ] as const)("the request of %s", async (_, door, refused) => {
    const sent: string[] = [];
    const model = chatModel(
      door(async (_, init) => {
        sent.push(String(init?.body));
        return new Response("{}", { status: 400, headers: { "content-type": "application/json" } });
      }),
    );
    await asked(model, bare);
    expect(sent).toHaveLength(1);
    expect(sent[0]).not.toMatch(refused);
    expect(sent[0]).toMatch(/Sealed by/);
    expect(sent[0]).not.toMatch(/Bare of|Alone/);
  });
});

/** What stands at a path. */
const at = (root: unknown, path: readonly (string | number)[]): unknown =>
  path.reduce<unknown>((node, step) => (node as { readonly [step: string]: unknown } | undefined)?.[step], root);
