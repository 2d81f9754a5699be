import type { Message, Usage } from "translogue";

const buckets = ["input", "cacheRead", "cacheWrite", "output", "reasoning", "other"] as const;

/** Every token once. */
export const tokensOf = (usage: Usage = {}): number => buckets.reduce((sum, bucket) => sum + (usage[bucket] ?? 0), 0);

/** Both together: a bucket that neither tells stays absent, so that unknown never poses as 0. */
export function addUsage(left: Usage, right: Usage): Usage {
  const sum: { -readonly [K in keyof Usage]: Usage[K] } = {};
  for (const bucket of buckets) {
    const value = plus(left[bucket], right[bucket]);
    if (value !== undefined) sum[bucket] = value;
  }
  if (left.modalities || right.modalities) sum.modalities = plusEach(left.modalities ?? {}, right.modalities ?? {});
  const cost = costOf(left, right);
  if (cost) sum.cost = cost;
  return sum;
}

/**
 * Of all answers among the messages, each counted once (R24): by their `responseId`, and in a run, where hosts may give each
 * answer the same, by their place. Undefined where none tells, or tells of nothing but zeros.
 */
export function sumUsage(messages: readonly Message[]): Usage | undefined {
  const answers = new Map<unknown, Usage>();
  let answer: unknown;
  messages.forEach((message, index) => {
    const { responseId, run, usage } = message;
    if (responseId === undefined || (run !== undefined && !goesOn(messages[index - 1], message))) answer = message;
    else if (run === undefined) answer = responseId;
    if (usage && isTold(usage)) answers.set(answer, usage);
  });
  return [...answers.values()].reduce<Usage | undefined>(
    (sum, usage) => (sum ? addUsage(sum, usage) : usage),
    undefined,
  );
}

/** The messages of an answer stand together, and the last says how it ended (R16). */
const goesOn = (before: Message | undefined, { responseId, run }: Message): boolean =>
  before?.responseId === responseId && before?.run === run && before?.finish === undefined;

/** An answer without a single token is a host that does not count. */
const isTold = (usage: Usage): boolean => usage.cost !== undefined || hasTokens(usage);

export const hasTokens = (usage: Usage): boolean => buckets.some(bucket => (usage[bucket] ?? 0) > 0);

/** What is left of a sum without one of its terms. */
export function withoutUsage(sum: Usage, { modalities = {}, cost, ...term }: Usage): Usage {
  const negative: { -readonly [K in keyof Usage]: Usage[K] } = {
    ...(cost && { cost: { ...cost, amount: -cost.amount } }),
    ...(sum.modalities && {
      modalities: Object.fromEntries(Object.entries(modalities).map(([name, count]) => [name, -count])),
    }),
  };
  for (const bucket of buckets) if (term[bucket] !== undefined) negative[bucket] = -term[bucket];
  return addUsage(sum, negative);
}

const plus = (left: number | undefined, right: number | undefined): number | undefined =>
  left === undefined ? right : left + (right ?? 0);

function plusEach(left: Record<string, number>, right: Readonly<Record<string, number>>): Record<string, number> {
  const sum = { ...left };
  for (const [name, count] of Object.entries(right)) sum[name] = (sum[name] ?? 0) + count;
  return sum;
}

/** Costs in two currencies have no sum. */
function costOf(left: Usage, right: Usage): Usage["cost"] {
  if (!left.cost || !right.cost) return left.cost ?? right.cost;
  if (left.cost.currency !== right.cost.currency) return undefined;
  return { amount: left.cost.amount + right.cost.amount, currency: left.cost.currency };
}
