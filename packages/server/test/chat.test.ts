import { afterEach, describe, expect, it } from "vitest";
import type { ChatAnswer, ErrorBody, SessionBody, ValidationReport } from "../src/contract.ts";
import { type Answer, call, calls, type Fixture, said, serverOf, text, toolOf } from "./scripted.ts";

const model = "demo/scripted";
const open: Fixture[] = [];
const start = async (...options: Parameters<typeof serverOf>): Promise<Fixture> => {
  const server = await serverOf(...options);
  open.push(server);
  return server;
};
afterEach(() => Promise.all(open.splice(0).map(server => server.close())));

const ask = async (server: Fixture, body: object, headers = {}) => {
  const response = await server.post("/api/v1/chat", { model, stream: false, ...body }, headers);
  return { response, body: (await response.json()) as { success: true; data: ChatAnswer } & ErrorBody };
};
const hello = { role: "user", content: "hello" };
const answering = (...script: Answer[]) => start({ script });

describe("an answer that is not streamed", () => {
  it("is the document's, member for member in order, but for its ids", async () => {
    const reply = { reply: "您好！我们的薪资范围是4000-6000元，另有全勤奖、绩效奖等。" };
    const input = { candidate_message: "你们薪资待遇怎么样？", brand: "蜀地源冒菜" };
    const server = await start({
      agentTools: [toolOf("zhipin_reply_generator", () => reply)],
      script: [
        { ...calls(call("call_abc123", "zhipin_reply_generator", input)), usage: { input: 90, output: 50 } },
        { ...said(text("已为您生成专业的招聘回复")), usage: { input: 60, output: 30 } },
      ],
    });
    const { response, body } = await ask(server, { messages: [{ role: "user", content: "你们薪资待遇怎么样？" }] });
    const ids = body.data.messages.map(({ id }) => id);
    expect(new Set(ids).size).toBe(2);
    const documented = {
      success: true,
      data: {
        messages: [
          {
            id: ids[0],
            role: "assistant",
            parts: [
              {
                type: "dynamic-tool",
                toolName: "zhipin_reply_generator",
                toolCallId: "call_abc123",
                state: "output-available",
                input,
                output: reply,
              },
            ],
          },
          { id: ids[1], role: "assistant", parts: [{ type: "text", text: "已为您生成专业的招聘回复", state: "done" }] },
        ],
        usage: { inputTokens: 150, outputTokens: 80, totalTokens: 230 },
        tools: { used: ["zhipin_reply_generator"], skipped: [] },
      },
    };
    expect(JSON.stringify(body)).toBe(JSON.stringify(documented));
    expect(response.headers.get("x-correlation-id")).toMatch(/^req-/);
  });

  it("has reasoning, and a tool's failure in the tool's own words without its stack", async () => {
    const server = await start({
      agentTools: [
        toolOf("look", () => {
          throw new Error("no light");
        }),
      ],
      script: [
        calls({ type: "reasoning", text: "I look." }, text("Let me look."), call("c1", "look", {})),
        said(text("It is dark.")),
      ],
    });
    const { body } = await ask(server, { messages: [hello] });
    expect(body.data.messages.map(({ parts }) => parts)).toMatchObject([
      [
        { type: "reasoning", text: "I look.", state: "done" },
        { type: "text", text: "Let me look." },
        { type: "dynamic-tool", toolCallId: "c1", state: "output-error", errorText: "no light" },
      ],
      [{ type: "text", text: "It is dark." }],
    ]);
    expect(JSON.stringify(body)).not.toContain("scripted.ts");
    expect(body.data.tools.used).toEqual(["look"]);
  });

  it("is a 502 where the model fails, which says what kind of failure it was and nothing of the inside", async () => {
    const refused = await ask(await answering(), { messages: [hello] });
    expect(refused.response.status).toBe(502);
    expect(refused.body).toMatchObject({
      error: "BadGateway",
      message: "the model's host refused the request",
      statusCode: 502,
    });
    const broken = await answering(async function* () {
      yield [];
      throw new TypeError("secret of the inside");
    });
    const failed = await ask(broken, { messages: [hello] });
    expect(failed.response.status).toBe(502);
    expect(failed.body.correlationId).toBe(failed.response.headers.get("x-correlation-id"));
  });
});

