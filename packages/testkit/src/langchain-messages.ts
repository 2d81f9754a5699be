/** The real message classes of `@langchain/core`: messages to compare ours with, and a reader of what we write. */

import { load } from "@langchain/core/load";
import * as messages from "@langchain/core/messages";
import * as fc from "fast-check";
import type { Json } from "translogue";
import { arbitraryText, json, members } from "./arbitrary-json.ts";

/** What a message of LangChain's says in each of its forms. */
export interface RealForms {
  readonly text: string;
  readonly serialised: Json;
  readonly stored: Json;
  readonly flat: Json;
}

const plain = (value: unknown): Json => JSON.parse(JSON.stringify(value)) as Json; // JSON.parse gives JSON

/** The message that a constructor makes of its argument, in all of its forms; undefined where it throws. */
export function realForms(name: RealClass, fields: Json): RealForms | undefined {
  try {
    const message = new constructors[name](plain(fields) as never); // each takes an object of fields
    const { type, data } = message.toDict();
    return {
      text: JSON.stringify(message),
      serialised: plain(message),
      stored: plain({ type, data }),
      flat: plain({ ...data, type }),
    };
  } catch {
    return undefined;
  }
}

/** What the loader of `@langchain/core` makes of a text, as its own text; `content` and class are in it. */
export const reloaded = async (text: string): Promise<string> => JSON.stringify(await load(text));

const constructors = messages as unknown as {
  readonly [name in RealClass]: new (
    fields: never,
  ) => messages.BaseMessage;
}; // the module exports them all
const realClasses = [
  "HumanMessage",
  "SystemMessage",
  "AIMessage",
  "ToolMessage",
  "ChatMessage",
  "FunctionMessage",
  "RemoveMessage",
  "AIMessageChunk",
  "HumanMessageChunk",
] as const;
export type RealClass = (typeof realClasses)[number];

const callId = fc.constantFrom("call_1", "call_2", "toolu_1");
const name = fc.constantFrom("f", "weather");
const call = fc.record(
  { name, args: members, id: callId, type: fc.constant("tool_call") },
  { requiredKeys: ["name", "args", "id"] },
);
const invalidCall = fc.record(
  {
    name,
    args: fc.constantFrom("{bad", "[1]", "", "{}"),
    id: callId,
    error: fc.constantFrom("Malformed args.", "why"),
    type: fc.constant("invalid_tool_call"),
  },
  { requiredKeys: ["name", "args", "id"] },
);
const chunk = fc.record(
  {
    name,
    args: fc.constantFrom('{"a":', '{"a":1}', ""),
    id: callId,
    index: fc.nat(2),
    type: fc.constant("tool_call_chunk"),
  },
  { requiredKeys: ["args", "index"] },
);
const rawCall = fc.record({
  id: callId,
  type: fc.constant("function"),
  function: fc.record({ name, arguments: fc.constantFrom('{"a": 1}', "{}", "{bad", "null") }),
});
const count = fc.nat(200);
const usage = fc.record(
  {
    input_tokens: count,
    output_tokens: count,
    total_tokens: count,
    input_token_details: fc.record(
      { audio: count, cache_read: count, cache_creation: count, text: count },
      { requiredKeys: [] },
    ),
    output_token_details: fc.record({ audio: count, reasoning: count }, { requiredKeys: [] }),
    extra: count,
  },
  { requiredKeys: ["input_tokens", "output_tokens", "total_tokens"] },
);
const block = fc.oneof(
  fc.record({ type: fc.constant("text"), text: arbitraryText }),
  arbitraryText,
  fc.record(
    { type: fc.constant("reasoning"), reasoning: arbitraryText, signature: fc.constant("c2ln") },
    { requiredKeys: ["type", "reasoning"] },
  ),
  fc.record({ type: fc.constant("image"), mimeType: fc.constant("image/png"), data: fc.constant("aGk=") }),
  fc.record({ type: fc.constant("image_url"), image_url: fc.record({ url: fc.webUrl() }) }),
  fc.record({ type: fc.constant("tool_use"), id: callId, name, input: members }),
  fc.record({ type: fc.constant("tool_call"), id: callId, name, args: members }),
  fc.record({ type: fc.constant("made_up"), value: json }),
);
const ownBlock = fc.oneof(
  fc.record({ type: fc.constant("text"), text: arbitraryText }),
  fc.record({ type: fc.constant("image"), url: fc.webUrl() }),
  fc.record({ type: fc.constant("tool_call"), id: callId, name, args: members }),
);
const content = fc.oneof(arbitraryText, fc.array(block, { maxLength: 3 }));
const metadata = fc.record(
  {
    model_name: fc.constantFrom("gpt-5", ""),
    model: fc.constant("claude"),
    model_provider: fc.constantFrom("openai", "anthropic", "acme"),
    finish_reason: fc.constantFrom("stop", "tool_calls", "odd", null),
    stop_reason: fc.constantFrom("end_turn", "tool_use"),
    id: fc.constantFrom("resp_1", 3),
    output_version: fc.constantFrom("v1", "v0"),
    tokenUsage: members,
  },
  { requiredKeys: [] },
);
const kwargs = fc.record(
  {
    reasoning_content: arbitraryText,
    refusal: fc.constantFrom("No.", null, ""),
    tool_calls: fc.array(rawCall, { maxLength: 2 }),
    function_call: fc.record({ name, arguments: fc.constantFrom("{}", "{bad") }),
    audio: fc.constant({ id: "audio_1", data: "AAAA", transcript: "hi", expires_at: 1 }),
    __openai_role__: fc.constant("developer"),
    anything: json,
  },
  { requiredKeys: [] },
);

/** A class and an argument of its constructor, members in any order. */
export const arbitraryConstruction: fc.Arbitrary<{ readonly name: RealClass; readonly fields: Json }> = fc
  .tuple(
    fc.constantFrom(...realClasses),
    fc.record(
      {
        content,
        id: fc.oneof(fc.constantFrom("m1", "run-1", ""), fc.nat(9)),
        name,
        tool_call_id: callId,
        role: fc.constantFrom("critic", "user", "assistant"),
        additional_kwargs: kwargs,
        response_metadata: metadata,
        tool_calls: fc.array(call, { maxLength: 2 }),
        invalid_tool_calls: fc.array(invalidCall, { maxLength: 1 }),
        tool_call_chunks: fc.array(chunk, { maxLength: 2 }),
        usage_metadata: usage,
        artifact: json,
        status: fc.constantFrom("success", "error"),
        my_note: json,
        contentBlocks: fc.array(ownBlock, { maxLength: 2 }),
      },
      { requiredKeys: ["id", "role"] },
    ),
    fc.func(fc.nat()),
  )
  .map(([name, fields, order]) => {
    const keys = Object.keys(fields).sort((left, right) => order(left) - order(right) || left.localeCompare(right));
    const all = fields as unknown as { readonly [key: string]: Json }; // made of JSON
    return { name, fields: Object.fromEntries(keys.map(key => [key, all[key] ?? null])) };
  });
