import { AIMessageChunk, type BaseMessage, coerceMessageLikeToMessage, trimMessages } from "@langchain/core/messages";
import { parsePartialJson } from "@langchain/core/output_parsers";
import { FakeStreamingChatModel } from "@langchain/core/utils/testing";

export const textChunks = (deltas: readonly string[]): AIMessageChunk[] => deltas.map(each => new AIMessageChunk(each));

export const callChunks = (deltas: readonly string[]): AIMessageChunk[] =>
  deltas.map(
    (args, index) =>
      new AIMessageChunk({
        content: "",
        tool_call_chunks: [{ index: 0, args, type: "tool_call_chunk", ...(index === 0 && { id: "c", name: "write" }) }],
      }),
  );

export const concat = (chunks: readonly AIMessageChunk[]): AIMessageChunk =>
  chunks.reduce((all, each) => all.concat(each), new AIMessageChunk(""));

/** As `concat`, with somebody who looks at the arguments every time. */
export function concatLive(chunks: readonly AIMessageChunk[]): unknown {
  let all = new AIMessageChunk("");
  let seen: unknown;
  for (const each of chunks) {
    all = all.concat(each);
    seen = all.tool_calls?.[0]?.args;
  }
  return seen;
}

export const coerce = (messages: readonly object[]): unknown =>
  messages.map(each => coerceMessageLikeToMessage(each as never)); // OpenAI's dicts, which it takes

export function parsePartial(deltas: readonly string[]): unknown {
  let text = "";
  let last: unknown;
  for (const delta of deltas) {
    text += delta;
    last = parsePartialJson(text);
  }
  return last;
}

/** Cut from the back to a budget, each text counted as a quarter of its length. */
export function trimTo(history: readonly object[], maxTokens: number): () => Promise<unknown> {
  const messages = history.map(each => coerceMessageLikeToMessage(each as never)); // OpenAI's dicts, which it takes
  const tokenCounter = (counted: readonly BaseMessage[]): number =>
    counted.reduce((sum, { content }) => sum + Math.ceil(JSON.stringify(content).length / 4), 0);
  return () => trimMessages(messages, { maxTokens, strategy: "last", tokenCounter });
}

/** What its runnable gives of a model that is a script. */
export async function streamed(deltas: readonly string[]): Promise<number> {
  const model = new FakeStreamingChatModel({ chunks: textChunks(deltas), sleep: 0 });
  let size = 0;
  for await (const chunk of await model.stream("go")) size += chunk.text.length;
  return size;
}
