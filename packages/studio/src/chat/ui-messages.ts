import type { UiMessage } from "@translogue/server/contract";
import type { Message } from "translogue";
import { aiSdkUi } from "translogue/ai-sdk-ui";
import { encode } from "translogue/convert";
import { dialect } from "./dialect.ts";
import { withoutQuestion } from "./questions.ts";

/** Messages as the AI SDK's own client would send them. */
export function uiMessages(messages: readonly Message[]): readonly UiMessage[] {
  const shown = messages.map(message => ({ ...message, parts: message.parts.map(withoutQuestion) }));
  const { value } = encode(aiSdkUi, { messages: shown }, { shape: "messages", dialect, recipient: "client" });
  return value as unknown as readonly UiMessage[]; // the shape `messages` of the format
}
