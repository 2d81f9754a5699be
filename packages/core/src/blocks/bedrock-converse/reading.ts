/** Reads the blocks of Bedrock's Converse wire: one part a block, a cache point with the block before it. */

import { defined, Reader, rowOf } from "../../codec/reader.ts";
import { kept } from "../../codec/remainder.ts";
import { isJsonObject, type Json, type JsonObject } from "../../model/json.ts";
import type { Citation, Part, PartOf } from "../../model/parts.ts";
import { textOfBase64 } from "./bytes.ts";
import { readCall } from "./calls.ts";
import { readCitation, readTexts } from "./citations.ts";
import { fileKinds, type ReadFile, type ReadList, readFile } from "./files.ts";
import type { FileKind } from "./media.ts";
import { asObject, bedrock, type ReadPlace, type ReadScope, sealOf, withCachePoints } from "./node.ts";
import { readResult } from "./results.ts";

/** Undefined: the block is not of the form that its member promises. */
type ReadBlock = (reader: Reader, place: ReadPlace, scope: ReadScope) => Part | undefined;

/** The blocks of a message. */
export const readBlocks: ReadList = (list, place, scope) =>
  withCachePoints(list, (wire, index) => readBlock(wire, inner(place, index), scope));

const inner = ({ path, made }: ReadPlace, index: number): ReadPlace => ({
  path: [...path, index],
  made: `${made}.${index}`,
});

/** The member that tells what a block is. */
const memberOf = (wire: JsonObject): string | undefined =>
  Object.keys(wire).find(key => rowOf(blocks, key) !== undefined);

export function readBlock(wire: Json, place: ReadPlace, scope: ReadScope): Part {
  const reader = isJsonObject(wire) ? new Reader(wire) : undefined;
  const member = reader && memberOf(reader.value);
  const part = reader && member !== undefined ? rowOf(blocks, member)?.(reader, place, scope) : undefined;
  if (part) return part;
  if (member !== undefined)
    scope.issue("unread-block", place.path, `\`${member}\` is not of the form that it promises; kept as it is`);
  else scope.issue("unknown-block", place.path, "the block is of no known kind; kept as it is");
  return { type: "opaque", family: bedrock, value: wire };
}

/** Contents of results and documents: no cache points among them. */
const readList: ReadList = (list, place, scope) =>
  list.map((wire, index) => {
    const at = inner(place, index);
    const data = isJsonObject(wire) ? readJson(new Reader(wire)) : undefined;
    return data ?? readBlock(wire, at, scope);
  });

function readJson(reader: Reader): PartOf<"data"> | undefined {
  const data = reader.json("json");
  return data === undefined ? undefined : { type: "data", data, ...kept(bedrock, reader.rest()) };
}

const readText: ReadBlock = reader => {
  const text = reader.string("text");
  return text === undefined ? undefined : { type: "text", text, ...kept(bedrock, reader.rest()) };
};

/** Texts with what they rest on, as one. */
const readCited: ReadBlock = reader => {
  const holder = new Reader(asObject(reader.peek("citationsContent")));
  const content = holder.peek("content");
  const list = holder.peek("citations");
  const read = content === undefined ? { text: "", hints: { $lengths: false } } : readTexts(content);
  const isList = Array.isArray(list) && list.every(isJsonObject);
  if (!read || (list !== undefined && !isList) || (content === undefined && list === undefined)) return undefined;
  reader.take("citationsContent");
  holder.take("content", "citations");
  const citations: readonly Citation[] = isList ? list.map((wire: JsonObject) => readCitation(wire)) : [];
  const rest = holder.rest();
  return {
    type: "text",
    text: read.text,
    citations,
    ...kept(bedrock, reader.rest(), {
      ...read.hints,
      ...(citations.length === 0 && { $citations: list !== undefined }),
      ...(rest && { citationsContent: rest }),
    }),
  };
};

const readReasoning: ReadBlock = (reader, _, scope) => {
  const holder = new Reader(asObject(reader.peek("reasoningContent")));
  const told = holder.object("reasoningText");
  const thought = new Reader(told ?? {});
  const text = thought.string("text");
  const signature = thought.string("signature");
  const redacted = holder.string("redactedContent");
  if (text === undefined && !signature && !redacted) return undefined;
  reader.take("reasoningContent");
  const left = thought.rest();
  const rest = left ? { ...holder.rest(), reasoningText: left } : holder.rest();
  return defined<PartOf<"reasoning">>({
    type: "reasoning",
    text,
    seal: sealOf({ signature, ...redactedValue(redacted) }, scope),
    ...kept(bedrock, reader.rest(), {
      ...(rest && { reasoningContent: rest }),
      ...(text === undefined && told && { $text: false }),
      ...(signature === "" && { $signature: "" }),
      ...(redacted === "" && { $redacted: "" }),
    }),
  });
};

