import type { EncodeContext } from "../../codec/codec.ts";
import { Reader } from "../../codec/reader.ts";
import { fillAll, hintsOf, kept } from "../../codec/remainder.ts";
import type { Conversation } from "../../model/conversation.ts";
import { isJsonObject, type Json, type JsonObject } from "../../model/json.ts";
import { readError, writeError } from "./contents.ts";
import { family } from "./wire.ts";

/** An error body → a failed answer. */
export function readErrorBody(wire: JsonObject): Conversation {
  const reader = new Reader(wire);
  const isInside = Object.hasOwn(wire, "error");
  const holder = isInside ? (reader.peek("error") ?? null) : wire;
  if (isInside) reader.take("error");
  const rest = isInside ? reader.rest() : undefined;
  const hints = { ...(rest && { response: rest }), ...(!isInside && { $error: "body" }) };
  return {
    messages: [
      {
        role: "assistant",
        parts: [readError(holder, "string")],
        finish: { reason: "error" },
        ...kept(family, undefined, hints),
      },
    ],
  };
}

/** The last error of a conversation as a body. */
export function writeErrorBody(conversation: Conversation, context: EncodeContext): Json {
  const all = conversation.messages.flatMap((message, index) =>
    message.parts.map((part, place) => ({ part, message, path: ["messages", index, "parts", place] })),
  );
  const last = all.findLast(({ part }) => part.type === "error");
  for (const each of all) if (each !== last) context.lose("not-the-error", each.path, each.part.type);
  if (last?.part.type !== "error") {
    context.lose("no-error", ["messages"]);
    return { error: { code: "unknown", message: "" } };
  }
  const error = writeError(last.part, "string");
  const { response, $error: form } = hintsOf(last.message, family);
  if (form === "body" && isJsonObject(error)) return error;
  return fillAll({ error }, isJsonObject(response) ? response : {});
}
