/** The AI SDK's own loop over a model that is a script. */
import type { ServerResponse } from "node:http";
import { generateText, isStepCount, jsonSchema, Output, simulateReadableStream, streamText, type Tool, tool } from "ai";
import { MockLanguageModelV4 } from "ai/test";
import { countSchema, expectSteps } from "../inputs.ts";

const nothing = { total: 0, noCache: 0, cacheRead: 0, cacheWrite: 0 };
const usage = { inputTokens: nothing, outputTokens: { total: 0, text: 0, reasoning: 0 } };

/** `pace`: waited for before each delta. */
function scripted(deltas: readonly string[], pace?: () => Promise<void>): MockLanguageModelV4 {
  const parts = [
    { type: "stream-start", warnings: [] },
    { type: "text-start", id: "0" },
    ...deltas.map(delta => ({ type: "text-delta", id: "0", delta })),
    { type: "text-end", id: "0" },
    { type: "finish", finishReason: { unified: "stop", raw: "stop" }, usage },
  ];
  const paced = (): ReadableStream<unknown> => {
    let next = 0;
    return new ReadableStream({
      async pull(controller) {
        await pace?.();
        const part = parts[next++];
        if (part) controller.enqueue(part);
        else controller.close();
      },
    });
  };
  const plain = () => simulateReadableStream({ chunks: parts, initialDelayInMs: null, chunkDelayInMs: null });
  const doStream = async () => ({ stream: pace ? paced() : plain() });
  return new MockLanguageModelV4({ doStream: doStream as never }); // parts that its provider would send
}

/** The text, as it comes. */
export async function text(deltas: readonly string[], pace?: () => Promise<void>): Promise<number> {
  let size = 0;
  const { textStream } = streamText({ model: scripted(deltas, pace), prompt: "go" });
  for await (const delta of textStream) size += delta.length;
  return size;
}

/** The bytes of its UI stream. */
export async function uiBytes(deltas: readonly string[], pace?: () => Promise<void>): Promise<number> {
  const { body } = streamText({ model: scripted(deltas, pace), prompt: "go" }).toUIMessageStreamResponse();
  let size = 0;
  for await (const bytes of (body ?? []) as AsyncIterable<Uint8Array>) size += bytes.length;
  return size;
}

/** An object that is there in part at every delta. */
export async function partialOutput(deltas: readonly string[]): Promise<unknown> {
  const output = Output.object({ schema: jsonSchema({ type: "object" }) });
  const { partialOutputStream } = streamText({ model: scripted(deltas), prompt: "go", output });
  let last: unknown;
  for await (const partial of partialOutputStream) last = partial;
  return last;
}

export const answer = (deltas: readonly string[], pace: () => Promise<void>, response: ServerResponse): Promise<void> =>
  streamText({ model: scripted(deltas, pace), prompt: "go" }).pipeUIMessageStreamToResponse(response);

/** What its loop is given: a model that calls the tool in so many answers, then says a word. */
function stepping(steps: number, calls: { made: number }) {
  let step = 0;
  const call = () => ({
    type: "tool-call",
    toolCallId: `c${step}`,
    toolName: "count",
    input: JSON.stringify({ n: step }),
  });
  const finish = (unified: string) => ({ type: "finish", finishReason: { unified, raw: unified }, usage });
  const chunks = () => [
    { type: "stream-start", warnings: [] },
    ...(step < steps
      ? [call(), finish("tool-calls")]
      : [
          { type: "text-start", id: "0" },
          { type: "text-delta", id: "0", delta: "word " },
          { type: "text-end", id: "0" },
          finish("stop"),
        ]),
  ];
  const doStream = async () => {
    const stream = simulateReadableStream({ chunks: chunks(), initialDelayInMs: null, chunkDelayInMs: null });
    step++;
    return { stream };
  };
  const doGenerate = async () => {
    const unified = step < steps ? "tool-calls" : "stop";
    const content = step < steps ? [call()] : [{ type: "text", text: "word " }];
    step++;
    return { content, finishReason: { unified, raw: unified }, usage, warnings: [] };
  };
  const count: Tool = tool({
    inputSchema: jsonSchema(countSchema as never),
    execute: async () => {
      calls.made++;
      return "counted";
    },
  });
  const model = new MockLanguageModelV4({ doStream: doStream as never, doGenerate: doGenerate as never });
  return { model, tools: { count }, stopWhen: isStepCount(steps + 1), prompt: "go" };
}

export async function generatedSteps(steps: number): Promise<void> {
  const calls = { made: 0 };
  await generateText(stepping(steps, calls));
  expectSteps(calls.made, steps);
}

export async function streamedSteps(steps: number): Promise<number> {
  const calls = { made: 0 };
  let size = 0;
  for await (const _ of streamText(stepping(steps, calls)).stream) size++;
  expectSteps(calls.made, steps);
  return size;
}
