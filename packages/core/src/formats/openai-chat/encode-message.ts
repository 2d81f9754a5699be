import { deniedText } from "../../blocks/chat-parts/calls.ts";
import { chatParts, writeContentPart } from "../../blocks/chat-parts/parts.ts";
import { withoutHusk } from "../../blocks/turns.ts";
import type { EncodeContext } from "../../codec/codec.ts";
import { hintsOf, present } from "../../codec/remainder.ts";
import type { Conversation, Message } from "../../model/conversation.ts";
import type { Path } from "../../model/issue.ts";
import { isJsonObject, type Json, type JsonObject } from "../../model/json.ts";
import { jsonTextOf } from "../../model/json-text.ts";
import type { Part, PartOf } from "../../model/parts.ts";
import { writeAssistant } from "./encode-assistant.ts";
import { family, type Located } from "./wire.ts";
import { callIdOf, finished, flattened, type Writing, writingOf } from "./writing.ts";

/** The wire messages of a history, each message by itself: neighbours are never joined (R15). */
export function writeMessages({ messages }: Conversation, context: EncodeContext): Json[] {
  const writing = writingOf(context, messages);
  return messages.flatMap((message, index) => {
    const path = ["messages", index];
    const written = withoutHusk(writeMessage(message, path, writing), message, { path, context });
    // What is no object has no room for a carry, and says all that there is to say.
    const [first, ...rest] = written.map(wire => (isJsonObject(wire) ? wire : {}));
    if (first) context.wrote([first, ...rest], index, 1);
    return written;
  });
}

function writeMessage(message: Message, path: Path, writing: Writing): Json[] {
  const parts = flattened(message.parts, [...path, "parts"], writing);
  if (message.role === "control") return writeControl(parts, path, writing);
  if (message.role === "assistant") return [writeAssistant(parts, { message, path }, writing)];
  const results = parts.filter(isResult);
  const others = parts.filter(each => !isResult(each));
  const isTool = message.role === "tool";
  const count = results.length + (isTool || others.length === 0 ? 0 : 1);
  if (count > 1) writing.context.lose("split", path);
  if (isTool) {
    for (const { part, path: place } of others) writing.context.lose("misplaced", place, part.type);
    if (count === 0) writing.context.lose("no-result", path);
    return results.map((result, index) => writeResult(result, index === 0 ? message : undefined, writing));
  }
  if (count === 1 && results.length === 1) writing.context.lose("result-role", [...path, "role"], message.role);
  const written = results.map(result => writeResult(result, undefined, writing));
  const [first, ...rest] = written;
  if (first && others.length === 0) return [finished(first, message, path, writing), ...rest];
  // Chat wants results right behind their calls, so they go first (R15).
  if (parts.findIndex(each => !isResult(each)) < results.length && results.length > 0)
    writing.context.lose("order", path);
  return [...written, writeTurn(others, message, path, writing)];
}

const isResult = (each: Located): each is Located<PartOf<"tool-result">> => each.part.type === "tool-result";

function writeControl(parts: readonly Located[], path: Path, { context }: Writing): Json[] {
  const [only] = parts;
  if (parts.length === 1 && only?.part.type === "opaque" && only.part.family === family) {
    const { value } = only.part;
    return [isJsonObject(value) ? { ...value } : value]; // a copy: what is written may get a carry
  }
  context.lose("control", path);
  return [];
}

function writeTurn(parts: readonly Located[], message: Message, path: Path, writing: Writing): JsonObject {
  const isDeveloper = message.role === "developer" && !writing.dialect.hasDeveloper;
  if (isDeveloper) writing.context.lose("developer", [...path, "role"]);
  const role = isDeveloper ? "system" : message.role;
  const written = contentOf(
    parts.flatMap(each => writeTurnPart(each, writing)),
    message,
  );
  if (message.parts.length === 0 && written["content"] === "") writing.context.lose("no-content", [...path, "parts"]);
  return finished({ role, ...written }, message, path, writing);
}

/** A written content part, and the text that stands for it where it is the only one. */
interface Written {
  readonly wire: Json;
  readonly text: string | undefined;
}

