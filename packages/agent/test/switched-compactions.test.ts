import { FakeListChatModel } from "@langchain/core/utils/testing";
import { type Reply, sseReply } from "@translogue/testkit/fake-host";
import type { Json, Message, Part } from "translogue";
import { describe, expect, test } from "vitest";
import { type LanguageModel, languageModel } from "../src/ai-sdk/index.ts";
import { createAgent, fallbackModel, type Model, retrying } from "../src/index.ts";
import { chatModel } from "../src/langchain/index.ts";
import { chunks, content } from "./chat-chunks.ts";
import { endpointOf, hosted } from "./hosted.ts";
import { providers, replyOf } from "./provider-answers.ts";
import { fixed, scripted } from "./scripted-model.ts";

const said = (role: "user" | "assistant", text: string, id: string): Message => ({
  role,
  id,
  parts: [{ type: "text", text }],
});
const sealed = (maker: string): Part => ({
  type: "compaction",
  seal: { maker, values: { encrypted_content: "c2ln" } },
});
const inWords: Part = { type: "compaction", summary: [{ type: "text", text: "so far" }] };

/** A session whose history before `compaction` is hidden from who reads that. */
const compactedBy = (...compactions: readonly Part[]): readonly Message[] => [
  said("user", "oldest words", "m1"),
  said("assistant", "older words", "m2"),
  ...compactions.map((part, place): Message => ({ role: "assistant", id: `c${place}`, parts: [part] })),
  said("user", "newer words", "m3"),
  said("assistant", "newest words", "m4"),
];

const responsesAnswer = (text: string): Reply => {
  const item = {
    id: "msg_1",
    type: "message",
    role: "assistant",
    status: "completed",
    content: [{ type: "output_text", text, annotations: [] }],
  };
  const response = { id: "resp_1", object: "response", created_at: 1790000000, model: "gpt-5.4" };
  return sseReply([
    { type: "response.created", response: { ...response, status: "in_progress", output: [] } },
    { type: "response.output_item.added", output_index: 0, item: { ...item, status: "in_progress" } },
    { type: "response.output_item.done", output_index: 0, item },
    { type: "response.completed", response: { ...response, status: "completed", output: [item] } },
  ]);
};
const hosts = {
  openai: () =>
    hosted(() => responsesAnswer("Fine."), { endpoint: endpointOf("openai-responses"), model: "gpt-5.4", retries: 0 }),
  anthropic: () =>
    hosted(() => replyOf("Anthropic", providers["Anthropic"]?.words ?? []), {
      endpoint: endpointOf("anthropic"),
      model: "claude-opus-5-5",
      retries: 0,
    }),
  chat: () => hosted(() => sseReply(chunks("m1", content("Fine."))), { retries: 0 }),
  down: () =>
    hosted(() => ({ status: 503, pieces: ["{}"] }), {
      endpoint: endpointOf("openai-responses"),
      model: "gpt-5.4",
      retries: 0,
    }),
};
const bodyOf = (host: { readonly requests: readonly { readonly body?: unknown }[] }, place = -1): string =>
  JSON.stringify(host.requests.at(place)?.body);
/** Which words of the session a request has, and the sealed compaction. */
const wordsIn = (body: string): readonly string[] =>
  ["oldest", "older", "so far", "newer", "newest", "c2ln"].filter(word => body.includes(word));
const whole = ["oldest", "older", "newer", "newest"];
const short = ["newer", "newest", "c2ln"];

async function ran(model: Model, messages: readonly Message[]) {
  const agent = createAgent({ ...fixed(), model });
  const session = await agent.createSession({ messages });
  return { agent, session, response: await agent.run("Go on", { session }) };
}

