import { decode, encode, type FormatId, type Json, type JsonObject } from "translogue";
import { describe, expect, test } from "vitest";

interface Wire {
  readonly call: (number: number) => JsonObject;
  readonly say: (...calls: readonly JsonObject[]) => JsonObject;
  readonly hear: JsonObject;
  readonly result: JsonObject;
}

const fn = { type: "function", id: "", function: { name: "f", arguments: "{}" } };
const chat: Wire = {
  call: () => fn,
  say: (...calls) => ({ role: "assistant", content: null, tool_calls: [...calls] }),
  hear: { role: "user", content: "so" },
  result: { role: "tool", tool_call_id: "", content: "1" },
};
const wires: readonly (readonly [FormatId, Wire])[] = Object.entries({
  gemini: {
    call: n => ({ functionCall: { name: "f", args: { n } } }),
    say: (...parts) => ({ role: "model", parts: [...parts] }),
    hear: { role: "user", parts: [{ text: "so" }] },
    result: { role: "user", parts: [{ functionResponse: { name: "f", response: { output: "1" } } }] },
  },
  ollama: {
    call: n => ({ function: { name: "f", arguments: { n } } }),
    say: (...calls) => ({ role: "assistant", content: "", tool_calls: [...calls] }),
    hear: { role: "user", content: "so" },
    result: { role: "tool", tool_name: "f", content: "1" },
  },
  "openai-chat": chat,
  mistral: chat,
  cohere: { ...chat, result: { role: "tool", content: "1" } },
  langchain: {
    call: n => ({ name: "f", args: { n }, id: null, type: "tool_call" }),
    say: (...calls) => ({ type: "ai", content: "", tool_calls: [...calls] }),
    hear: { type: "human", content: "so" },
    result: { type: "tool", content: "1", tool_call_id: "" },
  },
} satisfies { readonly [format in FormatId]?: Wire }) as [FormatId, Wire][]; // its keys

describe.each(wires)("%s: a result without an id", (format, { call, say, hear, result }) => {
  const idsOf = (wire: readonly Json[]): readonly string[] =>
    decode(wire, { from: format, shape: "messages" }).conversation.messages.flatMap(({ parts }) =>
      parts.flatMap(part => (part.type === "tool-result" ? [part.callId] : [])),
    );

  test.each<[where: string, wire: readonly Json[], ids: readonly string[]]>([
    ["the nearest turn that has one", [say(call(1)), hear, say(call(2)), result], ["~2.0"]],
    ["an older turn where no nearer one waits", [say(call(1)), hear, say(call(2)), result, result], ["~2.0", "~0.0"]],
    ["its turn in order", [say(call(1), call(2)), result, result], ["~0.0", "~0.1"]],
    ["neighbouring messages as one turn", [say(call(1)), say(call(2)), result, result], ["~0.0", "~1.0"]],
  ])("answers a call that waits in %s, and comes back without one (R9)", (_, wire, ids) => {
    expect(idsOf(wire)).toEqual(ids);
    const { conversation } = decode(wire, { from: format, shape: "messages" });
    expect(encode(conversation, { to: format, shape: "messages", carry: false }).value).toEqual(wire);
  });
});
