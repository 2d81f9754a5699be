import { jsonReply, type Reply, type SeenRequest, sseReply } from "@translogue/testkit/fake-host";
import OpenAI from "openai";
import type { Message } from "translogue";
import { describe, expect, test, vi } from "vitest";
import { z } from "zod";
import {
  type AgentResponseUpdate,
  accumulateUpdates,
  type ClientModelOptions,
  clientModel,
  createAgent,
  decodeToken,
  defineTool,
  encodeToken,
  fallbackModel,
  type Middleware,
  type Model,
  type ModelOptions,
  retrying,
} from "../src/index.ts";
import { encodeMafToken } from "../src/maf/index.ts";
import { endpointOf, hosted } from "./hosted.ts";
import { fixed } from "./scripted-model.ts";

/** Answers that OpenAI keeps: in the background, and as conversations. The events are typed by its own package. */

type WireEvent = OpenAI.Responses.ResponseStreamEvent;
type WireResponse = OpenAI.Responses.Response;

const endpoint = endpointOf("openai-responses");
const usage = {
  input_tokens: 9,
  input_tokens_details: { cached_tokens: 0, cache_write_tokens: 0 },
  output_tokens: 5,
  output_tokens_details: { reasoning_tokens: 0 },
  total_tokens: 14,
};

function response(
  status: NonNullable<WireResponse["status"]>,
  output: WireResponse["output"] = [],
  id = "resp_1",
): WireResponse {
  const told: Partial<WireResponse> = {
    ...{ id, object: "response", created_at: 1_790_000_000, model: "gpt-5.4", status, output, output_text: "" },
    ...{ error: null, incomplete_details: null, instructions: null, metadata: {}, parallel_tool_calls: true },
    ...{ temperature: 1, tool_choice: "auto", tools: [], top_p: 1, background: true },
    ...(status === "completed" && { usage }),
  };
  return told as WireResponse; // all that these answers have
}

const thought: OpenAI.Responses.ResponseReasoningItem = {
  ...{ id: "rs_1", type: "reasoning", summary: [], encrypted_content: "E" },
};
const call: OpenAI.Responses.ResponseFunctionToolCall = {
  ...{ id: "fc_1", type: "function_call", call_id: "call_1", name: "add", arguments: '{"a":19,"b":23}' },
  status: "completed",
};
const message = (text: string): WireResponse["output"][number] => ({
  ...{ id: "msg_1", type: "message", role: "assistant", status: "completed" },
  content: [{ type: "output_text", text, annotations: [], logprobs: [] }],
});

/** The stream of an answer that thinks, and says these words. */
function streamed(words: readonly string[]): WireEvent[] {
  const text = words.join("");
  const at = { item_id: "msg_1", output_index: 1, content_index: 0 };
  const part = { type: "output_text", text: "", annotations: [], logprobs: [] } as const;
  const said = message(text);
  const begun = { ...said, status: "in_progress", content: [] } as typeof said;
  const events: readonly object[] = [
    { type: "response.created", response: response("in_progress") },
    { type: "response.output_item.added", output_index: 0, item: { ...thought, encrypted_content: null } },
    { type: "response.output_item.done", output_index: 0, item: thought },
    { type: "response.output_item.added", output_index: 1, item: begun },
    { type: "response.content_part.added", ...at, part },
    ...words.map(delta => ({ type: "response.output_text.delta", ...at, delta, logprobs: [] })),
    { type: "response.output_text.done", ...at, text, logprobs: [] },
    { type: "response.content_part.done", ...at, part: { ...part, text } },
    { type: "response.output_item.done", output_index: 1, item: said },
    { type: "response.completed", response: response("completed", [thought, said]) },
  ];
  return events.map((event, sequence_number) => ({ ...event, sequence_number })) as WireEvent[]; // as typed above
}

