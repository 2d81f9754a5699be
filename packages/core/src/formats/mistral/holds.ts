import { chatParts } from "../../blocks/chat-parts/parts.ts";
import { type Holds, type PartHolds, type Shape, unsupported } from "../../codec/codec.ts";
import { family } from "./wire.ts";

const application =
  "the wire is between a program and a model; what people and applications say to each other has no place";

const history: PartHolds = {
  text: ["text", "citations", "seal"],
  reasoning: ["text", "seal"],
  refusal: ["text"],
  file: ["mediaType", "name", "source", "text", "detail", "id", "seal"],
  "tool-call": ["callId", "name", "input", "inputText", "kind", "executedBy", "seal"],
  "tool-result": ["callId", "name", "output", "outcome"],
  "approval-request": unsupported(application),
  "approval-response": unsupported(application),
  "input-request": unsupported(application),
  "input-response": unsupported(application),
  source: ["url", "title", "fileId", "name", "mediaType", "parts"],
  data: unsupported(application),
  error: unsupported("a history holds no errors"),
  change: unsupported("tools and models change between requests, not inside a history"),
  compaction: ["summary"],
  opaque: ["family", "value"],
};

const output: PartHolds = {
  ...history,
  refusal: unsupported("a tool's result is its output"),
  "tool-call": unsupported("a tool's result is its output"),
  "tool-result": unsupported("a tool's result is its output"),
  data: ["data"],
  error: ["message"],
  compaction: unsupported("a tool's result is its output"),
};

const tables: { readonly [kind in "request" | "history" | "answer"]: Holds } = {
  request: tableOf("request"),
  history: tableOf("history"),
  answer: tableOf("answer"),
};

function tableOf(kind: "request" | "history" | "answer"): Holds {
  const isAnswer = kind === "answer";
  return {
    conversation: kind === "request" ? ["tools", "model", "settings"] : isAnswer ? ["head"] : [],
    message: isAnswer ? ["weight", "model", "responseId", "createdAt", "finish", "usage", "id", "parent"] : ["weight"],
    parts: isAnswer ? { ...history, error: ["message", "code"] } : history,
    output,
    citation: ["url", "title"],
    tool: ["name", "kind", "description", "input", "strict"],
    settings: [
      "maxOutputTokens",
      "temperature",
      "topP",
      "stopSequences",
      "seed",
      "frequencyPenalty",
      "presencePenalty",
      "toolChoice",
      "parallelToolCalls",
      "reasoning",
      "responseFormat",
    ],
    usage: ["input", "cacheRead", "cacheWrite", "output", "reasoning", "other", "modalities", "cost"],
    families: [family, chatParts],
  };
}

export const holdsOf = (shape: Shape): Holds =>
  shape === "request" ? tables.request : shape === "messages" || shape === "message" ? tables.history : tables.answer;
