import { lastError } from "../../blocks/last-error.ts";
import type { EncodeContext } from "../../codec/codec.ts";
import { Reader } from "../../codec/reader.ts";
import { hintsOf, kept, remainderOf, restored } from "../../codec/remainder.ts";
import type { Conversation } from "../../model/conversation.ts";
import { isJsonObject, type Json, type JsonObject } from "../../model/json.ts";
import { stringifyJson } from "../../model/json-text.ts";
import type { PartOf } from "../../model/parts.ts";
import { family } from "./wire.ts";

/** What is wrong: the text at the end of a stream, an object with a `message`, or something else. */
export function readError(wire: Json): PartOf<"error"> {
  if (typeof wire === "string") return { type: "error", message: wire };
  const reader = isJsonObject(wire) ? new Reader(wire) : undefined;
  const message = reader?.string("message");
  if (!reader || message === undefined) {
    return { type: "error", message: stringifyJson(wire), ...kept(family, undefined, { $error: wire }) };
  }
  return { type: "error", message, ...kept(family, reader.rest()) };
}

/** The error of an answer: a text, unless it was more. */
export function writeError(part: PartOf<"error">): Json {
  const { $error: raw } = hintsOf(part, family);
  if (raw !== undefined && readError(raw).message === part.message) return raw;
  return Object.keys(remainderOf(part, family)).length > 0 ? errorObject(part) : part.message;
}

const errorObject = (part: PartOf<"error">): JsonObject => restored({ message: part.message }, part, family);

/** The body of a refused request → a failed answer. */
export function readErrorBody(wire: JsonObject): Conversation {
  const hints = kept(family, undefined, { $error: "body" });
  return { messages: [{ role: "assistant", parts: [readError(wire)], finish: { reason: "error" }, ...hints }] };
}

/** The last error of a conversation as a body. */
export function writeErrorBody(conversation: Conversation, context: EncodeContext): Json {
  const last = lastError(conversation, context);
  if (!last) return { message: "" };
  const { $error: raw } = hintsOf(last.part, family);
  return isJsonObject(raw) && readError(raw).message === last.part.message ? raw : errorObject(last.part);
}
