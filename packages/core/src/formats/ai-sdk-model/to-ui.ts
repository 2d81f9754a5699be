import { decodeWith } from "../../codec/decode.ts";
import { encodeWith } from "../../codec/encode.ts";
import type { Message } from "../../model/conversation.ts";
import type { Issue, Loss } from "../../model/issue.ts";
import type { Json } from "../../model/json.ts";
import { aiSdkModel } from "./codec.ts";
import { withOptionsOfResults } from "./told-options.ts";
import { type ModelVersion, uiMessages } from "./ui.ts";

export interface ToUIOptions {
  /** The generation of both forms. Default `v7`. */
  readonly version?: ModelVersion;
  /** Ids for the messages. Default: `msg-` and the number of the model message, so that the same messages have the same ids. */
  readonly newId?: () => string;
}

export interface UIMessages {
  readonly messages: readonly Json[];
  /** What is wrong with the model messages. */
  readonly issues: readonly Issue[];
  /** What UI messages do not say of them, by its place in the conversation that they are read as. */
  readonly losses: readonly Loss[];
}

/**
 * Model messages → UI messages, which the SDK itself cannot do (vercel/ai #7180): what the assistant and its tools said
 * between two words of the user is one message, with a step for each answer. `toModelMessages` gives them back.
 */
export function toUIMessages(messages: unknown, options: ToUIOptions = {}): UIMessages {
  const { version = "v7", newId } = options;
  const { conversation, issues } = decodeWith(aiSdkModel, messages, { shape: "messages", dialect: version });
  const told = version === "v5" ? conversation.messages : withOptionsOfResults(conversation.messages);
  const named = withIds(told, newId);
  const written = encodeWith(uiMessages, { ...conversation, messages: named }, { shape: "messages", dialect: version });
  return { messages: written.value, issues, losses: written.losses };
}

/** A run is named by its first message (R10). */
function withIds(messages: readonly Message[], newId: (() => string) | undefined): readonly Message[] {
  let run: string | undefined;
  let place = 0;
  return messages.map((message, index) => {
    if (message.role !== "assistant" && message.role !== "tool") run = undefined;
    if (run !== undefined) return { ...message, id: `${run}:${++place}`, run };
    const id = newId?.() ?? `msg-${index}`;
    if (message.role !== "assistant" && message.role !== "tool") return { ...message, id };
    run = id;
    place = 0;
    const [next] = messages.slice(index + 1, index + 2);
    const isAlone = next?.role !== "assistant" && next?.role !== "tool";
    return { ...message, id, ...(!isAlone && { run: id }) };
  });
}
