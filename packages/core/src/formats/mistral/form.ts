import type { FinishWords } from "../../blocks/chat-parts/finish.ts";
import type { ChatForm } from "../../blocks/chat-parts/form.ts";
import { WaitingCalls } from "../../blocks/waiting-calls.ts";
import { errorRemainder, readError, writeError } from "./error.ts";
import { readAssistant } from "./read-messages.ts";
import { family, places } from "./wire.ts";
import { writeAssistant } from "./write-messages.ts";
import { flattened, writingOf } from "./writing.ts";

const finish: FinishWords = {
  read: {
    stop: "stop",
    length: "length",
    model_length: "context",
    tool_calls: "tool-calls",
    error: "error",
    content_filter: "content-filter",
  },
  written: {
    stop: "stop",
    "stop-sequence": "stop",
    length: "length",
    context: "model_length",
    "tool-calls": "tool_calls",
    refusal: "stop",
    "content-filter": "error",
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

/** Answers of Mistral: Chat completions with its own messages, words and errors. */
export const mistralForm: ChatForm = {
  family,
  errorPlace: places.error,
  finish,
  madeId: "",
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