describe("what reaches the model", () => {
  it("is the whole history in order, in both forms, mixed", async () => {
    const server = await answering(said(text("4")));
    const messages = [
      { role: "user", content: "1+1等于几？" },
      { id: "msg_002", role: "assistant", parts: [{ type: "text", text: "1+1等于2" }] },
      { role: "user", content: "那再加3呢？" },
    ];
    expect((await ask(server, { messages })).response.status).toBe(200);
    expect(server.model.asked[0]?.messages.map(({ role, parts }) => [role, parts[0]])).toMatchObject([
      ["user", { type: "text", text: "1+1等于几？" }],
      ["assistant", { type: "text", text: "1+1等于2" }],
      ["user", { type: "text", text: "那再加3呢？" }],
    ]);
  });

  it("begins with `systemPrompt`; system messages stand where they are", async () => {
    const server = await answering(said(text("ok")));
    const system = { id: "s", role: "system", parts: [{ type: "text", text: "Be brief." }] };
    await ask(server, { systemPrompt: "You recruit.", messages: [hello, system] });
    expect(server.model.asked[0]?.messages.map(({ role, parts }) => [role, parts[0]])).toMatchObject([
      ["system", { text: "You recruit." }],
      ["user", { text: "hello" }],
      ["system", { text: "Be brief." }],
    ]);
    expect(server.model.asked[0]?.messages[2]?.author).toEqual({ kind: "person" });
  });

  it("has no system text of clients where the operator refuses it", async () => {
    const server = await start({ clientSystem: "refuse", script: [said(text("ok"))] });
    const system = { id: "s", role: "system", parts: [{ type: "text", text: "Obey me." }] };
    const { response, body } = await ask(server, { messages: [system, hello] });
    expect([response.status, body.message]).toEqual([400, expect.stringContaining("system")]);
    expect((await ask(server, { messages: [hello], systemPrompt: "Obey me." })).response.status).toBe(400);
  });

  it("has keys and numbers as they were sent", async () => {
    const server = await answering(said(text("ok")));
    const input = { snake_case: 1, camelCase: 2, UPPER: { Mixed_Case: [1.5] } };
    const part = {
      type: "dynamic-tool",
      toolName: "t",
      toolCallId: "c",
      state: "output-available",
      input,
      output: input,
    };
    await ask(server, {
      messages: [hello, { id: "a", role: "assistant", parts: [part] }, { role: "user", content: "go on" }],
    });
    const parts = server.model.asked[0]?.messages.flatMap(message => message.parts) ?? [];
    expect(parts.find(({ type }) => type === "tool-call")).toMatchObject({ input });
    expect(JSON.stringify(parts.find(({ type }) => type === "tool-result"))).toContain(JSON.stringify(input));
  });

  it("has the document's file part as a file", async () => {
    const server = await answering(said(text("a picture")));
    const file = { type: "file", data: "AAAA", mimeType: "image/png" };
    await ask(server, { messages: [{ id: "m", role: "user", parts: [file] }] });
    expect(server.model.asked[0]?.messages[0]?.parts).toMatchObject([
      { type: "file", mediaType: "image/png", source: { data: "AAAA" } },
    ]);
  });

  it("has the thinking that the request asks for", async () => {
    const server = await answering(said(text("a")), said(text("b")));
    await ask(server, { messages: [hello], thinking: { type: "enabled", budgetTokens: 2048 } });
    await ask(server, { messages: [hello], thinking: { type: "disabled" } });
    expect(server.model.asked.map(({ settings }) => settings?.reasoning)).toEqual([
      { budget: 2048 },
      { effort: "none" },
    ]);
  });
});

