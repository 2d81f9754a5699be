import type { ApprovalResponsePart, Message, Part, ToolCallPart } from "translogue";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { createAgent, defineTool } from "../src/index.ts";
import { fixed, scripted, type Turn } from "./scripted-model.ts";

function setup(turns: readonly Turn[] = [{ text: "Done." }]) {
  const ran: string[] = [];
  const pay = defineTool({
    name: "pay",
    parameters: z.object({ amount: z.number() }),
    needsApproval: true,
    execute: ({ amount }, { callId }) => `${ran.push(`${callId}:${amount}`) && "paid"}`,
  });
  const model = scripted(turns);
  return { ran, model, agent: createAgent({ ...fixed(), model, tools: [pay] }) };
}

const call = (callId: string, amount: number, more: Partial<ToolCallPart> = {}): ToolCallPart => ({
  type: "tool-call",
  callId,
  name: "pay",
  input: { amount },
  ...more,
});
/** As formats have it that keep the call inside its request. */
const asks = (callId: string, amount: number, more: Partial<ToolCallPart> = {}): Part => ({
  type: "approval-request",
  requestId: `ask-${callId}`,
  callId,
  call: call(callId, amount, more),
});
const answers = (callId: string, approved = true): ApprovalResponsePart => ({
  type: "approval-response",
  requestId: `ask-${callId}`,
  approved,
});
const text = (words: string): Part => ({ type: "text", text: words });
const said = (role: string, ...parts: Part[]): Message => ({ role, parts });
const buy = said("user", text("Buy"));

const outline = (messages: readonly Message[]): string[] =>
  messages.map(
    ({ role, parts }) =>
      `${role}: ${parts.map(part => (part.type === "text" ? part.text : "callId" in part ? `${part.type} ${part.callId}` : part.type)).join(", ")}`,
  );

describe("a session made of a history", () => {
  test("waits for what the history asks; the call that is let through gets a place of its own before its result", async () => {
    const { agent, model, ran } = setup();
    const session = await agent.createSession({ messages: [buy, said("assistant", text("Sure?"), asks("c1", 5))] });
    expect(session.pendingApprovals).toMatchObject([{ requestId: "ask-c1", call: { callId: "c1", name: "pay" } }]);
    const { messages } = await agent.run(said("user", answers("c1"), text("thanks")), { session });
    expect(ran).toEqual(["c1:5"]);
    expect(outline(messages)).toEqual(["assistant: tool-call c1", "tool: tool-result c1", "assistant: Done."]);
    expect(outline(model.requests[0]?.conversation.messages ?? [])).toEqual([
      "user: Buy",
      "assistant: Sure?",
      "assistant: tool-call c1",
      "tool: tool-result c1",
      "user: thanks",
    ]);
    expect(new Set(session.messages.map(({ id }) => id).filter(Boolean)).size).toBe(5);
  });

  test("takes an answer that stands in it, and goes on without another word", async () => {
    const { agent, ran } = setup();
    const messages = [
      buy,
      said("assistant", asks("c1", 5), asks("c2", 6)),
      said("user", answers("c1"), answers("c2", false)),
    ];
    const session = await agent.createSession({ messages });
    expect(session.pendingApprovals).toEqual([]);
    await agent.run(undefined, { session });
    expect(ran).toEqual(["c1:5"]);
  });

  test("takes one that came with others in between, however late", async () => {
    const { agent, ran, model } = setup();
    const messages = [buy, said("assistant", asks("c1", 5)), said("user", text("a")), said("assistant", text("b"))];
    const session = await agent.createSession({ messages });
    await agent.run(said("user", answers("c1")), { session });
    expect(ran).toEqual(["c1:5"]);
    expect(outline(model.requests[0]?.conversation.messages ?? []).slice(-2)).toEqual([
      "assistant: tool-call c1",
      "tool: tool-result c1",
    ]);
  });

  test.each<[string, Message[]]>([
    ["has its result", [said("assistant", asks("c1", 5)), said("tool", { type: "tool-result", callId: "c1" })]],
    ["is handled", [said("assistant", asks("c1", 5, { handled: true }))]],
    ["is the provider's", [said("assistant", asks("c1", 5, { executedBy: "provider", kind: "mcp" }))]],
  ])("does not wait for a call that %s", async (_, messages) => {
    const { agent } = setup();
    expect((await agent.createSession({ messages })).pendingApprovals).toEqual([]);
  });

  test("asks about a call once, though its history does twice", async () => {
    const { agent, ran } = setup();
    const twice = said("assistant", asks("c1", 5), { ...asks("c1", 5), requestId: "again" } as Part); // another id of its own
    const session = await agent.createSession({ messages: [buy, twice] });
    expect(session.pendingApprovals.map(({ requestId }) => requestId)).toEqual(["ask-c1"]);
    await agent.run(said("user", answers("c1")), { session });
    expect(ran).toEqual(["c1:5"]);
  });

  test("of a tree is gone on with where its last branch ends, run by run, and stays a tree", async () => {
    const model = scripted([{ text: "Done." }, { text: "Again." }]);
    const agent = createAgent({ ...fixed(), model });
    const placed = (message: Message, id: string, parent: string | null): Message => ({ ...message, id, parent });
    const messages = [
      placed(said("user", { type: "text", text: "first" }), "1", null),
      placed(said("assistant", { type: "text", text: "other" }), "2", "1"),
      placed(said("assistant", { type: "text", text: "answer" }), "3", "1"),
    ];
    const session = await agent.createSession({ messages });
    await agent.run("Go", { session });
    await agent.run("On", { session });
    const read = model.requests.map(({ conversation }) => conversation.messages.map(({ parts }) => parts[0]));
    expect(read.map(parts => parts.map(part => (part?.type === "text" ? part.text : "")))).toEqual([
      ["first", "answer", "Go"],
      ["first", "answer", "Go", "Done.", "On"],
    ]);
    expect(session.messages.map(({ parent }) => parent)).toEqual([
      null,
      "1",
      "1",
      "3",
      ...session.messages.slice(3, -1).map(({ id }) => id),
    ]);
  });

  test("goes on after a restart between the call's new place and its result", async () => {
    const { agent, ran } = setup();
    const session = await agent.createSession({ messages: [buy, said("assistant", asks("c1", 5))] });
    const stream = agent.runStreaming(said("user", answers("c1")), { session });
    await stream.next();
    const copy = await agent.deserializeSession(await agent.serializeSession(session));
    await stream.return();
    ran.length = 0;
    const { text: words } = await agent.run(undefined, { session: copy });
    expect([words, ran]).toEqual(["Done.", ["c1:5"]]);
    expect(outline(copy.messages).slice(-3)).toEqual([
      "assistant: tool-call c1",
      "tool: tool-result c1",
      "assistant: Done.",
    ]);
  });
});

