import type { Agent, AgentTool, ModelRouter } from "@translogue/agent";
import type { JsonObject } from "translogue";
import type { Authenticate } from "./auth.ts";
import type { ContextField } from "./contract.ts";
import type { Log } from "./log.ts";
import type { Store } from "./store/store.ts";

/** A tool that requests may be given, with what the operator says about it. */
export interface ToolOffer {
  readonly tool: AgentTool;
  /** For lists. Default `general`. */
  readonly category?: string;
  /** It needs a `sandboxId`. */
  readonly requiresSandbox?: boolean;
  /** Fields of `context` or `toolContext` without which it cannot run. */
  readonly requiredContext?: readonly string[];
  /** What is wrong with the fields that are there. */
  readonly checkContext?: (
    context: JsonObject,
  ) => readonly { readonly field: string; readonly issues: readonly string[] }[];
  /** Whether a request that names neither tools nor a prompt type gets it. Default true. */
  readonly byDefault?: boolean;
}

/** A role that a request may ask for by name. */
export interface PromptType {
  readonly id: string;
  readonly description: string;
  /** System text, unless the request brings its own. */
  readonly prompt?: string;
  /** Names of tools that come with it. */
  readonly tools?: readonly string[];
}

export interface CorsConfig {
  /** `*`, or the origins that may call. */
  readonly origins: "*" | readonly string[];
  /** Seconds that a browser may keep the answer. Default one day. */
  readonly maxAge?: number;
}

export interface ServerConfig {
  readonly agent: Agent;
  /** The models that requests may name. */
  readonly models: Pick<ModelRouter, "list" | "resolve">;
  readonly store: Store;
  /** What answers the AI SDK's own client where it names no model: `provider/model`. Default: the first of `models`. */
  readonly defaultModel?: string;
  /** The generation of the AI SDK that streams are written for where the client does not say. Default 5. */
  readonly generation?: 5 | 6 | 7;
  /** Tools beside the agent's own, and what is to be said of those. Requests choose among both by `allowedTools`. */
  readonly tools?: readonly ToolOffer[];
  readonly promptTypes?: readonly PromptType[];
  /** The fields of `context`, for `/api/v1/config-schema`. */
  readonly contextFields?: { readonly [field: string]: ContextField };
  /** Whether system text that clients send is taken. Default `allow`. */
  readonly clientSystem?: "allow" | "refuse";
  /** Default: none, every request is taken. */
  readonly authenticate?: Authenticate;
  /** Default: none, pages of other origins get nothing. */
  readonly cors?: CorsConfig;
  /** Bytes. Default 10 MiB. */
  readonly maxBodyBytes?: number;
  /** Levels. Default 256. */
  readonly maxBodyDepth?: number;
  /** Messages in a request. Default 10,000. */
  readonly maxMessages?: number;
  /** A folder whose files are served at `/`. */
  readonly studioDir?: string;
  /** How long a request waits for the run that holds its session before it is refused. Default 1 s. */
  readonly busyWaitMs?: number;
  /** How long runs may go on once the server shuts down. Default 30 s. */
  readonly drainMs?: number;
  /** Default 15 s. */
  readonly keepAliveMs?: number;
  /** Default: warnings and failures as JSON lines on stderr. */
  readonly log?: Log;
  /** Milliseconds since 1970. */
  readonly now?: () => number;
  readonly newId?: () => string;
}
