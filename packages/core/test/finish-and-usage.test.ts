import {
  convert,
  decode,
  encode,
  type FinishReason,
  type FormatId,
  type Json,
  type JsonObject,
  type Part,
  type Usage,
} from "translogue";
import { describe, expect, test } from "vitest";

/** The least answers of the providers' formats that say how they ended, and what was counted. */
const text = { type: "text", text: "a" } as const;
const call = { id: "c", type: "function", function: { name: "f", arguments: "{}" } };
const chat = (finish_reason: Json, message: JsonObject = {}, usage?: Json): JsonObject => ({
  id: "r",
  object: "chat.completion",
  created: 1790000000,
  model: "m",
  choices: [{ index: 0, message: { role: "assistant", content: "a", ...message }, finish_reason }],
  ...(usage !== undefined && { usage }),
});
const said = (content: JsonObject): JsonObject => ({
  type: "message",
  id: "msg_1",
  role: "assistant",
  status: "completed",
  content: [content],
});
const words = said({ type: "output_text", text: "a", annotations: [] });
const responses = (
  status: string,
  reason: Json = null,
  output: readonly Json[] = [words],
  usage?: Json,
): JsonObject => ({
  id: "r",
  object: "response",
  created_at: 1790000000,
  model: "m",
  status,
  error: status === "failed" ? { code: "server_error", message: "Broken." } : null,
  incomplete_details: reason === null ? null : { reason },
  output,
  ...(usage !== undefined && { usage }),
});
const anthropic = (stop_reason: string, usage: Json = { input_tokens: 1, output_tokens: 1 }): JsonObject => ({
  id: "m",
  type: "message",
  role: "assistant",
  model: "m",
  content: [text],
  stop_reason,
  stop_sequence: stop_reason === "stop_sequence" ? "END" : null,
  usage,
});
const gemini = (finishReason: string, parts: readonly Json[] = [{ text: "a" }], usageMetadata?: Json): JsonObject => ({
  candidates: [{ content: { role: "model", parts }, finishReason, index: 0 }],
  ...(usageMetadata !== undefined && { usageMetadata }),
});
const bedrock = (
  stopReason: string,
  usage: Json = { inputTokens: 1, outputTokens: 1, totalTokens: 2 },
): JsonObject => ({
  output: { message: { role: "assistant", content: [{ text: "a" }] } },
  stopReason,
  usage,
  metrics: { latencyMs: 1 },
});
const cohere = (finish_reason: string): JsonObject => ({
  id: "r",
  finish_reason,
  message: { role: "assistant", content: [text] },
  usage: { tokens: { input_tokens: 15, output_tokens: 7 } },
});
const ollama = (done_reason: string): JsonObject => ({
  model: "m",
  created_at: "2026-11-30T00:00:00Z",
  message: { role: "assistant", content: "a" },
  done: true,
  done_reason,
  prompt_eval_count: 15,
  eval_count: 7,
});
const interaction = (status: string, usage?: Json): JsonObject => ({
  id: "i",
  status,
  model: "m",
  steps: [{ type: "model_output", content: [text] }],
  ...(usage !== undefined && { usage }),
});

const lastOf = (from: string, answer: unknown) =>
  decode(answer, { from: from as FormatId, shape: "answer" }).conversation.messages.at(-1); // or a format and its dialect

