/**
 * What all items of OpenAI's Responses wire share: their family, ids and status. The items themselves are read and
 * written by `responses-items`, their content by `responses-content`, tools' calls and results by `responses-calls`.
 */

import type { Recipient } from "../../codec/codec.ts";
import { defined, type Reader } from "../../codec/reader.ts";
import { hintsOf, remainderOf } from "../../codec/remainder.ts";
import type { Path } from "../../model/issue.ts";
import { isJsonObject, type Json, type JsonObject } from "../../model/json.ts";
import type { Node, Part, Seal } from "../../model/parts.ts";
import type { SchemaSubsets } from "../json-schema/strictness.ts";
import type { Calls } from "./calls.ts";
import type { responsesLosses } from "./losses.ts";

/** Family of the nodes that these modules read. */
export const responses = "openai-responses";

/** The host of what says no other. */
export const usualHost = "openai";

/** Reports something that an item cannot say. */
export type Lose = (code: keyof typeof responsesLosses, path: Path, detail?: string) => void;

/** An item of an answer says its status and id always; one of a request where they are known. */
export type Form = "answer" | "request";

export interface ReadScope {
  /** Whose the ids and encrypted contents are. Absent = unknown. */
  readonly maker?: string;
  /** The host that gave them out, where it is not the maker's own API. */
  readonly route?: string;
  /** The dialect that is read, where it is not the usual one: ids of what a host stores mean nothing to another. */
  readonly host?: string;
  /** What the host takes as the schemas of functions. */
  readonly functions?: SchemaSubsets;
  readonly form: Form;
  /** What made ids begin with, after their `~`: the answer's id, or nothing (R8). */
  readonly made?: string;
  issue(code: string, wirePath: Path, message: string): void;
}

export interface WriteScope {
  readonly form: Form;
  readonly recipient: Recipient;
  /** Whose seals a reader takes ids and encrypted contents for. */
  readonly maker: string | undefined;
  readonly route?: string | undefined;
  /** The dialect that is written. */
  readonly host?: string;
  readonly functions?: SchemaSubsets;
  /** Reasoning without a seal is refused by OpenAI, and read by hosts of open models. */
  readonly takesBareReasoning: boolean;
  readonly lose: Lose;
}

export interface Located<P extends Part = Part> {
  readonly part: P;
  readonly path: Path;
}

/** Members of a part's `native` that are its item's: they stand on the last part of the item, where a stream can put them (R12). */
export const itemMember = "item";

/** Members of a message's `native` that are those of its answer. */
export const envelopeMembers = ["response", "usage"] as const;

// ids

/** Ids that we made for readers who want one everywhere are no ids of any maker. */
export const isMadeId = (id: string): boolean => /^[a-z]*_?~/.test(id);

/** The item's id as a seal of its maker. "" and null stay what they are. */
export function readId(reader: Reader): string | undefined {
  const id = reader.peek("id");
  if (typeof id !== "string" || id === "") return undefined;
  reader.take("id");
  return isMadeId(id) ? undefined : id;
}

/** An item of an answer has an id of its own; one of a host that gives none is kept as such (Bedrock's calls, 2026-11-30). */
export const idHint = (wire: JsonObject, { form }: Pick<ReadScope, "form">): JsonObject =>
  form === "answer" && !Object.hasOwn(wire, "id") ? { $id: false } : {};

/** Whether an item is to have no id of ours: it had none, or one that is no id. */
export const hasOwnId = (hints: JsonObject): boolean => Object.hasOwn(hints, "id") || hints["$id"] === false;

export function sealOf(
  values: { readonly [name: string]: string | undefined },
  { maker, route }: Pick<ReadScope, "maker" | "route">,
): Seal | undefined {
  const told = Object.entries(values).flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const]));
  if (told.length === 0) return undefined;
  return defined<Seal>({ maker, route, values: Object.fromEntries(told) });
}

/** Whether a reader of what is written takes the seal for this one again. */
export const isOf = ({ maker, route }: Seal, scope: WriteScope): boolean =>
  maker === scope.maker && route === scope.route;

