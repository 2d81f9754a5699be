/** What the rows work on: the same content in each peer's own form. */
import type { Event } from "../packages/core/dist/index.js";

export const word = "word ";

const utf8 = new TextEncoder();
export const sse = (data: object, name?: string): Uint8Array =>
  utf8.encode(`${name === undefined ? "" : `event: ${name}\n`}data: ${JSON.stringify(data)}\n\n`);
const doneFrame = utf8.encode("data: [DONE]\n\n");

export const repeat = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => make(index));

/** A stream that hands out what it has, one item a read. */
export function streamOf<T>(items: readonly T[]): ReadableStream<T> {
  let index = 0;
  return new ReadableStream<T>({
    pull(controller) {
      const item = items[index++];
      if (item === undefined) controller.close();
      else controller.enqueue(item);
    },
  });
}

export const responseOf = (bytes: readonly Uint8Array[]): Response =>
  new Response(streamOf(bytes), { headers: { "content-type": "text/event-stream" } });

/** Joined to pieces of about `size` bytes, as a network would. */
export function packets(bytes: readonly Uint8Array[], size = 16_384): Uint8Array[] {
  const all = Buffer.concat(bytes);
  return repeat(Math.ceil(all.length / size), index => new Uint8Array(all.subarray(index * size, (index + 1) * size)));
}

/** Arguments of a call as JSON text in about `count` pieces of 5 characters. */
export function pieces(count: number): string[] {
  const items = repeat(Math.ceil(count / 8), index => ({ path: `src/file-${index % 90}.ts`, n: index, ok: true }));
  const text = JSON.stringify({ items }).slice(0, count * 5 - 3);
  // Cut inside of the list and closed, so that the whole is JSON.
  const whole = `${text.slice(0, text.lastIndexOf("},{") + 1)}]}`;
  return repeat(Math.ceil(whole.length / 5), index => whole.slice(index * 5, index * 5 + 5));
}

// ---- our events

const at = { message: 0, part: 0 } as const;
const start: Event = { type: "message-start", message: 0, head: { role: "assistant" } };
const ends: readonly Event[] = [
  { type: "part-end", ...at },
  { type: "message-end", message: 0 },
];

export const textEvents = (count: number): Event[] => [
  start,
  { type: "part-start", ...at, value: { type: "text", text: "" } },
  ...repeat(count, (): Event => ({ type: "part-delta", ...at, of: "text", text: word })),
  ...ends,
];

export const callEvents = (count: number): Event[] => [
  start,
  { type: "part-start", ...at, value: { type: "tool-call", callId: "c", name: "write" } },
  ...pieces(count).map((text): Event => ({ type: "part-delta", ...at, of: "tool-call", text })),
  ...ends,
];

// ---- OpenAI Chat

export const chatChunk = (delta: object, finish: string | null = null): object => ({
  id: "chatcmpl-8f2f5c1f0b",
  object: "chat.completion.chunk",
  created: 1_764_460_800,
  model: "gpt-5.2-2026-01-15",
  service_tier: "default",
  system_fingerprint: "fp_0d4f1a7b2c",
  choices: [{ index: 0, delta, logprobs: null, finish_reason: finish }],
  usage: null,
});

export const chatText = (count: number): object[] => [
  chatChunk({ role: "assistant", content: "", refusal: null }),
  ...repeat(count, () => chatChunk({ content: word })),
  chatChunk({}, "stop"),
];

export const chatCall = (count: number): object[] => [
  chatChunk({
    role: "assistant",
    content: null,
    tool_calls: [{ index: 0, id: "call_1", type: "function", function: { name: "write", arguments: "" } }],
  }),
  ...pieces(count).map(text => chatChunk({ tool_calls: [{ index: 0, function: { arguments: text } }] })),
  chatChunk({}, "tool_calls"),
];

/** One frame an event. */
export const chatFrames = (chunks: readonly object[]): Uint8Array[] => [...chunks.map(each => sse(each)), doneFrame];

// ---- Anthropic

