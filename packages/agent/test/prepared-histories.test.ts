import { type Reply, type SeenRequest, sseReply } from "@translogue/testkit/fake-host";
import { isJsonObject, type Json, type JsonObject, type Message } from "translogue";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { clientModel, createAgent, defineTool, endpoints, type Model } from "../src/index.ts";
import { endpointOf, hosted } from "./hosted.ts";
import { providers, replyOf } from "./provider-answers.ts";
import { fixed } from "./scripted-model.ts";

/** Every host gets the history as it takes it: what it would refuse is repaired before it is asked. */

const add = defineTool({
  name: "add",
  parameters: z.object({ a: z.number(), b: z.number() }),
  execute: ({ a, b }) => a + b,
});

const listIn = (value: unknown, member: string): readonly JsonObject[] => {
  const list = isJsonObject(value) ? value[member] : undefined;
  return Array.isArray(list) ? list.filter(isJsonObject) : [];
};
const refused = (message: string): Reply => ({
  status: 400,
  headers: { "content-type": "application/json" },
  pieces: [JSON.stringify({ error: { message } })],
});

/** A host that refuses what `wrong` finds in a request, and else gives its next answer. */
const strictly = (answers: readonly Reply[], wrong: (body: unknown) => string | undefined) => {
  let count = 0;
  return ({ body }: SeenRequest): Reply => {
    const message = wrong(body);
    return message === undefined ? (answers[count++] ?? refused("nothing more to say")) : refused(message);
  };
};

/** Ids of its pattern, thinking that it signed, results right behind their calls. */
function wrongForClaude(body: unknown): string | undefined {
  const messages = listIn(body, "messages");
  for (const [index, message] of messages.entries()) {
    const calls = listIn(message, "content").filter(({ type }) => type === "tool_use");
    const odd = calls.find(({ id }) => !/^[a-zA-Z0-9_-]+$/.test(String(id)));
    if (odd) return `tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$': ${odd["id"]}`;
    const results = listIn(messages[index + 1], "content").map(block => block["tool_use_id"]);
    if (calls.some(({ id }) => !results.includes(id ?? null))) return "`tool_use` ids without `tool_result`";
    const forged = listIn(message, "content").find(
      ({ type, signature }) => type === "thinking" && signature !== "U0lH",
    );
    if (forged) return "Invalid `signature` in `thinking` block";
    if (message["role"] === messages[index - 1]?.["role"]) return "roles must alternate";
  }
  return undefined;
}

/** Calls with its own signatures, or the word that stands for one. */
function wrongForGemini(body: unknown): string | undefined {
  const parts = listIn(body, "contents").flatMap(content => listIn(content, "parts"));
  const signatures = parts.flatMap(part => (part["thoughtSignature"] === undefined ? [] : [part["thoughtSignature"]]));
  const forged = signatures.some(each => each !== "c2ln" && each !== "skip_thought_signature_validator");
  return forged ? "Corrupted thought signature." : undefined;
}

/** Items by ids of its own, reasoning that it encrypted. */
function wrongForOpenAI(body: unknown): string | undefined {
  const input = listIn(body, "input");
  const odd = input.find(
    ({ id, type }) => id !== undefined && !/^(?:fc|rs|msg)_/.test(String(id)) && type !== "message",
  );
  if (odd) return `Invalid 'input.id': '${odd["id"]}'`;
  const foreign = input.some(item => item["type"] === "reasoning" && item["encrypted_content"] !== "E");
  return foreign ? "The encrypted content could not be verified." : undefined;
}

const usage = { input_tokens: 9, output_tokens: 5, total_tokens: 14 };
function responses(id: string, ...output: readonly JsonObject[]): Reply {
  const response = { id, object: "response", created_at: 1790000000, model: "gpt-5.4" };
  const items = output.flatMap((item, index): Json[] => [
    { type: "response.output_item.added", output_index: index, item },
    { type: "response.output_item.done", output_index: index, item },
  ]);
  return sseReply([
    { type: "response.created", response: { ...response, status: "in_progress", output: [] } },
    ...items,
    { type: "response.completed", response: { ...response, status: "completed", output, usage } },
  ]);
}
const openaiCall = {
  ...{ id: "fc_1", type: "function_call", status: "completed", call_id: "call_1", name: "add" },
  arguments: '{"a":1,"b":1}',
};
const openaiWords = {
  ...{ id: "msg_1", type: "message", role: "assistant", status: "completed" },
  content: [{ type: "output_text", text: "2.", annotations: [] }],
};
const openaiThought = { id: "rs_1", type: "reasoning", summary: [], encrypted_content: "E" };

/** Google's call with an id that Anthropic does not take. */
const oddCall = (values: readonly Json[]): readonly Json[] =>
  JSON.parse(JSON.stringify(values).replaceAll('"c1"', '"add:1"')) as readonly Json[]; // what was written as JSON

