import { anthropic } from "../../blocks/anthropic/node.ts";
import { type Holds, type PartHolds, type Shape, unsupported } from "../../codec/codec.ts";
import { family } from "./wire.ts";

/** One table for each kind of shape, so that shared code can keep what it made of it. */
const tables = new Map<Shape, Holds>();

export function holdsOf(shape: Shape): Holds {
  const known = tables.get(shape);
  if (known) return known;
  const made = makeHolds(shape);
  tables.set(shape, made);
  return made;
}

const application =
  "the wire is between a program and a model; what people and applications say to each other has no place";

const common: PartHolds = {
  text: ["text", "citations", "cache"],
  reasoning: ["text", "seal"],
  refusal: ["text"],
  file: ["mediaType", "name", "source", "cache"],
  "tool-call": ["callId", "name", "input", "inputText", "kind", "executedBy", "caller", "server", "cache"],
  "tool-result": ["callId", "output", "outcome", "cache"],
  "approval-request": unsupported("the wire has no approvals"),
  "approval-response": unsupported("the wire has no approvals"),
  "input-request": unsupported(application),
  "input-response": unsupported(application),
  source: ["url", "title", "parts", "seal", "cache"],
  data: unsupported(application),
  error: unsupported("a message holds no errors"),
  change: ["toolsAdded", "toolsRemoved", "model", "cache"],
  compaction: ["summary", "seal", "cache"],
  opaque: ["family", "value"],
};

const inOutput = "a tool's result is its output";
const outputs: PartHolds = {
  ...common,
  reasoning: unsupported(inOutput),
  "tool-call": unsupported(inOutput),
  "tool-result": unsupported(inOutput),
  compaction: unsupported(inOutput),
  data: ["data", "seal"],
  error: ["message", "code"],
};

function makeHolds(shape: Shape): Holds {
  const isBody = shape === "answer" || shape === "stream" || shape === "error";
  const hasErrors = shape === "stream" || shape === "error";
  return {
    conversation: shape === "request" ? ["tools", "model", "settings"] : [],
    message: isBody ? ["model", "responseId", "finish", "usage"] : [],
    parts: { ...common, ...(hasErrors && { error: ["message", "code"] }) },
    output: outputs,
    citation: ["url", "title", "fileId", "quote", "at", "seal"],
    tool: ["name", "kind", "description", "input", "strict", "cache"],
    settings: [
      "maxOutputTokens",
      "temperature",
      "topP",
      "topK",
      "stopSequences",
      "toolChoice",
      "parallelToolCalls",
      "reasoning",
      "responseFormat",
    ],
    usage: ["input", "cacheRead", "cacheWrite", "output", "reasoning"],
    families: [anthropic, family],
  };
}