const anthropicHead = {
  type: "message_start",
  message: {
    id: "msg_01",
    type: "message",
    role: "assistant",
    model: "claude-sonnet-4-5",
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage: { input_tokens: 10, output_tokens: 1 },
  },
};

interface Typed {
  readonly type: string;
  readonly [member: string]: unknown;
}

const anthropicEvents = (block: object, deltas: readonly object[], reason: string): Typed[] => [
  anthropicHead,
  { type: "content_block_start", index: 0, content_block: block },
  ...deltas.map(delta => ({ type: "content_block_delta", index: 0, delta })),
  { type: "content_block_stop", index: 0 },
  { type: "message_delta", delta: { stop_reason: reason, stop_sequence: null }, usage: { output_tokens: 9 } },
  { type: "message_stop" },
];

export const anthropicText = (count: number): Typed[] =>
  anthropicEvents(
    { type: "text", text: "" },
    repeat(count, () => ({ type: "text_delta", text: word })),
    "end_turn",
  );

export const anthropicCall = (count: number): Typed[] =>
  anthropicEvents(
    { type: "tool_use", id: "toolu_1", name: "write", input: {} },
    pieces(count).map(partial_json => ({ type: "input_json_delta", partial_json })),
    "tool_use",
  );

export const anthropicFrames = (events: readonly Typed[]): Uint8Array[] => events.map(each => sse(each, each.type));

export const lines = (values: readonly object[]): Uint8Array[] =>
  values.map(each => utf8.encode(`${JSON.stringify(each)}\n`));

// ---- histories

/** A turn a user, an answer with a call, its result, an answer: about 650 bytes of JSON a message. */
export function chatHistory(count: number): object[] {
  const pad = "The quick brown fox jumps over the lazy dog. 你好，世界。".repeat(8);
  return repeat(count, index => {
    const callId = `call_${Math.floor(index / 4)}`;
    switch (index % 4) {
      case 0:
        return {
          role: "user",
          content: [
            { type: "text", text: `Question ${index}. ${pad}` },
            { type: "image_url", image_url: { url: "https://example.com/image.png" } },
          ],
        };
      case 1:
        return {
          role: "assistant",
          content: `Let me look. ${pad}`,
          tool_calls: [
            {
              id: callId,
              type: "function",
              function: { name: "search", arguments: JSON.stringify({ q: pad, n: index }) },
            },
          ],
        };
      case 2:
        return { role: "tool", tool_call_id: callId, content: `Found ${pad}` };
      default:
        return { role: "assistant", content: `Answer ${index}. ${pad}` };
    }
  });
}

/** The same as messages of the AI SDK's `useChat`. */
export function uiHistory(count: number): object[] {
  const pad = "The quick brown fox jumps over the lazy dog. 你好，世界。".repeat(8);
  return repeat(count, index =>
    index % 2 === 0
      ? {
          id: `m${index}`,
          role: "user",
          parts: [
            { type: "text", text: `Question ${index}. ${pad}` },
            { type: "file", mediaType: "image/png", url: "https://example.com/image.png" },
          ],
        }
      : {
          id: `m${index}`,
          role: "assistant",
          parts: [
            { type: "step-start" },
            { type: "text", text: `Let me look. ${pad}`, state: "done" },
            {
              type: "tool-search",
              toolCallId: `call_${index}`,
              state: "output-available",
              input: { q: pad, n: index },
              output: `Found ${pad}`,
            },
            { type: "step-start" },
            { type: "text", text: `Answer ${index}. ${pad}`, state: "done" },
          ],
        },
  );
}

// ---- agents

/** Of the arguments of the one tool that agents have. */
export const countSchema = { type: "object", properties: { n: { type: "number" } }, required: ["n"] };

/** A loop that stopped early would look fast. */
export function expectSteps(made: number, steps: number): void {
  if (made !== steps) throw new Error(`the tool ran ${made} times in ${steps} steps`);
}

/** Waits for the next turn of the event loop, as for a network. */
export const tick = (): Promise<void> => new Promise(resolve => setImmediate(resolve));
