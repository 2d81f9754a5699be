import { responses } from "../../blocks/openai-responses/node.ts";
import { type Holds, type PartHolds, type Shape, unsupported } from "../../codec/codec.ts";

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
  text: ["text", "citations", "phase", "cache", "seal", "partial"],
  reasoning: ["text", "summary", "seal", "partial", "id"],
  refusal: ["text", "seal", "partial"],
  file: ["mediaType", "name", "source", "text", "detail", "cache", "seal"],
  "tool-call": ["callId", "name", "input", "inputText", "kind", "executedBy", "caller", "server", "seal", "partial"],
  "tool-result": ["callId", "name", "kind", "output", "outcome", "seal", "partial"],
  "approval-request": ["requestId", "callId", "call"],
  "approval-response": ["requestId", "callId", "approved", "reason", "call", "seal"],
  "input-request": unsupported(application),
  "input-response": unsupported(application),
  source: unsupported("sources are found by tools or cited in a text"),
  data: unsupported(application),
  error: unsupported("a history holds no errors"),
  change: ["toolsAdded", "effort", "seal"],
  compaction: ["summary", "replaces", "seal"],
  opaque: ["family", "value"],
};

const inOutput = "a tool's result is its output";
const outputs: PartHolds = {
  ...common,
  text: ["text", "cache"],
  file: ["mediaType", "name", "source", "text", "detail", "cache"],
  reasoning: unsupported(inOutput),
  refusal: unsupported(inOutput),
  "tool-call": unsupported(inOutput),
  "tool-result": unsupported(inOutput),
  "approval-request": unsupported(inOutput),
  "approval-response": unsupported(inOutput),
  change: unsupported(inOutput),
  compaction: unsupported(inOutput),
  source: ["url", "title", "fileId", "name", "parts"],
  data: ["data"],
  error: ["message", "code"],
};

function makeHolds(shape: Shape): Holds {
  const isAnswer = shape === "answer";
  return {
    conversation: shape === "request" ? ["tools", "model", "settings"] : [],
    message: isAnswer ? ["model", "responseId", "createdAt", "finish", "usage"] : [],
    parts: { ...common, ...(isAnswer && { error: ["message", "code"] }) },
    output: outputs,
    citation: ["url", "title", "fileId", "name", "start", "end"],
    tool: ["name", "kind", "description", "input", "output", "strict", "cache"],
    settings: [
      "maxOutputTokens",
      "temperature",
      "topP",
      "toolChoice",
      "parallelToolCalls",
      "reasoning",
      "responseFormat",
    ],
    usage: ["input", "cacheRead", "cacheWrite", "output", "reasoning", "other", "cost"],
    families: [responses],
  };
}
