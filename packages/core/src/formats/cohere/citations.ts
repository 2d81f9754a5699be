import type { Located } from "../../blocks/turns.ts";
import type { EncodeContext } from "../../codec/codec.ts";
import { defined, Reader } from "../../codec/reader.ts";
import { fillAll, hintsOf, kept, present, remainderOf } from "../../codec/remainder.ts";
import { isJsonObject, type Json, type JsonObject } from "../../model/json.ts";
import type { Citation, Part, PartOf } from "../../model/parts.ts";
import { family, type Placed, places } from "./wire.ts";

/**
 * The citations of a message stand beside its content, each with a range of one block and all of its sources. Those of a
 * text go onto it, a citation a source; those of thinking and of the plan have no such place, and stay whole.
 */
export function readCitations(
  list: readonly Json[],
  content: readonly Part[],
): { readonly content: readonly Part[]; readonly others: readonly Placed[] } {
  const byBlock = new Map<number, Citation[]>();
  const others: Placed[] = [];
  const blocks: number[] = [];
  const first = content.findIndex(({ type }) => type === "text");
  const lengths = new Map<number, TextUnits>();
  const read = list.map((wire, index) => {
    const block = blockOf(wire, content, first);
    const text = block === undefined ? undefined : content[block];
    if (block === undefined || text?.type !== "text") return { wire, index, citations: undefined };
    const units = lengths.get(block) ?? new TextUnits(text.text);
    lengths.set(block, units);
    return { wire, index, block, citations: readCitation(wire, { units, isFirst: block === first }) };
  });
  const isSorted = read.every(({ block }) => {
    if (block === undefined) return true;
    blocks.push(block);
    return (blocks.at(-2) ?? 0) <= block;
  });
  for (const { wire, index, block, citations } of read) {
    if (block === undefined || !citations) {
      const hints = kept(family, undefined, { $place: "citations", $index: index });
      others.push({ place: places.citations + index, part: { type: "opaque", family, value: wire, ...hints } });
      continue;
    }
    const own = byBlock.get(block) ?? [];
    byBlock.set(block, own);
    // Where those of several texts are mixed, each keeps its place.
    for (const [place, citation] of citations.entries()) {
      own.push(isSorted || place > 0 ? citation : hinted(citation, { $index: index }));
    }
  }
  const cited = content.map((part, index): Part => {
    const citations = byBlock.get(index);
    return part.type === "text" && citations ? { ...part, citations } : part;
  });
  return { content: cited, others };
}

/** Those of one text, without what is no citation of it. */
export function readCitationsOf(list: readonly Json[], text: string, isFirst: boolean): readonly Citation[] {
  const units = new TextUnits(text);
  return list.flatMap(wire => readCitation(wire, { units, isFirst }) ?? []);
}

const hinted = (citation: Citation, hints: JsonObject): Citation => ({
  ...citation,
  native: { ...citation.native, [family]: { ...citation.native?.[family], ...hints } },
});

/** The block that a citation is about; undefined where it is no text. */
function blockOf(wire: Json, content: readonly Part[], first: number): number | undefined {
  if (!isJsonObject(wire)) return undefined;
  const { type, content_index: index } = wire;
  if (type === "PLAN" || type === "THINKING_CONTENT") return undefined;
  const block = typeof index === "number" ? index : index === undefined ? first : -1;
  return content[block]?.type === "text" ? block : undefined;
}

interface AboutText {
  readonly units: TextUnits;
  /** It is the message's first text, whose index need not be said. */
  readonly isFirst: boolean;
}

