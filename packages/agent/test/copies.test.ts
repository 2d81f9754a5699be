import type { Message, ToolCallPart } from "translogue";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { type AgentSession, type AgentTool, approve, createAgent, defineTool } from "../src/index.ts";
import { serializeSession } from "../src/session.ts";
import { fixed, scripted } from "./scripted-model.ts";

/** What tools, rules and callers are given is theirs: whatever they do with it, the session says what was said. */

/** Written by hand, with a `validate` that gives its argument on: nothing of a schema's makes copies. */
const bare = (tool: Partial<AgentTool>): AgentTool => ({
  name: "t",
  input: { type: "object" },
  validate: value => ({ ok: true, value }),
  ...tool,
});
const calling = () => scripted([{ calls: [["c1", "t", { list: [1] }]] }, { text: "Done." }]);
const list = (input: unknown): unknown[] => (input as { readonly list: unknown[] }).list; // as `calling` gives it
/** Changes every text and every argument in place, as no type allows. */
function spoil(value: unknown): void {
  if (typeof value !== "object" || value === null) return;
  for (const [key, member] of Object.entries(value)) {
    // What is frozen stays as it is.
    if (typeof member === "string" && (key === "text" || key === "inputText")) Reflect.set(value, key, "SPOILT");
    else if (typeof member === "number") Reflect.set(value, key, 999);
    else spoil(member);
  }
}

function spoilt<T>(value: unknown, given: T): T {
  spoil(value);
  return given;
}

async function ran(
  tool: AgentTool,
  input: string | Message = "Go",
  over: Parameters<typeof createAgent>[0] | object = {},
) {
  const agent = createAgent({ ...fixed(), id: "agent", model: calling(), tools: [tool], ...over });
  const session = await agent.createSession({
    messages: [{ role: "user", parts: [{ type: "text", text: "Before." }] }],
  });
  const response = await agent.run(input, { session });
  return { agent, session, response };
}

const untouched = JSON.stringify((await ran(bare({ execute: () => "ok" }))).session.messages);
const saidIn = (session: AgentSession) => JSON.stringify(serializeSession(session)["messages"]);

describe("the history stays as it was said where it is changed in place", () => {
  test.each<[string, Partial<AgentTool>, object?]>([
    ["by a tool, in its input", { execute: input => spoilt(input, "ok") }],
    ["by a tool, in the messages it reads", { execute: (_, { messages }) => spoilt(messages, "ok") }],
    ["by a tool, in its session's messages", { execute: (_, { session }) => spoilt(session.messages, "ok") }],
    ["by `validate`", { validate: value => spoilt(value, { ok: true, value }), execute: () => "ok" }],
    ["by a rule, in its input", { needsApproval: input => list(input).push("EXTRA") < 0, execute: () => "ok" }],
    [
      "by a rule, in the messages it reads",
      { needsApproval: (_, { messages }) => spoilt(messages, false), execute: () => "ok" },
    ],
    [
      "by a rule for all tools",
      { needsApproval: true, execute: () => "ok" },
      { approvals: { auto: [(call: ToolCallPart) => spoilt(call, true)] } },
    ],
    [
      "by a middleware, in the call it stands around",
      { execute: () => "ok" },
      { middleware: [{ tool: ({ call }: { call: ToolCallPart }, next: () => unknown) => spoilt(call, next)() }] },
    ],
    [
      "by the choice of a model",
      { execute: () => "ok" },
      { modelFor: ({ messages }: { messages: readonly Message[] }) => void spoil(messages) },
    ],
  ])("%s", async (_, tool, over) => {
    const { session } = await ran(bare(tool), "Go", over);
    expect(saidIn(session)).toBe(untouched);
  });

  test("by the caller, in the message of the run's input", async () => {
    const input: Message = { role: "user", parts: [{ type: "text", text: "Go" }] };
    const { session } = await ran(bare({ execute: () => "ok" }), input);
    spoil(input);
    expect(saidIn(session)).toBe(untouched);
  });

  test("by the caller, in the response, its updates and what the session shows", async () => {
    const { session, response } = await ran(bare({ execute: () => "ok" }));
    for (const shown of [response.messages, response.toUpdates(), session.messages]) spoil(shown);
    expect(saidIn(session)).toBe(untouched);
  });

  test("by the reader of a stream, in every update as it comes", async () => {
    const agent = createAgent({ ...fixed(), id: "agent", model: calling(), tools: [bare({ execute: () => "ok" })] });
    const session = await agent.createSession({
      messages: [{ role: "user", parts: [{ type: "text", text: "Before." }] }],
    });
    for await (const update of agent.runStreaming("Go", { session })) spoil(update);
    expect(saidIn(session)).toBe(untouched);
  });

  test.each(["createSession", "append", "replaceMessages", "inject"] as const)(
    "by the caller, in messages that were given by `%s`",
    async way => {
      const agent = createAgent({ ...fixed(), model: scripted([{ text: "Done." }]) });
      const messages: Message[] = [{ role: "user", parts: [{ type: "text", text: "Before." }] }];
      const session = await agent.createSession(way === "createSession" ? { messages } : {});
      if (way === "append") session.append(...messages);
      if (way === "replaceMessages") session.replaceMessages(messages);
      if (way === "inject") session.inject(messages);
      spoil(messages);
      spoil(session.injectedMessages);
      await agent.run("Go", { session });
      expect(saidIn(session)).not.toContain("SPOILT");
    },
  );

  test("by the caller, in the JSON that a session was read from", async () => {
    const { agent, session } = await ran(bare({ execute: () => "ok" }));
    const json = serializeSession(session);
    const read = await agent.deserializeSession(json);
    spoil(json);
    expect(saidIn(read)).toBe(untouched);
  });
});

