/**
 * What all blocks of Anthropic's Messages wire share: family, ids, seals, cache marks, the names of its own tools. The
 * blocks themselves are read by `anthropic-reading` and written by `anthropic-writing`.
 */

import type { Recipient } from "../../codec/codec.ts";
import { type Reader, rowOf } from "../../codec/reader.ts";
import { hintsOf, present } from "../../codec/remainder.ts";
import type { Path } from "../../model/issue.ts";
import { isJsonObject, type Json, type JsonObject } from "../../model/json.ts";
import type { Part, Seal, ToolCallPart, ToolResultPart } from "../../model/parts.ts";
import { idSpelling, writeCallId } from "../chat-parts/calls.ts";
import type { anthropicLosses } from "./losses.ts";

/** Family of the blocks and citations. */
export const anthropic = "anthropic";

/** Reports something that a block cannot say. */
export type Lose = (code: keyof typeof anthropicLosses, path: Path, detail?: string) => void;

export interface ReadScope {
  /** Whose signatures and files they are. Absent = unknown. */
  readonly maker: string | undefined;
  issue(code: string, wirePath: Path, message: string): void;
}

/** Where a block is, and what its id is made of where it has none (R8). */
export interface ReadPlace {
  readonly path: Path;
  readonly made: string;
}

export interface WriteScope {
  readonly recipient: Recipient;
  /** Whose seals, files and tools the reader takes. */
  readonly maker: string | undefined;
  /** Unsigned thinking is refused by Anthropic, and read by hosts of other models. */
  readonly takesBareReasoning: boolean;
  readonly callOf: (result: ToolResultPart) => ToolCallPart | undefined;
  /** Made ids whose missing spelling cannot be kept: a call or result of theirs was not read without one. */
  readonly named: ReadonlySet<string>;
  readonly lose: Lose;
}

export interface Located<P extends Part = Part> {
  readonly part: P;
  readonly path: Path;
}

// ids

/** The id that pairs a call and its result. */
export function readCallId(
  reader: Reader,
  member: string,
  made: string,
): { readonly callId: string; readonly hints: JsonObject } {
  const id = reader.peek(member);
  const spelling = idSpelling(id);
  if (spelling === undefined || typeof id === "string" || id === null) reader.take(member);
  const hints = spelling === undefined ? {} : { $id: spelling };
  return { callId: typeof id === "string" && id !== "" ? id : `~${made}`, hints };
}

/** Native ids as they are; one that was missing as it was missing, any other made one in a valid form. */
export function callIdOf(part: ToolCallPart | ToolResultPart, path: Path, scope: WriteScope): Json | undefined {
  const { callId } = part;
  if (!callId.startsWith("~")) return callId;
  const { $id: spelling } = hintsOf(part, anthropic);
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
      if (part.callId.startsWith("~") && !Object.hasOwn(hintsOf(part, anthropic), "$id")) named.add(part.callId);
    }
  }
  return named;
}

// seals

/** The values that are there as a seal of their maker; "" is none. */
export function sealOf(
  values: { readonly [name: string]: string | undefined },
  { maker }: Pick<ReadScope, "maker">,
): Seal | undefined {
  const told = Object.entries(values).flatMap(([name, value]) => (value ? [[name, value] as const] : []));
  if (told.length === 0) return undefined;
  return { ...(maker !== undefined && { maker }), values: Object.fromEntries(told) };
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
  const isOwn = seal.maker === scope.maker && Object.keys(seal).every(key => key === "values" || key === "maker");
  if (!isOwn && (scope.recipient !== "provider" || seal.maker !== scope.maker)) {
    scope.lose("part-seal", [...path, "seal"]);
    return {};
  }
  const kept: { [name: string]: string } = {};
  for (const [name, value] of Object.entries(seal.values)) {
    if (names.includes(name) && value !== "") kept[name] = value;
    else scope.lose("seal-value", [...path, "seal", "values", name]);
  }
  return kept;
}

// cache

type Cache = { readonly ttl?: string };

/** A cache mark of the one known type; any other stays native. */
export function readCache(reader: Reader): { readonly cache?: Cache } {
  const mark = reader.peek("cache_control");
  if (!isJsonObject(mark) || mark["type"] !== "ephemeral") return {};
  const { type: _, ttl, ...others } = mark;
  if (Object.keys(others).length > 0 || (ttl !== undefined && typeof ttl !== "string")) return {};
  reader.take("cache_control");
  return { cache: ttl === undefined ? {} : { ttl } };
}

export const writeCache = ({ cache }: { readonly cache?: Cache }): { readonly cache_control?: JsonObject } =>
  cache ? { cache_control: present({ type: "ephemeral", ttl: cache.ttl }) } : {};

// tools

/** Kinds of Anthropic's tools by their names; of several, the first is the usual one. */
const kinds: { readonly [name: string]: string } = {
  web_search: "web-search",
  web_fetch: "web-fetch",
  code_execution: "code-interpreter",
  bash_code_execution: "code-interpreter",
  text_editor_code_execution: "code-interpreter",
  tool_search_tool_bm25: "tool-search",
  tool_search_tool_regex: "tool-search",
};
const usualNames = new Map(
  Object.entries(kinds)
    .reverse()
    .map(([name, kind]) => [kind, name]),
);

export const kindOf = (name: string): string => rowOf(kinds, name) ?? name.replaceAll("_", "-");

/** The name by which the provider knows a tool of a kind. */
export const usualName = (kind: string): string | undefined => usualNames.get(kind);

/** What the results of a tool of the provider are called. */
export const resultTypeOf = (name: string): string =>
  name.startsWith("tool_search_tool") ? "tool_search_tool_result" : `${name}_tool_result`;

/** The call of a program of the provider's, as it usually says what it is. */
export const usualCaller = "code_execution_20260120";

/** Ids of other providers' calls are refused. */
export const isForeignId = (callId: string, { recipient, maker }: WriteScope): boolean =>
  recipient === "provider" && maker === anthropic && !/^(?:srv|mcp)toolu_/.test(callId);
