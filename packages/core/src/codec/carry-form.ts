import type { Message } from "../model/conversation.ts";
import { isJsonObject, type Json, type JsonObject } from "../model/json.ts";
import type { Part } from "../model/parts.ts";
import { textPrint } from "./text-print.ts";

/**
 * What a wire message does not say of the messages it was written from, against what a reader makes of it. Kept beside
 * the message, so that an edit elsewhere changes nothing, and void once the message itself was edited (R1).
 */
export interface Carry {
  readonly v: 1;
  /** How many messages the wire message reads as, and the fingerprint of what they say. */
  readonly reads: number;
  readonly base: string;
  readonly messages: readonly CarriedMessage[];
  /** How many of the messages are read before the wire message, of a place that has no slot. */
  readonly before?: number;
  /** The dialect that it was written in, where the wire looks like another one and would be read otherwise. */
  readonly dialect?: string;
}

/** What an object as read has to change. */
export interface Changes {
  readonly set?: JsonObject;
  readonly unset?: readonly string[];
  /** Of `native`, member by member of each family: an edit of another member stays. */
  readonly native?: {
    readonly set?: { readonly [family: string]: JsonObject };
    readonly unset?: { readonly [family: string]: readonly string[] };
  };
}

export interface CarriedMessage extends Changes {
  /** Which of the messages read; absent = none, it is all in `set`. */
  readonly from?: number;
  /** Absent = the parts of `from`. */
  readonly parts?: readonly CarriedPart[];
}

/** A part as read (its number over all messages read), the same with other members, or one the wire does not have. */
export type CarriedPart = number | (Changes & { readonly from: number }) | { readonly part: Json };

export function isCarry(value: unknown): value is Carry {
  if (!isJsonObject(value) || value["v"] !== 1) return false;
  const { reads, base, messages, before = 0, dialect = "" } = value;
  return (
    Number.isInteger(reads) &&
    Number.isInteger(before) &&
    typeof base === "string" &&
    typeof dialect === "string" &&
    Array.isArray(messages) &&
    messages.every(isCarriedMessage)
  );
}

/** Carries come back from clients: only their outline can be trusted to be ours, so it is looked at. */
function isCarriedMessage(value: unknown): boolean {
  if (!isJsonObject(value)) return false;
  const { parts = [] } = value;
  return Array.isArray(parts) && areChanges(value) && parts.every(isCarriedPart);
}

function areChanges({ unset = [], set = {}, native = {} }: JsonObject): boolean {
  if (!areNames(unset) || !isJsonObject(set) || !isJsonObject(native)) return false;
  const { set: families = {}, unset: others = {} } = native;
  return (
    isJsonObject(families) &&
    Object.values(families).every(isJsonObject) &&
    isJsonObject(others) &&
    Object.values(others).every(areNames)
  );
}

const areNames = (value: unknown): boolean => Array.isArray(value) && value.every(name => typeof name === "string");

function isCarriedPart(value: unknown): boolean {
  if (typeof value === "number") return true;
  if (!isJsonObject(value)) return false;
  if (isJsonObject(value["part"])) return typeof value["part"]["type"] === "string";
  return typeof value["from"] === "number" && areChanges(value);
}

/** Over what the messages say; ids are left out, because a reader makes them anew. */
export const fingerprint = (messages: readonly Message[]): string =>
  textPrint(messages.flatMap(({ role, parts }) => [role, ...parts.map(says)]));

function says(part: Part): string {
  switch (part.type) {
    case "text":
    case "reasoning":
    case "refusal":
      return `${part.type} ${part.text ?? ""}`;
    case "tool-call":
      return `${part.type} ${part.name} ${part.inputText ?? JSON.stringify(part.input) ?? ""}`;
    case "tool-result":
      return `${part.type} ${part.outcome ?? ""} ${JSON.stringify(part.output) ?? ""}`;
    case "file":
      return `${part.type} ${part.mediaType ?? ""} ${JSON.stringify(part.source)}`;
    case "data":
      return `${part.type} ${part.name ?? ""} ${JSON.stringify(part.data)}`;
    default:
      return part.type;
  }
}
