import { emit, type Message } from "translogue";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import {
  type ChatHistoryProvider,
  type ContextProvider,
  createAgent,
  defineTool,
  type Model,
  type RunExchange,
  sessionHistory,
} from "../src/index.ts";
import { fixed, scripted } from "./scripted-model.ts";

/** Where histories are kept, and who adds to runs: before them, and after. */

const textsOf = (messages: readonly Message[]): string[] =>
  messages.map(
    ({ role, parts }) => `${role}: ${parts.map(part => (part.type === "text" ? part.text : part.type)).join("")}`,
  );
const said = (text: string): Message => ({ role: "user", parts: [{ type: "text", text }] });
const sent = (model: ReturnType<typeof scripted>, call: number) =>
  textsOf(model.requests[call]?.conversation.messages ?? []);

describe("a context provider", () => {
  const rain: ContextProvider = {
    name: "rain",
    before: () => ({ instructions: "Mind the weather.", messages: [said("It rains.")] }),
  };

  test("adds instructions, messages and tools, which are kept with the input", async () => {
    const umbrella = defineTool({ name: "umbrella", parameters: z.object({}), execute: () => "open" });
    const model = scripted([{ calls: [["c1", "umbrella", {}]] }, { text: "Take it." }]);
    const context = [rain, { name: "tools", before: () => ({ tools: [umbrella] }) }];
    const agent = createAgent({ ...fixed(), model, instructions: "Be kind.", context });
    const session = await agent.createSession();
    await agent.run("Shall I go?", { session });
    expect(sent(model, 0)).toEqual(["system: Be kind.\nMind the weather.", "user: Shall I go?", "user: It rains."]);
    expect(model.requests[0]?.conversation.tools?.map(({ name }) => name)).toEqual(["umbrella"]);
    expect(session.messages.map(({ synthetic }) => synthetic)).toEqual([
      undefined,
      "context",
      undefined,
      undefined,
      undefined,
    ]);
  });

  test("that is asked who leads a session leaves nothing of that in its state", async () => {
    const counter: ContextProvider = {
      name: "counter",
      before: ({ session: { stateBag } }) => {
        const { count = 0 } = (stateBag.get("counter") ?? {}) as { readonly count?: number }; // as set here
        stateBag.set("counter", { count: count + 1 });
        return undefined;
      },
    };
    const agent = createAgent({ ...fixed(), model: scripted([{ text: "Hello." }]), context: [counter] });
    const session = await agent.createSession({
      messages: [said("Help"), { role: "tool", parts: [{ type: "change", agent: "gone" }] }],
    });
    await agent.run("Hi", { session });
    expect(session.stateBag.toJSON()).toEqual({ counter: { count: 1 } });
  });

  test("sees what those before it added, and afterwards what came of the run", async () => {
    const seen: unknown[] = [];
    const exchanges: RunExchange[] = [];
    const watcher: ContextProvider = {
      name: "watcher",
      before: ({ context, instructions }) => {
        seen.push(textsOf(context), instructions);
        return undefined;
      },
      after: (_, exchange) => void exchanges.push(exchange),
    };
    const agent = createAgent({ ...fixed(), model: scripted([{ text: "Yes." }]), context: [rain, watcher] });
    await agent.run("Wet?", { session: await agent.createSession() });
    expect(seen).toEqual([["user: It rains."], "Mind the weather."]);
    const [{ input, context, response, error } = {} as RunExchange] = exchanges; // one was told
    expect([textsOf(input), textsOf(context), textsOf(response), error]).toEqual([
      ["user: Wet?"],
      ["user: It rains."],
      ["assistant: Yes."],
      undefined,
    ]);
  });

  test("is told of a failed run with what there is of the answer", async () => {
    let told: RunExchange | undefined;
    const after = (_: unknown, exchange: RunExchange): void => {
      told = exchange;
    };
    const context = [{ name: "w", after }];
    const model = scripted([{ text: "Half an", throws: new Error("reset") }]);
    const agent = createAgent({ ...fixed(), model, context });
    const { error } = await agent.run("Tell");
    expect([error?.message, told?.error?.message, textsOf(told?.response ?? [])]).toEqual([
      "reset",
      "reset",
      ["assistant: Half anerror"],
    ]);
  });

  test("that fails before a run ends it before it begins, and nothing is lost", async () => {
    const context = [{ name: "w", before: () => Promise.reject(new Error("no memory")) }];
    const agent = createAgent({ ...fixed(), model: scripted([]), context });
    const session = await agent.createSession();
    session.inject("By the way");
    await expect(agent.run("Hi", { session })).rejects.toMatchObject({ code: "context/failed", message: "no memory" });
    expect([session.messages.length, session.injectedMessages.length]).toEqual([0, 1]);
  });

  test("that fails after a run is its error; the answer stands, and others are told", async () => {
    let told = 0;
    const context: ContextProvider[] = [
      { name: "a", after: () => Promise.reject(new Error("disk full")) },
      { name: "b", after: () => void told++ },
    ];
    const agent = createAgent({ ...fixed(), model: scripted([{ text: "42" }]), context });
    const session = await agent.createSession();
    const { text, error, finish } = await agent.run("6 × 7?", { session });
    expect([text, error, finish?.reason, told]).toEqual([
      "42",
      { code: "context/failed", message: "disk full" },
      "error",
      1,
    ]);
    expect(textsOf(session.messages)).toEqual(["user: 6 × 7?", "assistant: 42"]);
  });

  test("has state keys of its own, which no other has", () => {
    const provider = (name: string): ContextProvider => ({ name, stateKeys: ["mem"] });
    const model = scripted([]);
    expect(() => createAgent({ model, context: [provider("a"), provider("b")] })).toThrow(/`a` and `b`/);
    expect(() => createAgent({ model, context: [provider("a")], history: sessionHistory({ key: "mem" }) })).toThrow(
      /the history/,
    );
  });

  test("puts nothing between a call that waits and its result", async () => {
    const pay = defineTool({ name: "pay", parameters: z.object({}), needsApproval: true, execute: () => "paid" });
    const model = scripted([{ calls: [["c1", "pay", {}]] }, { text: "Paid." }]);
    const agent = createAgent({ ...fixed(), model, tools: [pay], context: [rain] });
    const session = await agent.createSession();
    await agent.run("Pay", { session });
    const [{ requestId } = { requestId: "" }] = session.pendingApprovals;
    await agent.run({ role: "user", parts: [{ type: "approval-response", requestId, approved: true }] }, { session });
    expect(sent(model, 1)).toEqual([
      "system: Mind the weather.",
      "user: Pay",
      "user: It rains.",
      "assistant: tool-call",
      "tool: tool-result",
    ]);
  });
});