async function threeHosts() {
  const { Anthropic, Google } = providers;
  if (!Anthropic || !Google) throw new Error("both are in the table");
  const claude = await hosted(
    strictly(
      [
        replyOf("Anthropic", Anthropic.call),
        replyOf("Anthropic", Anthropic.words),
        replyOf("Anthropic", Anthropic.words),
      ],
      wrongForClaude,
    ),
    { endpoint: Anthropic.endpoint, model: Anthropic.model },
  );
  const google = await hosted(
    strictly([replyOf("Google", oddCall(Google.call)), replyOf("Google", Google.words)], wrongForGemini),
    { endpoint: Google.endpoint, model: Google.model },
  );
  const openai = await hosted(
    strictly([responses("resp_1", openaiThought, openaiCall), responses("resp_2", openaiWords)], wrongForOpenAI),
    { endpoint: endpointOf("openai-responses"), model: "gpt-5.4" },
  );
  return { claude, google, openai };
}

describe("a session that changes its model between turns", () => {
  test("goes from Claude to Gemini to OpenAI and back: each takes it, and the signed thoughts come home whole", async () => {
    const { claude, google, openai } = await threeHosts();
    const agent = createAgent({ ...fixed(), id: "ada", name: "Ada", model: claude.model, tools: [add] });
    const session = await agent.createSession();
    const texts: string[] = [];
    const told: unknown[] = [];
    for (const { model } of [claude, google, openai, claude]) {
      const { text, error, metadata } = await agent.run("Add", { session, model });
      texts.push(error?.message ?? text);
      told.push(metadata?.["repairs"]);
    }
    expect(texts).toEqual(["42.", "42.", "2.", "42."]);
    expect(told[0]).toBeUndefined();
    expect(told[3]).toMatchObject([
      { code: "fit-call-ids", kind: "repaired", path: ["messages", 5, "parts", 1, "callId"] },
    ]);
    const last = claude.host.requests.at(-1)?.body;
    expect(listIn(last, "messages")[1]?.["content"]).toMatchObject([
      { type: "thinking", thinking: "Hm.", signature: "U0lH" },
      { type: "tool_use", id: "toolu_1", name: "add" },
    ]);
    expect(JSON.stringify(session.messages)).toContain('"add:1"');
  });

  test("sends the bytes before what needs repair again as they were", async () => {
    const { claude, google } = await threeHosts();
    const agent = createAgent({ ...fixed(), model: claude.model, tools: [add] });
    const session = await agent.createSession();
    for (const { model } of [claude, google, claude]) await agent.run("Add", { session, model });
    const [, second, third] = claude.host.requests.map(({ body }) => listIn(body, "messages"));
    expect(second?.length).toBe(3);
    expect(JSON.stringify(third?.slice(0, 3))).toBe(JSON.stringify(second));
  });
});

describe("what a host would refuse", () => {
  const named = (name: string) => defineTool({ name, parameters: z.object({}), execute: () => "seen" });
  const words = sseReply([
    { id: "m", choices: [{ index: 0, delta: { role: "assistant", content: "Yes." }, finish_reason: "stop" }] },
  ]);

  test("and no repair mends is asked all the same, and told with its place", async () => {
    const { model, host } = await hosted([words]);
    const tools = Array.from({ length: 129 }, (_, index) => named(`t${index}`));
    const { text, metadata } = await createAgent({ ...fixed(), model, tools }).run("Go");
    expect([text, host.requests.length]).toEqual(["Yes.", 1]);
    expect(metadata?.["issues"]).toMatchObject([{ code: "sizes", kind: "error", path: ["tools"] }]);
  });

  test("is not looked for at a host of which nothing is known", async () => {
    const { target: _, ...unknown } = endpointOf("openai");
    const { model } = await hosted([words], { endpoint: unknown });
    const tools = Array.from({ length: 129 }, (_, index) => named(`t${index}`));
    const { metadata } = await createAgent({ ...fixed(), model, tools }).run("Go");
    expect(metadata?.["issues"]).toBeUndefined();
  });

  test("a tool's name is called by the model as it was spelled for it, and run by its own", async () => {
    const sent: JsonObject[] = [];
    const toolIn = (body: JsonObject): string =>
      String(listIn(listIn(body, "tools")[0], "functionDeclarations")[0]?.["name"]);
    const model: Model = clientModel({
      endpoint: endpointOf("google"),
      model: "gemini-3-pro",
      client: async function* (body) {
        sent.push(body);
        const parts: Json[] =
          sent.length === 1 ? [{ functionCall: { id: "c", name: toolIn(body), args: {} } }] : [{ text: "Done." }];
        yield { candidates: [{ content: { role: "model", parts }, finishReason: "STOP" }] };
      },
    });
    const tool = { ...named("look"), name: "look up" };
    const { text, messages } = await createAgent({ ...fixed(), model, tools: [tool] }).run("Go");
    expect(text).toBe("Done.");
    expect(toolIn(sent[0] ?? {})).toMatch(/^look_up_/);
    const called = (message: Message) => message.parts.flatMap(part => (part.type === "tool-call" ? [part.name] : []));
    expect(messages.flatMap(called)).toEqual(["look up"]);
    expect(JSON.stringify(sent[1])).not.toContain('"look up"');
  });
});

test("every endpoint but those of which nothing is known names a target of its own format", async () => {
  const { findTarget } = await import("translogue/targets");
  const without = endpoints.filter(({ target }) => target === undefined).map(({ id }) => id);
  expect(without).toEqual(["google-interactions"]);
  for (const { target, codec } of endpoints) if (target) expect(findTarget(target).format).toBe(codec.id);
});
