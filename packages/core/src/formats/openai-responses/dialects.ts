import { anyFormat, anyTools } from "../../blocks/json-schema/rows-any.ts";
import { deepseekStrict, openaiStrict, openaiTools } from "../../blocks/json-schema/rows-openai.ts";
import type { SchemaSubsets } from "../../blocks/json-schema/strictness.ts";
import { type ReadScope, usualHost, type WriteScope } from "../../blocks/openai-responses/node.ts";
import type { DecodeContext, EncodeContext } from "../../codec/codec.ts";
import { defined, rowOf } from "../../codec/reader.ts";
import type { Seal } from "../../model/parts.ts";

/** What a host does otherwise than OpenAI. */
export interface Dialect {
  /** Whose the ids and encrypted contents are, where the model's name does not tell. Absent = nobody's that others know. */
  readonly maker?: string;
  /** Whether the model's name tells whose they are in what is read: hosts of many makers' models, and the default, which may be a host that nobody named. */
  readonly isByModel: boolean;
  /** Whether it is no maker's own API: ids and encrypted contents are bound to the host that gave them out (providers.md 12). */
  readonly isRoute: boolean;
  /** Whether it reads reasoning that has no seal. */
  readonly takesBareReasoning: boolean;
  /** What it takes as the schemas of functions. */
  readonly functions: SchemaSubsets;
}

const own: SchemaSubsets = { usual: openaiTools, strict: openaiStrict };
const any: SchemaSubsets = { usual: anyTools };

/** The default first. Facts: the hosts' documentation and recorded exchanges, 2026-11-30. */
export const dialects = {
  openai: { maker: "openai", isByModel: true, isRoute: false, takesBareReasoning: false, functions: own },
  azure: { maker: "openai", isByModel: false, isRoute: true, takesBareReasoning: false, functions: own },
  bedrock: { isByModel: true, isRoute: true, takesBareReasoning: true, functions: any },
  deepseek: {
    maker: "deepseek",
    isByModel: false,
    isRoute: false,
    takesBareReasoning: true,
    functions: { usual: anyTools, strict: deepseekStrict },
  },
  open: { isByModel: false, isRoute: false, takesBareReasoning: true, functions: any },
  openrouter: { isByModel: true, isRoute: true, takesBareReasoning: true, functions: any },
  xai: { maker: "xai", isByModel: false, isRoute: false, takesBareReasoning: false, functions: any },
} as const satisfies { readonly [name: string]: Dialect };

export type DialectName = keyof typeof dialects;

export const dialectOf = ({ dialect }: { readonly dialect: string }): Dialect =>
  rowOf<Dialect>(dialects, dialect) ?? dialects.openai;

/** Vendors that routers spell otherwise than seals do; a router's own name is no maker's: it picks a model itself. */
const vendors: { readonly [prefix: string]: string | undefined } = {
  "x-ai": "xai",
  "meta-llama": "meta",
  openrouter: undefined,
};

/** Bedrock's ids: `anthropic.claude-…`, `us.anthropic.claude-…`, also at the end of a resource's name. */
const onBedrock =
  /(?:^|[./])(ai21|amazon|anthropic|cohere|deepseek|google|meta|minimax|mistral|moonshot|moonshotai|nvidia|openai|qwen|xai|zai)\./;

/** The maker of a model by its name. Undefined = not told. */
export function makerOf(model: string | undefined): string | undefined {
  if (model === undefined || /gpt-oss/.test(model)) return undefined; // open weights: each host has its own ids
  const vendor = onBedrock.exec(model)?.[1] ?? /^~?([^/]+)\//.exec(model)?.[1];
  if (vendor !== undefined) return Object.hasOwn(vendors, vendor) ? vendors[vendor] : vendor;
  if (/^(?:ft:)?(?:gpt-|chatgpt|o\d|codex|computer-use)/.test(model)) return "openai";
  if (model.startsWith("grok")) return "xai";
  return model.startsWith("deepseek") ? "deepseek" : undefined;
}

/** Whose the ids and encrypted contents of a body are that is read, or written for a client that reads it again. */
export function makerIn(context: { readonly dialect: string }, model: string | undefined): string | undefined {
  const dialect = dialectOf(context);
  return (dialect.isByModel ? makerOf(model) : undefined) ?? dialect.maker;
}

/** What is taken as the schemas of functions: a router hands them on to the maker of the model. */
export function functionSchemas(context: { readonly dialect: string }, model: string | undefined): SchemaSubsets {
  const isRouted = context.dialect === "openrouter" && makerOf(model) === "openai";
  return isRouted ? own : dialectOf(context).functions;
}

/** The same for the schema of an answer. */
export const formatSchemas = (context: { readonly dialect: string }, model: string | undefined): SchemaSubsets => ({
  usual: anyFormat,
  strict: functionSchemas(context, model).strict,
});

/** Whose seals a host takes that is asked for a model: a maker's own API takes no other's, whatever the model is called. */
function homeOf(context: { readonly dialect: string }, model: string | undefined): string | undefined {
  const { maker } = dialectOf(context);
  return maker ?? makerIn(context, model);
}

/** What the seals that a dialect reads say of their host. */
const routeOf = (context: { readonly dialect: string }): string | undefined =>
  dialectOf(context).isRoute ? context.dialect : undefined;

export function readScope(
  context: DecodeContext,
  about: { readonly model: string | undefined; readonly form: ReadScope["form"]; readonly made?: string },
): ReadScope {
  return {
    form: about.form,
    functions: functionSchemas(context, about.model),
    ...defined<Pick<ReadScope, "maker" | "route" | "host" | "made">>({
      maker: makerIn(context, about.model),
      route: routeOf(context),
      host: context.dialect === usualHost ? undefined : context.dialect,
      made: about.made,
    }),
    issue: (code, path, message) => context.issue(code, path, message),
  };
}

export function writeScope(
  context: EncodeContext,
  about: { readonly model: string | undefined; readonly form: WriteScope["form"] },
): WriteScope {
  const isSent = context.recipient === "provider";
  return {
    form: about.form,
    recipient: context.recipient,
    maker: isSent ? homeOf(context, about.model) : makerIn(context, about.model),
    route: routeOf(context),
    host: context.dialect,
    functions: functionSchemas(context, about.model),
    takesBareReasoning: dialectOf(context).takesBareReasoning,
    lose: (code, path, detail) => context.lose(code, path, detail),
  };
}

/**
 * A host takes its own seals; what another maker or another host sealed it refuses, or removes silently. Only Claude's
 * signatures are read by all of its hosts (2026-11-30). Where no model is asked for by name, what the host gave out fits it.
 */
export function isHome({ maker, route, values }: Seal, context: EncodeContext): boolean {
  const own = routeOf(context);
  const home = homeOf(context, context.model);
  if (home === undefined) return own !== undefined && route === own;
  const isFree = maker === "anthropic" && Object.keys(values).every(name => name === "signature");
  return maker === home && (route === own || isFree);
}
