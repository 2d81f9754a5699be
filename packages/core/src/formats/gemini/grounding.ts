import { ByteMap } from "../../blocks/gemini/byte-map.ts";
import { Reader } from "../../codec/reader.ts";
import { present } from "../../codec/remainder.ts";
import { equalJson, isJsonObject, type Json, type JsonObject } from "../../model/json.ts";
import type { Citation, Part } from "../../model/parts.ts";

interface Span {
  readonly part: number;
  readonly start?: number;
  readonly end?: number;
}

/** The texts of an answer: segments count from the beginning of a part, or of all that was said. */
class Texts {
  readonly #maps: readonly (readonly [number, ByteMap])[];

  constructor(parts: readonly (Part | undefined)[]) {
    this.#maps = parts.flatMap((part, index) =>
      part?.type === "text" ? [[index, new ByteMap(part.text)] as const] : [],
    );
  }

  locate(segment: JsonObject): Span | undefined {
    const { partIndex = 0, startIndex = 0, endIndex, text } = segment;
    if (typeof partIndex !== "number" || typeof startIndex !== "number") return undefined;
    if (endIndex === undefined && text === undefined) {
      return this.#maps.some(([index]) => index === partIndex) ? { part: partIndex } : undefined;
    }
    if (typeof endIndex !== "number") return undefined;
    const own = this.#maps.find(([index]) => index === partIndex);
    const inPart = own && spanIn(own, [startIndex, endIndex], text);
    return inPart ?? this.#locateInAll(startIndex, endIndex, text);
  }

  #locateInAll(start: number, end: number, text: Json | undefined): Span | undefined {
    let before = 0;
    for (const each of this.#maps) {
      const { length } = each[1];
      if (start >= before && end <= before + length) return spanIn(each, [start - before, end - before], text);
      before += length;
    }
    return undefined;
  }
}

function spanIn(
  [part, map]: readonly [number, ByteMap],
  [from, to]: readonly [number, number],
  text: Json | undefined,
): Span | undefined {
  const start = map.unitAt(from);
  const end = map.unitAt(to);
  if (start === undefined || end === undefined || end < start) return undefined;
  const isSame = typeof text !== "string" || map.text.slice(start, end) === text;
  return isSame ? { part, start, end } : undefined;
}

interface Cited {
  readonly part: number;
  readonly citation: Citation;
}

/** The citations that a candidate's metadata are, on the texts they are about; the metadata stay beside them (R1). */
export function withCitations(parts: readonly Part[], candidate: JsonObject): readonly Part[] {
  const cited = citationsOf(parts, candidate);
  if (cited.length === 0) return parts;
  return parts.map((part, index) => {
    const citations = cited.flatMap(each => (each.part === index ? [each.citation] : []));
    return part.type === "text" && citations.length > 0 ? { ...part, citations } : part;
  });
}

function citationsOf(parts: readonly (Part | undefined)[], candidate: JsonObject): readonly Cited[] {
  const { groundingMetadata, citationMetadata } = candidate;
  if (!isJsonObject(groundingMetadata) && !isJsonObject(citationMetadata)) return [];
  const texts = new Texts(parts);
  return [
    ...(isJsonObject(groundingMetadata) ? groundedIn(groundingMetadata, texts) : []),
    ...(isJsonObject(citationMetadata) ? recitedIn(citationMetadata, texts) : []),
  ];
}

const listOf = (holder: JsonObject, member: string): readonly Json[] => {
  const list = holder[member];
  return Array.isArray(list) ? (list as readonly Json[]) : []; // a list of JSON
};

function groundedIn(metadata: JsonObject, texts: Texts): Cited[] {
  const chunks = listOf(metadata, "groundingChunks");
  return listOf(metadata, "groundingSupports").flatMap(support => {
    const segment = isJsonObject(support) ? support["segment"] : undefined;
    const span = isJsonObject(segment) ? texts.locate(segment) : undefined;
    if (!isJsonObject(support) || !span) return [];
    return listOf(support, "groundingChunkIndices").flatMap(index => {
      const chunk = typeof index === "number" ? chunks[index] : undefined;
      return isJsonObject(chunk) ? [citedFrom(span, sourceOf(chunk))] : [];
    });
  });
}

const kinds = ["web", "retrievedContext", "maps", "image"] as const;

