import { arbitraryConversation } from "@translogue/testkit/arbitrary";
import fc from "fast-check";
import OpenAI from "openai";
import {
  type Conversation,
  convert,
  encode,
  type FormatId,
  formats,
  type Json,
  type JsonObject,
  type Message,
  runAll,
  streamDecoder,
  streamEncoder,
} from "translogue";
import { describe, expect, test } from "vitest";

const client: FormatId = "openai-chat";

/** A provider behind the gateway, and one answer of it with reasoning, words and two calls: as a whole and as events. */
interface Provider {
  readonly format: FormatId;
  readonly answer: Json;
  readonly events: readonly Json[];
  /** What of the next request says that the answer came home. */
  readonly home: JsonObject;
  /** The opaque values in it. */
  readonly seals: readonly string[];
}

const words = "I add, twice.";
const calls = [
  { id: "call_1", args: { a: 19, b: 23 } },
  { id: "call_2", args: { a: 1, b: 1.5 } },
] as const;

// Anthropic

const [anthropicSignature, hiddenThinking] = ["RXJVQkNr-signed", "RW1vQ0Nr-hidden"];
const anthropicHead = { id: "msg_01", type: "message", role: "assistant", model: "claude-opus-5-5" };
const anthropicBlocks: readonly JsonObject[] = [
  { type: "thinking", thinking: "Sum, then sum.", signature: anthropicSignature },
  { type: "redacted_thinking", data: hiddenThinking },
  { type: "text", text: words },
  ...calls.map(({ id, args }) => ({ type: "tool_use", id, name: "add", input: args })),
];
const anthropicUsage = {
  input_tokens: 9,
  cache_read_input_tokens: 4,
  cache_creation_input_tokens: 2,
  output_tokens: 7,
};

function anthropicEvents(block: JsonObject, index: number): Json[] {
  const { thinking, signature, text, input } = block;
  const deltas: JsonObject[] =
    thinking !== undefined
      ? [
          ...halves(thinking).map(half => ({ type: "thinking_delta", thinking: half })),
          { type: "signature_delta", signature: signature ?? "" },
        ]
      : text !== undefined
        ? halves(text).map(half => ({ type: "text_delta", text: half }))
        : input !== undefined
          ? halves(JSON.stringify(input)).map(half => ({ type: "input_json_delta", partial_json: half }))
          : [];
  const empty = {
    ...(thinking !== undefined && { thinking: "", signature: "" }),
    ...(text !== undefined && { text: "" }),
  };
  return [
    {
      type: "content_block_start",
      index,
      content_block: { ...block, ...empty, ...(input !== undefined && { input: {} }) },
    },
    ...deltas.map(delta => ({ type: "content_block_delta", index, delta })),
    { type: "content_block_stop", index },
  ];
}

function halves(text: Json): readonly string[] {
  const whole = String(text as string); // the samples' texts
  return [whole.slice(0, 5), whole.slice(5)];
}

const anthropic: Provider = {
  format: "anthropic-messages",
  answer: {
    ...anthropicHead,
    content: anthropicBlocks,
    stop_reason: "tool_use",
    stop_sequence: null,
    usage: anthropicUsage,
  },
  events: [
    {
      type: "message_start",
      message: { ...anthropicHead, content: [], stop_reason: null, usage: { ...anthropicUsage, output_tokens: 1 } },
    },
    ...anthropicBlocks.flatMap(anthropicEvents),
    { type: "message_delta", delta: { stop_reason: "tool_use", stop_sequence: null }, usage: { output_tokens: 7 } },
    { type: "message_stop" },
  ],
  home: {
    system: [{ type: "text", text: "Be exact." }],
    messages: [
      { role: "user" },
      { role: "assistant", content: anthropicBlocks },
      { role: "user", content: [{ type: "tool_result", tool_use_id: "call_1" }] },
      { role: "user", content: [{ type: "tool_result", tool_use_id: "call_2" }] },
    ],
  },
  seals: [anthropicSignature, hiddenThinking],
};

// Gemini

