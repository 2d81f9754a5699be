/** What the texts of Bedrock's answers rest on. */

import { defined, Reader, rowOf } from "../../codec/reader.ts";
import { hintsOf, kept, present, restored } from "../../codec/remainder.ts";
import type { Path } from "../../model/issue.ts";
import { isJsonObject, type Json, type JsonObject } from "../../model/json.ts";
import type { Citation } from "../../model/parts.ts";
import { bedrock, type WriteScope } from "./node.ts";

type Unit = NonNullable<Citation["at"]>["unit"];

/** Kinds of places, and what they are in. */
const places: { readonly [location: string]: { readonly unit: Unit; readonly document: string } } = {
  documentChar: { unit: "char", document: "documentIndex" },
  documentPage: { unit: "page", document: "documentIndex" },
  documentChunk: { unit: "block", document: "documentIndex" },
  searchResultLocation: { unit: "block", document: "searchResultIndex" },
};

export function readCitation(wire: JsonObject): Citation {
  const reader = new Reader(wire);
  const location = readLocation(reader);
  const isWeb = location?.url !== undefined;
  const source = isWeb ? undefined : reader.string("source");
  const url = location?.url ?? source;
  const quote = readTexts(reader.peek("sourceContent"));
  if (quote) reader.take("sourceContent");
  const read = defined<Citation>({
    url,
    title: reader.string("title"),
    quote: quote?.text,
    at: location?.at,
  });
  const usual = locationOf(read);
  return {
    ...read,
    ...kept(bedrock, reader.rest(), {
      ...(location?.rest && { location: location.rest }),
      ...quote?.hints,
      // Told by name, so that one that came from here is known again.
      ...((location?.name !== usual || isWeb) && { $location: location?.name ?? false }),
    }),
  };
}

interface ReadLocation {
  readonly name: string;
  readonly at?: NonNullable<Citation["at"]>;
  readonly url?: string;
  readonly rest?: JsonObject;
}

/** A place of a kind that is known; any other stays as it is. */
function readLocation(reader: Reader): ReadLocation | undefined {
  const wire = reader.peek("location");
  if (!isJsonObject(wire)) return undefined;
  const outer = new Reader(wire);
  const name = Object.keys(wire).find(key => key === "web" || rowOf(places, key) !== undefined);
  const holder = name === undefined ? undefined : outer.object(name);
  if (name === undefined || !holder) return undefined;
  const inner = new Reader(holder);
  const row = rowOf(places, name);
  const url = row ? undefined : inner.string("url");
  if (!row && url === undefined) return undefined;
  reader.take("location");
  const at =
    row &&
    defined<NonNullable<Citation["at"]>>({
      unit: row.unit,
      start: inner.number("start"),
      end: inner.number("end"),
      document: inner.number(row.document),
    });
  const left = inner.rest();
  const rest = left ? { ...outer.rest(), [name]: left } : outer.rest();
  return defined<ReadLocation>({ name, at, url, rest });
}

/** The kind of place that says a citation, by what it says. */
function locationOf({ url, at }: Citation): string | undefined {
  if (!at) return url === undefined ? undefined : "web";
  if (at.unit === "block" && url !== undefined) return "searchResultLocation";
  return Object.keys(places).find(name => places[name]?.unit === at.unit);
}

/** Several texts as one, with their lengths, where they are plain. */
export function readTexts(list: Json | undefined): { readonly text: string; readonly hints: JsonObject } | undefined {
  if (!Array.isArray(list)) return undefined;
  const texts = list.map((each: Json) =>
    isJsonObject(each) && Object.keys(each).length === 1 && typeof each["text"] === "string" ? each["text"] : undefined,
  );
  if (!texts.every(text => text !== undefined)) return undefined;
  return {
    text: texts.join(""),
    hints: texts.length === 1 ? {} : { $lengths: texts.map(({ length }) => length) },
  };
}

/** The texts as they were divided, while they are as long together (R1). */
export function writeTextList(text: string, lengths: Json | undefined): Json[] {
  const told = Array.isArray(lengths) && lengths.every(each => typeof each === "number") ? (lengths as number[]) : []; // as looked at
  const isWhole = Array.isArray(lengths) && told.reduce((sum, each) => sum + each, 0) === text.length;
  if (!isWhole) return [{ text }];
  let start = 0;
  return told.map(length => {
    start += length;
    return { text: text.slice(start - length, start) };
  });
}

/** Undefined where no citation says this. */
export function writeCitation(citation: Citation, path: Path, scope: WriteScope): JsonObject | undefined {
  const { url, title, quote } = citation;
  const hints = hintsOf(citation, bedrock);
  // Pages that others found are no source of this model's.
  const isForeign = url !== undefined && !citation.at && Object.keys(hints).length === 0;
  if (scope.recipient === "provider" && isForeign) {
    scope.lose("citation", path);
    return undefined;
  }
  const { $location: told, $lengths: lengths } = hints;
  const name = told === false || (typeof told === "string" && fits(citation, told)) ? told : locationOf(citation);
  const isWeb = name === "web";
  return restored(
    present({
      title,
      source: isWeb ? undefined : url,
      sourceContent: quote === undefined ? undefined : writeTextList(quote, lengths),
      location: typeof name === "string" ? writeLocation(citation, name) : undefined,
    }),
    citation,
    bedrock,
  );
}

const fits = ({ url, at }: Citation, name: string): boolean =>
  name === "web" ? url !== undefined && !at : at !== undefined && rowOf(places, name)?.unit === at.unit;

function writeLocation({ url, at }: Citation, name: string): JsonObject | undefined {
  const row = rowOf(places, name);
  if (!row) return { web: present({ url }) };
  return { [name]: present({ [row.document]: at?.document, start: at?.start, end: at?.end }) };
}
