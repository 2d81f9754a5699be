import { lastError } from "../../blocks/last-error.ts";
import type { EncodeContext } from "../../codec/codec.ts";
import { Reader } from "../../codec/reader.ts";
import { fillAll, hintsOf, kept, remainderOf } from "../../codec/remainder.ts";
import type { Conversation } from "../../model/conversation.ts";
import type { Json, JsonObject } from "../../model/json.ts";
import { stringifyJson } from "../../model/json-text.ts";
import type { PartOf } from "../../model/parts.ts";
import { family } from "./wire.ts";

/** `error` is a text; something else is kept as its JSON. */
export function readError(wire: Json): PartOf<"error"> {
  if (typeof wire === "string") return { type: "error", message: wire };
  return { type: "error", message: stringifyJson(wire), ...kept(family, undefined, { $error: wire }) };
}

export function writeError(part: PartOf<"error">): Json {
  const { $error: raw } = hintsOf(part, family);
  return raw !== undefined && readError(raw).message === part.message ? raw : part.message;
}

/** The body of a refused request → a failed answer. */
export function readErrorBody(wire: JsonObject): Conversation {
  const reader = new Reader(wire);
  const error = readError(reader.json("error") ?? null);
  const native = kept(family, reader.rest(), { ...error.native?.[family] });
  const parts = [{ ...error, ...native }];
  const hints = kept(family, undefined, { $error: "body" });
  return { messages: [{ role: "assistant", parts, finish: { reason: "error" }, ...hints }] };
}

/** The last error of a conversation as a body. */
export function writeErrorBody(conversation: Conversation, context: EncodeContext): Json {
  const last = lastError(conversation, context);
  if (!last) return { error: "" };
  return fillAll({ error: writeError(last.part) }, remainderOf(last.part, family));
}