const words = ["Once ", "upon ", "a ", "time."];
const all = streamed(words);
/** Up to the n-th word, and the connection breaks. */
const cut = (count: number): Reply => sseReply(all.slice(0, 5 + count), { end: "cut" });
const textsOf = (messages: readonly Message[]) =>
  messages.map(({ parts }) => parts.map(part => (part.type === "text" ? part.text : `<${part.type}>`)).join(""));
const whole = ["Tell", "<reasoning>Once upon a time."];

async function agentAt(replies: Parameters<typeof hosted>[0], options: Partial<ModelOptions> = {}) {
  const { host, model } = await hosted(replies, { endpoint, model: "gpt-5.4", retries: 0, ...options });
  return { host, model, agent: createAgent({ ...fixed(), id: "ada", model }) };
}
const outline = (requests: readonly SeenRequest[]) => requests.map(({ method, path }) => `${method} ${path}`);

describe("an answer that the host goes on with in the background", () => {
  test.each(["in this process", "after a restart"])("goes on where its stream was cut, %s", async where => {
    const { host, agent } = await agentAt([cut(2), sseReply(all)]);
    let session = await agent.createSession();
    const seen: AgentResponseUpdate[] = [];
    for await (const update of agent.runStreaming("Tell", { session, allowBackgroundResponses: true }))
      seen.push(update);
    const token = seen.at(-1)?.continuationToken ?? { session: "", run: "", seq: 0 };
    expect(seen.at(-1)).toMatchObject({ error: { code: "model/cut" }, continuationToken: token });
    expect(host.requests[0]?.body).toMatchObject({ background: true, store: true, stream: true });
    if (where !== "in this process") session = await agent.deserializeSession(await agent.serializeSession(session));
    const continuationToken = decodeToken(encodeToken(token));
    const more: AgentResponseUpdate[] = [];
    for await (const update of agent.runStreaming(undefined, { session, continuationToken })) more.push(update);
    expect(outline(host.requests)).toEqual(["POST /v1/responses", "GET /v1/responses/resp_1?stream=true"]);
    expect(more.map(({ text }) => text).join("")).toBe("a time.");
    expect(textsOf(session.messages)).toEqual(whole);
    expect(more.at(-1)?.usage).toMatchObject({ input: 9, output: 5 });
    const { messages } = accumulateUpdates([...seen, ...more]);
    expect(messages).toEqual(session.messages.slice(1));
    expect(messages[0]?.parts[0]).toMatchObject({ seal: { values: { id: "rs_1" } } });
  });

  const cancelled = jsonReply({ id: "resp_1", status: "cancelled" });
  const toThrow = (): never => {
    throw new Error("gone");
  };
  const held = { ...sseReply(all.slice(0, 4)), end: "hold" as const };

  test.each<[string, (one: Model) => Model]>([
    ["a model", one => one],
    ["one of several", one => fallbackModel({ models: [{ id: "m", provider: "p", stream: () => toThrow() }, one] })],
    ["one that is asked again", one => retrying(one)],
  ])("is ended at its host where its run is stopped, by %s", async (_, around) => {
    const { host, model } = await hosted([held, cancelled], { endpoint });
    const agent = createAgent({ ...fixed(), model: around(model) });
    const session = await agent.createSession();
    const stop = new AbortController();
    const options = { session, signal: stop.signal, allowBackgroundResponses: true };
    for await (const { continuationToken } of agent.runStreaming("Tell", options)) if (continuationToken) stop.abort();
    await vi.waitFor(() => expect(host.requests).toHaveLength(2));
    expect([outline(host.requests)[1], host.requests[1]?.body]).toEqual(["POST /v1/responses/resp_1/cancel", ""]);
    expect(session.hasOpenRun).toBe(false);
  });

  test("is ended at its host where the run is stopped that goes on with it, in another process", async () => {
    const { host, agent } = await agentAt([cut(2), { ...sseReply(all.slice(0, 9)), end: "hold" }, cancelled]);
    const first = await agent.createSession();
    const { continuationToken = "" } = await agent.run("Tell", { session: first, allowBackgroundResponses: true });
    const session = await agent.deserializeSession(await agent.serializeSession(first));
    const stop = new AbortController();
    const options = { session, signal: stop.signal, continuationToken };
    for await (const update of agent.runStreaming(undefined, options)) if (update.continuationToken) stop.abort();
    await vi.waitFor(() => expect(outline(host.requests)[2]).toBe("POST /v1/responses/resp_1/cancel"));
  });

  test.each(["a reader that leaves", "a run that is not in the background"])("goes on after %s", async which => {
    const { host, agent } = await agentAt([held, sseReply(all)]);
    const session = await agent.createSession();
    const stop = new AbortController();
    const isLeft = which.includes("leaves");
    const options = { session, signal: stop.signal, allowBackgroundResponses: isLeft };
    for await (const { events } of agent.runStreaming("Tell", options)) {
      if (events.length === 0) continue;
      if (isLeft) break;
      stop.abort();
    }
    await agent.run(isLeft ? undefined : "More", { session });
    expect(outline(host.requests)).toEqual([
      "POST /v1/responses",
      isLeft ? "GET /v1/responses/resp_1" : "POST /v1/responses",
    ]);
  });

  test("says the same wherever its stream was cut", async () => {
    const { agent: one } = await agentAt([sseReply(all)]);
    const uncut = await one.createSession();
    await one.run("Tell", { session: uncut });
    for (let at = 1; at < all.length; at++) {
      const { agent } = await agentAt([sseReply(all.slice(0, at), { end: "cut" }), sseReply(all)]);
      const session = await agent.createSession();
      const updates: AgentResponseUpdate[] = [];
      for await (const update of agent.runStreaming("Tell", { session, allowBackgroundResponses: true }))
        updates.push(update);
      const continuationToken = updates.at(-1)?.continuationToken;
      expect([at, continuationToken !== undefined]).toEqual([at, true]);
      const going = { session, ...(continuationToken && { continuationToken }) };
      for await (const update of agent.runStreaming(undefined, going)) updates.push(update);
      expect([at, session.messages]).toEqual([at, uncut.messages]);
      expect([at, updates.map(({ text }) => text).join("")]).toEqual([at, "Once upon a time."]);
    }
  });

  const inOnePiece = (reply: Reply): Reply => ({ ...reply, pieces: [(reply.pieces ?? []).join("")] });

  describe.each([
    ["piece by piece", (reply: Reply) => reply],
    ["in one piece", inOnePiece],
  ])("comes again, %s", (_, shaped) => {
    /** Cut behind two words; then others read it in a session that was stored. */
    async function begun(...replies: readonly Reply[]) {
      const { agent } = await agentAt([cut(2), ...replies.map(shaped)]);
      const session = await agent.createSession();
      await agent.run("Tell", { session, allowBackgroundResponses: true });
      return { agent, session: await agent.deserializeSession(await agent.serializeSession(session)) };
    }

    test("and is heard once by a reader who saw nothing of it", async () => {
      const { agent, session } = await begun(sseReply(all));
      const heard: AgentResponseUpdate[] = [];
      for await (const update of agent.runStreaming(undefined, { session })) heard.push(update);
      expect(heard.map(({ text }) => text).join("")).toBe("Once upon a time.");
      expect(accumulateUpdates(heard).messages).toEqual(session.messages.slice(1));
      expect(textsOf(session.messages)).toEqual(whole);
    });

    test("and a reader who leaves behind any piece and comes back hears the rest", async () => {
      for (let pieces = 1; pieces < 5; pieces++) {
        const { agent, session } = await begun(cut(3), sseReply(all));
        let text = "";
        let continuationToken: AgentResponseUpdate["continuationToken"];
        for (let left = pieces; session.hasOpenRun; left = 100) {
          const going = { session, allowBackgroundResponses: true, ...(continuationToken && { continuationToken }) };
          for await (const update of agent.runStreaming(undefined, going)) {
            text += update.text;
            continuationToken = update.continuationToken ?? continuationToken;
            if (--left === 0) break;
          }
        }
        expect([pieces, text, textsOf(session.messages)]).toEqual([pieces, "Once upon a time.", whole]);
      }
    });

    test("and nothing of it is taken back where it is cut before what is new", async () => {
      const { agent, session } = await begun(cut(1), sseReply(all));
      const heard: string[] = [];
      for (const _ of ["cut again", "whole"]) {
        let text = "";
        for await (const update of agent.runStreaming(undefined, { session, allowBackgroundResponses: true }))
          text += update.text;
        heard.push(text);
      }
      expect(heard).toEqual(["Once upon ", "Once upon a time."]);
    });
  });

  test("is asked for until it is there, where nobody reads it as it comes; its call is then run", async () => {
    const add = defineTool({
      name: "add",
      parameters: z.object({ a: z.number(), b: z.number() }),
      execute: ({ a, b }) => a + b,
    });
    const { host, model } = await hosted(
      [
        jsonReply(response("queued")),
        jsonReply(response("in_progress")),
        jsonReply(response("completed", [thought, call])),
        jsonReply(response("queued", [], "resp_2")),
        jsonReply(response("completed", [message("42.")], "resp_2")),
      ],
      { endpoint, model: "gpt-5.4" },
    );
    const agent = createAgent({ ...fixed(), model, tools: [add], allowBackgroundResponses: true });
    const session = await agent.createSession();
    let answer = await agent.run("19 + 23?", { session });
    expect([answer.finish, answer.messages]).toEqual([{ reason: "pause", raw: "background" }, []]);
    while (answer.continuationToken)
      answer = await agent.run(undefined, { session, continuationToken: answer.continuationToken });
    expect([answer.text, answer.usage?.input, answer.usage?.output]).toEqual(["42.", 18, 10]);
    expect(outline(host.requests)).toEqual([
      ...["POST /v1/responses", "GET /v1/responses/resp_1", "GET /v1/responses/resp_1"],
      ...["POST /v1/responses", "GET /v1/responses/resp_2"],
    ]);
    expect(host.requests[0]?.body).toMatchObject({ background: true, store: true, stream: false });
  });

  test("has the token that .NET's client of OpenAI goes on with", async () => {
    const { agent } = await agentAt([cut(1)]);
    const session = await agent.createSession();
    const { continuationToken } = await agent.run("Tell", { session, allowBackgroundResponses: true });
    // The stream was asked for whole: this host streams all the same.
    const outer = JSON.parse(atob(encodeMafToken(continuationToken ?? { session: "", run: "", seq: 0 })));
    expect(JSON.parse(atob(JSON.parse(outer.innerToken)))).toEqual({ responseId: "resp_1", sequenceNumber: 5 });
  });

  test("is a failure of the run where it is gone, and nobody is told to ask again", async () => {
    const error = { error: { message: "Response with id 'resp_1' not found.", type: "invalid_request_error" } };
    const { agent } = await agentAt([cut(1), jsonReply(error, { status: 404 })]);
    const session = await agent.createSession();
    const first = await agent.run("Tell", { session, allowBackgroundResponses: true });
    const going = { session, ...(first.continuationToken && { continuationToken: first.continuationToken }) };
    const failed = await agent.run(undefined, going);
    expect([failed.error?.code, failed.continuationToken, session.hasOpenRun]).toEqual([
      "model/not-found",
      undefined,
      false,
    ]);
  });

  test("is asked for where it is, though another model was asked first and failed", async () => {
    const queued = [jsonReply(response("queued")), cut(2), sseReply(all)];
    const { host, model } = await hosted(queued, { endpoint, model: "gpt-5.4", retries: 0 });
    const other = await hosted([jsonReply({}, { status: 503 })], { model: "first", retries: 0 });
    const agent = createAgent({ ...fixed(), model: fallbackModel({ models: [other.model, model] }) });
    const session = await agent.createSession();
    let answer = await agent.run("Tell", { session, allowBackgroundResponses: true });
    for (let poll = 0; poll < 2; poll++) {
      const going = answer.continuationToken && { continuationToken: answer.continuationToken };
      answer = await agent.run(undefined, { session, ...going });
    }
    expect([answer.error, textsOf(session.messages)]).toEqual([undefined, whole]);
    expect(outline(host.requests)).toEqual([
      "POST /v1/responses",
      "GET /v1/responses/resp_1",
      "GET /v1/responses/resp_1",
    ]);
    expect(other.host.requests.length).toBe(1);
  });

  test("is asked for where it is, though a middleware asked another model than the run's", async () => {
    const { host, model } = await hosted([jsonReply(response("queued")), sseReply(all)], {
      endpoint,
      model: "gpt-5.4",
    });
    const other = await hosted([]);
    const swap: Middleware = { model: (context, next) => next({ ...context, model }) };
    const agent = createAgent({ ...fixed(), model: other.model, middleware: [swap] });
    const session = await agent.createSession();
    const first = await agent.run("Tell", { session, allowBackgroundResponses: true });
    const going = { session, ...(first.continuationToken && { continuationToken: first.continuationToken }) };
    const answer = await agent.run(undefined, going);
    expect([answer.error, textsOf(session.messages)]).toEqual([undefined, whole]);
    expect([host.requests.length, other.host.requests.length]).toEqual([2, 0]);
  });

  test("is asked for at no host that keeps none", async () => {
    const { agent } = await agentAt([cut(1)]);
    const session = await agent.createSession();
    const first = await agent.run("Tell", { session, allowBackgroundResponses: true });
    const chat = await hosted([], {});
    const model = { ...chat.model, provider: "openai-responses" };
    const going = { session, ...(first.continuationToken && { continuationToken: first.continuationToken }) };
    expect((await agent.run(undefined, { ...going, model })).error?.code).toBe("token/invalid");
    expect(chat.host.requests).toEqual([]);
  });
});

