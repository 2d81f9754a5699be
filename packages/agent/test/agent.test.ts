import { conversation, encode, type Json, type Message } from "translogue";
import { AssistantMessage, type BaseMessages, SystemMessage, ToolMessage, UserMessage } from "translogue/lighter";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import {
  Agent,
  type AgentResponseUpdate,
  AgentSession,
  accumulateUpdates,
  createAgent,
  defineTool,
  type RunInput,
} from "../src/index.ts";
import { fixed, scripted } from "./scripted-model.ts";

/** An agent that drives no model: it says what it was told, backwards. */
class Mirror extends Agent {
  readonly contexts: (typeof Agent.currentRunContext)[] = [];

  override get name() {
    return "Mirror";
  }

  protected override async runCore(messages: readonly Message[], session: AgentSession) {
    const updates: AgentResponseUpdate[] = [];
    for await (const update of this.runCoreStreaming(messages, session)) updates.push(update);
    return accumulateUpdates(updates);
  }

  protected override async *runCoreStreaming(messages: readonly Message[], session: AgentSession) {
    this.contexts.push(Agent.currentRunContext);
    const said = messages.flatMap(({ parts }) => parts.map(part => (part.type === "text" ? part.text : ""))).join("");
    const text = [...said].reverse().join("");
    session.append(...messages);
    const update = { agentId: this.id, responseId: "r1", isFinal: false };
    yield {
      ...update,
      text: "",
      events: [{ type: "message-start", message: 0, head: { role: "assistant" } }],
    } as const;
    this.contexts.push(Agent.currentRunContext);
    yield {
      ...update,
      text,
      events: [
        { type: "part", message: 0, part: 0, value: { type: "text", text } },
        { type: "message-end", message: 0 },
      ],
      isFinal: true,
    } as const;
  }

  protected override createSessionCore({ id = "m1" }) {
    return new AgentSession({ id });
  }

  protected override serializeSessionCore(session: AgentSession): Json {
    return { id: session.id };
  }

  protected override deserializeSessionCore(json: Json) {
    return new AgentSession({ id: (json as { id: string }).id }); // as written above
  }
}

describe("an agent of one's own", () => {
  test("runs, streams, and has sessions like any other", async () => {
    const agent = new Mirror();
    const session = await agent.createSession();
    const response = await agent.run("abc", { session });
    expect([response.text, response.agentId, agent.name]).toEqual(["cba", agent.id, "Mirror"]);
    expect(session.messages).toHaveLength(1);
    const texts: string[] = [];
    for await (const { text } of agent.runStreaming("xy")) texts.push(text);
    expect(texts).toEqual(["", "yx"]);
    expect((await agent.deserializeSession(await agent.serializeSession(session))).id).toBe("m1");
  });

  test("keeps the id it got, and an id that it is given", () => {
    const agent = new Mirror();
    expect(agent.id).toBe(agent.id);
    expect(agent.id).not.toBe(new Mirror().id);
    expect(createAgent({ id: "ada", model: scripted([]) }).id).toBe("ada");
  });
});

describe("the context of the run", () => {
  test("is there inside of a run only, in each of its steps", async () => {
    const agent = new Mirror();
    const session = await agent.createSession();
    const between: unknown[] = [];
    for await (const _ of agent.runStreaming("abc", { session })) between.push(Agent.currentRunContext);
    between.push(Agent.currentRunContext);
    await agent.run("abc", { session });
    between.push(Agent.currentRunContext);
    expect(between).toEqual([undefined, undefined, undefined, undefined]);
    expect(agent.contexts).toHaveLength(4);
    for (const context of agent.contexts)
      expect(context).toMatchObject({ agent, session, messages: [{ role: "user" }] });
  });

  test("is the inner agent's in a nested run and the outer's again after it, in parallel runs too", async () => {
    const names: (string | undefined)[] = [];
    const answering = scripted(() => {
      names.push(Agent.currentRunContext?.agent.name);
      return { text: "in" };
    });
    const inner = createAgent({ name: "inner", model: answering, ...fixed() });
    const ask = defineTool({
      name: "ask",
      parameters: z.object({}),
      execute: async () => {
        names.push(Agent.currentRunContext?.agent.name);
        const { text } = await inner.run("?");
        names.push(Agent.currentRunContext?.agent.name);
        return text;
      },
    });
    const outer = createAgent({
      name: "outer",
      model: scripted([{ calls: [["c1", "ask", {}]] }, { text: "out" }]),
      tools: [ask],
    });
    const [response] = await Promise.all([outer.run("go"), new Mirror().run("abc")]);
    expect(response.text).toBe("out");
    expect(names).toEqual(["outer", "inner", "outer"]);
  });
});