describe("requests of the document that are valid", () => {
  const user = { id: "msg_abc123", role: "user", parts: [{ type: "text", text: "hi" }] };
  const valid: { readonly [title: string]: object } = {
    simplified: { messages: [hello] },
    "in UI form": { messages: [user] },
    "with metadata and a status": { messages: [{ ...user, metadata: { k: 1 }, status: "ready" }] },
    "with members that nobody knows": {
      messages: [{ ...user, createdAt: "2026-01-01", parts: [{ type: "text", text: "hi", future: 1 }] }],
      temperature: 9,
      sandboxId: null,
    },
    "with every option": {
      messages: [hello],
      prune: true,
      pruneOptions: { maxOutputTokens: 1, targetTokens: 2, preserveRecentMessages: 3 },
      systemPrompt: "You are…",
      allowedTools: [],
      context: {},
      toolContext: {},
      contextStrategy: "skip",
      thinking: { type: "enabled", budgetTokens: 8192 },
      validateOnly: false,
    },
  };
  it.each(Object.entries(valid))("%s", async (_title, body) => {
    const { response, body: answer } = await ask(await answering(said(text("ok"))), body);
    expect(answer).toMatchObject({ success: true });
    expect(response.status).toBe(200);
  });

  it("and are told in a header what nothing comes of", async () => {
    const body = { messages: [hello], prune: true, pruneOptions: { maxOutputTokens: 5 } };
    const { response } = await ask(await answering(said(text("ok"))), body);
    expect(response.headers.get("x-options-ignored")).toBe("pruneOptions.maxOutputTokens");
    expect(response.headers.get("x-message-pruned")).toBeNull();
  });
});

describe("a history that is to be pruned", () => {
  const turn = (index: number) => [
    { role: "user", content: `Question ${index}. ${"word ".repeat(200)}` },
    { role: "assistant", content: `Answer ${index}. ${"word ".repeat(200)}` },
  ];
  const long = [...Array.from({ length: 20 }, (_, index) => turn(index)).flat(), hello];
  const prune = { prune: true, pruneOptions: { targetTokens: 1000, preserveRecentMessages: 2 } };
  const asked = (server: Fixture) => server.model.asked.map(({ messages }) => messages.length);

  it("goes to the model as what fits of it, the newest whole", async () => {
    const server = await answering(said(text("ok")), said(text("ok")), said(text("ok")));
    const { response } = await ask(server, { messages: long, ...prune });
    expect([response.status, response.headers.get("x-message-pruned")]).toEqual([200, "true"]);
    const [count = 0] = asked(server);
    expect(count).toBeLessThan(10);
    expect(server.model.asked[0]?.messages.at(-1)?.parts).toEqual([{ type: "text", text: "hello" }]);
    const small = await ask(server, { messages: [hello], ...prune });
    expect(small.response.headers.get("x-message-pruned")).toBeNull();
    await ask(server, { messages: long });
    expect(asked(server)).toEqual([count, 1, long.length]);
  });

  it("is stored whole", async () => {
    const server = await answering(said(text("ok")));
    const session = { "translogue-session": "long" };
    const body = { model: "demo/scripted", stream: false, messages: long, ...prune };
    const response = await server.post("/api/v1/chat", body, session);
    expect(response.headers.get("x-message-pruned")).toBe("true");
    const stored = (await (await server.get("/api/v1/sessions/long")).json()) as { data: SessionBody };
    expect(stored.data.conversation.messages).toHaveLength(long.length + 1);
  });

  it.each([
    [{ targetTokens: "many" }, ["pruneOptions", "targetTokens"]],
    [{ preserveRecentMessages: -1 }, ["pruneOptions", "preserveRecentMessages"]],
  ])("is not pruned by what is no number: %j", async (pruneOptions, path) => {
    const { response, body } = await ask(await answering(), { messages: [hello], prune: true, pruneOptions });
    expect([response.status, body]).toMatchObject([400, { details: { issues: [{ path }] } }]);
  });
});

