/**
 * Content of LangChain's messages, in both languages: text, its own content blocks of either version, and the blocks of
 * providers as their integrations leave them. https://docs.langchain.com/oss/python/langchain/messages, read 2026-11-30.
 * A block that is unknown, or that would not be written back as it was, becomes an opaque part in its place (R4).
 */

import type { DecodeContext, EncodeContext, PartHolds } from "../../codec/codec.ts";
import { rowOf } from "../../codec/reader.ts";
import { hintsOf } from "../../codec/remainder.ts";
import type { Path } from "../../model/issue.ts";
import { equalJson, isJsonObject, type Json, type JsonObject } from "../../model/json.ts";
import type { Part, PartOf } from "../../model/parts.ts";
import { blockOf, type ReadHelp, type WriteFrom, type WrittenBlock } from "./content-block.ts";
import { readFailure, textFor, writeFailure } from "./content-failures.ts";
import { keyOrder, ordered } from "./content-order.ts";
import {
  BlockReader,
  type ContentAbout,
  type LoseContent,
  langchainContent,
  type Report,
  reportForeign,
} from "./content-places.ts";
import { readSources, writeSources } from "./content-sources.ts";
import { ownReaders, providerReaders, providerWriters, untyped, writeOwn } from "./content-table.ts";
import { isBareText } from "./content-text.ts";

export { type ContentAbout, contentLosses, langchainContent } from "./content-places.ts";

/** What is read besides the content. */
export interface ReadAbout extends ContentAbout {
  /** Where the content stands on the wire, for issues. */
  readonly path?: Path;
  /** An id for a call that has none, by its position among the parts (R8). */
  readonly made?: (position: number) => string;
}

export interface WriteAbout extends ContentAbout {
  /** The content is a list even where it is empty, or one text. */
  readonly isList?: boolean;
  /** Where a part stands in the conversation, for losses. */
  readonly pathOf?: (index: number) => Path;
}

/** The parts of a message's content: none for "" and [], one for a string, one or several for each block of a list. */
export function readContent(content: Json, about: ReadAbout, context: Pick<DecodeContext, "issue">): readonly Part[] {
  const path = about.path ?? [];
  if (typeof content === "string") return content === "" ? [] : [{ type: "text", text: content }];
  if (!Array.isArray(content)) {
    context.issue("unknown-content", path, "this is neither a text nor a list of blocks; kept as it is");
    return [hinted(opaque(content, about), { $list: false })];
  }
  const parts: Part[] = [];
  content.forEach((block: Json, index) => {
    const place: Place = { about, position: parts.length, issue: said => context.issue(...said([...path, index])) };
    parts.push(...readBlock(block, place));
  });
  const [only] = parts;
  return only && parts.length === 1 && isBareText(only) ? [hinted(only, { $list: true })] : parts;
}

interface Place {
  readonly about: ReadAbout;
  readonly position: number;
  readonly issue: (said: (path: Path) => readonly [code: string, path: Path, message: string]) => void;
}

function readBlock(block: Json, place: Place): readonly Part[] {
  if (typeof block === "string") return [hinted({ type: "text", text: block }, { $block: "string" })];
  if (isPlainText(block)) return [{ type: "text", text: block.text }];
  const ours = readOpaque(block);
  if (ours) return [ours];
  const parts = isJsonObject(block) ? tryBlock(block, place) : undefined;
  if (parts) return parts;
  const type = isJsonObject(block) ? block["type"] : undefined;
  // The arguments that such a block holds are in the message's calls as well.
  if (type !== "input_json_delta") {
    place.issue(path => [
      "unknown-block",
      path,
      "this content block is not known, or lacks what its type needs; kept as it is",
    ]);
  }
  return [opaque(block, place.about)];
}

/** Most blocks are no more than this, and need no second look. */
function isPlainText(block: Json): block is { readonly type: "text"; readonly text: string } {
  if (!isJsonObject(block) || block["type"] !== "text" || typeof block["text"] !== "string") return false;
  const [first, , ...others] = Object.keys(block);
  return first === "type" && others.length === 0;
}

