import type { Json, JsonObject, Message } from "translogue";
import { describe, expect, test } from "vitest";
import { createAgent, StateBag } from "../src/index.ts";
import { fixed, scripted, type Turn } from "./scripted-model.ts";

const agentOf = (turns: readonly Turn[] = []) => createAgent({ ...fixed(), id: "ada", model: scripted(turns) });
const text = ({ parts }: Message) => parts.map(part => (part.type === "text" ? part.text : part.type)).join("");

describe("a session", () => {
  test("holds what was said, once each, with ids and times", async () => {
    const agent = agentOf([{ text: "hello" }, { text: "It is blue." }]);
    const session = await agent.createSession();
    await agent.run("hi", { session });
    await agent.run({ role: "user", id: "u9", parts: [{ type: "text", text: "Which colour?" }] }, { session });
    expect(session.messages.map(text)).toEqual(["hi", "hello", "Which colour?", "It is blue."]);
    expect(session.messages[2]).toMatchObject({ id: "u9", createdAt: "2026-11-30T08:00:00.000Z" });
    expect(new Set(session.messages.map(({ id }) => id)).size).toBe(4);
  });

  test("takes a message that it has already for the one it has, and refuses another in its name", async () => {
    const agent = agentOf([{ text: "hello" }, { text: "again" }]);
    const session = await agent.createSession();
    await agent.run("hi", { session });
    const next: Message = { role: "user", parts: [{ type: "text", text: "and?" }] };
    await agent.run([...session.messages, next], { session });
    expect(session.messages.map(text)).toEqual(["hi", "hello", "and?", "again"]);
    const [first] = session.messages;
    const changed: Message = { role: "user", parts: [], ...(first?.id !== undefined && { id: first.id }) };
    await expect(agent.run(changed, { session })).rejects.toMatchObject({ code: "input/invalid" });
  });

  test("may begin with a history, and be added to by agents that drive no model", async () => {
    const agent = agentOf();
    const messages: Message[] = [{ role: "user", id: "u1", parts: [{ type: "text", text: "before" }] }];
    const session = await agent.createSession({ id: "s7", messages });
    session.append({ role: "assistant", id: "a1", parts: [{ type: "text", text: "after" }] });
    expect([session.id, ...session.messages.map(text)]).toEqual(["s7", "before", "after"]);
  });

  test("shows the messages of a run while it goes on", async () => {
    const agent = agentOf([{ chunks: ["Hel", "lo"] }]);
    const session = await agent.createSession();
    const seen: string[] = [];
    for await (const _ of agent.runStreaming("hi", { session })) seen.push(session.messages.map(text).join("|"));
    expect(seen).toContain("hi|Hel");
    expect(session.hasOpenRun).toBe(false);
  });
});

describe("a stored session", () => {
  test("is JSON, and goes on where it was, with its state", async () => {
    const agent = agentOf([{ text: "hello" }]);
    const session = await agent.createSession();
    session.stateBag.set("theme", { dark: true });
    await agent.run("hi", { session });
    const stored = JSON.parse(JSON.stringify(await agent.serializeSession(session)));
    const restored = await agentOf().deserializeSession(stored);
    expect(restored.id).toBe(session.id);
    expect(restored.messages).toEqual(session.messages);
    expect(restored.stateBag.get("theme")).toEqual({ dark: true });
    expect(await agent.serializeSession(restored)).toEqual(stored);
  });

  test("keeps what others put into its state", async () => {
    const agent = agentOf();
    const stored = (await agent.serializeSession(await agent.createSession())) as JsonObject; // it is an object
    const theirs = { ...stored, stateBag: { "someone.else": [1, { deep: null }] } };
    const again = (await agent.serializeSession(await agent.deserializeSession(theirs))) as JsonObject; // as above
    expect(again["stateBag"]).toEqual(theirs.stateBag);
  });

  test("whose run was cut is closed by the next message: what came stands, calls have results", async () => {
    const agent = agentOf([{ chunks: ["Hel", "lo"], calls: [["c1", "t", {}]] }]);
    const session = await agent.createSession();
    let stored: Json = null;
    for await (const { events } of agent.runStreaming("hi", { session })) {
      if (events.some(event => event.type === "part-start" && event.value.type === "tool-call")) {
        stored = await agent.serializeSession(session);
      }
    }
    const later = agentOf([{ text: "fresh" }]);
    const restored = await later.deserializeSession(stored);
    expect(restored.hasOpenRun).toBe(true);
    await later.run("Go on", { session: restored });
    expect(restored.messages.map(({ role }) => role)).toEqual(["user", "assistant", "tool", "user", "assistant"]);
    expect(restored.messages[1]).toMatchObject({
      finish: { reason: "aborted" },
      parts: [{ text: "Hello" }, { callId: "c1" }],
    });
    expect(restored.messages[2]?.parts[0]).toMatchObject({ callId: "c1", outcome: "interrupted" });
  });

  test.each<[string, (stored: JsonObject) => Json, string]>([
    ["a newer version", stored => ({ ...stored, version: 99 }), "session/unknown-version"],
    ["no version", ({ version: _, ...rest }) => rest, "session/unknown-version"],
    ["a version that is none", stored => ({ ...stored, version: "1.0" }), "session/unknown-version"],
    ["another kind", stored => ({ ...stored, kind: "x" }), "session/invalid"],
    ["messages that are none", stored => ({ ...stored, messages: [{ role: 1 }] }), "session/invalid"],
    ["no object", () => "session", "session/invalid"],
  ])("is refused before anything runs where it has %s", async (_, change, code) => {
    const agent = agentOf();
    const stored = (await agent.serializeSession(await agent.createSession())) as JsonObject; // it is an object
    await expect(agent.deserializeSession(change(stored))).rejects.toMatchObject({ code });
  });

  test("of a foreign version says what it found and what is read", async () => {
    const agent = agentOf();
    const stored = (await agent.serializeSession(await agent.createSession())) as JsonObject; // it is an object
    await expect(agent.deserializeSession({ ...stored, version: 99 })).rejects.toMatchObject({
      data: { found: 99, oldest: 1, newest: 1 },
    });
  });
});

describe("the state bag", () => {
  test("gets, tries, sets, removes and counts", () => {
    const bag = new StateBag({ a: 1, n: null });
    expect([bag.get("a"), bag.get("b"), bag.count]).toEqual([1, undefined, 2]);
    expect([bag.tryGet("n"), bag.tryGet("b")]).toEqual([{ found: true, value: null }, { found: false }]);
    bag.set("b", [true]);
    expect([bag.remove("a"), bag.remove("a"), [...bag.keys()]]).toEqual([true, false, ["n", "b"]]);
    expect(JSON.stringify(bag)).toBe('{"n":null,"b":[true]}');
  });

  test("keeps a copy, and only JSON", () => {
    const bag = new StateBag();
    const list = [1];
    bag.set("list", list);
    list.push(2);
    expect(bag.get("list")).toEqual([1]);
    for (const value of [() => 1, 1n, undefined]) {
      expect(() => bag.set("x", value as unknown as Json)).toThrow(expect.objectContaining({ code: "state/not-json" })); // wrong on purpose
    }
  });

  test("has no key that it was not given", () => {
    const bag = new StateBag(JSON.parse('{"__proto__": 1}'));
    expect([bag.get("__proto__"), bag.get("toString"), JSON.stringify(bag)]).toEqual([1, undefined, '{"__proto__":1}']);
  });
});