function writeTurnPart({ part, path }: Located, writing: Writing): Written[] {
  switch (part.type) {
    case "text":
      if (part.seal) writing.context.lose("part-seal", [...path, "seal"]);
      if (part.citations) writing.context.lose("misplaced", [...path, "citations"]);
      return writeOne(part, path, writing);
    case "file":
    case "opaque":
      return writeOne(part, path, writing);
    case "refusal": {
      if (hintsOf(part, chatParts)["$place"] === "content") return writeOne(part, path, writing);
      writing.context.lose("refusal", path);
      return [{ wire: { type: "text", text: part.text }, text: part.text }];
    }
    case "reasoning":
      if (hintsOf(part, chatParts)["$place"] === "content") return writeOne(part, path, writing);
  }
  writing.context.lose("misplaced", path, part.type);
  return [];
}

function writeOne(
  part: PartOf<"text" | "file" | "opaque" | "refusal" | "reasoning">,
  path: Path,
  writing: Writing,
): Written[] {
  const wire = writeContentPart(part, path, writing.parts);
  return wire === undefined ? [] : [{ wire, text: plainTextOf(part, wire) }];
}

/** The text of a part that is nothing but text. */
const plainTextOf = (part: Part, wire: Json): string | undefined =>
  part.type === "text" && typeof wire === "object" && wire !== null && Object.keys(wire).length === 2
    ? part.text
    : undefined;

/** One plain text is written as a string, unless it was a list; nothing at all as it was, else as an empty text. */
function contentOf(content: readonly Written[], message: Message): JsonObject {
  const { $content: hint, ...members } = hintsOf(message, family);
  const [only] = content;
  if (hint === "list" || content.length > 1) return { content: content.map(({ wire }) => wire) };
  if (only) return { content: only.text ?? [only.wire] };
  return hint === false || Object.hasOwn(members, "content") ? {} : { content: "" };
}

// results

/** `message`: the one whose own members the wire message has, if it has any. */
function writeResult(
  { part, path }: Located<PartOf<"tool-result">>,
  message: Message | undefined,
  writing: Writing,
): JsonObject {
  const hints = message ? hintsOf(message, family) : {};
  if (part.outcome) writing.context.lose("outcome", [...path, "outcome"], part.outcome);
  const isLegacy = hints["$role"] === "function";
  const hasNone = isLegacy && part.callId.startsWith("~");
  const id = callIdOf(part, path, writing);
  const fields = present({
    role: isLegacy ? "function" : "tool",
    tool_call_id: hasNone || Object.hasOwn(hints, "tool_call_id") ? undefined : id,
    name: part.name,
    ...resultContent(part, path, { hints, writing }),
  });
  return message ? finished(fields, message, path.slice(0, 2), writing) : fields;
}

function resultContent(
  { output, outcome }: PartOf<"tool-result">,
  path: Path,
  { hints, writing }: { readonly hints: JsonObject; readonly writing: Writing },
): JsonObject {
  const { $content: hint } = hints;
  const [first] = output ?? [];
  if (hint === "json" && output?.length === 1 && first?.type === "data") return { content: first.data };
  if (output === undefined && (hint === false || Object.hasOwn(hints, "content"))) return {};
  if (output === undefined) writing.context.lose("no-output", [...path, "output"]);
  const content = (output ?? []).flatMap((part, index) =>
    writeOutput({ part, path: [...path, "output", index] }, writing),
  );
  const [only] = content;
  if (hint === "list" || content.length > 1) return { content: content.map(({ wire }) => wire) };
  if (only) return { content: only.text ?? [only.wire] };
  if (output?.length === 0) writing.context.lose("no-output", [...path, "output"]);
  return { content: outcome === "denied" ? deniedText : "" };
}

/** A host takes text from a tool; most take nothing else. */
function writeOutput({ part, path }: Located, writing: Writing): Written[] {
  const { context } = writing;
  const asText = (code: string, text: string): Written[] => {
    context.lose(code, path);
    return [{ wire: { type: "text", text }, text }];
  };
  switch (part.type) {
    case "text":
    case "opaque":
      return writeOne(part, path, writing);
    case "data":
      return asText("data", jsonTextOf(part, "data") ?? "null");
    case "error":
      return asText("error-text", part.message);
    case "source":
      return asText("source-text", sourceText(part));
    case "file":
      if (writing.dialect.hasMedia || "text" in part.source) return writeOne(part, path, writing);
      context.lose("tool-media", path, part.mediaType);
      return [];
  }
  context.lose("misplaced", path, part.type);
  return [];
}

const sourceText = (source: PartOf<"source">): string =>
  [source.title, source.url, ...(source.parts ?? []).map(part => (part.type === "text" ? part.text : undefined))]
    .filter(text => text !== undefined)
    .join("\n");
