/** Messages → model messages and prompts of the AI SDK. */

import type { EncodeContext } from "../../codec/codec.ts";
import { isContent } from "../../codec/hints.ts";
import { fill } from "../../codec/reader.ts";
import { hintsOf, restored } from "../../codec/remainder.ts";
import type { Message } from "../../model/conversation.ts";
import { isJsonObject, type Json, type JsonObject } from "../../model/json.ts";
import { pairResults } from "../../model/pairing.ts";
import type { Part, TextPart, ToolCallPart, ToolResultPart } from "../../model/parts.ts";
import { withEmptyIds } from "../unnamed-calls.ts";
import { withoutMessageCache } from "./message-cache.ts";
import { textFields, writeMetadata } from "./metadata.ts";
import { isBare, loseShared, type ModelPlace, modelFamily, sharedOf } from "./model-part.ts";
import { encodeModelPart, type PartWriting } from "./model-part-writing.ts";
import { isProvidersRequest, type Known, nothingKnown } from "./model-parts.ts";
import { type LosePart, family as uiFamily } from "./part.ts";

export interface ModelMessageWriting extends ModelPlace {
  readonly context: EncodeContext;
}

/** All messages as model messages, or as the messages of a prompt. */
export function encodeModelMessages(messages: readonly Message[], writing: ModelMessageWriting): Json[] {
  return new Writer(withEmptyIds(messages, modelFamily), writing).write();
}

/** A piece of a message that one wire message can hold. */
interface Segment {
  readonly role: string;
  readonly content: Json[];
}

class Writer {
  readonly #messages: readonly Message[];
  /** What the options of a whole message say. */
  readonly #options: readonly (JsonObject | undefined)[];
  readonly #writing: ModelMessageWriting;
  readonly #calls: ReadonlyMap<ToolResultPart, ToolCallPart>;
  readonly #replaced: ReadonlySet<ToolResultPart>;
  readonly #known: Known = nothingKnown();
  readonly #told = new ToldCalls();

  constructor(given: readonly Message[], writing: ModelMessageWriting) {
    // What the system says has its options on the message anyhow.
    const told = given.map(
      (message): ReturnType<typeof withoutMessageCache> =>
        wireRole(message.role) === "system" ? { message } : withoutMessageCache(message),
    );
    const messages = told.map(({ message }) => message);
    this.#options = told.map(({ options }) => options);
    this.#messages = messages;
    this.#writing = writing;
    this.#calls = pairResults(messages);
    this.#replaced = replacedResults(messages);
  }

