import { gemini } from "../../blocks/gemini/node.ts";
import { type Holds, type PartHolds, type Shape, unsupported } from "../../codec/codec.ts";

/** One table for each kind of shape, so that shared code can keep what it made of it. */
const tables = new Map<string, Holds>();

export function holdsOf(shape: Shape): Holds {
  const kind = shape === "request" || shape === "messages" ? shape : shape === "message" ? "messages" : "answer";
  const known = tables.get(kind);
  if (known) return known;
  const made = makeHolds(kind);
  tables.set(kind, made);
  return made;
}

const application =
  "the wire is between a program and a model; what people and applications say to each other has no place";
const changes = "tools and models change between requests, not inside a history";

const common: PartHolds = {
  text: ["text", "seal"],
  reasoning: ["text", "seal"],
  refusal: ["text", "seal"],
  file: ["mediaType", "name", "source", "reasoning", "seal"],
  "tool-call": ["callId", "name", "input", "inputText", "kind", "executedBy", "seal"],
  "tool-result": ["callId", "name", "output", "outcome", "seal"],
  "approval-request": unsupported(application),
  "approval-response": unsupported(application),
  "input-request": unsupported(application),
  "input-response": unsupported(application),
  source: unsupported("sources are cited in a text or not at all"),
  data: unsupported(application),
  error: unsupported("a history holds no errors"),
  change: unsupported(changes),
  compaction: ["summary"],
  opaque: ["family", "value"],
};

const inOutput = "a tool's result is a value and files";
const outputs: PartHolds = {
  ...common,
  text: ["text"],
  file: ["mediaType", "name", "source"],
  reasoning: unsupported(inOutput),
  refusal: unsupported(inOutput),
  "tool-call": unsupported(inOutput),
  "tool-result": unsupported(inOutput),
  compaction: unsupported(inOutput),
  source: ["url", "title", "parts"],
  data: ["data"],
  error: ["message"],
};

function makeHolds(kind: "answer" | "request" | "messages"): Holds {
  const isAnswer = kind === "answer";
  return {
    conversation: kind === "request" ? ["tools", "model", "settings"] : isAnswer ? ["head"] : [],
    message: isAnswer ? ["model", "responseId", "createdAt", "finish", "usage", "id", "parent"] : [],
    parts: {
      ...common,
      ...(isAnswer && { text: ["text", "seal", "citations"], error: ["message", "code"] }),
    },
    output: outputs,
    citation: ["url", "title", "quote", "start", "end"],
    tool: ["name", "kind", "description", "input", "output"],
    settings: [
      "maxOutputTokens",
      "temperature",
      "topP",
      "topK",
      "stopSequences",
      "seed",
      "frequencyPenalty",
      "presencePenalty",
      "toolChoice",
      "reasoning",
      "responseFormat",
    ],
    usage: ["input", "cacheRead", "cacheWrite", "output", "reasoning", "other", "modalities"],
    families: [gemini],
  };
}
