import { base64OfBytes, bytesOfBase64 } from "../../blocks/bedrock-converse/bytes.ts";
import type { Json } from "../../model/json.ts";

/**
 * A value of AWS's SDK for JavaScript as its JSON: bytes become base64. Values without bytes come back as they are, with
 * the identity that their spelling is known by. `decode` does this by itself.
 */
export function fromSdk(value: unknown): Json {
  return plain(value) as Json; // whatever else it is, decoding says so
}

export const plainEvent = (event: Json): Json => fromSdk(event);

function plain(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (value instanceof Uint8Array) return base64OfBytes(value);
  if (Array.isArray(value)) {
    const list = value.map(plain);
    return list.every((item, index) => item === value[index]) ? value : list;
  }
  let changed: Record<string, unknown> | undefined;
  for (const [key, member] of Object.entries(value)) {
    const made = plain(member);
    if (made === member) continue;
    changed ??= { ...value };
    changed[key] = made;
  }
  return changed ?? value;
}

/** A request, answer, message or event as AWS's SDK for JavaScript has them. */
export type SdkValue =
  | null
  | boolean
  | number
  | string
  | Uint8Array
  | readonly SdkValue[]
  | { readonly [member: string]: SdkValue };

/** Members whose content is a tool's or a model's own. */
const foreign: ReadonlySet<string> = new Set([
  "input",
  "json",
  "additionalModelRequestFields",
  "additionalModelResponseFields",
  "promptVariables",
  "requestMetadata",
]);

/** Members that are bytes for the SDK, and what they stand in. */
const bytes: { readonly [member: string]: string } = { bytes: "source", redactedContent: "reasoningContent" };

/**
 * A wire value as AWS's SDK for JavaScript takes it: base64 of files and of redacted reasoning becomes a `Uint8Array`. The
 * arguments and results of tools stay as they are.
 */
export const toSdk = (wire: unknown): SdkValue => withBytes(wire as Json, ""); // what `encode` gives is JSON

function withBytes(value: Json, holder: string): SdkValue {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map((item: Json) => withBytes(item, holder));
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => {
      const isBytes = typeof member === "string" && Object.hasOwn(bytes, key) && bytes[key] === holder;
      if (isBytes) return [key, bytesOfBase64(member) ?? member];
      return [key, foreign.has(key) ? member : withBytes(member, key)];
    }),
  );
}
