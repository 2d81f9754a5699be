import { type Holds, type PartHolds, type Recipient, unsupported } from "../../codec/codec.ts";
import { chatParts } from "../chat-parts/parts.ts";
import { contentHolds } from "./content.ts";
import { family, formOf } from "./wire.ts";

const application = "people and applications have no place in LangChain's messages; graphs keep that in their state";

const parts: PartHolds = {
  ...contentHolds,
  "tool-result": ["callId", "name", "output", "structured", "outcome", "kind", "seal", "cache"],
  "approval-request": unsupported(application),
  "approval-response": unsupported(application),
  "input-request": unsupported(application),
  "input-response": unsupported(application),
  data: unsupported(application),
  error: unsupported("a message holds no errors"),
  change: unsupported("tools and models do not change inside a history"),
  compaction: unsupported("a summary is a message like any other"),
};

const output: PartHolds = {
  ...parts,
  "tool-call": unsupported("a tool's result is its output"),
  "tool-result": unsupported("a tool's result is its output"),
  data: ["data", "seal"],
  error: ["message", "code"],
  change: ["toolsAdded"],
};

const all: Holds = {
  conversation: [],
  message: ["id", "author", "model", "provider", "responseId", "finish", "usage"],
  parts,
  output,
  citation: ["url", "title", "fileId", "name", "start", "end", "quote", "at", "seal"],
  tool: [],
  settings: [],
  usage: ["input", "cacheRead", "cacheWrite", "output", "reasoning", "other", "modalities"],
  families: [family, chatParts, "anthropic", "openai-chat", "openai-responses", "gemini", "bedrock-converse"],
};

/** What a provider gets in OpenAI's form is what that form has; others read what LangChain reads of it, which is everything. */
const sent: Holds = { ...all, message: ["author"] };

export const holdsOf = ({ dialect, recipient }: { readonly dialect: string; readonly recipient: Recipient }): Holds =>
  recipient === "provider" && formOf(dialect).container === "dict" ? sent : all;
