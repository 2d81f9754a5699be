import { AIMessageChunk } from "@langchain/core/messages";
import { readUIMessageStream } from "ai";
import { ChatCompletionStream } from "openai/lib/ChatCompletionStream";
import { accumulator, type Event, partialJson } from "../packages/core/dist/index.js";
import type { Contender } from "./measure.ts";

export interface Row {
  readonly name: string;
  readonly unit: string;
  readonly sizes: readonly number[];
  readonly contenders: readonly Contender[];
}

const word = "word ";

/** Arguments of a call as JSON text in `count` pieces of about 5 characters. */
function pieces(count: number): string[] {
  const text = JSON.stringify({ text: word.repeat(count - 4) });
  const size = Math.ceil(text.length / count);
  return Array.from({ length: Math.ceil(text.length / size) }, (_, index) =>
    text.slice(index * size, (index + 1) * size),
  );
}

const at = { message: 0, part: 0 } as const;

function textEvents(count: number): Event[] {
  return [
    { type: "message-start", message: 0, head: { role: "assistant" } },
    { type: "part-start", ...at, value: { type: "text", text: "" } },
    ...Array.from({ length: count }, (): Event => ({ type: "part-delta", ...at, of: "text", text: word })),
    { type: "part-end", ...at },
    { type: "message-end", message: 0 },
  ];
}

function callEvents(count: number): Event[] {
  return [
    { type: "message-start", message: 0, head: { role: "assistant" } },
    { type: "part-start", ...at, value: { type: "tool-call", callId: "c", name: "write" } },
    ...pieces(count).map((text): Event => ({ type: "part-delta", ...at, of: "tool-call", text })),
    { type: "part-end", ...at },
    { type: "message-end", message: 0 },
  ];
}

const chunk = (delta: object, finish: string | null = null): object => ({
  id: "chatcmpl-1",
  object: "chat.completion.chunk",
  created: 1,
  model: "m",
  choices: [{ index: 0, delta, finish_reason: finish }],
});

const streamOf = (items: readonly unknown[]): ReadableStream => {
  let index = 0;
  return new ReadableStream({
    pull(controller) {
      if (index < items.length) controller.enqueue(items[index++]);
      else controller.close();
    },
  });
};

/** The `openai` SDK's stream helper over chunks that are parsed already. */
function openai(chunks: readonly object[]): () => Promise<unknown> {
  const bytes = chunks.map(each => new TextEncoder().encode(`${JSON.stringify(each)}\n`));
  return async () => await ChatCompletionStream.fromReadableStream(streamOf(bytes)).finalChatCompletion();
}

async function readUi(chunks: readonly object[]): Promise<unknown> {
  let last: unknown;
  for await (const message of readUIMessageStream({ stream: streamOf(chunks) })) last = message;
  return last;
}

export const rows: readonly Row[] = [
  {
    name: "text events → message",
    unit: "µs per delta",
    sizes: [1000, 4000, 16_000, 50_000, 100_000, 200_000],
    contenders: [
      {
        name: "floor: string +=",
        prepare: count => {
          const deltas = Array.from({ length: count }, () => word);
          return () => {
            let text = "";
            for (const delta of deltas) text += delta;
            return text.length;
          };
        },
      },
      {
        name: "translogue accumulator",
        prepare: count => {
          const events = textEvents(count);
          return () => {
            const accumulate = accumulator();
            for (const event of events) accumulate.push(event);
            accumulate.end();
            return accumulate.messages;
          };
        },
      },
      {
        name: "translogue, read at every delta",
        prepare: count => {
          const events = textEvents(count);
          return () => {
            const accumulate = accumulator();
            let read: unknown;
            for (const event of events) {
              accumulate.push(event);
              read = accumulate.messages;
            }
            return read;
          };
        },
      },
      {
        name: "@langchain/core concat",
        prepare: count => {
          const chunks = Array.from({ length: count }, () => new AIMessageChunk(word));
          return () => chunks.reduce((all, each) => all.concat(each), new AIMessageChunk(""));
        },
      },
      {
        name: "openai stream helper",
        prepare: count =>
          openai([
            chunk({ role: "assistant" }),
            ...Array.from({ length: count }, () => chunk({ content: word })),
            chunk({}, "stop"),
          ]),
      },
      {
        name: "ai readUIMessageStream",
        prepare: count => {
          const chunks = [
            { type: "start", messageId: "m" },
            { type: "text-start", id: "0" },
            ...Array.from({ length: count }, () => ({ type: "text-delta", id: "0", delta: word })),
            { type: "text-end", id: "0" },
            { type: "finish" },
          ];
          return () => readUi(chunks);
        },
      },
    ],
  },
  {
    name: "tool arguments, value live at every delta",
    unit: "µs per delta",
    sizes: [1000, 4000, 16_000, 50_000, 100_000, 200_000],
    contenders: [
      {
        name: "floor: JSON.parse once",
        prepare: count => {
          const deltas = pieces(count);
          return () => JSON.parse(deltas.join("")) as unknown;
        },
      },
      {
        name: "translogue accumulator, live input",
        prepare: count => {
          const events = callEvents(count);
          return () => {
            const accumulate = accumulator({ liveInput: true });
            let read: unknown;
            for (const event of events) {
              accumulate.push(event);
              read = accumulate.messages;
            }
            accumulate.end();
            return read;
          };
        },
      },
      {
        name: "translogue partialJson",
        prepare: count => {
          const deltas = pieces(count);
          return () => {
            const machine = partialJson();
            for (const delta of deltas) machine.push(delta);
            return machine.value;
          };
        },
      },
      {
        name: "openai stream helper (text only)",
        prepare: count =>
          openai([
            chunk({
              role: "assistant",
              tool_calls: [{ index: 0, id: "c", type: "function", function: { name: "write", arguments: "" } }],
            }),
            ...pieces(count).map(text => chunk({ tool_calls: [{ index: 0, function: { arguments: text } }] })),
            chunk({}, "tool_calls"),
          ]),
      },
      {
        name: "ai readUIMessageStream",
        prepare: count => {
          const chunks = [
            { type: "start", messageId: "m" },
            { type: "tool-input-start", toolCallId: "c", toolName: "write" },
            ...pieces(count).map(inputTextDelta => ({ type: "tool-input-delta", toolCallId: "c", inputTextDelta })),
            { type: "finish" },
          ];
          return () => readUi(chunks);
        },
      },
      {
        name: "@langchain/core concat",
        prepare: count => {
          const chunks = pieces(count).map(
            args =>
              new AIMessageChunk({ content: "", tool_call_chunks: [{ index: 0, args, type: "tool_call_chunk" }] }),
          );
          return () =>
            chunks.reduce(
              (all, each) => all.concat(each),
              new AIMessageChunk({
                content: "",
                tool_call_chunks: [{ index: 0, id: "c", name: "write", args: "", type: "tool_call_chunk" }],
              }),
            );
        },
      },
    ],
  },
];
