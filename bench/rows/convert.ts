import { check, convert, decode } from "../../packages/core/dist/index.js";
import { checkTarget, prepare, repair } from "../../packages/core/dist/targets.js";
import { chatHistory, uiHistory } from "../inputs.ts";
import type { Row } from "../measure.ts";

const sizes = [10, 100, 1000, 10_000];

interface ChatMessage {
  readonly role: string;
  readonly content:
    | string
    | readonly { readonly type: string; readonly text?: string; readonly image_url?: { readonly url: string } }[];
  readonly tool_call_id?: string;
  readonly tool_calls?: readonly {
    readonly id: string;
    readonly function: { readonly name: string; readonly arguments: string };
  }[];
}

/** Written by hand for this history alone: no loss, no seal, no other shape is looked for. */
function byHand(messages: readonly ChatMessage[]): unknown[] {
  return messages.map(({ role, content, tool_call_id, tool_calls }) => {
    const parts =
      typeof content === "string"
        ? [{ type: "text", text: content }]
        : content.map(part =>
            part.type === "text"
              ? { type: "text", text: part.text }
              : { type: "image", source: { type: "url", url: part.image_url?.url } },
          );
    if (role === "tool")
      return { role: "user", content: [{ type: "tool_result", tool_use_id: tool_call_id, content }] };
    const calls = (tool_calls ?? []).map(call => ({
      type: "tool_use",
      id: call.id,
      name: call.function.name,
      input: JSON.parse(call.function.arguments) as unknown,
    }));
    return { role, content: [...parts, ...calls] };
  });
}

export const convertRow: Row = {
  id: "convert",
  name: "a Chat history → Anthropic's request (peers: to what they convert to)",
  unit: "µs per message",
  sizes,
  contenders: [
    {
      name: "floor: written by hand",
      prepare: count => {
        const messages = chatHistory(count) as ChatMessage[];
        return () => byHand(messages);
      },
    },
    {
      name: "JSON.parse of the history",
      prepare: count => {
        const text = JSON.stringify(chatHistory(count));
        return () => JSON.parse(text) as unknown;
      },
    },
    {
      name: "translogue, with the loss report",
      prepare: count => {
        const body = { model: "m", max_tokens: 1000, messages: chatHistory(count) };
        return () => convert(body, { from: "openai-chat", to: "anthropic-messages", shape: "request" });
      },
    },
    {
      name: "translogue, decode alone",
      prepare: count => {
        const body = { model: "m", max_tokens: 1000, messages: chatHistory(count) };
        return () => decode(body, { from: "openai-chat", shape: "request" });
      },
    },
    {
      name: "llm-bridge → anthropic",
      prepare: async count => {
        const { translate } = await import("../peers/llm-bridge.ts");
        const messages = chatHistory(count);
        return () => translate(messages);
      },
    },
    {
      name: "pi-ai → openai",
      prepare: async count => {
        const { convert: toOpenai, history } = await import("../peers/pi.ts");
        const messages = history(chatHistory(count));
        return () => toOpenai(messages);
      },
    },
    {
      name: "@langchain/core from openai's",
      prepare: async count => {
        const { coerce } = await import("../peers/langchain.ts");
        const messages = chatHistory(count);
        return () => coerce(messages);
      },
    },
    {
      name: "ai convertToModelMessages",
      prepare: async count => {
        const { toModel } = await import("../peers/ai.ts");
        const messages = uiHistory(count);
        return () => toModel(messages);
      },
    },
    {
      name: "translogue ai-sdk-ui → ai-sdk-model",
      prepare: count => {
        const messages = uiHistory(count);
        return () => convert(messages, { from: "ai-sdk-ui", to: "ai-sdk-model", shape: "messages" });
      },
    },
    {
      name: "@tanstack/ai UI → model",
      prepare: async count => {
        const { toModel } = await import("../peers/tanstack.ts");
        const messages = uiHistory(count);
        return () => toModel(messages);
      },
    },
  ],
};

export const checkRow: Row = {
  id: "check",
  name: "check a history",
  unit: "µs per message",
  sizes,
  contenders: [
    {
      name: "floor: JSON.stringify of the history",
      prepare: count => {
        const messages = uiHistory(count);
        return () => messages.map(each => JSON.stringify(each).length);
      },
    },
    {
      name: "translogue check",
      prepare: count => {
        const { conversation } = decode(uiHistory(count), { from: "ai-sdk-ui", shape: "messages" });
        return () => check(conversation);
      },
    },
    {
      name: "ai validateUIMessages",
      prepare: async count => {
        const { validate } = await import("../peers/ai.ts");
        const messages = uiHistory(count);
        return () => validate(messages);
      },
    },
  ],
};

const conversationOf = (count: number) =>
  repair(
    decode({ model: "gpt-5", messages: chatHistory(count) }, { from: "openai-chat", shape: "request" }).conversation,
    "openai-chat",
  ).conversation;

export const checkTargetRow: Row = {
  id: "check-target",
  name: "check a history for a provider, and prepare it, where nothing is wrong",
  unit: "µs per message",
  sizes,
  contenders: [
    {
      name: "floor: the length of every text",
      prepare: count => {
        const { messages } = conversationOf(count);
        return () =>
          messages.reduce(
            (sum, { parts }) =>
              sum + parts.reduce((all, part) => all + ("text" in part ? (part.text?.length ?? 0) : 0), 0),
            0,
          );
      },
    },
    ...["openai-chat", "anthropic-messages"].map(target => ({
      name: `translogue checkTarget, ${target}`,
      prepare: (count: number) => {
        const { conversation } = repair(conversationOf(count), target);
        return () => checkTarget(conversation, target);
      },
    })),
    {
      name: "translogue repair",
      prepare: count => {
        const conversation = conversationOf(count);
        return () => repair(conversation, "openai-chat");
      },
    },
    {
      name: "translogue prepare",
      prepare: count => {
        const conversation = conversationOf(count);
        return () => prepare(conversation, "openai-chat");
      },
    },
  ],
};
