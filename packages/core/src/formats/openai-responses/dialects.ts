import type { ReadScope, WriteScope } from "../../blocks/responses-node.ts";
import type { DecodeContext, EncodeContext } from "../../codec/codec.ts";
import { rowOf } from "../../codec/reader.ts";
import type { Seal } from "../../model/parts.ts";

/** What a host does otherwise than OpenAI. */
export interface Dialect {
  /** Whose the ids and encrypted contents are, where the model's name does not tell. Absent = nobody's that others know. */
  readonly maker?: string;
  /** Whether the model's name tells it: hosts of many makers' models. */
  readonly isByModel: boolean;
  /** Whether it reads reasoning that has no seal. */
  readonly takesBareReasoning: boolean;
}

/** The default first. Facts: the hosts' documentation and recorded exchanges, 2026-11-30. */
export const dialects = {
  openai: { maker: "openai", isByModel: true, takesBareReasoning: false },
  azure: { maker: "openai", isByModel: false, takesBareReasoning: false },
  bedrock: { isByModel: true, takesBareReasoning: true },
  deepseek: { maker: "deepseek", isByModel: false, takesBareReasoning: true },
  open: { isByModel: false, takesBareReasoning: true },
  openrouter: { isByModel: true, takesBareReasoning: true },
  xai: { maker: "xai", isByModel: false, takesBareReasoning: false },
} as const satisfies { readonly [name: string]: Dialect };

export type DialectName = keyof typeof dialects;

export const dialectOf = ({ dialect }: { readonly dialect: string }): Dialect =>
  rowOf<Dialect>(dialects, dialect) ?? dialects.openai;

/** Vendors that routers spell otherwise than seals do. */
const vendors: { readonly [prefix: string]: string } = { "x-ai": "xai", "meta-llama": "meta" };

/** The maker of a model by its name. Undefined = not told. */
export function makerOf(model: string | undefined): string | undefined {
  if (model === undefined || /gpt-oss/.test(model)) return undefined; // open weights: each host has its own ids
  const vendor = /^~?([^/]+)\//.exec(model)?.[1] ?? /^(openai|deepseek|xai)\./.exec(model)?.[1]; // the latter on Bedrock
  if (vendor !== undefined) return rowOf(vendors, vendor) ?? vendor;
  if (/^(?:ft:)?(?:gpt-|chatgpt|o\d|codex|computer-use)/.test(model)) return "openai";
  if (model.startsWith("grok")) return "xai";
  return model.startsWith("deepseek") ? "deepseek" : undefined;
}

/** Whose the ids and encrypted contents of a body are. */
export function makerIn(context: { readonly dialect: string }, model: string | undefined): string | undefined {
  const dialect = dialectOf(context);
  return (dialect.isByModel ? makerOf(model) : undefined) ?? dialect.maker;
}

export function readScope(
  context: DecodeContext,
  about: { readonly model: string | undefined; readonly form: ReadScope["form"]; readonly made?: string },
): ReadScope {
  const maker = makerIn(context, about.model);
  return {
    form: about.form,
    ...(maker !== undefined && { maker }),
    ...(about.made !== undefined && { made: about.made }),
    issue: (code, path, message) => context.issue(code, path, message),
  };
}

export function writeScope(
  context: EncodeContext,
  about: { readonly model: string | undefined; readonly form: WriteScope["form"] },
): WriteScope {
  return {
    form: about.form,
    recipient: context.recipient,
    maker: makerIn(context, about.model),
    takesBareReasoning: dialectOf(context).takesBareReasoning,
    lose: (code, path, detail) => context.lose(code, path, detail),
  };
}

/** A host takes its own seals; what another maker sealed it refuses, or removes silently. */
export function isHome(seal: Seal, context: EncodeContext): boolean {
  const maker = makerIn(context, context.model);
  return maker !== undefined && seal.maker === maker;
}
