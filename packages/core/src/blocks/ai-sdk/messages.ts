/**
 * Messages of the AI SDK → messages. The SDK keeps a whole run in one message; here its steps are messages of their own,
 * the results of a step stand in a tool message after it, and what a user said meanwhile between them (R18).
 */

import type { DecodeContext } from "../../codec/codec.ts";
import { native, Reader } from "../../codec/reader.ts";
import type { Message } from "../../model/conversation.ts";
import type { Path } from "../../model/issue.ts";
import { isJsonObject, type Json, type JsonObject } from "../../model/json.ts";
import type { Part } from "../../model/parts.ts";
import { decodeData, decodeFile, isDataType, isLate, opaque, otherTypeMessage, otherTypeOf } from "./files.ts";
import { ours } from "./metadata.ts";
import { family, type Generation, isMadeId } from "./part.ts";
import { decodeSource } from "./sources.ts";
import { Steps } from "./steps.ts";
import { decodeReasoning, decodeText } from "./texts.ts";
import { decodeApproval, decodeTool, isToolType, type ToolUse } from "./tools.ts";

/** How a format uses the SDK's messages. */
export interface Usage {
  readonly generation: Generation;
  /** Whether a run is one message with marks between its steps, or one message a step. */
  readonly steps: "joined" | "apart";
  /** Whether a tool part is `dynamic-tool`, unless it says otherwise. */
  readonly dynamic: boolean;
}

export interface MessageReading extends Usage {
  readonly context: DecodeContext;
  /** Reads a part that the SDK does not have. */
  readonly ownPart?: (wire: JsonObject) => Part | undefined;
  /** Reads a message of another form as one of the SDK's, and what that does to the first message it becomes. */
  readonly ownMessage?: (wire: Json, path: Path) => OwnMessage | undefined;
}

export interface OwnMessage {
  readonly wire: JsonObject;
  readonly finish: (first: Message) => Message;
}

/** A list of the SDK's messages. `first`: how many messages of the conversation stand before them. */
export function decodeMessages(
  list: readonly Json[],
  { path, first }: { readonly path: Path; readonly first: number },
  reading: MessageReading,
): Message[] {
  const messages: Message[] = [];
  list.forEach((wire, index) => {
    const place = { path: [...path, index], first: first + messages.length };
    const own = reading.ownMessage?.(wire, place.path);
    const [opening, ...others] = decodeMessage(own?.wire ?? wire, place, reading);
    if (opening) messages.push(own ? own.finish(opening) : opening, ...others);
  });
  return messages;
}

export interface MessagePlace {
  readonly path: Path;
  /** The number of the first message that it becomes. */
  readonly first: number;
}

/** One message of the SDK's: one of ours, or those of a run. */
export function decodeMessage(wire: Json, place: MessagePlace, reading: MessageReading): Message[] {
  const { context } = reading;
  const role = isJsonObject(wire) ? wire["role"] : undefined;
  if (!isJsonObject(wire) || !Array.isArray(wire["parts"]) || !isRole(role)) {
    const message = "expected a role of system, user or assistant and a list of `parts`; kept as it is";
    context.issue("not-a-message", place.path, message);
    return [{ role: "control", parts: [opaque(wire)] }];
  }
  const reader = new Reader(wire);
  reader.take("role", "parts");
  const identity = readId(reader, context);
  const metadata = readMetadata(reader, place, context);
  const kept = { ...reader.remainder(), ...identity.hints };
  const paths: PartPaths = { path: [...place.path, "parts"], made: `~${place.first}`, role, reading };
  const parts: readonly Json[] = wire["parts"];
  const head = { ...(identity.id !== undefined && { id: identity.id }), role };
  if (role !== "assistant") {
    const decoded = parts.flatMap((part, index) => inPlace(decodePart(part, index, paths)));
    const empty = parts.length === 0 ? { $parts: "none" } : undefined;
    return [{ ...head, ...metadata, parts: decoded, ...native(family, kept, empty) }];
  }
  const steps = new Steps({ markedByDefault: reading.steps === "joined" });
  parts.forEach((part, index) => {
    takePart(part, index, { steps, paths });
  });
  const [opening, ...others] = steps.end();
  const { id } = identity;
  const needsRun = steps.hasSteering || (others.length > 0 && id !== undefined);
  const run = needsRun ? { run: id ?? identity.made ?? `~${place.first}` } : {};
  // Neighbours without a run would be taken for one message (R18): the hint says where one begins.
  const hints = { ...opening.hints, $message: true };
  return [
    { ...head, ...run, ...metadata, parts: opening.parts, ...native(family, kept, hints) },
    ...others.map((each, index) => ({
      ...(each.id ?? (id === undefined ? {} : { id: `${id}:${index + 1}` })),
      role: each.role,
      ...run,
      parts: each.parts,
      ...native(family, each.hints),
    })),
  ];
}

