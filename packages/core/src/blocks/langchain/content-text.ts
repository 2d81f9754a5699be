/** LangChain's blocks of text, reasoning and refusal. */

import { defined } from "../../codec/reader.ts";
import { hintsOf } from "../../codec/remainder.ts";
import type { JsonObject } from "../../model/json.ts";
import type { Part, PartOf } from "../../model/parts.ts";
import { readCitations, writeCitations } from "./content-citations.ts";
import { type BlockReader, BlockWriter, type ContentAbout, langchainContent, type Report } from "./content-places.ts";
import { makerOf, readCache, readSeal, writeCache, writeSeal } from "./content-seals.ts";

const phases: { readonly [wire: string]: "commentary" | "final" } = { commentary: "commentary", final_answer: "final" };
const isPhase = (value: unknown): value is string => typeof value === "string" && Object.hasOwn(phases, value);

/** `text`, with the annotations of OpenAI, or the citations of Anthropic. */
export function readText(reader: BlockReader): Part | undefined {
  const given = reader.string("text");
  // A piece of a stream may bring only citations, or nothing.
  if (given === undefined && reader.peek("text") !== undefined) return undefined;
  const text = given ?? "";
  const citations = readCitations(reader);
  const phase = reader.find("phase", isPhase);
  const base = { ...readSeal(reader, { id: "own" }), ...readCache(reader) };
  reader.take("type");
  return defined<PartOf<"text">>({
    type: "text",
    text,
    citations,
    phase: phase === undefined ? undefined : phases[phase],
    ...base,
    ...reader.ending(given === undefined ? { $text: false } : {}),
  });
}

export function writeText(part: PartOf<"text">, about: ContentAbout, report: Report): JsonObject {
  const isSilent = part.text === "" && hintsOf(part, langchainContent)["$text"] === false;
  const writer = new BlockWriter(part, about).set("type", "text").set("text", isSilent ? undefined : part.text);
  writeCitations(part, writer, report);
  if (part.phase) writer.put("phase", part.phase === "final" ? "final_answer" : part.phase);
  writeSeal(part, writer, { id: "own" });
  writeCache(part, writer);
  return writer.block();
}

/** Whether a text says nothing that a bare string does not. */
export const isBareText = (part: Part): part is PartOf<"text"> =>
  part.type === "text" &&
  !part.citations &&
  part.phase === undefined &&
  part.id === undefined &&
  !part.seal &&
  !part.cache &&
  Object.keys(hintsOf(part, langchainContent)).every(key => key === "$block" || key === "$list");

/** Of its reasoning OpenAI shows a summary, as an item: the empty one of an item is hidden. */
const isOfItem = (about: ContentAbout, { seal }: Pick<Part, "seal">): boolean =>
  makerOf(about) === "openai" && seal?.maker === "openai" && seal.values["id"] !== undefined;

export function readReasoning(reader: BlockReader): Part | undefined {
  const shown = reader.peek("reasoning");
  if (shown !== undefined && typeof shown !== "string") return undefined;
  const shownText = reader.string("reasoning");
  const base = readSeal(reader, { id: "own" });
  reader.take("type");
  const isHidden = shownText === "" && isOfItem(reader.about, base);
  return defined<PartOf<"reasoning">>({
    type: "reasoning",
    text: isHidden ? undefined : shownText,
    summary: shownText && isOfItem(reader.about, base) ? true : undefined,
    ...base,
    ...readCache(reader),
    ...reader.ending(isHidden ? { $shown: shownText } : {}),
  });
}

export function writeReasoning(part: PartOf<"reasoning">, about: ContentAbout, report: Report): JsonObject {
  const { $shown: empty } = hintsOf(part, langchainContent);
  const writer = new BlockWriter(part, about).set("type", "reasoning");
  writer.set("reasoning", part.text ?? (isOfItem(about, part) ? empty : undefined));
  const isRead = isOfItem(about, part) && part.text !== undefined && part.text !== "";
  if (isRead !== (part.summary === true) || (isOfItem(about, part) && part.text === "")) {
    report.lose("summary-mark", [...report.path, "summary"]);
  }
  writeSeal(part, writer, { id: "own" });
  writeCache(part, writer);
  return writer.block();
}

export function readRefusal(reader: BlockReader): Part | undefined {
  const text = reader.string("refusal");
  if (text === undefined) return undefined;
  const base = readSeal(reader, { id: "own" });
  reader.take("type");
  return { type: "refusal", text, ...base, ...readCache(reader), ...reader.ending() };
}

export function writeRefusal(part: PartOf<"refusal">, about: ContentAbout): JsonObject {
  const writer = new BlockWriter(part, about).set("type", "refusal").set("refusal", part.text);
  writeSeal(part, writer, { id: "own" });
  writeCache(part, writer);
  return writer.block();
}