describe("a conversation that the host keeps", () => {
  const answers = (...ids: readonly string[]) =>
    ids.map(id => sseReply([{ type: "response.completed", response: response("completed", [message("Yes.")], id) }]));
  const inputs = (requests: readonly SeenRequest[]) =>
    requests.map(({ body }) => (body as { readonly input: readonly unknown[] }).input.length); // of Responses

  test("is sent only what is new, by its last answer", async () => {
    const { host, agent } = await agentAt(answers("resp_1", "resp_2"), { keepsConversation: true });
    const session = await agent.createSession();
    await agent.run("One", { session });
    expect(session.conversationId).toBe("resp_1");
    await agent.run("Two", { session });
    expect(host.requests.map(({ body }) => body)).toMatchObject([
      { store: true },
      { store: true, previous_response_id: "resp_1" },
    ]);
    expect(host.requests[0]?.body).not.toHaveProperty("previous_response_id");
    expect([inputs(host.requests), session.conversationId]).toEqual([[1, 1], "resp_2"]);
  });

  test.each([
    ["conv_7", { conversation: "conv_7" }, "conv_7"],
    ["resp_0", { previous_response_id: "resp_0" }, "resp_1"],
  ])("is gone on with by the name that it has (%s)", async (conversationId, members, after) => {
    const { host, agent } = await agentAt(answers("resp_1"));
    const session = await agent.createSession({ conversationId });
    await agent.run("One", { session });
    expect(host.requests[0]?.body).toMatchObject(members);
    expect(session.conversationId).toBe(after);
  });

  test("is asked for at no host that keeps none: its history would be missing", async () => {
    const { host, model } = await hosted([]);
    const agent = createAgent({ ...fixed(), model });
    const session = await agent.createSession({ conversationId: "conv_7" });
    expect((await agent.run("One", { session })).error?.code).toBe("model/unknown-conversation");
    expect(host.requests).toEqual([]);
  });
});

