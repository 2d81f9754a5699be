/** What the results of tools are made of on Bedrock's Converse wire. */

import { hintsOf, present, restored } from "../../codec/remainder.ts";
import { isJsonObject, type Json, type JsonObject } from "../../model/json.ts";
import { jsonTextOf } from "../../model/json-text.ts";
import type { FilePart, Part, PartOf } from "../../model/parts.ts";
import { writeFile, writeTexts } from "./files.ts";
import { bedrock, type Located, type WriteScope } from "./node.ts";

/** The items of one part of an output: mostly one, none where there is no place for it. */
export function writeOutput({ part, path }: Located, scope: WriteScope): Json[] {
  switch (part.type) {
    case "text":
      return [restored({ text: part.text }, part, bedrock)];
    case "refusal":
      scope.lose("refusal", path);
      return [{ text: part.text }];
    case "data":
      return [writeData({ part, path }, scope)];
    case "file":
      return writeOutputFile({ part, path }, scope);
    case "source":
      return [writeSource({ part, path }, scope)];
    case "error":
      scope.lose("error-text", path);
      return [{ text: part.message }];
    case "opaque":
      return [part.value];
    default:
      return [];
  }
}

/** Models take objects only. */
function writeData({ part, path }: Located<PartOf<"data">>, scope: WriteScope): JsonObject {
  if (isJsonObject(part.data) || scope.recipient !== "provider") return restored({ json: part.data }, part, bedrock);
  scope.lose("data", path);
  return { text: jsonTextOf(part, "data") ?? "" };
}

function writeOutputFile({ part, path }: Located<FilePart>, scope: WriteScope): JsonObject[] {
  const file = writeFile({ part, path }, scope);
  if (!file) return [];
  if (file.kind === "audio" && scope.recipient === "provider") {
    scope.lose("media", path, part.mediaType);
    return [];
  }
  return [restored({ [file.kind]: file.fields }, part, bedrock)];
}

/** A source with its content is a search result. */
export function writeSearchResult({ part, path }: Located<PartOf<"source">>, scope: WriteScope): JsonObject {
  const { url, title, parts = [] } = part;
  const isWanted = scope.recipient === "provider" && !Object.hasOwn(hintsOf(part, bedrock), "searchResult");
  if (url === undefined) scope.lose("source-member", [...path, "url"]);
  if (title === undefined && isWanted) scope.lose("source-member", [...path, "title"]);
  const source = url ?? title ?? "";
  const searchResult = present({
    source,
    title: title ?? (isWanted ? source : undefined),
    content: writeTexts(parts, [...path, "parts"], scope),
  });
  return restored({ searchResult }, part, bedrock);
}

function writeSource({ part, path }: Located<PartOf<"source">>, scope: WriteScope): JsonObject {
  if (part.parts) return writeSearchResult({ part, path }, scope);
  scope.lose("source-text", path);
  return { text: [part.title, part.url].filter(each => each !== undefined).join("\n") };
}

/** What stands in a message as a source. */
export const isGiven = (part: Part): part is PartOf<"source"> => part.type === "source" && part.parts !== undefined;
