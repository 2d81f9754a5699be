/** Events → updates. */

import type { EncodeContext } from "../../codec/codec.ts";
import { hintsOf, present } from "../../codec/remainder.ts";
import type { Event, MessageHead } from "../../model/events.ts";
import { isJsonObject, type Json, type JsonObject } from "../../model/json.ts";
import type { Part } from "../../model/parts.ts";
import type { Machine } from "../../stream/machine.ts";
import { mergeMembers } from "../../stream/merge.ts";
import { writeFinish } from "./answer.ts";
import { isMadeId, madeId } from "./decode-message.ts";
import { freshUsage, keptUsage, writeHead } from "./encode-message.ts";
import { Approvals, PartWriter } from "./stream-parts.ts";
import { typeRow } from "./type-rows.ts";
import { family, inOrder, remainderFor } from "./wire.ts";

export const streamEncoder = (context: EncodeContext): Machine<Event, Json> => new UpdateEncoder(context);

/** A message of the stream. Updates of one message follow one another, so a later one waits until it is over. */
interface OpenMessage {
  readonly number: number;
  head: MessageHead;
  readonly parts: PartWriter;
  readonly waiting: Event[];
  isOver: boolean;
  /** What every update of it says; fixed once one is out. */
  said: JsonObject | undefined;
}

class UpdateEncoder implements Machine<Event, Json> {
  readonly #context: EncodeContext;
  readonly #messages = new Map<number, OpenMessage>();
  readonly #queue: OpenMessage[] = [];
  /** The head of the message before. */
  #before: MessageHead | undefined;
  readonly #approvals = new Approvals();
  #hasUsage = false;
  #last = 0;

  constructor(context: EncodeContext) {
    this.#context = context;
  }

