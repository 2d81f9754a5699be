import type { ReadScope, WriteScope } from "../../blocks/anthropic/node.ts";
import { idsToName } from "../../blocks/anthropic/node.ts";
import type { DecodeContext, EncodeContext } from "../../codec/codec.ts";
import { rowOf } from "../../codec/reader.ts";
import type { Message } from "../../model/conversation.ts";
import { isJsonObject, type Json, type JsonObject } from "../../model/json.ts";
import type { Part, Seal } from "../../model/parts.ts";
import { callsOfResults } from "../../model/result-calls.ts";

/** Family of bodies and messages; their blocks are `anthropic`. */
export const family = "anthropic-messages";

/** Members of a message's `native` that are those of its answer, and no members of a message in a request. */
export const envelopeMembers = ["answer", "usage"] as const;

/** What a host does otherwise than Anthropic. */
interface Dialect {
  /** Whose signatures, files and tools it knows. Absent = nobody's that others know. */
  readonly maker?: string;
  /** Whether it reads thinking that is not signed. */
  readonly takesBareReasoning: boolean;
}

/** The default first. `compatible`: hosts of other makers' models that speak the wire (DeepSeek, Kimi, MiniMax, Z.ai, llama.cpp). */
export const dialects = {
  anthropic: { maker: "anthropic", takesBareReasoning: false },
  compatible: { takesBareReasoning: true },
} as const satisfies { readonly [name: string]: Dialect };

export type DialectName = keyof typeof dialects;

const dialectOf = ({ dialect }: { readonly dialect: string }): Dialect =>
  rowOf<Dialect>(dialects, dialect) ?? dialects.anthropic;

/** Whether Anthropic's own models are asked. */
export const isOfMaker = (context: EncodeContext): boolean => dialectOf(context).maker !== undefined;

export const isHome = (seal: Seal, context: EncodeContext): boolean => {
  const { maker } = dialectOf(context);
  return maker !== undefined && seal.maker === maker;
};

export const readScope = (context: DecodeContext): ReadScope => ({
  maker: dialectOf(context).maker,
  issue: (code, path, message) => context.issue(code, path, message),
});

export function writeScope(messages: readonly Message[], context: EncodeContext): WriteScope {
  return {
    ...baseScope(context),
    callOf: callsOfResults(messages),
    named: idsToName(messages),
  };
}

export function baseScope(context: EncodeContext): WriteScope {
  const { maker, takesBareReasoning } = dialectOf(context);
  return {
    recipient: context.recipient,
    maker,
    takesBareReasoning,
    callOf: () => undefined,
    named: new Set(),
    lose: (code, path, detail) => context.lose(code, path, detail),
  };
}

/** The one text that a list of parts is, where it is nothing else. */
export function plainText(parts: readonly Part[]): string | undefined {
  const [only] = parts;
  return parts.length === 1 && only?.type === "text" && Object.keys(only).length === 2 ? only.text : undefined;
}

export const asObject = (value: Json | undefined): JsonObject => (isJsonObject(value) ? value : {});
