import { ByteMap } from "../../blocks/gemini/byte-map.ts";
import { defined, Reader, rowOf } from "../../codec/reader.ts";
import { hintsOf, kept, present, restored } from "../../codec/remainder.ts";
import type { Path } from "../../model/issue.ts";
import type { JsonObject } from "../../model/json.ts";
import type { Citation } from "../../model/parts.ts";
import { family, type WriteScope } from "./wire.ts";

/** Under which names a type of annotation says a citation. Absent: it has none for this. */
interface AnnotationType {
  readonly url: string;
  readonly title?: string;
  readonly name?: string;
  readonly page?: string;
}

const types: { readonly [type: string]: AnnotationType } = {
  url_citation: { url: "url", title: "title" },
  file_citation: { url: "document_uri", name: "file_name", page: "page_number" },
  place_citation: { url: "url", title: "name" },
};

/** Annotations as citations of a text; what cites nothing (a speaker, a word's time) stays whole in its remainder. */
export function readCitations(list: readonly JsonObject[], text: string): readonly Citation[] {
  const bytes = new ByteMap(text);
  return list.map(wire => readCitation(wire, bytes));
}

function readCitation(wire: JsonObject, bytes: ByteMap): Citation {
  const reader = new Reader(wire);
  const type = reader.peek("type");
  const row = typeof type === "string" ? rowOf(types, type) : undefined;
  if (!row) return kept(family, reader.rest());
  reader.take("type");
  const page = row.page === undefined ? undefined : reader.number(row.page);
  const { start, end, hints } = readRange(reader, bytes);
  const citation = defined<Citation>({
    url: reader.string(row.url),
    title: row.title === undefined ? undefined : reader.string(row.title),
    name: row.name === undefined ? undefined : reader.string(row.name),
    at: page === undefined ? undefined : { unit: "page", start: page },
    start,
    end,
  });
  const isTold = usualType(citation) === type;
  return { ...citation, ...kept(family, reader.rest(), { ...(!isTold && { $type: type ?? null }), ...hints }) };
}

interface Range {
  readonly start?: number | undefined;
  readonly end?: number | undefined;
  readonly hints: JsonObject;
}

/** A range that is none of the text stays as it is; one without a start begins with the text. */
function readRange(reader: Reader, bytes: ByteMap): Range {
  const [from, to] = [reader.peek("start_index"), reader.peek("end_index")];
  const start = typeof from === "number" ? bytes.unitAt(from) : from === undefined ? 0 : undefined;
  const end = typeof to === "number" ? bytes.unitAt(to) : undefined;
  if (start === undefined || end === undefined || end < start) return { hints: {} };
  reader.take("start_index", "end_index");
  return { start, end, hints: from === undefined ? { $start: false } : {} };
}

const usualType = ({ title, name, at }: Citation): string =>
  title === undefined && (name !== undefined || at !== undefined) ? "file_citation" : "url_citation";

/** The annotations of a text. `path`: of its citations. */
export function writeCitations(
  citations: readonly Citation[],
  text: string,
  path: Path,
  lose: WriteScope["lose"],
): readonly JsonObject[] {
  const bytes = new ByteMap(text);
  return citations.map((citation, index) => writeCitation(citation, bytes, { path: [...path, index], lose }));
}

function writeCitation(
  citation: Citation,
  bytes: ByteMap,
  { path, lose }: { readonly path: Path; readonly lose: WriteScope["lose"] },
): JsonObject {
  const { $type: told, $start: started, type: other } = hintsOf(citation, family);
  const { url, title, name, at, start, end } = citation;
  const isOther = typeof other === "string" && url === undefined && title === undefined && name === undefined && !at;
  if (isOther) return restored({}, citation, family);
  const isTold = typeof told === "string" && rowOf(types, told) !== undefined;
  const type = isTold ? told : usualType(citation);
  const row = types[type] ?? { url: "url" };
  const page = at?.unit === "page" && at.end === undefined && at.document === undefined ? at.start : undefined;
  for (const [member, value, has] of [
    ["title", title, row.title !== undefined],
    ["name", name, row.name !== undefined],
    ["at", at, row.page !== undefined && page !== undefined],
  ] as const) {
    if (value !== undefined && !has) lose("citation-member", [...path, member], type);
  }
  const isRange = start !== undefined && end !== undefined && start <= end && end <= bytes.text.length;
  if (!isRange && (start !== undefined || end !== undefined)) lose("citation-range", path);
  const from = isRange ? bytes.byteAt(start) : undefined;
  const to = isRange ? bytes.byteAt(end) : undefined;
  if (isRange && (bytes.unitAt(from ?? 0) !== start || bytes.unitAt(to ?? 0) !== end)) lose("citation-range", path);
  const fields = present({
    type,
    [row.url]: url,
    ...(row.title !== undefined && { [row.title]: title }),
    ...(row.name !== undefined && { [row.name]: name }),
    ...(row.page !== undefined && { [row.page]: page }),
    start_index: started === false && from === 0 ? undefined : from,
    end_index: to,
  });
  return restored(fields, citation, family);
}
