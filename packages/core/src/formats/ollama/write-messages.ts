import { deniedText } from "../../blocks/chat-parts/calls.ts";
import { type Located, roleOf, writeTurns } from "../../blocks/turns.ts";
import type { EncodeContext } from "../../codec/codec.ts";
import { hintsOf, present, remainderOf } from "../../codec/remainder.ts";
import type { Message } from "../../model/conversation.ts";
import type { Path } from "../../model/issue.ts";
import type { Json, JsonObject } from "../../model/json.ts";
import { jsonTextOf } from "../../model/json-text.ts";
import type { PartOf } from "../../model/parts.ts";
import { callIdOf } from "./calls.ts";
import { envelopeMembers, family } from "./wire.ts";
import { writeAssistant } from "./write-assistant.ts";
import { finished, joined, type Writing, writeImage, writingOf } from "./writing.ts";

/** The wire messages of a history. */
export function writeMessages(messages: readonly Message[], context: EncodeContext): Json[] {
  const writing = writingOf(context, messages);
  return writeTurns(messages, context, {
    assistant: (parts, message, path) => writeAssistant(parts, { message, path }, writing),
    result: (result, message) => writeResult(result, message, writing),
    turn: (parts, message, path) => writeTurn(parts, { message, path }, context),
  });
}

function writeTurn(
  parts: readonly Located[],
  { message, path }: { readonly message: Message; readonly path: Path },
  context: EncodeContext,
): JsonObject {
  const role = roleOf(message, path, context);
  const said = sorted(parts, context);
  const { $content: hint } = hintsOf(message, family);
  const content = joined(said.texts, said.images.length > 0, context);
  if (message.parts.length === 0 && hint === undefined) context.lose("no-content", [...path, "parts"]);
  const isTold = content === undefined && (hint === false || hint === null);
  const fields = present({
    role,
    content: isTold ? (hint === null ? null : undefined) : (content ?? ""),
    images: said.images.length > 0 ? said.images : undefined,
  });
  return finished(fields, message);
}

interface Said {
  readonly texts: readonly { readonly text: string; readonly path: Path }[];
  readonly images: readonly Json[];
}

/** A message has one text, and its pictures behind it. */
function sorted(parts: readonly Located[], context: EncodeContext): Said {
  const texts: { text: string; path: Path }[] = [];
  const images: Json[] = [];
  let isMixed = false;
  for (const { part, path } of parts) {
    const text = textOf({ part, path }, context);
    if (text !== undefined) {
      if (images.length > 0) isMixed = true;
      texts.push({ text, path });
    } else if (part.type === "file") images.push(...writeImage(part, path, context));
    else if (part.type === "opaque") images.push(part.value);
    else context.lose("misplaced", path, part.type);
  }
  const [first] = parts;
  if (isMixed && first) context.lose("order", first.path.slice(0, -1));
  return { texts, images };
}

function textOf({ part, path }: Located, context: EncodeContext): string | undefined {
  if (part.type === "text") return part.text;
  if (part.type === "refusal") {
    context.lose("refusal", path);
    return part.text;
  }
  if (part.type !== "file" || !("text" in part.source)) return undefined;
  context.lose("text-file", path);
  return part.source.text;
}

// results

function writeResult(
  { part, path }: Located<PartOf<"tool-result">>,
  message: Message | undefined,
  writing: Writing,
): JsonObject {
  const { context } = writing;
  const hints = message ? hintsOf(message, family) : {};
  const remainder = message ? remainderOf(message, family, envelopeMembers) : {};
  if (part.outcome) context.lose("outcome", [...path, "outcome"], part.outcome);
  const name = writing.nameOf(part);
  if (name !== part.name) context.lose("result-name", [...path, "name"], name);
  const id = callIdOf(part, path, writing);
  const output = part.output?.map((each, index): Located => ({ part: each, path: [...path, "output", index] })) ?? [];
  const said = sorted(
    output.flatMap(each => asText(each, context)),
    context,
  );
  const content = joined(said.texts, said.images.length > 0, context);
  const { $content: hint } = hints;
  const isTold = part.output === undefined && (hint === false || hint === null || Object.hasOwn(remainder, "content"));
  if (!isTold && (part.output === undefined || part.output.length === 0))
    context.lose("no-output", [...path, "output"]);
  const nothing = isTold ? (hint === null ? null : undefined) : part.outcome === "denied" ? deniedText : "";
  const fields = present({
    role: "tool",
    content: content ?? (said.images.length > 0 ? "" : nothing),
    images: said.images.length > 0 ? said.images : undefined,
    tool_name: Object.hasOwn(remainder, "tool_name") ? undefined : name,
    tool_call_id: Object.hasOwn(remainder, "tool_call_id") ? undefined : id,
  });
  return message ? finished(fields, message) : fields;
}

/** What a tool gives besides texts and pictures, as text. */
function asText({ part, path }: Located, context: EncodeContext): readonly Located[] {
  const text = (code: string, words: string): readonly Located[] => {
    context.lose(code, path);
    return [{ part: { type: "text", text: words }, path }];
  };
  switch (part.type) {
    case "data":
      return text("data", jsonTextOf(part, "data") ?? "null");
    case "error":
      return text("error-text", part.message);
    case "source":
      return text("source-text", sourceText(part));
    default:
      return [{ part, path }];
  }
}

const sourceText = (source: PartOf<"source">): string =>
  [source.title, source.url, ...(source.parts ?? []).map(part => (part.type === "text" ? part.text : undefined))]
    .filter(text => text !== undefined)
    .join("\n");
