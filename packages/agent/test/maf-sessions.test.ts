import { isJsonObject, type JsonObject, type Loss } from "translogue";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { createAgent, defineTool } from "../src/index.ts";
import { fixed, scripted } from "./scripted-model.ts";

/** Sessions in the shape of the Microsoft Agent Framework: read, gone on with, and written for it to go on. */

const ran: unknown[] = [];
const tools = ["pay", "look"].map(name =>
  defineTool({
    name,
    parameters: z.object({ amount: z.number().optional() }),
    needsApproval: name === "pay",
    execute: input => {
      ran.push([name, input]);
      return `${name}: done`;
    },
  }),
);
const agentOf = (...turns: Parameters<typeof scripted>[0] & readonly unknown[]) => {
  ran.length = 0;
  const model = scripted(turns as Parameters<typeof scripted>[0]); // turns, as above
  return { agent: createAgent({ ...fixed(), model, tools, approvals: { mixed: "hold" } }), model };
};
const call = (callId: string, name: string, args: JsonObject = {}) =>
  ({ $type: "functionCall", name, arguments: args, informationalOnly: false, callId }) as const;
const request = (callId: string, name: string) => ({
  $type: "toolApprovalRequest",
  toolCall: call(callId, name),
  requiresConfirmation: true,
  requestId: `ficc_${callId}`,
});
const bare = ({ $type: _, ...content }: ReturnType<typeof request>) => content;
const history = (...contents: JsonObject[]) => ({
  messages: [
    { role: "user", contents: [{ $type: "text", text: "Pay and look" }] },
    { authorName: "Bot", role: "assistant", contents, messageId: "m1" },
  ],
});
/** Its own calls stand in the bag. */
const waiting = {
  stateBag: {
    InMemoryChatHistoryProvider: history(request("c2", "pay")),
    _pendingApprovalRequests: [bare(request("c2", "pay"))],
    _autoApprovedFunctionCalls: [{ ...bare(request("c1", "look")), requiresConfirmation: false }],
  },
};
const answer = (approved: boolean) => ({
  role: "user",
  parts: [{ type: "approval-response" as const, requestId: "ficc_c2", approved }],
});
const bagOf = (json: unknown): JsonObject => {
  const bag = isJsonObject(json) ? json["stateBag"] : undefined;
  return isJsonObject(bag) ? bag : {};
};

describe("a session of .NET that waits", () => {
  test("shows what it waits for, and runs it with what was parked once it is let through", async () => {
    const { agent, model } = agentOf({ text: "Both done." });
    const session = await agent.deserializeSession(waiting);
    expect(session.pendingApprovals.map(({ requestId, call: { name } }) => [requestId, name])).toEqual([
      ["ficc_c2", "pay"],
    ]);
    await agent.run(answer(true), { session });
    expect(ran.map(each => (each as unknown[])[0])).toEqual(["pay", "look"]);
    const roles = model.requests[0]?.conversation.messages.map(({ role }) => role);
    expect(roles).toEqual(["user", "assistant", "tool"]);
  });

  test("is the same when it is written again", async () => {
    const { agent } = agentOf();
    const again = bagOf(await agent.serializeSession(await agent.deserializeSession(waiting), { as: "maf" }));
    for (const key of ["_pendingApprovalRequests", "_autoApprovedFunctionCalls"] as const)
      expect(again[key]).toEqual(waiting.stateBag[key]);
    expect(again["InMemoryChatHistoryProvider"]).toMatchObject(waiting.stateBag.InMemoryChatHistoryProvider);
  });

  test("takes the result of a call that the application runs", async () => {
    const { agent, model } = agentOf({ text: "Oslo." });
    const session = await agent.deserializeSession({
      stateBag: { InMemoryChatHistoryProvider: history(call("c7", "where")) },
    });
    expect(session.pendingCalls.map(({ callId }) => callId)).toEqual(["c7"]);
    await agent.run({ role: "tool", parts: [{ type: "tool-result", callId: "c7", output: [] }] }, { session });
    expect(model.requests[0]?.conversation.messages.at(-1)?.role).toBe("tool");
  });

  test.each(["queuedApprovalRequests", "collectedApprovalResponses"])("honours its `%s`", async key => {
    const { agent } = agentOf({ text: "ok" });
    const collected = { approved: true, toolCall: call("c2", "pay"), requestId: "ficc_c2" };
    const state = { [key]: [key.startsWith("queued") ? bare(request("c9", "pay")) : collected] };
    const session = await agent.deserializeSession({ stateBag: { ...waiting.stateBag, toolApprovalState: state } });
    const open = session.pendingApprovals.map(({ requestId }) => requestId);
    expect(open).toEqual(key.startsWith("queued") ? ["ficc_c2", "ficc_c9"] : []);
  });
});