/** Claude's redacted thinking is a text: Bedrock has its bytes. Of others nobody but Bedrock knows what they are. */
export function redactedValue(redacted: string | undefined): { readonly [name: string]: string | undefined } {
  const data = redacted === undefined ? undefined : textOfBase64(redacted);
  return data === undefined ? { redactedContent: redacted } : { data };
}

const readAnyFile =
  (kind: FileKind): ReadBlock =>
  (reader, place, scope) => {
    const read = readFile(asObject(reader.peek(kind)), kind, { place, scope, readList });
    if (!read) return undefined;
    reader.take(kind);
    return fileOf(read, reader, rest => ({ [kind]: rest }));
  };

const fileOf = ({ part, rest, hints }: ReadFile, reader: Reader, wrap: (rest: JsonObject) => JsonObject): Part => ({
  ...part,
  ...kept(bedrock, reader.rest(), { ...hints, ...(rest && wrap(rest)) }),
});

/** What a guardrail is to look at is content as any other; that it is to look is content, too, and lost aloud. */
const readGuarded: ReadBlock = (reader, place, scope) => {
  const holder = new Reader(asObject(reader.peek("guardContent")));
  const image = holder.object("image");
  const read = image && readFile(image, "image", { place, scope, readList });
  if (read) {
    reader.take("guardContent");
    const others = holder.rest();
    const guarded = { ...read, hints: { ...read.hints, $$guard: true, ...(others && { guardContent: others }) } };
    return fileOf(guarded, reader, rest => ({ guardContent: { ...others, image: rest } }));
  }
  const guarded = new Reader(asObject(holder.peek("text")));
  const text = guarded.string("text");
  if (text === undefined || image) return undefined;
  reader.take("guardContent");
  holder.take("text");
  const left = guarded.rest();
  const rest = left ? { ...holder.rest(), text: left } : holder.rest();
  return {
    type: "text",
    text,
    ...kept(bedrock, reader.rest(), { $$guard: true, ...(rest && { guardContent: rest }) }),
  };
};

/** Something to cite from, given by the caller or found by a tool. */
const readGiven: ReadBlock = (reader, place, scope) => {
  const holder = new Reader(asObject(reader.peek("searchResult")));
  const url = holder.string("source");
  const content = holder.array("content");
  if (url === undefined || !content) return undefined;
  reader.take("searchResult");
  const title = holder.string("title");
  const parts = readList(content, { ...place, path: [...place.path, "searchResult", "content"] }, scope);
  const rest = holder.rest();
  return defined<PartOf<"source">>({
    type: "source",
    url,
    title,
    parts,
    ...kept(bedrock, reader.rest(), rest ? { searchResult: rest } : {}),
  });
};

/** Tools that come or go, by name. */
const readToolChange =
  (member: "toolAddition" | "toolRemoval"): ReadBlock =>
  reader => {
    const holder = new Reader(asObject(reader.peek(member)));
    const tool = new Reader(holder.object("tool") ?? {});
    const name = tool.string("name");
    if (name === undefined) return undefined;
    reader.take(member);
    const left = tool.rest();
    const rest = left ? { ...holder.rest(), tool: left } : holder.rest();
    return {
      type: "change",
      ...(member === "toolAddition" ? { toolsAdded: [name] } : { toolsRemoved: [name] }),
      ...kept(bedrock, reader.rest(), rest ? { [member]: rest } : {}),
    };
  };

const blocks: { readonly [member: string]: ReadBlock } = {
  text: readText,
  citationsContent: readCited,
  reasoningContent: readReasoning,
  ...Object.fromEntries(fileKinds.map(kind => [kind, readAnyFile(kind)])),
  toolUse: (reader, place) => readCall(reader, place),
  toolResult: (reader, place, scope) => readResult(reader, place, { scope, readList }),
  guardContent: readGuarded,
  searchResult: readGiven,
  toolAddition: readToolChange("toolAddition"),
  toolRemoval: readToolChange("toolRemoval"),
};