describe("a history", () => {
  /** A store that says nothing about sessions: one list. */
  function storeOf(fails: { on?: boolean } = {}): { store: ChatHistoryProvider; kept: Message[] } {
    const kept: Message[] = [];
    const store: ChatHistoryProvider = {
      load: () => [...kept],
      store: (_, messages) => {
        if (fails.on) throw new Error("no disk");
        kept.push(...messages);
      },
    };
    return { store, kept };
  }

  test("in a store is read before each run and told after it; the stored session has none of it", async () => {
    const { store, kept } = storeOf();
    const model = scripted([{ text: "1" }, { text: "2" }]);
    const agent = createAgent({ ...fixed(), model, history: store });
    const session = await agent.createSession();
    await agent.run("one", { session });
    const stored = await agent.serializeSession(session);
    expect(stored).toMatchObject({ messages: [] });
    await agent.run("two", { session: await agent.deserializeSession(stored) });
    expect(sent(model, 1)).toEqual(["user: one", "assistant: 1", "user: two"]);
    expect(textsOf(kept)).toEqual(["user: one", "assistant: 1", "user: two", "assistant: 2"]);
  });

  test("that a store did not take stays in the session, and comes again", async () => {
    const fails = { on: true };
    const { store, kept } = storeOf(fails);
    const agent = createAgent({ ...fixed(), model: scripted([{ text: "1" }, { text: "2" }]), history: store });
    const session = await agent.createSession();
    const { text, error } = await agent.run("one", { session });
    expect([text, error?.code, kept]).toEqual(["1", "history/failed", []]);
    fails.on = false;
    await agent.run("two", { session: await agent.deserializeSession(await agent.serializeSession(session)) });
    expect(textsOf(kept)).toEqual(["user: one", "assistant: 1", "user: two", "assistant: 2"]);
  });

  test("given for one run stands in for the session's, which it leaves as it was", async () => {
    const { store, kept } = storeOf();
    kept.push(said("elsewhere"));
    const model = scripted([{ text: "1" }, { text: "2" }, { text: "3" }]);
    const agent = createAgent({ ...fixed(), model });
    const session = await agent.createSession();
    await agent.run("one", { session });
    await agent.run("two", { session, history: store });
    await agent.run("three", { session });
    expect([sent(model, 1), sent(model, 2)]).toEqual([
      ["user: elsewhere", "user: two"],
      ["user: one", "assistant: 1", "user: three"],
    ]);
    expect(textsOf(kept)).toEqual(["user: elsewhere", "user: two", "assistant: 2"]);
  });

  test.each([
    ["load", ["assistant: 1", "user: two"], 3],
    ["store", ["assistant: 1", "user: two"], 1],
  ] as const)("is shortened at %s", async (reduceAt, read, left) => {
    const model = scripted([{ text: "1" }, { text: "2" }]);
    const history = sessionHistory({ reduce: messages => messages.slice(-1), reduceAt });
    const agent = createAgent({ ...fixed(), model, history });
    const session = await agent.createSession();
    await agent.run("one", { session });
    await agent.run("two", { session });
    expect([sent(model, 1), session.messages.length]).toEqual([read, left]);
  });

  test("shows a run what it is to read, and keeps the rest in its place", async () => {
    const model = scripted([{ text: "1" }, { text: "2" }]);
    const history = sessionHistory({ provide: messages => messages.filter(({ role }) => role === "user") });
    const agent = createAgent({ ...fixed(), model, history });
    const session = await agent.createSession();
    await agent.run("one", { session });
    await agent.run("two", { session });
    expect(sent(model, 1)).toEqual(["user: one", "user: two"]);
    expect(textsOf(session.messages)).toEqual(["user: one", "assistant: 1", "user: two", "assistant: 2"]);
  });
});

