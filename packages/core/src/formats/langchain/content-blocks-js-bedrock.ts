/** What @langchain/core makes of Bedrock Converse's blocks. */

import { rowOf } from "../../codec/reader.ts";
import { present } from "../../codec/remainder.ts";
import { isJsonObject, type Json, type JsonObject } from "../../model/json.ts";
import {
  at,
  type Blocks,
  isBlock,
  isList,
  isNumber,
  isText,
  joinTexts,
  nonStandard,
  type ViewMessage,
} from "./content-blocks-message.ts";

export function bedrockView({ content }: ViewMessage): Blocks {
  const list: Blocks = isText(content) ? [{ type: "text", text: content }] : content;
  return list.filter(block => !isBlock(block, "tool_call")).map(standardBlock);
}

function standardBlock(block: Json): Json {
  if (!isJsonObject(block)) return nonStandard(block);
  const { type, reasoning, text, reasoningText } = block;
  switch (type) {
    case "reasoning":
      return isText(reasoning) ? block : nonStandard(block);
    case "text":
      return isText(text) ? { type, text } : nonStandard(block);
    case "reasoning_content": {
      const [shown, signature] = [at(reasoningText, "text") ?? reasoningText, at(reasoningText, "signature")];
      if (!isText(shown)) return nonStandard(block);
      return { type: "reasoning", reasoning: shown, ...(isText(signature) && { signature }) };
    }
    case "citations_content":
      return isJsonObject(block["citationsContent"]) ? citedText(block["citationsContent"]) : nonStandard(block);
    case "document":
    case "image":
    case "video":
      return fileOf(block, type) ?? nonStandard(block);
    default:
      return nonStandard(block);
  }
}

function citedText({ content, citations }: JsonObject): JsonObject {
  return {
    type: "text",
    text: isList(content) ? joinTexts(content) : "",
    annotations: isList(citations) ? citations.filter(isJsonObject).map(citationOf) : [],
  };
}

function citationOf({ sourceContent, location }: JsonObject): JsonObject {
  const place = ["documentChar", "documentPage", "documentChunk"]
    .map(name => at(location, name))
    .find(value => Boolean(value));
  const number = (name: string): number | undefined => {
    const value = at(place, name);
    return isNumber(value) ? value : undefined;
  };
  const document = number("documentIndex");
  return present({
    type: "citation",
    citedText: isList(sourceContent) ? joinTexts(sourceContent) : "",
    source: document === undefined ? undefined : `${document}`,
    startIndex: number("start"),
    endIndex: number("end"),
  });
}

/** The package's own names, some of which no registry knows. */
const mediaTypes: { readonly [format: string]: string } = {
  csv: "text/csv",
  doc: "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
  docx: "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
  html: "text/html",
  md: "text/markdown",
  pdf: "application/pdf",
  txt: "text/plain",
  xls: "application/vnd.ms-excel",
  xlsx: "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
  gif: "image/gif",
  jpeg: "image/jpeg",
  jpg: "image/jpeg",
  png: "image/png",
  webp: "image/webp",
  flv: "video/flv",
  mkv: "video/mkv",
  mov: "video/mov",
  mp4: "video/mp4",
  mpeg: "video/mpeg",
  mpg: "video/mpg",
  three_gp: "video/three_gp",
  webm: "video/webm",
  wmv: "video/wmv",
};

function fileOf(block: JsonObject, kind: "document" | "image" | "video"): JsonObject | undefined {
  const holder = block[kind];
  const format = at(holder, "format");
  const mimeType = (isText(format) ? rowOf(mediaTypes, format) : undefined) ?? "application/octet-stream";
  const type = kind === "document" ? "file" : kind;
  const source = at(holder, "source");
  const fileId = at(source, "s3Location", "uri");
  if (isText(fileId)) return { type, mimeType, fileId };
  if (kind !== "document") return undefined;
  const [text, content] = [at(source, "text"), at(source, "content")];
  if (isText(text)) return { type, mimeType, data: base64(text) };
  return isList(content) ? { type, mimeType, data: joinTexts(content) } : undefined;
}

/** Of a text's UTF-8 bytes. */
function base64(text: string): string {
  const bytes = new TextEncoder().encode(text);
  const letters: string[] = [];
  for (const byte of bytes) letters.push(String.fromCharCode(byte));
  return btoa(letters.join(""));
}
