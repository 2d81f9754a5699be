/** What the texts of Anthropic's answers rest on. */

import { defined, Reader, rowOf } from "../../codec/reader.ts";
import { hintsOf, kept, present, restored } from "../../codec/remainder.ts";
import type { Path } from "../../model/issue.ts";
import type { JsonObject } from "../../model/json.ts";
import type { Citation } from "../../model/parts.ts";
import { anthropic, type ReadScope, sealOf, sealValues, type WriteScope } from "./node.ts";

/** The members of a type of citation. Absent: it has none for this. */
interface CitationType {
  readonly url?: string;
  readonly title: string;
  readonly fileId?: string;
  readonly place?: {
    readonly unit: "char" | "page" | "block";
    readonly start: string;
    readonly end: string;
    readonly document: string;
  };
  readonly isSealed?: true;
}

const inDocument = { title: "document_title", fileId: "file_id" } as const;

const types: { readonly [type: string]: CitationType } = {
  char_location: {
    ...inDocument,
    place: { unit: "char", start: "start_char_index", end: "end_char_index", document: "document_index" },
  },
  page_location: {
    ...inDocument,
    place: { unit: "page", start: "start_page_number", end: "end_page_number", document: "document_index" },
  },
  content_block_location: {
    ...inDocument,
    place: { unit: "block", start: "start_block_index", end: "end_block_index", document: "document_index" },
  },
  web_search_result_location: { url: "url", title: "title", isSealed: true },
  search_result_location: {
    url: "source",
    title: "title",
    place: { unit: "block", start: "start_block_index", end: "end_block_index", document: "search_result_index" },
  },
};

/** A citation; one of an unknown type stays whole in its remainder. */
export function readCitation(wire: JsonObject, scope: ReadScope): Citation {
  const reader = new Reader(wire);
  const type = reader.peek("type");
  const row = typeof type === "string" ? rowOf(types, type) : undefined;
  if (!row) return kept(anthropic, reader.rest());
  reader.take("type");
  const { place } = row;
  const at =
    place &&
    defined<NonNullable<Citation["at"]>>({
      unit: place.unit,
      start: reader.number(place.start),
      end: reader.number(place.end),
      document: reader.number(place.document),
    });
  const index = row.isSealed ? reader.string("encrypted_index") : undefined;
  const read = defined<Citation>({
    url: row.url === undefined ? undefined : reader.string(row.url),
    title: reader.string(row.title),
    fileId: row.fileId === undefined ? undefined : reader.string(row.fileId),
    quote: reader.string("cited_text"),
    at,
    seal: sealOf({ encrypted_index: index }, scope),
  });
  // A file's id is its provider's: the type beside it says that it was read here.
  const isTold = typeOf(read) === type && read.fileId === undefined;
  const hints = present({
    $type: isTold ? undefined : type,
    $store: read.fileId !== undefined && scope.maker === undefined ? false : undefined,
    $index: row.isSealed && !index ? (index ?? false) : undefined,
  });
  return { ...read, ...kept(anthropic, reader.rest(), hints) };
}

/** Ids of files as Anthropic makes them. */
const ownId = /^file_/;

/** The type that says a citation, by what it says. */
function typeOf({ url, at }: Citation): string | undefined {
  if (url !== undefined) return at ? "search_result_location" : "web_search_result_location";
  if (!at) return undefined;
  return at.unit === "block" ? "content_block_location" : `${at.unit}_location`;
}

/** Undefined where no citation says this. */
export function writeCitation(citation: Citation, path: Path, scope: WriteScope): JsonObject | undefined {
  const hints = hintsOf(citation, anthropic);
  if (typeof hints["type"] === "string" && Object.keys(citation).every(key => key === "native" || key === "exact")) {
    return restored({}, citation, anthropic);
  }
  const { $type: told } = hints;
  const type = typeof told === "string" && fits(citation, rowOf(types, told)) ? told : typeOf(citation);
  const row = type === undefined ? undefined : rowOf(types, type);
  const values = sealValues(citation, path, row?.isSealed ? ["encrypted_index"] : [], scope);
  const index = values["encrypted_index"] ?? (hints["$index"] === false ? undefined : "");
  // Without its index the provider refuses it.
  const isRefused = row?.isSealed && scope.recipient === "provider" && !index;
  if (!row || type === undefined || isRefused) {
    scope.lose("citation", path);
    return undefined;
  }
  if (row.isSealed && values["encrypted_index"] === undefined && hints["$index"] === undefined)
    scope.lose("unsigned", path);
  reportMembers(citation, row, path, scope);
  const { place } = row;
  const { at, title } = citation;
  const fileId = scope.recipient !== "provider" || isOwnFile(citation, scope) ? citation.fileId : undefined;
  if (citation.fileId !== fileId && row.fileId !== undefined) scope.lose("citation-member", [...path, "fileId"]);
  const fields = present({
    type,
    ...(row.url !== undefined && { [row.url]: citation.url }),
    [row.title]: title,
    ...(row.fileId !== undefined && { [row.fileId]: fileId }),
    cited_text: citation.quote,
    ...(place && at && { [place.document]: at.document, [place.start]: at.start, [place.end]: at.end }),
    ...(row.isSealed && { encrypted_index: index }),
  });
  return restored(fields, citation, anthropic);
}

/** Whether the file lies with the provider that is written for: as it was read, `$store` false from a host without a maker; else by how its id looks. */
function isOwnFile(citation: Citation, { maker }: WriteScope): boolean {
  const { $type: told, $store: store } = hintsOf(citation, anthropic);
  const hasMaker = told === undefined ? ownId.test(citation.fileId ?? "") : store !== false;
  return hasMaker === (maker !== undefined);
}

const fits = ({ url, at }: Citation, row: CitationType | undefined): boolean =>
  row !== undefined && (row.url !== undefined || url === undefined) && row.place?.unit === at?.unit;

function reportMembers({ fileId, at }: Citation, row: CitationType, path: Path, scope: WriteScope): void {
  if (fileId !== undefined && row.fileId === undefined) scope.lose("citation-member", [...path, "fileId"]);
  if (at && row.place?.unit !== at.unit) scope.lose("citation-member", [...path, "at"], at.unit);
}