test("a tool gets the arguments that its call has, whatever its rule did to those it was shown", async () => {
  const got: unknown[] = [];
  const tool = bare({ needsApproval: input => list(input).push("EXTRA") < 0, execute: input => void got.push(input) });
  await ran(tool);
  expect(got).toEqual([{ list: [1] }]);
});

describe("a call that waits for a person is run as it was recorded", () => {
  const asking = (got: unknown[]) => bare({ needsApproval: true, execute: input => void got.push(input) });

  test.each<[string, (session: AgentSession, shown: unknown) => unknown]>([
    ["the pending approval", session => session.pendingApprovals],
    ["the session's messages", session => session.messages],
    ["the response", (_, shown) => shown],
  ])("where the call was changed in %s", async (_, shownIn) => {
    const got: unknown[] = [];
    const { agent, session, response } = await ran(asking(got));
    const [pending] = session.pendingApprovals;
    spoil(shownIn(session, response.messages));
    spoil(pending);
    await agent.run({ role: "user", parts: session.pendingApprovals.map(each => approve(each)) }, { session });
    expect(got).toEqual([{ list: [1] }]);
  });

  test("where the application changed a call that it runs itself", async () => {
    const { session } = await ran(defineTool({ name: "t", parameters: z.object({ list: z.array(z.number()) }) }));
    const before = saidIn(session);
    spoil(session.pendingCalls);
    expect(saidIn(session)).toBe(before);
    expect(session.pendingCalls).toMatchObject([{ input: { list: [1] } }]);
  });
});

test("what a session shows to one reader no other can change: a tool, a rule, a caller", async () => {
  const seen: string[] = [];
  const look = (messages: readonly Message[]) => void seen.push(JSON.stringify(messages));
  const tool = bare({
    needsApproval: (_, { messages }) => spoilt(messages, false),
    execute: (_, { messages, session }) => spoilt(session.messages, look(messages)),
  });
  const { session } = await ran(tool);
  spoil(session.messages);
  look(session.messages);
  expect(seen).toHaveLength(2);
  for (const text of seen) expect(text).not.toMatch(/SPOILT|999/);
  expect(session.messages.every(each => Object.isFrozen(each) && Object.isFrozen(each.parts))).toBe(true);
});

test("a session shows a message as the same object each time, so that who reads it all the time copies it once", async () => {
  const { session } = await ran(bare({ execute: () => "ok" }));
  const [first] = session.messages;
  expect(session.messages[0]).toBe(first);
});