const isRole = (role: unknown): role is "system" | "user" | "assistant" =>
  role === "system" || role === "user" || role === "assistant";

// heads

interface Identity {
  readonly id?: string;
  /** The id that we made when the message was written. */
  readonly made?: string;
  readonly hints: JsonObject;
}

function readId(reader: Reader, { newId }: DecodeContext): Identity {
  const id = reader.peek("id");
  const isOwn = typeof id === "string" && id !== "" && !isMadeId(id);
  if (isOwn || typeof id === "string" || id === null) reader.take("id");
  if (isOwn) return { id, hints: {} };
  if (newId) return { id: newId(), hints: {} };
  if (typeof id === "string" && isMadeId(id)) return { made: id, hints: {} };
  return { hints: { $id: id === "" || id === null ? id : "none" } };
}

/** The application's metadata; what it carries for us is ours. */
function readMetadata(
  reader: Reader,
  { path, first }: MessagePlace,
  context: DecodeContext,
): { readonly metadata?: Json } {
  const metadata = reader.json("metadata");
  const carry = isJsonObject(metadata) && Object.hasOwn(metadata, ours) ? metadata[ours] : undefined;
  if (metadata === undefined) return {};
  if (!isJsonObject(metadata) || !isCarry(carry)) {
    if (carry !== undefined) context.issue("not-a-carry", [...path, "metadata", ours], notACarry);
    return { metadata };
  }
  context.carried(first, carry);
  if (Object.hasOwn(carry, "metadata")) return { metadata: carry["metadata"] ?? null };
  const { [ours]: _, ...others } = metadata;
  return Object.keys(others).length > 0 ? { metadata: others } : {};
}

const notACarry = "expected what this library carries in `metadata`; it is none that can be read, and stays metadata";

const isCarry = (value: Json | undefined): value is JsonObject =>
  isJsonObject(value) && value["v"] === 1 && typeof value["base"] === "string";

/** Puts a carry into the metadata; metadata that could be taken for what is left of it is kept inside. */
export function writeCarry(wireMessage: object, carry: Json): void {
  const message = wireMessage as { metadata?: Json }; // one of ours
  const { metadata } = message;
  const isOpen = isJsonObject(metadata) && Object.keys(metadata).length > 0 && !Object.hasOwn(metadata, ours);
  if (metadata === undefined || isOpen) message.metadata = { ...metadata, [ours]: carry };
  else message.metadata = { [ours]: { ...(carry as JsonObject), metadata } }; // a carry is an object
}

// parts

export interface PartPaths {
  readonly path: Path;
  /** What made ids begin with (R8). Absent in streams. */
  readonly made?: string;
  readonly role: string;
  readonly reading: MessageReading;
}

/** What a wire part becomes. */
type Decoded = Part | { readonly use: ToolUse } | { readonly approval: Pick<ToolUse, "request" | "response"> };

function inPlace(decoded: Decoded): Part[] {
  if ("type" in decoded) return [decoded];
  const { call, request, response, result }: Partial<ToolUse> = "use" in decoded ? decoded.use : decoded.approval;
  return [call, request, response, result].filter(part => part !== undefined);
}

