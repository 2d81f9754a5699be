/** Tools for histories: pure functions over messages. Whatever they leave alone stays the same object. */

export { type AddOptions, addMessages, removal, removeAll, removedBy } from "./history/add-messages.ts";
export { type BufferOptions, bufferString } from "./history/buffer-string.ts";
export {
  type Compacted,
  type ContextWindowOptions,
  compact,
  contextWindow,
  included,
  pipeline,
  reducing,
  type Strategy,
  type StrategyOptions,
  slidingWindow,
  type ToolResultOptions,
  toolResults,
  truncation,
} from "./history/compaction.ts";
export { applyDiff, type Change, diff } from "./history/diff.ts";
export { type FilterOptions, filter } from "./history/filter.ts";
export { type ForkOptions, fork } from "./history/fork.ts";
export { type Group, type GroupKind, type GroupOptions, groupsOf, type Totals } from "./history/groups.ts";
export type { Match } from "./history/match.ts";
export { type ImageRule, type MediaRule, mediaRules } from "./history/media-tokens.ts";
export { type MergeRunsOptions, mergeRuns } from "./history/merge-runs.ts";
export { type PruneOptions, type PruneRange, prune } from "./history/prune.ts";
export {
  type PrunedToTarget,
  type PruneStep,
  type PruneToTargetOptions,
  pruneToTarget,
} from "./history/prune-to-target.ts";
export { personalData, type Redaction, type RedactionRule, redact, restore } from "./history/redact.ts";
export { type Span, spansOf } from "./history/spans.ts";
export {
  keepNewest,
  type SummariseOptions,
  type Summariser,
  type SummarizationOptions,
  summarise,
  summarization,
  summaryPrompt,
} from "./history/summarise.ts";
export { estimateText } from "./history/text-tokens.ts";
export { countTokens, type Estimator, type EstimatorOptions, estimate, estimator } from "./history/tokens.ts";
export {
  allOf,
  always,
  anyOf,
  groupsExceed,
  hasToolCalls,
  messagesExceed,
  never,
  not,
  type Trigger,
  tokensBelow,
  tokensExceed,
  turnsExceed,
} from "./history/triggers.ts";
export { type TrimOptions, trim } from "./history/trim.ts";
