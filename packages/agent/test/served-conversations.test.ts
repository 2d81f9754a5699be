import type { Message } from "translogue";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { createAgent, defineTool, fallbackModel, sessionHistory } from "../src/index.ts";
import type { ModelRequest } from "../src/model.ts";
import { fixed, scripted, type Turn } from "./scripted-model.ts";

const ok = defineTool({ name: "ok", parameters: z.object({}), execute: () => "ok" });
const pay = defineTool({ name: "pay", parameters: z.object({}), needsApproval: true, execute: () => "paid" });

function setup(turns: readonly Turn[]) {
  const model = scripted(turns);
  return { model, agent: createAgent({ ...fixed(), model, tools: [ok, pay], instructions: "Be brief." }) };
}
const calls = (callId: string, conversationId?: string, name = "ok"): Turn => ({
  calls: [[callId, name, {}]],
  ...(conversationId !== undefined && { conversationId }),
});
const says = (text: string, conversationId?: string): Turn => ({
  text,
  ...(conversationId !== undefined && { conversationId }),
});

/** What a call of the model was given: where, and the messages behind the instructions. */
const sent = ({ conversation, conversationId }: ModelRequest): string =>
  [conversationId ?? "-", ...conversation.messages.slice(1).map(outline)].join(" | ");
const outline = ({ role, parts }: Message): string =>
  `${role} ${parts.map(part => (part.type === "text" ? part.text : "callId" in part ? `${part.type} ${part.callId}` : part.type)).join(" ")}`;

