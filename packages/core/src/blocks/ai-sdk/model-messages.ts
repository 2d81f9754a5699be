/** Model messages and prompts of the AI SDK → messages: one of theirs is one of ours (R15). */

import type { DecodeContext } from "../../codec/codec.ts";
import { Reader } from "../../codec/reader.ts";
import { kept } from "../../codec/remainder.ts";
import type { Message } from "../../model/conversation.ts";
import type { Path } from "../../model/issue.ts";
import { isJsonObject, type Json, type JsonObject } from "../../model/json.ts";
import type { Part, TextPart } from "../../model/parts.ts";
import { withMadeIds } from "../unnamed-calls.ts";
import { withMessageCache } from "./message-cache.ts";
import { ours, textFields } from "./metadata.ts";
import { tellOtherType } from "./model-files.ts";
import { type ModelPlace, modelFamily, natives, readOptions } from "./model-part.ts";
import {
  decodeModelPart,
  isModelPartType,
  nothingKnown,
  type PartReading,
  partOptions,
  rawPart,
  unlikeHint,
} from "./model-parts.ts";

export interface ModelReading extends ModelPlace {
  readonly context: DecodeContext;
  /** Whether messages may have ids, as those that generation 4 answered with. */
  readonly hasIds?: boolean;
}

const roles: readonly string[] = ["system", "user", "assistant", "tool"];

/** A list of model messages, or the messages of a prompt. */
export function decodeModelMessages(list: readonly Json[], path: Path, reading: ModelReading): Message[] {
  const known = nothingKnown();
  const messages = list.map((wire, index) => decodeMessage(wire, { ...reading, known, index, path: [...path, index] }));
  return withMadeIds(messages, modelFamily);
}

interface Place extends ModelReading, PartReading {
  readonly index: number;
  readonly path: Path;
}

function decodeMessage(wire: Json, place: Place): Message {
  const { context, path } = place;
  const role = isJsonObject(wire) ? wire["role"] : undefined;
  const content = isJsonObject(wire) ? wire["content"] : undefined;
  const fits = typeof content === "string" ? role !== "tool" && place.form === "message" : Array.isArray(content);
  const isMessage = typeof role === "string" && roles.includes(role) && (fits || role === "system");
  if (!isJsonObject(wire) || !isMessage || (typeof content !== "string" && !Array.isArray(content))) {
    const message = "expected a role of system, user, assistant or tool and a text or list as `content`; kept as it is";
    context.issue("not-a-message", path, message);
    return { role: "control", parts: [rawPart(wire)] };
  }
  const reader = new Reader(wire);
  reader.take("role", "content");
  const id = place.hasIds ? reader.string("id") : undefined;
  const made = id ?? context.newId?.();
  const options = readCarry(reader, { member: "providerOptions", index: place.index, context: place.context });
  const head = { ...(made !== undefined && { id: made }), role };
  if (role === "system") return systemMessage(head, { content, options, reader });
  const said: Part[] =
    typeof content === "string"
      ? [{ type: "text", text: content }]
      : content.map((part, at) => decodePart(part, at, place));
  const { parts, options: left, hints: ofCache } = withMessageCache(said, options);
  const rest = { ...reader.rest(), ...(left && { providerOptions: left }) };
  const hints = { ...(typeof content === "string" && { $content: "string" }), ...ofCache, ...unlikeHint(place.known) };
  return { ...head, parts, ...kept(modelFamily, Object.keys(rest).length > 0 ? rest : undefined, hints) };
}

/** The options of system text are those of the one text that it is. */
function systemMessage(
  head: { readonly id?: string; readonly role: string },
  {
    content,
    options,
    reader,
  }: { readonly content: Json; readonly options: JsonObject | undefined; readonly reader: Reader },
): Message {
  const rest = reader.rest();
  if (typeof content !== "string") {
    const all = { ...rest, ...(options && { providerOptions: options }) };
    const list = Array.isArray(content) ? (content as readonly Json[]) : [];
    const known = nothingKnown();
    const parts = list.map(part => decodeModelPart(part, { generation: 7, form: "message", known }) ?? rawPart(part));
    return {
      ...head,
      parts,
      ...kept(modelFamily, Object.keys(all).length > 0 ? all : undefined, { $content: "list", ...unlikeHint(known) }),
    };
  }
  const said = new Reader(options ? { providerOptions: options } : {});
  const { members, kept: shared } = readOptions(said, textFields, partOptions);
  const text: TextPart = { type: "text", text: content, ...members, ...natives(shared, undefined) };
  return { ...head, parts: [text], ...kept(modelFamily, rest) };
}

function decodePart(wire: Json, index: number, place: Place): Part {
  const part = decodeModelPart(wire, place);
  const path = [...place.path, "content", index];
  if (part) {
    tellOtherTypes(wire, path, place.context);
    return part;
  }
  const type = isJsonObject(wire) ? wire["type"] : undefined;
  const asIs = "kept as it is, for this format only";
  if (typeof type !== "string") place.context.issue("not-a-part", path, `expected an object with a \`type\`; ${asIs}`);
  else if (isModelPartType(type))
    place.context.issue(
      "malformed-part",
      path,
      `\`${type}\` lacks what the part needs, or the generation has none; ${asIs}`,
    );
  else place.context.issue("unknown-part", path, `\`${type}\` is no part of a model message; ${asIs}`);
  return rawPart(wire);
}

/** Of a file, or of those that a tool gave. */
function tellOtherTypes(wire: Json, path: Path, { issue }: DecodeContext): void {
  if (!isJsonObject(wire)) return;
  tellOtherType(wire, path, issue);
  const { output } = wire;
  const items = isJsonObject(output) && Array.isArray(output["value"]) ? output["value"] : [];
  items.forEach((item: Json, index) => {
    if (isJsonObject(item)) tellOtherType(item, [...path, "output", "value", index], issue);
  });
}

// what travels along

interface CarryPlace {
  readonly member: "providerOptions" | "providerMetadata";
  /** The number of the message. */
  readonly index: number;
  readonly context: DecodeContext;
}

/** The options of a message, or the metadata of an answer, without what we put there. */
export function readCarry(reader: Reader, { member, index, context }: CarryPlace): JsonObject | undefined {
  const options = reader.object(member);
  const own = options && isJsonObject(options[ours]) ? options[ours] : undefined;
  const carry = own?.["carry"];
  if (!options || !own || !isJsonObject(carry)) return options;
  context.carried(index, carry);
  const { carry: _, options: wasEmpty, ...others } = own;
  const { [ours]: __, ...makers } = options;
  const left = Object.keys(others).length > 0 ? { ...makers, [ours]: others } : makers;
  return Object.keys(left).length > 0 || wasEmpty === true ? left : undefined;
}

/** Puts a carry into the options of a message, or the metadata of an answer, under our own key, which no provider reads. */
export function writeModelCarry(wireMessage: object, carry: Json): void {
  const message = wireMessage as { [member: string]: Json }; // one of ours
  const member = Object.hasOwn(message, "role") ? "providerOptions" : "providerMetadata";
  const options = isJsonObject(message[member]) ? message[member] : undefined;
  const own = options && isJsonObject(options[ours]) ? options[ours] : {};
  const wasEmpty = options !== undefined && Object.keys(options).length === 0 ? { options: true } : {};
  message[member] = { ...options, [ours]: { ...own, carry, ...wasEmpty } };
}
