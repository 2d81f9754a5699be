import type { Interactions } from "@google/genai";
import type { Conversation, Message, Part } from "translogue";
import { emit, runAll } from "translogue";
import { encode, streamEncoder } from "translogue/convert";
import { geminiInteractions } from "translogue/gemini-interactions";
import { expect, test } from "vitest";

// What is expected has the types of Google's own SDK, so what is written is what its clients and servers know.

const provider = (callId: string, name: string, kind: string, input?: object): Part =>
  ({ type: "tool-call", callId, name, kind, executedBy: "provider", ...(input && { input }) }) as Part; // its members
const result = (callId: string, output: readonly Part[], more: object = {}): Part => ({
  type: "tool-result",
  callId,
  output,
  ...more,
});
const text = (words: string): Part => ({ type: "text", text: words });
const png: Part = { type: "file", mediaType: "image/png", source: { data: "AAAA" }, detail: "low" };
const seal = { maker: "google", values: { thoughtSignature: "c2ln" } };

const model: readonly Part[] = [
  { type: "reasoning", text: "t", summary: true, seal },
  { type: "text", text: "a", citations: [{ url: "u", title: "p", start: 0, end: 1 }] },
  png,
  provider("1", "code_execution", "code-interpreter", { code: "1", language: "python" }),
  result("1", [text("1")]),
  provider("2", "google_search", "web-search", { queries: ["q"] }),
  result("2", [{ type: "data", data: { search_suggestions: "h" } }]),
  provider("3", "url_context", "web-fetch", { urls: ["u"] }),
  result("3", [{ type: "source", url: "u" }], { outcome: "error" }),
  provider("4", "file_search", "file-search"),
  { type: "tool-result", callId: "4" },
  provider("5", "google_maps", "maps", { queries: ["q"] }),
  result("5", [{ type: "data", data: { places: [{ name: "n" }] } }]),
  provider("6", "retrieval", "retrieval", { queries: ["q"] }),
  { type: "tool-result", callId: "6" },
  provider("7", "processing", "processing"),
  { type: "tool-result", callId: "7" },
  { ...provider("8", "list", "mcp", {}), server: "files" } as Part, // a call
  result("8", [text("a"), png], { name: "list" }),
  { type: "tool-call", callId: "9", name: "f", input: { a: 1 } },
];
const messages: readonly Message[] = [
  {
    role: "user",
    parts: [text("q"), { type: "file", mediaType: "application/pdf", source: { url: "https://example.com/a.pdf" } }],
  },
  { role: "assistant", parts: model },
  { role: "tool", parts: [result("9", [{ type: "data", data: { b: 2 } }], { name: "f", outcome: "error" })] },
];

const said: Interactions.Step[] = [
  { type: "thought", signature: "c2ln", summary: [{ type: "text", text: "t" }] },
  {
    type: "model_output",
    content: [
      {
        type: "text",
        text: "a",
        annotations: [{ type: "url_citation", url: "u", title: "p", start_index: 0, end_index: 1 }],
      },
      { type: "image", mime_type: "image/png", data: "AAAA", resolution: "low" },
    ],
  },
  { type: "code_execution_call", id: "1", arguments: { code: "1", language: "python" } },
  { type: "code_execution_result", call_id: "1", result: "1" },
  { type: "google_search_call", id: "2", arguments: { queries: ["q"] } },
  { type: "google_search_result", call_id: "2", result: [{ search_suggestions: "h" }] },
  { type: "url_context_call", id: "3", arguments: { urls: ["u"] } },
  { type: "url_context_result", call_id: "3", is_error: true, result: [{ url: "u" }] },
  { type: "file_search_call", id: "4" },
  { type: "file_search_result", call_id: "4" },
  { type: "google_maps_call", id: "5", arguments: { queries: ["q"] } },
  { type: "google_maps_result", call_id: "5", result: [{ places: [{ name: "n" }] }] },
  { type: "retrieval_call", id: "6", arguments: { queries: ["q"] } },
  { type: "retrieval_result", call_id: "6" },
  { type: "processing_call", id: "7" },
  { type: "processing_result", call_id: "7" },
  { type: "mcp_server_tool_call", id: "8", name: "list", server_name: "files", arguments: {} },
  {
    type: "mcp_server_tool_result",
    call_id: "8",
    name: "list",
    result: [
      { type: "text", text: "a" },
      { type: "image", mime_type: "image/png", data: "AAAA", resolution: "low" },
    ],
  },
  { type: "function_call", id: "9", name: "f", arguments: { a: 1 } },
];

