import type { CallToolResult, ContentBlock, PromptMessage, ReadResourceResult } from "@modelcontextprotocol/client";
import {
  equalJson,
  isJsonObject,
  type Json,
  type JsonObject,
  type Message,
  type Part,
  type ToolCallPart,
  type ToolResultPart,
} from "translogue";
import { jsonCopy } from "../json-copy.ts";

/** The family of what only MCP has a place for: annotations, `_meta`, the size of a resource. */
const family = "mcp";

/**
 * What a server answered to a call. Blocks that are for people alone (`annotations.audience`) are its display, unless
 * nothing would be left for the model. Structured content is also what the model reads, unless the words say it already.
 * `problem`: it is not what the tool promised: the model is told, and programs, which rely on that, do not get it.
 */
export function resultOfCall(
  { callId, name }: Pick<ToolCallPart, "callId" | "name">,
  { content = [], structuredContent, isError }: CallToolResult,
  problem?: string,
): ToolResultPart {
  const forModel = content.filter(block => !isForPeople(block));
  const shown = forModel.length > 0 ? content.filter(isForPeople) : [];
  const structured = structuredContent === undefined ? undefined : jsonCopy(structuredContent);
  const read = partsOf(forModel.length > 0 ? forModel : content);
  const isUnsaid = structured !== undefined && !isSaidIn(read, structured);
  return {
    type: "tool-result",
    callId,
    name,
    output: [
      ...read,
      ...(isUnsaid ? [{ type: "data" as const, data: structured }] : []),
      ...(problem === undefined ? [] : [{ type: "text" as const, text: `Note: ${problem}.` }]),
    ],
    ...(structured !== undefined && problem === undefined && { structured }),
    ...(shown.length > 0 && { display: partsOf(shown) }),
    ...(isError && { outcome: "error" as const }),
  };
}

/**
 * Whether texts say the value: one as its JSON, as servers are to do for old clients, or as a member that is all of it; or
 * one each of its items, as FastMCP does.
 */
function isSaidIn(read: readonly Part[], value: Json): boolean {
  const members = isJsonObject(value) ? Object.values(value) : [];
  if (read.length > 0 && isJsonObject(value) && members.length === 0) return true;
  const texts = read.flatMap(part => (part.type === "text" ? [part.text] : []));
  const wholes = members.length === 1 ? [value, ...members] : [value];
  return wholes.some(whole => {
    if (texts.some(text => says(text, whole))) return true;
    // No texts say nothing, not even that a list is empty.
    if (!Array.isArray(whole) || texts.length === 0 || whole.length !== texts.length) return false;
    return texts.every((text, i) => says(text, whole[i] ?? null));
  });
}

function says(text: string, value: Json): boolean {
  if (text === value) return true;
  try {
    return equalJson(JSON.parse(text), value);
  } catch {
    return false;
  }
}

function isForPeople(block: ContentBlock): boolean {
  const { audience = [] } = block.annotations ?? {};
  return audience.length > 0 && !audience.includes("assistant");
}

export const partsOf = (blocks: readonly ContentBlock[]): Part[] => blocks.map(partOf);

/** A block as a part; one of a kind that is not known stays whole. */
export function partOf(block: ContentBlock): Part {
  switch (block.type) {
    case "text":
      return { type: "text", text: block.text, ...rest(block, ["text"]) };
    case "image":
    case "audio":
      return {
        type: "file",
        mediaType: block.mimeType,
        source: { data: block.data },
        ...rest(block, ["data", "mimeType"]),
      };
    case "resource_link": {
      const { uri, name, title = name, mimeType } = block;
      return {
        type: "source",
        url: uri,
        title,
        ...(name !== title && { name }),
        ...(mimeType !== undefined && { mediaType: mimeType }),
        ...rest(block, ["uri", "name", "title", "mimeType"]),
      };
    }
    case "resource":
      return { ...partOfResource(block.resource), ...rest(block, ["resource"]) };
    default:
      return { type: "opaque", family, value: jsonCopy(block) };
  }
}

export type ResourceContents = ReadResourceResult["contents"][number];

/** A text as a source that can be cited, bytes as a file. */
export function partOfResource(resource: ResourceContents): Part {
  const { uri, mimeType } = resource;
  const typed = mimeType === undefined ? {} : { mediaType: mimeType };
  if ("text" in resource) {
    const parts: Part[] = [{ type: "text", text: resource.text }];
    return {
      type: "source",
      url: uri,
      title: lastOf(uri),
      ...typed,
      parts,
      ...rest(resource, ["uri", "mimeType", "text"]),
    };
  }
  return {
    type: "file",
    name: lastOf(uri),
    ...typed,
    source: { data: resource.blob },
    native: { [family]: { uri, ...others(resource, ["uri", "mimeType", "blob"]) } },
  };
}

/** What a person would call it. */
const lastOf = (uri: string): string =>
  uri
    .split(/[?#]/)[0]
    ?.split("/")
    .findLast(step => step !== "") ?? uri;

/** Members that have no place in a part. */
function rest(block: object, known: readonly string[]): { readonly native?: { readonly mcp: JsonObject } } {
  const left = others(block, ["type", ...known]);
  return Object.keys(left).length > 0 ? { native: { [family]: left } } : {};
}

function others(block: object, known: readonly string[]): JsonObject {
  const copy = jsonCopy(block);
  const entries = Object.entries(isJsonObject(copy) ? copy : {});
  return Object.fromEntries(entries.filter(([name, value]) => !known.includes(name) && value !== undefined));
}

/** Messages of a prompt; neighbours of one side are one message. */
export function messagesOfPrompt(prompt: readonly PromptMessage[]): Message[] {
  const messages: (Message & { readonly parts: Part[] })[] = [];
  for (const { role, content } of prompt) {
    const last = messages.at(-1);
    if (last?.role === role) last.parts.push(partOf(content));
    else messages.push({ role, parts: [partOf(content)] });
  }
  return messages;
}

/** Parts as blocks that every client of MCP reads. */
export const blocksOf = (parts: readonly Part[]): ContentBlock[] => parts.flatMap(blockOf);

function blockOf(part: Part): ContentBlock[] {
  switch (part.type) {
    case "text":
    case "refusal":
      return [{ type: "text", text: part.text }];
    case "data":
      return [{ type: "text", text: JSON.stringify(part.data) }];
    case "error":
      return [{ type: "text", text: part.message }];
    case "source":
      return part.url === undefined
        ? blocksOf(part.parts ?? [])
        : [{ type: "resource_link", uri: part.url, name: part.name ?? part.title ?? part.url }];
    case "file":
      return blocksOfFile(part);
    default:
      return [];
  }
}

function blocksOfFile({
  source,
  mediaType = "application/octet-stream",
  name = "file",
}: Part & { type: "file" }): ContentBlock[] {
  if ("text" in source) return [{ type: "text", text: source.text }];
  if ("url" in source) return [{ type: "resource_link", uri: source.url, name, mimeType: mediaType }];
  if ("parts" in source) return blocksOf(source.parts);
  if (!("data" in source)) return [];
  const kind = mediaType.split("/")[0];
  const { data } = source;
  if (kind === "image" || kind === "audio") return [{ type: kind, data, mimeType: mediaType }];
  return [
    { type: "resource", resource: { uri: `file:///${encodeURIComponent(name)}`, mimeType: mediaType, blob: data } },
  ];
}
