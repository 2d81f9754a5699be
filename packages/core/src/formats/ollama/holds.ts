import { type Holds, type PartHolds, type Shape, unsupported } from "../../codec/codec.ts";
import { family } from "./wire.ts";

const application =
  "the wire is between a program and a model; what people and applications say to each other has no place";

const common: PartHolds = {
  text: ["text"],
  reasoning: ["text"],
  refusal: ["text"],
  file: ["mediaType", "source"],
  "tool-call": ["callId", "name", "input", "inputText", "kind", "executedBy"],
  "tool-result": ["callId", "name", "output", "outcome"],
  "approval-request": unsupported(application),
  "approval-response": unsupported(application),
  "input-request": unsupported(application),
  "input-response": unsupported(application),
  source: unsupported("there are no citations, and nothing to cite from"),
  data: unsupported(application),
  error: unsupported("a history holds no errors"),
  change: unsupported("tools and models change between requests, not inside a history"),
  compaction: ["summary"],
  opaque: ["family", "value"],
};

const inOutput = "a tool's result is a text and pictures";
const outputs: PartHolds = {
  ...common,
  reasoning: unsupported(inOutput),
  "tool-call": unsupported(inOutput),
  "tool-result": unsupported(inOutput),
  compaction: unsupported(inOutput),
  source: ["url", "title", "parts"],
  data: ["data"],
  error: ["message"],
};

/** One table for each kind of shape, so that shared code can keep what it made of it. */
const tables = { request: makeHolds("request"), answer: makeHolds("answer"), messages: makeHolds("messages") };

export function holdsOf(shape: Shape): Holds {
  if (shape === "request") return tables.request;
  return shape === "messages" || shape === "message" ? tables.messages : tables.answer;
}

function makeHolds(kind: "request" | "answer" | "messages"): Holds {
  const isAnswer = kind === "answer";
  return {
    conversation: kind === "request" ? ["tools", "model", "settings"] : [],
    message: isAnswer ? ["model", "createdAt", "finish", "usage", "id", "parent"] : [],
    parts: isAnswer ? { ...common, error: ["message", "code"] } : common,
    output: outputs,
    citation: [],
    tool: ["name", "kind", "description", "input"],
    settings: [
      "maxOutputTokens",
      "temperature",
      "topP",
      "topK",
      "stopSequences",
      "seed",
      "frequencyPenalty",
      "presencePenalty",
      "reasoning",
      "responseFormat",
    ],
    usage: ["input", "cacheRead", "cacheWrite", "output", "reasoning"],
    families: [family],
  };
}
