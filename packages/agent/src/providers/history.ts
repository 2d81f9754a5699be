import type { JsonObject, Message } from "translogue";
import type { Agent } from "../agent.ts";
import { failure, type RunError } from "../errors.ts";
import { checkedMessages } from "../hooks.ts";
import type { AgentSession } from "../session.ts";

/** The run that a provider is asked for. */
export interface ProviderContext {
  readonly agent: Agent;
  readonly session: AgentSession;
  /** What the run was given. */
  readonly messages: readonly Message[];
  readonly additionalProperties: JsonObject;
  readonly signal?: AbortSignal;
}

/** What a run added to the conversation, whatever ended it: what there is of a stopped or failed answer is in it, marked. */
export interface RunExchange {
  /** The messages before it. */
  readonly history: readonly Message[];
  /** What the run was given. */
  readonly input: readonly Message[];
  /** What context providers added to it. */
  readonly context: readonly Message[];
  readonly response: readonly Message[];
  /** Why the run failed. */
  readonly error?: RunError;
}

/** Keeps the messages of sessions: in a database, a file. A session has what the store has not taken yet. */
export interface ChatHistoryProvider {
  /** The messages so far, in order. What it throws ends the run before it begins. */
  load(context: ProviderContext): readonly Message[] | Promise<readonly Message[]>;
  /** Keeps `messages` after those that it has: usually those of the exchange. What it throws is the run's error; the messages stay in the session, and come again. */
  store(context: ProviderContext, messages: readonly Message[], exchange: RunExchange): void | Promise<void>;
}

type Change = (messages: readonly Message[]) => readonly Message[] | Promise<readonly Message[]>;

export interface SessionHistoryOptions {
  /** Where .NET has it in the state bag (\`{ as: "maf" }\`). Default \`InMemoryChatHistoryProvider\`. */
  readonly key?: string;
  /** What a new session begins with. */
  readonly initial?: readonly Message[];
  /** Shortens what is kept: a reducer or compaction of `translogue/history`. */
  readonly reduce?: Change;
  /** Before a run reads it (default), or after a run has added to it. */
  readonly reduceAt?: "load" | "store";
  /** What a run reads of it. The rest is kept. */
  readonly provide?: Change;
  /** What is kept of a run. Without it, all of it. */
  readonly keep?: (exchange: RunExchange) => readonly Message[];
}

/** The history in the session itself, which is the default, shortened or filtered. */
export class SessionHistory {
  readonly options: SessionHistoryOptions;

  constructor(options: SessionHistoryOptions) {
    if (options.key?.trim() === "") throw failure("agent/invalid", "the `key` of a history is blank");
    const { initial } = options;
    if (initial !== undefined) checkedMessages(initial, "`initial` of the session's history", { verb: "is" });
    this.options = options;
  }
}

export const sessionHistory = (options: SessionHistoryOptions = {}): SessionHistory => new SessionHistory(options);