describe("an answer that the official client keeps", () => {
  /** The package's own client, at a host of this machine. */
  async function clientAt(replies: Parameters<typeof hosted>[0], options: Partial<ClientModelOptions> = {}) {
    const { host } = await hosted(replies);
    const client = new OpenAI({ apiKey: "sk-1", baseURL: `${host.url}/v1`, maxRetries: 0 });
    const model = clientModel({ endpoint, model: "gpt-5.4", client, ...options });
    return { host, agent: createAgent({ ...fixed(), id: "ada", model }) };
  }

  test("goes on in the background, and its stream where it was cut", async () => {
    const { host, agent } = await clientAt([cut(2), sseReply(all)]);
    const session = await agent.createSession();
    const first = await agent.run("Tell", { session, allowBackgroundResponses: true });
    expect([first.text, host.requests[0]?.body]).toMatchObject(["Once upon ", { background: true, store: true }]);
    const going = { session, ...(first.continuationToken && { continuationToken: first.continuationToken }) };
    const more: string[] = [];
    for await (const { text } of agent.runStreaming(undefined, going)) more.push(text);
    expect([more.join(""), textsOf(session.messages)]).toEqual(["a time.", whole]);
    expect(outline(host.requests)).toEqual(["POST /v1/responses", "GET /v1/responses/resp_1?stream=true"]);
  });

  const lost = { error: { message: "Response with id 'resp_1' not found.", type: "invalid_request_error" } };

  test.each<[string, ClientModelOptions["client"] | undefined]>([
    ["says at once", undefined],
    [
      "says in its stream",
      {
        responses: {
          create: async () => inTurn(all.slice(0, 6), new Error("cut")),
          retrieve: async () => inTurn([], Object.assign(new Error("404 not found"), { status: 404 })),
        },
      },
    ],
  ])("is a failure of the run where it is gone, as the client %s", async (_, client) => {
    const { agent } = await clientAt([cut(1), jsonReply(lost, { status: 404 })], client && { client });
    const session = await agent.createSession();
    const first = await agent.run("Tell", { session, allowBackgroundResponses: true });
    const going = { session, ...(first.continuationToken && { continuationToken: first.continuationToken }) };
    const failed = await agent.run(undefined, going);
    expect([failed.error?.code, failed.continuationToken, session.hasOpenRun]).toEqual([
      "model/not-found",
      undefined,
      false,
    ]);
  });

  async function* inTurn(values: readonly unknown[], thrown: Error) {
    yield* values;
    throw thrown;
  }

  test("is ended where its run is stopped", async () => {
    const { host, agent } = await clientAt([
      { ...sseReply(all.slice(0, 4)), end: "hold" },
      jsonReply({ id: "resp_1", status: "cancelled" }),
    ]);
    const session = await agent.createSession();
    const stop = new AbortController();
    const options = { session, signal: stop.signal, allowBackgroundResponses: true };
    for await (const { continuationToken } of agent.runStreaming("Tell", options)) if (continuationToken) stop.abort();
    await vi.waitFor(() => expect(outline(host.requests)[1]).toBe("POST /v1/responses/resp_1/cancel"));
  });

  test("is gone on with by the next question", async () => {
    const { host, agent } = await clientAt([sseReply(all), sseReply(all)], { keepsConversation: true });
    const session = await agent.createSession();
    await agent.run("Tell", { session });
    await agent.run("Again", { session });
    expect(host.requests[1]?.body).toMatchObject({ previous_response_id: "resp_1", input: [{ content: "Again" }] });
  });
});
