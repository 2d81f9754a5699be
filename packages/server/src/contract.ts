/** The wire types of the server, and nothing else: a client imports them without a line of the server's code. */
import type { Conversation, Issue, Loss, Recipient, Shape } from "translogue";
import type { Change, Policies } from "translogue/targets";

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
  /** Ask the model with no more of the history than fits; what is stored stays whole. */
  readonly prune?: boolean;
  readonly pruneOptions?: {
    /** Nothing comes of it. */
    readonly maxOutputTokens?: number;
    /** Tokens that the model's history may have. Default 80,000. */
    readonly targetTokens?: number;
    /** Newest messages that are not touched. Default 3. */
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

/** What a value was read as. */
export interface DetectedFormat {
  readonly format: string;
  readonly dialect: string;
  readonly shape: Shape;
  /** 0–1, where the request did not name it. */
  readonly confidence?: number;
}

/**
 * `POST /api/v1/convert`. Or the value itself as body, and the rest in the address (`?from=…&to=…`): then the answer is the
 * converted value itself, and a stream of server-sent events or JSON Lines is converted as it comes.
 */
export interface ConvertRequest {
  /** A value of any format, in any shape. */
  readonly input: unknown;
  /** `format` or `format:dialect`. Default: what the input is found to be. */
  readonly from?: string;
  readonly to: string;
  /** Default: the shape read. */
  readonly shape?: "request" | "answer" | "messages" | "message";
  /** Who gets it: says which seals go along. Default: `provider` for a request, else `client`. */
  readonly recipient?: Recipient;
  /** Whether what the format cannot hold travels in its carry slot. */
  readonly carry?: boolean;
  /** Refuse (422) what does not come through whole. */
  readonly strict?: boolean;
}

export interface ConvertAnswer {
  readonly output: unknown;
  /** What the output cannot hold. */
  readonly losses: readonly Loss[];
  /** What is wrong with the input. */
  readonly issues: readonly Issue[];
  readonly detected: DetectedFormat;
}

/**
 * What was not kept of a stream: behind its last event, where the address asks for it (`report=true`). It is always there,
 * also with nothing to say: a stream without it was cut on its way.
 */
export interface StreamReport {
  /** What the output could not hold, the first hundred. */
  readonly losses: readonly Loss[];
  /** What is wrong with the input, the first hundred. */
  readonly issues: readonly Issue[];
  /** How many of each code there were in all. */
  readonly counts: { readonly [code: string]: number };
}

/** `POST /api/v1/check`. Or the value itself as body, and the rest in the address. */
export interface CheckRequest extends Pick<ConvertRequest, "input" | "from"> {
  /** A provider's endpoint: `anthropic-messages`, `openai-responses`, … */
  readonly target: string;
  /** The model that will be asked. Default: the one that the input names. */
  readonly model?: string;
}

export interface CheckAnswer {
  /** What is wrong with the input, then what the target would refuse; paths lead into the conversation that was read. */
  readonly issues: readonly Issue[];
  readonly detected: DetectedFormat;
}

/** `POST /api/v1/repair`. Or the value itself as body, and the rest, each policy by its name, in the address. */
export interface RepairRequest extends CheckRequest {
  readonly policies?: Partial<Policies>;
}

export interface RepairAnswer {
  /** What the target takes, in its own format. */
  readonly output: unknown;
  readonly done: readonly Change[];
  readonly losses: readonly Loss[];
  /** What no repair mends. */
  readonly issues: readonly Issue[];
  readonly detected: DetectedFormat;
}

export interface StopAnswer {
  readonly stopped: boolean;
  readonly run?: string;
}

export interface Health {
  readonly status: "ok" | "draining" | "failing";
}

export type { Change, Conversation, Issue, Loss, Policies };
