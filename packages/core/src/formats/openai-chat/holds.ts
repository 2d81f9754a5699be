import { chatParts } from "../../blocks/chat-parts/parts.ts";
import { type Holds, type PartHolds, type Shape, unsupported } from "../../codec/codec.ts";
import type { Dialect } from "./dialects.ts";
import { family } from "./wire.ts";

/** One table for each host's row, kind of recipient and kind of shape, so that shared code can keep what it made of it. */
const tables = new Map<string, Map<Dialect, Holds>>();

export function holdsOf(shape: Shape, dialect: Dialect, isProvider: boolean): Holds {
  const kind = shape === "stream" ? "answer" : shape;
  const key = `${kind} ${isProvider}`;
  const byDialect = tables.get(key) ?? new Map<Dialect, Holds>();
  tables.set(key, byDialect);
  const known = byDialect.get(dialect);
  if (known) return known;
  const made = makeHolds(kind, dialect, isProvider);
  byDialect.set(dialect, made);
  return made;
}

const settings = [
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
] as const;

function makeHolds(shape: Shape, dialect: Dialect, isProvider: boolean): Holds {
  const isRequest = shape === "request";
  const isAnswer = shape === "answer" || shape === "error";
  return {
    conversation: isRequest ? ["tools", "model", "settings"] : isAnswer ? ["head"] : [],
    message: isAnswer
      ? ["author", "weight", "model", "responseId", "createdAt", "finish", "usage", "id", "parent"]
      : ["author", "weight"],
    parts: partsOf(shape, dialect, isProvider),
    output: outputs,
    citation: ["url", "title", "start", "end"],
    tool: ["name", "kind", "description", "input", "strict", "cache"],
    settings: dialect.hasTopK ? [...settings, "topK"] : settings,
    usage: ["input", "cacheRead", "cacheWrite", "output", "reasoning", "other", "modalities", "cost"],
    families: [family, chatParts],
  };
}

const application =
  "the wire is between a program and a model; what people and applications say to each other has no place";
const changes = "tools and models change between requests, not inside a history";

const common: PartHolds = {
  text: ["text", "citations", "cache", "seal"],
  reasoning: ["text", "summary", "seal", "id"],
  refusal: ["text", "seal"],
  file: ["mediaType", "name", "source", "text", "detail", "cache", "id", "seal"],
  "tool-call": ["callId", "name", "input", "inputText", "kind", "executedBy", "seal"],
  "tool-result": ["callId", "name", "output", "outcome"],
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

const outputs: PartHolds = {
  ...common,
  text: ["text", "cache"],
  reasoning: unsupported("a tool's result is its output"),
  refusal: unsupported("a tool's result is its output"),
  "tool-call": unsupported("a tool's result is its output"),
  "tool-result": unsupported("a tool's result is its output"),
  source: ["url", "title", "parts"],
  data: ["data"],
  error: ["message"],
  compaction: unsupported("a tool's result is its output"),
};

function partsOf(shape: Shape, { reasoning, hasDetails, cache }: Dialect, isProvider: boolean): PartHolds {
  const isAnswer = shape === "answer" || shape === "error";
  const isTaken = reasoning.length > 0 || hasDetails;
  const marked = <Member extends string>(...members: readonly Member[]): readonly Member[] =>
    isAnswer || (isProvider && !cache) ? members.filter(member => member !== "cache") : members;
  return {
    ...common,
    text: marked("text", "citations", "cache", "seal"),
    file: marked("mediaType", "name", "source", "text", "detail", "cache", "id", "seal"),
    reasoning: isTaken
      ? hasDetails
        ? ["text", "summary", "seal", "id"]
        : ["text"]
      : unsupported("the host takes no reasoning back"),
    error: isAnswer ? ["message", "code"] : common.error,
  };
}
