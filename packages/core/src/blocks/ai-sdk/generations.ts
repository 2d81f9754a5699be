/** Which messages are of the AI SDK's generation 4, as they lie in databases beside those of the newer ones. */

import { isJsonObject, type Json, type JsonObject } from "../../model/json.ts";

/** Lists that only generation 4 has beside the parts. */
const oldLists = ["toolInvocations", "experimental_attachments", "annotations"];

/** Parts that came with generation 5. */
const newTypes = ["dynamic-tool", "source-url", "source-document"];

/** The message can only be of generation 4. One without parts is so by its id and time: other formats know neither. */
export function isOldMessage(message: JsonObject): boolean {
  const { role, id, parts, content, reasoning } = message;
  if (oldLists.some(member => Array.isArray(message[member]))) return true;
  if (role === "data" && Object.hasOwn(message, "content")) return true;
  if (Array.isArray(parts)) return parts.some(isOldPart);
  if (typeof content !== "string") return false;
  return typeof reasoning === "string" || (typeof id === "string" && Object.hasOwn(message, "createdAt"));
}

/** Generation 4 has `content` beside the parts; applications keep it there for later ones, too. Texts look alike in all. */
export const mayBeOld = (message: JsonObject): boolean =>
  typeof message["content"] === "string" && Array.isArray(message["parts"]) && !isNewMessage(message);

/** It has a part that generation 4 did not know. */
export const isNewMessage = ({ parts }: JsonObject): boolean =>
  Array.isArray(parts) && parts.some(isNewPart) && !parts.some(isOldPart);

function isOldPart(part: Json): boolean {
  if (!isJsonObject(part)) return false;
  const { type, toolInvocation, reasoning, source } = part;
  if (isJsonObject(toolInvocation) || isJsonObject(source)) return true;
  return type === "reasoning" && typeof reasoning === "string";
}

function isNewPart(part: Json): boolean {
  if (!isJsonObject(part)) return false;
  const { type, text, state, url, toolCallId, data } = part;
  if (typeof type !== "string") return false;
  if (type.startsWith("tool-") && type !== "tool-invocation") return typeof toolCallId === "string";
  if (type.startsWith("data-")) return data !== undefined;
  if (type === "file") return typeof url === "string";
  if (type === "reasoning" || type === "text") {
    const isLater = state === "done" || state === "streaming" || isJsonObject(part["providerMetadata"]);
    return typeof text === "string" && (type === "reasoning" || isLater);
  }
  return newTypes.includes(type);
}
