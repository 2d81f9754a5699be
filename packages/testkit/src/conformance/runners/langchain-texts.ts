import { isJsonObject, type Json } from "translogue";
import type { langchainRules } from "../rules/langchain.ts";
import { memberOf as member } from "./langchain-specs.ts";

/** Where JavaScript's `text` is not what is text. */
export function textRule(json: Json | undefined, text: Json | undefined): keyof typeof langchainRules | undefined {
  const kwargs = member(json, "kwargs");
  const content = member(kwargs, "content");
  if (Array.isArray(content) && content.some(block => typeof block === "string")) return "bare strings";
  const isOfBlocks = member(kwargs, "content_blocks") !== undefined && content === undefined;
  return isOfBlocks && text === "" ? "blocks that are not read" : undefined;
}

const contentOf = (json: Json | undefined): Json | undefined =>
  member(json, "content") ?? member(member(json, "kwargs"), "content");

/** Of providers' own blocks a language's `text` has those of the type `text`, thoughts among them, and no others. */
const isTypedApart = (block: Json): boolean =>
  isJsonObject(block) &&
  (block["type"] === "citations_content" ||
    block["thought"] === true ||
    (block["type"] === undefined && "text" in block));

export function typesRule(json: Json | undefined): keyof typeof langchainRules | undefined {
  const content = contentOf(json);
  return Array.isArray(content) && content.some(isTypedApart) ? "texts by their type" : undefined;
}

/** The message with its texts alone in the blocks of the type. */
export function asTyped(json: Json | undefined): Json | undefined {
  const content = contentOf(json);
  if (!isJsonObject(json) || !Array.isArray(content) || typesRule(json) === undefined) return json;
  const typed = (content as readonly Json[]).flatMap(block => {
    if (!isTypedApart(block)) return [block];
    return member(block, "type") === "text" ? [{ type: "text", text: member(block, "text") ?? "" }] : [];
  }); // a list of JSON
  const kwargs = json["kwargs"];
  return isJsonObject(kwargs) ? { ...json, kwargs: { ...kwargs, content: typed } } : { ...json, content: typed };
}
