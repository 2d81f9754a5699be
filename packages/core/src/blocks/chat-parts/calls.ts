/** Tool calls of OpenAI's Chat Completions wire, which other formats embed, and the seals that hosts put on them. */

import { defined, Reader } from "../../codec/reader.ts";
import { hintsOf, kept, present, restored } from "../../codec/remainder.ts";
import type { Path } from "../../model/issue.ts";
import { isJsonObject, type Json, type JsonObject } from "../../model/json.ts";
import { inputTextOf } from "../../model/json-text.ts";
import type { Part, Seal, ToolCallPart } from "../../model/parts.ts";
import { readInput } from "../../stream/input.ts";
import { chatParts, type Issues, type Lose } from "./parts.ts";

/** A member of `tool_calls`. `made` is its id where the wire has none (R8). */
export function readToolCall(
  wire: Json,
  path: Path,
  from: { readonly made: string; readonly position: number; readonly issues: Issues },
): Part {
  const reader = isJsonObject(wire) ? new Reader(wire) : undefined;
  const kind = reader?.peek("type") === "custom" ? "custom" : undefined;
  const member = kind ?? "function";
  const holder = reader?.object(member);
  const inner = holder && new Reader(holder);
  const name = inner?.string("name");
  if (!reader || !inner || name === undefined) {
    from.issues.issue("not-a-tool-call", path, "expected an object with the name of a function; kept as it is");
    return { type: "opaque", family: chatParts, value: wire };
  }
  const id = reader.peek("id");
  const hasId = typeof id === "string" && id !== "";
  const spelling = idSpelling(id);
  if (hasId || spelling !== false) reader.take("id");
  if (reader.peek("type") === member) reader.take("type");
  const isCounted = reader.literal("index", from.position);
  const { hints, ...input } = readArguments(inner, kind);
  const { seal, remainder } = readExtraSeal(reader);
  const rest = inner.rest();
  return {
    type: "tool-call",
    callId: hasId ? id : from.made,
    name,
    ...defined<Partial<ToolCallPart>>({ ...input, kind, seal }),
    ...kept(chatParts, reader.rest(), {
      ...remainder,
      ...hints,
      ...(spelling !== undefined && { $id: spelling }),
      ...(reader.peek("type") === undefined && { $type: false }),
      ...(isCounted && { $index: true }),
      ...(rest && { [member]: rest }),
    }),
  };
}

/** How a wire id was spelled that does not tell itself: "", null, false for none, or one that looks like a made one. */
export function idSpelling(id: Json | undefined): string | null | false | undefined {
  if (typeof id === "string" && id !== "" && !id.startsWith("~")) return undefined;
  return typeof id === "string" || id === null ? id : false;
}

/** Text (R7), or JSON as some hosts send it; `""`, null and nothing at all are no arguments. */
export function readArguments(
  inner: Reader,
  kind?: string,
): { readonly input?: Json; readonly inputText?: string; readonly hints: JsonObject } {
  const member = kind === "custom" ? "input" : "arguments";
  const given = inner.peek(member);
  inner.take(member);
  if (typeof given === "string" && given !== "") return { ...readInput(given, kind), hints: {} };
  if (given === undefined) return { hints: { $arguments: false } };
  if (given === null || given === "") return { hints: { $arguments: given } };
  return { input: given, hints: { $arguments: "json" } };
}

/** The wire member for a call's arguments, under its name; nothing where the wire had nothing. */
export function writeArguments(call: ToolCallPart, path: Path, lose: Lose): JsonObject {
  const member = call.kind === "custom" ? "input" : "arguments";
  const { $arguments: hint } = hintsOf(call, chatParts);
  if (call.input === undefined && call.inputText === undefined) {
    if (hint === false) return {};
    if (hint === "" || hint === null) return { [member]: hint };
    if (call.kind === "custom") return { [member]: "" };
    lose("no-arguments", path);
    return { [member]: "{}" };
  }
  if (hint === "json" && call.input !== undefined) return { [member]: call.input };
  if (call.kind === "custom" && typeof call.input === "string") return { [member]: call.input };
  if (call.kind === "custom" && call.input !== undefined) lose("custom-input", [...path, "input"]);
  return { [member]: inputTextOf(call) ?? "" };
}

