import {
  accumulate,
  decode,
  emit,
  encode,
  type Json,
  type JsonObject,
  type Message,
  runAll,
  streamDecoder,
  streamEncoder,
} from "translogue";
import { describe, expect, it } from "vitest";

/** What .NET's clients put into MAF's members of an answer, and what they send of MAF's messages: ours does so too. */

const chat = (message: JsonObject, more: JsonObject = {}): Json => ({
  id: "chatcmpl-9",
  object: "chat.completion",
  created: 1_760_000_000,
  model: "m",
  choices: [{ index: 0, message: { role: "assistant", ...message }, finish_reason: "stop" }],
  ...more,
});
const responses = (output: readonly JsonObject[], more: JsonObject = {}): Json => ({
  id: "resp_9",
  object: "response",
  created_at: 1_760_000_000,
  status: "completed",
  model: "m",
  output,
  ...more,
});

const answer = (wire: Json, from: "openai-chat" | "openai-responses"): JsonObject => {
  const { conversation } = decode(wire, { from, shape: "answer" });
  return encode(conversation, { to: "maf", shape: "answer", carry: false }).value as JsonObject; // an answer is an object
};
const contents = (wire: Json, from: "openai-chat" | "openai-responses"): Json | undefined =>
  (answer(wire, from)["messages"] as readonly JsonObject[])[0]?.["contents"]; // an answer has messages

describe("an answer of Chat", () => {
  it("says when, by which model and how it ended in the envelope", () => {
    const { messages, ...envelope } = answer(chat({ content: "a" }), "openai-chat");
    expect(messages).toMatchObject([{ createdAt: "2025-10-09T08:53:20Z", role: "assistant" }]);
    expect(envelope).toEqual({
      responseId: "chatcmpl-9",
      modelId: "m",
      createdAt: "2025-10-09T08:53:20Z",
      finishReason: "stop",
    });
  });

  it("counts cached, reasoning and predicted tokens where .NET does", () => {
    const usage = {
      prompt_tokens: 20,
      completion_tokens: 9,
      total_tokens: 29,
      prompt_tokens_details: { cached_tokens: 8 },
      completion_tokens_details: { reasoning_tokens: 4, accepted_prediction_tokens: 3, rejected_prediction_tokens: 2 },
    };
    expect(answer(chat({ content: "a" }, { usage }), "openai-chat")["usage"]).toEqual({
      inputTokenCount: 20,
      outputTokenCount: 9,
      totalTokenCount: 29,
      cachedInputTokenCount: 8,
      reasoningTokenCount: 4,
      additionalCounts: {
        "OutputTokenDetails.AcceptedPredictionTokenCount": 3,
        "OutputTokenDetails.RejectedPredictionTokenCount": 2,
      },
    });
  });

  it.each<[string, JsonObject, Json]>([
    [
      "a refusal as an error of its own code",
      { content: null, refusal: "No." },
      [{ $type: "error", message: "No.", errorCode: "Refusal" }],
    ],
    [
      "citations as annotations with a span",
      {
        content: "Paris.",
        annotations: [
          {
            type: "url_citation",
            url_citation: { start_index: 0, end_index: 5, title: "T", url: "https://a.example/" },
          },
        ],
      },
      [
        {
          $type: "text",
          text: "Paris.",
          annotations: [
            {
              $type: "citation",
              title: "T",
              url: "https://a.example/",
              annotatedRegions: [{ $type: "textSpan", start: 0, end: 5 }],
            },
          ],
        },
      ],
    ],
    [
      "reasoning beside the text",
      { content: "42", reasoning_content: "6 * 7" },
      [
        { $type: "reasoning", text: "6 * 7" },
        { $type: "text", text: "42" },
      ],
    ],
  ])("keeps %s", (_, message, expected) => {
    expect(contents(chat(message), "openai-chat")).toEqual(expected);
  });
});

