/** OpenAI's pieces as `langchain-openai` leaves them in the content: parts of Chat messages, and items of Responses. */

import { defined } from "../../codec/reader.ts";
import { hintsOf } from "../../codec/remainder.ts";
import { isJsonObject, type Json } from "../../model/json.ts";
import type { FilePart, Part, PartOf, Seal } from "../../model/parts.ts";
import { chatParts, readContentPart, writeContentPart } from "../chat-parts/parts.ts";
import { type BlockFamily, blockOf, one, type ReadBlock, single, type WriteBlock } from "./content-block.ts";
import { readCitations, writeCitations } from "./content-citations.ts";
import { readUrl } from "./content-files.ts";
import { openaiItems } from "./content-items.ts";
import { BlockWriter, langchainContent } from "./content-places.ts";

const family = "openai-responses";

// Chat

const readChat: ReadBlock = reader => {
  const part = readContentPart(reader.value, [], { issue: () => undefined });
  if (part.type === "opaque") return undefined;
  const { native } = part;
  return [{ ...part, native: { ...native, [langchainContent]: { $block: "chat" } } }];
};

const writeChat: WriteBlock = ({ parts, index, report }) => {
  const part = parts[index];
  if (part?.type !== "file" && part?.type !== "reasoning") return undefined;
  let isHeld = part.id === undefined && (part.type === "file" || !part.summary);
  const block = writeContentPart(part, report.path, {
    cache: "any",
    hasReferences: true,
    lose: () => {
      isHeld = false;
    },
  });
  return isHeld && isJsonObject(block) ? single(block) : undefined;
};

/** `file: { data }` is what LangChain's JavaScript looks for; `file_data` is OpenAI's. */
const readChatFile: ReadBlock = (reader, help) =>
  isJsonObject(reader.peek("file")) ? readChat(reader, help) : undefined;
const readThinkingList: ReadBlock = (reader, help) =>
  Array.isArray(reader.peek("thinking")) ? readChat(reader, help) : undefined;

// content of Responses' messages

const readText: ReadBlock = reader => {
  const type = String(reader.peek("type")); // input_text, output_text, summary_text or text_delta
  const text = reader.string("text");
  if (text === undefined) return undefined;
  const citations = readCitations(reader);
  reader.take("type");
  return one(defined<PartOf<"text">>({ type: "text", text, citations, ...reader.ending({ $block: type }, family) }));
};

const writeText: WriteBlock = ({ parts, index, about, report }) => {
  const part = parts[index];
  const isPlain = part?.type === "text" && !part.seal && !part.cache && part.phase === undefined;
  if (!isPlain || part.id !== undefined) return undefined;
  const writer = new BlockWriter(part, about).set("type", blockOf(part)).set("text", part.text);
  writeCitations(part, writer, report);
  return single(writer.block(family));
};

const fileById = (id: string): FilePart["source"] => ({ id, provider: "openai" });

/** `input_image` and `input_file`. */
const readInputFile: ReadBlock = reader => {
  const type = String(reader.peek("type"));
  const isImage = type === "input_image";
  const member = isImage ? "image_url" : reader.peek("file_data") === undefined ? "file_url" : "file_data";
  const url = reader.string(member);
  const id = url === undefined ? reader.string("file_id") : undefined;
  if (url === undefined && id === undefined) return undefined;
  const isBare = member === "file_data" && url !== undefined && !url.includes(":");
  const source = isBare ? { source: { data: url } } : url === undefined ? { source: fileById(id ?? "") } : readUrl(url);
  reader.take("type");
  return one(
    defined<FilePart>({
      type: "file",
      mediaType: isImage ? "image/*" : undefined,
      ...source,
      name: isImage ? undefined : reader.string("filename"),
      detail: reader.string("detail"),
      ...reader.ending(
        { $block: type, ...(isBare && { $url: "bare" }), ...(url !== undefined && { $member: member }) },
        family,
      ),
    }),
  );
};

const writeInputFile: WriteBlock = ({ parts, index, about }) => {
  const part = parts[index];
  if (part?.type !== "file" || part.seal || part.cache || part.id !== undefined || part.text !== undefined)
    return undefined;
  const type = blockOf(part) ?? null;
  const isImage = type === "input_image";
  if (isImage !== (part.mediaType ?? "").startsWith("image/") || (isImage && part.name !== undefined)) return undefined;
  const { source } = part;
  const hints = hintsOf(part, langchainContent);
  const writer = new BlockWriter(part, about).set("type", type);
  if ("id" in source) {
    if (source.provider !== "openai") return undefined;
    writer.set("file_id", source.id);
  } else if ("data" in source) {
    const isBare = hints["$url"] === "bare";
    const url = isBare ? source.data : `data:${part.mediaType ?? "application/octet-stream"};base64,${source.data}`;
    writer.set(isImage ? "image_url" : hints["$member"] === "file_url" ? "file_url" : "file_data", url);
  } else if ("url" in source) {
    writer.set(isImage ? "image_url" : hints["$member"] === "file_data" ? "file_data" : "file_url", source.url);
  } else return undefined;
  return single(writer.set("filename", part.name).set("detail", part.detail).block(family));
};

// reasoning

