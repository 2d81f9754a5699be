/** What a tool gave: a message of its own. */

import { deniedText } from "../../codec/refusals.ts";
import { hintsOf } from "../../codec/remainder.ts";
import type { Message } from "../../model/conversation.ts";
import type { Path } from "../../model/issue.ts";
import { isJsonObject, type Json, type JsonObject } from "../../model/json.ts";
import { jsonTextOf, tellsNumber } from "../../model/json-text.ts";
import type { PartOf } from "../../model/parts.ts";
import { callHints, writtenId } from "./call-hints.ts";
import { reportForeign } from "./content-places.ts";
import { type At, contentOf, finish, type Located, type Writing } from "./encode.ts";
import { type Class, classOf, family, hintedClass } from "./wire.ts";

export function writeResults(message: Message, parts: readonly Located[], { path, writing }: At): Json[] {
  const results = parts.filter((each): each is Located<PartOf<"tool-result">> => each.part.type === "tool-result");
  for (const { part, path: place } of parts)
    if (part.type !== "tool-result") writing.lose("misplaced", place, part.type);
  if (results.length === 0) writing.lose("no-result", path);
  if (results.length > 1) writing.lose("split", [...path, "parts"]);
  return results.map(({ part, path: place }, index) =>
    writeResult(part, place, { message: index === 0 ? message : undefined, writing }),
  );
}

export function writeResult(
  part: PartOf<"tool-result">,
  path: Path,
  { message, writing }: { readonly message: Message | undefined; readonly writing: Writing },
): JsonObject {
  const { form, lose } = writing;
  const { outcome, structured } = part;
  for (const member of ["seal", "cache", "kind"] as const) {
    if (part[member] !== undefined) lose("result-member", [...path, member]);
  }
  reportForeign(part, family, { path, lose });
  if (structured === null) lose("result-member", [...path, "structured"]); // as an artifact it is none
  if (outcome && outcome !== "error") lose("outcome", [...path, "outcome"], outcome);
  const read = message && hintedClass(message);
  const isFunction = read?.base === "FunctionMessage";
  const row = read && (isFunction || read.base === "ToolMessage") ? read : classOf("ToolMessage");
  const { number } = callHints(part);
  const callId = typeof number === "number" && tellsNumber(part.callId, number) ? number : writtenId(part);
  const own = {
    name: part.name,
    tool_call_id: isFunction && part.callId.startsWith("~") ? undefined : callId,
    artifact: structured,
    status: outcome ? "error" : undefined,
  };
  const content = outputOf(part, path, { row, message, writing });
  const messagePath = path.slice(0, 2);
  return finish({ content, own, beside: {} }, message, { row, path: messagePath, writing: { ...writing, form } });
}

function outputOf(
  part: PartOf<"tool-result">,
  path: Path,
  to: { readonly row: Class; readonly message: Message | undefined; readonly writing: Writing },
): Json {
  const { output } = part;
  const [only] = output ?? [];
  const hints = to.message ? hintsOf(to.message, family) : {};
  if (output?.length === 1 && only?.type === "data" && hints["$content"] === "json" && isUnquoted(only.data))
    return only.data;
  const { lose } = to.writing;
  if (part.outcome === "denied" && (output ?? []).length === 0) {
    lose("denied-text", [...path, "output"]);
    return deniedText;
  }
  if (output?.length === 0) return [];
  const parts = (output ?? []).map((inner, index): Located => {
    const place = [...path, "output", index];
    if (inner.type === "data") {
      lose("data", place);
      return { part: { type: "text", text: jsonTextOf(inner, "data") ?? "null" }, path: place };
    }
    if (inner.type !== "error") return { part: inner, path: place };
    lose("error-text", place);
    return { part: { type: "text", text: inner.message }, path: place };
  });
  return contentOf(parts, to);
}

/** What a program put in without making it a text. */
const isUnquoted = (data: Json): boolean => isJsonObject(data) || typeof data === "number" || typeof data === "boolean";
