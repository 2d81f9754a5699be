import { getModel, parseStreamingJson } from "@mariozechner/pi-ai";
import { convertMessages, streamOpenAICompletions } from "@mariozechner/pi-ai/openai-completions";
import { responseOf } from "../inputs.ts";

const model = { ...getModel("openai", "gpt-4o"), api: "openai-completions" as const, baseUrl: "http://127.0.0.1/v1" };

/** The whole client over a server's bytes; it takes no fetch of its own. */
export function client(bytes: readonly Uint8Array[]): () => Promise<unknown> {
  globalThis.fetch = async () => responseOf(bytes);
  const context = { messages: [{ role: "user" as const, content: "hi", timestamp: 0 }] };
  return async () => {
    const stream = streamOpenAICompletions(model as never, context, { apiKey: "k" }); // its table types models by name
    let last: unknown;
    for await (const event of stream) last = event;
    const result = await stream.result();
    if (result.stopReason === "error") throw new Error(result.errorMessage);
    return last;
  };
}

export function parsePartial(deltas: readonly string[]): unknown {
  let text = "";
  let last: unknown;
  for (const delta of deltas) {
    text += delta;
    last = parseStreamingJson(text);
  }
  return last;
}

/** Its own messages of a Chat history. */
export function history(messages: readonly object[]): object[] {
  const usage = { input: 1, output: 1, cacheRead: 0, cacheWrite: 0, totalTokens: 2 };
  return (messages as readonly Record<string, never>[]).map(each => {
    const { role, content, tool_calls: calls, tool_call_id: toolCallId } = each;
    const text = typeof content === "string" ? [{ type: "text", text: content }] : [{ type: "text", text: "Question" }];
    if (role === "user") return { role, content: text, timestamp: 0 };
    if (role === "tool") {
      return { role: "toolResult", toolCallId, toolName: "search", content: text, isError: false, timestamp: 0 };
    }
    const asked = ((calls ?? []) as { id: string; function: { name: string; arguments: string } }[]).map(call => ({
      type: "toolCall",
      id: call.id,
      name: call.function.name,
      arguments: JSON.parse(call.function.arguments) as unknown,
    }));
    const made = { api: model.api, provider: "openai", model: model.id, usage, stopReason: "stop", timestamp: 0 };
    return { role, content: [...text, ...asked], ...made };
  });
}

export const convert = (messages: readonly object[]): unknown =>
  convertMessages(model as never, { messages: messages as never }, {} as never); // plain defaults
