import {
  type Citation,
  type Conversation,
  convert,
  encode,
  type FormatId,
  type JsonObject,
  type Part,
  type Path,
  runAll,
  streamEncoder,
} from "translogue";
import { describe, expect, test } from "vitest";

const providers: readonly FormatId[] = [
  "anthropic-messages",
  "bedrock-converse",
  "cohere",
  "gemini",
  "gemini-interactions",
  "mistral",
  "ollama",
  "openai-chat",
  "openai-responses",
];

describe("a message that nothing is left of", () => {
  const conversation: Conversation = {
    messages: [
      { role: "user", parts: [{ type: "text", text: "first" }] },
      { role: "assistant", parts: [{ type: "input-request", requestId: "r", kind: "question" }] },
      { role: "user", parts: [{ type: "data", name: "chart", data: 1 }] },
      { role: "user", parts: [{ type: "text", text: "last" }] },
    ],
  };

  test.each(providers)("does not go to %s empty, and is reported by its place", to => {
    const { value, losses } = encode(conversation, { to, shape: "request" });
    const { messages, contents, input } = value as JsonObject; // a request
    expect(messages ?? contents ?? input).toHaveLength(2);
    const gone = losses.filter(({ code }) => code.endsWith("empty-message")).map(({ path }) => path);
    expect(gone).toEqual([
      ["messages", 1],
      ["messages", 2],
    ]);
  });

  test.each<[FormatId]>([["anthropic-messages"], ["gemini"], ["mistral"], ["openai-chat"]])(
    "stays for a store of %s",
    to => {
      const kept = encode(conversation, { to, shape: "messages", recipient: "store", carry: false });
      expect(kept.value).toHaveLength(4);
      expect(kept.losses.map(({ code }) => code)).not.toContain("empty-message");
    },
  );
});