describe("requests that the document refuses", () => {
  const user = { id: "u", role: "user", parts: [{ type: "text", text: "hi" }] };
  const refused: { readonly [title: string]: readonly [object, RegExp, number?] } = {
    "no model": [{ model: undefined, messages: [hello] }, /Missing required field: model/],
    "a model that is no text": [{ model: 5, messages: [hello] }, /`model` must be a string/],
    "a model without a slash": [
      { model: "gpt", messages: [hello] },
      /Invalid model format. Expected 'provider\/model'/,
    ],
    "no message": [{ messages: [] }, /`messages` is empty/],
    "a model that is not listed, before that there is no message": [
      { model: "m/x", messages: [] },
      /not in the allowed list/,
      403,
    ],
    "a model that is not listed": [{ model: "openai/none", messages: [hello] }, /not in the allowed list/, 403],
    "no messages": [{}, /Missing required field: messages/],
    "messages that are no list": [{ messages: "x" }, /Messages must be an array/],
    "a message that is none": [{ messages: [5] }, /messages\[0\]/],
    "parts without an id": [{ messages: [{ role: "user", parts: user.parts }] }, /`?id`?/],
    "an empty list of parts": [{ messages: [{ ...user, parts: [] }] }, /parts/],
    "an answer with an empty list of parts": [
      { messages: [hello, { id: "a", role: "assistant", parts: [] }] },
      /parts/,
    ],
    "a content that is no text": [{ messages: [{ role: "user", content: ["x"] }] }, /content/],
    "an unknown role": [{ messages: [{ role: "robot", content: "x" }] }, /role/],
    "a system message in simplified form": [{ messages: [{ role: "system", content: "x" }] }, /systemPrompt/],
    "a status that there is not": [{ messages: [{ ...user, status: "sleeping" }] }, /status/],
    "a stream that is no boolean": [{ messages: [hello], stream: "yes" }, /`stream` must be true or false/],
    "a strategy that there is not": [
      { messages: [hello], contextStrategy: "guess" },
      /`contextStrategy` must be one of/,
    ],
    "tools that are no names": [{ messages: [hello], allowedTools: [1] }, /`allowedTools` must be a list of strings/],
    "thinking out of range": [{ messages: [hello], thinking: { type: "enabled", budgetTokens: 5 } }, /budgetTokens/],
    "a prompt type that there is not": [{ messages: [hello], promptType: "none" }, /prompt type/],
    "a trigger that there is not": [{ messages: [hello], trigger: "jump" }, /`trigger` must be one of/],
    "a session name that fits no address": [
      { messages: [hello], trigger: "submit-message", id: ".." },
      /names a session/,
    ],
    "one turn for no session": [{ messages: undefined, message: hello }, /stored session/],
  };
  it.each(Object.entries(refused))("%s", async (_title, [body, message, status = 400]) => {
    const server = await answering(said(text("never")));
    const { response, body: answer } = await ask(server, body);
    expect([response.status, answer.message]).toEqual([status, expect.stringMatching(message)]);
    expect(answer).toMatchObject({ error: status === 403 ? "Forbidden" : "BadRequest", statusCode: status });
    expect(answer.correlationId).toBe(response.headers.get("x-correlation-id"));
    expect(server.model.asked).toEqual([]);
  });

  it("are told all that is wrong, each with its path", async () => {
    const { body } = await ask(await answering(), {
      messages: [hello, { role: "user", parts: user.parts }, { role: "user", content: 1 }],
    });
    const { issues } = body.details as { issues: { path: unknown[] }[] };
    expect(issues.map(({ path }) => path.slice(0, 2))).toEqual([
      ["messages", 1],
      ["messages", 2],
    ]);
  });
});

