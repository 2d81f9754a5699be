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
  reasoning: ["text", "seal", "cache"],
  refusal: ["text", "cache"],
  file: ["mediaType", "name", "source", "cache"],
  "tool-call": ["callId", "name", "input", "inputText", "kind", "executedBy", "cache"],
  "tool-result": ["callId", "output", "outcome", "cache"],
  "approval-request": unsupported("the wire has no approvals"),
  "approval-response": unsupported("the wire has no approvals"),
  "input-request": unsupported(application),
  "input-response": unsupported(application),
  source: ["url", "title", "parts", "cache"],
  data: unsupported(application),
  error: unsupported("a message holds no errors"),
  change: ["toolsAdded", "toolsRemoved", "cache"],
  compaction: ["summary"],
  opaque: ["family", "value", "cache"],
};

/** Cache points are no part of streams. */
const streamed: PartHolds = {
  ...common,
  text: ["text", "citations"],
  reasoning: ["text", "seal"],
  refusal: ["text"],
  file: ["mediaType", "name", "source"],
  "tool-call": ["callId", "name", "input", "inputText", "kind", "executedBy"],
  "tool-result": ["callId", "output", "outcome"],
  opaque: ["family", "value"],
};

const inOutput = "a tool's result is its output";
const outputs: PartHolds = {
  text: ["text"],
  reasoning: unsupported(inOutput),
  refusal: ["text"],
  file: ["mediaType", "name", "source"],
  "tool-call": unsupported(inOutput),
  "tool-result": unsupported(inOutput),
  "approval-request": unsupported(inOutput),
  "approval-response": unsupported(inOutput),
  "input-request": unsupported(inOutput),
  "input-response": unsupported(inOutput),
  source: ["url", "title", "parts"],
  data: ["data"],
  error: ["message"],
  change: unsupported(inOutput),
  compaction: unsupported(inOutput),
  opaque: ["family", "value"],
};

function makeHolds(shape: Shape): Holds {
  const isBody = shape === "answer" || shape === "stream" || shape === "error";
  const hasErrors = shape === "stream" || shape === "error";
  return {
    conversation: shape === "request" ? ["tools", "model", "settings"] : [],
    // An answer has no id: it tells which messages are one.
    message: isBody ? ["finish", "usage", ...(shape === "answer" ? (["responseId"] as const) : [])] : [],
    parts: { ...(shape === "stream" ? streamed : common), ...(hasErrors && { error: ["message", "code"] }) },
    output: outputs,
    citation: ["url", "title", "quote", "at"],
    tool: ["name", "kind", "description", "input", "strict", "cache"],
    settings: [
      "maxOutputTokens",
      "temperature",
      "topP",
      "topK",
      "stopSequences",
      "toolChoice",
      "reasoning",
      "responseFormat",
    ],
    usage: ["input", "cacheRead", "cacheWrite", "output", "reasoning", "other"],
    families: [family],
  };
}