describe("a citation that nothing is left of", () => {
  const text = (...citations: readonly Citation[]): Conversation => ({
    messages: [{ role: "assistant", parts: [{ type: "text", text: "cited", citations }], finish: { reason: "stop" } }],
  });
  const lost: Citation = { quote: "words", start: 0, end: 5 };
  const said: Citation = { url: "https://a.example/", start: 0, end: 5 };

  test.each<FormatId>(["anthropic-messages", "openai-chat"])(
    "because it was a seal of another maker, does not go to %s",
    to => {
      const sealed: Citation = { seal: { maker: "elsewhere", values: { encrypted_index: "e" } }, start: 0, end: 5 };
      const options = { to, shape: "messages", recipient: "provider" } as const;
      const { value, losses } = encode(text(sealed), options);
      expect(JSON.stringify(value)).toContain("cited");
      expect(JSON.stringify(value)).not.toMatch(/citations|annotations/);
      expect(losses.map(({ code, path }) => [code, path.slice(4)])).toEqual(
        expect.arrayContaining([
          ["foreign-seal", ["citations", 0, "seal"]],
          ["empty-citation", ["citations", 0]],
        ]),
      );
    },
  );

  test.each<[FormatId]>([["openai-chat"], ["openai-responses"], ["gemini-interactions"], ["cohere"], ["mistral"]])(
    "does not become a husk in %s, beside one that says something",
    to => {
      const both = encode(text(lost, said), { to, shape: "answer" });
      const one = encode(text(said), { to, shape: "answer" });
      expect(both.value).toEqual(one.value);
      expect(both.losses).toContainEqual(
        expect.objectContaining({
          code: "empty-citation",
          path: ["messages", 0, "parts", 0, "citations", 0],
        }),
      );
    },
  );

  test("is left out of a stream by its number", () => {
    const encoder = streamEncoder("openai-responses", { recipient: "client" });
    encoder.push({ type: "message-start", message: 0, head: { role: "assistant" } });
    encoder.push({ type: "part-start", message: 0, part: 0, value: { type: "text", text: "" } });
    encoder.push({ type: "part-delta", message: 0, part: 0, of: "text", text: "cited" });
    encoder.push({ type: "citation", message: 0, part: 0, citation: said });
    encoder.push({ type: "citation", message: 0, part: 0, citation: lost });
    expect(encoder.losses).toMatchObject([
      { code: "citation.quote", path: ["messages", 0, "parts", 0, "citations", 1, "quote"] },
      { code: "empty-citation", path: ["messages", 0, "parts", 0, "citations", 1] },
    ]);
  });

  test("takes the place of one that said something, in a stream as in a whole", () => {
    const encoder = streamEncoder("openai-responses", { recipient: "client" });
    const at = { message: 0, part: 0 };
    const wire = runAll(encoder, [
      { type: "message-start", message: 0, head: { role: "assistant" } },
      { type: "part-start", ...at, value: { type: "text", text: "cited", citations: [said] } },
      { type: "part-set", ...at, set: { citations: [lost] } },
      { type: "part-end", ...at },
      { type: "message-end", message: 0 },
    ]);
    const items = wire.filter(each => JSON.stringify(each).includes('"response.output_item.done"'));
    expect(items).toMatchObject([{ item: { content: [{ text: "cited", annotations: [] }] } }]);
    expect(encoder.losses.map(({ code }) => code)).toEqual(
      expect.arrayContaining(["citation.quote", "empty-citation", "already-sent"]),
    );
  });

  test("adds nothing to a text that had none", () => {
    const encoder = streamEncoder("openai-responses", { recipient: "client" });
    const at = { message: 0, part: 0 };
    runAll(encoder, [
      { type: "message-start", message: 0, head: { role: "assistant" } },
      { type: "part-start", ...at, value: { type: "text", text: "cited" } },
      { type: "part-set", ...at, set: { citations: [lost] } },
      { type: "part-end", ...at },
      { type: "message-end", message: 0 },
    ]);
    expect(encoder.losses.map(({ code }) => code)).not.toContain("citations");
  });

  describe.each<[where: string, part: (text: Part) => Part, path: Path]>([
    ["a text", text => text, []],
    ["an output", text => ({ type: "tool-result", callId: "c", output: [text] }), ["output", 0]],
    ["a document", text => ({ type: "file", source: { parts: [text] } }), ["source", "parts", 0]],
  ])("is gone wherever it stood: in %s", (_, around, path) => {
    const sealed: Citation = { seal: { maker: "elsewhere", values: { encrypted_index: "e" } }, start: 0, end: 5 };
    const part = around({ type: "text", text: "cited", citations: [sealed] });
    const gone = { code: "empty-citation", path: ["messages", 0, "parts", 0, ...path, "citations", 0] };

    test("of a whole", () => {
      const conversation: Conversation = { messages: [{ role: "user", parts: [part] }] };
      const options = { to: "maf", shape: "messages", recipient: "provider" } as const;
      const { value, losses } = encode(conversation, options);
      expect(JSON.stringify(value)).not.toMatch(/annotations|citations/);
      expect(losses).toContainEqual(expect.objectContaining(gone));
    });

    test("of a stream", () => {
      const encoder = streamEncoder("maf", { recipient: "provider" });
      const wire = runAll(encoder, [
        { type: "message-start", message: 0, head: { role: "user" } },
        { type: "part", message: 0, part: 0, value: part },
        { type: "message-end", message: 0 },
      ]);
      expect(JSON.stringify(wire)).not.toMatch(/annotations|citations/);
      expect(encoder.losses).toContainEqual(expect.objectContaining(gone));
    });
  });

  test("goes back to the API that sent it", () => {
    const annotations = [{ type: "url_citation", url_citation: {} }];
    const wire = [{ role: "assistant", content: "cited", annotations }];
    expect(convert(wire, { from: "openai-chat", to: "openai-chat", shape: "messages" })).toMatchObject({
      value: wire,
      losses: [],
    });
  });
});

test("a page of the web is one for Gemini, though its words have no place there", () => {
  const cited: Citation = { url: "https://a.example/", title: "A", quote: "words" };
  const conversation: Conversation = {
    messages: [{ role: "assistant", parts: [{ type: "text", text: "a", citations: [cited] }] }],
  };
  const { value, losses } = encode(conversation, { to: "gemini", shape: "answer" });
  expect(value).toMatchObject({
    candidates: [{ groundingMetadata: { groundingChunks: [{ web: { uri: "https://a.example/", title: "A" } }] } }],
  });
  expect(losses.map(({ code }) => code)).toContain("citations");
});
