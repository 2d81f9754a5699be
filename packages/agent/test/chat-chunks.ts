import type { Json, JsonObject } from "translogue";

/** An answer of OpenAI's Chat API in chunks, in the shape of its recordings. */
export const chunks = (id: string, deltas: readonly JsonObject[], finish: string | null = "stop"): readonly Json[] => {
  const chunk = (choices: Json, more: JsonObject = {}): Json => ({
    id,
    object: "chat.completion.chunk",
    created: 1_796_000_000,
    model: "gpt-5.2-2025-12-11",
    service_tier: "default",
    choices,
    ...more,
  });
  const choice = (delta: JsonObject, reason: Json = null): Json => [
    { index: 0, delta, logprobs: null, finish_reason: reason },
  ];
  const usage = {
    prompt_tokens: 20,
    completion_tokens: 7,
    total_tokens: 27,
    prompt_tokens_details: { cached_tokens: 4, audio_tokens: 0 },
    completion_tokens_details: { reasoning_tokens: 0, audio_tokens: 0 },
  };
  return [
    chunk(choice({ role: "assistant", content: "", refusal: null }), { usage: null }),
    ...deltas.map(delta => chunk(choice(delta), { usage: null })),
    ...(finish === null ? [] : [chunk(choice({}, finish), { usage: null }), chunk([], { usage })]),
  ];
};

export const content = (...texts: readonly string[]): JsonObject[] => texts.map(text => ({ content: text }));

/** A call whose arguments come in the pieces given. */
export const toolCall = (id: string, name: string, pieces: readonly string[]): JsonObject[] => [
  { tool_calls: [{ index: 0, id, type: "function", function: { name, arguments: "" } }] },
  ...pieces.map(text => ({ tool_calls: [{ index: 0, function: { arguments: text } }] })),
];