describe("tools of a request", () => {
  const recruiting = () =>
    start({
      agentTools: [toolOf("look", () => "seen")],
      tools: [{ tool: toolOf("reply", () => "ok"), requiredContext: ["configData", "replyPrompts"], byDefault: false }],
      promptTypes: [{ id: "recruiter", description: "", prompt: "You recruit.", tools: ["reply"] }],
      script: [said(text("ok"))],
    });
  const context = { configData: {}, replyPrompts: {} };
  const offered = (server: Fixture) => server.model.asked[0]?.tools?.map(({ name }) => name) ?? [];

  it("are all that are offered by default, where it names none", async () => {
    const server = await recruiting();
    await ask(server, { messages: [hello] });
    expect(offered(server)).toEqual(["look"]);
  });

  it("are those it allows and no others, not even the agent's own", async () => {
    const server = await recruiting();
    await ask(server, { messages: [hello], allowedTools: ["reply"], context });
    expect(offered(server)).toEqual(["reply"]);
    server.model.answer(calls(call("c1", "look", {})), said(text("ok")));
    const { body } = await ask(server, { messages: [hello], allowedTools: [] });
    expect(body.data.messages[0]?.parts).toMatchObject([
      { state: "output-error", errorText: expect.stringContaining("does not allow") },
    ]);
  });

  it("come with a prompt type, as its system text does", async () => {
    const server = await recruiting();
    await ask(server, { messages: [hello], promptType: "recruiter", context });
    expect(offered(server)).toEqual(["reply"]);
    expect(server.model.asked[0]?.messages[0]).toMatchObject({ role: "system", parts: [{ text: "You recruit." }] });
    server.model.answer(said(text("ok")));
    const prompts = { systemPrompts: { recruiter: "You hire." } };
    await ask(server, { messages: [hello], promptType: "recruiter", context: { ...context, ...prompts } });
    expect(server.model.asked[1]?.messages[0]).toMatchObject({ role: "system", parts: [{ text: "You hire." }] });
  });

  it("that lack context are refused by name and field", async () => {
    const { response, body } = await ask(await recruiting(), {
      messages: [hello],
      allowedTools: ["reply"],
      context: { configData: {} },
    });
    expect(response.status).toBe(400);
    expect(body.message).toContain("Missing required context for tool: reply");
    expect(body.details).toEqual({ missingContext: ["replyPrompts"], tools: ["reply"] });
  });

  it("that lack context are left out where the request says so, and named", async () => {
    const skip = { messages: [hello], allowedTools: ["reply", "look"], contextStrategy: "skip" };
    const { response, body } = await ask(await recruiting(), skip);
    expect(body.data.tools).toEqual({ used: [], skipped: ["reply"] });
    expect(response.headers.get("x-tools-skipped")).toBe("reply");
  });

  it("that there are not are left out under every strategy", async () => {
    const { body } = await ask(await recruiting(), { messages: [hello], allowedTools: ["toString", "look"] });
    expect(body.data.tools.skipped).toEqual(["toString"]);
  });

  it("take the context that is for them alone before the common one", async () => {
    const server = await recruiting();
    const { response } = await ask(server, {
      messages: [hello],
      allowedTools: ["reply"],
      context: { configData: {} },
      toolContext: { reply: { replyPrompts: {} } },
    });
    expect(response.status).toBe(200);
  });

  it("are reported on, with the model, and nothing runs", async () => {
    const server = await recruiting();
    const report = async (body: object) =>
      (await ask(server, { messages: [hello], ...body })).body.data as unknown as ValidationReport;
    const lacking = { name: "reply", valid: false, missingContext: ["configData", "replyPrompts"] };
    expect(await report({ validateOnly: true, allowedTools: ["reply"] })).toEqual({
      valid: false,
      model: { valid: true },
      tools: [lacking],
    });
    expect(await report({ contextStrategy: "report", allowedTools: ["reply"], context })).toEqual({
      valid: true,
      model: { valid: true },
      tools: [{ name: "reply", valid: true }],
    });
    expect(await report({ validateOnly: true, model: "a/b" })).toMatchObject({
      valid: false,
      model: { valid: false, error: expect.stringContaining("a/b") },
    });
    expect(server.model.asked).toEqual([]);
  });
});
