/** `result` of a function ↔ the output of its result. */

import { isContent } from "../../codec/hints.ts";
import { deniedText } from "../../codec/refusals.ts";
import { hintsOf } from "../../codec/remainder.ts";
import { setNumberText } from "../../model/exact-text.ts";
import { isJsonObject, type Json, type JsonObject } from "../../model/json.ts";
import { jsonTextOf } from "../../model/json-text.ts";
import type { DataPart, Part, ToolResultPart } from "../../model/parts.ts";
import { isContentKind } from "./type-table.ts";
import { family, type Reading, type Writing, within } from "./wire.ts";

type ReadContents = (list: readonly Json[]) => readonly Part[];
type WriteContents = (parts: readonly Part[], writing: Writing) => readonly Json[];

interface ReadOutput {
  readonly output?: readonly Part[];
  readonly hints?: JsonObject;
}

/**
 * What a function gave: a text, JSON, or contents where it gave those and nothing of their JSON would change. `holder`
 * is the content that holds the result: a number is spelled by that.
 */
export function readResult(
  holder: JsonObject,
  codec: { readonly read: ReadContents; readonly write: WriteContents },
  reading: Reading,
): ReadOutput {
  const result = holder["result"];
  if (result === undefined || result === null) return {};
  if (typeof result === "string") return { output: [{ type: "text", text: result }] };
  const isList = Array.isArray(result);
  const list: readonly Json[] = isList ? result : [result];
  const parts = list.length > 0 && list.every(isTyped) ? codec.read(list) : undefined;
  if (parts && writesAs(parts, list, codec.write)) {
    const [only] = parts;
    const form = isList ? "list" : "content";
    const isPlain = parts.length === 1 && only !== undefined && (!isList || isPlainText(only));
    return { output: parts, ...(isPlain && { hints: { $result: form } }) };
  }
  const part: DataPart = { type: "data", data: result };
  const text = typeof result === "number" ? reading.exact?.numbers.get(holder)?.get("result") : undefined;
  if (reading.exact && text !== undefined) setNumberText(reading.exact, { holder: part, key: "data" }, text);
  return { output: [part] };
}

const isTyped = (value: Json): boolean => {
  const word = isJsonObject(value) ? value["$type"] : undefined;
  return typeof word === "string" && isContentKind(word);
};

/** Contents are taken for parts only where their JSON comes back as it is. */
function writesAs(parts: readonly Part[], list: readonly Json[], write: WriteContents): boolean {
  if (parts.every(({ type }) => type === "opaque")) return false;
  const lost: string[] = [];
  const written = write(parts, { path: [], context: { lose: code => void lost.push(code) } });
  return lost.length === 0 && JSON.stringify(written) === JSON.stringify(list);
}

/** Text and nothing else: what .NET's functions return as a string. */
const isPlainText = (part: Part): boolean =>
  part.type === "text" &&
  Object.keys(part).every(key => key === "type" || key === "text" || key === "exact" || key === "native") &&
  Object.keys(hintsOf(part, family)).every(key => !isContent(key));

/** The members that a result's output makes. */
export function writeResult(part: ToolResultPart, write: WriteContents, writing: Writing): JsonObject {
  const { output } = part;
  const { lose } = writing.context;
  if (part.outcome === "denied" && (output ?? []).length === 0) {
    lose("denied-text", within(writing, "output").path);
    return { result: deniedText };
  }
  if (output === undefined) return {};
  const [only] = output;
  const form = hintsOf(part, family)["$result"];
  const where = within(writing, "output");
  if (!only) {
    lose("empty-output", where.path);
    return {};
  }
  if (output.length > 1) return { result: write(output, where) };
  if (only.type === "data") return writeData(only, within(where, 0));
  if (isPlainText(only) && only.type === "text" && form !== "list" && form !== "content") return { result: only.text };
  const contents = write(output, where);
  return { result: form === "content" ? (contents[0] ?? null) : contents };
}

function writeData(part: DataPart, writing: Writing): JsonObject {
  const { data } = part;
  if (typeof data === "string") writing.context.lose("data-text", writing.path);
  else if (data === null) writing.context.lose("empty-output", writing.path);
  else if (looksLikeContents(data)) writing.context.lose("data-contents", writing.path);
  return { result: data };
}

const looksLikeContents = (data: Json): boolean =>
  Array.isArray(data) ? data.length > 0 && data.every(isTyped) : isTyped(data);

/** What a program wrote and how it ended, by the names that services have for it; undefined where it is other data. */
export function writeRun({ data }: DataPart, writing: Writing): readonly JsonObject[] | undefined {
  if (!isJsonObject(data)) return undefined;
  const { stdout, stderr, return_code: code, content, lines } = data;
  const hasStreams = typeof stdout === "string" || typeof stderr === "string";
  const seen = typeof content === "string" ? content : isTexts(lines) ? lines.join("\n") : undefined;
  if (!hasStreams && seen === undefined) return undefined;
  writing.context.lose("program-output", writing.path);
  if (!hasStreams) return [{ $type: "text", text: seen ?? "" }];
  const failed = (typeof stderr === "string" && stderr !== "") || (typeof code === "number" && code !== 0);
  const error = { $type: "error", message: stderr ?? "", ...(typeof code === "number" && { errorCode: String(code) }) };
  return [
    ...(typeof stdout === "string" && stdout !== "" ? [{ $type: "text", text: stdout }] : []),
    ...(failed ? [error] : []),
  ];
}

const isTexts = (value: Json | undefined): value is readonly string[] & Json =>
  Array.isArray(value) && value.every(line => typeof line === "string");

/** Data beside other parts has no content of its own: it is written as its text. */
export function writeDataText(part: DataPart, writing: Writing): JsonObject {
  writing.context.lose("data-text", writing.path);
  return { $type: "text", text: jsonTextOf(part, "data") ?? "null" };
}