describe("messages that are queued", () => {
  test("go in behind the input of the next run, once, also after a restart", async () => {
    const model = scripted([{ text: "1" }, { text: "2" }]);
    const agent = createAgent({ ...fixed(), model });
    const session = await agent.createSession();
    session.inject("By the way");
    const again = await agent.deserializeSession(await agent.serializeSession(session));
    await agent.run("one", { session: again });
    await agent.run("two", { session: again });
    expect(sent(model, 1)).toEqual(["user: one", "user: By the way", "assistant: 1", "user: two"]);
  });

  test("while a run is under way wait for the next, though that one dies (mastra-ai/mastra#21127)", async () => {
    const session = await createAgent({ model: scripted([]) }).createSession();
    const requests: (readonly Message[])[] = [];
    const model: Model = {
      id: "m",
      provider: "test",
      async *stream({ conversation }) {
        if (requests.push(conversation.messages) === 1) {
          session.inject("second");
          throw new Error("429");
        }
        const finish = { reason: "stop" } as const;
        yield emit([{ role: "assistant", parts: [{ type: "text", text: "answer" }], finish }]);
      },
    };
    const agent = createAgent({ ...fixed(), model });
    expect((await agent.run("first", { session })).finish?.reason).toBe("error");
    expect(session.injectedMessages.length).toBe(1);
    await agent.run(undefined, { session });
    expect(textsOf(requests[1] ?? [])).toEqual(["user: first", "user: second"]);
    expect(session.injectedMessages).toEqual([]);
  });
});
