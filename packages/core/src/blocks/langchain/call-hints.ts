import { hintsOf } from "../../codec/remainder.ts";
import { isJsonObject, type Json, type JsonObject, type MutableJsonObject } from "../../model/json.ts";
import type { Part } from "../../model/parts.ts";
import { memberOf } from "./escape.ts";
import { family } from "./wire.ts";

/**
 * How a call was told, in one hint of its part: `$call`. A block of the content may tell of the same call; what that block
 * looked like is the matter of its own hints.
 */
export interface CallHints {
  /** Absent = in the list that fits its arguments. false = in no list: raw in `additional_kwargs`, or in the content only. */
  readonly list?: "invalid_tool_calls" | false;
  /** Members of its entry in order, by language, where they are not the usual ones. */
  readonly keys?: { readonly [language: string]: readonly string[] };
  readonly id?: Json;
  /** The text that was found invalid: the call is valid again once its arguments are others (R1). */
  readonly invalid?: Json;
  readonly error?: Json;
  /** Members of the entry without a field, where its part is a block of the content. */
  readonly rest?: JsonObject;
  /** The arguments that its block in the content has, while the entry's are `beside` (R1). */
  readonly block?: JsonObject;
  /** The made id of its block in the content, which has none, while the entry's is `beside` (R8). */
  readonly own?: JsonObject;
  /** Its entry in `additional_kwargs.tool_calls`, or `function_call`: what is not a field here. */
  readonly raw?: JsonObject;
  readonly function?: true;
  /** Its seal is a signature that stood beside it, by its id. */
  readonly signed?: true;
  /** It stood in a dict of OpenAI's form, but as LangChain writes calls. */
  readonly dict?: true;
}

export const callHints = (part: Part): CallHints & JsonObject => {
  const { $call: hints } = hintsOf(part, family);
  return isJsonObject(hints) ? hints : {};
};

export const withCall = <P extends Part>(part: P, hints: JsonObject): P => {
  const all = { ...callHints(part), ...hints };
  const members: MutableJsonObject = { ...hintsOf(part, family) };
  if (Object.keys(all).length > 0) members["$call"] = all;
  else delete members["$call"];
  const native = { ...part.native, [family]: members };
  return { ...part, native };
};

/** Whether the call stands in the content as well. */
export const isBlock = (part: Part): boolean => hintsOf(part, family)["$block"] !== undefined;

/** The id as it was; a made one where a call and its result have no other. */
export function writtenId(part: { readonly callId: string } & Pick<Part, "native">): Json | undefined {
  if (!part.callId.startsWith("~")) return part.callId;
  const { $call: hints } = part.native?.[family] ?? {};
  const id = isJsonObject(hints) ? memberOf(hints, "id") : undefined;
  if (id === undefined) return part.callId;
  return id === false ? undefined : id;
}

export const isSameValue = (left: Json | undefined, right: Json | undefined): boolean =>
  JSON.stringify(left) === JSON.stringify(right);
