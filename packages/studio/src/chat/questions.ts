import { type InputRequestPart, type InputResponsePart, isJsonObject, type Json, type Part } from "translogue";

/** Questions and their answers come and go as data on this wire: `data-input-request` and `data-input-response`. */
const names = ["input-request", "input-response"] as const;

/** A part as it is shown: a question, an answer, or what it is. */
export function withQuestion(part: Part): Part {
  if (part.type !== "data") return part;
  const type = names.find(name => name === part.name);
  const { data } = part;
  if (!type || !isJsonObject(data) || typeof data["requestId"] !== "string") return part;
  return { ...data, type } as unknown as InputRequestPart | InputResponsePart; // as the server writes them
}

/** The other way round, as the server takes it. */
export function withoutQuestion(part: Part): Part {
  if (part.type !== "input-request" && part.type !== "input-response") return part;
  const { type: name, native: _, exact: __, ...data } = part;
  return { type: "data", name, id: part.requestId, data: data as unknown as Json }; // parts are JSON
}
