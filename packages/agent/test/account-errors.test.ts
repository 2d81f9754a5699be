import { jsonReply, type Reply, sseReply } from "@translogue/testkit/fake-host";
import type { Json } from "translogue";
import { describe, expect, test } from "vitest";
import { clientModel, createAgent, fallbackModel } from "../src/index.ts";
import { chunks, content } from "./chat-chunks.ts";
import { ask, endpointOf, hosted } from "./hosted.ts";
import { fixed, scripted } from "./scripted-model.ts";

/** What hosts say of limits: which pass, when, and which do not before somebody pays. */

const hello = sseReply(chunks("chatcmpl-1", content("Hello")));
const quota = "You exceeded your current quota, please check your plan and billing details.";

/** What the providers' documentation and users' reports have of such answers (2026-12-01). */
const spent: readonly [host: string, status: number, error: Json][] = [
  ["openai", 429, { message: quota, type: "insufficient_quota", param: null, code: "insufficient_quota" }],
  ["openai", 429, { message: quota, type: "insufficient_quota", param: null, code: null }],
  ["openai", 429, { message: "No.", type: "insufficient_quota", code: "project_spend_limit_exceeded" }],
  ["openai", 429, { message: "Your account is not active.", type: "billing_not_active", code: "billing_not_active" }],
  ["anthropic", 402, { type: "billing_error", message: "There is an issue with your billing." }],
  [
    "anthropic",
    429,
    { type: "rate_limit_error", message: "No.", details: { error_code: "enforced_spend_limit_reached" } },
  ],
  [
    "anthropic",
    400,
    { type: "invalid_request_error", message: "Your credit balance is too low to access the Anthropic API." },
  ],
  [
    "anthropic",
    400,
    {
      type: "invalid_request_error",
      message: "You have reached your specified API usage limits. You will regain access",
    },
  ],
  ["google", 402, { code: 402, message: "Your prepayment credits are depleted.", status: "RESOURCE_EXHAUSTED" }],
  ["deepseek", 402, { message: "Insufficient Balance", type: "unknown_error", code: "invalid_request_error" }],
  ["openrouter", 402, { message: "Insufficient credits", code: 402 }],
  ["groq", 400, { message: "Organization has exceeded its spend limit", type: "x", code: "blocked_api_access" }],
  ["moonshot", 429, { message: quota, type: "exceeded_current_quota_error" }],
  ["alibaba", 400, { message: "Access denied", type: "Arrearage", code: "Arrearage" }],
];

describe("an account with nothing left to spend", () => {
  test.each(spent)("at %s (%i) is not asked for again: %j", async (id, status, error) => {
    const body = id === "anthropic" ? { type: "error", error } : { error };
    const { host, model, waits } = await hosted(() => jsonReply(body as Json, { status }), {
      endpoint: endpointOf(id),
    });
    const { response } = await ask(model);
    expect(response.error).toMatchObject({ code: "model/no-credit", details: { status } });
    expect(response.error).not.toHaveProperty("retryable");
    expect([host.requests.length, waits]).toEqual([1, []]);
  });

  test.each(spent)("at %s (%i) is another model's chance: %j", async (id, status, error) => {
    const body = id === "anthropic" ? { type: "error", error } : { error };
    const { model } = await hosted(() => jsonReply(body as Json, { status }), { endpoint: endpointOf(id) });
    const models = [model, scripted([{ text: "Hi." }])];
    const response = await createAgent({ ...fixed(), model: fallbackModel({ models }) }).run("Hello");
    expect(response.text).toBe("Hi.");
    expect(response.metadata?.["fallbacks"]).toMatchObject([{ error: { code: "model/no-credit" } }]);
  });

  test("is one in a stream too", async () => {
    const [first = null] = chunks("chatcmpl-1", content("Hel"));
    const error = { message: quota, type: "insufficient_quota", code: null };
    const { host, model } = await hosted([sseReply([first, { error }])]);
    expect((await ask(model)).response.error).toMatchObject({ code: "model/no-credit" });
    expect(host.requests).toHaveLength(1);
  });

  test("is one where a client of the user's tells it", async () => {
    const thrown = Object.assign(new Error(`429 ${quota}`), { status: 429, error: { type: "insufficient_quota" } });
    const model = clientModel({
      endpoint: endpointOf("openai"),
      model: "gpt",
      client: async () => {
        throw thrown;
      },
    });
    expect((await ask(model)).response.error).toMatchObject({ code: "model/no-credit" });
  });

  test.each<[string, string, number, Json]>([
    ["a limit of tokens a minute has that name", "alibaba", 429, { message: quota, code: "insufficient_quota" }],
    ["what holds the credits is over soon", "openrouter", 402, { message: "No.", code: "in_flight_budget_exhausted" }],
  ])("is none where %s", async (_, id, status, error) => {
    const { host, model } = await hosted([jsonReply({ error }, { status }), hello], { endpoint: endpointOf(id) });
    expect((await ask(model)).response.text).toBe("Hello");
    expect(host.requests).toHaveLength(2);
  });
});

