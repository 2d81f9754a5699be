/** What went wrong with a tool that a provider ran, as the output of LangChain's result: `{ type: "error", message, error_code }`. */

import { present } from "../../codec/remainder.ts";
import { isJsonObject, type Json, type JsonObject } from "../../model/json.ts";
import { jsonTextOf } from "../../model/json-text.ts";
import type { Part, PartOf } from "../../model/parts.ts";
import { langchainContent, type Report, reportForeign } from "./content-places.ts";

/** Undefined where the output is something else, or says more. */
export function readFailure(output: Json): PartOf<"error"> | undefined {
  if (!isJsonObject(output)) return undefined;
  const { type, message, error_code: code, ...others } = output;
  const isKnown = type === "error" && typeof message === "string" && Object.keys(others).length === 0;
  if (!isKnown || (code !== undefined && typeof code !== "string")) return undefined;
  return { type: "error", message, ...(code !== undefined && { code }) };
}

export function writeFailure(part: PartOf<"error">, report: Report): JsonObject {
  reportForeign(part, langchainContent, report);
  return present({ type: "error", message: part.message, error_code: part.code });
}

/** The text that stands for a part which no list of blocks holds; undefined where none does. */
export function textFor(part: Part): PartOf<"text"> | undefined {
  const text =
    part.type === "data"
      ? jsonTextOf(part, "data")
      : part.type === "error"
        ? part.message
        : part.type === "change" && part.toolsAdded
          ? JSON.stringify({ tools: part.toolsAdded })
          : undefined;
  return text === undefined ? undefined : { type: "text", text };
}
