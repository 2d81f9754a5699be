import type { Reply } from "@translogue/testkit/fake-host";
import type { Json, JsonObject } from "translogue";
import type { Endpoint } from "../src/index.ts";
import { endpointOf, key } from "./hosted.ts";

/** One host: how it answers, streamed and as a whole, with a call and then with words, and how it says that it cannot. */
export interface Provider {
  readonly endpoint: Endpoint;
  readonly model: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly call: readonly Json[];
  readonly words: readonly Json[];
  readonly whole: Json;
  readonly busy: { readonly status: number; readonly body: Json };
  /** What of the next request brings seal and result home. */
  readonly home: JsonObject;
}

const named = (events: readonly Json[]): Reply => ({
  headers: { "content-type": "text/event-stream" },
  pieces: events.map(event => `event: ${(event as JsonObject)["type"]}\ndata: ${JSON.stringify(event)}\n\n`), // objects all
});

const block = (index: number, start: Json, ...deltas: readonly Json[]): Json[] => [
  { type: "content_block_start", index, content_block: start },
  ...deltas.map(delta => ({ type: "content_block_delta", index, delta })),
  { type: "content_block_stop", index },
];
const message = { id: "msg_01", type: "message", role: "assistant", model: "claude-opus-5-5" };
const anthropic = (id: string, reason: string, ...blocks: readonly Json[]): Json[] => [
  {
    type: "message_start",
    message: {
      ...message,
      id,
      content: [],
      stop_reason: null,
      stop_sequence: null,
      usage: { input_tokens: 9, output_tokens: 1 },
    },
  },
  { type: "ping" },
  ...blocks,
  { type: "message_delta", delta: { stop_reason: reason, stop_sequence: null }, usage: { output_tokens: 5 } },
  { type: "message_stop" },
];

const google = (parts: readonly Json[], more: JsonObject = {}, responseId = "r1"): Json => ({
  candidates: [{ content: { role: "model", parts }, index: 0, ...more }],
  usageMetadata: { promptTokenCount: 9, candidatesTokenCount: 5, totalTokenCount: 14 },
  modelVersion: "gemini-3-pro",
  responseId,
});
const signed = { functionCall: { id: "c1", name: "add", args: { a: 19, b: 23 } }, thoughtSignature: "c2ln" };

export const providers: { readonly [name: string]: Provider } = {
  Anthropic: {
    endpoint: endpointOf("anthropic"),
    model: "claude-opus-5-5",
    path: "/v1/messages",
    headers: { "x-api-key": key, "anthropic-version": "2023-06-01" },
    call: anthropic(
      "msg_01",
      "tool_use",
      ...block(
        0,
        { type: "thinking", thinking: "", signature: "" },
        { type: "thinking_delta", thinking: "Hm." },
        { type: "signature_delta", signature: "U0lH" },
      ),
      ...block(
        1,
        { type: "tool_use", id: "toolu_1", name: "add", input: {} },
        { type: "input_json_delta", partial_json: '{"a":19,' },
        { type: "input_json_delta", partial_json: '"b":23}' },
      ),
    ),
    words: anthropic(
      "msg_02",
      "end_turn",
      ...block(0, { type: "text", text: "" }, { type: "text_delta", text: "42." }),
    ),
    whole: {
      ...message,
      content: [{ type: "text", text: "42." }],
      stop_reason: "end_turn",
      stop_sequence: null,
      usage: { input_tokens: 9, output_tokens: 5 },
    },
    busy: { status: 529, body: { type: "error", error: { type: "overloaded_error", message: "Overloaded" } } },
    home: {
      model: "claude-opus-5-5",
      stream: true,
      messages: [
        { role: "user" },
        {
          role: "assistant",
          content: [
            { type: "thinking", thinking: "Hm.", signature: "U0lH" },
            { type: "tool_use", id: "toolu_1", name: "add", input: { a: 19, b: 23 } },
          ],
        },
        { role: "user", content: [{ type: "tool_result", tool_use_id: "toolu_1" }] },
      ],
    },
  },
  Google: {
    endpoint: endpointOf("google"),
    model: "models/gemini-3-pro",
    path: "/v1beta/models/gemini-3-pro:streamGenerateContent?alt=sse",
    headers: { "x-goog-api-key": key },
    call: [google([{ text: "Hm.", thought: true }]), google([signed], { finishReason: "STOP" })],
    words: [google([{ text: "4" }], {}, "r2"), google([{ text: "2." }], { finishReason: "STOP" }, "r2")],
    whole: google([{ text: "42." }], { finishReason: "STOP" }),
    busy: {
      status: 503,
      body: { error: { code: 503, message: "The model is overloaded.", status: "UNAVAILABLE" } },
    },
    home: {
      contents: [
        { role: "user" },
        { role: "model", parts: [{}, signed] },
        { role: "user", parts: [{ functionResponse: { id: "c1", name: "add" } }] },
      ],
    },
  },
};

/** Events as the provider sends them: Google's have no `[DONE]` at their end, and its own client takes none. */
export const replyOf = (name: string, events: readonly Json[]): Reply =>
  name === "Anthropic"
    ? named(events)
    : {
        headers: { "content-type": "text/event-stream" },
        pieces: events.map(event => `data: ${JSON.stringify(event)}\n\n`),
      };
