import { isBlank } from "../../codec/hints.ts";
import { rowOf } from "../../codec/reader.ts";
import { hintsOf } from "../../codec/remainder.ts";
import { isJsonObject, type Json, type JsonObject, type MutableJsonObject, setMember } from "../../model/json.ts";
import type { Part } from "../../model/parts.ts";
import { memberOf } from "./escape.ts";
import { family } from "./wire.ts";

/**
 * How a call was told, in hints of its part: `$call`, and `$$call` for what no field says (R2). A block of the content may tell of the same call; what that block
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
  /** The raw entry stands in `tool_calls`; `dict`: of a message that is of OpenAI's form as well. */
  readonly entry?: boolean | "dict";
  readonly function?: true;
  /** Its seal is a signature that stood beside it, by its id. */
  readonly signed?: true;
  /** It stood in a dict of OpenAI's form, but as LangChain writes calls. */
  readonly dict?: true;
}

export const callHints = (part: Pick<Part, "native">): CallHints & JsonObject => {
  const { $call: spelling, $$call: content } = part.native?.[family] ?? {};
  return { ...(isJsonObject(spelling) && spelling), ...(isJsonObject(content) && content) };
};

/** Whether its raw entry says more than the call's fields do. */
export function isToldRaw(part: Pick<Part, "native">): boolean {
  const { $$call: said } = part.native?.[family] ?? {};
  return isJsonObject(said) && Object.hasOwn(said, "raw");
}

export const withCall = <P extends Part>(part: P, hints: JsonObject): P => {
  const { $call: _, $$call: __, ...members } = hintsOf(part, family);
  const native = { ...part.native, [family]: { ...members, ...hintsOfCall({ ...callHints(part), ...hints }) } };
  return { ...part, native };
};

/** The hints, apart by whether they say something that the call's fields do not. */
export function hintsOfCall(all: JsonObject): JsonObject {
  const [spelling, content]: [MutableJsonObject, MutableJsonObject] = [{}, {}];
  for (const key of Object.keys(all)) {
    const value = all[key] ?? null;
    const isContent = rowOf(contents, key)?.(value) === true && !isBlank(value);
    setMember(isContent ? content : spelling, key, value);
  }
  return {
    ...(Object.keys(spelling).length > 0 && { $call: spelling }),
    ...(Object.keys(content).length > 0 && { $$call: content }),
  };
}

/** What JavaScript's invalid calls say where nothing else is known. */
export const usualError = "Malformed args.";

const fieldsOfRaw = ["id", "type", "index", "function", "name", "arguments"];

const contents: { readonly [hint: string]: (value: Json) => boolean } = {
  error: value => value !== usualError,
  invalid: value => typeof value === "object",
  rest: () => true,
  block: value => isJsonObject(value) && hasOtherInput(value),
  raw: value =>
    isJsonObject(value) && [value, value["function"]].some(each => isJsonObject(each) && hasOthers(each, fieldsOfRaw)),
};

const hasOtherInput = ({ input, inputText, beside }: JsonObject): boolean =>
  input === undefined ? inputText !== undefined && inputText !== "" : JSON.stringify(input) !== beside;

const hasOthers = (object: JsonObject, names: readonly string[]): boolean =>
  Object.keys(object).some(key => !names.includes(key) && !isBlank(object[key]));

/** Whether the call stands in the content as well. */
export const isBlock = (part: Part): boolean => hintsOf(part, family)["$block"] !== undefined;

/** The id as it was; a made one where a call and its result have no other. */
export function writtenId(part: { readonly callId: string } & Pick<Part, "native">): Json | undefined {
  if (!part.callId.startsWith("~")) return part.callId;
  const id = memberOf(callHints(part), "id");
  if (id === undefined) return part.callId;
  return id === false ? undefined : id;
}

export const isSameValue = (left: Json | undefined, right: Json | undefined): boolean =>
  JSON.stringify(left) === JSON.stringify(right);
