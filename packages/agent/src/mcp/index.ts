/** Tools, resources and prompts of MCP servers, for agents. */
export type { McpClient } from "./client.ts";
export { connectMcp, type McpClients, type McpFailure, type McpOptions, type McpServerOptions } from "./connect.ts";
export type { Root } from "./link.ts";
export type { ToolPrefix } from "./names.ts";
export type { FormAnswer, FormQuestion, QuestionHandlers, UrlAnswer, UrlQuestion } from "./questions.ts";
export type { SamplingOptions, SamplingRequest } from "./sampling.ts";
export type { McpApproval, McpToolInfo } from "./tools.ts";
export type { HttpServer, StdioServer, TransportServer } from "./transport.ts";
