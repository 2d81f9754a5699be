/**
 * Outputs of the AI SDK's tools. On its wire an output is any JSON: for the program that shows it. One text or one value
 * is written as itself; several parts, files, and a face for programs (`structured`) in the form of an MCP result,
 * `{ content: […], structuredContent }`, which is how the SDK's own MCP tools answer.
 */

import { native, Reader } from "../../codec/reader.ts";
import { equalJson, isJsonObject, type Json, type JsonObject } from "../../model/json.ts";
import type { FilePart, Part, ToolResultPart } from "../../model/parts.ts";
import { decodeFile, encodeFile } from "./files.ts";
import { family, type LosePart, type PartWriting, remainderOf } from "./part.ts";
import { decodeSource, encodeSource } from "./sources.ts";

type Output = Pick<ToolResultPart, "output" | "structured" | "native">;

/** Inside an output nothing is older than the newest generation: the SDK does not look into it. */
const place = { generation: 7, role: "tool" } as const;

/** An output as parts. A result of the form of MCP is its parts only where every item of it is one that we write. */
export function decodeOutput(value: Json): Output {
  const parts = isJsonObject(value) ? decodeContent(value) : undefined;
  if (!parts)
    return { output: [typeof value === "string" ? { type: "text", text: value } : { type: "data", data: value }] };
  const { structuredContent: structured } = value as JsonObject; // it had content
  const members = { output: parts, ...(structured !== undefined && { structured }) };
  return { ...members, ...(isPlain(members) && native(family, { $content: true })) };
}

/** Whether the output would be written as itself. */
const isPlain = ({ output, structured }: Output): boolean => {
  const [only, ...others] = output ?? [];
  return structured === undefined && others.length === 0 && (only?.type === "text" || only?.type === "data");
};

function decodeContent(value: JsonObject): readonly Part[] | undefined {
  const { content, structuredContent, ...others } = value;
  if (!Array.isArray(content) || Object.keys(others).length > 0) return undefined;
  const parts = content.flatMap(item => decodeItem(item) ?? []);
  const lost: LosePart = () => undefined;
  const isWhole = parts.length === content.length && equalJson(encodeContent(parts, lost), content);
  return isWhole ? parts : undefined;
}

function decodeItem(item: Json): Part | undefined {
  if (!isJsonObject(item)) return undefined;
  const reader = new Reader(item);
  switch (item["type"]) {
    case "text": {
      const text = reader.string("text");
      return text === undefined ? undefined : { type: "text", text };
    }
    case "image":
    case "audio": {
      const data = reader.string("data");
      const mediaType = reader.string("mimeType");
      return data === undefined || mediaType === undefined ? undefined : { type: "file", mediaType, source: { data } };
    }
    case "file":
      return decodeFile(item, place);
    case "source-url":
    case "source-document":
      return decodeSource(item);
    case "data":
      return item["data"] === undefined ? undefined : { type: "data", data: item["data"] };
    default:
      return undefined;
  }
}

/** The `output` of a result that is no error. */
export function encodeOutput(result: ToolResultPart, lose: LosePart): Json {
  const { output, structured } = result;
  if (output === undefined && structured === undefined) {
    lose("no-output");
    return null;
  }
  const [only] = output ?? [];
  if (isPlain(result) && remainderOf(result)["$content"] !== true) {
    if (only?.type === "text") return only.text;
    // A value that would be read as something else is written as an item.
    if (only?.type === "data" && typeof only.data !== "string" && !isContent(only.data)) return only.data;
  }
  if (output === undefined) lose("no-output");
  return {
    content: encodeContent(output ?? [], lose),
    ...(structured !== undefined && { structuredContent: structured }),
  };
}

const isContent = (value: Json): boolean => isJsonObject(value) && decodeContent(value) !== undefined;

function encodeContent(parts: readonly Part[], lose: LosePart): readonly Json[] {
  let made = 0;
  const writing: PartWriting = {
    ...place,
    madeId: () => `~${made++}`,
    lose: (code, _, detail) => lose(code, "output", detail),
  };
  return parts.flatMap((part): Json[] => {
    switch (part.type) {
      case "text":
        return [{ type: "text", text: part.text }];
      case "data":
        return [{ type: "data", data: part.data }];
      case "file":
        return [mcpMedia(part) ?? encodeFile(part, writing)];
      case "source":
        return [encodeSource(part, writing)];
      case "error":
        lose("error-output", "output");
        return [{ type: "text", text: part.message }];
      default:
        return [];
    }
  });
}

/** A picture or sound of MCP says its data and type, and nothing else. */
function mcpMedia({ source, mediaType, name, reasoning, seal, native: kept }: FilePart): JsonObject | undefined {
  const [, kind] = /^(image|audio)\//.exec(mediaType ?? "") ?? [];
  if (kind === undefined || mediaType === undefined || !("data" in source)) return undefined;
  if (name !== undefined || reasoning || seal || kept) return undefined;
  return { type: kind, data: source.data, mimeType: mediaType };
}

/** The one text that an error says. */
export function encodeErrorText(result: ToolResultPart, lose: LosePart): string {
  const { output = [], structured } = result;
  if (structured !== undefined) lose("error-output", "structured");
  if (output.length !== 1 || output[0]?.type !== "text") lose("error-output", "output");
  return output.map(plainText).join("\n");
}

function plainText(part: Part): string {
  if (part.type === "text") return part.text;
  if (part.type === "error") return part.message;
  if (part.type === "data") return typeof part.data === "string" ? part.data : JSON.stringify(part.data);
  if (part.type === "source") return part.url ?? part.title ?? part.name ?? "";
  return part.type === "file" ? (part.name ?? part.mediaType ?? "") : "";
}
