/** Agents that run and stream in sessions, over any model. */
export {
  Agent,
  type CreateSessionOptions,
  type RunInput,
  type RunOptions,
  type SerializeOptions,
} from "./agent.ts";
export type { AgentModelOptions } from "./agent-model.ts";
export {
  type ApproveOptions,
  type AutoApproval,
  approve,
  deny,
  type StandingRule,
} from "./approval-rules.ts";
export { type AgentOptions, createAgent, ModelAgent } from "./create-agent.ts";
export { DelegatingAgent, surrounded } from "./delegating-agent.ts";
export { type Attempt, continued, type Engine, type Operations, type RunBody, within } from "./engine.ts";
export {
  type AgentRun,
  type AgentRunResult,
  type AgentRunsOptions,
  agentRun,
  agentRuns,
  type StoredOptions,
} from "./engines/agent-runs.ts";
export {
  type Ending,
  type Journal,
  type JournalEngineOptions,
  journalEngine,
  type TakenRun,
} from "./engines/journal.ts";
export { keptText } from "./engines/kept-text.ts";
export { type MemoryEngineOptions, type MemoryRun, type MemoryRuns, memoryEngine } from "./engines/memory.ts";
export { untold } from "./engines/untold.ts";
export { type AgentErrorCode, agentErrors, type FailureDetails, type RunError } from "./errors.ts";
export type { InputMessages } from "./input.ts";
export type { Ask, InputRequest, Resumed, Suspension } from "./loop/asks.ts";
export type { Compaction } from "./loop/compaction.ts";
export type { ModelPrice } from "./loop/limits.ts";
export type { StepContext, StepModel } from "./loop/step-model.ts";
export type { Middleware, ModelCallContext, ToolCallContext } from "./middleware.ts";
export type { FailedModel, Model, ModelReport, ModelRequest } from "./model.ts";
export type { PromptCache } from "./models/cache-marks.ts";
export { type ClientModelOptions, clientModel, type Send } from "./models/client.ts";
export { createModel, type ModelOptions } from "./models/create-model.ts";
export { azureEndpoint, bedrockEndpoint, compatibleEndpoint, type Endpoint, endpoints } from "./models/endpoints.ts";
export {
  type EnvironmentModels,
  type EnvironmentOptions,
  type FoundEndpoint,
  findLocalServers,
  modelsFromEnvironment,
} from "./models/environment.ts";
export { type FallbackOptions, fallbackModel } from "./models/fallback.ts";
export type { HttpOptions } from "./models/http.ts";
export { type Exchange, type Recording, recorder, replay } from "./models/recording.ts";
export { type RetryOptions, retrying } from "./models/retrying.ts";
export {
  createModelRouter,
  type ListedModel,
  type ModelRouter,
  parseRef,
  type RouterOptions,
} from "./models/router.ts";
export type { AnswerFacts, StoredAnswers } from "./models/stored-answers.ts";
export type { Limits } from "./policy.ts";
export type { AddedContext, ContextProvider, ContextRequest } from "./providers/context.ts";
export {
  type ChatHistoryProvider,
  type ProviderContext,
  type RunExchange,
  SessionHistory,
  type SessionHistoryOptions,
  sessionHistory,
} from "./providers/history.ts";
export {
  type AgentResponse,
  type AgentResponseUpdate,
  type Author,
  accumulateUpdates,
  agentResponse,
  type Finish,
  type ResponseFacts,
  type ResultOutcome,
} from "./response.ts";
export { PartialResult } from "./result/partial-result.ts";
export type { NamedFormat, OwnSchema, ResponseFormat } from "./result/response-format.ts";
export { typed } from "./result/typed-result.ts";
export type { RunContext } from "./run-context.ts";
export { AgentSession, type PendingApproval, type PendingInput, type SessionOptions } from "./session.ts";
export type { ModelUsage, UsageTree } from "./spending.ts";
export { StateBag } from "./state-bag.ts";
export type { SetTimer, Sleep } from "./time.ts";
export { type ContinuationToken, decodeToken, encodeToken, tokenBytes } from "./token.ts";
export type { AgentToolOptions } from "./tools/agent-tool.ts";
export type { ToolErrors, UnknownTools } from "./tools/execute.ts";
export type { HandOffHistory, HandOffOptions } from "./tools/hand-off.ts";
export type { Validated } from "./tools/parameters.ts";
export {
  type AgentTool,
  type ApprovalContext,
  type ApprovalRule,
  defineTool,
  type InputOf,
  type Parameters,
  type ToolContext,
  type ToolDefinition,
  type ToolOutput,
  type ToolReturn,
} from "./tools/tool.ts";
export type { ToolSource } from "./tools/toolset.ts";
export { addUsage, sumUsage } from "./usage.ts";
