/** Probabilities of tokens are of the text that the model said: they are void once that was edited. */

import { isJsonObject, type Json, type JsonObject } from "../model/json.ts";

/** The text that tokens spell; undefined where they spell none. */
function spelled(tokens: Json | undefined): string | undefined {
  if (!Array.isArray(tokens) || tokens.length === 0) return undefined;
  const texts = tokens.map((each: Json) => (isJsonObject(each) ? each["token"] : undefined));
  return texts.every(text => typeof text === "string") ? texts.join("") : undefined;
}

/** The hint of tokens that do not spell their text as it was read (parts of characters, of reasoning): how long it was. */
export function tokensHint(tokens: Json | undefined, text: string): JsonObject {
  const own = spelled(tokens);
  return own === undefined || own === text ? {} : { $tokens: text.length };
}

/** Whether the tokens are of another text than this. */
export function areStale(tokens: Json | undefined, text: string, { $tokens: length }: JsonObject): boolean {
  const own = spelled(tokens);
  return own !== undefined && own !== text && length !== text.length;
}