const thoughtSignature = "Q3QwQkFZ-signed";
const geminiCalls = calls.map(({ id, args }, index) => ({
  functionCall: { id, name: "add", args },
  ...(index === 0 && { thoughtSignature }), // of a batch the first call has it
}));
const geminiUsage = {
  promptTokenCount: 15,
  cachedContentTokenCount: 4,
  candidatesTokenCount: 5,
  thoughtsTokenCount: 2,
  totalTokenCount: 22,
};
const geminiAnswer = (parts: readonly Json[], more: JsonObject = {}): Json => ({
  candidates: [{ content: { role: "model", parts }, index: 0, ...more }],
  usageMetadata: geminiUsage,
  modelVersion: "gemini-3-pro",
  responseId: "r1",
});
const thought = { text: "Sum, then sum.", thought: true };

const gemini: Provider = {
  format: "gemini",
  answer: geminiAnswer([thought, { text: words }, ...geminiCalls], { finishReason: "STOP" }),
  events: [
    geminiAnswer([{ text: "Sum, ", thought: true }]),
    geminiAnswer([{ text: "then sum.", thought: true }]),
    ...halves(words).map(text => geminiAnswer([{ text }])),
    geminiAnswer(geminiCalls, { finishReason: "STOP" }),
  ],
  home: {
    systemInstruction: { parts: [{ text: "Be exact." }] },
    contents: [
      { role: "user" },
      // Of members that it does not know the SDK keeps the last piece of a stream: this thought has no seal that brings it whole.
      { role: "model", parts: [{ thought: true }, { text: words }, ...geminiCalls] },
      { role: "user", parts: [{ functionResponse: { id: "call_1", name: "add" } }] },
      { role: "user", parts: [{ functionResponse: { id: "call_2", name: "add" } }] },
    ],
  },
  seals: [thoughtSignature],
};

// Responses

const encrypted = "gAAAAABo-sealed";
const responsesItems: readonly JsonObject[] = [
  {
    type: "reasoning",
    id: "rs_1",
    summary: [{ type: "summary_text", text: "Sum, then sum." }],
    encrypted_content: encrypted,
  },
  {
    type: "message",
    id: "msg_1",
    role: "assistant",
    status: "completed",
    content: [{ type: "output_text", text: words, annotations: [] }],
  },
  ...calls.map(({ id, args }, index) => ({
    type: "function_call",
    id: `fc_${index + 1}`,
    call_id: id,
    name: "add",
    arguments: JSON.stringify(args),
    status: "completed",
  })),
];
const response = {
  id: "resp_1",
  object: "response",
  created_at: 1790000000,
  model: "gpt-5.4",
  output: responsesItems,
  usage: {
    input_tokens: 15,
    input_tokens_details: { cached_tokens: 4 },
    output_tokens: 7,
    output_tokens_details: { reasoning_tokens: 2 },
    total_tokens: 22,
  },
};
const responses: Provider = {
  format: "openai-responses",
  answer: { ...response, status: "completed" },
  events: [
    { type: "response.created", response: { ...response, status: "in_progress", output: [] } },
    ...responsesItems.flatMap((item, index): Json[] => [
      { type: "response.output_item.added", output_index: index, item: { ...item, status: "in_progress" } },
      { type: "response.output_item.done", output_index: index, item },
    ]),
    { type: "response.completed", response: { ...response, status: "completed" } },
  ],
  home: {
    input: [
      { role: "system", content: "Be exact." },
      { role: "user" },
      { type: "reasoning", id: "rs_1", encrypted_content: encrypted },
      { type: "message", id: "msg_1", role: "assistant" },
      { type: "function_call", id: "fc_1", call_id: "call_1" },
      { type: "function_call", id: "fc_2", call_id: "call_2" },
      { type: "function_call_output", call_id: "call_1" },
      { type: "function_call_output", call_id: "call_2" },
    ],
  },
  seals: [encrypted, "rs_1", "msg_1", "fc_1"],
};

const providers = [anthropic, gemini, responses] as const;

