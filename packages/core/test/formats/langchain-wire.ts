import { type Conversation, decode, encode, type FormatRef, type Json, type Message, writeText } from "translogue";

export type Dialect = "python" | "python-stored" | "python-lc" | "js-lc" | "js-stored" | "js-flat" | "openai";

export const to = (dialect: Dialect): FormatRef => `langchain:${dialect}`;
export const plain = { recipient: "store", carry: false } as const;

export const write = (messages: readonly Message[], dialect: Dialect): Json =>
  encode({ messages }, { to: to(dialect), shape: "messages", ...plain }).value as Json; // the codec writes JSON
export const read = (value: Json, dialect: Dialect): Conversation => decode(value, { from: to(dialect) }).conversation;
export const one = (wire: Json, dialect: Dialect = "python"): Message => read([wire], dialect).messages[0] as Message; // one was given
export const bytes = (wire: Json, dialect: Dialect, style?: string): string =>
  writeText(wire, "langchain", { shape: "message", dialect, ...(style !== undefined && { style }) });

export const lc = (name: string, kwargs: Json, space: readonly string[] = ["langchain_core", "messages"]): Json => ({
  lc: 1,
  type: "constructor",
  id: [...space, name],
  kwargs,
});
export const flat = (type: string, members: { readonly [member: string]: Json } = {}): { [member: string]: Json } => ({
  content: "",
  additional_kwargs: {},
  response_metadata: {},
  type,
  name: null,
  id: null,
  ...members,
});
export const ai = (members: { readonly [member: string]: Json } = {}): { [member: string]: Json } =>
  flat("ai", { tool_calls: [], invalid_tool_calls: [], usage_metadata: null, ...members });