  write(): Json[] {
    return this.#messages.flatMap((message, index) => {
      const wires = this.#message(message, index);
      const [first, ...others] = wires.filter(isJsonObject);
      if (first) this.#writing.context.wrote([first, ...others], index, 1);
      return wires;
    });
  }

  #message(message: Message, index: number): Json[] {
    const { context } = this.#writing;
    const path = ["messages", index];
    if (message.role === "control") {
      const [part, ...others] = message.parts;
      if (part?.type === "opaque" && part.family === modelFamily && others.length === 0) return [part.value];
      context.lose("control", path);
      return [];
    }
    const role = wireRole(message.role);
    if (role !== message.role) context.lose("role", [...path, "role"], message.role);
    if (role === "system" && message.parts.every(({ type }) => type === "text" || type === "refusal"))
      return [this.#system(message, index)];
    return this.#segments(message, role, index);
  }

  /** System text is one text; its options are the message's. */
  #system(message: Message, index: number): Json {
    const lose = this.#loser(index, 0);
    const texts = message.parts as readonly TextPart[]; // or refusals, which have the same members
    const isList = hintsOf(message, modelFamily)["$content"] === "list";
    if (isList) return this.#wire({ role: "system", content: this.#parts(message, index) }, message, index);
    const [only] = texts;
    if (texts.length !== 1 || only?.type !== "text")
      this.#writing.context.lose("system-text", ["messages", index, "parts"]);
    const options = texts.reduce<JsonObject | undefined>((all, text) => {
      const own = writeMetadata(text, textFields, sharedOf(text));
      loseShared(text, ["providerMetadata"], lose);
      if (Object.keys(text.native?.[modelFamily] ?? {}).some(isContent)) lose("system-text", "native");
      return own ? fill(own, all) : all;
    }, undefined);
    const content = texts.map(({ text }) => text).join("");
    return this.#wire({ role: "system", content, ...(options && { providerOptions: options }) }, message, index);
  }

  #segments(message: Message, role: string, index: number): Json[] {
    const options = this.#options[index];
    const segments: Segment[] = [];
    message.parts.forEach((part, at) => {
      const isUnsaid = this.#isUnsaid(part, message);
      if (isUnsaid) this.#loser(index, at)("empty-text");
      const written = isUnsaid ? [] : this.#part(part, index, at);
      if (written.length === 0) return;
      const own = placeOf(part, role, this.#writing);
      const last = segments.at(-1);
      if (last?.role === own) last.content.push(...written);
      else segments.push({ role: own, content: [...written] });
    });
    const isSplit = segments.length > 1 || (segments[0] !== undefined && segments[0].role !== role);
    if (isSplit) this.#writing.context.lose("misplaced", ["messages", index, "parts"]);
    const isProvider = this.#writing.context.recipient === "provider";
    // A message in which nothing is said stays, but no provider takes one.
    if (segments.length === 0) {
      if (isProvider && (role === "tool" || message.parts.some(part => this.#told.isRetold(part)))) return [];
      segments.push({ role: role === "system" ? "user" : role, content: [] });
      if (role === "system") this.#writing.context.lose("misplaced", ["messages", index, "parts"]);
    }
    return segments.map(({ role: each, content }, at) => {
      const said = this.#isString(message, content) ? (content[0] as JsonObject)["text"] : content; // a bare text part
      const isMarked = options !== undefined && at === segments.length - 1;
      const wire = { role: each, content: said ?? content, ...(isMarked && { providerOptions: options }) };
      return at === 0 ? this.#wire(wire, message, index) : wire;
    });
  }

  /** A text alone was written as such when it was read. */
  #isString(message: Message, content: readonly Json[]): boolean {
    const [only, ...others] = message.parts;
    const asRead = hintsOf(message, modelFamily)["$content"] === "string";
    const isText = only?.type === "text" && others.length === 0 && isBare(only) && content.length === 1;
    return asRead && isText && message.role !== "tool" && this.#writing.form === "message";
  }

  #wire(fields: JsonObject, message: Message, index: number): JsonObject {
    loseShared(message, [], (code, member, detail) =>
      this.#writing.context.lose(code, ["messages", index, member ?? "native"], detail),
    );
    return restored(fields, message, modelFamily);
  }

  #parts(message: Message, index: number): Json[] {
    return message.parts.flatMap((part, at) => this.#part(part, index, at));
  }

  /** Of a user's empty text the SDK sends nothing to a model, whatever its options; the assistant's may hold a seal. */
  #isUnsaid(part: Part, { role }: Message): boolean {
    return (
      role === "user" && part.type === "text" && part.text === "" && this.#writing.context.recipient === "provider"
    );
  }

  #part(part: Part, index: number, at: number): readonly Json[] {
    const lose = this.#loser(index, at);
    const isTold = this.#told.note(part);
    if (part.type === "tool-call" && isTold) {
      lose("retold-call");
      return [];
    }
    if (part.type === "tool-call") this.#known.calls.set(part.callId, part.executedBy);
    if (part.type === "approval-request") {
      this.#known.requests.set(part.requestId, part.callId);
      if (part.call) this.#known.calls.set(part.callId, part.call.executedBy);
    }
    if (part.type === "tool-result" && this.#replaced.has(part)) {
      lose("preliminary-result");
      return [];
    }
    const { generation, form, context } = this.#writing;
    const writing: PartWriting = {
      generation,
      form,
      lose,
      recipient: context.recipient,
      toolName: this.#nameOf(part),
      isTold,
      isProviders: part.type === "approval-response" && this.#isProviders(part.requestId, index),
    };
    return encodeModelPart(part, writing);
  }

  /** As the message said when it was read, else as its question's call is known. */
  #isProviders(requestId: string, index: number): boolean {
    const message = this.#messages[index];
    const hint = message && hintsOf(message, modelFamily)["$providerExecuted"];
    const said = isJsonObject(hint) && Object.hasOwn(hint, requestId) ? hint[requestId] : undefined;
    return typeof said === "boolean" ? said : isProvidersRequest(requestId, this.#known);
  }

  #nameOf(part: Part): string | undefined {
    return part.type === "tool-result" ? (this.#calls.get(part)?.name ?? this.#told.name(part)) : undefined;
  }

  #loser(message: number, part: number): LosePart {
    return (code, member, detail) => {
      const path = ["messages", message, "parts", part, ...(member === undefined ? [] : [member])];
      this.#writing.context.lose(code, path, detail);
    };
  }
}

