import { isJsonObject, type Json, type Part, type ToolCallPart, type ToolResultPart } from "translogue";
import { jsonCopy } from "../json-copy.ts";
import { toolResult } from "../loop/results.ts";
import type { ToolOutput } from "./tool.ts";

/**
 * What a tool returned, as the result of its call. A string is a text part, bytes are a file part, and any other JSON is a
 * data part: so every format finds how it was (lighter writes `JSON.stringify` of the value, Chat the text without quotes).
 * A copy: what the tool does with its object afterwards is its own affair. Throws for what JSON cannot hold, with its place.
 */
export function resultOf(call: ToolCallPart, returned: unknown): ToolResultPart {
  if (isResultOf(call, returned)) return { name: call.name, ...(jsonCopy(returned) as unknown as ToolResultPart) }; // a copy of one
  if (!isToolOutput(returned)) return toolResult(call, { output: partsOf(returned) });
  const { output, structured, display, isError } = returned;
  return toolResult(call, {
    output: partsOf(output),
    ...(structured !== undefined && { structured: jsonCopy(structured) }),
    ...(display && { display: jsonCopy(display) as unknown as readonly Part[] }), // a copy of what are parts
    ...(isError && { outcome: "error" as const }),
  });
}

/** The tool made the whole result itself. */
const isResultOf = (call: ToolCallPart, value: unknown): boolean =>
  isJsonObject(value) &&
  value["type"] === "tool-result" &&
  value["callId"] === call.callId &&
  (value["output"] === undefined || Array.isArray(value["output"]));

const faces = ["output", "structured", "display", "isError"];

const isToolOutput = (value: unknown): value is ToolOutput =>
  isJsonObject(value) &&
  "output" in value &&
  Object.keys(value).length > 1 &&
  Object.keys(value).every(key => faces.includes(key));

function partsOf(value: unknown): readonly Part[] {
  // As the Microsoft Agent Framework words a function that returns nothing.
  if (value === undefined) return [{ type: "text", text: "Success: Function completed." }];
  if (typeof value === "string") return [{ type: "text", text: value }];
  const bytes = bytesOf(value);
  if (bytes) return [{ type: "file", mediaType: "application/octet-stream", source: { data: base64Of(bytes) } }];
  const data = jsonCopy(value);
  return isPartList(data) ? data : [{ type: "data", data }];
}

function bytesOf(value: unknown): Uint8Array | undefined {
  if (value instanceof ArrayBuffer) return new Uint8Array(value);
  return value instanceof Uint8Array ? value : undefined;
}

const chunkSize = 8192;

/** In chunks: a call takes only so many arguments. */
function base64Of(bytes: Uint8Array): string {
  const texts: string[] = [];
  for (let start = 0; start < bytes.length; start += chunkSize) {
    texts.push(String.fromCharCode(...bytes.subarray(start, start + chunkSize)));
  }
  return btoa(texts.join(""));
}

/** A list of JSON objects may look like this by chance only where each of them is such a part. */
const isPartList = (value: unknown): value is readonly Part[] =>
  Array.isArray(value) && value.length > 0 && value.every(isOutputPart);

function isOutputPart(value: Json): boolean {
  if (!isJsonObject(value)) return false;
  switch (value["type"]) {
    case "text":
      return typeof value["text"] === "string";
    case "file":
      return isJsonObject(value["source"]);
    case "data":
      return "data" in value;
    case "source":
      return typeof value["url"] === "string" || typeof value["title"] === "string" || Array.isArray(value["parts"]);
    default:
      return false;
  }
}
