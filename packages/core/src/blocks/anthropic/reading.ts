/** Reads the blocks of Anthropic's Messages wire: one part a block. */

import { defined, Reader, rowOf } from "../../codec/reader.ts";
import { kept } from "../../codec/remainder.ts";
import { isJsonObject, type Json, type JsonObject } from "../../model/json.ts";
import type { Citation, Part, PartOf } from "../../model/parts.ts";
import { callTypes, readCall } from "./calls.ts";
import { readCitation } from "./citations.ts";
import { readFile, readGiven, readHit, readUpload } from "./files.ts";
import { anthropic, type ReadPlace, type ReadScope, readCache, sealOf } from "./node.ts";
import { isResultType, readResult } from "./results.ts";
import { readAddedTool } from "./tools.ts";

/** Undefined: the block is not of the form that its type promises. */
type ReadBlock = (reader: Reader, place: ReadPlace, scope: ReadScope) => Part | undefined;

export function readBlock(wire: Json, place: ReadPlace, scope: ReadScope): Part {
  const reader = isJsonObject(wire) ? new Reader(wire) : undefined;
  const type = reader?.peek("type");
  const read = typeof type === "string" ? rowOf(blocks, type) : undefined;
  const fallback = typeof type === "string" && isResultType(type) ? readAnyResult : undefined;
  const part = reader && (read ?? fallback)?.(reader, place, scope);
  if (part) return part;
  if (read || type === undefined)
    scope.issue("unread-block", place.path, "the block is not of the form that its type promises; kept as it is");
  else scope.issue("unknown-block", place.path, `blocks of type \`${String(type)}\` are not known; kept as it is`);
  return { type: "opaque", family: anthropic, value: wire };
}

const readList = (list: readonly Json[], place: ReadPlace, scope: ReadScope): readonly Part[] =>
  list.map((block, index) => readBlock(block, { path: [...place.path, index], made: `${place.made}.${index}` }, scope));

const readAnyResult: ReadBlock = (reader, place, scope) => readResult(reader, place, { scope, readList });
const readAnyFile: ReadBlock = (reader, place, scope) => readFile(reader, place, { scope, readList });

const readText: ReadBlock = (reader, _, scope) => {
  const text = reader.string("text");
  if (text === undefined) return undefined;
  reader.take("type");
  return defined<PartOf<"text">>({
    type: "text",
    text,
    citations: readCitations(reader, scope),
    ...readCache(reader),
    ...kept(anthropic, reader.rest()),
  });
};

function readCitations(reader: Reader, scope: ReadScope): readonly Citation[] | undefined {
  const list = reader.peek("citations");
  if (!Array.isArray(list) || !list.every(isJsonObject)) return undefined;
  reader.take("citations");
  return list.map((wire: JsonObject) => readCitation(wire, scope));
}

/** The signature is "" where there is none. */
const readThinking: ReadBlock = (reader, _, scope) => {
  const text = reader.string("thinking");
  const signature = reader.string("signature");
  if (text === undefined && signature === undefined) return undefined;
  reader.take("type");
  return defined<PartOf<"reasoning">>({
    type: "reasoning",
    text,
    seal: sealOf({ signature }, scope),
    ...kept(anthropic, reader.rest(), {
      ...(text === undefined && { $thinking: false }),
      ...(!signature && { $signature: signature ?? false }),
    }),
  });
};

const readRedacted: ReadBlock = (reader, _, scope) => {
  const data = reader.string("data");
  const seal = sealOf({ data }, scope);
  if (!seal) return undefined;
  reader.take("type");
  return { type: "reasoning", seal, ...kept(anthropic, reader.rest()) };
};

const readCompaction: ReadBlock = (reader, _, scope) => {
  reader.take("type");
  const content = reader.string("content");
  const [encrypted, signature] = [reader.peek("encrypted_content"), reader.peek("signature")];
  if (encrypted) reader.string("encrypted_content");
  if (signature) reader.string("signature");
  return defined<PartOf<"compaction">>({
    type: "compaction",
    summary: content === undefined ? undefined : [{ type: "text", text: content }],
    seal: sealOf({ encrypted_content: textIn(encrypted), signature: textIn(signature) }, scope),
    ...readCache(reader),
    ...kept(anthropic, reader.rest(), { $type: "compaction" }),
  });
};

const textIn = (value: Json | undefined): string | undefined => (typeof value === "string" ? value : undefined);

/** Another model answers from here on. */
const readFallback: ReadBlock = reader => {
  const to = reader.peek("to");
  const inner = isJsonObject(to) ? new Reader(to) : undefined;
  const model = inner?.string("model");
  if (!inner || model === undefined) return undefined;
  reader.take("type", "to");
  const rest = inner.rest();
  return { type: "change", model, ...kept(anthropic, reader.rest(), { $type: "fallback", ...(rest && { to: rest }) }) };
};

/** Tools that come or go, by name or with their definition. */
const readToolChange: ReadBlock = reader => {
  const type = reader.peek("type");
  const wire = reader.peek("tool");
  const inner = isJsonObject(wire) ? new Reader(wire) : undefined;
  const isDefinition = inner?.peek("type") === "tool_definition";
  const definition = isDefinition ? inner?.object("definition") : undefined;
  const tool = definition ? readAddedTool(definition) : isDefinition ? undefined : inner?.string("name");
  if (!inner || tool === undefined || (type === "tool_removal" && typeof tool !== "string")) return undefined;
  reader.take("type", "tool");
  if (typeof tool !== "string") inner.take("type");
  else inner.literal("type", "tool_reference");
  const rest = inner.rest();
  return {
    type: "change",
    ...(type === "tool_removal" && typeof tool === "string" ? { toolsRemoved: [tool] } : { toolsAdded: [tool] }),
    ...readCache(reader),
    ...kept(anthropic, reader.rest(), { ...(rest && { tool: rest }) }),
  };
};

/** In the result of a search for tools. */
const readReference: ReadBlock = reader => {
  const name = reader.string("tool_name");
  if (name === undefined) return undefined;
  reader.take("type");
  return {
    type: "change",
    toolsAdded: [name],
    ...readCache(reader),
    ...kept(anthropic, reader.rest(), { $type: "tool_reference" }),
  };
};

const blocks: { readonly [type: string]: ReadBlock } = {
  text: readText,
  thinking: readThinking,
  redacted_thinking: readRedacted,
  image: readAnyFile,
  document: readAnyFile,
  container_upload: (reader, _, scope) => readUpload(reader, scope),
  search_result: (reader, place, scope) => readGiven(reader, place, { scope, readList }),
  web_search_result: (reader, _, scope) => readHit(reader, scope),
  compaction: readCompaction,
  fallback: readFallback,
  tool_addition: readToolChange,
  tool_removal: readToolChange,
  tool_reference: readReference,
  ...Object.fromEntries(
    [...callTypes].map(type => [type, (reader: Reader, place: ReadPlace) => readCall(reader, place)]),
  ),
};