/** Whose block it is that nobody knows: the provider's, where it is said. */
const families: { readonly [provider: string]: string } = {
  anthropic: "anthropic",
  openai: "openai-responses",
  google: "gemini",
  "google-genai": "gemini",
  google_genai: "gemini",
  google_vertexai: "gemini",
  bedrock: "anthropic",
  bedrock_converse: "bedrock-converse",
  "bedrock-converse": "bedrock-converse",
};

function opaque(value: Json, about: ContentAbout): PartOf<"opaque"> {
  const { modelProvider } = about;
  const family = isJsonObject(value) && modelProvider !== undefined ? rowOf(families, modelProvider) : undefined;
  return { type: "opaque", family: family ?? langchainContent, value };
}

/** A block that would be read as something else stands in LangChain's wrapper, and says whose it is. */
function writeOpaque(part: PartOf<"opaque">, about: ContentAbout): Json {
  const { family, value } = part;
  const place: Place = { about, position: 0, issue: () => undefined };
  const [read, ...others] = readBlock(value, place);
  const isSame = read?.type === "opaque" && read.family === family && others.length === 0;
  return isSame ? value : { type: "non_standard", value, translogue: family };
}

function readOpaque(block: Json): PartOf<"opaque"> | undefined {
  if (!isJsonObject(block) || block["type"] !== "non_standard" || Object.keys(block).length !== 3) return undefined;
  const { value, translogue: family } = block;
  return typeof family === "string" && value !== undefined ? { type: "opaque", family, value } : undefined;
}

/** What a tool gave back holds neither calls nor results. */
const toolRoles: readonly string[] = ["tool", "function"];
const isHeld = (part: Part, { role }: ReadAbout): boolean =>
  !toolRoles.includes(role) || (part.type !== "tool-call" && part.type !== "tool-result");

/** The parts of a block that are written back as just this block. */
function tryBlock(block: JsonObject, place: Place): readonly Part[] | undefined {
  const { about } = place;
  const parts = readParts(block, place);
  const [first] = parts ?? [];
  if (!parts || !first || !parts.every(part => isHeld(part, about))) return undefined;
  let isLossy = false;
  const written = writeBlocks(parts, about, {
    path: () => [],
    lose: () => {
      isLossy = true;
    },
  });
  if (isLossy || written.length !== 1 || !equalJson(written[0], block)) return undefined;
  const order = keyOrder(block, written[0] as JsonObject); // equal to an object
  return order ? [hinted(first, { $keys: order }), ...parts.slice(1)] : parts;
}

function readParts(block: JsonObject, place: Place): readonly Part[] | undefined {
  const { about } = place;
  const type = block["type"];
  if (type === "non_standard") return readWrapped(block, place);
  const help: ReadHelp = {
    made: about.made?.(place.position) ?? `~${place.position}`,
    readOutput: output => readOutput(output, about),
  };
  const readers = typeof type === "string" ? [...providerReaders(type), rowOf(ownReaders, type)] : [untyped(block)];
  for (const read of readers) {
    const parts = read?.(new BlockReader(block, about), help);
    if (parts) return parts;
  }
  return undefined;
}

/** A provider's block within LangChain's `non_standard`. */
function readWrapped(block: JsonObject, place: Place): readonly Part[] | undefined {
  const { value, type: _, ...more } = block;
  if (!isJsonObject(value) || value["type"] === "non_standard") return undefined;
  const parts = readParts(value, place);
  const [first] = parts ?? [];
  if (!parts || !first) return undefined;
  return [hinted(first, { $wrapped: more }), ...parts.slice(1)];
}

function hinted(part: Part, hints: JsonObject): Part {
  const { native } = part;
  return { ...part, native: { ...native, [langchainContent]: { ...native?.[langchainContent], ...hints } } };
}

