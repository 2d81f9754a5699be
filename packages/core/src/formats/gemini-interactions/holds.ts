import { type Holds, type PartHolds, type Shape, unsupported } from "../../codec/codec.ts";
import { family } from "./wire.ts";

/** One table for each kind of shape, so that shared code can keep what it made of it. */
const tables = new Map<string, Holds>();

export function holdsOf(shape: Shape): Holds {
  const kind = shape === "stream" || shape === "error" ? "answer" : shape;
  const known = tables.get(kind);
  if (known) return known;
  const made = makeHolds(kind);
  tables.set(kind, made);
  return made;
}

const application =
  "the wire is between a program and a model; what people and applications say to each other has no place";

const common: PartHolds = {
  text: ["text", "citations", "seal"],
  reasoning: ["text", "summary", "seal"],
  refusal: ["text", "seal"],
  file: ["mediaType", "name", "source", "detail", "reasoning", "seal"],
  "tool-call": ["callId", "name", "input", "inputText", "kind", "executedBy", "server", "seal"],
  "tool-result": ["callId", "name", "kind", "output", "outcome", "seal"],
  "approval-request": unsupported(application),
  "approval-response": unsupported(application),
  "input-request": unsupported(application),
  "input-response": unsupported(application),
  source: unsupported("sources are found by tools or cited in a text"),
  data: unsupported(application),
  error: ["message", "code", "seal"],
  change: unsupported("tools and models change between requests, not inside a history"),
  compaction: ["summary", "seal"],
  opaque: ["family", "value", "seal"],
};

const inOutput = "a tool's result is a value, or texts and files";
const outputs: PartHolds = {
  ...common,
  text: ["text", "citations"],
  file: ["mediaType", "name", "source", "detail"],
  reasoning: unsupported(inOutput),
  refusal: unsupported(inOutput),
  "tool-call": unsupported(inOutput),
  "tool-result": unsupported(inOutput),
  compaction: unsupported(inOutput),
  source: ["url", "title", "fileId", "name", "parts"],
  data: ["data"],
  error: ["message"],
  opaque: ["family", "value"],
};

function makeHolds(shape: Shape): Holds {
  return {
    conversation: shape === "request" ? ["tools", "model", "settings"] : [],
    message: shape === "answer" ? ["model", "responseId", "createdAt", "finish", "usage"] : [],
    parts: common,
    output: outputs,
    citation: ["url", "title", "name", "start", "end", "at"],
    tool: ["name", "kind", "description", "input"],
    settings: [
      "maxOutputTokens",
      "temperature",
      "topP",
      "topK",
      "stopSequences",
      "seed",
      "toolChoice",
      "reasoning",
      "responseFormat",
    ],
    usage: ["input", "cacheRead", "cacheWrite", "output", "reasoning", "other", "modalities"],
    families: [family],
  };
}
