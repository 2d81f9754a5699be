import { deniedText } from "../../blocks/chat-parts/calls.ts";
import { type Located, roleOf, writeTurns } from "../../blocks/turns.ts";
import type { EncodeContext } from "../../codec/codec.ts";
import { hintsOf, present } from "../../codec/remainder.ts";
import type { Message } from "../../model/conversation.ts";
import type { Path } from "../../model/issue.ts";
import { isJsonObject, type Json, type JsonObject } from "../../model/json.ts";
import { jsonTextOf } from "../../model/json-text.ts";
import type { PartOf } from "../../model/parts.ts";
import { textOfFile, writeBlock, writeDocument } from "./content.ts";
import { isBlockOnly } from "./read-messages.ts";
import { family } from "./wire.ts";
import { writeAssistant } from "./write-assistant.ts";
import { callIdOf, finished, type Writing, writingOf } from "./writing.ts";

/** The wire messages of a history. */
export function writeMessages(messages: readonly Message[], context: EncodeContext): Json[] {
  const writing = writingOf(context, messages);
  return writeTurns(messages, context, {
    assistant: (parts, message, path) => writeAssistant(parts, { message, path }, writing),
    result: (result, message) => writeResult(result, message, writing),
    turn: (parts, message, path) => writeTurn(parts, message, path, context),
  });
}

function writeTurn(parts: readonly Located[], message: Message, path: Path, context: EncodeContext): JsonObject {
  const role = roleOf(message, path, context);
  const content = contentOf(
    parts.flatMap(each => writeTurnPart(each, role, context)),
    message,
  );
  if (message.parts.length === 0 && content["content"] === "") context.lose("no-content", [...path, "parts"]);
  return finished({ role, ...content }, message);
}

/** A block, and the text that stands for it where it is the only one. */
interface Written {
  readonly wire: Json;
  readonly text?: string;
}

function writeTurnPart({ part, path }: Located, role: string, context: EncodeContext): Written[] {
  switch (part.type) {
    case "text":
      if (part.citations) context.lose("misplaced", [...path, "citations"]);
      return writeOne(part, path, context);
    case "refusal":
      context.lose("refusal", path);
      return [{ wire: { type: "text", text: part.text }, text: part.text }];
    case "file":
      if (role === "system" && !("text" in part.source)) break;
      return writeOne(part, path, context);
    case "opaque":
      return writeOne(part, path, context);
  }
  context.lose("misplaced", path, part.type);
  return [];
}

function writeOne(part: PartOf<"text" | "file" | "opaque">, path: Path, context: EncodeContext): Written[] {
  const wire = writeBlock(part, path, context);
  if (wire === undefined) return [];
  return [{ wire, ...(part.type === "text" && !isBlockOnly(part) && { text: part.text }) }];
}

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
  const id = callIdOf(part, path, writing);
  const fields = present({
    role: "tool",
    tool_call_id: Object.hasOwn(hints, "tool_call_id") ? undefined : id,
    ...resultContent(part, path, { hints, context: writing.context }),
  });
  return message ? finished(fields, message) : fields;
}

function resultContent(
  { output, outcome }: PartOf<"tool-result">,
  path: Path,
  { hints, context }: { readonly hints: JsonObject; readonly context: EncodeContext },
): JsonObject {
  const { $content: hint } = hints;
  if (output === undefined && (hint === false || Object.hasOwn(hints, "content"))) return {};
  if (output === undefined) context.lose("no-output", [...path, "output"]);
  const content = (output ?? []).flatMap((part, index) =>
    writeOutput({ part, path: [...path, "output", index] }, context),
  );
  const [only] = content;
  if (hint === "list" || content.length > 1) return { content: content.map(({ wire }) => wire) };
  if (only) return { content: only.text ?? [only.wire] };
  if (output?.length === 0) context.lose("no-output", [...path, "output"]);
  return { content: outcome === "denied" ? deniedText : "" };
}

/** A tool's output is text, and documents that can be cited. */
function writeOutput({ part, path }: Located, context: EncodeContext): Written[] {
  const asText = (code: string, text: string): Written[] => {
    context.lose(code, path);
    return [{ wire: { type: "text", text }, text }];
  };
  switch (part.type) {
    case "text":
      if (hintsOf(part, family)["$part"] === "document") return [{ wire: writeDocument(part, part.text) }];
      if (part.id !== undefined) context.lose("block-id", [...path, "id"]);
      return writeOne(part, path, context);
    case "opaque":
      return [{ wire: part.value }];
    case "data":
      if (isJsonObject(part.data)) return [{ wire: writeDocument(part, part.data) }];
      return asText("data", jsonTextOf(part, "data") ?? "null");
    case "error":
      return asText("error-text", part.message);
    case "source":
      return writeSource(part, path, context);
    case "file": {
      const text = textOfFile(part);
      if (text !== undefined) return asText("text-file", text);
      context.lose("tool-media", path, part.mediaType);
      return [];
    }
  }
  context.lose("misplaced", path, part.type);
  return [];
}

/** A source that a tool found is a document. */
function writeSource(part: PartOf<"source">, path: Path, context: EncodeContext): Written[] {
  context.lose("source-document", path);
  const texts = (part.parts ?? []).flatMap(inner => (inner.type === "text" ? [inner.text] : []));
  const data = present({ title: part.title, url: part.url, text: texts.length > 0 ? texts.join("\n") : undefined });
  return [{ wire: { type: "document", document: { data } } }];
}