/** The content of a message: text where it is only that, else a list of blocks. */
export function writeContent(parts: readonly Part[], about: WriteAbout, context: Pick<EncodeContext, "lose">): Json {
  const lose: LoseContent = (code, path, detail) => context.lose(code, path, detail);
  const [only] = parts;
  if (only?.type === "opaque" && parts.length === 1 && hintsOf(only, langchainContent)["$list"] === false) {
    return only.value;
  }
  const isCalled = (part: Part): boolean =>
    part.type !== "tool-call" ||
    part.executedBy === "provider" ||
    blockOf(part) !== undefined ||
    about.outputVersion === "v1";
  const held: number[] = [];
  parts.forEach((part, index) => {
    if (isCalled(part)) held.push(index);
  });
  const inside = held.length === parts.length ? parts : held.map(index => parts[index] as Part); // an index of it
  const [text] = inside;
  if (!about.isList && inside.length === 0) return "";
  if (!about.isList && inside.length === 1 && text && isString(text)) {
    reportForeign(text, langchainContent, { path: about.pathOf?.(held[0] ?? 0) ?? [held[0] ?? 0], lose });
    return text.text;
  }
  return writeBlocks(inside, about, { path: index => about.pathOf?.(held[index] ?? 0) ?? [held[index] ?? 0], lose });
}

/** A text that was the whole content, or stands for it. */
const isString = (part: Part): part is PartOf<"text"> => {
  const hints = hintsOf(part, langchainContent);
  return isBareText(part) && part.text !== "" && hints["$list"] !== true && hints["$block"] === undefined;
};

interface Reports {
  readonly path: (index: number) => Path;
  readonly lose: LoseContent;
}

function writeBlocks(parts: readonly Part[], about: ContentAbout, reports: Reports): readonly Json[] {
  const blocks: Json[] = [];
  for (let index = 0; index < parts.length; ) {
    const report: Report = { path: reports.path(index), lose: reports.lose };
    const written = writeBlock({
      parts,
      index,
      about,
      report,
      writeOutput: (part, to) => writeOutput(part, about, to),
    });
    if (written) blocks.push(written.block);
    index += written?.used ?? 1;
  }
  return blocks;
}

function writeBlock(from: WriteFrom): WrittenBlock | undefined {
  const part = from.parts[from.index] as Part; // the loop's
  if (part.type === "opaque") return { block: writeOpaque(part, from.about), used: 1 };
  if (part.type === "text" && Object.keys(part).length === 2) {
    return { block: { type: "text", text: part.text }, used: 1 };
  }
  const hints = hintsOf(part, langchainContent);
  const kind = hints["$block"];
  if (kind === "string" && isBareText(part)) return { block: part.text, used: 1 };
  const provider = typeof kind === "string" ? rowOf(providerWriters, kind) : undefined;
  const theirs = provider?.write(from);
  const written = theirs ?? writeOwn(from);
  reportForeign(part, theirs ? (provider?.family ?? langchainContent) : langchainContent, from.report);
  if (!written || !isJsonObject(written.block)) return written;
  const { $wrapped: wrapper, $keys: order } = hints;
  const block = isJsonObject(wrapper) ? { type: "non_standard", value: written.block, ...wrapper } : written.block;
  return { ...written, block: order === undefined ? block : ordered(block, order) };
}

// what a tool gave back

function readOutput(output: Json, about: ReadAbout): { readonly output: readonly Part[]; readonly hints: JsonObject } {
  if (typeof output === "string") return { output: [{ type: "text", text: output }], hints: {} };
  const data = { output: [{ type: "data", data: output } as const], hints: {} };
  const failure = readFailure(output);
  if (failure) return { output: [failure], hints: {} };
  const sources = readSources(output, about, list => readBlocks(list, about));
  if (sources) return { output: sources, hints: {} };
  const parts = readBlocks(output, about);
  return parts ? { output: parts, hints: parts.length === 1 ? { $output: "blocks" } : {} } : data;
}

