import { convert, decode, encode, type FormatRef, type Json, type Part } from "translogue";
import { describe, expect, test } from "vitest";

const file = (file_id: string): Json => ({ type: "file", file: { file_id } });
const request = (...content: Json[]): Json => ({ model: "m", messages: [{ role: "user", content }] });
const question = { type: "text", text: "what is it?" };

const sourceOf = (id: string, host: string): unknown => {
  const { conversation } = decode(request(file(id)), { from: `openai-chat:${host}`, shape: "request" });
  const [part] = conversation.messages[0]?.parts ?? [];
  return part?.type === "file" ? part.source : part;
};

describe("the id of a file belongs to the host that gave it out", () => {
  test.each([
    ["file-abc", "openai", { id: "file-abc", provider: "openai" }],
    ["file-abc", "deepseek", { id: "file-abc", provider: "deepseek" }],
    ["file-abc", "azure", { id: "file-abc", provider: "azure" }],
    ["f1", "groq", { id: "f1", provider: "groq" }],
    ["an id that is not like OpenAI's", "openai", { id: "an id that is not like OpenAI's", provider: "openai" }],
  ])("`%s` in what is sent to %s", (id, host, source) => {
    expect(sourceOf(id, host)).toEqual(source);
  });

  test.each([
    ["openai", "deepseek"],
    ["openai", "azure"],
    ["openai", "groq"],
    ["openai", "openrouter"],
    ["azure", "openai"],
    ["groq", "deepseek"],
  ])("one of %s does not go to %s, and comes home again", (from, other) => {
    const wire = request(file("file-abc"), question);
    const away = convert(wire, { from: `openai-chat:${from}`, to: `openai-chat:${other}`, shape: "request" });
    expect(away.value).toEqual({ model: "m", messages: [{ role: "user", content: "what is it?" }] });
    expect(away.losses).toMatchObject([{ code: "foreign-state", path: ["messages", 0, "parts", 0] }]);

    const home = convert(wire, { from: `openai-chat:${from}`, to: `openai-chat:${from}`, shape: "request" });
    expect(home).toMatchObject({ value: wire, losses: [] });
  });

  test.each(["client", "store"] as const)("a %s reads it, and by the carry whose it is", recipient => {
    const part: Part = { type: "file", source: { id: "file-abc", provider: "openai" } };
    const conversation = { messages: [{ role: "user", parts: [part] }] };
    const to = { to: "openai-chat:deepseek", shape: "messages", recipient } as const;
    const { value, losses } = encode(conversation, { ...to, carry: true });
    expect(value).toMatchObject([{ content: [file("file-abc")] }]);
    expect(losses).toMatchObject([{ code: "file-member", carried: true }]);
    expect(decode(value, { from: "openai-chat:deepseek", shape: "messages" }).conversation).toEqual(conversation);
  });

  test.each<[part: Json, to: FormatRef]>([
    [{ type: "file", file: { file_id: "assistant-1" } }, "openai-responses:azure"],
    [{ type: "file", file: { file_id: "assistant-1" } }, "anthropic-messages"],
    [{ type: "file", file: { file_id: "assistant-1" } }, "gemini"],
    [{ type: "file", file: { file_id: "assistant-1" } }, "mistral"],
  ])("%j of OpenAI is not sent to %s", (part, to) => {
    const wire = { model: "m", messages: [{ role: "user", content: [part, { type: "text", text: "a" }] }] };
    expect(JSON.stringify(convert(wire, { from: "openai-chat", to, shape: "request" }).value)).not.toContain(
      "assistant-1",
    );
  });

  test.each([undefined, "AAAA"])("audio of one host is not sent to another by its id, with its bytes: %s", data => {
    const audio = { id: "audio_1", ...(data !== undefined && { data, transcript: "t" }) };
    const wire = [{ role: "assistant", content: "a", audio }];
    const of = (from: FormatRef, to: FormatRef) =>
      convert(wire, { from, to, shape: "messages", recipient: "provider" }).value;
    expect(of("openai-chat", "openai-chat")).toMatchObject([{ audio: { id: "audio_1" } }]);
    expect(of("openai-chat", "openai-chat:groq")).toEqual([{ role: "assistant", content: "a" }]);
    expect(of("openai-chat:azure", "openai-chat:openai")).toEqual([{ role: "assistant", content: "a" }]);
    expect(of("openai-chat:azure", "openai-chat:azure")).toMatchObject([{ audio: { id: "audio_1" } }]);
  });

  test("one that nobody tells the host of goes to any", () => {
    const conversation = { messages: [{ role: "user", parts: [{ type: "file", source: { id: "doc-1" } } as const] }] };
    const to = { to: "openai-chat:deepseek", shape: "messages", recipient: "provider" } as const;
    expect(encode(conversation, to)).toMatchObject({ value: [{ content: [file("doc-1")] }] });
  });
});
