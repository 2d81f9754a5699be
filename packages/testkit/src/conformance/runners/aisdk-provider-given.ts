import { isJsonObject, type Json, type JsonObject, type Loss } from "translogue";
import { member } from "./aisdk-provider-places.ts";

/** What a request of the SDK's packages is compared by: both bodies, and the call that they were made of. */

export interface Compared {
  readonly theirs: unknown;
  readonly ours: unknown;
  /** Ours before it was brought to one spelling with theirs. */
  readonly sent: unknown;
  /** The messages that both were made of. */
  readonly given: Json;
  readonly call: JsonObject;
  readonly settings: Json | undefined;
  /** What our report names. */
  readonly losses: readonly Loss[];
}

/** What the SDK got from every address in these cases. */
export const downloaded = Buffer.from("too small").toString("base64");

/** The texts among the contents of a tool. */
export const wordsOf = (items: unknown): readonly unknown[] =>
  Array.isArray(items) ? items.map(item => member(item, "text")).filter(text => text !== undefined) : [];

export const bytesOf = (url: unknown): string => String(url).replace(/^[^,]*,/, "");

export const partsOf = (given: Json): readonly JsonObject[] =>
  (Array.isArray(given) ? (given as readonly Json[]) : []).flatMap(message => {
    const content = isJsonObject(message) ? message["content"] : undefined;
    return Array.isArray(content) ? (content as readonly Json[]).filter(isJsonObject) : [];
  });

export const isContent = (value: unknown): boolean =>
  Array.isArray(value) && value.every(item => typeof member(item, "type") === "string");

export function parsedText(value: unknown): Json | undefined {
  if (typeof value !== "string") return undefined;
  try {
    return JSON.parse(value) as Json; // JSON.parse gives JSON
  } catch {
    return undefined;
  }
}

export const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
