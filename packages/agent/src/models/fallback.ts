import type { Event } from "translogue";
import { type AgentErrorCode, failure, type RunError } from "../errors.ts";
import type { FailedModel, Model, ModelReport, ModelRequest } from "../model.ts";
import { opened } from "./retrying.ts";

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
 * failed and why, and its losses are those of the model that answered.
 */
export function fallbackModel({ models, when = isOthersChance }: FallbackOptions): Model {
  const [first] = models;
  if (!first) throw failure("agent/invalid", "`models` is empty: give at least one");
  return { id: first.id, provider: first.provider, stream: request => asked(models, when, request) };
}

const passing: ReadonlySet<string> = new Set<AgentErrorCode>([
  "model/cut",
  "model/failed",
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
  for (const [index, model] of models.entries()) {
    const { report, tell } = heldReport(request);
    const { held, rest, failed } = await opened(model, { ...request, report });
    const isLast = index === models.length - 1;
    if (failed && (isLast ? failures.length > 0 : when(failed, model))) {
      failures.push({ model: model.id, provider: model.provider, error: failed });
      if (!isLast) continue;
    }
    tell(failures.length > 0 ? { fallbacks: failures } : {});
    const named = held.map(event => withModel(isLast ? withCauses(event, failures) : event, model));
    if (named.length > 0) yield named;
    for await (const events of rest) yield events.map(event => withModel(event, model));
    return;
  }
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

/** What a model that failed reports is about a request that counts no more; what comes later goes straight on. */
function heldReport({ report }: ModelRequest) {
  const held: ModelReport[] = [];
  let isTold = false;
  return {
    report: (given: ModelReport): void => {
      if (isTold) report?.(given);
      else held.push(given);
    },
    tell: (more: ModelReport): void => {
      isTold = true;
      for (const given of held) report?.(given);
      if (more.fallbacks) report?.(more);
    },
  };
}
