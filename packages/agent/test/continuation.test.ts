import { type Event, emit, type Message } from "translogue";
import { describe, expect, test } from "vitest";
import {
  type AgentResponseUpdate,
  accumulateUpdates,
  createAgent,
  decodeToken,
  encodeToken,
  type Model,
  type ModelRequest,
  tokenBytes,
} from "../src/index.ts";
import { decodeMafToken, encodeMafToken } from "../src/maf/index.ts";
import { fixed } from "./scripted-model.ts";

/** Runs whose model works on in the background: cut streams that go on, and answers that are asked for again. */

const words = ["Once ", "upon ", "a ", "time"];

/** Streams words; where it stands is their count, and it goes on from there. */
function teller(fails: { at?: number } = {}): Model & { readonly requests: ModelRequest[] } {
  const requests: ModelRequest[] = [];
  return {
    id: "teller",
    provider: "test",
    requests,
    async *stream(request) {
      requests.push(request);
      const from = Number(request.continuation ?? 0);
      if (request.continuation !== undefined) request.report?.({ goesOn: true });
      yield [{ type: "message-start", message: 0, head: { role: "assistant" } }];
      yield [{ type: "part-start", message: 0, part: 0, value: { type: "text", text: "" } }];
      for (const [index, text] of words.entries()) {
        if (index < from) continue;
        if (fails.at === index) throw new Error("reset");
        const isLast = index === words.length - 1;
        const mayLeave = request.background === true || request.continuation !== undefined;
        request.report?.({ continuation: isLast || !mayLeave ? null : String(index + 1) });
        yield [{ type: "part-delta", message: 0, part: 0, of: "text", text }];
      }
      yield ended;
    },
  };
}
const ended: readonly Event[] = [
  { type: "part-end", message: 0, part: 0 },
  { type: "message-set", message: 0, set: { finish: { reason: "stop" } } },
  { type: "message-end", message: 0 },
];

/** Says twice that it works on, then answers. */
function slow(): Model & { readonly requests: ModelRequest[] } {
  const requests: ModelRequest[] = [];
  return {
    id: "slow",
    provider: "test",
    requests,
    async *stream(request) {
      if (requests.push(request) < 3) request.report?.({ continuation: `job-${requests.length}` });
      else {
        request.report?.({ continuation: null });
        const finish = { reason: "stop" } as const;
        yield emit([{ role: "assistant", parts: [{ type: "text", text: "42" }], finish }]);
      }
    },
  };
}

const textsOf = (messages: readonly Message[]): string[] =>
  messages.map(
    ({ role, parts }) => `${role}: ${parts.map(part => (part.type === "text" ? part.text : part.type)).join("")}`,
  );
const whole = ["user: Tell", "assistant: Once upon a time"];

async function cutAfter(word: string, fails?: { at?: number }) {
  const model = teller(fails);
  const agent = createAgent({ ...fixed(), model });
  const session = await agent.createSession();
  const seen: AgentResponseUpdate[] = [];
  for await (const update of agent.runStreaming("Tell", { session, allowBackgroundResponses: true })) {
    seen.push(update);
    if (update.text === word) break;
  }
  const token = seen.at(-1)?.continuationToken;
  if (!token) throw new Error("no token came");
  return { agent, session, model, seen, token };
}

