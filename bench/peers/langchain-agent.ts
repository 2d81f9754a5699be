/** LangChain's agent over a model that is a script. */
import { BaseChatModel } from "@langchain/core/language_models/chat_models";
import { AIMessageChunk, type BaseMessage } from "@langchain/core/messages";
import { ChatGenerationChunk, type ChatResult } from "@langchain/core/outputs";
import { createAgent, tool } from "langchain";
import { countSchema, expectSteps } from "../inputs.ts";

/** `answer`: the pieces of the answer of each call, from 0. `pace`: waited for before each piece. */
class Scripted extends BaseChatModel {
  readonly #answer: (call: number) => readonly AIMessageChunk[];
  readonly #pace: (() => Promise<void>) | undefined;
  #calls = 0;

  constructor(answer: (call: number) => readonly AIMessageChunk[], pace?: () => Promise<void>) {
    super({});
    this.#answer = answer;
    this.#pace = pace;
  }

  _llmType(): string {
    return "scripted";
  }

  override bindTools(): this {
    return this;
  }

  override async _generate(): Promise<ChatResult> {
    const [first, ...others] = this.#answer(this.#calls++);
    const message = others.reduce((all, each) => all.concat(each), first ?? new AIMessageChunk(""));
    return { generations: [{ text: message.text, message }] };
  }

  override async *_streamResponseChunks(
    _: BaseMessage[],
    __: this["ParsedCallOptions"],
    manager?: { handleLLMNewToken(...about: unknown[]): Promise<void> },
  ): AsyncGenerator<ChatGenerationChunk> {
    for (const message of this.#answer(this.#calls++)) {
      await this.#pace?.();
      const chunk = new ChatGenerationChunk({ message, text: message.text });
      yield chunk;
      await manager?.handleLLMNewToken(message.text, undefined, undefined, undefined, undefined, { chunk });
    }
  }
}

const call = (step: number): AIMessageChunk => {
  const args = JSON.stringify({ n: step });
  return new AIMessageChunk({
    content: "",
    tool_call_chunks: [{ index: 0, id: `c${step}`, name: "count", args, type: "tool_call_chunk" }],
  });
};

const agentOf = (steps: number, calls: { made: number }) => {
  const count = tool(
    () => {
      calls.made++;
      return "counted";
    },
    { name: "count", description: "Counts.", schema: countSchema as never },
  );
  const model = new Scripted(step => [step < steps ? call(step) : new AIMessageChunk("word ")]);
  return createAgent({ model, tools: [count] });
};

const go = { messages: [{ role: "user", content: "go" }] };
/** Two nodes a step, and what stands around them. */
const limit = (steps: number) => ({ recursionLimit: steps * 2 + 10 });

export async function invokedSteps(steps: number): Promise<void> {
  const calls = { made: 0 };
  await agentOf(steps, calls).invoke(go as never, limit(steps));
  expectSteps(calls.made, steps);
}

export async function streamedSteps(steps: number): Promise<number> {
  const calls = { made: 0 };
  const stream = await agentOf(steps, calls).stream(go as never, { ...limit(steps), streamMode: "messages" });
  let size = 0;
  for await (const _ of stream) size++;
  expectSteps(calls.made, steps);
  return size;
}

/** The text of a model, as it comes; without the agent. */
export async function modelText(deltas: readonly string[], pace: () => Promise<void>): Promise<number> {
  const model = new Scripted(() => deltas.map(each => new AIMessageChunk(each)), pace);
  let size = 0;
  for await (const chunk of await model.stream("go")) size += chunk.text.length;
  return size;
}

/** The text of an agent without tools, as it comes. */
export async function agentText(deltas: readonly string[], pace: () => Promise<void>): Promise<number> {
  const model = new Scripted(() => deltas.map(each => new AIMessageChunk(each)), pace);
  const stream = await createAgent({ model, tools: [] }).stream(go as never, { streamMode: "messages" });
  let size = 0;
  for await (const [message] of stream as AsyncIterable<[BaseMessage, unknown]>) size += message.text.length;
  return size;
}