describe("a session that one provider compacted for itself alone", () => {
  test.each([
    ["openai", "openai", short],
    ["openai", "anthropic", whole],
    ["openai", "chat", whole],
    ["anthropic", "anthropic", short],
    ["anthropic", "openai", whole],
    ["anthropic", "chat", whole],
  ] as const)("by %s is read by %s as far as that can read it", async (maker, by, words) => {
    const { host, model } = await hosts[by]();
    const { response } = await ran(model, compactedBy(sealed(maker)));
    expect(response.error).toBeUndefined();
    expect(wordsIn(bodyOf(host))).toEqual(words);
    const losses = (response.metadata?.["losses"] ?? []) as readonly {
      readonly code: string;
      readonly path: readonly Json[];
    }[]; // as it is told
    const isForeign = words === whole;
    expect(losses.some(({ code }) => code === "foreign-seal" || code === "drop-seals")).toBe(isForeign);
    expect(losses.map(({ code }) => code)).not.toContain("out-of-context");
    const places = losses.flatMap(({ path: [root, index] }) => (root === "messages" ? [index] : []));
    expect(new Set(places)).toEqual(new Set(isForeign ? [2] : []));
  });

  test("is read short again once that provider is asked again", async () => {
    const [openai, anthropic] = [await hosts.openai(), await hosts.anthropic()];
    const agent = createAgent({ ...fixed(), model: openai.model });
    const session = await agent.createSession({ messages: compactedBy(sealed("openai")) });
    await agent.run("One", { session });
    await agent.run("Two", { session, model: anthropic.model });
    await agent.run("Three", { session });
    expect([bodyOf(openai.host, 0), bodyOf(anthropic.host), bodyOf(openai.host)].map(wordsIn)).toEqual([
      short,
      whole,
      short,
    ]);
    expect(bodyOf(openai.host)).toMatch(/One.*Fine.*Two.*42.*Three/);
  });

  test("and then in words, is read from those words on by everybody", async () => {
    const { host, model } = await hosts.chat();
    await ran(model, compactedBy(sealed("openai"), inWords));
    expect(wordsIn(bodyOf(host))).toEqual(["so far", "newer", "newest"]);
  });

  test("in words and then for itself, is read by others from the words on", async () => {
    const { host, model } = await hosts.chat();
    await ran(model, compactedBy(inWords, sealed("openai")));
    expect(wordsIn(bodyOf(host))).toEqual(["so far", "newer", "newest"]);
  });

  test("of several models each reads what it can, and nothing is told as lost that a compaction says", async () => {
    const [down, anthropic] = [await hosts.down(), await hosts.anthropic()];
    const model = fallbackModel({ models: [down.model, anthropic.model] });
    const { response } = await ran(model, compactedBy(sealed("openai")));
    expect(response.error).toBeUndefined();
    expect([bodyOf(down.host), bodyOf(anthropic.host)].map(wordsIn)).toEqual([short, whole]);

    const openai = await hosts.openai();
    const first = fallbackModel({ models: [openai.model, anthropic.model] });
    const { response: own } = await ran(first, compactedBy(sealed("openai")));
    expect(wordsIn(bodyOf(openai.host))).toEqual(short);
    expect(own.metadata?.["losses"]).toBeUndefined();
  });

  test("is read by a model that a middleware asks instead as far as that can read it", async () => {
    const [openai, anthropic] = [await hosts.openai(), await hosts.anthropic()];
    const settings = { maxOutputTokens: 99 };
    for (const change of [{}, { settings }]) {
      const agent = createAgent({
        ...fixed(),
        model: openai.model,
        middleware: [
          {
            model: (context, next) => {
              const conversation = { ...context.request.conversation, ...change };
              return next({ ...context, model: anthropic.model, request: { ...context.request, conversation } });
            },
          },
        ],
      });
      const session = await agent.createSession({ messages: compactedBy(sealed("openai")) });
      const { error } = await agent.run("Go on", { session });
      expect(error).toBeUndefined();
      expect(wordsIn(bodyOf(anthropic.host))).toEqual(whole);
    }
    expect(bodyOf(anthropic.host)).toContain("99");
    expect(openai.host.requests).toHaveLength(0);
  });

  test("is not given rewritten to a model that lacks what it hides", async () => {
    const [openai, anthropic] = [await hosts.openai(), await hosts.anthropic()];
    const agent = createAgent({
      ...fixed(),
      model: openai.model,
      middleware: [
        {
          model: (context, next) => {
            const { conversation } = context.request;
            const messages = conversation.messages.slice(1);
            return next({
              ...context,
              model: anthropic.model,
              request: { ...context.request, conversation: { ...conversation, messages } },
            });
          },
        },
      ],
    });
    const session = await agent.createSession({ messages: compactedBy(sealed("openai")) });
    const { error } = await agent.run("Go on", { session });
    expect(error).toMatchObject({ code: "agent/invalid", message: expect.stringContaining("modelFor") });
    expect(anthropic.host.requests).toHaveLength(0);
  });

  test("is shortened by the loop from all that the model reads", async () => {
    const { host, model } = await hosts.anthropic();
    const agent = createAgent({
      ...fixed(),
      model,
      compaction: {
        maxTokens: 5,
        strategy: groups => groups.filter(group => !JSON.stringify(group).includes("oldest")),
      },
    });
    const session = await agent.createSession({ messages: compactedBy(sealed("openai")) });
    const { error } = await agent.run("Go on", { session });
    expect(error).toBeUndefined();
    expect(wordsIn(bodyOf(host))).toEqual(["older", "newer", "newest"]);
  });

  test("has no place in a class of one's own that does not say what it reads", async () => {
    const model = scripted([{ text: "Fine." }]);
    await ran(model, compactedBy(sealed("openai")));
    expect(wordsIn(JSON.stringify(model.requests[0]?.conversation.messages))).toEqual(short);
  });
});

