/** Updates → events. Accumulated they are what the response says that .NET combines the updates to. */

import type { DecodeContext } from "../../codec/codec.ts";
import { present } from "../../codec/remainder.ts";
import type { Message } from "../../model/conversation.ts";
import type { Event, MessageHead } from "../../model/events.ts";
import { equalJson, isJsonObject, type Json, type JsonObject } from "../../model/json.ts";
import type { Machine } from "../../stream/machine.ts";
import { readAnswer } from "./answer.ts";
import { sameKey } from "./casefold.ts";
import { agentResponseBuilder, type ResponseBuilder, responseBuilder } from "./coalesce.ts";
import { readMessage, usageIn } from "./decode-message.ts";
import { Refusals } from "./denials.ts";
import { readTyped } from "./read.ts";
import { StreamedContents } from "./stream-contents.ts";
import { isBlank } from "./text-blank.ts";
import { declared } from "./type-rows.ts";
import { isCreationDate } from "./update-members.ts";
import type { Reading } from "./wire.ts";

export const streamDecoder = (context: DecodeContext): Machine<Json, Event> => new UpdateDecoder(context);

/** What must not differ within one message. */
interface Identity {
  author?: string;
  id?: string;
  role: string;
}

class UpdateDecoder implements Machine<Json, Event> {
  readonly #reading: Reading;
  readonly #builder: ResponseBuilder;
  readonly #type: string;
  readonly #refusals = new Refusals();
  /** The head of each message as it was started. */
  readonly #heads: MessageHead[] = [];
  #contents: StreamedContents | undefined;
  #identity: Identity = { role: "assistant" };
  #count = 0;

  constructor(context: DecodeContext) {
    this.#reading = { context, exact: undefined };
    const isAgent = context.dialect === "agent";
    this.#builder = isAgent ? agentResponseBuilder() : responseBuilder();
    this.#type = isAgent ? "AgentResponseUpdate" : "ChatResponseUpdate";
  }

  push(wireEvent: Json): readonly Event[] {
    const path = [this.#count++];
    const update = this.#read(wireEvent, path);
    if (!update) return [];
    const { contents } = update;
    const items: readonly Json[] = Array.isArray(contents) ? contents : [];
    const events: Event[] = this.#continues(update) ? [] : this.#start(update);
    this.#note(update);
    // The builder keeps the heads, the envelope and the usage; the contents go on at once.
    this.#build({ ...update, contents: items.filter(item => usageIn(item)) }, path);
    for (const item of items) {
      if (usageIn(item)) continue;
      for (const event of this.#contents?.take(item) ?? []) events.push(event);
    }
    return events;
  }

  #build(update: JsonObject, path: readonly number[]): void {
    try {
      this.#builder.push(update);
    } catch (error) {
      // Counts that are none: the rest of the update counts all the same.
      this.#reading.context.issue("malformed-usage", path, error instanceof Error ? error.message : String(error));
      this.#builder.push({ ...update, contents: [] });
    }
  }

  end(): readonly Event[] {
    if (this.#heads.length === 0) return [];
    const events = this.#finish();
    const messages = readAnswer(this.#builder.response(), this.#reading);
    messages.forEach((message, index) => {
      const set = changes(this.#heads[index], message);
      if (set) events.push({ type: "message-set", message: index, set });
    });
    events.push({ type: "message-end", message: this.#heads.length - 1 });
    return events;
  }

  /** An update whose members are those of its type; words that .NET refuses are left out. */
  #read(wireEvent: Json, path: readonly number[]): JsonObject | undefined {
    const { context } = this.#reading;
    const type = declared(this.#type);
    const issue = (code: string, at: readonly (string | number)[], message: string): void =>
      context.issue(code, [...path, ...at], message);
    const update = type && isJsonObject(wireEvent) ? readTyped(wireEvent, type, { issue }) : undefined;
    if (!isJsonObject(update)) {
      context.issue("not-an-update", path, "an update is an object");
      return undefined;
    }
    if ((update["continuationToken"] ?? null) !== null) context.lose("continuation-token", ["messages"]);
    const { role, finishReason, ...others } = update;
    return {
      ...others,
      ...(isWord(role) && { role }),
      ...(isWord(finishReason) && { finishReason }),
    };
  }

  #continues(update: JsonObject): boolean {
    if (!this.#contents) return false;
    const { authorName, messageId, role } = update;
    const { author, id, role: own } = this.#identity;
    return (
      !(isWord(authorName) && author !== undefined && author !== authorName) &&
      !(isText(messageId) && id !== undefined && id !== messageId) &&
      !(isWord(role) && !sameKey(role, own))
    );
  }

  #note({ authorName, messageId, role }: JsonObject): void {
    if (isWord(authorName)) this.#identity.author = authorName;
    if (isText(messageId)) this.#identity.id = messageId;
    if (isWord(role)) this.#identity.role = role;
  }

  #start(update: JsonObject): Event[] {
    const events = this.#finish();
    const number = this.#heads.length;
    if (number > 0) events.push({ type: "message-end", message: number - 1 });
    this.#identity = { role: "assistant" };
    const { authorName, messageId, role, createdAt, responseId, modelId } = update;
    const head = present({
      authorName: isWord(authorName) ? authorName : undefined,
      createdAt: isCreationDate(createdAt) ? createdAt : undefined,
      role: role ?? "assistant",
      contents: [],
      messageId: isText(messageId) ? messageId : undefined,
    });
    const { parts: _, ...own } = readMessage(head, { index: number, path: [] }, silent(this.#reading));
    const started: MessageHead = {
      ...own,
      ...(isText(responseId) && { responseId }),
      ...(isText(modelId) && this.#type.startsWith("Chat") && { model: modelId }),
    };
    this.#contents = new StreamedContents(number, {
      isAssistant: started.role === "assistant",
      refusals: this.#refusals,
      reading: this.#reading,
    });
    this.#heads.push(started);
    events.push({ type: "message-start", message: number, head: started });
    return events;
  }

  #finish(): Event[] {
    return this.#contents?.end() ?? [];
  }
}

const isText = (value: Json | undefined): value is string => typeof value === "string" && value !== "";
const isWord = (value: Json | undefined): value is string => typeof value === "string" && !isBlank(value);

const silent = (reading: Reading): Reading => ({
  ...reading,
  context: { ...reading.context, issue: () => undefined, carried: () => undefined },
});

/** Members of a message that its head did not have yet. */
function changes(head: MessageHead | undefined, message: Message): Partial<MessageHead> | undefined {
  const { parts: _, ...wanted } = message;
  const entries = Object.entries(wanted).filter(
    ([key, value]) => value !== undefined && !equalJson(head?.[key as keyof MessageHead], value), // a key of it or none
  );
  return entries.length > 0 ? Object.fromEntries(entries) : undefined;
}
