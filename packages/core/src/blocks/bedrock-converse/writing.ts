/** Writes parts as blocks of Bedrock's Converse wire. */

import { hintsOf, present, restored } from "../../codec/remainder.ts";
import { isJsonObject, type Json, type JsonObject } from "../../model/json.ts";
import type { PartOf } from "../../model/parts.ts";
import { base64OfText } from "./bytes.ts";
import { writeCall } from "./calls.ts";
import { writeCitation, writeTextList } from "./citations.ts";
import { writeFile } from "./files.ts";
import { bedrock, type Located, sealValues, type WriteScope, writeCachePoint } from "./node.ts";
import { isGiven, writeSearchResult } from "./output.ts";
import { redactedValue } from "./reading.ts";
import { writeResult } from "./results.ts";

/** The blocks of one part, and its cache point behind them: none where the wire has no place for it. */
export function writeBlocks({ part, path }: Located, scope: WriteScope): Json[] {
  const blocks = blocksOf({ part, path }, scope);
  return [...blocks, ...writeCachePoint(part, blocks.length > 0)];
}

function blocksOf({ part, path }: Located, scope: WriteScope): Json[] {
  switch (part.type) {
    case "text":
      if (isTaken(part, scope)) return [writeText({ part, path }, scope)];
      scope.lose("empty-text", path);
      return [];
    case "refusal":
      scope.lose("refusal", path);
      return [{ text: part.text }];
    case "reasoning":
      return listOf(writeReasoning({ part, path }, scope));
    case "file":
      return listOf(writeFileBlock({ part, path }, scope));
    case "tool-call":
      return listOf(writeCall({ part, path }, scope));
    case "tool-result":
      return listOf(writeResult({ part, path }, scope));
    case "source":
      if (isGiven(part)) return [writeSearchResult({ part, path }, scope)];
      scope.lose("source", path);
      return [];
    case "change":
      return writeChange({ part, path }, scope);
    case "compaction":
      return writeCompaction({ part, path }, scope);
    case "opaque":
      return [isJsonObject(part.value) ? { ...part.value } : part.value]; // a copy: what is written may get a carry
    default:
      return [];
  }
}

/** The provider refuses texts that say nothing, unless somebody sent it one. */
const isTaken = ({ text, native }: PartOf<"text">, { recipient }: WriteScope): boolean =>
  recipient !== "provider" || /\S/.test(text) || native?.[bedrock]?.["$blank"] === true;

const listOf = (block: JsonObject | undefined): Json[] => (block === undefined ? [] : [block]);

function writeText({ part, path }: Located<PartOf<"text">>, scope: WriteScope): JsonObject {
  const { text } = part;
  const hints = hintsOf(part, bedrock);
  const isGuarded = hints["$$guard"] === true;
  if (isGuarded) {
    // The guardrail must see what it is told to, whatever else is said of the text.
    if (part.citations) scope.lose("guard", [...path, "citations"]);
    return restored({ guardContent: { text: { text } } }, part, bedrock);
  }
  const citations = part.citations?.flatMap((citation, index) =>
    listOf(writeCitation(citation, [...path, "citations", index], scope)),
  );
  // Without citations the block says no more than a text: it is one for what it rests on, or because Converse said it so.
  const isSaidSo = scope.recipient !== "provider" || hints["$citations"] !== undefined;
  const isCited = citations?.length === 0 ? part.citations?.length === 0 && isSaidSo : citations !== undefined;
  if (citations && isCited) {
    const isUntold = hints["$lengths"] === false && text === "";
    const isUnsaid = hints["$citations"] === false && citations.length === 0;
    const citationsContent = present({
      content: isUntold ? undefined : writeTextList(text, hints["$lengths"]),
      citations: isUnsaid ? undefined : citations,
    });
    return restored({ citationsContent }, part, bedrock);
  }
  return restored({ text }, part, bedrock);
}

function writeReasoning({ part, path }: Located<PartOf<"reasoning">>, scope: WriteScope): JsonObject | undefined {
  const { text } = part;
  const hints = hintsOf(part, bedrock);
  const values = sealValues(part, path, ["signature", "data", "redactedContent"], scope);
  const redacted = redactedOf(values, { part, path }, scope) ?? (hints["$redacted"] === "" ? "" : undefined);
  const signature = values["signature"] ?? (hints["$signature"] === "" ? "" : undefined);
  if (!signature && !redacted && scope.recipient === "provider") {
    scope.lose("bare-reasoning", path);
    return undefined;
  }
  const isThought = text !== undefined || signature !== undefined;
  const isUnsaid = text === undefined && hints["$text"] === false;
  if (text === undefined && !redacted && !isUnsaid) scope.lose("hidden-reasoning", path);
  if (!isThought && redacted === undefined) return undefined;
  const reasoningText = present({ text: text ?? (isUnsaid ? undefined : ""), signature });
  const reasoningContent = present({
    reasoningText: isThought ? reasoningText : undefined,
    redactedContent: redacted,
  });
  return restored({ reasoningContent }, part, bedrock);
}

/** Bytes that only their maker reads, as the wire has them. */
function redactedOf(
  { data, redactedContent: raw }: { readonly [name: string]: string },
  { part, path }: Located<PartOf<"reasoning">>,
  scope: WriteScope,
): string | undefined {
  const redacted = raw ?? (data === undefined ? undefined : base64OfText(data));
  const read = redactedValue(redacted);
  for (const name of ["data", "redactedContent"] as const) {
    if (part.seal?.values[name] && read[name] !== part.seal.values[name])
      scope.lose("seal-value", [...path, "seal", "values", name]);
  }
  return redacted;
}

function writeFileBlock({ part, path }: Located<PartOf<"file">>, scope: WriteScope): JsonObject | undefined {
  const file = writeFile({ part, path }, scope);
  if (!file) return undefined;
  const { kind, fields } = file;
  const isGuarded = hintsOf(part, bedrock)["$$guard"] === true && kind === "image";
  return restored(isGuarded ? { guardContent: { image: fields } } : { [kind]: fields }, part, bedrock);
}

function writeChange({ part, path }: Located<PartOf<"change">>, scope: WriteScope): Json[] {
  const { toolsAdded = [], toolsRemoved = [] } = part;
  const count = toolsAdded.length + toolsRemoved.length;
  if (count === 0) scope.lose("change", path);
  if (count > 1) scope.lose("split", path);
  const added = toolsAdded.map((tool, index) => {
    if (typeof tool !== "string") {
      const code = scope.declares(tool) ? "change-tool" : "change-definition";
      scope.lose(code, [...path, "toolsAdded", index], tool.name);
      if (tool.description === "") scope.lose("change-description", [...path, "toolsAdded", index, "description"]);
    }
    return { toolAddition: { tool: { name: typeof tool === "string" ? tool : tool.name } } };
  });
  const removed = toolsRemoved.map(name => ({ toolRemoval: { tool: { name } } }));
  return [...added, ...removed].map(block => restored(block, part, bedrock));
}

/** Written as its summary where it stands (R26). */
function writeCompaction({ part, path }: Located<PartOf<"compaction">>, scope: WriteScope): Json[] {
  scope.lose(part.summary ? "compaction" : "hidden-compaction", path);
  return (part.summary ?? []).flatMap((each, index) =>
    writeBlocks({ part: each, path: [...path, "summary", index] }, scope),
  );
}
