/** What a function returned, on Google's wire: an object, and files beside it. */

import { deniedText } from "../../codec/refusals.ts";
import { hintsOf } from "../../codec/remainder.ts";
import type { Path } from "../../model/issue.ts";
import { isJsonObject, type Json, type JsonObject } from "../../model/json.ts";
import type { Part, PartOf } from "../../model/parts.ts";
import type { NodeReader, NodeWriter } from "./node.ts";
import { gemini } from "./node.ts";
import { type PartScope, readBlob } from "./parts.ts";
import { type Writing, writeFile } from "./writing.ts";

type Result = PartOf<"tool-result">;

interface ReadOutput {
  readonly output: Result["output"];
  readonly outcome: Result["outcome"];
  readonly hints: JsonObject;
}

/** `output` is the result and `error` what failed; an object with other members is the result itself (providers.md 4). */
export function readResponse(reader: NodeReader, scope: PartScope): ReadOutput {
  const response = reader.object("response");
  const list = reader.array("parts");
  const files = (list ?? []).map((wire): Part => {
    const file = isJsonObject(wire) ? readBlob(wire, scope) : undefined;
    if (file) return file;
    scope.context.issue("unknown-part", scope.path, "expected a file beside a result; kept as it is");
    return { type: "opaque", family: gemini, value: wire };
  });
  const { parts, outcome, hints } = response ? readValue(response, files.length > 0) : plainResult;
  const output = response === undefined && list === undefined ? undefined : [...parts, ...files];
  const missing = response === undefined ? { $response: false } : {};
  return { output, outcome, hints: { ...hints, ...missing, ...(list?.length === 0 && { $files: true }) } };
}

interface ReadValue {
  readonly parts: readonly Part[];
  readonly outcome: Result["outcome"];
  readonly hints: JsonObject;
}
const plainResult: ReadValue = { parts: [], outcome: undefined, hints: {} };

function readValue(response: JsonObject, hasFiles: boolean): ReadValue {
  const [key, ...others] = Object.keys(response);
  if (key === undefined && hasFiles) return plainResult;
  const isNamed = others.length === 0 && (key === "output" || key === "error");
  if (!isNamed || key === undefined) return { ...plainResult, parts: [{ type: "data", data: response }] };
  const value = response[key] ?? null;
  const part: Part = typeof value === "string" ? { type: "text", text: value } : { type: "data", data: value };
  const isObject = isJsonObject(value) && key === "output";
  return {
    parts: [part],
    outcome: key === "error" ? "error" : undefined,
    hints: isObject ? { $response: "output" } : {},
  };
}

/** The response of a result, and the files beside it. */
export function writeResponse(part: Result, path: Path, { writer, writing }: ForResponse): JsonObject {
  const { $response: form, $files: isListed } = hintsOf(part, gemini);
  const { context } = writing;
  const values: Json[] = [];
  const files: Json[] = [];
  for (const [index, inner] of (part.output ?? []).entries()) {
    const place = [...path, "output", index];
    const isFile = inner.type === "file" && !("text" in inner.source);
    if (inner.type === "opaque") files.push(inner.value);
    else if (isFile) files.push(...writeFile(inner, place, writing));
    else {
      if (files.length > 0) context.lose("order", place);
      values.push(givenBy(inner, { path: place, writing }));
    }
  }
  if (values.length > 1) context.lose("output-joined", [...path, "output"]);
  if (part.outcome !== undefined && part.outcome !== "error") {
    context.lose("outcome", [...path, "outcome"], part.outcome);
  }
  const response = responseOf(values, part, { form, hasFiles: files.length > 0, path, writing });
  return writer.object({ response, parts: files.length > 0 || isListed === true ? files : undefined });
}

interface ForResponse {
  readonly writer: NodeWriter;
  readonly writing: Writing;
}

interface Written {
  readonly form: Json | undefined;
  readonly hasFiles: boolean;
  readonly path: Path;
  readonly writing: Writing;
}

function responseOf(values: readonly Json[], part: Result, about: Written): JsonObject | undefined {
  const { form, hasFiles, path, writing } = about;
  if (values.length === 0) {
    if (form === false) return undefined;
    const isNothing = !hasFiles || part.outcome !== undefined;
    if (isNothing) writing.context.lose("no-output", [...path, "output"]);
    return part.outcome === undefined ? {} : { error: part.outcome === "denied" ? deniedText : "" };
  }
  const isText = values.every(value => typeof value === "string");
  const [only = null] = values;
  const value = values.length === 1 ? only : isText ? values.join("\n") : values;
  if (part.outcome !== undefined) return { error: value };
  const isWhole = isJsonObject(value) && form !== "output" && !isAmbiguous(value, hasFiles);
  return isWhole ? value : { output: value };
}

/** An object that would be read as the holder of a result. */
function isAmbiguous(value: JsonObject, hasFiles: boolean): boolean {
  const [key, ...others] = Object.keys(value);
  if (key === undefined) return hasFiles;
  return others.length === 0 && (key === "output" || key === "error");
}

function givenBy(part: Part, { path, writing }: { readonly path: Path; readonly writing: Writing }): Json {
  const { context } = writing;
  switch (part.type) {
    case "text":
      return part.text;
    case "data":
      if (typeof part.data === "string") context.lose("data-text", path);
      return part.data;
    case "error":
      context.lose("error-text", path);
      return part.message;
    case "file":
      context.lose("file-text", path);
      return "text" in part.source ? part.source.text : "";
    case "source":
      context.lose("source-text", path);
      return [
        part.title,
        part.url,
        ...(part.parts ?? []).map(inner => (inner.type === "text" ? inner.text : undefined)),
      ]
        .filter(text => text !== undefined)
        .join("\n");
    default:
      context.lose("misplaced", path, part.type);
      return "";
  }
}
