import { jsonReply, startFakeHost } from "@translogue/testkit/fake-host";
import { describe, expect, test } from "vitest";
import { demoModel } from "../src/demo/index.ts";
import {
  compatibleEndpoint,
  createAgent,
  createModel,
  createModelRouter,
  endpoints,
  findLocalServers,
  modelsFromEnvironment,
  parseRef,
} from "../src/index.ts";

const code = (expected: string) => expect.objectContaining({ code: expected });

describe("a model's reference", () => {
  test("is provider/model, and the model's own name may have slashes", () => {
    expect(parseRef("openrouter/meta-llama/llama-4")).toEqual({
      ref: "openrouter/meta-llama/llama-4",
      provider: "openrouter",
      model: "meta-llama/llama-4",
    });
  });

  test.each(["", "gpt-5.2", "/gpt-5.2", "openai/", "open ai/x", "openai/a b", " "])("is malformed as %j", ref => {
    expect(() => parseRef(ref)).toThrow(code("model/malformed"));
    expect(() => modelsFromEnvironment({}).resolve(ref)).toThrow(code("model/malformed"));
  });
});

describe("with no model configured", () => {
  test("the demo answers for every model, and says so in each answer", async () => {
    const models = modelsFromEnvironment({ OPENAI_API_KEY: "sk-1" });
    expect(models.isDemo).toBe(true);
    expect(models.list).toEqual([{ ref: "demo/standard", provider: "demo", model: "standard", isDemo: true }]);
    const model = models.resolve("anthropic/claude-3-7-sonnet-20250219");
    const { messages, metadata } = await createAgent({ model }).run("Hello");
    expect(messages[0]).toMatchObject({
      model: "demo/anthropic/claude-3-7-sonnet-20250219",
      provider: "demo",
      metadata: { demo: true },
    });
    expect(metadata).toMatchObject({ demo: true });
    expect(models.resolve().id).toBe("demo/standard");
  });

  test("a key that is there is named, never shown, and not used", () => {
    const models = modelsFromEnvironment({
      OPENAI_API_KEY: "sk-1",
      VLLM_BASE_URL: "http://gpu:8000/v1",
      OPENROUTER_API_KEY: " ",
    });
    expect(models.found).toEqual([
      { provider: "openai", title: "OpenAI", by: "OPENAI_API_KEY" },
      { provider: "vllm", title: "vLLM", by: "VLLM_BASE_URL" },
    ]);
    expect(JSON.stringify(models)).not.toContain("sk-1");
    expect(models.resolve("openai/gpt-5.2").provider).toBe("demo");
  });
});

describe("with models configured", () => {
  const env = { OPENAI_API_KEY: "sk-1", TRANSLOGUE_MODEL: "openai/gpt-5.2, ollama/*" };

  test("they answer, the first where none is named, and all of a provider's by its star", () => {
    const models = modelsFromEnvironment(env);
    expect(models.list.map(({ ref }) => ref)).toEqual(["openai/gpt-5.2", "ollama/*"]);
    expect([models.resolve().id, models.resolve("ollama/qwen3:8b").id]).toEqual(["gpt-5.2", "qwen3:8b"]);
    expect(models.isDemo).toBe(false);
  });

  test.each(["openai/gpt-4", "anthropic/claude", "demo/standard"])("%s, which is not listed, is refused", ref => {
    expect(() => modelsFromEnvironment(env).resolve(ref)).toThrow(code("model/not-listed"));
  });

  test("the demo can be one of them", () => {
    const models = modelsFromEnvironment({ ...env, TRANSLOGUE_MODEL: "openai/gpt-5.2,demo/standard" });
    expect(models.resolve("demo/standard").provider).toBe("demo");
    expect(models.list[1]).toMatchObject({ isDemo: true });
  });

  test("`TRANSLOGUE_MODEL=demo` is stronger than a configuration file", () => {
    const models = modelsFromEnvironment({ TRANSLOGUE_MODEL: "demo" }, { models: ["openai/gpt-5.2"] });
    expect(models.resolve("openai/gpt-5.2").provider).toBe("demo");
  });

  test.each<[string, Record<string, string>, string]>([
    ["no key", { TRANSLOGUE_MODEL: "openai/gpt-5.2" }, "model/no-key"],
    ["an unknown provider", { TRANSLOGUE_MODEL: "nobody/x" }, "model/no-endpoint"],
    ["a name that is none", { TRANSLOGUE_MODEL: "gpt-5.2" }, "model/malformed"],
  ])("%s is said at the start", (_, environment, expected) => {
    expect(() => modelsFromEnvironment(environment)).toThrow(code(expected));
  });

  test("of a provider with a star only, none is the default", () => {
    expect(() => modelsFromEnvironment({ TRANSLOGUE_MODEL: "ollama/*" }).resolve()).toThrow(code("model/malformed"));
  });
});

describe("any other host that speaks Chat", () => {
  test("is `custom` with its address in the environment, and is sent its key", async () => {
    await using host = await startFakeHost(() =>
      jsonReply({ choices: [{ index: 0, message: { role: "assistant", content: "Hi" }, finish_reason: "stop" }] }),
    );
    const models = modelsFromEnvironment({
      TRANSLOGUE_BASE_URL: `${host.url}/api/`,
      TRANSLOGUE_API_KEY: "k-9",
      TRANSLOGUE_MODEL: "custom/some-model",
    });
    expect((await createAgent({ model: models.resolve() }).run("Hi")).text).toBe("Hi");
    expect(host.requests[0]).toMatchObject({
      path: "/api/chat/completions",
      headers: { authorization: "Bearer k-9" },
      body: { model: "some-model" },
    });
  });

  test("may be given as an endpoint, in place of one that is known", () => {
    const own = { ...compatibleEndpoint("openai", "http://proxy/v1/"), headers: { "x-team": "a" } };
    const router = createModelRouter({ models: ["openai/x"], endpoints: [own], demo: demoModel });
    expect(router.resolve().id).toBe("x");
    expect(own.baseUrl).toBe("http://proxy/v1");
  });
});

test.each(["sk-…", "sk-1 2", "sk-1\n"])("a key as %j is refused at once: no header takes it", bad => {
  const [endpoint] = endpoints;
  expect(() =>
    createModel({ endpoint: endpoint ?? compatibleEndpoint("x", "http://x"), model: "m", key: bad }),
  ).toThrow(code("model/no-key"));
});

describe("local servers", () => {
  test("are found by asking, with their models; silent and odd ones are none", async () => {
    const asked: string[] = [];
    const answers: Record<string, () => Response> = {
      "http://127.0.0.1:11434/v1/models": () => Response.json({ data: [{ id: "qwen3:8b" }, { id: 5 }] }),
      "http://127.0.0.1:1234/v1/models": () => Response.json({ models: [] }),
      "http://127.0.0.1:8080/v1/models": () => new Response("no", { status: 503 }),
    };
    const fetch: typeof globalThis.fetch = async url => {
      asked.push(String(url));
      const answer = answers[String(url)];
      if (!answer) throw new TypeError("fetch failed");
      return answer();
    };
    expect(await findLocalServers({ fetch })).toEqual([
      { provider: "ollama", title: "Ollama", by: "http://127.0.0.1:11434/v1", models: ["qwen3:8b"] },
    ]);
    expect(asked).toHaveLength(endpoints.filter(({ isLocal }) => isLocal).length);
  });
});
