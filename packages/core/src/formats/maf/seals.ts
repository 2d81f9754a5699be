/** `protectedData` of reasoning ↔ its seal. */

import type { JsonObject } from "../../model/json.ts";
import type { Seal } from "../../model/parts.ts";
import type { Properties, Writing } from "./wire.ts";

/** Properties in which .NET's clients say whose the data is (Microsoft.Extensions.AI.OpenAI 10.11, Anthropic 13.14). */
const itemId = "reasoningItemId";
const redacted = "anthropic:redacted_thinking";
/** The value of a seal that does not say whose it is, as formats call it that name no maker either. */
const unnamed = "signature";

const isText = (value: unknown): value is string => typeof value === "string" && value !== "";

/** The seal of a reasoning content; its maker is known where a client noted it. */
export function readSeal(protectedData: string | undefined, properties: Properties): Seal | undefined {
  const id = properties.member(itemId, isText);
  if (id !== undefined) {
    return {
      maker: "openai",
      values: { ...(protectedData !== undefined && { encrypted_content: protectedData }), id },
    };
  }
  if (protectedData === undefined) return undefined;
  const isRedacted = protectedData !== "" && properties.member(redacted, value => value === true) === true;
  return isRedacted
    ? { maker: "anthropic", values: { data: protectedData } }
    : { values: { [unnamed]: protectedData } };
}

/** Whether properties say which item of OpenAI's a reasoning is of: such reasoning is read as a summary. */
export const saysItem = (properties: JsonObject): boolean => Object.hasOwn(properties, itemId);

interface WrittenSeal {
  readonly protectedData?: string;
  readonly properties: JsonObject;
}

/** Of several values the one without which the others are worth nothing. */
const mainValues = ["encrypted_content", "signature", "data", "thoughtSignature"];

/** A seal as `protectedData`. */
export function writeSeal(seal: Seal, writing: Writing): WrittenSeal {
  const { maker, values } = seal;
  const names = Object.keys(values).sort().join();
  const isWhole = seal.model === undefined && seal.route === undefined;
  const { id, data, encrypted_content: encrypted } = values;
  // Under OpenAI's property a client hands it to OpenAI, whichever host it is of.
  const isMakers = seal.route === undefined;
  if (isMakers && maker === "openai" && (names === "id" || names === "encrypted_content,id") && id) {
    if (!isWhole) writing.context.lose("seal", [...writing.path, "seal"]);
    return { ...(encrypted !== undefined && { protectedData: encrypted }), properties: { [itemId]: id } };
  }
  if (maker === "anthropic" && names === "data" && data) {
    if (!isWhole) writing.context.lose("seal", [...writing.path, "seal"]);
    return { protectedData: data, properties: { [redacted]: true } };
  }
  const name = mainValues.find(each => values[each] !== undefined) ?? Object.keys(values)[0];
  const value = name === undefined ? undefined : values[name];
  if (!isWhole || maker !== undefined || names !== unnamed) {
    writing.context.lose("seal", [...writing.path, "seal"]);
  }
  return { ...(value !== undefined && { protectedData: value }), properties: {} };
}
