import {
  type Conversation,
  check,
  decode,
  encode,
  isJsonObject,
  type Json,
  type JsonObject,
  type Message,
  type Part,
} from "translogue";
import { expect } from "vitest";

/** What the tests of this format share: short forms of values, and the round trip that every wire value must survive. */
export const format = "openai-chat";
export const text = (words: string): Part => ({ type: "text", text: words });
export const call = (callId: string, name: string, input: Json): Part => ({ type: "tool-call", callId, name, input });
export const result = (callId: string, ...output: Part[]): Part => ({ type: "tool-result", callId, output });

/** Values without hints, as what they mean. */
export function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain);
  if (!isJsonObject(value)) return value;
  const entries = Object.entries(value).filter(([key, member]) => !key.startsWith("$") && member !== undefined);
  const kept = entries.map(([key, member]) => [key, plain(member)] as const);
  return Object.fromEntries(kept.filter(([key, member]) => key !== "native" || !isEmpty(member)));
}
const isEmpty = (native: unknown): boolean =>
  isJsonObject(native) &&
  Object.values(native).every(family => isJsonObject(family) && Object.keys(family).length === 0);

export const read = (...messages: Json[]): Message[] => [
  ...decode(messages, { from: format, shape: "messages" }).conversation.messages,
];
export const parts = (message: Json): unknown => plain(read(message)[0]?.parts);
export const write = (conversation: Conversation, options: Partial<Parameters<typeof encode>[1] & object> = {}) =>
  encode(conversation, { to: format, shape: "messages", carry: false, ...options });
export const codes = (losses: readonly { readonly code: string }[]): string[] => [
  ...new Set(losses.map(({ code }) => code)),
];
export const forProvider = (messages: readonly Message[], dialect: string) =>
  encode({ messages }, { to: format, shape: "request", dialect });

/** A wire value that comes back as it was, for a store and, as the format sniffs its host, for that host. */
export function comesBack(value: Json, shape: "request" | "answer" | "messages" | "error"): Conversation {
  const { conversation, dialect } = decode(value, { from: format, shape });
  const options = { to: format, shape, dialect, carry: false } as const;
  const stored = encode(conversation, { ...options, recipient: "store" });
  expect(stored.value).toEqual(value);
  expect(stored.losses).toEqual([]);
  if (shape === "request") expect(encode(conversation, options).value).toEqual(value);
  expect(check(conversation).filter(({ severity }) => severity === "error")).toEqual([]);
  return conversation;
}

/** An answer of one choice. */
export const answer = (message: JsonObject, more: JsonObject = {}, choice: JsonObject = {}): JsonObject => ({
  id: "chatcmpl-1",
  object: "chat.completion",
  created: 1_764_500_000,
  model: "m",
  choices: [{ index: 0, message: { role: "assistant", ...message }, finish_reason: "stop", ...choice }],
  ...more,
});