describe("how an answer ended is one of our reasons, and the word of the wire where that does not say it", () => {
  const functionCall = {
    type: "function_call",
    id: "fc_1",
    call_id: "c",
    name: "f",
    arguments: "{}",
    status: "completed",
  };
  type Row = readonly [format: FormatId, answer: JsonObject, reason: FinishReason, raw?: string];
  const rows: readonly Row[] = [
    ["openai-chat", chat("stop"), "stop"],
    ["openai-chat", chat("length"), "length"],
    ["openai-chat", chat("tool_calls", { tool_calls: [call] }), "tool-calls"],
    ["openai-chat", chat("function_call"), "tool-calls", "function_call"],
    ["openai-chat", chat("stop", { tool_calls: [call] }), "tool-calls", "stop"],
    ["openai-chat", chat("stop", { content: null, refusal: "no" }), "refusal"],
    ["openai-chat", chat("content_filter"), "content-filter"],
    ["openai-chat", chat("network_error"), "error", "network_error"],
    ["mistral", chat("stop"), "stop"],
    ["mistral", chat("length"), "length"],
    ["mistral", chat("model_length"), "context"],
    ["mistral", chat("tool_calls"), "tool-calls"],
    ["mistral", chat("error"), "error"],
    ["openai-responses", responses("completed"), "stop"],
    ["openai-responses", responses("completed", null, [functionCall]), "tool-calls"],
    ["openai-responses", responses("completed", null, [said({ type: "refusal", refusal: "no" })]), "refusal"],
    [
      "openai-responses",
      responses("completed", null, [{ type: "compaction", id: "cmp_1", encrypted_content: "E" }]),
      "compaction",
    ],
    ["openai-responses", responses("incomplete", "max_output_tokens"), "length"],
    ["openai-responses", responses("incomplete", "content_filter"), "content-filter"],
    ["openai-responses", responses("incomplete", "max_messages"), "other", "max_messages"],
    ["openai-responses", responses("incomplete", "steered"), "other", "steered"],
    ["openai-responses", responses("cancelled"), "aborted"],
    ["openai-responses", responses("failed"), "error"],
    ["openai-responses", responses("in_progress"), "pending"],
    ["anthropic-messages", anthropic("end_turn"), "stop"],
    ["anthropic-messages", anthropic("max_tokens"), "length"],
    ["anthropic-messages", anthropic("stop_sequence"), "stop-sequence"],
    ["anthropic-messages", anthropic("tool_use"), "tool-calls"],
    ["anthropic-messages", anthropic("pause_turn"), "pause"],
    ["anthropic-messages", anthropic("refusal"), "refusal"],
    ["anthropic-messages", anthropic("model_context_window_exceeded"), "context"],
    ["anthropic-messages", anthropic("compaction"), "compaction"],
    ["anthropic-messages", anthropic("tired"), "other", "tired"],
    ["gemini", gemini("STOP"), "stop"],
    ["gemini", gemini("STOP", [{ functionCall: { name: "f", args: {} } }]), "tool-calls"],
    ["gemini", gemini("MAX_TOKENS"), "length"],
    ["gemini", gemini("CONTINUATION"), "pause"],
    ["gemini", gemini("SAFETY"), "content-filter"],
    ...["RECITATION", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII", "IMAGE_SAFETY", "MODEL_ARMOR"].map(
      (word): Row => ["gemini", gemini(word), "content-filter", word],
    ),
    ["gemini", gemini("MALFORMED_FUNCTION_CALL"), "malformed-call"],
    ...["UNEXPECTED_TOOL_CALL", "MISSING_THOUGHT_SIGNATURE"].map(
      (word): Row => ["gemini", gemini(word), "malformed-call", word],
    ),
    ["gemini", gemini("OTHER"), "other"],
    ["gemini", gemini("LANGUAGE"), "other", "LANGUAGE"],
    ["bedrock-converse", bedrock("end_turn"), "stop"],
    ["bedrock-converse", bedrock("tool_use"), "tool-calls"],
    ["bedrock-converse", bedrock("max_tokens"), "length"],
    ["bedrock-converse", bedrock("stop_sequence"), "stop-sequence"],
    ["bedrock-converse", bedrock("content_filtered"), "content-filter"],
    ["bedrock-converse", bedrock("guardrail_intervened"), "content-filter", "guardrail_intervened"],
    ["bedrock-converse", bedrock("malformed_tool_use"), "malformed-call"],
    ["bedrock-converse", bedrock("malformed_model_output"), "malformed-call", "malformed_model_output"],
    ["bedrock-converse", bedrock("model_context_window_exceeded"), "context"],
    ["cohere", cohere("COMPLETE"), "stop"],
    ["cohere", cohere("STOP_SEQUENCE"), "stop-sequence"],
    ["cohere", cohere("MAX_TOKENS"), "length"],
    ["cohere", cohere("TOOL_CALL"), "tool-calls"],
    ["cohere", cohere("ERROR"), "error"],
    ["ollama", ollama("stop"), "stop"],
    ["ollama", ollama("length"), "length"],
    ["gemini-interactions", interaction("completed"), "stop"],
    ["gemini-interactions", interaction("requires_action"), "tool-calls"],
    ["gemini-interactions", interaction("cancelled"), "aborted"],
    ["gemini-interactions", interaction("requires_continuation"), "pause"],
  ];
  test.each(rows.map(row => [row] as const))("%j", ([format, answer, reason, raw]) => {
    expect(lastOf(format, answer)?.finish).toEqual({ reason, ...(raw !== undefined && { raw }) });
  });
});