describe("how long the body of a refusal asks to wait", () => {
  const retryInfo = (retryDelay: string): Json => [
    { "@type": "type.googleapis.com/google.rpc.Help", links: [] },
    { "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay },
  ];
  const exhausted = (more: object): Json => ({
    error: { code: 429, message: "Quota exceeded.", status: "RESOURCE_EXHAUSTED", ...more },
  });
  const words = (message: string): Json => ({ error: { message, code: "rate_limit_exceeded" } });
  test.each<[string, Json, number]>([
    ["in a duration", exhausted({ details: retryInfo("36s") }), 36_000],
    ["with a fraction", exhausted({ details: retryInfo("3.429760048s") }), 3430],
    ["in a list, as Google's streams have it", [exhausted({ details: retryInfo("7s") })], 7000],
    ["in words of Gemini's", exhausted({ message: `${quota} Please retry in 47.434392449s.` }), 47_435],
    ["in words of OpenAI's", words("Rate limit reached. Please try again in 350ms. Visit …"), 350],
    ["in minutes", words("Please try again in 1m0s."), 60_000],
    ["in words of Azure's", words("Please retry after 26 seconds."), 26_000],
    ["in no duration", exhausted({ details: retryInfo("soon") }), 500],
    ["not at all", words("Rate limit reached in 5s."), 500],
  ])("%s", async (_, body, ms) => {
    const { host, model, waits } = await hosted([jsonReply(body, { status: 429 }), hello]);
    expect((await ask(model)).response.text).toBe("Hello");
    expect([host.requests.length, waits]).toEqual([2, [ms]]);
  });

  test("is not waited for where it is more than a minute: it is told, for whoever has the time", async () => {
    const { host, model } = await hosted([
      jsonReply(exhausted({ message: "Please retry in 9h54m." }), { status: 429 }),
    ]);
    expect((await ask(model)).response.error).toMatchObject({
      code: "model/rate-limited",
      retryable: true,
      details: { retryAfterMs: 35_640_000 },
    });
    expect(host.requests).toHaveLength(1);
  });

  test("counts behind what the headers ask", async () => {
    const reply = jsonReply(exhausted({ details: retryInfo("36s") }), { status: 429, headers: { "retry-after": "2" } });
    const { model, waits } = await hosted([reply, hello]);
    await ask(model);
    expect(waits).toEqual([2000]);
  });

  test("is read where it comes in pieces, and where it is broken off", async () => {
    const text = JSON.stringify(exhausted({ details: retryInfo("36s") }));
    const bytewise: Reply = { status: 429, pieces: [...text] };
    const cut: Reply = { status: 429, pieces: [text.slice(0, 40)], end: "cut" };
    const { model, waits } = await hosted([bytewise, cut, hello]);
    expect((await ask(model)).response.text).toBe("Hello");
    expect(waits).toEqual([36_000, 1000]);
  });

  test("is read of what Google's client throws", async () => {
    const body = JSON.stringify(exhausted({ details: retryInfo("2s") }));
    let tries = 0;
    const waits: number[] = [];
    const model = clientModel({
      endpoint: endpointOf("openai"),
      model: "gpt",
      retries: 1,
      sleep: async ms => void waits.push(ms),
      client: async () => {
        if (tries++ === 0) throw Object.assign(new Error(body), { status: 429 });
        return (async function* () {
          yield* chunks("chatcmpl-1", content("Hello"));
        })();
      },
    });
    expect((await ask(model)).response.text).toBe("Hello");
    expect(waits).toEqual([2000]);
  });
});

describe("a host may say itself whether to ask again", () => {
  test.each([
    [500, "false", 1],
    [400, "true", 2],
  ])("%i, `x-should-retry: %s`: %i requests", async (status, header, requests) => {
    const { host, model } = await hosted([{ status, headers: { "x-should-retry": header } }, hello]);
    await ask(model);
    expect(host.requests).toHaveLength(requests);
  });
});
