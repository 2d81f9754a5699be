import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Part } from "translogue";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { SessionBody } from "../../src/contract.ts";
import { sqliteStore } from "../../src/index.ts";
import { call, calls, type Fixture, said, serverOf, text, toolOf } from "../scripted.ts";

/** What went wrong elsewhere with decisions that reach a server, by the thread that tells it. */

let folder: string;
const open: Fixture[] = [];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "translogue-approvals-"));
});
afterEach(async () => {
  await Promise.all(open.splice(0).map(server => server.close()));
  rmSync(folder, { recursive: true });
});

/** Servers over one store, as processes behind one address. */
async function servers(count: number, execute: () => string, script: readonly (readonly Part[])[]): Promise<Fixture[]> {
  return Promise.all(
    Array.from({ length: count }, async () => {
      const server = await serverOf({
        store: await sqliteStore({ path: join(folder, "sessions.db") }),
        agentTools: [{ ...toolOf("ship", execute), needsApproval: true }],
        script: script.map(parts =>
          parts.some(({ type }) => type === "tool-call") ? calls(...parts) : said(...parts),
        ),
        generation: 7,
      });
      open.push(server);
      return server;
    }),
  );
}

interface Wire {
  readonly parts: readonly { readonly approval?: object; readonly [member: string]: unknown }[];
  readonly [member: string]: unknown;
}

const history = async (server: Fixture): Promise<readonly Wire[]> => {
  const response = await server.get("/api/v1/sessions/chat?format=ai-sdk-ui:v7");
  return ((await response.json()) as { data: { value: Wire[] } }).data.value;
};
const session = async (server: Fixture): Promise<SessionBody> =>
  ((await (await server.get("/api/v1/sessions/chat")).json()) as { data: SessionBody }).data;
const begin = (server: Fixture) =>
  server.post("/api/v1/chat", {
    id: "chat",
    trigger: "submit-message",
    stream: false,
    messages: [{ id: "u1", role: "user", parts: [{ type: "text", text: "Ship it" }] }],
  });
const decide = async (server: Fixture, approved: boolean, more: object = {}) => {
  const messages = (await history(server)).map(message => ({
    ...message,
    parts: message.parts.map(part =>
      part.approval
        ? { ...part, state: "approval-responded", approval: { ...part.approval, approved, ...more } }
        : part,
    ),
  }));
  return {
    messages,
    send: () => server.post("/api/v1/chat", { id: "chat", trigger: "submit-message", stream: false, messages }),
  };
};

it("a decision that shows other arguments than were asked about is refused, and the call goes on waiting", async () => {
  let shipped = 0;
  const [server] = await servers(1, () => `${++shipped}`, [[call("c1", "ship", { n: 1 })], [text("shipped")]]);
  if (!server) throw new Error("one was started");
  await begin(server);
  const { messages } = await decide(server, true);
  const send = (input: object) =>
    server.post("/api/v1/chat", {
      ...{ id: "chat", trigger: "submit-message", stream: false },
      messages: messages.map(message => ({
        ...message,
        parts: message.parts.map(part => (part.approval ? { ...part, input } : part)),
      })),
    });
  const refused = await send({ n: 666 });
  expect([refused.status, await refused.text()]).toEqual([400, expect.stringContaining("approval/changed-call")]);
  expect(shipped).toBe(0);
  expect((await send({ n: 1 })).status).toBe(200);
  expect(shipped).toBe(1);
});

describe("two decisions about one call", () => {
  it.each([
    ["that differ", [true, false]],
    ["that agree", [true, true]],
  ])(
    "%s, at two servers at once: one is followed, the other is told (heymrun/heym#563)",
    async (_, [first = true, second = true]) => {
      let shipped = 0;
      const [a, b] = await servers(2, () => `${++shipped}`, [[call("c1", "ship", {})], [text("shipped")]]);
      if (!a || !b) throw new Error("two were started");
      await begin(a);
      b.model.answer(said(text("shipped")));
      const [one, other] = [await decide(a, first), await decide(b, second)];
      const answers = await Promise.all([one.send(), other.send()]);
      expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409]);
      const isFirst = answers[0]?.status === 200;
      expect(shipped).toBe((isFirst ? first : second) ? 1 : 0);
      const parts = (await session(a)).conversation.messages.flatMap(message => message.parts);
      const decisions = parts.filter(({ type }) => type === "approval-response");
      expect(decisions).toMatchObject([{ approved: isFirst ? first : second }]);
      const refused = await answers.find(answer => answer.status === 409)?.json();
      expect(refused).toMatchObject({ message: expect.stringContaining("is answering another request") });
    },
  );
});

it("a decision for a run that another process paused is found in the store; a wrong one leaves it waiting (mastra-ai/mastra#20600)", async () => {
  let shipped = 0;
  const execute = () => `${++shipped}`;
  const [first] = await servers(1, execute, [[call("c1", "ship", {})]]);
  if (!first) throw new Error("one was started");
  await begin(first);
  await first.close();
  const [next] = await servers(1, execute, [[text("shipped")]]);
  if (!next) throw new Error("one was started");
  const waiting = async () =>
    (await session(next)).conversation.messages
      .flatMap(({ parts }) => parts)
      .filter(({ type }) => type === "approval-request");
  expect(await waiting()).toMatchObject([{ callId: "c1" }]);
  const wrong = await (await decide(next, true, { id: "another" })).send();
  expect([wrong.status, await wrong.json()]).toMatchObject([
    expect.any(Number),
    { message: expect.stringContaining("another") },
  ]);
  expect(wrong.status).toBeGreaterThanOrEqual(400);
  expect([shipped, (await waiting()).length]).toEqual([0, 1]);
  const right = await (await decide(next, true)).send();
  expect([right.status, shipped]).toEqual([200, 1]);
});
