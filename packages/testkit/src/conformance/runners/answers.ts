import { isJsonObject, type Json } from "translogue";

/** How many answers a stream of events holds, by what begins one. Some hosts begin one twice: then it is the same. */
export function answersIn(events: readonly Json[]): number {
  const starts = events.flatMap((event, index): readonly string[] => {
    if (!isJsonObject(event)) return [];
    if (event["type"] === "response.created") return [String(index)];
    const message = event["type"] === "message_start" ? event["message"] : undefined;
    return isJsonObject(message ?? null) ? [JSON.stringify(message)] : [];
  });
  return new Set(starts).size;
}