/** A citation a source; undefined where it is no citation that we could write again. */
function readCitation(wire: Json, { units, isFirst }: AboutText): Citation[] | undefined {
  const reader = isJsonObject(wire) ? new Reader(wire) : undefined;
  const [from, to] = [reader?.number("start"), reader?.number("end")];
  const sources = reader?.peek("sources");
  const list: readonly Json[] = Array.isArray(sources) ? sources : [];
  const isKnown = sources === undefined || (Array.isArray(sources) && list.every(isSource));
  const range = units.rangeOf(from, to, reader?.peek("text"));
  if (!reader || !isKnown || !range) return undefined;
  reader.take("sources", "content_index");
  const hasText = reader.literal("text", range.slice);
  const hasType = reader.literal("type", "TEXT_CONTENT");
  const hints = {
    ...(!hasText && reader.peek("text") === undefined && { $text: false }),
    ...(!hasType && reader.peek("type") === undefined && { $type: false }),
    ...(isFirst && reader.peek("content_index") !== undefined && { $contentIndex: true }),
    ...(range.isUnits && { $units: "utf-16" }),
    ...(list.length === 0 && { $sources: sources === undefined ? false : "none" }),
  };
  const place = defined<Citation>({ start: range.start, end: range.end });
  const [head = {}, ...others] = list.map(readSource);
  const { rest: source, ...reference } = "rest" in head ? head : { rest: undefined, ...head };
  return [
    { ...place, ...reference, ...kept(family, reader.rest(), { ...hints, ...(source && { source }) }) },
    ...others.map(({ rest, ...each }) => ({
      ...place,
      ...each,
      ...kept(family, undefined, { $join: true, ...(rest && { source: rest }) }),
    })),
  ];
}

const isSource = (wire: Json): boolean =>
  isJsonObject(wire) && (wire["type"] === "tool" || wire["type"] === "document");

const holderOf = (isTool: boolean): string => (isTool ? "tool_output" : "document");

/** What was found by a tool, or was given: its page and title, where it tells them. */
function readSource(wire: Json): Pick<Citation, "url" | "title"> & { readonly rest?: JsonObject } {
  const reader = new Reader(isJsonObject(wire) ? wire : {});
  const isTool = reader.peek("type") === "tool";
  if (!isTool) reader.take("type");
  const member = holderOf(isTool);
  const holder = reader.object(member);
  const inner = new Reader(holder ?? {});
  const found = { url: inner.string("url"), title: inner.string("title") };
  const left = inner.rest();
  const isBare = holder !== undefined && found.url === undefined && found.title === undefined;
  const own = isBare ? (left ?? {}) : left;
  const rest = { ...reader.rest(), ...(own && { [member]: own }) };
  return defined<Pick<Citation, "url" | "title"> & { readonly rest?: JsonObject }>({
    ...found,
    rest: Object.keys(rest).length > 0 ? rest : undefined,
  });
}

// writing

/** A citation as the wire has it, and the part that it is of. */
export interface WrittenCitation {
  readonly wire: JsonObject;
  readonly from: Located;
}

/** The wire citations of a text; neighbours that were sources of one are one again. */
export function writeCitations(
  from: Located<PartOf<"text">>,
  { block, isFirst, lose }: { readonly block: number; readonly isFirst: boolean; readonly lose: EncodeContext["lose"] },
): readonly (WrittenCitation & { readonly index?: number })[] {
  const { citations, text } = from.part;
  if (!citations) return [];
  if (citations.length === 0) lose("no-citations", [...from.path, "citations"]);
  const units = new TextUnits(text);
  const groups: { readonly head: Citation; readonly sources: Json[] }[] = [];
  for (const [index, citation] of citations.entries()) {
    const isExact = units.holds(citation, hintsOf(citation, family)["$units"] === "utf-16");
    if (isExact !== true) lose("citation-range", [...from.path, "citations", index]);
    if (isExact === undefined) continue;
    const last = groups.at(-1);
    const { $join: isJoined, $sources: none } = hintsOf(citation, family);
    const isSame = last && last.head.start === citation.start && last.head.end === citation.end;
    const source = none !== undefined && isPlaceOnly(citation) ? [] : [writeSource(citation)];
    if (isJoined === true && isSame) last.sources.push(...source);
    else groups.push({ head: citation, sources: source });
  }
  return groups.map(({ head, sources }) => {
    const { $text, $type, $contentIndex, $units, $sources, $index } = hintsOf(head, family);
    const { start, end, slice } = units.written(head, $units === "utf-16");
    const { source: _, ...remainder } = remainderOf(head, family);
    const fields = present({
      start,
      end,
      text: $text === false ? undefined : slice,
      sources: sources.length === 0 && $sources === false ? undefined : sources,
      content_index: isFirst && $contentIndex !== true ? undefined : block,
      type: $type === false || Object.hasOwn(remainder, "type") ? undefined : "TEXT_CONTENT",
    });
    return {
      wire: fillAll(Object.hasOwn(remainder, "text") ? withoutText(fields) : fields, remainder),
      from,
      ...(typeof $index === "number" && { index: $index }),
    };
  });
}

const withoutText = ({ text: _, ...others }: JsonObject): JsonObject => others;

