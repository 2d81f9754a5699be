import type { FinishWords } from "../../blocks/chat-parts/finish.ts";
import type { ChatForm } from "../../blocks/chat-parts/form.ts";
import { WaitingCalls } from "../../blocks/waiting-calls.ts";
import { readAssistant } from "./decode-message.ts";
import { writeAssistant } from "./encode-assistant.ts";
import { errorRemainder, readError, writeError } from "./error.ts";
import { family, places } from "./wire.ts";
import { flattened, writingOf } from "./writing.ts";

const finish: FinishWords = {
  read: {
    stop: "stop",
    end: "stop",
    eos: "stop",
    length: "length",
    max_tokens: "length",
    model_length: "context",
    tool_calls: "tool-calls",
    function_call: "tool-calls",
    content_filter: "content-filter",
    refusal: "refusal",
    error: "error",
    network_error: "error",
  },
  written: {
    stop: "stop",
    "stop-sequence": "stop",
    length: "length",
    context: "length",
    "tool-calls": "tool_calls",
    refusal: "content_filter",
    "content-filter": "content_filter",
    pause: "stop",
    compaction: "stop",
    "malformed-call": "error",
    error: "error",
    aborted: null,
    incomplete: null,
    pending: null,
    other: "stop",
  },
};

/** Answers of OpenAI and of the hosts that speak its Chat API. */
export const chatForm: ChatForm = {
  family,
  errorPlace: places.error,
  finish,
  // The official SDK drops what a chunk without an id says beside its choices (openai 7.59.0).
  madeId: "chatcmpl-~",
  readMessage: (reader, scope) => readAssistant(reader, { ...scope, unanswered: new WaitingCalls() }),
  writer: (context, messages) => {
    const writing = writingOf(context, messages);
    return {
      flatten: (parts, path) => flattened(parts, path, writing),
      write: (parts, at) => writeAssistant(parts, at, writing),
    };
  },
  readError,
  errorRemainder,
  writeError,
};
