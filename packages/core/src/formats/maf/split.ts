import { present } from "../../codec/remainder.ts";
import type { Json, JsonObject } from "../../model/json.ts";
import { authorOf, envelopeOf, givenOf, itemsOf } from "./update-members.ts";

/**
 * A `ChatResponse` → the `ChatResponseUpdate`s that .NET's `ToChatResponseUpdates` makes of it: one a message, with the
 * response's ids on each, and one more for usage and properties. A response without messages leaves its ids nowhere.
 * Throws `decode/not-this-format` for what is no response, as all functions here do.
 */
export const toChatResponseUpdates = (response: JsonObject): readonly JsonObject[] =>
  split(response, message => chatMembers({ ...response, ...own(message) }));

/** An `AgentResponse` → its `AgentResponseUpdate`s, with the agent's id on those of messages and without continuation token. */
export const toAgentResponseUpdates = (response: JsonObject): readonly JsonObject[] =>
  split(response, message => agentMembers({ ...response, ...own(message), continuationToken: null }));

/** What an `AgentResponse` is as a `ChatResponse`: all but the agent's id. */
export const asChatResponse = (response: JsonObject): JsonObject =>
  reshaped(response, ({ responseId, conversationId, modelId, createdAt, ...rest }) => {
    const { finishReason, usage, continuationToken, additionalProperties } = rest;
    const ids = { responseId, conversationId, modelId, createdAt, finishReason };
    return { ...ids, usage, continuationToken, additionalProperties };
  });

/** What a `ChatResponse` is as an `AgentResponse`: all but its conversation and model, which that type has no place for. */
export const asAgentResponse = (response: JsonObject): JsonObject =>
  reshaped(response, ({ agentId, responseId, continuationToken, createdAt, ...rest }) => {
    const { finishReason, usage, additionalProperties } = rest;
    return { agentId, responseId, continuationToken, createdAt, finishReason, usage, additionalProperties };
  });

/** What an `AgentResponseUpdate` is as a `ChatResponseUpdate`: all but the agent's id. */
export const asChatResponseUpdate = (update: JsonObject): JsonObject =>
  written(envelopeOf(update, "the update"), chatMembers);

/** What a `ChatResponseUpdate` is as an `AgentResponseUpdate`: all but its conversation and model. */
export const asAgentResponseUpdate = (update: JsonObject): JsonObject =>
  written(envelopeOf(update, "the update"), agentMembers);

/** Members as read and as written; null and undefined are absent. */
type Members = { readonly [name: string]: Json | undefined };

const chatMembers = ({ responseId, messageId, conversationId, createdAt, ...rest }: Members): Members => {
  const { finishReason, modelId, continuationToken } = rest;
  return { responseId, messageId, conversationId, createdAt, finishReason, modelId, continuationToken };
};

const agentMembers = ({
  agentId,
  responseId,
  messageId,
  createdAt,
  continuationToken,
  finishReason,
}: Members): Members => ({
  agentId,
  responseId,
  messageId,
  createdAt,
  continuationToken,
  finishReason,
});

/** What a message says itself instead of its response. */
const own = ({ messageId, createdAt }: JsonObject): Members => ({
  messageId,
  ...(givenOf(createdAt) !== undefined && { createdAt }),
});

function split(response: JsonObject, members: (message: JsonObject) => Members): readonly JsonObject[] {
  const { messages, usage, additionalProperties } = envelopeOf(response, "the response", ["finishReason"]);
  const updates = itemsOf(messages).map((value, index) => {
    const message = envelopeOf(value, `message ${index + 1}`, ["role"]);
    return written({ ...message, role: message["role"] ?? "user" }, () => members(message));
  });
  const [details, properties] = [givenOf(usage), givenOf(additionalProperties)];
  if (details === undefined && properties === undefined) return updates;
  const contents = details === undefined ? [] : [{ $type: "usage", details }];
  return [...updates, { contents, ...present({ additionalProperties: properties }) }];
}

/** The members that updates of both kinds begin with, then those of one. */
function written(update: JsonObject, members: (update: JsonObject) => Members): JsonObject {
  const { role, contents, additionalProperties } = update;
  return given({
    authorName: authorOf(update),
    role,
    contents: itemsOf(contents),
    additionalProperties,
    ...members(update),
  });
}

const reshaped = (response: JsonObject, members: (response: JsonObject) => Members): JsonObject =>
  given({ messages: itemsOf(envelopeOf(response, "the response")["messages"]), ...members(response) });

const given = (members: Members): JsonObject =>
  present(Object.fromEntries(Object.entries(members).map(([name, value]) => [name, givenOf(value)])));