describe("the input of a run", () => {
  const read = async (input: RunInput): Promise<readonly Message[]> => {
    const model = scripted([{ text: "ok" }]);
    await createAgent({ ...fixed(), model }).run(input);
    return model.requests[0]?.conversation.messages ?? [];
  };
  const hi: Message = { role: "user", parts: [{ type: "text", text: "hi" }] };

  test.each<[string, RunInput, unknown[]]>([
    ["a text", "hi", [hi]],
    ["a message", hi, [hi]],
    ["messages of any iterable", new Set([hi, { ...hi, role: "assistant" }]), [hi, { role: "assistant" }]],
    ["a message of lighter", new UserMessage("hi"), [hi]],
    ["nothing", undefined, []],
  ])("may be %s", async (_, input, messages) => {
    expect(await read(input)).toMatchObject(messages);
  });

  test.each<[string, unknown, RegExp]>([
    ["a blank text", " ", /blank/],
    ["a number", 5, /input\[0\] is number/],
    ["null in a list", [null], /input\[0\] is null/],
    ["an object that is no message", { role: "user" }, /parts/],
    ["a part that there is not", [{ role: "user", parts: [{ type: "txt", text: "hi" }] }], /messages\[0\]\.parts\[0\]/],
    ["lighter's, of a role that it has not", { role: "robot", content: "hi" }, /input\[0\]/],
  ])("is refused where it is %s, in words that say where", async (_, input, words) => {
    await expect(read(input as RunInput)).rejects.toMatchObject({
      code: "input/invalid",
      message: expect.stringMatching(words),
    });
  });

  test("may be a history of lighter's classes, and the answer goes back as such", async () => {
    const history: BaseMessages = [
      new SystemMessage("Be exact."),
      new UserMessage("计算 19 + 23。"),
      new AssistantMessage("", {
        toolCalls: [{ callId: "call_add_1", toolName: "add", arguments: '{"a":19,"b":23}' }],
      }),
      new ToolMessage({ callId: "call_add_1", toolName: "add", toolOutput: "42" }),
    ];
    const model = scripted([{ text: "19 + 23 = 42。" }]);
    const agent = createAgent({ ...fixed(), model });
    const { messages } = await agent.run(history);
    expect(model.requests[0]?.conversation.messages.map(({ role }) => role)).toEqual([
      "system",
      "user",
      "assistant",
      "tool",
    ]);
    const written = encode(conversation(...messages), "lighter").value;
    expect(written).toEqual([new AssistantMessage("19 + 23 = 42。")]);
  });

  test("of a message that the agent made, as lighter, still has its id and facts", async () => {
    const model = scripted([{ reasoning: "easy", text: "one" }, { text: "two" }]);
    const agent = createAgent({ ...fixed(), model });
    const session = await agent.createSession();
    const { messages } = await agent.run("hi", { session });
    const lighter = encode(conversation(...messages), { to: "lighter", recipient: "store" }).value as BaseMessages; // the format's
    await agent.run([...lighter, new UserMessage("and?")], { session: await agent.createSession() });
    expect(model.requests[1]?.conversation.messages[0]).toMatchObject({ id: messages[0]?.id, run: messages[0]?.run });
  });
});

test("the calculator's history, as lighter, is that of its documentation", async () => {
  const add = defineTool({
    name: "add",
    parameters: z.object({ a: z.number(), b: z.number() }),
    execute: ({ a, b }) => a + b,
  });
  const model = scripted([{ calls: [["call_add_1", "add", { a: 19, b: 23 }]] }, { text: "19 + 23 = 42。" }]);
  const agent = createAgent({ model, tools: [add] });
  const session = await agent.createSession();
  await agent.run("计算 19 + 23。", { session });
  expect(encode(conversation(...session.messages), "lighter").value).toEqual([
    new UserMessage("计算 19 + 23。"),
    new AssistantMessage("", { toolCalls: [{ callId: "call_add_1", toolName: "add", arguments: '{"a":19,"b":23}' }] }),
    new ToolMessage({ callId: "call_add_1", toolName: "add", toolOutput: "42" }),
    new AssistantMessage("19 + 23 = 42。"),
  ]);
});

describe("what a caller gives wrong is told before anything runs", () => {
  const agent = createAgent({ ...fixed(), model: scripted([]), tools: [] });
  const wrong = (value: unknown) => value as never; // wrong on purpose

  test.each<[string, () => Promise<unknown>]>([
    ["an object", () => agent.run("q", { session: wrong({}) })],
    ["what looks like one", () => agent.run("q", { session: wrong({ id: "s", messages: [], stateBag: {} }) })],
    ["null", () => agent.run("q", { session: wrong(null) })],
    [
      "a stored one",
      async () => agent.run("q", { session: wrong(await agent.serializeSession(await agent.createSession())) }),
    ],
    ["one in a stream", () => agent.runStreaming("q", { session: wrong("s1") }).next()],
    ["one to store", () => agent.serializeSession(wrong({}))],
  ])("a session that is none: %s", async (_, call) => {
    await expect(call()).rejects.toMatchObject({
      code: "session/invalid",
      message: expect.stringMatching(/createSession/),
    });
  });

  test.each<[string, object]>([
    ["signal", { signal: {} }],
    ["model", { model: "openai/gpt-5.2" }],
    ["instructions", { instructions: ["Be brief."] }],
    ["tools", { tools: { add: () => 1 } }],
    ["tools", { tools: [{ name: "add" }] }],
    ["toolChoice", { toolChoice: true }],
    ["settings", { settings: 5 }],
    ["additionalProperties", { additionalProperties: [] }],
  ])("an option: %s %j", async (option, options) => {
    const call = agent.run("q", wrong(options));
    await expect(call).rejects.toMatchObject({ code: "options/invalid", data: { option } });
  });

  test("options that are no object, and a session's", async () => {
    const code = "options/invalid";
    await expect(agent.run("q", wrong(null))).rejects.toMatchObject({ code });
    await expect(agent.createSession(wrong({ id: 5 }))).rejects.toMatchObject({ code, data: { option: "id" } });
    await expect(agent.createSession(wrong({ messages: "hi" }))).rejects.toMatchObject({ code });
  });

  test("an agent's definition", () => {
    expect(() => createAgent(wrong({}))).toThrow(expect.objectContaining({ code: "agent/invalid" }));
    expect(() => createAgent(wrong({ model: scripted([]), tools: {} }))).toThrow(
      expect.objectContaining({ code: "agent/invalid" }),
    );
  });
});