describe("a session of ours that waits", () => {
  test("stands for .NET with its calls inside of their requests, and goes on when it comes back", async () => {
    const { agent } = agentOf(
      {
        calls: [
          ["c1", "look", {}],
          ["c2", "pay", { amount: 5 }],
        ],
      },
      { text: "Both done." },
    );
    const session = await agent.createSession();
    await agent.run("Pay and look", { session });
    const stored = await agent.serializeSession(session, { as: "maf" });
    const contents = JSON.stringify(bagOf(stored)["InMemoryChatHistoryProvider"]);
    expect(contents.match(/"\$type":"functionCall","name":"\w+"/g)).toEqual(['"$type":"functionCall","name":"pay"']);
    const again = await agent.deserializeSession(JSON.parse(JSON.stringify(stored)));
    expect(again.id).toBe(session.id);
    const [{ requestId } = { requestId: "" }] = again.pendingApprovals;
    await agent.run(
      { role: "user", parts: [{ type: "approval-response", requestId, approved: true }] },
      { session: again },
    );
    expect(ran).toEqual(
      expect.arrayContaining([
        ["pay", { amount: 5 }],
        ["look", {}],
      ]),
    );
    expect(again.messages.at(-1)?.parts).toMatchObject([{ type: "text", text: "Both done." }]);
  });
});

test("what .NET's text cannot hold of a session is reported where it is written as text", async () => {
  const { agent } = agentOf({ text: "cut \ud83d" });
  const session = await agent.createSession();
  await agent.run("Hi", { session });
  const losses: Loss[] = [];
  const report = (all: readonly Loss[]): unknown => losses.push(...all);
  expect(await agent.serializeSession(session, { as: "maf-text", report })).toContain("cut \\uFFFD");
  expect(losses.map(({ code, wirePath = [] }) => [code, wirePath.at(-1)])).toContainEqual(["half-character", "text"]);
});

describe("what is read", () => {
  test("keeps unknown state, and in text every number as it was spelled", async () => {
    const text = '{"stateBag":{"mine":{"z":1.0,"a":1e3,"big":123456789012345678901234567890},"n":2.50}}';
    const { agent } = agentOf();
    const session = await agent.deserializeSession(text);
    expect([session.stateBag.get("n"), session.stateBag.count]).toEqual([2.5, 2]);
    const again = String(await agent.serializeSession(session, { as: "maf-text" }));
    expect(again).toContain('"mine":{"z":1.0,"a":1e3,"big":123456789012345678901234567890},"n":2.50');
    session.stateBag.set("n", 3);
    expect(String(await agent.serializeSession(session, { as: "maf-text" }))).toContain('"n":3');
  });

  test.each([
    ["nothing", {}],
    ["no bag", { stateBag: null, conversationId: null }],
    ["another case of letters", { StateBag: {}, ConversationID: "" }],
    ["the sign of a history kept call by call", { conversationId: "_agent_local_chat_history", stateBag: {} }],
  ])("may have %s", async (_, json) => {
    const session = await agentOf().agent.deserializeSession(json);
    expect([session.conversationId, session.messages.length]).toEqual([undefined, 0]);
  });

  test("goes on with the conversation that a service keeps", async () => {
    const { agent, model } = agentOf({ text: "ok" });
    const session = await agent.deserializeSession({ conversationId: "resp_1", stateBag: {} });
    await agent.run("More", { session });
    expect(model.requests[0]?.conversationId).toBe("resp_1");
  });

  test.each([
    ["a bag that is none", { stateBag: [] }],
    ["a conversation that is no text", { conversationId: 7 }],
    ["a history that is none", { stateBag: { InMemoryChatHistoryProvider: "x" } }],
    ["messages that are none", { stateBag: { InMemoryChatHistoryProvider: { messages: {} } } }],
    [
      "a message without a role",
      { stateBag: { InMemoryChatHistoryProvider: { messages: [{ role: " ", contents: [] }] } } },
    ],
    ["requests that are no list", { stateBag: { _pendingApprovalRequests: {} } }],
    ["a request without a call", { stateBag: { _pendingApprovalRequests: [{ requestId: "x" }] } }],
    ["approvals that are none", { stateBag: { toolApprovalState: [] } }],
    ["a queue that is none", { stateBag: { "MessageInjectingChatClient.PendingInjectedMessages": "x" } }],
    ["no JSON", "{"],
  ])("is refused where it has %s", async (_, json) => {
    await expect(agentOf().agent.deserializeSession(json)).rejects.toMatchObject({ code: "session/invalid" });
  });
});

test("a standing rule has its arguments as .NET spells them, and finds the call of a session that .NET wrote", async () => {
  const spelled = String.raw`"é\uD83D\uDC4D"`;
  const rules = { toolName: "look", arguments: { of: spelled, n: "1.0" } };
  const { agent } = agentOf();
  const session = await agent.deserializeSession({ stateBag: { toolApprovalState: { rules: [rules] } } });
  expect(session.approvalRules?.[0]?.arguments).toEqual({ of: '"é👍"', n: "1.0" });
  const { toolApprovalState: state } = bagOf(await agent.serializeSession(session, { as: "maf" }));
  expect(isJsonObject(state) && state["rules"]).toEqual([rules]);
});
