import { accumulate, type Event, type Usage } from "translogue";
import { type AgentErrorCode, failure, type RunError } from "../errors.ts";
import { type FailedModel, type Model, type ModelReport, type ModelRequest, streamOf } from "../model.ts";
import { checkNames } from "../options.ts";
import { sumUsage } from "../usage.ts";
import { areReading } from "./compactions.ts";
import { eventsOf, opened } from "./retrying.ts";

export interface FallbackOptions {
  /** Asked in this order. */
  readonly models: readonly Model[];
  /**
   * Whether the next is to be asked after this failure. Default: those that are the host's own trouble (it cannot be reached,
   * takes no more, failed, broke off). A key that is refused, and what is refused for what it says, end the run at once.
   */
  readonly when?: (error: RunError, model: Model) => boolean;
}

/**
 * A model that asks the next where one fails before any output: each reads the history in its own form, so that what the
 * others made goes to none that has no use for it. The answer's message says who gave it; the report's `fallbacks` says who
 * failed and why, and its losses are those of the model that answered. Where the first one's provider keeps the
 * conversation, models of others are not asked: they have not read it; nor are they for an answer that goes on elsewhere.
 */
export function fallbackModel(options: FallbackOptions): Model {
  checkNames<FallbackOptions>("the options of a fallback", options, { models: true, when: true });
  const { models, when = isOthersChance } = options;
  const [first] = models;
  if (!first) throw failure("agent/invalid", "`models` is empty: give at least one");
  return {
    id: first.id,
    provider: first.provider,
    alternatives: models,
    stream: request => asked(models, when, request),
    reads: compaction => areReading(models, compaction),
    cancel: async (continuation, provider) => {
      const holder = provider === undefined ? first : models.find(model => isAskedAt(provider, model));
      await holder?.cancel?.(continuation, provider);
    },
  };
}

/** Whether this provider answers for the model, alone or among others. */
export const isAskedAt = (provider: string, { provider: own, alternatives = [] }: Model): boolean =>
  own === provider || alternatives.some(other => isAskedAt(provider, other));

const passing: ReadonlySet<string> = new Set<AgentErrorCode>([
  "model/cut",
  "model/failed",
  "model/no-credit",
  "model/no-output",
  "model/not-understood",
  "model/rate-limited",
  "model/timeout",
  "model/unavailable",
  "model/unreachable",
]);

const isOthersChance = ({ code, retryable }: RunError): boolean => retryable === true || passing.has(code ?? "");

async function* asked(
  models: readonly Model[],
  when: NonNullable<FallbackOptions["when"]>,
  request: ModelRequest,
): AsyncGenerator<readonly Event[], void, undefined> {
  const failures: FailedModel[] = [];
  const tries: FailedModel[] = [];
  const [first] = models;
  const { conversationId, continuationProvider: holder } = request;
  const able = models.filter(
    model =>
      (conversationId === undefined || model.provider === first?.provider) &&
      (holder === undefined || isAskedAt(holder, model)),
  );
  for (const [index, model] of able.entries()) {
    const { report, tell, tried } = heldReport(request);
    const { events, failed } = await opened(model, { ...request, report });
    const isLast = index === able.length - 1;
    if (failed && (isLast ? failures.length > 0 : when(failed, model))) {
      const usage = isLast ? undefined : await usageOf(events);
      const inVain = { model: model.id, provider: model.provider, error: failed, ...(usage && { usage }) };
      failures.push(inVain);
      tries.push(...(isLast ? [] : tried()), inVain);
      if (!isLast) continue;
    }
    const { id, provider } = model;
    const answeredBy = model !== first && { answeredBy: { model: id, provider } };
    tell({ ...(tries.length > 0 && { fallbacks: tries }), ...answeredBy });
    const causes = isLast && failed ? failures : [];
    for await (const batch of events) yield batch.map(event => withModel(withCauses(event, causes), model));
    return;
  }
}

/** What a host tells of tokens although it failed. */
async function usageOf(batches: AsyncIterable<readonly Event[]>): Promise<Usage | undefined> {
  const events = await eventsOf(batches);
  return sumUsage(accumulate(events.filter(({ type }) => type !== "error")));
}

/** Where all have failed, one error says how each did. */
function withCauses(event: Event, failures: readonly FailedModel[]): Event {
  if (event.type !== "error" || failures.length < 2) return event;
  const causes = failures.map(({ provider, model, error }) => `${provider}/${model}: ${error.message}`);
  return { ...event, error: { ...event.error, message: `all ${causes.length} models failed: ${causes.join("; ")}` } };
}

/** Who answered is said where the host does not say it: the run knows the first model only. */
function withModel(event: Event, { id, provider }: Model): Event {
  if (event.type !== "message-start") return event;
  return { ...event, head: { model: id, provider, ...event.head } };
}

/** The answer of a model that is asked in another's place. */
export async function* answeredBy(
  model: Model,
  request: ModelRequest,
): AsyncGenerator<readonly Event[], void, undefined> {
  request.report?.({ answeredBy: { model: model.id, provider: model.provider } });
  for await (const events of streamOf(model, request)) yield events.map(event => withModel(event, model));
}

/** What a model that failed reports is about a request that counts no more; what comes later goes straight on. */
function heldReport({ report }: ModelRequest) {
  const held: ModelReport[] = [];
  let isTold = false;
  return {
    report: (given: ModelReport): void => {
      const { usageSoFar, ...facts } = given;
      // It is asked for while all else is held back.
      if (usageSoFar) report?.({ usageSoFar });
      if (Object.keys(facts).length === 0) return;
      if (isTold) report?.(facts);
      else held.push(facts);
    },
    /** Tries that it made in vain count, whoever answers. */
    tried: (): readonly FailedModel[] => held.flatMap(({ fallbacks = [] }) => fallbacks),
    tell: (more: ModelReport): void => {
      isTold = true;
      // A model that is a fallback itself says more exactly who answered.
      if (more.answeredBy || more.fallbacks) report?.(more);
      for (const given of held) report?.(given);
    },
  };
}