const isPlaceOnly = ({ url, title }: Citation): boolean => url === undefined && title === undefined;

function writeSource(citation: Citation): JsonObject {
  const { source } = hintsOf(citation, family);
  const rest = isJsonObject(source) ? source : {};
  const isTool = rest["type"] === "tool";
  const member = holderOf(isTool);
  const holder = present({ url: citation.url, title: citation.title });
  const fields = Object.keys(holder).length > 0 ? { [member]: holder } : {};
  return fillAll({ type: "document", ...fields, ...(isTool && { type: "tool" }) }, rest);
}

/** Citations of one message, those with a place of their own at it. */
export function inPlace<Item extends { readonly index?: number }>(items: readonly Item[]): readonly Item[] {
  const list = items.filter(({ index }) => index === undefined);
  const placed = items.filter(({ index }) => index !== undefined);
  placed.sort((a, b) => (a.index ?? 0) - (b.index ?? 0));
  for (const item of placed) list.splice(item.index ?? list.length, 0, item);
  return list;
}

/** The API counts characters of Unicode, the model UTF-16 units: they differ behind the first emoji. */
class TextUnits {
  readonly #text: string;
  /** Where each character begins; absent while both count alike. */
  readonly #starts: readonly number[] | undefined;

  constructor(text: string) {
    this.#text = text;
    this.#starts = /[\ud800-\udbff][\udc00-\udfff]/.test(text) ? startsOf(text) : undefined;
  }

  /** A range of the wire in units; undefined where it is outside of the text. `isUnits`: it was counted so. */
  rangeOf(
    from: number | undefined,
    to: number | undefined,
    words: Json | undefined,
  ): { start?: number; end?: number; slice: string; isUnits: boolean } | undefined {
    const starts = this.#starts;
    const plain = this.#slice(from, to);
    if (!starts) return plain && { ...plain, isUnits: false };
    const counted = this.#slice(
      from === undefined ? undefined : starts[from],
      to === undefined ? undefined : starts[to],
    );
    const isIn = (from === undefined || starts[from] !== undefined) && (to === undefined || starts[to] !== undefined);
    if (counted && isIn && (counted.slice === words || plain?.slice !== words)) return { ...counted, isUnits: false };
    return plain && { ...plain, isUnits: true };
  }

  #slice(
    start: number | undefined,
    end: number | undefined,
  ): { start?: number; end?: number; slice: string } | undefined {
    const { length } = this.#text;
    const [from, to] = [start ?? 0, end ?? length];
    const isRange = Number.isInteger(from) && Number.isInteger(to) && 0 <= from && from <= to && to <= length;
    if (!isRange) return undefined;
    return { ...defined<{ start?: number; end?: number }>({ start, end }), slice: this.#text.slice(from, to) };
  }

  /** Whether the wire has a place for the range; undefined: not at all, false: only for one near it. */
  holds({ start, end }: Citation, isUnits: boolean): boolean | undefined {
    if (!this.#slice(start, end)) return undefined;
    const starts = isUnits ? undefined : this.#starts;
    const isEdge = (place: number | undefined): boolean =>
      place === undefined || !starts || starts[placeOf(starts, place)] === place;
    return isEdge(start) && isEdge(end);
  }

  /** A range as the wire counts it, of whole characters, and its words. */
  written({ start, end }: Citation, isUnits: boolean): { start: Place; end: Place; slice: string } {
    const starts = isUnits ? undefined : this.#starts;
    const counted = (place: Place): Place => (place === undefined || !starts ? place : placeOf(starts, place));
    const [from, to] = [counted(start), counted(end)];
    const unit = (place: Place): Place => (place === undefined || !starts ? place : starts[place]);
    return { start: from, end: to, slice: this.#text.slice(unit(from) ?? 0, unit(to) ?? this.#text.length) };
  }
}

type Place = number | undefined;

/** Units at which characters begin, and the end. */
function startsOf(text: string): number[] {
  const starts: number[] = [];
  let at = 0;
  for (const character of text) {
    starts.push(at);
    at += character.length;
  }
  starts.push(at);
  return starts;
}

/** How many characters begin before a unit. */
function placeOf(starts: readonly number[], unit: number): number {
  let [low, high] = [0, starts.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((starts[middle] ?? 0) < unit) low = middle + 1;
    else high = middle;
  }
  return low;
}
