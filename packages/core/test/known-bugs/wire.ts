import {
  accumulate,
  type ConvertOptions,
  convert,
  type FormatId,
  type FormatRef,
  type Json,
  type JsonObject,
  type Message,
  runAll,
  streamDecoder,
  streamEncoder,
} from "translogue";

/**
 * What other libraries of the field got wrong with formats and streams, each named by its public report. A pair that has
 * no format of its own here is tested on the nearest one.
 */

export const request = { shape: "request" } as const;
export const to = (value: Json, from: FormatId, target: FormatRef, options: Partial<ConvertOptions> = request) => {
  const { value: written, losses } = convert(value, { from, to: target, ...options });
  return { wire: written as Json, codes: losses.map(({ code }) => code) }; // wire values are JSON
};
export const transcoded = (wire: readonly Json[], from: FormatId, target: FormatId): readonly Json[] =>
  runAll(streamEncoder(target), runAll(streamDecoder(from), wire));
export const read = (wire: readonly Json[], from: FormatId): readonly Message[] =>
  accumulate(runAll(streamDecoder(from), wire));
/** All values of a member, wherever it is. */
export const all = (value: Json, member: string): Json[] => {
  if (Array.isArray(value)) return value.flatMap((item: Json) => all(item, member));
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value as JsonObject).flatMap(([key, inner]) => [
    ...(key === member ? [inner] : []),
    ...all(inner, member),
  ]);
};

export const png = "iVBORw0KGgo=";
export const called = (id: string, name = "f", args = "{}"): Json => ({
  id,
  type: "function",
  function: { name, arguments: args },
});
export const ask = (messages: readonly Json[], more: JsonObject = {}): Json => ({
  model: "m",
  max_tokens: 9,
  messages,
  ...more,
});

export const chunk = (delta: Json, finish: string | null = null): Json => ({
  id: "x",
  object: "chat.completion.chunk",
  created: 1,
  model: "m",
  choices: [{ index: 0, delta, finish_reason: finish }],
});

export const block =
  (content_block: Json, ...deltas: readonly Json[]) =>
  (index: number): Json[] => [
    { type: "content_block_start", index, content_block },
    ...deltas.map(delta => ({ type: "content_block_delta", index, delta })),
    { type: "content_block_stop", index },
  ];
export const thought = (thinking: string, signature: string) =>
  block(
    { type: "thinking", thinking: "", signature: "" },
    { type: "thinking_delta", thinking },
    { type: "signature_delta", signature },
  );
export const use = (id: string, name: string, ...texts: readonly string[]) =>
  block(
    { type: "tool_use", id, name, input: {} },
    ...texts.map(text => ({ type: "input_json_delta", partial_json: text })),
  );
export const anthropic = (
  blocks: readonly ((index: number) => Json[])[],
  {
    usage = { input_tokens: 1, output_tokens: 1 },
    reason = "end_turn",
    told = { output_tokens: 30 },
  }: { usage?: Json; reason?: string; told?: Json } = {},
): Json[] => [
  {
    type: "message_start",
    message: {
      id: "msg_1",
      type: "message",
      role: "assistant",
      model: "claude",
      content: [],
      stop_reason: null,
      stop_sequence: null,
      usage,
    },
  },
  ...blocks.flatMap((make, index) => make(index)),
  { type: "message_delta", delta: { stop_reason: reason, stop_sequence: null }, usage: told },
  { type: "message_stop" },
];

export const response = (status: string, more: JsonObject = {}): JsonObject => ({
  id: "resp_1",
  object: "response",
  created_at: 1,
  model: "m",
  status,
  output: [],
  ...more,
});
export const responses = (...events: readonly Json[]): Json[] => [
  { type: "response.created", response: response("in_progress") },
  ...events,
  { type: "response.completed", response: response("completed") },
];
export const functionAdded: Json = {
  type: "response.output_item.added",
  output_index: 0,
  item: { type: "function_call", id: "fc_1", call_id: "c", name: "f", arguments: "", status: "in_progress" },
};