describe("our reasons are said by the nearest word, and it is a loss where that reads as another", () => {
  type Words = readonly [chat: string | null, responses: string, anthropic: string | null, gemini: string | undefined];
  const parts: { readonly [reason in FinishReason]?: readonly Part[] } = {
    "tool-calls": [{ type: "tool-call", callId: "c", name: "f", input: {} }],
    refusal: [{ type: "refusal", text: "no" }],
    compaction: [
      { type: "compaction", summary: [text], seal: { maker: "openai", values: { encrypted_content: "E" } } },
    ],
  };
  const written: { readonly [reason in FinishReason]: Words } = {
    stop: ["stop", "completed", "end_turn", "STOP"],
    "stop-sequence": ["stop!", "completed!", "stop_sequence", "STOP!"],
    length: ["length", "incomplete max_output_tokens", "max_tokens", "MAX_TOKENS"],
    context: ["length!", "incomplete max_output_tokens!", "model_context_window_exceeded", "MAX_TOKENS!"],
    "tool-calls": ["tool_calls", "completed", "tool_use", "STOP"],
    refusal: ["stop", "completed", "refusal", "SAFETY!"],
    "content-filter": ["content_filter", "incomplete content_filter", "refusal!", "SAFETY"],
    pause: ["stop!", "completed!", "pause_turn", "CONTINUATION"],
    compaction: ["stop!", "completed", "compaction", "STOP!"],
    "malformed-call": ["error!", "incomplete!", "null!", "MALFORMED_FUNCTION_CALL"],
    error: ["error", "failed", "null!", "OTHER!"],
    aborted: ["null!", "cancelled", "null!", "null!"],
    incomplete: ["null!", "incomplete", "null!", "null!"],
    pending: ["null!", "in_progress", "null!", "null!"],
    other: ["stop!", "completed!", "null!", "OTHER"],
  };
  const wordIn: readonly [format: FormatId, word: (answer: JsonObject) => unknown][] = [
    ["openai-chat", ({ choices }) => inside(choices, 0, "finish_reason")],
    [
      "openai-responses",
      answer => [answer["status"], inside(answer["incomplete_details"], "reason")].filter(Boolean).join(" "),
    ],
    ["anthropic-messages", ({ stop_reason }) => stop_reason],
    ["gemini", ({ candidates }) => inside(candidates, 0, "finishReason")],
  ];
  test.each(Object.keys(written) as FinishReason[])("%s", reason => {
    const message = { role: "assistant", parts: parts[reason] ?? [text], finish: { reason } } as const;
    const found = wordIn.map(([to, word]) => {
      const { value, losses } = encode({ messages: [message] }, { to, shape: "answer" });
      const isLoss = losses.some(({ code }) => code === "finish");
      return `${word(value as JsonObject) ?? null}${isLoss ? "!" : ""}`; // an answer is an object
    });
    expect(found).toEqual(written[reason]);
  });

  test.each<[from: FormatId, answer: JsonObject, to: FormatId, word: unknown]>([
    ["anthropic-messages", anthropic("max_tokens"), "openai-chat", "length"],
    ["openai-chat", chat("tool_calls", { tool_calls: [call] }), "anthropic-messages", "tool_use"],
    ["gemini", gemini("PROHIBITED_CONTENT"), "openai-chat", "content_filter"],
    ["openai-responses", responses("incomplete", "max_output_tokens"), "gemini", "MAX_TOKENS"],
    [
      "bedrock-converse",
      bedrock("model_context_window_exceeded"),
      "anthropic-messages",
      "model_context_window_exceeded",
    ],
    ["mistral", chat("model_length"), "openai-chat", "length"],
    ["cohere", cohere("TOOL_CALL"), "openai-chat", "tool_calls"],
    ["ollama", ollama("length"), "openai-responses", "incomplete max_output_tokens"],
  ])("%s %j ends in %s with %s", (from, answer, to, word) => {
    const { value } = convert(answer, { from, to, shape: "answer", as: "answer" });
    const read = wordIn.find(([format]) => format === to)?.[1];
    expect(read?.(value as JsonObject)).toBe(word); // an answer is an object
  });
});

