/** A conversation and its messages, the tools a model is offered and the settings it is asked with. Rules: docs/model.md. */

import type { Json } from "./json.ts";
import type { Node, Part } from "./parts.ts";

/** control = no turn: a log line or command that stands in the list or tree (RemoveMessage, label, session_info). */
export type Role = "system" | "developer" | "user" | "assistant" | "tool" | "control" | (string & {});

export type FinishReason =
  | "stop"
  | "stop-sequence"
  | "length"
  | "context"
  | "tool-calls"
  | "refusal"
  | "content-filter"
  | "pause"
  | "compaction"
  | "malformed-call"
  | "error"
  | "aborted"
  | "incomplete"
  | "pending"
  | "other";

/** Exclusive: what is there adds up to the total. The raw object is native. */
export interface Usage {
  readonly input?: number; // neither read from nor written to the cache
  readonly cacheRead?: number; // billed apart
  readonly cacheWrite?: number; // billed apart
  readonly output?: number; // without reasoning, where it is told apart
  readonly reasoning?: number; // inside output on most wires
  readonly other?: number; // in the provider's total and in no bucket
  /** Another cut through the same tokens: { "input.image": 12 }. */
  readonly modalities?: { readonly [name: string]: number };
  readonly cost?: { readonly amount: number; readonly currency: string };
}

/** One turn of one side; of the assistant: (part of) one answer of a model. */
export interface Message extends Node {
  /** Required once the conversation is a tree. */
  readonly id?: string;
  /** null = a root. Absent on all = a plain list. */
  readonly parent?: string | null;
  readonly role: Role;
  readonly parts: readonly Part[]; // ordered: Anthropic, Responses and Gemini judge by it
  /** Group chats, sub-agents, tools that speak. */
  readonly author?: {
    readonly id?: string;
    readonly name?: string;
    readonly kind?: "person" | "agent" | "tool" | "harness";
  };
  readonly createdAt?: string; // ISO 8601, offset as written
  readonly model?: string; // that answered; one conversation may have many
  readonly provider?: string; // prices, display; LangChain, pydantic-ai, pi and opencode store it
  /** The provider's answer; its usage, finish and envelope stand on its last message. */
  readonly responseId?: string;
  /** Messages of one run: UI formats join them into one message. */
  readonly run?: string;
  /** How it ended. Absent = not told. Cut, stopped, failed and pending are reasons: there is no second status. */
  readonly finish?: { readonly reason: FinishReason; readonly raw?: string };
  readonly usage?: Usage; // once per responseId
  /** Absent = all. */
  readonly audience?: "model" | "user";
  /** What made a message that nobody wrote: environment, reminder, command, hook, summary, steering, … */
  readonly synthetic?: string;
  readonly weight?: number; // training label
  readonly metadata?: Json; // the application's own
}

export interface Tool extends Node {
  readonly name: string; // unique in the list
  readonly kind?: string; // as ToolCallPart.kind; settings of hosted tools are native
  readonly description?: string; // read by the model
  readonly input?: Json; // JSON Schema
  readonly output?: Json; // Gemini, Responses
  readonly strict?: boolean; // Chat, Responses, Anthropic
  readonly cache?: { readonly ttl?: string };
}

/** What several formats ask for in their own words; the rest is native. */
export interface Settings {
  readonly maxOutputTokens?: number;
  readonly temperature?: number;
  readonly topP?: number;
  readonly topK?: number;
  readonly stopSequences?: readonly string[];
  readonly seed?: number;
  readonly frequencyPenalty?: number;
  readonly presencePenalty?: number;
  readonly toolChoice?:
    | "auto"
    | "none"
    | "required"
    | { readonly name: string }
    | { readonly allowed: readonly string[]; readonly required?: true };
  readonly parallelToolCalls?: boolean;
  readonly reasoning?: { readonly effort?: string; readonly budget?: number; readonly summary?: string };
  readonly responseFormat?: {
    readonly type: "text" | "json";
    readonly schema?: Json;
    readonly name?: string;
    readonly description?: string; // of the schema, for the model
    readonly strict?: boolean;
  };
}

export interface Conversation extends Node {
  readonly id?: string; // session, thread
  readonly title?: string; // every export has one
  /** All messages of all branches, in the order of the source. */
  readonly messages: readonly Message[];
  readonly head?: string; // id of the leaf that counts
  /** What it came from: fork, resume, or the call that started a sub-agent; one file may hold several. */
  readonly origin?: {
    readonly kind: "fork" | "resume" | "subagent";
    readonly conversation?: string;
    readonly message?: string;
    readonly call?: string;
    readonly agent?: string;
  };
  readonly tools?: readonly Tool[]; // what the model is offered from the start
  readonly model?: string; // asked for
  readonly settings?: Settings;
  readonly createdAt?: string;
  readonly updatedAt?: string; // exports sort by it
  readonly app?: { readonly name: string; readonly version?: string };
  readonly metadata?: Json;
}
