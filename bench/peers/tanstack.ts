import { StreamProcessor, uiMessageToModelMessages } from "@tanstack/ai";

export const textChunks = (deltas: readonly string[]): object[] => [
  { type: "TEXT_MESSAGE_START", messageId: "m", role: "assistant", timestamp: 0 },
  ...deltas.map(delta => ({ type: "TEXT_MESSAGE_CONTENT", messageId: "m", delta, timestamp: 0 })),
  { type: "TEXT_MESSAGE_END", messageId: "m", timestamp: 0 },
];

export const callChunks = (deltas: readonly string[]): object[] => [
  { type: "TEXT_MESSAGE_START", messageId: "m", role: "assistant", timestamp: 0 },
  {
    type: "TOOL_CALL_START",
    toolCallId: "c",
    toolCallName: "write",
    toolName: "write",
    parentMessageId: "m",
    timestamp: 0,
    index: 0,
  },
  ...deltas.map(delta => ({ type: "TOOL_CALL_ARGS", toolCallId: "c", delta, timestamp: 0 })),
  { type: "TOOL_CALL_END", toolCallId: "c", timestamp: 0 },
];

export function process(chunks: readonly object[]): unknown {
  const processor = new StreamProcessor();
  processor.prepareAssistantMessage();
  for (const chunk of chunks) processor.processChunk(chunk as never); // its own union of events
  processor.finalizeStream();
  return processor.getMessages();
}

export const toModel = (messages: readonly object[]): unknown =>
  messages.flatMap(each => uiMessageToModelMessages(each as never)); // parts of the same names