describe("a stream that a reader leaves", () => {
  test("goes on where it stood, and the two parts are the whole", async () => {
    const { agent, session, model, seen, token } = await cutAfter("upon ");
    expect([session.hasOpenRun, token]).toEqual([true, { session: session.id, run: token.run, seq: seen.length }]);
    for await (const update of agent.runStreaming(undefined, { session, continuationToken: token })) seen.push(update);
    expect(
      model.requests.map(({ continuation, conversation }) => [continuation, conversation.messages.length]),
    ).toEqual([
      [undefined, 1],
      ["2", 0],
    ]);
    expect(
      seen
        .slice(-4)
        .map(({ text }) => text)
        .join(""),
    ).toBe("a time");
    expect(accumulateUpdates(seen).text).toBe("Once upon a time");
    expect([textsOf(session.messages), session.hasOpenRun]).toEqual([whole, false]);
  });

  test.each([undefined, "maf", "maf-text"] as const)("goes on after a restart (as %s)", async as => {
    const { agent, session, token } = await cutAfter("Once ");
    const again = await agent.deserializeSession(await agent.serializeSession(session, as ? { as } : {}));
    const { text } = await agent.run(undefined, { session: again, continuationToken: encodeToken(token) });
    expect([text, textsOf(again.messages)]).toEqual(["Once upon a time", whole]);
  });

  test("gives a reader that saw less what it has missed", async () => {
    const { agent, session, token } = await cutAfter("upon ");
    const updates: AgentResponseUpdate[] = [];
    const continuationToken = decodeToken(encodeToken({ ...token, seq: 0 }));
    for await (const update of agent.runStreaming(undefined, { session, continuationToken })) updates.push(update);
    expect(accumulateUpdates(updates).text).toBe("Once upon a time");
  });

  test("can be gone on with after a failure, as often as it takes", async () => {
    const fails = { at: 2 };
    const { agent, session, token } = await cutAfter("Once ", fails);
    const failed = await agent.run(undefined, { session, continuationToken: token });
    expect([failed.error?.message, failed.continuationToken !== undefined]).toEqual(["reset", true]);
    fails.at = -1;
    const { text } = await agent.run(undefined, { session, continuationToken: failed.continuationToken ?? token });
    expect([text, textsOf(session.messages)]).toEqual(["Once upon a time", whole]);
  });

  test("is closed by a new message: what came stands", async () => {
    const { agent, session } = await cutAfter("Once ");
    await agent.run("Stop", { session });
    expect(textsOf(session.messages)).toEqual([
      "user: Tell",
      "assistant: Once ",
      "user: Stop",
      "assistant: Once upon a time",
    ]);
  });

  test("has a token for .NET, with input and answer inside, which goes on in any session", async () => {
    const { token, agent } = await cutAfter("upon ");
    const text = atob(encodeMafToken(token));
    expect(text).toMatch(
      /^\{"type":"chatClientAgentContinuationToken","innerToken":"\\u00222\\u0022","inputMessages":"\[/,
    );
    const session = await agent.createSession();
    const run = await agent.run(undefined, { session, continuationToken: encodeMafToken(token) });
    expect([run.text, textsOf(session.messages)]).toEqual(["Once upon a time", whole]);
  });
});

describe("an answer in the background", () => {
  test("is asked for until there is no token", async () => {
    const model = slow();
    const agent = createAgent({ ...fixed(), model });
    const session = await agent.createSession();
    let response = await agent.run("6 × 7?", { session, allowBackgroundResponses: true });
    expect([response.finish, response.text]).toEqual([{ reason: "pause", raw: "background" }, ""]);
    while (response.continuationToken)
      response = await agent.run(undefined, { session, continuationToken: response.continuationToken });
    expect(model.requests.map(({ continuation }) => continuation)).toEqual([undefined, "job-1", "job-2"]);
    expect(textsOf(session.messages)).toEqual(["user: 6 × 7?", "assistant: 42"]);
  });

  test("that is over is not asked for again", async () => {
    const model = teller();
    const agent = createAgent({ ...fixed(), model });
    const session = await agent.createSession();
    const { responseId } = await agent.run("Tell", { session });
    const token = { session: session.id, run: responseId, seq: 1 };
    const { text } = await agent.run(undefined, { session, continuationToken: token });
    expect([text, model.requests.length, session.messages.length]).toEqual(["Once upon a time", 1, 2]);
  });

  test("needs a session, and takes no input where it goes on", async () => {
    const { agent, session, token } = await cutAfter("Once ");
    await expect(agent.run("x", { allowBackgroundResponses: true })).rejects.toMatchObject({ code: "options/invalid" });
    await expect(agent.run("x", { session, continuationToken: token })).rejects.toMatchObject({
      code: "options/invalid",
    });
  });
});

describe("a token", () => {
  const token = { session: "s", run: "r", seq: 7 };

  test("is text and bytes, and back", () => {
    expect([decodeToken(encodeToken(token)), decodeToken(tokenBytes(token))]).toEqual([token, token]);
  });

  test.each([
    ["no base64", "§"],
    ["no JSON", btoa("x")],
    ["another object", btoa('{"responseId":"r"}')],
    ["a position that is none", btoa('{"session":"s","run":"r","seq":-1}')],
  ])("that is %s is refused", (_, given) => {
    expect(() => decodeToken(given)).toThrow(expect.objectContaining({ code: "token/invalid" }));
  });

  test.each([
    ["another type", '{"type":"x","innerToken":"\\"AQID\\""}'],
    ["its type not first", '{"innerToken":"\\"AQID\\"","type":"chatClientAgentContinuationToken"}'],
    ["no inner token", '{"type":"chatClientAgentContinuationToken"}'],
    [
      "an input that is no list",
      '{"type":"chatClientAgentContinuationToken","innerToken":"\\"A\\"","inputMessages":"{}"}',
    ],
  ])("of .NET with %s is refused", (_, text) => {
    expect(() => decodeMafToken(btoa(text))).toThrow(expect.objectContaining({ code: "token/invalid" }));
  });

  test("of another session's run is refused", async () => {
    const agent = createAgent({ model: teller() });
    const session = await agent.createSession();
    await expect(agent.run(undefined, { session, continuationToken: token })).rejects.toMatchObject({
      code: "token/invalid",
    });
  });
});