test("a request is one of the SDK's", () => {
  const conversation: Conversation = {
    model: "gemini-3-flash",
    messages: [{ role: "system", parts: [text("s")] }, ...messages],
    tools: [
      { name: "f", description: "d", input: { type: "object", properties: {} } },
      { name: "google_search", kind: "web-search" },
      { name: "code_execution", kind: "code-interpreter" },
    ],
    settings: {
      temperature: 1,
      topP: 0.5,
      seed: 1,
      stopSequences: ["x"],
      maxOutputTokens: 9,
      toolChoice: { allowed: ["f"], required: true },
      reasoning: { effort: "low", summary: "auto" },
      responseFormat: { type: "json", schema: { type: "object", properties: {} } },
    },
  };
  const expected: Interactions.CreateModelInteractionParamsNonStreaming = {
    model: "gemini-3-flash",
    system_instruction: "s",
    input: [
      {
        type: "user_input",
        content: [
          { type: "text", text: "q" },
          { type: "document", mime_type: "application/pdf", uri: "https://example.com/a.pdf" },
        ],
      },
      ...said,
      { type: "function_result", call_id: "9", name: "f", is_error: true, result: { b: 2 } },
    ],
    tools: [
      { type: "function", name: "f", description: "d", parameters: { type: "object", properties: {} } },
      { type: "google_search" },
      { type: "code_execution" },
    ],
    generation_config: {
      temperature: 1,
      top_p: 0.5,
      seed: 1,
      stop_sequences: ["x"],
      max_output_tokens: 9,
      thinking_level: "low",
      thinking_summaries: "auto",
      tool_choice: { allowed_tools: { mode: "any", tools: ["f"] } },
    },
    response_format: { type: "text", mime_type: "application/json", schema: { type: "object", properties: {} } },
  };
  expect(encode(geminiInteractions, conversation, { shape: "request" }).value).toEqual(expected);
});

const finished: Partial<Message> = {
  responseId: "v1_a",
  model: "m",
  createdAt: "2026-05-15T18:52:46Z",
  finish: { reason: "tool-calls" },
  usage: { input: 3, cacheRead: 1, output: 2, reasoning: 4, modalities: { "output.image": 2 } },
};
const usage: Interactions.Usage = {
  total_tokens: 10,
  total_input_tokens: 4,
  total_cached_tokens: 1,
  total_output_tokens: 2,
  total_thought_tokens: 4,
  output_tokens_by_modality: [{ modality: "image", tokens: 2 }],
};
/** The API leaves out of a step what its deltas say. */
const begun = (step: Partial<Interactions.Step>): Interactions.Step => step as Interactions.Step; // as it comes
/** The wire says so too, which the SDK's types do not know. */
const object = { object: "interaction" };

test("an answer is one of the SDK's", () => {
  const expected: Interactions.Interaction = {
    id: "v1_a",
    status: "requires_action",
    model: "m",
    created: "2026-05-15T18:52:46Z",
    usage,
    steps: said,
    ...object,
  };
  const conversation = { messages: [{ role: "assistant", parts: model, ...finished }] };
  expect(encode(geminiInteractions, conversation, { shape: "answer", recipient: "client" }).value).toEqual(expected);
});

test("the events of a stream are the SDK's", () => {
  const parts = model
    .filter(({ type }) => type === "reasoning" || type === "text")
    .concat(model.slice(-1), model.slice(5, 7));
  const expected: Interactions.InteractionSSEEvent[] = [
    {
      event_type: "interaction.created",
      interaction: { id: "v1_a", status: "in_progress", created: "2026-05-15T18:52:46Z", model: "m", ...object },
    },
    { event_type: "step.start", index: 0, step: { type: "thought" } },
    { event_type: "step.delta", index: 0, delta: { type: "thought_summary", content: { type: "text", text: "t" } } },
    { event_type: "step.delta", index: 0, delta: { type: "thought_signature", signature: "c2ln" } },
    { event_type: "step.stop", index: 0 },
    { event_type: "step.start", index: 1, step: { type: "model_output" } },
    { event_type: "step.delta", index: 1, delta: { type: "text", text: "a" } },
    {
      event_type: "step.delta",
      index: 1,
      delta: {
        type: "text_annotation_delta",
        annotations: [{ type: "url_citation", url: "u", title: "p", start_index: 0, end_index: 1 }],
      },
    },
    { event_type: "step.stop", index: 1 },
    { event_type: "step.start", index: 2, step: { type: "function_call", id: "9", name: "f", arguments: {} } },
    { event_type: "step.delta", index: 2, delta: { type: "arguments_delta", arguments: '{"a":1}' } },
    { event_type: "step.stop", index: 2 },
    { event_type: "step.start", index: 3, step: begun({ type: "google_search_call", id: "2" }) },
    { event_type: "step.delta", index: 3, delta: { type: "google_search_call", arguments: { queries: ["q"] } } },
    { event_type: "step.stop", index: 3 },
    { event_type: "step.start", index: 4, step: begun({ type: "google_search_result", call_id: "2" }) },
    {
      event_type: "step.delta",
      index: 4,
      delta: { type: "google_search_result", result: [{ search_suggestions: "h" }] },
    },
    { event_type: "step.stop", index: 4 },
    {
      event_type: "interaction.completed",
      interaction: {
        id: "v1_a",
        status: "requires_action",
        created: "2026-05-15T18:52:46Z",
        model: "m",
        usage,
        ...object,
      },
    },
  ];
  const events = emit([{ role: "assistant", parts, ...finished }]);
  expect(runAll(streamEncoder(geminiInteractions, { recipient: "client" }), events)).toEqual(expected);
});

test("an error of a stream is the SDK's", () => {
  const expected: Interactions.ErrorEvent = { event_type: "error", error: { code: "overloaded", message: "later" } };
  const encoder = streamEncoder(geminiInteractions, { recipient: "client" });
  expect(runAll(encoder, [{ type: "error", error: { code: "overloaded", message: "later" } }])).toEqual([expected]);
});
