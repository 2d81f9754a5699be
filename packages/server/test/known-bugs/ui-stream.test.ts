import { createAgent } from "@translogue/agent";
import { type ClientMessage, sendChat } from "@translogue/testkit/clients";
import { lastAssistantMessageIsCompleteWithToolCalls, type UIMessage } from "ai-v7";
import { afterEach, describe, expect, it } from "vitest";
import type { SessionBody } from "../../src/contract.ts";
import { call, calls, type Fixture, said, scriptedModel, serverOf, text, toolOf } from "../scripted.ts";

/** What went wrong elsewhere with streams that chat clients read, by the thread that tells it. */

const open: Fixture[] = [];
afterEach(() => Promise.all(open.splice(0).map(server => server.close())));
const start = async (...options: Parameters<typeof serverOf>): Promise<Fixture> => {
  const server = await serverOf(...options);
  open.push(server);
  return server;
};
const user = (words: string): ClientMessage => ({ id: "u1", role: "user", parts: [{ type: "text", text: words }] });
const send = (server: Fixture, messages: readonly ClientMessage[]) =>
  sendChat("v7", {
    api: "http://server.test/api/v1/chat",
    fetch: server.fetch,
    chatId: "chat",
    headers: { "X-AI-SDK-Version": "7" },
    messages,
  });
/** Whether the SDK's client would ask again by itself. */
const goesOn = (messages: readonly ClientMessage[]): boolean =>
  lastAssistantMessageIsCompleteWithToolCalls({ messages: messages as unknown as UIMessage[] }); // as the SDK reads them
const outputs = (message: ClientMessage | undefined, output: Readonly<Record<string, unknown>>): ClientMessage => ({
  ...(message ?? user("")),
  parts: (message?.parts ?? []).map(part => {
    const given = output[String(part["toolCallId"])];
    return given === undefined ? part : { ...part, state: "output-available", output: given };
  }),
});

describe("a client that goes on by itself once all its calls are answered (TanStack/ai#1189)", () => {
  const { execute: _, ...pick } = toolOf("pick", () => "");

  it("asks once where the server has answered a call of its own and gone on, though it ends in nothing", async () => {
    const bad = { ...pick, validate: () => ({ ok: false as const, problem: "n: a number is expected" }) };
    const server = await start({
      agentTools: [bad, toolOf("srv", () => 1)],
      script: [
        calls(call("1", "pick", { n: "x" })),
        { ...calls(call("2", "srv", {})), finish: { reason: "stop" } },
        said(text("")),
      ],
    });
    const { message, errors } = await send(server, [user("Pick")]);
    expect([errors, server.model.asked.length]).toEqual([[], 3]);
    expect(message && goesOn([user("Pick"), message])).toBe(false);
  });

  it("asks once more, with all answers, when the last of its own calls is answered", async () => {
    const server = await start({
      agentTools: [pick],
      script: [calls(call("1", "pick", { n: 1 }), call("2", "pick", { n: 2 })), said(text("Both."))],
    });
    const first = await send(server, [user("Pick")]);
    const one = outputs(first.message, { 1: "a" });
    expect(goesOn([user("Pick"), one])).toBe(false);
    const both = outputs(one, { 2: "b" });
    expect(goesOn([user("Pick"), both])).toBe(true);
    const { message, errors } = await send(server, [user("Pick"), both]);
    expect([errors, server.model.asked.length]).toEqual([[], 2]);
    expect(message && goesOn([user("Pick"), message])).toBe(false);
  });
});

it("what a resumed run adds is the client's own message gone on with, as it is stored (vercel/ai#10196)", async () => {
  const server = await start({
    agentTools: [{ ...toolOf("tow", () => "towed"), needsApproval: true }],
    script: [calls(text("I will tow. "), call("c1", "tow", {})), said(text("Towed."))],
  });
  const { message: m1 } = await send(server, [user("Tow it")]);
  const yes: ClientMessage = {
    ...(m1 ?? user("")),
    parts: (m1?.parts ?? []).map(part =>
      part["approval"]
        ? { ...part, state: "approval-responded", approval: { ...(part["approval"] as object), approved: true } }
        : part,
    ),
  };
  const { message, errors } = await send(server, [user("Tow it"), yes]);
  const plain = (parts: ClientMessage["parts"] = []) =>
    parts.filter(({ type }) => type !== "step-start").map(part => part["text"] ?? part["output"]);
  expect([errors, message?.id]).toEqual([[], m1?.id]);
  expect(plain(message?.parts)).toEqual(["I will tow. ", "towed", "Towed."]);
  const stored = await (await server.get("/api/v1/sessions/chat?format=ai-sdk-ui:v7")).json();
  const [, kept] = (stored as { data: { value: ClientMessage[] } }).data.value;
  expect(plain(kept?.parts)).toEqual(plain(message?.parts));
});

it("a question of an agent inside comes behind the call that it is about, whole (agentclientprotocol/claude-agent-acp#820)", async () => {
  const sub = createAgent({
    name: "sub",
    model: scriptedModel(
      calls({ type: "reasoning", text: "I look." }, call("k1", "rm", { path: "/tmp/x" })),
      said(text("gone")),
    ),
    tools: [{ ...toolOf("rm", () => "removed"), needsApproval: true }],
  });
  const server = await start({
    agentTools: [sub.asTool()],
    script: [calls(call("m1", "sub", { query: "Tidy up" })), said(text("done"))],
    generation: 7,
  });
  const response = await server.post("/api/v1/chat", {
    id: "chat",
    trigger: "submit-message",
    messages: [user("Go")],
  });
  const chunks = (await response.text())
    .split("\n\n")
    .filter(block => block.startsWith("data: {"))
    .map(block => JSON.parse(block.slice(6)) as { type: string; toolCallId?: string; input?: unknown });
  const about = (id: string) => chunks.filter(({ toolCallId }) => toolCallId === id).map(({ type }) => type);
  expect(about("m1").slice(0, 1)).toEqual(["tool-input-start"]);
  expect(about("k1")).toEqual(["tool-input-available", "tool-approval-request"]);
  expect(chunks.find(({ toolCallId, type }) => toolCallId === "k1" && type === "tool-input-available")?.input).toEqual({
    path: "/tmp/x",
  });
  const { session } = ((await (await server.get("/api/v1/sessions/chat")).json()) as { data: SessionBody }).data;
  expect(session.run).toBeUndefined();
});
