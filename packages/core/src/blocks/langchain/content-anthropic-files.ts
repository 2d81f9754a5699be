/** Anthropic's files, and what its answers can rest on: documents, images, search results. */

import { defined } from "../../codec/reader.ts";
import { hintsOf } from "../../codec/remainder.ts";
import { isJsonObject, type Json, type JsonObject } from "../../model/json.ts";
import type { FilePart, FileSource, PartOf, Seal } from "../../model/parts.ts";
import { type BlockFamily, one, type ReadBlock, single, type WriteBlock } from "./content-block.ts";
import { type BlockReader, BlockWriter, langchainContent } from "./content-places.ts";
import { readCache, writeCache } from "./content-seals.ts";

const family = "anthropic";

const readFile: ReadBlock = (reader, { readOutput }) => {
  const type = String(reader.peek("type")); // document or image
  const holder = reader.inner("source");
  const kind = holder?.string("type");
  if (!holder || kind === undefined) return undefined;
  const source = readSource(kind, holder, readOutput);
  if (!source) return undefined;
  const media = holder.string("media_type");
  reader.take("type");
  return one(
    defined<FilePart>({
      type: "file",
      mediaType: media ?? (type === "image" ? "image/*" : undefined),
      ...source,
      name: type === "document" ? reader.string("title") : undefined,
      ...readCache(reader),
      ...reader.ending({ $block: `anthropic_${type}`, ...(media === undefined && { $media: false }) }, family),
    }),
  );
};

/** Texts and images, in which nothing nests. */
const isFlat = (content: Json | undefined): content is readonly Json[] & Json =>
  Array.isArray(content) &&
  content.every(item => isJsonObject(item) && (item["type"] === "text" || item["type"] === "image"));

function readSource(
  kind: string,
  holder: NonNullable<ReturnType<BlockReader["inner"]>>,
  readOutput: Parameters<ReadBlock>[1]["readOutput"],
): { readonly source: FileSource } | undefined {
  if (kind === "content") {
    const content = holder.peek("content");
    const parts = isFlat(content) ? readOutput(content).output : undefined;
    if (!parts || parts.some(part => part.type !== "text" && part.type !== "file")) return undefined;
    holder.take("content");
    return { source: { parts } };
  }
  const member =
    kind === "url" ? "url" : kind === "file" ? "file_id" : kind === "base64" || kind === "text" ? "data" : "";
  const value = holder.string(member);
  if (value === undefined) return undefined;
  if (kind === "url") return { source: { url: value } };
  if (kind === "file") return { source: { id: value, provider: "anthropic" } };
  return { source: kind === "text" ? { text: value } : { data: value } };
}

const writeFile: WriteBlock = ({ parts, index, about, report, writeOutput }) => {
  const part = parts[index];
  if (part?.type !== "file" || part.seal || part.detail !== undefined || part.text !== undefined || part.reasoning) {
    return undefined;
  }
  const hints = hintsOf(part, langchainContent);
  const type = hints["$block"] === "anthropic_image" ? "image" : "document";
  const isMedia = /^(?:image|audio|video)\//.test(part.mediaType ?? "");
  if (isMedia !== (type === "image") || (type === "image" && part.name !== undefined) || part.id !== undefined) {
    return undefined;
  }
  const { source } = part;
  const content =
    "parts" in source
      ? writeOutput({ type: "tool-result", callId: "", output: source.parts, ...blocksHint }, report)
      : undefined;
  const fields = sourceFields(source, content);
  if (!fields) return undefined;
  const isSaid = part.mediaType !== undefined && part.mediaType !== "image/*" && hints["$media"] !== false;
  const writer = new BlockWriter(part, about).set("type", type);
  writer.set("source", { ...fields, ...(isSaid && { media_type: part.mediaType ?? null }) }).set("title", part.name);
  writeCache(part, writer);
  return single(writer.block(family));
};

/** A list even where it holds one block. */
const blocksHint = { native: { [langchainContent]: { $output: "blocks" } } };

function sourceFields(source: FileSource, content: Json | undefined): JsonObject | undefined {
  if ("data" in source) return { type: "base64", data: source.data };
  if ("url" in source) return { type: "url", url: source.url };
  if ("text" in source) return { type: "text", data: source.text };
  if ("parts" in source) return { type: "content", content: content ?? [] };
  return source.provider === "anthropic" ? { type: "file", file_id: source.id } : undefined;
}

const readUpload: ReadBlock = reader => {
  const id = reader.string("file_id");
  if (id === undefined) return undefined;
  reader.take("type");
  const source = { id, provider: "anthropic" };
  return one({ type: "file", source, ...reader.ending({ $block: "container_upload" }, family) });
};

const writeUpload: WriteBlock = ({ parts, index, about }) => {
  const part = parts[index];
  if (part?.type !== "file" || !("id" in part.source) || part.mediaType !== undefined || part.name !== undefined) {
    return undefined;
  }
  const writer = new BlockWriter(part, about).set("type", "container_upload").set("file_id", part.source.id);
  return single(writer.block(family));
};

/** A hit of the hosted search, whose content only Anthropic reads. */
const readHit: ReadBlock = reader => {
  const url = reader.string("url");
  if (url === undefined) return undefined;
  const encrypted = reader.string("encrypted_content");
  reader.take("type");
  const seal: Seal | undefined =
    encrypted === undefined ? undefined : { maker: "anthropic", values: { encrypted_content: encrypted } };
  const title = reader.string("title");
  return one(
    defined<PartOf<"source">>({
      type: "source",
      url,
      title,
      seal,
      ...reader.ending({ $block: "web_search_result" }, family),
    }),
  );
};

/** Something to cite from, given by the caller. */
const readGiven: ReadBlock = (reader, { readOutput }) => {
  const url = reader.string("source");
  const content = reader.peek("content");
  const read = isFlat(content) ? readOutput(content).output : undefined;
  if (url === undefined || !read || read.some(part => part.type === "data")) return undefined;
  reader.take("type", "content");
  return one(
    defined<PartOf<"source">>({
      type: "source",
      url,
      title: reader.string("title"),
      parts: read,
      ...readCache(reader),
      ...reader.ending({ $block: "search_result" }, family),
    }),
  );
};

const writeSource: WriteBlock = ({ parts, index, about, report, writeOutput }) => {
  const part = parts[index];
  if (part?.type !== "source" || part.fileId !== undefined || part.name !== undefined) return undefined;
  const isHit = hintsOf(part, langchainContent)["$block"] === "web_search_result";
  const writer = new BlockWriter(part, about).set("type", isHit ? "web_search_result" : "search_result");
  writer.set(isHit ? "url" : "source", part.url).set("title", part.title);
  if (isHit) writer.set("encrypted_content", part.seal?.values["encrypted_content"]);
  else {
    const output = part.parts ?? [];
    writer.set("content", writeOutput({ type: "tool-result", callId: "", output, ...blocksHint }, report) ?? []);
  }
  writeCache(part, writer);
  return single(writer.block(family));
};

export const anthropicFiles: Pick<BlockFamily, "read" | "write"> = {
  read: {
    document: readFile,
    image: readFile,
    container_upload: readUpload,
    web_search_result: readHit,
    search_result: readGiven,
  },
  write: {
    anthropic_document: writeFile,
    anthropic_image: writeFile,
    container_upload: writeUpload,
    web_search_result: writeSource,
    search_result: writeSource,
  },
};
