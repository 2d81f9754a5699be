/** Tools' results that are items of their own on the Responses wire. */

import { type Reader, rowOf } from "../../codec/reader.ts";
import { hintsOf, kept, present } from "../../codec/remainder.ts";
import type { Path } from "../../model/issue.ts";
import { isJsonObject, type Json, type JsonObject } from "../../model/json.ts";
import type { FilePart, Part, ToolResultPart } from "../../model/parts.ts";
import { deniedText } from "../chat-parts/calls.ts";
import { isPlainText, readContent, writeContent, writeFile } from "./content.ts";
import { type Located, type ReadScope, responses, type WriteScope } from "./node.ts";
import {
  joinedText,
  missing,
  notSaid,
  onlyData,
  opaque,
  outputOf,
  type Result,
  reportOutcome,
  textOf,
} from "./results.ts";

/** How a type of item says a result. */
export interface ResultType {
  readonly kind?: string;
  /** The member that names its call. */
  readonly id: "call_id" | "id";
  /** Whose side it is on where its call is not told. */
  readonly side: "tool" | "assistant";
  read(reader: Reader, path: Path, scope: ReadScope): Result & { readonly hints?: JsonObject };
  write(result: Located<ToolResultPart>, scope: WriteScope): JsonObject;
}

const functionResult: Omit<ResultType, "kind"> = { id: "call_id", side: "tool", read: readOutput, write: writeOutput };

export const resultTypes: { readonly [type: string]: ResultType } = {
  function_call_output: functionResult,
  custom_tool_call_output: { ...functionResult, kind: "custom" },
  local_shell_call_output: { ...functionResult, kind: "local-shell", id: "id" },
  apply_patch_call_output: { kind: "apply-patch", id: "call_id", side: "tool", read: readPatched, write: writePatched },
  computer_call_output: { kind: "computer", id: "call_id", side: "tool", read: readScreen, write: writeScreen },
  shell_call_output: { kind: "shell", id: "call_id", side: "tool", read: readChunks, write: writeChunks },
  tool_search_output: {
    kind: "tool-search",
    id: "call_id",
    side: "tool",
    read: readFoundTools,
    write: writeFoundTools,
  },
  program_output: { kind: "program", id: "call_id", side: "assistant", read: readProgram, write: writeProgram },
};

const typesByKind = new Map(Object.entries(resultTypes).map(([type, { kind }]) => [kind, type]));

/** Whether the results of a kind have a type of their own. */
export const hasResult = (kind: string | undefined): boolean => kind !== undefined && typesByKind.has(kind);

/** The type of item for a result of a call of this kind; a kind without one is a function's. */
export const typeOfResult = (kind: string | undefined): string => typesByKind.get(kind) ?? "function_call_output";

function readOutput(reader: Reader, path: Path, scope: ReadScope): Result & { readonly hints?: JsonObject } {
  const output = reader.peek("output");
  if (output === undefined) return {};
  reader.take("output");
  if (typeof output === "string") return { output: [{ type: "text", text: output }] };
  if (!Array.isArray(output)) return { output: [{ type: "data", data: output }], hints: { $output: "json" } };
  const parts = output.map((wire: Json, index) => readContent(wire, "others", [...path, "output", index], scope));
  const isTold = parts.length > 1 || parts.some(part => part.type !== "text");
  return { output: parts, ...(!isTold && { hints: { $output: "list" } }) };
}

function writeOutput(result: Located<ToolResultPart>, scope: WriteScope): JsonObject {
  const { part, path } = result;
  const { $output: told } = hintsOf(part, responses);
  const { output } = part;
  reportOutcome(result, undefined, scope);
  missing(result, scope);
  const [first] = output ?? [];
  if (told === "json" && output?.length === 1 && first?.type === "data") return { output: first.data };
  const places = outputOf(result).map(place => ({ place, text: textOf(place, scope) }));
  const [only] = places;
  const isText = only?.text !== undefined && (only.place.part.type !== "text" || isPlainText(only.place.part));
  if (places.length === 1 && isText && told !== "list") return { output: only?.text ?? "" };
  if (places.length === 0) {
    if (told !== "list" && output !== undefined) scope.lose("no-output", [...path, "output"]);
    if (told === "list") return { output: [] };
    return { output: part.outcome === "denied" ? deniedText : "" };
  }
  const list = places.flatMap(({ place, text }) => {
    if (text !== undefined && place.part.type !== "text") return [{ type: "input_text", text }];
    const wire = writeContent(place, "others", scope) ?? notSaid(place, scope);
    return wire === undefined ? [] : [wire];
  });
  return { output: list };
}