export const idOf = (part: Part): string | undefined => part.seal?.values["id"];

/** The seal's values that the item has members for; what a reader would not take for this seal is lost. */
export function sealValues(
  part: Part,
  path: Path,
  names: readonly string[],
  scope: WriteScope,
): { readonly [name: string]: string } {
  const { seal } = part;
  if (!seal) return {};
  const { values } = seal;
  const isSaid = seal.model === undefined && isOf(seal, scope);
  if (!isSaid && scope.recipient !== "provider") {
    scope.lose("part-seal", [...path, "seal"]);
    return {};
  }
  const kept: { [name: string]: string } = {};
  for (const [name, value] of Object.entries(values)) {
    if (names.includes(name) && value !== "" && !(name === "id" && isMadeId(value))) kept[name] = value;
    else scope.lose("seal-value", [...path, "seal", "values", name]);
  }
  return kept;
}

// status

/** What an item's status usually is, by type and form; undefined = it has none. */
export function usualStatus(type: string, form: Form): string | undefined {
  if (statusless.has(type)) return undefined;
  return form === "answer" || hosted.has(type) ? "completed" : undefined;
}

const statusless: ReadonlySet<string> = new Set([
  "reasoning",
  "mcp_list_tools",
  "mcp_approval_request",
  "mcp_approval_response",
  "compaction",
  "function_call_output",
  "custom_tool_call_output",
  "computer_call_output",
  "local_shell_call_output",
]);
/** Their types want a status even in a request. */
const hosted: ReadonlySet<string> = new Set([
  "web_search_call",
  "file_search_call",
  "code_interpreter_call",
  "image_generation_call",
  "computer_call",
  "local_shell_call",
  "apply_patch_call",
  "apply_patch_call_output",
  "program_output",
]);

export interface Status {
  readonly partial?: true;
  readonly hints: JsonObject;
}

const unfinished = new Set<Json | undefined>(["in_progress", "incomplete"]);

/** `partial` where the item is not whole; the usual status needs no hint, any other stays native. */
export function readStatus(reader: Reader, type: string, form: Form): Status {
  const status = reader.peek("status");
  const usual = usualStatus(type, form);
  if (status === usual) reader.take("status");
  if (status === undefined) return { hints: usual === undefined ? {} : { $status: false } };
  if (!unfinished.has(status)) return { hints: {} };
  reader.take("status");
  return { partial: true, hints: status === "incomplete" ? {} : { $status: status } };
}

/** The status; undefined where it has none, or where the remainder says it. */
export function writeStatus(part: Part | undefined, type: string, form: Form, hints: JsonObject): Json | undefined {
  const { $status: told } = hints;
  const isWaiting = part?.type === "tool-call" && part.caller !== undefined;
  if ((part?.partial || isWaiting) && typeof told === "string") return told;
  if (part?.partial) return "incomplete";
  if (told === false || hints["status"] !== undefined) return undefined;
  return usualStatus(type, form);
}

/** Hints and remainder of an item, which stand on the part that it ends with. */
export const itemOf = (node: Node): JsonObject => {
  const item = hintsOf(node, responses)[itemMember];
  return isJsonObject(item) ? item : {};
};

/** The part's own remainder, without its item's. */
export const ownRemainder = (node: Node): JsonObject => remainderOf(node, responses, [itemMember]);

// items

/** A part with its number in its item, by which a stream's parts sort (E4). */
export interface Placed {
  readonly place: number;
  readonly part: Part;
}

/** What an item says. */
export interface ReadItem {
  /** The side whose turn it is: assistant and tool items are joined with their neighbours, any other is a message of its own (R15). */
  readonly role: string;
  readonly parts: readonly Placed[];
  /** Of the message that it is, where it is one of its own. */
  readonly native?: NonNullable<Node["native"]>;
  readonly carry?: Json;
}

export interface ItemScope extends ReadScope {
  readonly calls: Calls;
}

/** Entries of a reasoning item after its summary. */
export const contentPlace = 1_000;
/** Items of a message, each with room for its parts. */
export const itemPlaces = 1_000_000;
