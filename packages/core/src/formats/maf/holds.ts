import { type Holds, type PartHolds, type Shape, unsupported } from "../../codec/codec.ts";
import { family } from "./wire.ts";

const application = "questions to people, shared state and changes of a history have no content";

const parts: PartHolds = {
  text: ["text", "citations", "cache"],
  reasoning: ["text", "summary", "seal"],
  refusal: ["text"],
  file: ["mediaType", "name", "source", "detail", "cache"],
  "tool-call": ["callId", "name", "input", "inputText", "kind", "executedBy", "handled", "server", "cache"],
  "tool-result": ["callId", "kind", "output", "outcome", "cache"],
  "approval-request": ["requestId", "callId", "call", "automatic"],
  "approval-response": ["requestId", "callId", "approved", "reason", "call"],
  "input-request": unsupported(application),
  "input-response": unsupported(application),
  source: ["url", "title", "mediaType"],
  data: unsupported("only tools give data"),
  error: ["message", "code", "details"],
  change: unsupported(application),
  compaction: unsupported(application),
  opaque: ["family", "value"],
};

const message = ["id", "author", "createdAt", "usage"] as const;
const base: Holds = {
  conversation: [],
  message,
  parts,
  output: { ...parts, data: ["data"] },
  citation: ["url", "title", "name", "fileId", "quote", "start", "end"],
  tool: [],
  settings: [],
  usage: ["input", "cacheRead", "cacheWrite", "output", "reasoning", "other", "modalities"],
  families: [family],
};
const answer: Holds = { ...base, message: [...message, "responseId", "model", "finish"] };
const file: Holds = { ...base, conversation: ["id"] };

export function holdsOf(shape: Shape): Holds {
  if (shape === "file") return file;
  return shape === "answer" || shape === "event" || shape === "stream" ? answer : base;
}
