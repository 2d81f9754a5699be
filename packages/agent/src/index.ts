/** Agents that run and stream in sessions, over any model. */
export {
  Agent,
  type CreateSessionOptions,
  type RunInput,
  type RunOptions,
  type SerializeOptions,
} from "./agent.ts";
export { type AgentOptions, createAgent, type Limits, ModelAgent } from "./create-agent.ts";
export { type AgentErrorCode, agentErrors, type FailureDetails, type RunError } from "./errors.ts";
export type { InputMessages } from "./input.ts";
export type { Middleware, ModelCallContext, ToolCallContext } from "./middleware.ts";
export type { FailedModel, Model, ModelReport, ModelRequest } from "./model.ts";
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
export {
  type AgentResponse,
  type AgentResponseUpdate,
  type Author,
  accumulateUpdates,
  agentResponse,
  type Finish,
  type ResponseFacts,
} from "./response.ts";
export type { RunContext } from "./run-context.ts";
export { AgentSession, type PendingApproval, type SessionOptions } from "./session.ts";
export { StateBag } from "./state-bag.ts";
export type { SetTimer, Sleep } from "./time.ts";
export type { ToolErrors, UnknownTools } from "./tools/execute.ts";
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