test("a word that only one format knows goes to no other, and a failure is no success", () => {
  const other = { role: "assistant", parts: [text], finish: { reason: "other", raw: "load" } } as const;
  const failed = { role: "assistant", parts: [text], finish: { reason: "error" } } as const;
  const filtered = { role: "assistant", parts: [text], finish: { reason: "content-filter" } } as const;
  const own = convert(ollama("load"), { from: "ollama", to: "ollama", shape: "answer", as: "answer" });
  expect([own.value, own.losses]).toMatchObject([{ done_reason: "load" }, []]);
  const words = (["openai-chat", "mistral", "cohere", "bedrock-converse", "ollama"] as const).map(to => {
    const found = [other, failed, filtered].map(message => {
      const { value } = encode({ messages: [message] }, { to, shape: "answer" });
      const { choices, finish_reason, stopReason, done_reason } = value as JsonObject; // an answer is an object
      return finish_reason ?? stopReason ?? done_reason ?? inside(choices, 0, "finish_reason");
    });
    return [to, ...found];
  });
  expect(words).toEqual([
    ["openai-chat", "stop", "error", "content_filter"],
    ["mistral", "stop", "error", "error"],
    ["cohere", "COMPLETE", "ERROR", "ERROR"],
    ["bedrock-converse", "end_turn", "malformed_model_output", "content_filtered"],
    ["ollama", "stop", "error", "content_filter"],
  ]);
});

function inside(value: unknown, ...path: readonly (string | number)[]): unknown {
  return path.reduce<unknown>(
    (inner, step) => (inner as { readonly [key: string]: unknown } | undefined)?.[step],
    value,
  );
}