  push(event: Event): readonly Json[] {
    if (event.type === "error") return this.#fail(event.error);
    if (event.type === "message-start") this.#start(event);
    const message = this.#messages.get(event.message);
    if (!message) return [];
    if (message !== this.#queue[0]) {
      if (message.isOver && !this.#queue.includes(message)) return this.#late(event, message);
      message.waiting.push(event);
      return [];
    }
    return this.#advance(message, event);
  }

  end(): readonly Json[] {
    const updates: Json[] = [];
    for (const message of [...this.#queue]) {
      updates.push(...this.#drain(message), ...this.#close(message));
    }
    this.#queue.length = 0;
    return updates;
  }

  #start(event: Event & { readonly type: "message-start" }): void {
    const known = this.#messages.get(event.message);
    if (known) this.#context.lose("restarted", ["messages", event.message]);
    if (known && !known.isOver) return;
    const message: OpenMessage = {
      number: event.message,
      head: event.head,
      parts: new PartWriter(event.message, this.#context, this.#approvals),
      waiting: [],
      isOver: false,
      said: undefined,
    };
    this.#messages.set(event.message, message);
    this.#queue.push(message);
    this.#last = event.message;
  }

  /** An event of the message whose turn it is; once it is over, those that waited. */
  #advance(message: OpenMessage, event: Event): Json[] {
    const updates = this.#apply(message, event);
    for (let first = this.#queue[0]; first?.isOver; first = this.#queue[0]) {
      updates.push(...this.#close(first));
      this.#queue.shift();
      const next = this.#queue[0];
      if (next) updates.push(...this.#drain(next));
    }
    return updates;
  }

  #drain(message: OpenMessage): Json[] {
    const waiting = message.waiting.splice(0);
    return waiting.flatMap(event => this.#apply(message, event));
  }

  #apply(message: OpenMessage, event: Event): Json[] {
    switch (event.type) {
      case "message-start":
      case "error":
        return [];
      case "message-set":
        message.head = mergeMembers(message.head, event.set);
        return [];
      case "message-end":
        message.isOver = true;
        return [];
      default:
        return this.#update(message, message.parts.take(event));
    }
  }

  /** Calls that stood only inside their question are told before the message of their results. */
  #update(message: OpenMessage, contents: readonly Json[], others: JsonObject = {}): Json[] {
    const retold = message.parts.takeRetold();
    if (retold.length === 0) return this.#updateOf(message, contents, others);
    const isOwn = message.head.role === "assistant" || message.said !== undefined;
    this.#context.lose("held-call", isOwn ? ["messages", message.number, "parts"] : ["messages"]);
    if (isOwn) return this.#updateOf(message, [...retold, ...contents], others);
    const fields = { role: "assistant", contents: retold, messageId: madeId(`0${message.number}`) };
    return [inOrder(fields, this.#row), ...this.#updateOf(message, contents, others)];
  }

  #updateOf(message: OpenMessage, contents: readonly Json[], others: JsonObject): Json[] {
    const isEmpty = contents.length === 0 && Object.keys(others).length === 0;
    if (isEmpty && (message.said || !message.isOver)) return []; // a message is said at least once
    message.said ??= this.#sayHead(message);
    const isAgent = this.#context.dialect === "agent";
    const { responseId, model } = message.head;
    const fields = {
      ...message.said,
      contents,
      ...present({ responseId, modelId: isAgent ? undefined : model }),
      ...others,
    };
    return [inOrder(fields, this.#row)];
  }

  get #row() {
    return typeRow(this.#context.dialect === "agent" ? "AgentResponseUpdate" : "ChatResponseUpdate");
  }

  #sayHead(message: OpenMessage): JsonObject {
    const { head, number } = message;
    const writing = { path: ["messages", number], context: this.#context };
    const { id } = head;
    if (id !== undefined && isMadeId(id)) this.#context.lose("message-id", [...writing.path, "id"]);
    const others = remainderFor(head);
    const known = ["additionalProperties", "contents"];
    const left = Object.keys(others).filter(key => !known.includes(key) && others[key] !== null);
    if (left.length > 0) this.#context.lose("message-native", [...writing.path, "native"], left.join(", "));
    const { additionalProperties } = others;
    // Neighbours of one role without ids are one message, so each has one.
    return {
      ...writeHead({ ...head, parts: [] }, writing),
      messageId: id ?? madeId(number),
      ...(isJsonObject(additionalProperties) && { additionalProperties }),
    };
  }

  /** What only the end of a message knows. */
  #close(message: OpenMessage): Json[] {
    message.isOver = true;
    const contents = message.parts.end();
    const updates = contents.length > 0 || !message.said ? this.#update(message, contents) : [];
    const { head, number } = message;
    const path = ["messages", number];
    this.#compare(message);
    const { usage, finish } = head;
    const others: { [key: string]: Json } = {};
    const ends: Json[] = [];
    if (usage) {
      if (this.#hasUsage) this.#context.lose("usage-joined", ["messages"]);
      this.#hasUsage = true;
      const kept = keptUsage({ ...head, parts: [] });
      const details = { $type: "usage", details: freshUsage(usage, { path, context: this.#context }) };
      ends.push(...(kept?.map(({ content }) => content) ?? [details]));
    }
    if (finish) others["finishReason"] = writeFinish(finish, () => this.#context.lose("finish", [...path, "finish"]));
    Object.assign(others, this.#saidLate(message));
    const response = hintsOf(head, family)["response"];
    const members = isJsonObject(response) ? response : {};
    const { additionalProperties: properties, ...rest } = members;
    if (properties !== undefined && properties !== null) {
      this.#context.lose("message-native", [...path, "native"], "additionalProperties of the response");
    }
    const all = { ...rest, ...others };
    if (ends.length > 0 || Object.keys(all).length > 0) updates.push(...this.#update(message, ends, all));
    return updates;
  }

  /** An author and a date may be told with the last update; what else came after the first one, or is another now, is lost. */
  #saidLate({ head, number, said = {} }: OpenMessage): JsonObject {
    const path = ["messages", number];
    const now = writeHead({ ...head, parts: [] }, { path, context: { lose: () => undefined } });
    const late: { [key: string]: Json } = {};
    for (const member of ["authorName", "createdAt", "messageId"] as const) {
      const value = now[member];
      if (value === undefined || value === said[member]) continue;
      if (said[member] === undefined) late[member] = value;
      else this.#context.lose("late", path, member);
    }
    return late;
  }

  /** An envelope is said once: what an earlier message says otherwise is lost. */
  #compare({ head, number }: OpenMessage): void {
    const lose = (member: string): void => this.#context.lose("envelope", ["messages"], member);
    const before = this.#before;
    this.#before = head;
    if (before?.finish) lose("finish");
    if (before && before.responseId !== head.responseId) lose("responseId");
    if (before && before.model !== head.model) lose("model");
    if (this.#context.dialect === "agent" && head.model !== undefined) {
      this.#context.lose("model", ["messages", number, "model"]);
    }
  }

  /** After the end of a message nothing can be said of it. */
  #late(event: Event, message: OpenMessage): Json[] {
    if (event.type !== "message-end") this.#context.lose("late", ["messages", message.number]);
    return [];
  }

  #fail(error: { readonly message: string; readonly code?: string }): Json[] {
    const updates = [...this.end()];
    const message = this.#messages.get(this.#last);
    const value: Part = {
      type: "error",
      message: error.message,
      ...(error.code !== undefined && { code: error.code }),
    };
    if (!message) return updates;
    const event: Event = { type: "part", message: message.number, part: Number.MAX_SAFE_INTEGER, value };
    message.isOver = true;
    return [...updates, ...this.#update(message, message.parts.take(event), { finishReason: "error" })];
  }
}
