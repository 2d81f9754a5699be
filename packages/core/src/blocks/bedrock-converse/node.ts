/** What all blocks of Bedrock's Converse wire share: family, ids, seals, cache points, the names of its own tools. */

import type { Recipient } from "../../codec/codec.ts";
import { type Reader, rowOf } from "../../codec/reader.ts";
import { hintsOf, present } from "../../codec/remainder.ts";
import type { Tool } from "../../model/conversation.ts";
import type { Path } from "../../model/issue.ts";
import { isJsonObject, type Json, type JsonObject } from "../../model/json.ts";
import type { Part, Seal, ToolCallPart, ToolResultPart } from "../../model/parts.ts";
import { idSpelling, writeCallId } from "../chat-parts/calls.ts";
import type { bedrockLosses } from "./losses.ts";

/** Family of the blocks, and of the bodies that hold them. */
export const bedrock = "bedrock-converse";

/** Reports something that a block cannot say. */
export type Lose = (code: keyof typeof bedrockLosses, path: Path, detail?: string) => void;

export interface ReadScope {
  /** Whose signatures are read. */
  readonly maker: string;
  issue(code: string, wirePath: Path, message: string): void;
}

/** Where a block is, and what its id is made of where it has none (R8). */
export interface ReadPlace {
  readonly path: Path;
  readonly made: string;
}

export interface WriteScope {
  readonly recipient: Recipient;
  /** Whose signatures are read again where these are written. */
  readonly maker: string;
  readonly callOf: (result: ToolResultPart) => ToolCallPart | undefined;
  /** Made ids whose missing spelling cannot be kept: a call or result of theirs was not read without one. */
  readonly named: ReadonlySet<string>;
  /** Names of documents that are given, in small letters: the API refuses a second one. */
  readonly documents: Set<string>;
  /** Whether what a message defines is declared so with all other tools. */
  readonly declares: (tool: Tool) => boolean;
  readonly lose: Lose;
}

export interface Located<P extends Part = Part> {
  readonly part: P;
  readonly path: Path;
}

export const asObject = (value: Json | undefined): JsonObject => (isJsonObject(value) ? value : {});

// models

/** Vendors in Bedrock's ids: `anthropic.claude-…`, `us.anthropic.claude-…`, also at the end of a resource's name. */
const vendors =
  /(?:^|[./])(ai21|amazon|anthropic|cohere|deepseek|google|luma|meta|minimax|mistral|moonshot|moonshotai|nvidia|openai|qwen|stability|twelvelabs|writer|xai|zai)\./;

/** Whose a model is, by its id. Undefined = not told. */
export function vendorOf(model: string | undefined): string | undefined {
  if (model === undefined) return undefined;
  return vendors.exec(model)?.[1] ?? (model.includes("claude") ? "anthropic" : undefined);
}

/** Models that sign are Claude's, where nothing else is told. */
export const makerOf = (model: string | undefined): string => vendorOf(model) ?? "anthropic";

// ids

/** The id that pairs a call and its result. */
export function readCallId(reader: Reader, made: string): { readonly callId: string; readonly hints: JsonObject } {
  const id = reader.peek("toolUseId");
  const spelling = idSpelling(id);
  if (spelling === undefined || typeof id === "string" || id === null) reader.take("toolUseId");
  const hints = spelling === undefined ? {} : { $id: spelling };
  return { callId: typeof id === "string" && id !== "" ? id : `~${made}`, hints };
}

/** Native ids as they are; one that was missing as it was missing, any other made one in a valid form. */
export function callIdOf(part: ToolCallPart | ToolResultPart, path: Path, scope: WriteScope): Json | undefined {
  const { callId } = part;
  if (!callId.startsWith("~")) return callId;
  const { $id: spelling } = hintsOf(part, bedrock);
  if (spelling !== undefined && !scope.named.has(callId)) return spelling === false ? undefined : spelling;
  scope.lose("made-id", [...path, "callId"]);
  return writeCallId({ callId });
}