/** One part for each entry; the id stands on all, the rest of the seal on the last (R12). */
const readReasoning: ReadBlock = reader => {
  const summary = reader.peek("summary");
  const content = reader.peek("content");
  if (!Array.isArray(summary)) return undefined;
  const entries = [
    ...readEntries(summary, "summary"),
    ...(Array.isArray(content) ? readEntries(content, "content") : []),
  ];
  if (entries.some(entry => entry === undefined)) return undefined;
  reader.take("type");
  if (summary.length > 0) reader.take("summary");
  if (Array.isArray(content) && content.length > 0) reader.take("content");
  const id = reader.string("id");
  const encrypted = reader.string("encrypted_content");
  const ids = id === undefined ? undefined : { id };
  const whole = { ...ids, ...(encrypted !== undefined && { encrypted_content: encrypted }) };
  const parts = entries.length === 0 ? [hidden] : entries.filter(entry => entry !== undefined);
  return parts.map((part, index): Part => {
    const values = index === parts.length - 1 ? whole : (ids ?? {});
    const seal: Seal | undefined = Object.keys(values).length > 0 ? { maker: "openai", values } : undefined;
    const first =
      index === 0 ? reader.ending({ $block: "openai_reasoning", $parts: parts.length }, family).native : undefined;
    const native = { ...first, ...(part.native && { [family]: { ...first?.[family], ...part.native[family] } }) };
    const { native: _, ...members } = part;
    return { ...members, ...(seal && { seal }), ...(Object.keys(native).length > 0 && { native }) };
  });
};

const hidden: PartOf<"reasoning"> = { type: "reasoning" };

function readEntries(list: readonly Json[], member: "summary" | "content"): (PartOf<"reasoning"> | undefined)[] {
  return list.map(entry => {
    if (!isJsonObject(entry) || entry["type"] !== (member === "summary" ? "summary_text" : "reasoning_text"))
      return undefined;
    const { type: _, text, ...more } = entry;
    if (typeof text !== "string") return undefined;
    const hints = Object.keys(more).length > 0 ? { native: { [family]: { $entry: more } } } : {};
    return { type: "reasoning", text, ...(member === "summary" && { summary: true }), ...hints };
  });
}

const writeReasoning: WriteBlock = ({ parts, index, about }) => {
  const first = parts[index];
  const count = first ? hintsOf(first, langchainContent)["$parts"] : undefined;
  if (first?.type !== "reasoning" || typeof count !== "number") return undefined;
  const group = parts.slice(index, index + count).filter(part => part.type === "reasoning");
  const id = first.seal?.values["id"];
  const last = group.at(-1);
  const isWhole =
    group.length === count &&
    group.every(part => part.seal?.values["id"] === id && isOpenai(part.seal) && !part.cache && part.id === undefined);
  const isHidden = group.length === 1 && first.text === undefined;
  if (!isWhole || !last || (!isHidden && group.some(part => part.text === undefined))) return undefined;
  const writer = new BlockWriter(first, about).set("type", "reasoning").set("id", id);
  const entries = isHidden ? [] : group;
  const summary = entries.filter(part => part.summary).map(writeEntry);
  const content = entries.filter(part => !part.summary).map(writeEntry);
  if (content.length > 0 && entries.findIndex(part => !part.summary) < summary.length) return undefined;
  if (summary.length > 0 || hintsOf(first, family)["summary"] === undefined) writer.set("summary", summary);
  if (content.length > 0) writer.set("content", content);
  writer.set("encrypted_content", last.seal?.values["encrypted_content"]);
  return { block: writer.block(family), used: count };
};

const isOpenai = (seal: Seal | undefined): boolean =>
  seal === undefined || (seal.maker === "openai" && Object.keys(seal).length === 2);

function writeEntry(part: PartOf<"reasoning">): Json {
  const { $entry: more } = hintsOf(part, family);
  const type = part.summary ? "summary_text" : "reasoning_text";
  return { type, text: part.text ?? "", ...(isJsonObject(more) && more) };
}

/** A piece of shown reasoning that is not in its item. */
const readReasoningText: ReadBlock = reader => {
  const text = reader.string("text");
  if (text === undefined) return undefined;
  reader.take("type");
  return one({ type: "reasoning", text, ...reader.ending({ $block: "reasoning_text" }, family) });
};

const writeReasoningText: WriteBlock = ({ parts, index, about }) => {
  const part = parts[index];
  if (part?.type !== "reasoning" || part.text === undefined || part.seal || part.summary || part.id !== undefined) {
    return undefined;
  }
  return single(new BlockWriter(part, about).set("type", "reasoning_text").set("text", part.text).block(family));
};

export const chatBlocks: BlockFamily = {
  family: chatParts,
  read: {
    image_url: readChat,
    video_url: readChat,
    input_audio: readChat,
    file: readChatFile,
    thinking: readThinkingList,
  },
  write: { chat: writeChat },
};

export const openaiBlocks: BlockFamily = {
  family,
  read: {
    input_text: readText,
    output_text: readText,
    summary_text: readText,
    text_delta: readText,
    reasoning_text: readReasoningText,
    input_image: readInputFile,
    input_file: readInputFile,
    reasoning: readReasoning,
    ...openaiItems.read,
  },
  write: {
    input_text: writeText,
    output_text: writeText,
    summary_text: writeText,
    text_delta: writeText,
    reasoning_text: writeReasoningText,
    input_image: writeInputFile,
    input_file: writeInputFile,
    openai_reasoning: writeReasoning,
    ...openaiItems.write,
  },
};
