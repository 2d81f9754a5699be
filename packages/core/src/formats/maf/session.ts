/** A serialised `ChatClientAgentSession` ↔ a conversation: its in-memory history is the messages, the state bag stays. */

import type { EncodeContext } from "../../codec/codec.ts";
import { Reader } from "../../codec/reader.ts";
import { hintsOf, kept, remainderOf } from "../../codec/remainder.ts";
import type { Conversation } from "../../model/conversation.ts";
import { isJsonObject, type Json, type JsonObject, type MutableJsonObject, setMember } from "../../model/json.ts";
import { paired, readMessage } from "./decode-message.ts";
import { writeMessages } from "./encode-message.ts";
import { readTyped } from "./read.ts";
import { declared, typeRow } from "./type-rows.ts";
import { family, inOrder, type Reading } from "./wire.ts";

const historyKey = "InMemoryChatHistoryProvider";
/** Where the history stood until the state bag came (2026-02-13). */
const oldKeys = ["chatHistoryProviderState", "storeState"];

export function readSession(value: JsonObject, reading: Reading): Conversation {
  const reader = new Reader(value);
  const id = reader.member("conversationId", (word): word is string => typeof word === "string" && word !== "");
  const oldKey = oldKeys.find(key => isJsonObject(reader.peek(key)));
  const bag = reader.object("stateBag");
  const old = oldKey === undefined || bag ? undefined : reader.object(oldKey);
  const history = bag ? bag[historyKey] : old;
  const typed = isJsonObject(history) ? readHistory(history, reading) : undefined;
  const list = typed?.["messages"];
  const messages = Array.isArray(list) ? list : [];
  const path = bag ? ["stateBag", historyKey, "messages"] : [oldKey ?? "", "messages"];
  const read = messages.map((message: Json, index) => readMessage(message, { index, path: [...path, index] }, reading));
  const others = { ...reader.rest(), ...bagRest(bag, typed) };
  return {
    ...(id !== undefined && { id }),
    messages: paired(read),
    ...kept(family, others, hintsFor(bag, typed)),
  };
}

function readHistory(history: JsonObject, reading: Reading): JsonObject | undefined {
  const type = declared("InMemoryChatHistory");
  const { exact, context } = reading;
  const issue = (code: string, path: readonly (string | number)[], message: string) =>
    context.issue(code, ["stateBag", historyKey, ...path], message);
  const typed = type && readTyped(history, type, { exact, issue });
  return isJsonObject(typed) ? typed : undefined;
}

/** The state bag without the messages. */
function bagRest(bag: JsonObject | undefined, history: JsonObject | undefined): JsonObject {
  if (!bag) return {};
  const others: MutableJsonObject = {};
  for (const key of Object.keys(bag)) {
    if (key === historyKey && history) {
      const { messages, ...rest } = history;
      const left = Array.isArray(messages) ? rest : history;
      if (Object.keys(left).length > 0) setMember(others, key, left);
    } else setMember(others, key, bag[key] ?? null);
  }
  return Object.keys(others).length > 0 ? { stateBag: others } : {};
}

/** Whether there was a history, and the order of a bag in which it was not the first. */
function hintsFor(bag: JsonObject | undefined, history: JsonObject | undefined): JsonObject {
  if (!history) return { $history: false };
  const keys = Object.keys(bag ?? {});
  return keys.indexOf(historyKey) > 0 ? { $bag: keys } : {};
}

export function writeSession(conversation: Conversation, context: EncodeContext): JsonObject {
  const { $history: has, $bag: order } = hintsOf(conversation, family);
  const { stateBag: others, ...members } = remainderOf(conversation, family);
  const bag = isJsonObject(others) ? others : {};
  const messages = writeMessages(conversation, context);
  const rest = bag[historyKey];
  const { messages: other, ...left } = isJsonObject(rest) ? rest : {};
  // Messages that were none stay what they were while there are no others.
  const history = { messages: messages.length === 0 && other !== undefined ? other : messages, ...left };
  const isLeftOut = has === false && messages.length === 0;
  const all: JsonObject = isLeftOut ? bag : { ...bag, [historyKey]: history };
  const keys = [...(Array.isArray(order) ? order.map(String) : [historyKey]), ...Object.keys(all)];
  const stateBag: MutableJsonObject = {};
  for (const key of new Set(keys)) {
    const value = Object.hasOwn(all, key) ? all[key] : undefined;
    if (value !== undefined) setMember(stateBag, key, value);
  }
  const { id } = conversation;
  const fields = { ...members, ...(id !== undefined && { conversationId: id }), stateBag };
  return inOrder(fields, typeRow("ChatClientAgentSession"));
}
