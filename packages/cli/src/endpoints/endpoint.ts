import type { Shape } from "translogue";
import { findTarget, type RuleName, type Rules, type Target, targets } from "translogue/targets";
import { wrongUse } from "../failure.ts";
import type { Format } from "../input/format.ts";

export const endpointIds: readonly string[] = targets.map(({ id }) => id);

/** The option that names an endpoint. */
export const endpointOption = {
  type: "string",
  short: "t",
  value: "ENDPOINT",
  choices: endpointIds,
  summary: "Whose endpoint it is for (default: the provider's whose format it is)",
} as const;

/** The model that is asked. */
export const modelOption = {
  type: "string",
  short: "m",
  value: "MODEL",
  summary: "The model that will be asked (default: the one that the input names)",
} as const;

/** The endpoint asked for, or the one of the provider whose format it is; undefined where it is no provider's. */
export function endpointFor(format: Format, asked: string | undefined): Target | undefined {
  if (asked !== undefined) return findTarget(asked);
  const spoken = targets.filter(target => target.format === format.codec.id);
  const dialect = format.dialect ?? format.codec.dialects[0];
  return spoken.find(target => target.dialect === dialect) ?? spoken[0];
}

/** The same. Throws `command/wrong-use` where the format is no provider's. */
export function endpointOf(format: Format, asked: string | undefined): Target {
  const endpoint = endpointFor(format, asked);
  if (endpoint) return endpoint;
  throw wrongUse(
    `\`${format.codec.id}\` is no provider's format`,
    `name the endpoint with \`-t\`, one of ${endpointIds.join(", ")}`,
  );
}

/** A history that is kept goes on before it is sent, and its tools are elsewhere. */
const ofRequests: readonly RuleName[] = ["tools-declared", "last-turn", "prefill-trimmed"];
/** What stands before and behind an answer is not there. */
const ofHistories: readonly RuleName[] = [
  ...ofRequests,
  "first-turn",
  "answer-after-results",
  "calls-answered",
  "provider-calls-answered",
  "results-called",
];

const pieces: ReadonlySet<Shape> = new Set<Shape>(["answer", "message", "block", "stream", "event", "error"]);

/** What of an endpoint's rules can be asked of a value of this shape. */
export function forShape(endpoint: Target, shape: Shape): Target {
  if (shape === "request") return endpoint;
  const left = pieces.has(shape) ? ofHistories : ofRequests;
  const { models, rules, ...rest } = endpoint;
  return {
    ...rest,
    rules: without(rules, left),
    ...(models && { models: models.map(family => ({ ...family, rules: without(family.rules, left) })) }),
  };
}

function without<R extends { readonly [Name in RuleName]?: Rules[Name] | null }>(
  rules: R,
  names: readonly RuleName[],
): R {
  const kept = { ...rules };
  for (const name of names) delete kept[name];
  return kept;
}

/** Sets the model where one is asked for. */
export const withModel = (model: string | undefined): { readonly model?: string } =>
  model === undefined ? {} : { model };
