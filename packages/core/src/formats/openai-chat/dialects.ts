import type { CacheMarker } from "../../blocks/chat-parts/parts.ts";
import { anyFormat, anyTools } from "../../blocks/json-schema/rows-any.ts";
import {
  cerebrasTools,
  deepseekStrict,
  groqStrict,
  groqTools,
  openaiStrict,
  openaiTools,
} from "../../blocks/json-schema/rows-openai.ts";
import type { SchemaSubsets } from "../../blocks/json-schema/strictness.ts";
import type { EncodeContext } from "../../codec/codec.ts";
import type { Seal } from "../../model/parts.ts";
import { type PlainMember, plainMembers } from "./reasoning.ts";

/** What a host takes of what OpenAI's Chat API does not have. All are read alike; only what is sent to them differs. */
export interface Dialect {
  /** Where reasoning goes that is sent back, the usual place first; empty = it is refused or ignored. */
  readonly reasoning: readonly PlainMember[];
  readonly hasDetails: boolean;
  /** Whether a tool's result may hold more than text, and an assistant's message images. */
  readonly hasMedia: boolean;
  /** Whether audio and documents may be named by URL. */
  readonly hasReferences: boolean;
  readonly hasDeveloper: boolean;
  readonly hasTopK: boolean;
  /** Whether it takes a schema of the answer; else JSON of any shape can be asked for. */
  readonly hasSchemas: boolean;
  /** What it takes as the schemas of functions. */
  readonly functions: SchemaSubsets;
  /** Google's signatures on calls and messages. */
  readonly hasExtraContent: boolean;
  /** Members without a field whose seals are the host's own. */
  readonly own: readonly string[];
  readonly cache: CacheMarker | undefined;
  /** Names of the limit of the answer's length, and of the effort of reasoning, the usual one first. */
  readonly maxTokens: readonly string[];
  readonly effort: readonly string[];
}

const openai: Dialect = {
  reasoning: [],
  hasDetails: false,
  hasMedia: false,
  hasReferences: false,
  hasDeveloper: true,
  hasTopK: false,
  hasSchemas: true,
  functions: { usual: openaiTools, strict: openaiStrict },
  hasExtraContent: false,
  own: [],
  cache: "prompt_cache_breakpoint",
  maxTokens: ["max_completion_tokens", "max_tokens"],
  effort: ["reasoning_effort"],
};
/** Most hosts: system messages only, the older name of the limit. */
const host: Dialect = {
  ...openai,
  hasDeveloper: false,
  functions: { usual: anyTools },
  cache: undefined,
  maxTokens: ["max_tokens"],
};
const either = ["max_tokens", "max_completion_tokens"];
const reasoningContent: Dialect = { ...host, reasoning: ["reasoning_content"] };
/** Servers of open models. */
const server: Dialect = { ...host, hasTopK: true, hasMedia: true, maxTokens: either };

/** The default first. Facts: the hosts' documentation and recorded exchanges, 2026-11-30. */
export const dialects = {
  openai,
  alibaba: { ...reasoningContent, maxTokens: either },
  azure: openai,
  cerebras: {
    ...host,
    reasoning: ["reasoning"],
    functions: { usual: cerebrasTools, strict: openaiStrict },
    maxTokens: openai.maxTokens,
  },
  deepseek: { ...reasoningContent, hasSchemas: false, functions: { usual: anyTools, strict: deepseekStrict } },
  gemini: { ...host, hasExtraContent: true, own: ["extra_content"], maxTokens: either },
  groq: {
    ...host,
    reasoning: ["reasoning"],
    functions: { usual: groqTools, strict: groqStrict },
    maxTokens: openai.maxTokens,
  },
  "llama.cpp": { ...server, reasoning: ["reasoning_content"] },
  lmstudio: { ...server, reasoning: ["reasoning_content"], maxTokens: host.maxTokens },
  moonshot: { ...reasoningContent, maxTokens: either },
  ollama: { ...host, reasoning: ["reasoning"] },
  openrouter: {
    ...openai,
    reasoning: ["reasoning", "reasoning_content"],
    hasDetails: true,
    hasMedia: true,
    hasReferences: true,
    hasTopK: true,
    functions: host.functions,
    own: ["reasoning_details"],
    cache: "cache_control",
    maxTokens: either,
    effort: ["reasoning", "reasoning_effort"],
  },
  perplexity: host,
  together: { ...server, reasoning: ["reasoning"], maxTokens: host.maxTokens },
  vllm: { ...server, reasoning: ["reasoning", "reasoning_content"] },
  xai: { ...host, maxTokens: either },
  zai: reasoningContent,
} as const satisfies { readonly [name: string]: Dialect };

export type DialectName = keyof typeof dialects;

/** A client or a store takes everything; what it does not know it leaves alone. */
const everything: Dialect = {
  ...openai,
  reasoning: plainMembers,
  hasDetails: true,
  hasMedia: true,
  hasReferences: true,
  hasTopK: true,
  hasExtraContent: true,
  effort: ["reasoning_effort", "reasoning"],
};

export const dialectOf = ({ dialect, recipient }: Pick<EncodeContext, "dialect" | "recipient">): Dialect =>
  recipient !== "provider" ? everything : Object.hasOwn(dialects, dialect) ? dialects[dialect as DialectName] : openai; // just looked up

/** Which host is asked for which model. */
export interface Asked {
  readonly dialect: string;
  readonly model?: string | undefined;
}

/** What is taken as the schemas of functions: a router hands them on to the maker of the model. */
export function functionSchemas({ dialect, model }: Asked): SchemaSubsets {
  const row = dialectOf({ dialect, recipient: "provider" });
  return row.hasDetails && makerOf(model) === "openai" ? openai.functions : row.functions;
}

/** The same for the schema of an answer. */
export const formatSchemas = (asked: Asked): SchemaSubsets => ({
  usual: anyFormat,
  strict: functionSchemas(asked).strict,
});

/** DeepSeek's thinking models refuse a history without this member, which its router does not make of the others (2026-11-30). */
export const wantedReasoning = (context: EncodeContext): PlainMember | undefined =>
  context.recipient === "provider" && dialectOf(context).hasDetails && makerOf(context.model) === "deepseek"
    ? "reasoning_content"
    : undefined;

/** OpenRouter takes what the model asked for can read, Google's endpoint its own signatures; no other host has a place for seals. */
export function isHome(seal: Seal, context: EncodeContext): boolean {
  const dialect = dialectOf(context);
  if (dialect.hasDetails) return isAtHomeInModel(seal, makerOf(context.model));
  return dialect.hasExtraContent && seal.maker === "google" && (seal.route === undefined || seal.route === "ai-studio");
}

function isAtHomeInModel({ maker, route }: Seal, asked: string | undefined): boolean {
  const isRouters = route === "openrouter";
  if (asked === undefined || maker === undefined) return isRouters;
  // Claude's signatures are read by all of its hosts; what others seal is bound to the host that gave it out (2026-11-30).
  return maker === asked && (isRouters || maker === "anthropic" || (maker === "google" && route === undefined));
}

/** Vendors that a router's model names spell otherwise than seals do. */
const vendors: { readonly [prefix: string]: string | undefined } = {
  "x-ai": "xai",
  "meta-llama": "meta",
  openrouter: undefined, // picks a model itself
};

/** The maker of a model by its router's name, `vendor/model`. Undefined = not told. */
function makerOf(model: string | undefined): string | undefined {
  const prefix = /^~?([^/]+)\//.exec(model ?? "")?.[1];
  if (prefix === undefined) return undefined;
  return Object.hasOwn(vendors, prefix) ? vendors[prefix] : prefix;
}