/** What the client asks. */
const asked = {
  model: "m",
  messages: [
    { role: "system", content: "Be exact." },
    { role: "user", content: "19 + 23, and 1 + 1.5?" },
  ],
  tools: [
    {
      type: "function",
      function: {
        name: "add",
        description: "Adds.",
        parameters: {
          type: "object",
          properties: { a: { type: "number" }, b: { type: "number" } },
          required: ["a", "b"],
        },
      },
    },
  ],
} as const;

const toProvider = (request: unknown, { format }: Pick<Provider, "format">) =>
  convert(request, { from: client, to: format, shape: "request", recipient: "provider" });

type ClientMessage = OpenAI.Chat.ChatCompletionMessage;

/** What the official SDK has of an answer that comes through the gateway: it is what a client sends back. */
async function received(provider: Provider, isStreamed: boolean): Promise<OpenAI.Chat.ChatCompletion> {
  const { format, answer, events } = provider;
  const openai = (body: string, type: string): OpenAI =>
    new OpenAI({
      apiKey: "k",
      maxRetries: 0,
      fetch: async () => new Response(body, { headers: { "content-type": type } }),
    });
  const request = { model: asked.model, messages: [{ role: "user" as const, content: "a" }] };
  if (!isStreamed) {
    const { value } = convert(answer, { from: format, to: client, shape: "answer", recipient: "client" });
    return openai(JSON.stringify(value), "application/json").chat.completions.create(request);
  }
  const chunks = runAll(streamEncoder(client, { recipient: "client" }), runAll(streamDecoder(format), events));
  const sse = [...chunks.map(chunk => JSON.stringify(chunk)), "[DONE]"].map(data => `data: ${data}\n\n`).join("");
  return openai(sse, "text/event-stream").chat.completions.stream(request).finalChatCompletion();
}

/** The client's next request: its list, the answer as it has it, and the results. */
const following = (message: ClientMessage | undefined): unknown => ({
  ...asked,
  messages: [
    ...asked.messages,
    message,
    ...(message?.tool_calls ?? []).map(({ id }) => ({ role: "tool", tool_call_id: id, content: "42" })),
  ],
});

describe.each(providers.map(provider => [provider.format, provider] as const))("behind a gateway %s", (_, provider) => {
  describe.each([
    ["as a whole", false],
    ["streamed", true],
  ] as const)("answering %s", (_, isStreamed) => {
    test("is heard by a Chat client", async () => {
      const { choices, usage } = await received(provider, isStreamed);
      const [choice] = choices;
      expect(choice?.finish_reason).toBe("tool_calls");
      expect(choice?.message.content).toBe(words);
      const called = choice?.message.tool_calls?.map(call =>
        call.type === "function" ? { id: call.id, args: JSON.parse(call.function.arguments) } : call,
      );
      expect(called).toEqual(calls);
      expect(usage).toMatchObject({
        prompt_tokens: 15,
        completion_tokens: 7,
        total_tokens: 22,
        prompt_tokens_details: { cached_tokens: 4 },
      });
    });

    test("gets its answer back in the client's next request, seals and all", async () => {
      const { choices } = await received(provider, isStreamed);
      const { value } = toProvider(following(choices[0]?.message), provider);
      expect(value).toMatchObject(provider.home);
      expect(JSON.stringify(value)).not.toContain("translogue");
    });

    test.each(providers.filter(other => other !== provider).map(other => [other.format, other] as const))(
      "hands none of its seals to %s",
      async (_, other) => {
        const { choices } = await received(provider, isStreamed);
        const { value, losses } = toProvider(following(choices[0]?.message), other);
        const text = JSON.stringify(value);
        expect(provider.seals.filter(seal => text.includes(seal))).toEqual([]);
        expect(text).toContain(words);
        expect(calls.filter(({ id }) => text.includes(id))).toHaveLength(2);
        expect(losses.some(({ message }) => /seal|maker|provider/.test(message))).toBe(true);
      },
    );
  });
});

