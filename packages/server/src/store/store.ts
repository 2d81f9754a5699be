import type { Event, Json, Message } from "translogue";

/** A session of an owner. Another owner's session of the same id is another session. */
export interface SessionKey {
  readonly owner: string;
  readonly id: string;
}

/** How a run ended: it finished, a person stopped it, it failed, or its process was gone. */
export type Outcome = "finished" | "stopped" | "failed" | "interrupted";

/** What happened in a session. The entries in their order are the session: its history and its streams. */
export type Entry =
  /** Turns that a client sent, each with `id` and `parent`. The last is the head. */
  | { readonly kind: "messages"; readonly messages: readonly Message[] }
  | { readonly kind: "title"; readonly title: string }
  /** A run began below `parent`. Its messages carry `id`, `parent` and `run`. */
  | { readonly kind: "run"; readonly run: string; readonly parent: string | null; readonly model?: string }
  /** What a run streamed: new events, never a growing copy. */
  | { readonly kind: "events"; readonly run: string; readonly events: readonly Event[] }
  /** A run ended: its messages whole, and what the agent keeps beside messages. `head`: its last message, or what was the head before. */
  | {
      readonly kind: "end";
      readonly run: string;
      readonly outcome: Outcome;
      readonly messages: readonly Message[];
      readonly head: string | null;
      readonly state?: Json;
    };

export interface StoredSession {
  readonly key: SessionKey;
  readonly title?: string;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
  readonly updatedAt: number;
  /** The run that holds the session. */
  readonly run?: string;
}

export interface StoredEntries {
  readonly session: StoredSession;
  readonly entries: readonly Entry[];
}

/** A session held for one run: nobody else can add to it. Ends with an `end` entry of the run, or `release`. */
export interface Claim {
  readonly key: SessionKey;
  readonly run: string;
  /**
   * Adds entries; resolves once they are durable. `soon` shares a transaction with what others add in the next
   * milliseconds. Throws `store/fenced` once another process has taken the session over.
   */
  append(entries: readonly Entry[], when: "now" | "soon"): Promise<void>;
  /** Gives the session back without a run. A session that has no entries is gone with it. */
  release(): Promise<void>;
}

/** Where sessions are. */
export interface Store {
  /** Sessions of an owner, the last changed first. `before`: the `updatedAt` of the last one of the page before. */
  list(owner: string, page: { readonly limit: number; readonly before?: number }): Promise<readonly StoredSession[]>;
  read(key: SessionKey): Promise<StoredEntries | undefined>;
  /** Takes a session for a run, making it where there is none. Throws `session/busy` with the `run` that holds it. */
  claim(key: SessionKey, run: string): Promise<Claim>;
  /** Whether there was one. Throws `session/busy` while a run holds it. */
  remove(key: SessionKey): Promise<boolean>;
  /** Whether it answers: for `/readyz`. Throws what is wrong. */
  probe(): Promise<void>;
  /** Commits what is waiting, and closes. */
  close(): Promise<void>;
}
