import { decode, isJsonObject, type Json, type JsonObject } from "translogue";
import { mafOf } from "./maf-loop-compared.ts";

/** What the original told of a step, as what ours is compared with. */

/** The options stand in one object; tools are named, and the rest is compared by what it sets. */
export function requestOf({ messages, options }: JsonObject): JsonObject {
  const { tools = [], conversationId = null, toolMode = null, ...rest } = isJsonObject(options) ? options : {};
  return { messages: messages ?? [], tools, conversationId, toolMode, options: JSON.stringify(rest) };
}

/** Its responses name no model. */
export const withoutModels = (script: Json): Json =>
  JSON.parse(JSON.stringify(script, (key, value: Json) => (key === "modelId" ? undefined : value))) as Json; // JSON again

/** The updates of a stream, put together; a reader that left was not told what it cost. */
export function combinedText(updates: Json, isLeft: boolean): string {
  const wires = (Array.isArray(updates) ? updates : []).map(text => JSON.parse(String(text)) as Json); // texts of JSON
  const { messages } = decode(wires, { from: "maf:agent", shape: "stream" }).conversation;
  const heard = messages.map(({ usage, ...message }) => (isLeft || !usage ? message : { ...message, usage }));
  return JSON.stringify({ messages: mafOf(heard) });
}