describe("what was counted adds up to the provider's total, and what no bucket tells is other, and reported", () => {
  const counted = { input_tokens: 9, cache_read_input_tokens: 4, cache_creation_input_tokens: 2, output_tokens: 7 };
  const rows: readonly [from: string, answer: JsonObject, usage: Usage, total: number][] = [
    [
      "openai-chat",
      chat(
        "stop",
        {},
        {
          prompt_tokens: 15,
          completion_tokens: 7,
          total_tokens: 22,
          prompt_tokens_details: { cached_tokens: 4, cache_write_tokens: 2 },
          completion_tokens_details: { reasoning_tokens: 3 },
        },
      ),
      { input: 9, cacheRead: 4, cacheWrite: 2, output: 4, reasoning: 3 },
      22,
    ],
    [
      "openai-chat:xai", // reasoning stands beside the completion
      chat(
        "stop",
        {},
        {
          prompt_tokens: 12,
          completion_tokens: 2,
          total_tokens: 334,
          completion_tokens_details: { reasoning_tokens: 320 },
        },
      ),
      { input: 12, output: 2, reasoning: 320 },
      334,
    ],
    [
      "openai-chat:gemini", // thoughts are in the total alone
      chat("stop", {}, { prompt_tokens: 35, completion_tokens: 12, total_tokens: 109 }),
      { input: 35, output: 12, other: 62 },
      109,
    ],
    [
      "openai-chat:deepseek",
      chat(
        "stop",
        {},
        {
          prompt_tokens: 15,
          completion_tokens: 7,
          total_tokens: 22,
          prompt_cache_hit_tokens: 4,
          prompt_cache_miss_tokens: 11,
        },
      ),
      { input: 11, cacheRead: 4, output: 7 },
      22,
    ],
    [
      "openai-chat:moonshot",
      chat("stop", {}, { prompt_tokens: 15, completion_tokens: 7, total_tokens: 22, cached_tokens: 4 }),
      { input: 11, cacheRead: 4, output: 7 },
      22,
    ],
    [
      "openai-responses",
      responses("completed", null, [words], {
        input_tokens: 15,
        input_tokens_details: { cached_tokens: 4, cache_write_tokens: 2 },
        output_tokens: 7,
        output_tokens_details: { reasoning_tokens: 3 },
        total_tokens: 25,
      }),
      { input: 9, cacheRead: 4, cacheWrite: 2, output: 4, reasoning: 3, other: 3 },
      25,
    ],
    ["anthropic-messages", anthropic("end_turn", counted), { input: 9, cacheRead: 4, cacheWrite: 2, output: 7 }, 22],
    [
      "anthropic-messages",
      anthropic("end_turn", { ...counted, output_tokens_details: { thinking_tokens: 3 } }),
      { input: 9, cacheRead: 4, cacheWrite: 2, output: 4, reasoning: 3 },
      22,
    ],
    [
      "gemini", // what its own tools read is input, too
      gemini("STOP", [{ text: "a" }], {
        promptTokenCount: 15,
        toolUsePromptTokenCount: 3,
        cachedContentTokenCount: 4,
        candidatesTokenCount: 5,
        thoughtsTokenCount: 2,
        totalTokenCount: 30,
      }),
      { input: 14, cacheRead: 4, output: 5, reasoning: 2, other: 5 },
      30,
    ],
    [
      "bedrock-converse",
      bedrock("end_turn", {
        inputTokens: 9,
        outputTokens: 7,
        totalTokens: 22,
        cacheReadInputTokens: 4,
        cacheWriteInputTokens: 2,
      }),
      { input: 9, cacheRead: 4, cacheWrite: 2, output: 7 },
      22,
    ],
    [
      "mistral",
      chat("stop", {}, { prompt_tokens: 15, completion_tokens: 7, total_tokens: 22 }),
      { input: 15, output: 7 },
      22,
    ],
    ["cohere", cohere("COMPLETE"), { input: 15, output: 7 }, 22],
    ["ollama", ollama("stop"), { input: 15, output: 7 }, 22],
    [
      "gemini-interactions",
      interaction("completed", {
        total_input_tokens: 15,
        total_cached_tokens: 4,
        total_output_tokens: 5,
        total_thought_tokens: 2,
        total_tokens: 22,
      }),
      { input: 11, cacheRead: 4, output: 5, reasoning: 2 },
      22,
    ],
  ];
  const buckets = ["input", "cacheRead", "cacheWrite", "output", "reasoning", "other"] as const;
  const sumOf = (usage: Usage | undefined): number => buckets.reduce((sum, bucket) => sum + (usage?.[bucket] ?? 0), 0);

  test.each(rows)("%s %j", (from, answer, usage, total) => {
    const { conversation, losses } = decode(answer, { from: from as FormatId, shape: "answer" }); // or a format and its dialect
    const read = conversation.messages.at(-1)?.usage;
    expect(buckets.filter(bucket => read?.[bucket] !== undefined).map(bucket => [bucket, read?.[bucket]])).toEqual(
      Object.entries(usage),
    );
    expect(sumOf(read)).toBe(total);
    const reported = losses.filter(({ code }) => code === "usage-other").map(({ path }) => path.at(-1));
    expect(reported).toEqual(usage.other === undefined ? [] : ["other"]);
  });

  const readers: readonly FormatId[] = ["openai-chat", "openai-responses", "gemini"];
  test.each(rows)("%s %j is as much in every format that has a total", (from, answer, _, total) => {
    for (const to of readers) {
      const { value } = convert(answer, { from: from as FormatId, to, shape: "answer", as: "answer" });
      expect([to, sumOf(lastOf(to, value)?.usage)]).toEqual([to, total]);
    }
  });

  test.each(rows.filter(([, , { other }]) => other === undefined))(
    "%s %j is as much with Anthropic",
    (from, answer, _, total) => {
      const to = "anthropic-messages";
      const { value } = convert(answer, { from: from as FormatId, to, shape: "answer", as: "answer" });
      expect(sumOf(lastOf(to, value)?.usage)).toBe(total);
    },
  );
});