describe("a conversation that the provider keeps", () => {
  test("is sent what is new only, over all steps and runs, and the session says where it is", async () => {
    const { agent, model } = setup([calls("c1", "r1"), says("Done.", "r2"), says("Yes.", "r3")]);
    const session = await agent.createSession();
    const response = await agent.run("Go", { session });
    expect([response.conversationId, session.conversationId]).toEqual(["r2", "r2"]);
    const copy = await agent.deserializeSession(await agent.serializeSession(session));
    await agent.run("Sure?", { session: copy });
    expect(model.requests.map(sent)).toEqual(["- | user Go", "r1 | tool tool-result c1", "r2 | user Sure?"]);
    expect(copy.conversationId).toBe("r3");
    expect(copy.messages).toHaveLength(6);
  });

  test("that it keeps no more is sent whole again", async () => {
    const { agent, model } = setup([calls("c1", "r1"), calls("c2"), says("Done.")]);
    const response = await agent.run("Go");
    expect(model.requests.map(sent)).toEqual([
      "- | user Go",
      "r1 | tool tool-result c1",
      "- | user Go | assistant tool-call c1 | tool tool-result c1 | assistant tool-call c2 | tool tool-result c2",
    ]);
    expect(response.conversationId).toBeUndefined();
  });

  test("may have begun elsewhere", async () => {
    const { agent, model } = setup([says("Hello again.", "conv-1")]);
    const messages: Message[] = [{ role: "user", parts: [{ type: "text", text: "Hi" }] }];
    const session = await agent.createSession({ conversationId: "conv-1", messages });
    await agent.run("It is me", { session });
    expect(model.requests.map(sent)).toEqual(["conv-1 | user It is me"]);
  });

  test("with a blank id is none", async () => {
    const { agent, model } = setup([calls("c1", " "), says("Done.", "")]);
    await agent.run("Go", { session: await agent.createSession({ conversationId: "  " }) });
    expect(model.requests.map(({ conversationId }) => conversationId)).toEqual([undefined, undefined]);
  });

  test.each<[string, Turn]>([
    ["fails", { text: "I beg", conversationId: "r9", error: { message: "cut" } }],
    ["is cut", { text: "I beg", conversationId: "r9", finish: "none" }],
  ])("takes the id of no answer that %s: what was said then is said again, once", async (_, turn) => {
    const { agent, model } = setup([says("One.", "r1"), turn, says("Two.", "r2")]);
    const session = await agent.createSession();
    await agent.run("First", { session });
    expect((await agent.run("Second", { session })).finish?.reason).toBe("error");
    expect(session.conversationId).toBe("r1");
    await agent.run("Again", { session });
    expect(model.requests.slice(1).map(sent)).toEqual(["r1 | user Second", "r1 | user Second | user Again"]);
  });

  test("gets the result of a call that was let through, and not the call", async () => {
    const { agent, model } = setup([calls("c1", "r1", "pay"), says("Paid.", "r2")]);
    const session = await agent.createSession();
    await agent.run("Pay", { session });
    const [asked] = session.pendingApprovals;
    const part = { type: "approval-response" as const, requestId: asked?.requestId ?? "", approved: true };
    await agent.run({ role: "user", parts: [part, { type: "text", text: "Thanks" }] }, { session });
    expect(sent(model.requests[1] as ModelRequest)).toBe("r1 | tool tool-result c1 | user Thanks"); // it was asked twice
  });

  const said = (text: string): Message => ({ role: "user", parts: [{ type: "text", text }] });

  test("is sent whole again once its messages were replaced by others", async () => {
    const { agent, model } = setup([says("One.", "r1"), says("Two.", "r2")]);
    const session = await agent.createSession();
    await agent.run("First", { session });
    session.replaceMessages([said("Edited")]);
    expect(session.conversationId).toBeUndefined();
    await agent.run("Second", { session });
    expect(sent(model.requests[1] as ModelRequest)).toBe("- | user Edited | user Second"); // it was asked twice
  });

  test("stays where it is once messages were added behind those that it has", async () => {
    const { agent, model } = setup([says("One.", "r1"), says("Two.", "r2")]);
    const session = await agent.createSession();
    await agent.run("First", { session });
    session.replaceMessages([...session.messages, said("Added")]);
    await agent.run("Second", { session });
    expect(sent(model.requests[1] as ModelRequest)).toBe("r1 | user Added | user Second"); // it was asked twice
  });

  test("goes to no other provider: that one is sent the whole, and no id", async () => {
    const { agent, model } = setup([says("One.", "r1"), says("Three.", "r3")]);
    const other = { ...scripted([says("Two.", "x1")]), provider: "other" };
    const session = await agent.createSession();
    await agent.run("First", { session });
    await agent.run("Second", { session, model: other });
    expect(other.requests.map(sent)).toEqual(["- | user First | assistant One. | user Second"]);
    await agent.run("Third", { session });
    expect(sent(model.requests[1] as ModelRequest)).toMatch(/^- \| user First .* user Third$/); // it was asked twice
  });

  test("goes to no model of another provider that answers in place of one that fails", async () => {
    const first = scripted([says("One.", "r1"), { error: { message: "busy", retryable: true } }]);
    const other = { ...scripted([says("Two.")]), provider: "other" };
    const agent = createAgent({
      ...fixed(),
      model: fallbackModel({ models: [first, other] }),
      instructions: "Be brief.",
    });
    const session = await agent.createSession();
    await agent.run("First", { session });
    expect((await agent.run("Second", { session })).finish?.reason).toBe("error");
    expect(other.requests).toEqual([]);
  });

  const last = (count: number) => (messages: readonly Message[]) => messages.slice(-count);
  test.each([
    ["shortened before a run", sessionHistory({ reduce: last(2) })],
    ["shortened after a run", sessionHistory({ reduce: last(1), reduceAt: "store" })],
    ["shown in part", sessionHistory({ provide: last(1) })],
    ["kept in part", sessionHistory({ keep: ({ input }) => input })],
  ])("is sent what is new where the history is %s", async (_, history) => {
    const model = scripted([says("One.", "r1"), says("Two.", "r2"), says("Three.", "r3")]);
    const agent = createAgent({ ...fixed(), model, history, instructions: "Be brief." });
    const session = await agent.createSession();
    for (const text of ["First", "Second", "Third"]) await agent.run(text, { session });
    expect(model.requests.map(sent)).toEqual(["- | user First", "r1 | user Second", "r2 | user Third"]);
  });

  test("is the session's own again after a run with another history", async () => {
    const { agent, model } = setup([says("One.", "r1"), says("Aside.", "x1"), says("Two.", "r2")]);
    const session = await agent.createSession();
    await agent.run("First", { session });
    await agent.run("Second", { session, history: { load: () => [said("Theirs")], store: () => {} } });
    await agent.run("Third", { session });
    expect(model.requests.slice(1).map(sent)).toEqual(["- | user Theirs | user Second", "r1 | user Third"]);
  });
});