describe("what a model reads is asked of it", () => {
  class OwnModel implements Model {
    readonly id = "own";
    readonly provider = "own";
    readonly #inner = scripted([{ text: "Fine." }]);
    get requests() {
      return this.#inner.requests;
    }
    stream(request: Parameters<Model["stream"]>[0]) {
      return this.#inner.stream(request);
    }
    async reads({ seal }: { readonly seal?: { readonly maker?: string } }) {
      return seal?.maker === this.provider;
    }
  }

  test.each([
    ["own", short],
    ["openai", [...whole, "c2ln"]],
  ] as const)("also where it is of a class, and asked again: a compaction of %s", async (maker, words) => {
    for (const wrap of [(model: Model) => model, (model: Model) => retrying(model)]) {
      const model = new OwnModel();
      await ran(wrap(model), compactedBy(sealed(maker)));
      expect(wordsIn(JSON.stringify(model.requests[0]?.conversation.messages)).toSorted()).toEqual(
        [...words].toSorted(),
      );
    }
  });

  test("an agent that is one is given all, and its own model reads what it can", async () => {
    const { host, model } = await hosts.anthropic();
    const inner = createAgent({ ...fixed(), id: "inner", model });
    await ran(inner.asModel(), compactedBy(sealed("openai")));
    expect(wordsIn(bodyOf(host))).toEqual(whole);
    await ran(inner.asModel(), compactedBy(sealed("anthropic")));
    expect(wordsIn(bodyOf(host))).toEqual(short);
  });
});

describe("a model by other packages, whose formats have no compactions", () => {
  const asked: string[] = [];
  const ofSdk = (): Model => {
    const model: LanguageModel = {
      specificationVersion: "v3",
      provider: "openai.responses",
      modelId: "gpt-5.4",
      doStream: async (options: unknown) => {
        asked.push(JSON.stringify(options));
        const parts = [
          { type: "stream-start", warnings: [] },
          { type: "text-start", id: "0" },
          { type: "text-delta", id: "0", delta: "Fine." },
          { type: "text-end", id: "0" },
          {
            type: "finish",
            finishReason: { unified: "stop", raw: "stop" },
            usage: { inputTokens: {}, outputTokens: {} },
          },
        ];
        const stream = new ReadableStream<unknown>({
          start(controller) {
            for (const each of parts) controller.enqueue(each);
            controller.close();
          },
        });
        return { stream };
      },
    };
    return languageModel(model);
  };
  const ofLangChain = (): Model => {
    const model = new FakeListChatModel({ responses: ["Fine."] });
    const { stream } = model;
    model.stream = (...given: Parameters<typeof stream>) => {
      asked.push(JSON.stringify(given[0]));
      return stream.apply(model, given);
    };
    return chatModel(model);
  };

  test.each([
    ["the AI SDK", ofSdk, "compaction"],
    ["LangChain", ofLangChain, "foreign-seal"],
  ] as const)("of %s reads a summary as a text, and what is behind a sealed one whole", async (_, made, lost) => {
    const { response } = await ran(made(), compactedBy(inWords));
    expect(response.error).toBeUndefined();
    expect(wordsIn(asked.at(-1) ?? "")).toEqual(["so far", "newer", "newest"]);
    expect(JSON.stringify(response.metadata?.["losses"])).toContain('"flattened"');
    const { response: other } = await ran(made(), compactedBy(sealed("openai")));
    expect(wordsIn(asked.at(-1) ?? "")).toEqual(whole);
    expect(JSON.stringify(other.metadata?.["losses"])).toContain(`"${lost}"`);
  });
});