describe("an answer of Responses", () => {
  it.each<[string, readonly JsonObject[], Json]>([
    [
      "the id of a reasoning item, and what it is sealed with",
      [{ type: "reasoning", id: "rs_1", summary: [{ type: "summary_text", text: "s" }], encrypted_content: "x" }],
      [
        {
          $type: "reasoning",
          text: "s",
          protectedData: "x",
          additionalProperties: { reasoningItemId: "rs_1" },
        },
      ],
    ],
    [
      "what a search looked for, in any spelling, and what it found",
      [
        {
          type: "web_search_call",
          id: "ws_1",
          status: "completed",
          action: {
            type: "search",
            query: "q",
            queries: ["q", "r"],
            sources: [{ type: "url", url: "https://a.example/" }],
          },
        },
        { type: "web_search_call", id: "ws_2", status: "completed", action: { type: "search", query: "only" } },
        {
          type: "web_search_call",
          id: "ws_3",
          status: "completed",
          action: { type: "open_page", url: "https://b.example/" },
        },
      ],
      [
        { $type: "webSearchToolCall", queries: ["q", "r"], callId: "ws_1" },
        {
          $type: "webSearchToolResult",
          outputs: [{ $type: "uri", uri: "https://a.example/", mediaType: "text/html" }],
          callId: "ws_1",
        },
        { $type: "webSearchToolCall", queries: ["only"], callId: "ws_2" },
        { $type: "webSearchToolCall", callId: "ws_3" },
      ],
    ],
    [
      "the name of a cited file as its title",
      [
        {
          type: "message",
          id: "msg_1",
          status: "completed",
          role: "assistant",
          content: [
            {
              type: "output_text",
              text: "See.",
              annotations: [{ type: "file_citation", file_id: "file-1", filename: "a.pdf", index: 2 }],
            },
          ],
        },
      ],
      [
        {
          $type: "text",
          text: "See.",
          annotations: [{ $type: "citation", title: "a.pdf", fileId: "file-1" }],
        },
      ],
    ],
  ])("keeps %s", (_, output, expected) => {
    expect(contents(responses(output), "openai-responses")).toEqual(expected);
  });
});

describe("a request", () => {
  it("to Chat has files by their ids, pictures too", () => {
    const file = { $type: "hostedFile", fileId: "file-1", mediaType: "image/png" };
    const messages = [{ role: "user", contents: [file] }];
    const { conversation } = decode(messages, { from: "maf", shape: "messages" });
    const { value } = encode(conversation, { to: "openai-chat", shape: "request" });
    expect(value).toMatchObject({ messages: [{ content: [{ type: "file", file: { file_id: "file-1" } }] }] });
  });

  it("to Chat says who speaks, where an answer did not", () => {
    const wire = { ...(chat({}) as JsonObject), choices: [{ index: 0, message: { content: "a" } }] }; // an object it is
    const { conversation } = decode(wire, { from: "openai-chat", shape: "answer" });
    expect(encode(conversation, { to: "openai-chat", shape: "request" }).value).toMatchObject({
      messages: [{ role: "assistant", content: "a" }],
    });
  });
});

describe("a stream of Responses", () => {
  const heard = (...events: readonly Json[]) => accumulate(runAll(streamDecoder("openai-responses"), events));

  it("that goes on in the middle of an item has the text that is told from there", () => {
    const completed = responses([], { status: "completed" });
    const [message] = heard(
      { type: "response.output_text.delta", item_id: "msg_1", output_index: 0, content_index: 0, delta: "b" },
      { type: "response.completed", response: completed },
    );
    expect(message).toMatchObject({ responseId: "resp_9", finish: { reason: "stop" } });
    expect(message?.parts).toMatchObject([{ type: "text", text: "b" }]);
  });

  it("keeps every error that it tells", () => {
    const [message] = heard(
      { type: "error", code: "c", message: "first" },
      { type: "error", error: { code: null, message: "second" } },
    );
    expect(message?.parts).toEqual([
      { type: "error", message: "first", code: "c" },
      { type: "error", message: "second" },
    ]);
  });

  it("that is cut has what came of the other side, too", () => {
    const done = (item: JsonObject, output_index: number): Json => ({
      type: "response.output_item.done",
      output_index,
      item,
    });
    const call = { type: "mcp_approval_request", id: "mcpr_1", server_label: "s", name: "f", arguments: "{}" };
    const response = { type: "mcp_approval_response", id: "r_1", approval_request_id: "mcpr_1", approve: true };
    const created = responses([], { status: "in_progress" });
    const messages = heard({ type: "response.created", response: created }, done(call, 0), done(response, 1));
    expect(messages.map(({ role, responseId, finish }) => [role, responseId, finish?.reason])).toEqual([
      ["assistant", "resp_9", "incomplete"],
      ["tool", "resp_9", "incomplete"],
    ]);
    expect(messages.flatMap(({ parts }) => parts.map(({ type }) => type))).toEqual([
      "approval-request",
      "approval-response",
    ]);
  });
});

