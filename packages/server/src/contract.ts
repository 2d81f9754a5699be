/** The wire types of the server, and nothing else: a client imports them without a line of the server's code. */
import type { Conversation, Issue, Loss } from "translogue";

/** Body of every answer that is an error. `X-Correlation-Id` has the same id. */
export interface ErrorBody {
  readonly error: string;
  readonly message: string;
  readonly statusCode: number;
  readonly correlationId: string;
  readonly details?: unknown;
}

export interface Success<Data> {
  readonly success: true;
  readonly data: Data;
}

/** A message in simplified form: text alone. */
export interface SimpleMessage {
  readonly role: "user" | "assistant";
  readonly content: string;
}

/** A message of the AI SDK. Its parts are those of `ai` 5, 6 and 7. */
export interface UiMessage {
  readonly id: string;
  readonly role: "system" | "user" | "assistant";
  readonly parts: readonly UiPart[];
  readonly metadata?: unknown;
  readonly status?: "submitted" | "streaming" | "ready" | "error";
}

export interface UiPart {
  readonly type: string;
  readonly [member: string]: unknown;
}

export type ContextStrategy = "error" | "skip" | "report";

/** `POST /api/v1/chat`. Members that are not listed are ignored. */
export interface ChatRequest {
  /** `provider/model`. Required, except from the AI SDK's own client. */
  readonly model?: string;
  /** The whole history, the new turn last. */
  readonly messages?: readonly (SimpleMessage | UiMessage)[];
  /** One new turn at the end of a stored session, instead of `messages`. */
  readonly message?: SimpleMessage | UiMessage;
  /** Default true. */
  readonly stream?: boolean;
  readonly systemPrompt?: string;
  readonly promptType?: string;
  readonly allowedTools?: readonly string[];
  readonly context?: { readonly [field: string]: unknown };
  readonly toolContext?: { readonly [tool: string]: { readonly [field: string]: unknown } };
  /** What to do about a tool whose context is incomplete. Default `error`. */
  readonly contextStrategy?: ContextStrategy;
  readonly thinking?: { readonly type: "enabled" | "disabled"; readonly budgetTokens?: number };
  readonly prune?: boolean;
  readonly pruneOptions?: {
    readonly maxOutputTokens?: number;
    readonly targetTokens?: number;
    readonly preserveRecentMessages?: number;
  };
  readonly validateOnly?: boolean;
  /** The session: with `trigger`, or beside one `message`. Other clients name it in `Translogue-Session`. */
  readonly id?: string;
  readonly trigger?: "submit-message" | "regenerate-message";
  /** With `regenerate-message`: the answer that is asked for anew. Default: the last. */
  readonly messageId?: string;
}

export interface UsageBody {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly totalTokens: number;
}

/** A chat that is not streamed: one assistant message a step. */
export interface ChatAnswer {
  readonly messages: readonly UiMessage[];
  readonly usage: UsageBody;
  readonly tools: { readonly used: readonly string[]; readonly skipped: readonly string[] };
}

export interface ToolReport {
  readonly name: string;
  readonly valid: boolean;
  readonly missingContext?: readonly string[];
  readonly structureErrors?: readonly { readonly field: string; readonly issues: readonly string[] }[];
  readonly error?: string;
}

/** What `validateOnly` and `contextStrategy: "report"` answer. */
export interface ValidationReport {
  readonly valid: boolean;
  readonly model: { readonly valid: boolean; readonly error?: string };
  readonly tools: readonly ToolReport[];
}

export interface ModelRow {
  readonly id: string;
  readonly name: string;
  readonly categories: readonly string[];
}

export interface ToolRow {
  readonly name: string;
  readonly description: string;
  readonly category: string;
  readonly requiresSandbox: boolean;
  readonly requiredContext: readonly string[];
}

export interface PromptTypeRow {
  readonly id: string;
  readonly description: string;
}

export interface ContextField {
  readonly type: string;
  readonly required: boolean;
  readonly description: string;
}

export interface ConfigSchema {
  readonly context: { readonly [field: string]: ContextField };
  readonly sandboxId: ContextField;
  readonly toolContext: ContextField;
}

/** A stored session, in the list. Times are ISO 8601. */
export interface SessionRow {
  readonly id: string;
  readonly title?: string;
  readonly createdAt: string;
  readonly updatedAt: string;
  /** The run that is under way. */
  readonly run?: string;
}

/** `GET /api/v1/sessions/{id}`: all branches; `head` tells the one that counts. */
export interface SessionBody {
  readonly session: SessionRow;
  readonly conversation: Conversation;
}

/** `GET /api/v1/sessions/{id}?format=…`: the branch that counts, in a format. */
export interface SessionInFormat {
  readonly session: SessionRow;
  readonly format: string;
  readonly value: unknown;
  readonly losses: readonly Loss[];
}

export interface StopAnswer {
  readonly stopped: boolean;
  readonly run?: string;
}

export interface Health {
  readonly status: "ok" | "draining" | "failing";
}

export type { Conversation, Issue, Loss };