describe("what a model reads", () => {
  test("has no approval of the agent's calls, and a call with every result", async () => {
    const { agent, model } = setup();
    const history = [
      buy,
      said("assistant", asks("c1", 5)),
      said("user", answers("c1")),
      said("tool", { type: "tool-result", callId: "c1", output: [text("paid")] }),
    ];
    await agent.run("And?", { session: await agent.createSession({ messages: history }) });
    expect(outline(model.requests[0]?.conversation.messages ?? [])).toEqual([
      "user: Buy",
      "assistant: tool-call c1",
      "tool: tool-result c1",
      "user: And?",
    ]);
  });

  test("has those of the provider's calls, whose answers go back to it", async () => {
    const { agent, model } = setup();
    const request = asks("m1", 1, { executedBy: "provider", kind: "mcp", server: "docs" });
    const session = await agent.createSession({ messages: [buy, said("assistant", request)] });
    await agent.run(said("user", answers("m1")), { session });
    expect(outline(model.requests[0]?.conversation.messages ?? [])).toEqual([
      "user: Buy",
      "assistant: approval-request m1",
      "user: approval-response",
    ]);
  });
});

test("a request that the model itself makes about a call of the agent's is a person's to answer", async () => {
  const { ran, agent, model } = setup();
  const own = {
    ...model,
    async *stream(request: Parameters<typeof model.stream>[0]) {
      if (request.conversation.messages.some(({ role }) => role === "tool")) return yield* model.stream(request);
      yield [
        { type: "message-start" as const, message: 0, head: { role: "assistant" } },
        { type: "part" as const, message: 0, part: 0, value: asks("c1", 5) },
        { type: "message-set" as const, message: 0, set: { finish: { reason: "tool-calls" as const } } },
      ];
    },
  };
  const session = await agent.createSession();
  expect((await agent.run("Buy", { session, model: own })).finish?.reason).toBe("tool-calls");
  expect(session.pendingApprovals.map(({ requestId }) => requestId)).toEqual(["ask-c1"]);
  expect((await agent.run(said("user", answers("c1")), { session, model: own })).text).toBe("Done.");
  expect(ran).toEqual(["c1:5"]);
});