function takePart(
  wire: Json,
  index: number,
  { steps, paths }: { readonly steps: Steps; readonly paths: PartPaths },
): void {
  const type = isJsonObject(wire) ? wire["type"] : undefined;
  if (isJsonObject(wire) && type === "step-start") {
    const { type: _, ...members } = wire;
    steps.mark(members);
    return;
  }
  if (isJsonObject(wire) && type === "steering-message" && paths.reading.generation >= 7) {
    const steering = decodeSteering(wire, index, paths);
    if (steering) {
      steps.steer(steering);
      return;
    }
  }
  const decoded = decodePart(wire, index, paths);
  if ("type" in decoded) steps.add(decoded);
  else if ("use" in decoded) steps.addTool(decoded.use);
  else steps.addApproval(decoded.approval);
}

/** Undefined where it is no message that a user could have sent. */
export function decodeSteering(wire: JsonObject, index: number, paths: PartPaths): Message | undefined {
  const reader = new Reader(wire);
  const id = reader.string("id");
  const list = reader.array("parts");
  if (id === undefined || !list) return undefined;
  reader.take("type");
  const inside = { ...paths, path: [...paths.path, index, "parts"], role: "user" };
  const parts = list.flatMap((part, place) => inPlace(decodePart(part, place, inside)));
  if (!parts.every(({ type }) => type === "text" || type === "file")) return undefined;
  const name = isMadeId(id) || id === "" ? {} : { id };
  return { ...name, role: "user", parts, ...native(family, reader.remainder(), id === "" ? { $id: "" } : undefined) };
}

export function decodePart(wire: Json, index: number, { path, made, role, reading }: PartPaths): Decoded {
  const { generation, context } = reading;
  const wirePath = [...path, index];
  if (!isJsonObject(wire) || typeof wire["type"] !== "string") {
    context.issue("not-a-part", wirePath, "expected an object with a `type`; kept as it is");
    return opaque(wire);
  }
  const type = wire["type"];
  if (isToolType(type)) {
    const issue = (code: string, message: string): void => context.issue(code, wirePath, message);
    const use = decodeTool(wire, {
      generation,
      role,
      dynamic: reading.dynamic,
      made: made && `${made}.${index}`,
      issue,
    });
    if (use) return { use };
  }
  const approval = decodeApproval(wire);
  if (approval) return { approval };
  const part = decodePlain(wire, { generation, role }) ?? reading.ownPart?.(wire);
  if (part?.type === "file") tellOtherType(wire, wirePath, context);
  if (part) return part;
  if (type === "custom" && typeof wire["kind"] === "string") return opaque(wire, late(type, generation));
  const kept = "kept as it is, for this format only";
  if (isKnownType(type))
    context.issue(
      "malformed-part",
      wirePath,
      `\`${type}\` lacks what the part needs, or has it in another type; ${kept}`,
    );
  else context.issue("unknown-part", wirePath, `\`${type}\` is not a part of the SDK's; ${kept}`);
  return opaque(wire, late(type, generation));
}

function tellOtherType(wire: JsonObject, path: Path, context: DecodeContext): void {
  const other = otherTypeOf(wire);
  if (other === undefined) return;
  context.issue("other-media-type", [...path, "url"], otherTypeMessage(other, String(wire["mediaType"])));
}

const plainTypes = ["text", "reasoning", "file", "reasoning-file", "source-url", "source-document"];
const isKnownType = (type: string): boolean => plainTypes.includes(type) || isToolType(type) || isDataType(type);

const late = (type: string, generation: Generation): JsonObject | undefined =>
  isLate(type, generation) ? { $late: true } : undefined;

function decodePlain(
  wire: JsonObject,
  place: { readonly generation: Generation; readonly role: string },
): Part | undefined {
  const type = String(wire["type"]);
  if (isDataType(type)) return decodeData(wire);
  switch (type) {
    case "text":
      return decodeText(wire, place);
    case "reasoning":
      return decodeReasoning(wire, place);
    case "file":
    case "reasoning-file":
      return decodeFile(wire, place);
    case "source-url":
    case "source-document":
      return decodeSource(wire);
    default:
      return undefined;
  }
}