/** Undefined where one is no block of what a tool gives. */
function readBlocks(list: Json, about: ReadAbout): readonly Part[] | undefined {
  if (!isListOfBlocks(list)) return undefined;
  const parts: Part[] = [];
  for (const block of list) {
    const [only, ...others] = tryBlock(block, { about, position: 0, issue: () => undefined }) ?? [];
    if (!only || others.length > 0 || !outputTypes.includes(only.type)) return undefined;
    parts.push(only);
  }
  return parts;
}

/** Told by their types before any is read: what holds blocks itself would be read again at every level. */
const isListOfBlocks = (output: Json): output is readonly JsonObject[] =>
  Array.isArray(output) &&
  output.every(block => {
    if (!isJsonObject(block)) return false;
    const { type = Object.keys(block)[0] } = block;
    return typeof type === "string" && outputBlocks.includes(type);
  });

/** Blocks of text, files and sources. */
const outputBlocks: readonly string[] = [
  "text",
  "image",
  "audio",
  "video",
  "file",
  "text-plain",
  "document",
  "image_url",
  "input_audio",
  "input_text",
  "input_image",
  "input_file",
  "output_text",
  "search_result",
  "web_search_result",
];

/** Parts of an output that are written as blocks of a list. */
const outputTypes: readonly string[] = ["text", "file", "source"];

function writeOutput(part: PartOf<"tool-result">, about: ContentAbout, report: Report): Json | undefined {
  const { output } = part;
  if (!output) return undefined;
  const path = [...report.path, "output"];
  const isBlocks = hintsOf(part, langchainContent)["$output"] === "blocks";
  const [only] = output;
  if (output.length === 1 && only && !isBlocks) {
    if (only.type === "data" || (isBareText(only) && blockOf(only) === undefined)) {
      const place: Report = { ...report, path: [...path, 0] };
      reportForeign(only, langchainContent, place);
      return only.type === "data" ? writeData(only, about, place) : only.text;
    }
    if (only.type === "error") return writeFailure(only, { ...report, path: [...path, 0] });
  }
  const writeParts = (parts: readonly Part[], place: Path): readonly Json[] =>
    writeBlocks(parts, about, { path: index => [...place, index], lose: report.lose });
  const sources = isBlocks ? undefined : writeSources(output, about, { report: { ...report, path }, writeParts });
  if (sources) return sources;
  const held = output.map(item => (outputTypes.includes(item.type) ? item : textFor(item)));
  for (const [index, item] of output.entries()) {
    if (held[index] !== item) report.lose("result-output", [...path, index]);
  }
  const places = [...held.keys()].filter(index => held[index] !== undefined);
  return writeBlocks(
    held.filter(item => item !== undefined),
    about,
    { path: index => [...path, places[index] ?? index], lose: report.lose },
  );
}

/** JSON that would be read as text or blocks is not told from them. */
function writeData(part: PartOf<"data">, about: ContentAbout, report: Report): Json {
  const { output } = readOutput(part.data, about);
  if (output.length !== 1 || output[0]?.type !== "data") report.lose("result-output", report.path);
  return part.data;
}

/** What blocks have a place for; the rest of a message is the message's own. */
export const contentHolds: Pick<
  PartHolds,
  "text" | "reasoning" | "refusal" | "file" | "tool-call" | "tool-result" | "source" | "opaque"
> = {
  text: ["text", "citations", "phase", "id", "seal", "cache"],
  reasoning: ["text", "summary", "id", "seal", "cache"],
  refusal: ["text", "id", "seal", "cache"],
  file: ["mediaType", "name", "source", "text", "detail", "reasoning", "id", "seal", "cache"],
  "tool-call": [
    "callId",
    "name",
    "input",
    "inputText",
    "kind",
    "executedBy",
    "server",
    "caller",
    "seal",
    "cache",
    "partial",
  ],
  "tool-result": ["callId", "name", "output", "outcome", "seal", "cache", "kind"],
  source: ["url", "title", "fileId", "name", "parts", "seal", "cache", "id"],
  opaque: ["family", "value"],
};