/** A call of a custom tool as one of the function that stands for it. */
export function asFunctionCall({ kind: _, inputText, ...call }: ToolCallPart): ToolCallPart {
  return isJsonObject(call.input) ? call : { ...call, input: { input: call.input ?? inputText ?? "" } };
}

/** A member of `tool_calls`, with this id; its seal where the reader has a place for it. */
export function writeToolCall(
  call: ToolCallPart,
  path: Path,
  options: { readonly id: Json | undefined; readonly position: number; readonly lose: Lose },
): JsonObject {
  const { lose, id } = options;
  if (call.kind !== undefined && call.kind !== "custom") lose("tool-kind", [...path, "kind"], call.kind);
  const member = call.kind === "custom" ? "custom" : "function";
  const hints = hintsOf(call, chatParts);
  const hasType = hints["$type"] !== false && !Object.hasOwn(hints, "type");
  const fields = present({
    index: hints["$index"] === true ? options.position : undefined,
    id: Object.hasOwn(hints, "id") ? undefined : id,
    type: hasType ? member : undefined,
    [member]: { name: call.name, ...writeArguments(call, path, lose) },
    ...writeExtraSeal(call.seal),
  });
  return restored(fields, call, chatParts);
}

/**
 * The id as the wire has it: native ids as they are, an id that was missing as it was missing, else one made valid for
 * hosts that demand it: at most 40 of [A-Za-z0-9_-] (R8). Undefined = none is written.
 */
export function writeCallId(
  part: { readonly callId: string } & Pick<Part, "native">,
  isHinted = true,
): Json | undefined {
  if (!part.callId.startsWith("~")) return part.callId;
  const hint = isHinted ? hintsOf(part, chatParts)["$id"] : undefined;
  if (hint === undefined) return validId(part.callId);
  return hint === false ? undefined : hint;
}

/** By the whole id's hash, so that ids which differ stay different (property 8). */
function validId(id: string): string {
  let [low, high] = [0x811c9dc5, 0x1000193];
  for (let index = 0; index < id.length; index++) {
    low = Math.imul(low ^ id.charCodeAt(index), 0x01000193);
    high = Math.imul(high ^ id.charCodeAt(index), 0x85ebca6b);
  }
  const clean = id.replace(/[^A-Za-z0-9_-]+/g, "_").slice(0, 20);
  return `call${clean}_${(low >>> 0).toString(36)}${(high >>> 0).toString(36)}`;
}

/** Google's signature, as its own Chat endpoint has it, or any seal in our own member. */
export function readExtraSeal(reader: Reader): { seal?: Seal; remainder: JsonObject } {
  const extra = reader.peek("extra_content");
  if (!isJsonObject(extra)) return { remainder: {} };
  const outer = new Reader(extra);
  const ours = outer.peek("translogue");
  if (isSeal(ours)) {
    reader.take("extra_content");
    outer.take("translogue");
    const rest = outer.rest();
    return { seal: ours, remainder: rest ? { extra_content: rest } : {} };
  }
  const google = outer.peek("google");
  const inner = isJsonObject(google) ? new Reader(google) : undefined;
  const signature = inner?.string("thought_signature");
  if (!inner || signature === undefined) return { remainder: {} };
  reader.take("extra_content");
  outer.take("google");
  const left = inner.rest();
  const rest = left ? { ...outer.rest(), google: left } : outer.rest();
  return { seal: googleSeal(signature), remainder: rest ? { extra_content: rest } : {} };
}

export const googleSeal = (signature: string): Seal => ({ maker: "google", values: { thoughtSignature: signature } });

export function writeExtraSeal(seal: Seal | undefined): JsonObject {
  if (!seal) return {};
  const { thoughtSignature, ...others } = seal.values;
  const isPlain = seal.maker === "google" && seal.model === undefined && seal.route === undefined;
  if (!isPlain || thoughtSignature === undefined || Object.keys(others).length > 0) {
    return { extra_content: { translogue: seal as unknown as Json } }; // a seal is JSON
  }
  return { extra_content: { google: { thought_signature: thoughtSignature } } };
}

/** A seal as we wrote it; members come from clients, so each is looked at. */
export function isSeal(value: unknown): value is Seal & JsonObject {
  if (!isJsonObject(value) || !isJsonObject(value["values"])) return false;
  const { values, ...names } = value;
  return [...Object.values(values), ...Object.values(names)].every(text => typeof text === "string");
}

export { deniedText } from "../../codec/refusals.ts";