describe("a stream of MAF's updates", () => {
  it("names the call that an approval is about, though it was asked for in another message", () => {
    const call = {
      type: "tool-call" as const,
      callId: "c",
      name: "f",
      input: {},
      kind: "mcp",
      executedBy: "provider" as const,
    };
    const messages: readonly Message[] = [
      { role: "assistant", parts: [{ type: "approval-request", requestId: "r", callId: "c", call }] },
      { role: "user", parts: [{ type: "approval-response", requestId: "r", approved: true }] },
    ];
    const updates = runAll(streamEncoder("maf"), emit(messages));
    expect(updates.at(-1)).toMatchObject({
      role: "user",
      contents: [{ $type: "toolApprovalResponse", toolCall: { $type: "mcpServerToolCall", name: "f", callId: "c" } }],
    });
  });

  it("tells an author and a date that come late", () => {
    const encoder = streamEncoder("maf");
    const updates = runAll(encoder, [
      { type: "message-start", message: 0, head: { role: "assistant" } },
      { type: "part", message: 0, part: 0, value: { type: "text", text: "a" } },
      { type: "message-set", message: 0, set: { createdAt: "2026-01-01T00:00:00Z", author: { name: "A" } } },
      { type: "message-set", message: 0, set: { id: "late" } },
      { type: "message-end", message: 0 },
    ]);
    expect(accumulate(runAll(streamDecoder("maf"), updates))).toMatchObject([
      { createdAt: "2026-01-01T00:00:00Z", author: { name: "A" }, parts: [{ type: "text", text: "a" }] },
    ]);
    expect(encoder.losses.map(({ code }) => code)).toEqual(["late"]);
  });
});

describe("reasoning of .NET's OpenAI client", () => {
  it("goes back as the summary of its item", () => {
    const reasoning = { $type: "reasoning", text: "s", additionalProperties: { reasoningItemId: "rs_1" } };
    const messages = [{ role: "assistant", contents: [{ ...reasoning, protectedData: "x" }] }];
    const { conversation } = decode(messages, { from: "maf", shape: "messages" });
    expect(encode(conversation, { to: "openai-responses", shape: "request" }).value).toMatchObject({
      input: [
        { type: "reasoning", id: "rs_1", summary: [{ type: "summary_text", text: "s" }], encrypted_content: "x" },
      ],
    });
  });

  it("streams as one text, for its id alone does not end it", () => {
    const part = (text: string) => ({ type: "reasoning" as const, text, summary: true as const });
    const seal = { maker: "openai", values: { id: "rs_1" } };
    const parts = [
      { ...part("a"), seal },
      { ...part("b"), seal },
    ];
    const events = emit([{ role: "assistant", parts }]);
    const encoder = streamEncoder("maf");
    const updates = runAll(encoder, events);
    expect(accumulate(runAll(streamDecoder("maf"), updates))[0]?.parts).toEqual([{ ...part("ab"), seal }]);
    expect(encoder.losses.map(({ code }) => code)).toContain("text-joined");
  });
});