function readPatched(reader: Reader): Result {
  const text = reader.string("output");
  const isFailed = reader.literal("status", "failed");
  return {
    ...(text !== undefined && { output: [{ type: "text", text }] }),
    ...(isFailed && { outcome: "error" }),
  };
}

function writePatched(result: Located<ToolResultPart>, scope: WriteScope): JsonObject {
  reportOutcome(result, "error", scope);
  const output = result.part.output && joinedText(outputOf(result), result.path, scope);
  return present({ status: result.part.outcome === "error" ? "failed" : undefined, output });
}

function readScreen(reader: Reader, path: Path, scope: ReadScope): Result {
  const wire = reader.json("output");
  if (wire === undefined) return {};
  const screen = readContent(wire, "others", [...path, "output"], scope);
  const isScreen = screen.type === "file" && isJsonObject(wire) && wire["type"] === "computer_screenshot";
  return { output: [isScreen ? withoutType(screen) : opaque(wire)] };
}

/** A screenshot needs no hint that it is one. */
function withoutType(file: FilePart): FilePart {
  const { native, ...others } = file;
  const { $type: _, ...hints } = hintsOf(file, responses);
  return { ...others, ...kept(responses, hints) };
}

function writeScreen(result: Located<ToolResultPart>, scope: WriteScope): JsonObject {
  reportOutcome(result, undefined, scope);
  const places = outputOf(result);
  const found = places.findIndex(({ part }) => part.type === "file" && part.mediaType?.startsWith("image/"));
  const place = found < 0 ? places.find(({ part }) => part.type === "opaque") : places[found];
  for (const each of places) if (each !== place) notSaid(each, scope);
  if (place?.part.type === "opaque") return { output: place.part.value };
  if (place?.part.type !== "file") {
    if (result.part.output !== undefined || !Object.hasOwn(hintsOf(result.part, responses), "output"))
      missing(result, scope);
    return {};
  }
  return present({
    output: writeFile(place.part, place.path, { side: "others", scope, usual: "computer_screenshot" }),
  });
}

function readChunks(reader: Reader): Result {
  const list = reader.array("output");
  return list ? { output: list.map((data): Part => ({ type: "data", data })) } : {};
}

function writeChunks(result: Located<ToolResultPart>, scope: WriteScope): JsonObject {
  missing(result, scope);
  const isFailed = result.part.outcome !== undefined;
  if (isFailed) scope.lose("outcome", [...result.path, "outcome"], result.part.outcome);
  const chunks = outputOf(result).flatMap((place): Json[] => {
    const { part, path } = place;
    if (part.type === "data" && isJsonObject(part.data)) return [part.data];
    const text = part.type === "data" ? undefined : textOf(place, scope);
    if (text === undefined) {
      notSaid(place, scope);
      return [];
    }
    if (part.type === "text") scope.lose("data", path, "a shell's output");
    return [{ stdout: text, stderr: "", outcome: { type: "exit", exit_code: isFailed ? 1 : 0 } }];
  });
  return { output: chunks };
}

function readFoundTools(reader: Reader): Result & { readonly hints?: JsonObject } {
  const tools = reader.array("tools");
  return tools ? { output: [{ type: "data", data: tools }] } : {};
}

function writeFoundTools(result: Located<ToolResultPart>, scope: WriteScope): JsonObject {
  reportOutcome(result, undefined, scope);
  const data = onlyData(result, scope);
  if (data !== undefined && !Array.isArray(data)) scope.lose("output-part", result.path, "no list of tools");
  return { tools: Array.isArray(data) ? data : [] };
}

function readProgram(reader: Reader): Result {
  const text = reader.string("result");
  return text === undefined ? {} : { output: [{ type: "text", text }] };
}

function writeProgram(result: Located<ToolResultPart>, scope: WriteScope): JsonObject {
  reportOutcome(result, undefined, scope);
  return { result: joinedText(outputOf(result), result.path, scope) };
}

/** The members of a result that its item has beside ids. */
export const rowOfResult = (type: string): ResultType | undefined => rowOf(resultTypes, type);
