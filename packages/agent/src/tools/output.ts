import { isJsonObject, type Json, type Part, type ToolCallPart, type ToolResultPart } from "translogue";
import { toolResult } from "../loop/results.ts";
import type { ToolOutput } from "./tool.ts";

/**
 * What a tool returned, as the result of its call. A string is a text part and any other JSON a data part: so every format
 * finds how it was (lighter writes `JSON.stringify` of the value, Chat the text without quotes). Throws what
 * `JSON.stringify` throws for a value that is no JSON.
 */
export function resultOf(call: ToolCallPart, returned: unknown): ToolResultPart {
  if (!isToolOutput(returned)) return toolResult(call, { output: partsOf(returned) });
  const { output, structured, display, isError } = returned;
  return toolResult(call, {
    output: partsOf(output),
    ...(structured !== undefined && { structured: jsonOf(structured) }),
    ...(display && { display }),
    ...(isError && { outcome: "error" as const }),
  });
}

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
  const data = jsonOf(value);
  return isPartList(data) ? data : [{ type: "data", data }];
}

/** A copy: what the tool does with its object afterwards is its own affair. */
function jsonOf(value: unknown): Json {
  const text = JSON.stringify(value);
  if (text === undefined) throw new TypeError(`the tool returned a ${typeof value}, which is no JSON`);
  return JSON.parse(text) as Json; // JSON.parse gives JSON
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
