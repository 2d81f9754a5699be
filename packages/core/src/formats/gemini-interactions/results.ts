import { defined, Reader } from "../../codec/reader.ts";
import { hintsOf, kept, present, restored } from "../../codec/remainder.ts";
import type { Path } from "../../model/issue.ts";
import { isJsonObject, type Json, type JsonObject } from "../../model/json.ts";
import { stringifyJson } from "../../model/json-text.ts";
import type { Part, PartOf, ToolResultPart } from "../../model/parts.ts";
import { isContent, readContent, writeContent } from "./contents.ts";
import { family, type Located, type ReadScope, type WriteScope } from "./wire.ts";

/** What a result is: what a tool said (a text, contents or an object), or a list of what one of the provider's found. */
export type ResultForm = "said" | "found";

interface ReadOutput {
  /** Absent = nothing sent. */
  readonly parts: readonly Part[] | undefined;
  readonly hints: JsonObject;
}

export function readOutput(
  reader: Reader,
  form: ResultForm,
  { path, scope }: { readonly path: Path; readonly scope: Pick<ReadScope, "issue"> },
): ReadOutput {
  const result = reader.peek("result");
  if (result === undefined) return { parts: undefined, hints: form === "said" ? { $result: false } : {} };
  reader.take("result");
  if (typeof result === "string") return { parts: [{ type: "text", text: result }], hints: {} };
  const isList = Array.isArray(result);
  const list: readonly Json[] = isList ? result : [];
  if (!isList || (form === "said" && !list.every(isContent))) {
    const isPlain = isJsonObject(result) && form === "said";
    return { parts: [{ type: "data", data: result }], hints: isPlain ? {} : { $result: "json" } };
  }
  const parts = list.map((item, index) =>
    isContent(item) ? readContent(item, [...path, "result", index], scope) : readFound(item),
  );
  return { parts, hints: form === "said" && isTextAlone(parts) ? { $result: "list" } : {} };
}

/** Pages are sources; whatever else was found is data. */
function readFound(item: Json): Part {
  if (!isJsonObject(item) || !isSource(item)) return { type: "data", data: item };
  const reader = new Reader(item);
  return defined<PartOf<"source">>({
    type: "source",
    url: reader.string("url"),
    title: reader.string("title"),
    ...kept(family, reader.rest()),
  });
}

const isSource = (item: Json): boolean => isJsonObject(item) && typeof item["url"] === "string";

/** A text that is written as nothing but itself. */
const isTextAlone = (parts: readonly Part[]): boolean => {
  const [only] = parts;
  return (
    parts.length === 1 && only?.type === "text" && !only.citations && Object.keys(hintsOf(only, family)).length === 0
  );
};

// writing

/** The result of a call; undefined where there is none. */
export function writeOutput(place: Located<ToolResultPart>, form: ResultForm, scope: WriteScope): Json | undefined {
  const { part, path } = place;
  const { output } = part;
  const { $result: told } = hintsOf(part, family);
  if (!output) {
    if (told === false || form === "found") return undefined;
    scope.lose("no-output", [...path, "output"]);
    return "";
  }
  const [first] = output;
  const isAlone = output.length === 1;
  if (isAlone && first?.type === "data" && (told === "json" || (form === "said" && isJsonObject(first.data)))) {
    return first.data;
  }
  if (isAlone && first && told !== "list" && (form === "said" || isTextAlone(output))) {
    const text = textOf({ part: first, path: [...path, "output", 0] }, scope);
    if (text !== undefined) return text;
  }
  return output.flatMap((inner, index) => writeItem({ part: inner, path: [...path, "output", index] }, form, scope));
}

function writeItem(place: Located, form: ResultForm, scope: WriteScope): Json[] {
  const { part, path } = place;
  if (form === "found" && part.type === "source") return [writeSource(part, path, scope)];
  if (form === "found" && part.type === "data") {
    if (isContent(part.data) || isSource(part.data)) scope.lose("data-shape", path);
    return [part.data];
  }
  if (part.type === "text" || part.type === "file" || part.type === "opaque") return writeContent(place, scope);
  const text = textOf(place, scope);
  if (text !== undefined) return [{ type: "text", text }];
  scope.lose("misplaced", path, part.type);
  return [];
}

function writeSource(part: PartOf<"source">, path: Path, scope: WriteScope): JsonObject {
  const { url, title } = part;
  for (const member of ["fileId", "name", "parts"] as const) {
    if (part[member] !== undefined) scope.lose("source-member", [...path, member]);
  }
  if (url === undefined) scope.lose("source-member", path);
  return restored(present({ url, title }), part, family);
}

/** A part of an output as plain text; undefined where it is none. */
function textOf({ part, path }: Located, scope: WriteScope): string | undefined {
  switch (part.type) {
    case "text":
      return isTextAlone([part]) ? part.text : undefined;
    case "data":
      scope.lose("data-text", path);
      return stringifyJson(part.data);
    case "error":
      scope.lose("error-text", path);
      return part.message;
    case "source":
      scope.lose("source-text", path);
      return [
        part.title,
        part.url,
        ...(part.parts ?? []).map(inner => (inner.type === "text" ? inner.text : undefined)),
      ]
        .filter(text => text !== undefined)
        .join("\n");
    default:
      return undefined;
  }
}