const schema = {
  type: "object",
  properties: { sum: { type: "number" } },
  required: ["sum"],
  additionalProperties: false,
};
const rich = {
  ...asked,
  max_completion_tokens: 100,
  temperature: 0.5,
  stop: "END",
  seed: 7,
  frequency_penalty: 0.1,
  tool_choice: "required",
  parallel_tool_calls: false,
  reasoning_effort: "low",
  response_format: { type: "json_schema", json_schema: { name: "sum", description: "A sum.", schema, strict: true } },
};
const { parameters } = asked.tools[0].function;
const expected: { readonly [format: string]: readonly [value: JsonObject, losses: readonly string[]] } = {
  "anthropic-messages": [
    {
      system: [{ type: "text", text: "Be exact." }],
      messages: [{ role: "user", content: [{ type: "text" }] }],
      max_tokens: 100,
      temperature: 0.5,
      stop_sequences: ["END"],
      tool_choice: { type: "any", disable_parallel_tool_use: true },
      tools: [{ name: "add", description: "Adds.", input_schema: parameters }],
      output_config: { effort: "low", format: { type: "json_schema", schema } },
    },
    ["seed", "frequencyPenalty", "responseFormat.name", "responseFormat.description", "responseFormat.strict"],
  ],
  gemini: [
    {
      systemInstruction: { parts: [{ text: "Be exact." }] },
      contents: [{ role: "user", parts: [{}] }],
      generationConfig: {
        maxOutputTokens: 100,
        temperature: 0.5,
        stopSequences: ["END"],
        seed: 7,
        frequencyPenalty: 0.1,
        thinkingConfig: { thinkingLevel: "low" },
        responseMimeType: "application/json",
        responseJsonSchema: schema,
      },
      toolConfig: { functionCallingConfig: { mode: "ANY" } },
      tools: [{ functionDeclarations: [{ name: "add", description: "Adds.", parametersJsonSchema: parameters }] }],
    },
    ["parallelToolCalls", "responseFormat.name", "responseFormat.description", "responseFormat.strict"],
  ],
  "openai-responses": [
    {
      input: [
        { role: "system", content: "Be exact." },
        { role: "user", content: "19 + 23, and 1 + 1.5?" },
      ],
      max_output_tokens: 100,
      temperature: 0.5,
      tool_choice: "required",
      parallel_tool_calls: false,
      reasoning: { effort: "low" },
      tools: [{ type: "function", name: "add", description: "Adds.", parameters }],
      text: { format: { type: "json_schema", name: "sum", description: "A sum.", schema, strict: true } },
    },
    ["stopSequences", "seed", "frequencyPenalty"],
  ],
};

test("what a Chat request asks for is asked for in each provider's words, and the rest is in the report", () => {
  for (const { format } of providers) {
    const { value, losses } = toProvider(rich, { format });
    expect(value).toMatchObject(expected[format]?.[0] ?? {});
    const lost = losses.filter(({ path }) => path[0] === "settings").map(({ path }) => path.slice(1).join("."));
    expect([format, lost.toSorted()]).toEqual([format, (expected[format]?.[1] ?? []).toSorted()]);
  }
});

test("no request to anyone holds what a tool's result shows to programs and people", () => {
  const face = "only-for-programs-and-people";
  const marked = (message: Message): Message => ({
    ...message,
    parts: message.parts.map(part =>
      part.type === "tool-result"
        ? { ...part, structured: { face }, display: [{ type: "text", text: face } as const] }
        : part,
    ),
  });
  const asking = formats.filter(({ shapes }) => shapes.includes("request")).map(({ id }) => id as FormatId); // registered
  expect(asking.length).toBeGreaterThan(4);
  fc.assert(
    fc.property(arbitraryConversation, conversation => {
      const given: Conversation = { ...conversation, messages: conversation.messages.map(marked) };
      for (const to of asking) {
        expect([to, JSON.stringify(encode(given, { to, shape: "request" }).value).includes(face)]).toEqual([to, false]);
      }
    }),
    { seed: 20261130, numRuns: 60 },
  );
});