/** The calls that stand on the wire and wait for their results: one that a question holds is told once (R22). */
class ToldCalls {
  /** The held call, where the wire has it from its question. */
  readonly #waiting = new Map<string, ToolCallPart | undefined>();
  readonly #retold = new Set<Part>();
  readonly #names = new Map<Part, string>();

  /** Whether the call of a question, or a call that a question held, stands there already. */
  note(part: Part): boolean {
    if (part.type === "tool-call") {
      const held = this.#waiting.get(part.callId);
      this.#waiting.set(part.callId, undefined);
      if (held) this.#retold.add(part);
      return held !== undefined;
    }
    if (part.type === "approval-request") {
      const isTold = this.#waiting.has(part.callId);
      if (!isTold && part.call) this.#waiting.set(part.callId, part.call);
      return isTold;
    }
    if (part.type === "tool-result") {
      const held = this.#waiting.get(part.callId);
      if (held) this.#names.set(part, held.name);
      if (!part.preliminary) this.#waiting.delete(part.callId);
    }
    return false;
  }

  isRetold = (part: Part): boolean => this.#retold.has(part);

  /** The name of the held call that a result answers. */
  name = (part: Part): string | undefined => this.#names.get(part);
}

/** Preliminary results that a later one of their call takes the place of. */
function replacedResults(messages: readonly Message[]): ReadonlySet<ToolResultPart> {
  const replaced = new Set<ToolResultPart>();
  const later = new Set<string>();
  for (let index = messages.length - 1; index >= 0; index--) {
    for (const part of messages[index]?.parts.toReversed() ?? []) {
      if (part.type === "tool-call") later.delete(part.callId);
      if (part.type !== "tool-result") continue;
      if (part.preliminary && later.has(part.callId)) replaced.add(part);
      later.add(part.callId);
    }
  }
  return replaced;
}

const wireRole = (role: string): string => {
  if (role === "developer") return "system";
  return ["system", "assistant", "tool"].includes(role) ? role : "user";
};

/** The role of the wire message that has a place for the part: its own, if that has one. */
function placeOf(part: Part, role: string, { form }: ModelPlace): string {
  switch (part.type) {
    case "text":
    case "refusal":
      return role === "tool" ? "assistant" : role === "system" ? "user" : role;
    case "file":
      if (part.reasoning) return "assistant";
      return role === "tool" ? "assistant" : role === "system" ? "user" : role;
    case "tool-result":
      return role === "assistant" ? role : "tool";
    case "approval-response":
      return "tool";
    case "opaque":
      return part.family === uiFamily || form === "prompt" ? (role === "system" ? "user" : role) : role;
    default:
      return "assistant";
  }
}
