import { isJsonObject, type Json, type JsonObject } from "../../model/json.ts";

/**
 * `Text` of a value of MAF's: of a message or an update its texts, joined; of a response those of its messages that have
 * one, a line each; of a text or reasoning content its own. `newLine`: `Environment.NewLine` of the platform meant, "\n" by default.
 */
export function textOfMaf(value: Json, newLine = "\n"): string {
  if (!isJsonObject(value)) return typeof value === "string" ? value : "";
  if (Array.isArray(value["messages"])) return textsOf(value["messages"]).join(newLine);
  if (Array.isArray(value["contents"])) return textOfContents(value["contents"]);
  const { text } = value;
  return typeof text === "string" ? text : "";
}

const textsOf = (messages: readonly Json[]): string[] =>
  messages.map(message => textOfMaf(message)).filter(text => text !== "");

const textOfContents = (contents: readonly Json[]): string =>
  contents.map(content => (isText(content) ? content["text"] : "")).join("");

const isText = (content: Json): content is JsonObject & { readonly text: string } =>
  isJsonObject(content) && content["$type"] === "text" && typeof content["text"] === "string";
