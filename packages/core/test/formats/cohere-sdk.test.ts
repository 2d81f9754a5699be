import { corpus } from "@translogue/testkit/wire-samples";
import { type Cohere, CohereClientV2 } from "cohere-ai";
import { emit, isJsonObject, type Json, runAll } from "translogue";
import { cohere } from "translogue/cohere";
import { decode, encode, frames, streamEncoder } from "translogue/convert";
import { describe, expect, test } from "vitest";

/** The official client over a host that answers with this body, and what the host was asked. */
function clientOf(body: BodyInit, type = "application/json") {
  const asked: Json[] = [];
  const host = async (_: unknown, init?: RequestInit): Promise<Response> => {
    asked.push(JSON.parse(String(init?.body)) as Json); // the client sends JSON
    return new Response(body, { headers: { "content-type": type } });
  };
  return { asked, client: new CohereClientV2({ token: "t", fetch: host }) };
}

const answer = (message: Json): Json => ({ id: "a", message, finish_reason: "COMPLETE" });
const plain = answer({ role: "assistant", content: [{ type: "text", text: "a" }] });

/** Requests in the official SDK's own types: what it sends of them is read, and written as it was. */
const requests: readonly [name: string, request: Cohere.V2ChatRequest][] = [
  [
    "every message",
    {
      model: "m",
      messages: [
        { role: "system", content: [{ type: "text", text: "s" }] },
        { role: "user", content: "q" },
        {
          role: "user",
          content: [
            { type: "text", text: "q" },
            { type: "image_url", imageUrl: { url: "https://a", detail: "high" } },
          ],
        },
        {
          role: "assistant",
          toolPlan: "p",
          content: [
            { type: "thinking", thinking: "t" },
            { type: "text", text: "a" },
          ],
          toolCalls: [{ id: "c", type: "function", function: { name: "f", arguments: "{}" } }],
          citations: [
            {
              start: 0,
              end: 1,
              text: "a",
              sources: [{ type: "tool", id: "c:0", toolOutput: { b: 1 } }],
              contentIndex: 1,
            },
            {
              start: 0,
              end: 1,
              text: "a",
              sources: [{ type: "document", document: { title: "t" } }],
              type: "TEXT_CONTENT",
            },
          ],
        },
        { role: "tool", toolCallId: "c", content: [{ type: "document", document: { id: "d", data: { b: 1 } } }] },
        { role: "tool", toolCallId: "c", content: "x" },
      ],
    },
  ],
  [
    "every setting",
    {
      model: "m",
      messages: [],
      tools: [{ type: "function", function: { name: "f", description: "d", parameters: { type: "object" } } }],
      strictTools: true,
      documents: ["a", { id: "d", data: { b: 1 } }],
      citationOptions: { mode: "ACCURATE" },
      responseFormat: { type: "json_object", jsonSchema: { type: "object" } },
      safetyMode: "CONTEXTUAL",
      maxTokens: 1,
      stopSequences: ["a"],
      temperature: 0,
      seed: 1,
      frequencyPenalty: 0,
      presencePenalty: 1,
      k: 2,
      p: 0.5,
      logprobs: true,
      toolChoice: "NONE",
      thinking: { type: "enabled", tokenBudget: 3 },
      priority: 4,
    },
  ],
];

test.each(requests)("what the official client sends is read, and written as it was: %s", async (_, request) => {
  const { asked, client } = clientOf(JSON.stringify(plain));
  await client.chat(request);
  const [wire = null] = asked;
  const { conversation } = decode(cohere, wire, { shape: "request" });
  const written = encode(cohere, conversation, { shape: "request", recipient: "store", carry: false });
  expect(written.value).toEqual(wire);
  expect(written.losses).toEqual([]);
});

/** Members as the client names them. */
function named(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(named);
  if (!isJsonObject(value)) return value;
  const members = Object.entries(value).map(([key, member]) => [
    key.replace(/_[a-z]/g, letters => letters.slice(1).toUpperCase()),
    named(member),
  ]);
  return Object.fromEntries(members);
}

const spoken = corpus.filter(([, { messages }]) => messages.some(({ role }) => role === "assistant"));

describe("what is written is what the official client reads", () => {
  test.each(spoken)("of `%s` as an answer", async (_, conversation) => {
    const { value } = encode(cohere, conversation, { shape: "answer" });
    const { client } = clientOf(JSON.stringify(value));
    expect(await client.chat({ model: "m", messages: [] })).toEqual(named(value));
  });

  test.each(spoken)("of `%s` as a stream", async (_, { messages }) => {
    const wire = runAll(streamEncoder(cohere), emit(messages.filter(({ role }) => role === "assistant")));
    const { stream: codec } = cohere;
    if (!codec) throw new Error("Cohere streams");
    const bytes = Buffer.concat(runAll(frames.encoder(codec), wire));
    const { client } = clientOf(new Uint8Array(bytes), "text/event-stream");
    const types: string[] = [];
    for await (const event of await client.chatStream({ model: "m", messages: [] })) types.push(event.type);
    expect(types).toEqual(wire.map(event => (isJsonObject(event) ? event["type"] : "")));
  });
});