function sourceOf(chunk: JsonObject): Citation {
  const holder = kinds.map(kind => chunk[kind]).find(isJsonObject) ?? {};
  const reader = new Reader(holder);
  return present({
    url: reader.string("uri") ?? reader.string("sourceUri"),
    title: reader.string("title"),
    quote: reader.string("text"),
  }) as Citation; // its members are optional
}

function recitedIn(metadata: JsonObject, texts: Texts): Cited[] {
  const list = [...listOf(metadata, "citations"), ...listOf(metadata, "citationSources")];
  return list.flatMap(each => {
    if (!isJsonObject(each)) return [];
    const { startIndex = 0, endIndex, uri, title } = each;
    const span = endIndex === undefined ? undefined : texts.locate({ startIndex, endIndex });
    const isNamed = typeof uri === "string" || typeof title === "string";
    if (!span || !isNamed) return [];
    return [citedFrom(span, sourceOf({ web: each }))];
  });
}

const citedFrom = ({ part, start, end }: Span, source: Citation): Cited => ({
  part,
  citation: { ...source, ...(start !== undefined && end !== undefined && { start, end }) },
});

/**
 * What a candidate has to say of its citations: nothing where the metadata that were read still are these, else new
 * supports. `texts`: the text part at each place of the written content.
 */
export function groundingOf(
  texts: readonly (Part | undefined)[],
  kept: JsonObject,
): { readonly fields: JsonObject; readonly isStale: boolean; readonly isWhole: boolean } {
  const wanted = texts.flatMap((part, index): Cited[] =>
    part?.type === "text" ? (part.citations ?? []).map(citation => ({ part: index, citation })) : [],
  );
  const isSame = (candidate: JsonObject): boolean => {
    const read = citationsOf(texts, candidate);
    return equalJson(byPart(read), byPart(wanted));
  };
  if (isSame(kept)) return { fields: {}, isStale: false, isWhole: true };
  const groundingMetadata = writeGrounding(texts, wanted, chunksOf(kept));
  const fields: JsonObject = wanted.length > 0 ? { groundingMetadata } : {};
  return { fields, isStale: true, isWhole: isSame(fields) };
}

/** Citations keep their order on each text only. */
const byPart = (cited: readonly Cited[]): Json =>
  cited
    .map((each, index) => ({ ...each, index }))
    .sort((a, b) => a.part - b.part || a.index - b.index)
    .map(({ part, citation }) => ({ part, citation: citation as unknown as Json })); // citations are JSON

/** The chunks that were read, by what they say of a source. */
function chunksOf({ groundingMetadata }: JsonObject): ReadonlyMap<string, JsonObject> {
  const chunks = isJsonObject(groundingMetadata) ? listOf(groundingMetadata, "groundingChunks") : [];
  return new Map(chunks.filter(isJsonObject).map(chunk => [keyOf(sourceOf(chunk)), chunk]));
}

const keyOf = ({ url, title, quote }: Citation): string => JSON.stringify([url, title, quote]);

/** A page of the web says its address and title; only what was retrieved says its words. */
function chunkOf({ url: uri, title, quote: text }: Citation): JsonObject {
  const isPage = uri === undefined ? text === undefined : /^https?:/i.test(uri);
  return isPage ? { web: present({ uri, title }) } : { retrievedContext: present({ uri, title, text }) };
}

function writeGrounding(
  texts: readonly (Part | undefined)[],
  wanted: readonly Cited[],
  known: ReadonlyMap<string, JsonObject>,
): JsonObject {
  const chunks: JsonObject[] = [];
  const places = new Map<string, number>();
  const maps = new Map<number, ByteMap>();
  const groundingSupports = wanted.map(({ part, citation }): JsonObject => {
    const { start, end } = citation;
    const chunk = known.get(keyOf(citation)) ?? chunkOf(citation);
    const key = JSON.stringify(chunk);
    const place = places.get(key) ?? chunks.push(chunk) - 1;
    places.set(key, place);
    const words = texts[part];
    const map = maps.get(part) ?? new ByteMap(words?.type === "text" ? words.text : "");
    maps.set(part, map);
    const range = start === undefined || end === undefined ? {} : rangeOf(map, start, end);
    return { segment: { ...(part > 0 && { partIndex: part }), ...range }, groundingChunkIndices: [place] };
  });
  return { groundingChunks: chunks, groundingSupports };
}

function rangeOf(map: ByteMap, start: number, end: number): JsonObject {
  const [startIndex, endIndex] = [map.byteAt(start), map.byteAt(end)];
  return { ...(startIndex > 0 && { startIndex }), endIndex, text: map.text.slice(start, end) };
}
