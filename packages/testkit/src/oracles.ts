import type OpenAI from "openai";
import { ChatCompletionStream } from "openai/lib/ChatCompletionStream";
import { encode, isJsonObject, type Json, type Message } from "translogue";
import { anthropicOracle } from "./anthropic-oracle.ts";
import { bedrockOracle } from "./bedrock-oracle.ts";
import { difference } from "./difference.ts";
import { responsesOracle } from "./responses-oracle.ts";

/** Compares the messages accumulated from wire events with what the format's official SDK makes of the same events. */
export type Oracle = (wireEvents: readonly Json[], messages: readonly Message[]) => Promise<string | undefined>;

/** By format id. A format without an official SDK has none. */
export const oracles: { readonly [format: string]: Oracle } = {
  "anthropic-messages": anthropicOracle,
  "bedrock-converse": bedrockOracle,
  "openai-chat": openaiChat,
  "openai-responses": responsesOracle,
};

/** Members that the SDK's types declare, from its own final completion; hosts' extensions the SDK overwrites instead of joining. */
async function openaiChat(wireEvents: readonly Json[], messages: readonly Message[]): Promise<string | undefined> {
  const expected = await sdkCompletion(wireEvents);
  if (typeof expected === "string") {
    const failed = messages.some(({ finish }) => finish?.reason === "error" || finish?.reason === "incomplete");
    return failed ? undefined : `the SDK refuses the stream (${expected}), and ours takes it for a success`;
  }
  const { value } = encode({ messages }, { to: "openai-chat", shape: "answer", recipient: "store", carry: false });
  if (!isJsonObject(value)) return "the answer is no object";
  return difference(declared(value), declared(expected as unknown as Json)); // a completion is JSON
}

async function sdkCompletion(wireEvents: readonly Json[]): Promise<OpenAI.ChatCompletion | string> {
  const lines = withRoles(wireEvents)
    .map(event => `${JSON.stringify(event)}\n`)
    .join("");
  const stream = ChatCompletionStream.fromReadableStream(new Blob([lines]).stream());
  stream.on("error", () => undefined);
  try {
    return await stream.finalChatCompletion();
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** Servers that never say a role are refused by the SDK alone: it is the assistant's, as it always is. */
function withRoles(wireEvents: readonly Json[]): readonly Json[] {
  const told = new Set<Json>();
  return wireEvents.map(event => {
    if (!isJsonObject(event) || !Array.isArray(event["choices"])) return event;
    const choices = event["choices"].map((choice: Json) => {
      const { index = 0, delta } = isJsonObject(choice) ? choice : {};
      if (!isJsonObject(choice) || !isJsonObject(delta) || told.has(index)) return choice;
      told.add(index);
      return { ...choice, delta: { role: "assistant", ...delta } };
    });
    return { ...event, choices };
  });
}

const completionMembers = ["id", "object", "created", "model", "system_fingerprint", "service_tier", "usage"];
const messageMembers = ["role", "content", "refusal", "tool_calls", "function_call"];

function declared(completion: Json): Json {
  if (!isJsonObject(completion)) return null;
  const { choices } = completion;
  return {
    ...pick(completion, completionMembers),
    choices: (Array.isArray(choices) ? choices : []).map(choice => ({
      ...pick(choice, ["index", "finish_reason", "logprobs"]),
      message: pick(isJsonObject(choice) ? choice["message"] : null, messageMembers),
    })),
  };
}

/** Null and absent are one: the SDK fills null in; an empty fingerprint it leaves out. */
function pick(value: Json | undefined, members: readonly string[]): { [key: string]: Json } {
  const picked: { [key: string]: Json } = {};
  for (const key of members) {
    const member = isJsonObject(value) ? value[key] : undefined;
    const isLeftOut = key === "system_fingerprint" && member === "";
    if (member === undefined || member === null || isLeftOut) continue;
    picked[key] = key === "tool_calls" && Array.isArray(member) ? member.map(withoutIndex) : member;
  }
  return picked;
}

const withoutIndex = (call: Json): Json => {
  if (!isJsonObject(call)) return call;
  const { index, parsed_arguments, ...rest } = call;
  void index;
  void parsed_arguments;
  return isJsonObject(rest["function"]) ? { ...rest, function: pick(rest["function"], ["name", "arguments"]) } : rest;
};
