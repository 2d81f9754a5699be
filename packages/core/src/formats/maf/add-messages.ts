import { present } from "../../codec/remainder.ts";
import type { ExactText } from "../../model/exact-text.ts";
import type { Json, JsonObject } from "../../model/json.ts";
import { toChatResponse } from "./coalesce.ts";
import { authorOf, envelopeOf, givenOf, itemsOf, notThis, updateOf } from "./update-members.ts";

/** A list of `ChatMessage`s, and after them those of a `ChatResponse`; as .NET's `AddMessages`, but a new list. */
export function addResponse(list: readonly Json[], response: JsonObject): readonly Json[] {
  const { messages } = envelopeOf(response, "the response");
  return [...listOf(list), ...itemsOf(messages)];
}

/** A list of `ChatMessage`s, and after them those that the updates make together; no update adds nothing. */
export function addUpdates(list: readonly Json[], updates: Iterable<JsonObject>, exact?: ExactText): readonly Json[] {
  const all = [...updates];
  return all.length === 0 ? listOf(list) : addResponse(list, toChatResponse(all, exact));
}

/**
 * A list of `ChatMessage`s, and after them one of the contents of a single update that `keeps` lets through, just as they
 * are; none adds nothing. The message takes the author, date and properties of the update, not its id.
 */
export function addUpdate(
  list: readonly Json[],
  update: JsonObject,
  keeps: (content: Json) => boolean = () => true,
): readonly Json[] {
  const { role, createdAt, contents, additionalProperties } = updateOf(update, 0);
  const kept = itemsOf(contents).filter(keeps);
  if (kept.length === 0) return listOf(list);
  const message = present({
    authorName: authorOf(update),
    createdAt: givenOf(createdAt),
    role: role ?? "assistant",
    contents: kept,
    additionalProperties: givenOf(additionalProperties),
  });
  return [...listOf(list), message];
}

/** JavaScript's callers may have no list in their hands. */
function listOf(list: readonly Json[]): readonly Json[] {
  if (!Array.isArray(list)) throw notThis("there is no list to add messages to");
  return list;
}
