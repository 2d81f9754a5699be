/** Writes parts as blocks of Anthropic's Messages wire. */

import { hintsOf, present, restored } from "../../codec/remainder.ts";
import type { Path } from "../../model/issue.ts";
import { isJsonObject, type Json, type JsonObject } from "../../model/json.ts";
import { jsonTextOf } from "../../model/json-text.ts";
import type { Part, PartOf } from "../../model/parts.ts";
import { writeCall } from "./calls.ts";
import { writeCitation } from "./citations.ts";
import { isHit, writeFile, writeGiven, writeHit } from "./files.ts";
import { anthropic, type Located, sealValues, type WriteScope, writeCache } from "./node.ts";
import { writeResult } from "./results.ts";
import { writeTool } from "./tools.ts";

/** The blocks of one part: mostly one, none where the wire has no place for it. */
export function writeBlock({ part, path }: Located, scope: WriteScope, isOutput = false): Json[] {
  switch (part.type) {
    case "text":
      if (!isOutput && !isTaken(part, scope)) {
        scope.lose("empty-text", path);
        return [];
      }
      return [writeText({ part, path }, scope)];
    case "refusal":
      scope.lose("refusal", path);
      return [{ type: "text", text: part.text }];
    case "reasoning":
      return listOf(writeReasoning({ part, path }, scope));
    case "file":
      return listOf(writeFile({ part, path }, { scope, writeList }));
    case "tool-call":
      return listOf(writeCall({ part, path }, scope));
    case "tool-result":
      return listOf(writeResult({ part, path }, { scope, writeList }));
    case "source":
      return writeSource({ part, path }, scope, isOutput);
    case "data":
      scope.lose("data", path);
      return [{ type: "text", text: jsonTextOf(part, "data") ?? "" }];
    case "error":
      scope.lose("error-text", path);
      return [{ type: "text", text: part.message }];
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

const listOf = (block: JsonObject | undefined): Json[] => (block === undefined ? [] : [block]);

/** The provider refuses texts that say nothing, unless somebody sent it one. */
const isTaken = (part: PartOf<"text">, { recipient }: WriteScope): boolean =>
  recipient !== "provider" || /\S/.test(part.text) || hintsOf(part, anthropic)["$blank"] === true;

/** The blocks inside of another. */
function writeList(parts: readonly Part[], path: Path, scope: WriteScope): readonly Json[] {
  const blocks: Json[] = [];
  for (const [index, part] of parts.entries()) {
    for (const block of writeBlock({ part, path: [...path, index] }, scope, true)) blocks.push(block);
  }
  return blocks;
}

function writeText({ part, path }: Located<PartOf<"text">>, scope: WriteScope): JsonObject {
  if (!part.citations && !part.cache && !part.native) return { type: "text", text: part.text };
  const citations = part.citations?.flatMap((citation, index) =>
    listOf(writeCitation(citation, [...path, "citations", index], scope)),
  );
  return restored(present({ type: "text", text: part.text, citations, ...writeCache(part) }), part, anthropic);
}

function writeReasoning({ part, path }: Located<PartOf<"reasoning">>, scope: WriteScope): JsonObject | undefined {
  const { text, seal } = part;
  const hints = hintsOf(part, anthropic);
  const isRedacted = text === undefined && seal?.values["data"] !== undefined;
  const values = sealValues(part, path, isRedacted ? ["data"] : ["signature"], scope);
  if (isRedacted && values["data"] !== undefined)
    return restored({ type: "redacted_thinking", data: values["data"] }, part, anthropic);
  const { signature } = values;
  if (signature === undefined && scope.recipient === "provider" && !scope.takesBareReasoning) {
    scope.lose("bare-reasoning", path);
    return undefined;
  }
  if (text === undefined && hints["$thinking"] !== false) scope.lose("hidden-reasoning", path);
  if (text === undefined && signature === undefined && hints["$thinking"] !== false) return undefined;
  const isUnsaid = hints["$signature"] === false;
  if (signature === undefined && hints["$signature"] === undefined) scope.lose("unsigned", path);
  return restored(
    present({
      type: "thinking",
      thinking: text ?? (hints["$thinking"] === false ? undefined : ""),
      signature: signature ?? (isUnsaid ? undefined : ""),
    }),
    part,
    anthropic,
  );
}

function writeSource({ part, path }: Located<PartOf<"source">>, scope: WriteScope, isOutput: boolean): Json[] {
  if (isHit(part)) return [writeHit({ part, path }, scope)];
  if (part.parts) return [writeGiven({ part, path }, { scope, writeList })];
  if (!isOutput) {
    scope.lose("source", path);
    return [];
  }
  scope.lose("source-text", path);
  const { title, url } = part;
  return [{ type: "text", text: [title, url].filter(each => each !== undefined).join("\n") }];
}

function writeChange({ part, path }: Located<PartOf<"change">>, scope: WriteScope): Json[] {
  const { $type: told } = hintsOf(part, anthropic);
  const { model, toolsAdded = [], toolsRemoved = [] } = part;
  const count = toolsAdded.length + toolsRemoved.length;
  if (told === "fallback" && model !== undefined && count === 0) {
    return [restored({ type: "fallback", to: { model } }, part, anthropic)];
  }
  if (model !== undefined || count === 0) scope.lose("change", path);
  const [only] = toolsAdded;
  if (told === "tool_reference" && count === 1 && typeof only === "string") {
    return [restored(present({ type: "tool_reference", tool_name: only, ...writeCache(part) }), part, anthropic)];
  }
  if (count > 1) scope.lose("split", path);
  const added = toolsAdded.map((tool, index) => ({
    type: "tool_addition",
    tool: toolOf(tool, [...path, "toolsAdded", index], { part, scope }),
  }));
  const removed = toolsRemoved.map(name => ({ type: "tool_removal", tool: toolOf(name, path, { part, scope }) }));
  const blocks = [...added, ...removed].flatMap(({ type, tool }) => (tool ? [{ type, tool }] : []));
  // A mark is one of the few that a request may have: it stands behind all of the change.
  return blocks.map((block, index) =>
    restored(present({ ...block, ...(index === blocks.length - 1 && writeCache(part)) }), part, anthropic),
  );
}

type AddedTool = NonNullable<PartOf<"change">["toolsAdded"]>[number];

function toolOf(
  tool: AddedTool,
  path: Path,
  { part, scope }: { readonly part: PartOf<"change">; readonly scope: WriteScope },
): JsonObject | undefined {
  if (typeof tool !== "string") {
    if (tool.output !== undefined) scope.lose("change-tool", [...path, "output"]);
    const wire = writeTool(tool, path, {
      recipient: scope.recipient,
      maker: scope.maker,
      lose: (_, at, detail) => scope.lose("change-tool", at, detail),
    });
    return wire && { type: "tool_definition", definition: wire };
  }
  const rest = hintsOf(part, anthropic)["tool"];
  const isTyped = isJsonObject(rest) && typeof rest["type"] === "string";
  return present({ type: isTyped ? undefined : "tool_reference", name: tool });
}

/** A compaction of another maker is written as its summary where it stands (R26). */
function writeCompaction({ part, path }: Located<PartOf<"compaction">>, scope: WriteScope): Json[] {
  const { summary, seal } = part;
  const isOwn =
    hintsOf(part, anthropic)["$type"] === "compaction" || (seal !== undefined && seal.maker === scope.maker);
  if (!isOwn) {
    scope.lose(summary ? "compaction" : "hidden-compaction", path);
    return (summary ?? []).flatMap((each, index) =>
      writeBlock({ part: each, path: [...path, "summary", index] }, scope),
    );
  }
  const values = sealValues(part, path, ["encrypted_content", "signature"], scope);
  const texts = (summary ?? []).flatMap(each => (each.type === "text" ? [each.text] : []));
  const [only] = summary ?? [];
  const isPlain = summary?.length === 1 && only?.type === "text" && Object.keys(only).length === 2;
  if (summary && !isPlain) scope.lose("compaction-text", [...path, "summary"]);
  // An empty text is refused; none is what only the seal tells.
  const content = texts.length > 0 ? texts.join("\n\n") : undefined;
  return [restored(present({ type: "compaction", content, ...values, ...writeCache(part) }), part, anthropic)];
}
