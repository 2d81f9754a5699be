/** Probabilities of tokens are of the text that the model said: they are void once that was edited. */

import { isJsonObject, type Json, type JsonObject } from "../model/json.ts";
import type { Part } from "../model/parts.ts";
import { textPrint } from "./text-print.ts";

/** The text that tokens spell; undefined where they spell none. */
function spelled(tokens: Json | undefined): string | undefined {
  if (!Array.isArray(tokens) || tokens.length === 0) return undefined;
  const texts = tokens.map((each: Json) => (isJsonObject(each) ? (each["token"] ?? each["text"]) : undefined));
  return texts.every(text => typeof text === "string") ? texts.join("") : undefined;
}

/** What an answer says, of which its tokens are. */
export const saidIn = (parts: readonly Part[]): string =>
  parts.map(part => (part.type === "text" ? part.text : "")).join("");

/** The hint of tokens that do not spell their text as it was read (parts of characters, of reasoning): a fingerprint of it. */
export function tokensHint(tokens: Json | undefined, text: string, hint = "$tokens"): JsonObject {
  const own = spelled(tokens);
  return own === undefined || own === text ? {} : { [hint]: textPrint([text]) };
}

/** Whether the tokens are of another text than this. */
export function areStale(tokens: Json | undefined, text: string, hints: JsonObject, hint = "$tokens"): boolean {
  const own = spelled(tokens);
  return own !== undefined && own !== text && hints[hint] !== textPrint([text]);
}
