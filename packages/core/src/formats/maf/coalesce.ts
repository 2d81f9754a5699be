import { guardDepth } from "../../codec/depth.ts";
import { present } from "../../codec/remainder.ts";
import type { ExactText } from "../../model/exact-text.ts";
import { isJsonObject, type Json, type JsonObject } from "../../model/json.ts";
import { sameKey } from "./casefold.ts";
import { coalesceContents } from "./coalesce-contents.ts";
import { Dictionary } from "./update-dictionary.ts";
import { authorOf, isCreationDate, updateOf, wordOf } from "./update-members.ts";
import { UsageSum } from "./update-usage.ts";

/**
 * `ChatResponseUpdate`s → the `ChatResponse` that .NET's `ToChatResponse` makes of them, as plain JSON; no input is changed.
 * What it does not take over: continuation tokens, and members that the type does not have. `exact`: the source texts of
 * the updates' numbers, to which those of the response are added. Throws `decode/not-this-format` for an item that is no update.
 */
export const toChatResponse = (updates: Iterable<JsonObject>, exact?: ExactText): JsonObject =>
  combined(responseBuilder(exact), updates);

/** `AgentResponseUpdate`s → their `AgentResponse`, as `toChatResponse` does; the last `agentId` wins. */
export const toAgentResponse = (updates: Iterable<JsonObject>, exact?: ExactText): JsonObject =>
  combined(agentResponseBuilder(exact), updates);

/** Combines updates while they come in; `response()` is what the updates so far make, and may be asked at any time. */
export interface ResponseBuilder {
  push(update: JsonObject): void;
  response(): JsonObject;
}

/** For `ChatResponseUpdate`s; see `toChatResponse`. */
export function responseBuilder(exact?: ExactText): ResponseBuilder {
  const open = new OpenResponse(exact);
  return {
    push: update => open.push(update),
    response() {
      const { messages, last, usage, additionalProperties } = open.parts();
      const { responseId, conversationId, modelId, createdAt, finishReason } = last;
      const head = { messages, responseId, conversationId, modelId };
      return present({ ...head, createdAt, finishReason, usage, additionalProperties });
    },
  };
}

/** For `AgentResponseUpdate`s; see `toAgentResponse`. */
export function agentResponseBuilder(exact?: ExactText): ResponseBuilder {
  const open = new OpenResponse(exact);
  return {
    push: update => open.push(update),
    response() {
      const { messages, last, usage, additionalProperties } = open.parts();
      const { agentId, responseId, createdAt, finishReason } = last;
      return present({ messages, agentId, responseId, createdAt, finishReason, usage, additionalProperties });
    },
  };
}

function combined(builder: ResponseBuilder, updates: Iterable<JsonObject>): JsonObject {
  for (const update of updates) builder.push(update);
  return builder.response();
}

/** Members of the response of which the last one wins. */
type Last = { [K in "agentId" | "responseId" | "conversationId" | "modelId" | "createdAt" | "finishReason"]?: string };

class OpenResponse {
  readonly #exact: ExactText | undefined;
  readonly #messages: OpenMessage[] = [];
  readonly #last: Last = {};
  #usage: UsageSum | undefined;
  #properties: Dictionary | undefined;
  #count = 0;

  constructor(exact: ExactText | undefined) {
    this.#exact = exact;
  }

  push(value: JsonObject): void {
    const update = updateOf(value, this.#count++);
    let message = this.#messages.at(-1);
    if (!message?.continues(update)) {
      message = new OpenMessage();
      this.#messages.push(message);
    }
    message.take(update);
    this.#takeContents(message, update["contents"]);
    this.#takeProperties(message, update);
    const { conversationId, modelId, createdAt } = update;
    const [agentId, responseId] = [wordOf(update["agentId"]), wordOf(update["responseId"])];
    if (agentId !== undefined) this.#last.agentId = agentId;
    if (responseId !== undefined) this.#last.responseId = responseId;
    // An empty id of the conversation or the model overwrites, other than one of the agent, the response or a message.
    if (typeof conversationId === "string") this.#last.conversationId = conversationId;
    if (typeof modelId === "string") this.#last.modelId = modelId;
    if (typeof update["finishReason"] === "string") this.#last.finishReason = update["finishReason"];
    if (this.#last.createdAt === undefined && isCreationDate(createdAt)) this.#last.createdAt = createdAt;
  }

  parts() {
    return {
      messages: this.#messages.map(message => message.value(this.#exact)),
      last: this.#last,
      usage: this.#usage?.details(this.#exact),
      additionalProperties: this.#properties?.value(this.#exact),
    };
  }

  #takeContents({ contents }: OpenMessage, items: Json | undefined): void {
    if (!Array.isArray(items)) return;
    for (const item of items as readonly Json[]) {
      if (isJsonObject(item) && item["$type"] === "usage") {
        this.#usage ??= new UsageSum();
        this.#usage.add(item["details"], this.#exact);
      } else contents.push(item);
    }
  }

  #takeProperties(message: OpenMessage, { additionalProperties, messageId }: JsonObject): void {
    if (!isJsonObject(additionalProperties)) return;
    if (wordOf(messageId) === undefined) {
      this.#properties ??= new Dictionary();
      this.#properties.add(additionalProperties, this.#exact);
    } else {
      message.properties ??= new Dictionary();
      message.properties.add(additionalProperties, this.#exact);
    }
  }
}

class OpenMessage {
  readonly contents: Json[] = [];
  properties: Dictionary | undefined;
  #authorName: string | undefined;
  #createdAt: string | undefined;
  /** A message starts out as the assistant's, so that a later update of another role starts a new one. */
  #role = "assistant";
  #messageId: string | undefined;

  /** Whether an update belongs to this message: nothing that both have may differ. */
  continues(update: JsonObject): boolean {
    const { messageId, role } = update;
    return (
      !differ(authorOf(update), this.#authorName) &&
      !differ(wordOf(messageId), this.#messageId) &&
      !(typeof role === "string" && !sameKey(role, this.#role))
    );
  }

  take(update: JsonObject): void {
    const { createdAt, role, messageId } = update;
    this.#authorName = authorOf(update) ?? this.#authorName;
    if (this.#createdAt === undefined && isCreationDate(createdAt)) this.#createdAt = createdAt;
    if (typeof role === "string") this.#role = role;
    this.#messageId = wordOf(messageId) ?? this.#messageId;
  }

  value(exact: ExactText | undefined): JsonObject {
    return present({
      authorName: this.#authorName,
      createdAt: this.#createdAt,
      role: this.#role,
      contents: guardDepth(() => coalesceContents(this.contents)),
      messageId: this.#messageId,
      additionalProperties: this.properties?.value(exact),
    });
  }
}

const differ = (a: string | undefined, b: string | undefined): boolean => a !== undefined && b !== undefined && a !== b;