/** Calls and results pair by id: where one of the two has to name it, both do. */
export function idsToName(messages: readonly { readonly parts: readonly Part[] }[]): ReadonlySet<string> {
  const named = new Set<string>();
  for (const { parts } of messages) {
    for (const part of parts) {
      if (part.type !== "tool-call" && part.type !== "tool-result") continue;
      if (part.callId.startsWith("~") && !Object.hasOwn(hintsOf(part, bedrock), "$id")) named.add(part.callId);
    }
  }
  return named;
}

// seals

/** The host of the seals that are read. */
const route = "bedrock";

/** The values that are there as a seal; "" is none. */
export function sealOf(
  values: { readonly [name: string]: string | undefined },
  { maker }: ReadScope,
): Seal | undefined {
  const told = Object.entries(values).flatMap(([name, value]) => (value ? [[name, value] as const] : []));
  return told.length === 0 ? undefined : { maker, route, values: Object.fromEntries(told) };
}

/** What other hosts of a maker's models read as well. */
const isFree = ({ maker, values }: Seal): boolean =>
  maker === "anthropic" && Object.keys(values).every(name => name === "signature" || name === "data");

/** Whether a seal may go to the model that is asked: its own, and what Bedrock passed on where the model is not told. */
export function isHomeIn(seal: Seal, model: string | undefined): boolean {
  const asked = vendorOf(model);
  if (asked === undefined) return seal.route === route;
  return seal.maker === asked && (seal.route === route || isFree(seal));
}

/** The seal's values that the block has members for; what a reader would not take for this seal is lost. */
export function sealValues(
  node: { readonly seal?: Seal },
  path: Path,
  names: readonly string[],
  scope: WriteScope,
): { readonly [name: string]: string } {
  const { seal } = node;
  if (!seal) return {};
  const isOwn = seal.maker === scope.maker || scope.recipient === "provider";
  if (!isOwn) {
    scope.lose("part-seal", [...path, "seal"]);
    return {};
  }
  const isSame = seal.route === route && seal.model === undefined && seal.maker === scope.maker;
  if (!isSame && scope.recipient !== "provider") scope.lose("seal-route", [...path, "seal"]);
  const kept: { [name: string]: string } = {};
  for (const [name, value] of Object.entries(seal.values)) {
    if (names.includes(name) && value !== "") kept[name] = value;
    else scope.lose("seal-value", [...path, "seal", "values", name]);
  }
  return kept;
}

// cache

type Cache = { readonly ttl?: string };

/** A cache point of the one known type; any other is a block of its own. */
export function readCachePoint(block: Json): Cache | undefined {
  if (!isJsonObject(block) || Object.keys(block).length !== 1) return undefined;
  const { cachePoint } = block;
  if (!isJsonObject(cachePoint) || cachePoint["type"] !== "default") return undefined;
  const { type: _, ttl, ...others } = cachePoint;
  if (Object.keys(others).length > 0 || (ttl !== undefined && typeof ttl !== "string")) return undefined;
  return ttl === undefined ? {} : { ttl };
}

/** Each item with the cache point that follows it (R11: a mark is of the part that it stands behind). */
export function withCachePoints<Item extends { readonly cache?: Cache }>(
  list: readonly Json[],
  read: (wire: Json, index: number) => Item,
): Item[] {
  const items: Item[] = [];
  for (const [index, wire] of list.entries()) {
    const cache = readCachePoint(wire);
    const last = items.at(-1);
    if (cache && last && last.cache === undefined) items[items.length - 1] = { ...last, cache };
    else items.push(read(wire, index));
  }
  return items;
}

/** The cache point behind what was written; none behind nothing. */
export const writeCachePoint = ({ cache }: { readonly cache?: Cache }, isWritten: boolean): Json[] =>
  cache && isWritten ? [{ cachePoint: present({ type: "default", ttl: cache.ttl }) }] : [];

// tools

/** Kinds of the provider's tools by their names. */
const kinds: { readonly [name: string]: string } = {
  nova_code_interpreter: "code-interpreter",
  nova_grounding: "web-search",
};
const names = new Map(Object.entries(kinds).map(([name, kind]) => [kind, name]));

export const kindOf = (name: string): string => rowOf(kinds, name) ?? name.replaceAll("_", "-");

/** The name by which the provider knows a tool of a kind. */
export const usualName = (kind: string): string | undefined => names.get(kind);
