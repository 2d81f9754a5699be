import {
  decode,
  encode,
  type Issue,
  isJsonObject,
  type Json,
  type JsonObject,
  type Message,
  type Part,
} from "translogue";
import { expect } from "vitest";

type Language = "python" | "js";
const dialects = { python: "langchain:python", js: "langchain:js-flat" } as const;

interface Read {
  readonly message: Message;
  readonly issues: readonly Issue[];
}

/** An answer with this content, as each language writes it flat. */
export function read(content: Json, language: Language = "python", provider?: string, type = "ai"): Read {
  const metadata: JsonObject = provider === undefined ? {} : { model_provider: provider };
  const wire = { content, additional_kwargs: {}, response_metadata: metadata, type };
  const { conversation, issues } = decode([wire], { from: dialects[language], shape: "messages" });
  const [message] = conversation.messages;
  if (!message) throw new Error("no message was read");
  return { message, issues };
}

export function write(message: Message, language: Language = "python"): Json {
  const { value, losses } = encode(
    { messages: [message] },
    { to: dialects[language], shape: "messages", recipient: "store", carry: false },
  );
  expect(losses).toEqual([]);
  const [wire] = value as readonly Json[]; // messages are a list
  return isJsonObject(wire) ? (wire["content"] ?? null) : null;
}

export const bare = (parts: readonly Part[]): Json =>
  JSON.parse(JSON.stringify(parts, (key, value: unknown) => (key === "native" ? undefined : value))) as Json; // parts are JSON
